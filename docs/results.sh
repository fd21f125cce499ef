#!/usr/bin/env bash
# Asks every program of examples/adapters/ the corpus and random dumps, and writes docs/results.md, docs/results/ and docs/upstream/.
#
# usage: results.sh DIR OUT [ID]...
#
# DIR is where examples/adapters/install.sh puts other people's programs; what is missing there is installed first, and what cannot
# be had is told (hprof-analyzer takes 19 minutes to build). OUT keeps the report of each row; a row that has one is not asked again.
# Needs cargo unless HEAPSMITH names a built heapsmith, python3 from 3.11 on, a JDK from 17 on, Maven, apt-get and dpkg.
set -euo pipefail

[ $# -ge 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
directory=$1 out=$2
shift 2
mkdir -p "$directory" "$out"
if [ -z "${HEAPSMITH:-}" ]; then
    (cd "$root" && cargo build --release --quiet)
fi
"$root/examples/adapters/install.sh" "$directory" || echo "what is not installed is left out" >&2
code=0
python3 -B "$root/docs/results.py" run "$directory" "$out" "$@" || code=$?
python3 -B "$root/docs/results.py" pages "$out"
exit "$code"
