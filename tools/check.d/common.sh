# What the steps of tools/check share. They use its variables: root, jobs, deadline, seed, logs.

export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
symbolizer=external_symbolizer_path=/usr/lib/llvm-19/bin/llvm-symbolizer
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_init_order=1:allocator_may_return_null=1:$symbolizer
export UBSAN_OPTIONS=print_stacktrace=1:$symbolizer
export TSAN_OPTIONS=second_deadlock_stack=1:$symbolizer
# Histories of the simulation under a sanitizer: those of `make test` are for a fast build.
histories_when_slow=20

# The sanitizers' shadow memory does not fit where some kernels randomise addresses widely.
steady=()
if setarch -R true 2>/dev/null; then steady=(setarch -R); fi

# In ctest's words, which .ci/run adds up: tally FAILED ALL NAME [NOT_BEGUN]
tally() { echo "$3: $1 tests failed out of $2${4:+, not begun: $4}"; }

# With the time so far.
say() {
  times >"$logs/times"  # no pipe: its subshell has no children
  printf '== %s (%d:%02d, %s minutes of processor time)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)) \
    "$(awk -F '[ms ]+' 'NR == 2 { printf "%.1f", $1 + $2 / 60 + $3 + $4 / 60 }' "$logs/times")"
}

left() { echo $((deadline > SECONDS ? deadline - SECONDS : 1)); }

configure() {
  cmake --preset "$1" >"$logs/$1.configure" 2>&1 || { cat "$logs/$1.configure"; return 1; }
}

# build PRESET TARGET...: 124 if the time is over before it ends.
build() {
  local preset=$1 code
  shift
  configure "$preset" || return 1
  timeout "$(left)" "${steady[@]}" cmake --build "build/$preset" -j "$jobs" --target "$@" >"$logs/$preset.build" 2>&1
  code=$?
  case $code in
    0) ;;
    124) tally 0 0 "tests of $preset, which was not built in time" 1 ;;
    *) grep -E 'FAILED|error|Error' -A4 "$logs/$preset.build" | head -60 ;;
  esac
  return $code
}

# run_tests PRESET CTEST_OPTION...: what has not ended when the time is over counts as not begun.
run_tests() {
  local preset=$1 log=$logs/$1.tests code
  shift
  timeout "$(left)" "${steady[@]}" ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure \
    --no-tests=error "$@" 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  [ "$code" -eq 124 ] || return "$code"
  local ended bad all
  ended=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#' "$log")
  bad=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#.*\*\*\*' "$log")
  bad=$((bad - $(grep -cE '^ *[0-9]+/[0-9]+ Test +#.*\*\*\*Skipped' "$log")))
  all=$(sed -nE 's/^ *[0-9]+\/([0-9]+) Test +#.*/\1/p' "$log" | tail -n 1)
  tally "$bad" "$ended" "tests of $preset, until the time was over" $((${all:-1} - ended))
  [ "$bad" -eq 0 ] && return 124
  return 1
}
