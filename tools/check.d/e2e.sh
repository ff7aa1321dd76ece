# The processes that kill, crowd and read the corpus, longer than in `make test`.
step_e2e() {
  STAGED_STRESS_SECONDS=60 STAGED_KILL_SECONDS=60 STAGED_CORPUS_FILES=0 STAGED_CORPUS_SECONDS=120 \
    run_tests release -L e2e
}
