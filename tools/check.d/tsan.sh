# The layers that start threads or are called from several, under the thread sanitizer.
step_tsan() {
  local layers=(base env store journal derived workspace) targets=() layer
  for layer in "${layers[@]}"; do targets+=("${layer}_test"); done
  build tsan "${targets[@]}" conformance_tests || return
  run_tests tsan -R "^($(IFS='|'; echo "${layers[*]}")|conformance)\."
}
