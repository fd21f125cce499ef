#!/usr/bin/env bash
# What `check` costs beside the adapter's own work: the corpus, and then 1,000 small dumps of --dumps, against the reference
# decoder, one case at a time. The adapter's work is the time from a request to its answer; the rest is writing dumps, judging,
# and starting processes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
PATH=$PWD/target/release:$PATH
dumps=$(mktemp -d)
trap 'rm -rf "$dumps"' EXIT
for number in $(seq 250); do
  heapsmith generate --format phd5,phd6,hprof,classic --objects 60 --seed "$number" -o "$dumps/$number" 2>/dev/null
done
measure() {
  heapsmith check --adapter 'heapsmith adapter serve' --jobs 1 --json "${@:2}" |
    python3 -c "
import json, sys
report = json.load(sys.stdin)
run = report['run']
asked = sum(ms for cases in run['milliseconds'].values() for ms in cases.values())
cases = len(report['cases'])
tally = report['implementations'][0]['tally']
print(f'$1: {cases} cases, {tally[\"pass\"]} passes, {run[\"seconds\"]:.2f} s in all;', end=' ')
print(f'{asked / cases:.2f} ms a case asked, {(run[\"seconds\"] * 1e3 - asked) / cases:.2f} ms beside that')"
}
for level in verdict listing; do
  measure "$level" --level "$level"
  measure "own dumps, $level" --level "$level" --dumps "$dumps"
done
