#!/usr/bin/env bash
# Runs the tests while every processor is kept busy: none of them may fail because the machine is slow.
#
#   tests/busy.sh [-n RUNS] [ARGUMENTS OF cargo test]
#
# Three runs, or RUNS. The tests are built first, on the idle machine. For each run: the wall time; how many tests
# passed, failed and were ignored; the names of those that failed. Exit code 1 if any did; then the last line names the
# folder of what the tests printed.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=3
if [ "${1:-}" = -n ]; then
  runs=${2:-}
  shift $(($# < 2 ? 1 : 2))
fi
[[ $runs =~ ^[1-9][0-9]*$ ]] || { echo "-n takes a number of runs, not '$runs'" >&2; exit 2; }

cargo test --no-run --quiet "$@"
kept=$(mktemp -d)

# Each job is a process group of its own, so that all of it can be stopped.
set -m
jobs=()
stop() {
  for job in "${jobs[@]}"; do
    kill -- "-$job" 2>/dev/null && wait "$job" 2>/dev/null || true
  done
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Counts at the same priority as the tests. It ends with this script even where no trap can see to that.
busy() {
  local count
  while kill -0 $$ 2>/dev/null; do
    for ((count = 0; count < 100000; count += 1)); do :; done
  done
}
for ((number = $(nproc); number > 0; number -= 1)); do
  busy &
  jobs+=($!)
done

# The sums over all programs; in front of a result may stand what a program printed without ending its line.
sums() {
  awk 'match($0, /test result: [A-Za-z]+\. [0-9]+ passed;.*/) {
         split(substr($0, RSTART), words, /[ ;]+/)
         passed += words[4]; failed += words[6]; ignored += words[8]
       }
       END { printf "%d passed, %d failed, %d ignored\n", passed, failed, ignored }' "$1"
}

# Each program ends with a list of the tests that failed.
names() {
  awk '/^failures:$/ { list = ""; next }
       /^    [^ ]/ { list = list "  failed:" substr($0, 4) "\n" }
       /test result: FAILED\. [0-9]+ passed;/ { printf "%s", list }
       /test result: [a-z]+\. [0-9]+ passed;/ { list = "" }' "$1"
}

failed=0
for ((run = 1; run <= runs; run += 1)); do
  log=$kept/run-$run.txt
  begun=$SECONDS
  code=0
  # Every program, whatever becomes of those before it. In the background, so that a signal is heard meanwhile.
  cargo test --no-fail-fast "$@" > "$log" 2>&1 &
  tests=$!
  jobs+=("$tests")
  wait "$tests" || code=$?
  unset 'jobs[-1]'
  echo "run $run of $runs: $((SECONDS - begun)) s, $(sums "$log")"
  if [ "$code" -ne 0 ]; then
    failed=1
    names "$log"
    grep -q 'test result: FAILED' "$log" || { echo "  cargo test ended with exit code $code:"; tail -n 20 "$log"; }
  fi
done
if [ "$failed" -ne 0 ]; then
  echo "what the tests printed: $kept"
else
  rm -r "$kept"
fi
exit "$failed"
