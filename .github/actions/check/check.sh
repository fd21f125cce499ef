#!/usr/bin/env bash
# Runs a parser behind an adapter over heapsmith's corpus: all that the action does, and runs anywhere.
#
#   ADAPTER='python3 adapter.py' FORMAT=hprof .github/actions/check/check.sh
#
# ADAPTER       the adapter: a command, quoted as for a shell; required
# FORMAT        only dumps of this format: phd, hprof or classic
# RANDOM_DUMPS  number of random dumps besides the corpus (100), SEED their seed (1)
# TIME_LIMIT    seconds for an answer (10)
# EXPECTED      a file of expected failures
# REPORT        the folder for the report (heapsmith-report)
#
# heapsmith is taken from the path, or built from the folder that this script lies in.
set -euo pipefail

: "${ADAPTER:?the command of the adapter is missing}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
if ! command -v heapsmith >/dev/null; then
  cargo install --locked --path "$root"
  PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
fi

report=${REPORT:-heapsmith-report}
arguments=(--adapter "$ADAPTER" --random "${RANDOM_DUMPS:-100}" --seed "${SEED:-1}" --report "$report" --force)
[ -z "${FORMAT:-}" ] || arguments+=(--format "$FORMAT")
[ -z "${TIME_LIMIT:-}" ] || arguments+=(--time-limit "$TIME_LIMIT")
[ -z "${EXPECTED:-}" ] || arguments+=(--expected "$EXPECTED")

code=0
heapsmith check "${arguments[@]}" || code=$?
# The page of the run shows the report, whatever came out.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$report/report.md" ]; then
  cat "$report/report.md" >> "$GITHUB_STEP_SUMMARY"
fi
exit "$code"
