#!/bin/bash
# Runs build.sh as a fuzzing service does, and each target that it makes for some seconds, from its seeds:
#
#   deploy/try-build.sh FOLDER [SECONDS]      FOLDER is new, and takes some 3 GB; 10 seconds without another number
#
# Needs what build.sh needs, and unzip or Python; without LIB_FUZZING_ENGINE the engine is libFuzzer, as the compiler brings it.
set -euo pipefail
[ $# -ge 1 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir "$1"
work=$(cd "$1" && pwd)
mkdir "$work/src" "$work/out"
# The commit as it is, without what lies in the folder of the clone.
git clone --quiet "$here" "$work/src/heapsmith"
export SRC=$work/src OUT=$work/out LIB_FUZZING_ENGINE=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
bash "$SRC/heapsmith/deploy/build.sh"
tried=0
for target in "$OUT"/*; do
    [ -f "$target" ] && [ -x "$target" ] || continue
    name=$(basename "$target")
    seeds=$work/seeds-$name
    mkdir "$seeds"
    python3 -m zipfile -e "${target}_seed_corpus.zip" "$seeds"
    max_len=$(sed -n 's/^max_len = //p' "$target.options")
    if ! "$target" -max_total_time="${2:-10}" -max_len="$max_len" -print_final_stats=1 \
        -artifact_prefix="$work/" "$seeds" >"$work/$name.log" 2>&1; then
        tail -40 "$work/$name.log" >&2
        echo "$name: it ended with a failure" >&2
        exit 1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
    echo "$name: $(find "$seeds" -type f | wc -l) inputs, $runs runs in ${2:-10} s, no failure"
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || { echo "build.sh made no target" >&2; exit 1; }
