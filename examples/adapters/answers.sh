#!/usr/bin/env bash
# Holds the analysers of examples/adapters/ against the answers of every dump of HPROF in the corpus, and of random dumps.
#
# usage: answers.sh DIR [REPORT]
#
# DIR is where install.sh puts other people's programs; what is missing there is installed first (hprof-analyzer takes 19 minutes
# to build). HEAPSMITH, if set, is a binary of heapsmith to use instead of building one. After the installation it takes some ten
# minutes on two idle cores. REPORT is a folder for the reports. Exit code 0: nothing is wrong but what expected-answers.toml has.
set -euo pipefail

[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$@"
programs=$(cd "$1" && pwd)
reports=${2:+$(cd "$2" && pwd)}
[ -z "${HEAPSMITH:-}" ] || HEAPSMITH=$(realpath "$HEAPSMITH")
cd "$root"
if [ -z "${HEAPSMITH:-}" ]; then
    cargo build --release --quiet
    HEAPSMITH=$root/target/release/heapsmith
fi
adapters=examples/adapters
"$adapters/install.sh" "$programs" heaptrail hprof-analyzer
"$adapters/visualvm/install.sh" "$programs"

export RUST_BACKTRACE=0
worst=0
run() { # name, adapter
    local code=0 start=$SECONDS
    "$HEAPSMITH" check --level answers --format hprof --random 60 --seed 1 --expected "$adapters/expected-answers.toml" \
        --time-limit 60 --max-hangs 40 ${reports:+--report "$reports/$1"} --adapter "$2" || code=$?
    echo "$1: exit code $code after $((SECONDS - start)) s"
    [ "$code" -le "$worst" ] || worst=$code
}

bin=$programs/bin
run heaptrail "python3 -B $adapters/programs/heaptrail.py $bin/heaptrail --answers"
run hprof-analyzer "python3 -B $adapters/programs/hprof_analyzer.py $bin/hprof-analyzer --answers"
run visualvm "java -cp $programs/visualvm.jar:$programs/visualvm-classes VisualVmAdapter --with-classes"
exit "$worst"
