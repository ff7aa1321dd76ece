# SIMULATE_SEEDS=20000 random histories on the simulated machine, each core from seeds of its own.
step_simulate() {
  local histories=$((${SIMULATE_SEEDS:-20000} / jobs)) core broken=0 late=0 running=()
  for ((core = 0; core < jobs; ++core)); do
    STAGED_SEED=$((seed + core * histories)) STAGED_SIMULATION_SEEDS=$histories timeout "$(left)" \
      build/release/bin/simulation_tests --gtest_filter='WorkspaceRandomTest.*' >"$logs/simulate.$core" 2>&1 &
    running+=($!)
  done
  for core in "${!running[@]}"; do
    wait "${running[core]}"
    case $? in
      0) grep '^seeds' "$logs/simulate.$core" ;;
      124) late=$((late + 1)) ;;
      *)
        broken=$((broken + 1))
        tail -n 40 "$logs/simulate.$core"
        ;;
    esac
  done
  tally "$broken" $((jobs - late)) 'simulations' "$late"
  [ "$broken" -eq 0 ]
}
