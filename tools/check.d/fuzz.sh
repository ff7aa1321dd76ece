# Every program of fuzz/: with STAGED_SEED for FUZZ_RUNS=10000 runs from given inputs alone, so that
# another run answers the same; without it for FUZZ_SECONDS=20 from a new seed, going on from what
# runs before it found.

# Small inputs, since these run fast: what lies in fuzz/seeds, what write_seeds made, and the smallest
# files of the format that the fuzzer's name begins with.
seeds_of() {
  local fuzzer=$1 format kind place
  case $fuzzer in
    zip_* | stored_*) format='xlsx docx' ;;
    *) format=${fuzzer%%_*} ;;
  esac
  for place in fuzz/seeds "$logs/seeds"; do
    [ -d "$place/$fuzzer" ] && find "$place/$fuzzer" -type f | LC_ALL=C sort
  done
  for kind in $format hostile; do
    for place in tests/data ../shared/corpus; do
      [ -d "$place/$kind" ] || continue
      find "$place/$kind" -type f -size -64k -printf '%s %p\n' | LC_ALL=C sort -n -k1,1 -k2 | head -n 30 | cut -d' ' -f2-
    done
  done
}

# fuzz_one NAME SECONDS
fuzz_one() {
  local name=$1 log=$logs/$1.log folders=() budget size_max=65536 runs=${FUZZ_RUNS:-10000} code
  # Each run parses up to ten times, in the slowest of the parsers.
  case $name in code_*) size_max=4096 runs=$((runs / 10)) ;; esac
  budget=(-runs="$runs")
  mkdir -p "$logs/artifacts" "$logs/inputs" "$logs/corpus/$name"
  if [ -z "$repeatable" ]; then
    budget=(-max_total_time="$2")
    folders=("$logs/corpus/$name")
  fi
  seeds_of "$name" | paste -sd, >"$logs/inputs/$name"  # which libFuzzer wants in one line
  timeout "$(($2 * 4 + 300))" "${steady[@]}" "build/asan-ubsan/bin/$name" -seed="$seed" "${budget[@]}" \
    -max_len="$size_max" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -shuffle=0 \
    -seed_inputs=@"$logs/inputs/$name" -artifact_prefix="$logs/artifacts/$name-" "${folders[@]}" >"$log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [ $code -eq 0 ]; then
    echo "$name: ${runs:-0} runs, $(grep -oE 'cov: [0-9]+' "$log" | tail -n 1), seed $seed"
  elif [ $code -eq 124 ]; then
    echo "$name: not begun, its seeds alone took longer"
  else
    echo "$name: FAILED (exit $code), seed $seed; see build/check/$name.log and build/check/artifacts"
    grep -E 'ERROR|SUMMARY|runtime error|Test unit written' -A6 "$log" | head -n 30
  fi
  return $code
}

step_fuzz() {
  local names=() share budget=${FUZZ_SECONDS:-20} bad late
  for source in fuzz/*_fuzzer.cc; do names+=("$(basename "$source" .cc)"); done
  build asan-ubsan fuzzers || return
  rm -rf "$logs/seeds"
  "${steady[@]}" build/asan-ubsan/bin/write_seeds examples/workspace "$logs/seeds" >"$logs/write_seeds.log" 2>&1 || {
    cat "$logs/write_seeds.log"
    return 1
  }
  share=$((($(left) - 180) * jobs / ${#names[@]}))
  if [ "$share" -lt "$budget" ]; then
    budget=$((share > 5 ? share : 5))
    [ -n "$repeatable" ] || echo "only $budget s each: time is short"
  fi

  export logs seed repeatable
  export -f fuzz_one seeds_of
  xargs -P "$jobs" -I{} timeout "$(left)" bash -c "steady=(${steady[*]}); fuzz_one {} $budget" \
    < <(printf "%s\n" "${names[@]}") | tee "$logs/fuzz.log"
  bad=$(grep -c ': FAILED (' "$logs/fuzz.log")
  late=$((${#names[@]} - bad - $(grep -c ' runs, ' "$logs/fuzz.log")))
  tally "$bad" $((${#names[@]} - late)) 'fuzzers' "$late"
  [ "$bad" -eq 0 ]
}
