# clang-tidy on every source file but tests. Its analyzer takes as long as all else together, so it
# only reads the files that changed of late, and one file of TIDY_SLICES=8, another with every seed.

lately_changed() { git -c safe.directory='*' log -n 5 --name-only --format= -- 'src/*.cc' 2>/dev/null; }

# Lines "CHECKS FILE": first what changed last.
tidy_plan() {
  { lately_changed | sed 's/^/changed /'
    git -c safe.directory='*' ls-files 'src/*.cc' | sed 's/^/any /'
  } | grep -v '_test\.cc$' | awk -v seed="$seed" -v slices="${TIDY_SLICES:-8}" '
    !seen[$2]++ { ++count; print $1 == "changed" || (count + seed) % slices == 0 ? "all" : "fast", $2 }' |
    while read -r checks file; do [ ! -f "$file" ] || echo "$checks $file"; done
}

# tidy_one CHECKS FILE UNTIL
tidy_one() {
  local output options=()
  [ "$(date +%s)" -lt "$3" ] || return 0
  [ "$1" = all ] || options=(--checks='-clang-analyzer-*')
  if output=$(clang-tidy-19 -p build/asan-ubsan --quiet "${options[@]}" "$2" 2>/dev/null); then
    echo "ok $2"
  else
    printf '%s\n' "bad $2" "$(grep -E 'error:|warning:' -A3 <<<"$output")"
  fi
}

step_tidy() {
  local good bad all
  configure asan-ubsan || return
  tidy_plan >"$logs/tidy.plan"
  all=$(wc -l <"$logs/tidy.plan")
  export -f tidy_one
  xargs -P "$jobs" -L 1 bash -c "tidy_one \"\$@\" $(($(date +%s) + $(left)))" _ <"$logs/tidy.plan" >"$logs/tidy.log"
  grep -v '^ok ' "$logs/tidy.log"
  good=$(grep -c '^ok ' "$logs/tidy.log")
  bad=$(grep -c '^bad ' "$logs/tidy.log")
  tally "$bad" $((good + bad)) "files tidied, $(grep -c '^all' "$logs/tidy.plan") of them analyzed" $((all - good - bad))
  [ "$bad" -eq 0 ]
}
