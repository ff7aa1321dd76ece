# Every test under the address and the undefined-behaviour sanitizer, whose memory and calls are what
# a confined parser is denied.
step_asan() {
  build asan-ubsan all || return
  STAGED_PARSERS=in-process STAGED_SIMULATION_SEEDS=${STAGED_SIMULATION_SEEDS:-$histories_when_slow} \
    run_tests asan-ubsan -LE '^(tidy|docs)$'
}
