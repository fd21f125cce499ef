#!/usr/bin/env bash
# Runs every adapter of examples/adapters/ over the corpus and random dumps, and writes docs/results.md and
# target/results.html.
#
# usage: results.sh DIR [REPORT]
#
# DIR is where examples/adapters/install.sh puts other people's programs; what is missing there is installed first
# (hprof-analyzer takes 19 minutes to build). Needs cargo, python3, a JDK from 17 on, apt-get and dpkg. HEAPSMITH, if
# set, is a binary of heapsmith to use instead of building one. After the installation it takes some eight minutes on
# two cores. REPORT is a folder for the whole report, and for what each run prints. With it, the failures of other people's
# programs are explained as well, as if none was expected, which takes up to an hour: docs/mapping.py reads report.json and
# explained-*.json there.
set -euo pipefail

[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$@"
programs=$(cd "$1" && pwd)
kept=${2:+$(cd "$2" && pwd)}
[ -z "${HEAPSMITH:-}" ] || HEAPSMITH=$(realpath "$HEAPSMITH")
adapters=examples/adapters
cd "$root"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${HEAPSMITH:-}" ]; then
    cargo build --release --quiet
    HEAPSMITH=$root/target/release/heapsmith
fi
mkdir "$work/bin"
ln -s "$HEAPSMITH" "$work/bin/heapsmith"
PATH=$work/bin:$PATH
"$adapters/install.sh" "$programs"
"$adapters/visualvm/install.sh" "$programs"

# Commands as they stand in reports: relative to the project, with the folder of programs as a link beside it.
mkdir -p target
[ "$programs" -ef target/programs ] || ln -sfn "$programs" target/programs
bin=target/programs/bin
python="python3 -B $adapters/programs"

# What panics say differs from machine to machine: stack traces, the folder of sources. Two templates have one name, and a
# converter has none.
export RUST_BACKTRACE=0
plain() { # report
    sed -i -E 's#/[^ "]*/registry/src/[^/ ]*/##g' "$1"
    python3 -B docs/labels.py "$1"
}

reports=()
run() { # name, arguments of check...
    local name=$1
    shift
    reports+=("$work/$name/report.json")
    local code=0 start=$SECONDS
    # Some programs convert or write a part of the cases only.
    heapsmith check "$@" --allow-skips --format hprof --random 60 --seed 1 --expected "$adapters/expected.toml" --no-explain \
        --report "$work/$name" >"$work/$name.txt" || code=$?
    [ "$code" -le 1 ] || { cat "$work/$name.txt" >&2; exit "$code"; }
    echo "$name: exit code $code after $((SECONDS - start)) s, $(wc -l <"$work/$name.txt") lines"
    [ "$code" -eq 0 ] || tail -n 30 "$work/$name.txt"
    plain "$work/$name/report.json"
}

explained() { # name, arguments of check...
    local name=$1 start=$SECONDS code=0
    shift
    run "$name" "$@"
    [ -n "$kept" ] || return 0
    heapsmith check "$@" --allow-skips --format hprof --explain-time 3600 --json >"$kept/explained-$name.json" || code=$?
    [ "$code" -le 1 ] || exit "$code"
    echo "$name: explained after $((SECONDS - start)) s"
    plain "$kept/explained-$name.json"
}

run reference --adapter 'heapsmith adapter serve'
explained jvm-hprof --adapter "$bin/jvm-hprof-adapter"
explained scrump --adapter "$bin/scrump-adapter"
explained hprof-slurp --adapter "$python/hprof_slurp.py $bin/hprof-slurp"
explained heaptrail --adapter "$python/heaptrail.py $bin/heaptrail"
explained hprof-analyzer --adapter "$python/hprof_analyzer.py $bin/hprof-analyzer" --max-hangs 40
explained visualvm --max-hangs 40 --adapter \
    "java -cp $bin/../visualvm.jar:$bin/../visualvm-classes VisualVmAdapter"
run templates --adapter "python3 -B $adapters/templates/adapter.py" --adapter "java $adapters/templates/Adapter.java"
explained hprof-conv --adapter "$python/hprof_conv.py $bin/hprof-conv" --operation convert
explained redact --converter "$bin/hprof-analyzer redact {in} {out}" --to hprof --max-hangs 40
run jcmd --adapter "$python/writers/writer.py jcmd target/programs/classes" --operation encode --time-limit 60
run jhsdb --adapter "$python/writers/writer.py jhsdb target/programs/classes" --operation encode --time-limit 60

code=0
heapsmith merge "${reports[@]}" --report "$work/all" >"$work/all.txt" || code=$?
[ "$code" -le 1 ] || { cat "$work/all.txt" >&2; exit "$code"; }
[ -z "$kept" ] || cp "$work"/*.txt "$work"/all/* "$kept"
cp "$work/all/report.html" target/results.html
python3 -B docs/results.py "$work/all/report.json" docs/results.head.md specs/findings.md >docs/results.md
exit "$code"
