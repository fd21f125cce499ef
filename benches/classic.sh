#!/usr/bin/env bash
# CPU time of decoding a classic heap dump, every address, size and reference visited, against `wc -l`, in turn; and
# the memory of `validate --no-graph` for a small and a large dump.
#
#   benches/classic.sh [HEAPSMITH [VISIT_CLASSIC]]
#
# ROUNDS=9 and SIZE=1000000000 change the number of rounds and the bytes of the large dump, which goes to TMPDIR.
set -euo pipefail
target=${CARGO_TARGET_DIR:-target}/release
heapsmith=${1:-$target/heapsmith} visit=${2:-$target/examples/visit_classic}
size=${SIZE:-1000000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$heapsmith" generate --format classic --profile openj9 --objects 20000 --seed 1 -o "$folder/one.txt"
python3 - "$folder" "$size" <<'PY'
import sys
folder, size = sys.argv[1], int(sys.argv[2])
text = open(f"{folder}/one.txt", "rb").read()
head, rest = text.split(b"\n", 1)
body, trailers = rest.split(b"// Breakdown")
for name, wanted in (("small", 5_000_000), ("large", size)):
    with open(f"{folder}/{name}.txt", "wb") as out:
        out.write(head + b"\n")
        while out.tell() < wanted:
            out.write(body)
        out.write(b"// Breakdown" + trailers)
PY
cpu() {
    local times
    times=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 )
    awk '{ print $1 + $2 }' <<<"$times"
}
wc --version | sed -n 1p
cat "$folder/large.txt" >/dev/null
ratios=()
for ((round = 0; round < ${ROUNDS:-5}; round++)); do
    ours=$(cpu "$visit" "$folder/large.txt")
    theirs=$(cpu wc -l "$folder/large.txt")
    line=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.3f s, wc %.3f s, ratio %.3f\n", a, b, a / b }')
    echo "$line"
    ratios+=("${line##* }")
done
printf '%s\n' "${ratios[@]}" | sort -n |
    awk '{ r[NR] = $1 } END { printf "median ratio %.1f (target: at most 6)\n", r[int((NR + 1) / 2)] }'
for name in small large; do
    # The trailers are those of one body, so the answer is a warning; the memory is what counts.
    python3 - "$heapsmith" "$folder/$name.txt" <<'PY'
import os, resource, subprocess, sys
subprocess.run([sys.argv[1], "validate", "--no-graph", sys.argv[2]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"validate --no-graph of {os.path.getsize(sys.argv[2])} bytes: {peak} KiB")
PY
done
