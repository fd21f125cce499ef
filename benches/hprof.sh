#!/usr/bin/env bash
# CPU time of decoding an HPROF dump, every field and element visited, against hprof-slurp's, in turn.
#
#   benches/hprof.sh HPROF_SLURP DUMP [VISIT_HPROF]
#
# HPROF_SLURP is the program (tests/peers/install.sh installs it), DUMP a dump of at least 500 MB. ROUNDS=9 changes the
# number of rounds. hprof-slurp reads no field and no element: it counts objects and bytes by class.
set -euo pipefail
[ $# -ge 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
slurp=$1 dump=$2 visit=${3:-${CARGO_TARGET_DIR:-target}/release/examples/visit_hprof}
cpu() { # user and system seconds of a command
    local times
    times=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 )
    awk '{ print $1 + $2 }' <<<"$times"
}
cat "$dump" >/dev/null
ratios=()
for ((round = 0; round < ${ROUNDS:-5}; round++)); do
    ours=$(cpu "$visit" "$dump")
    theirs=$(cpu "$slurp" "$dump")
    line=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.3f s, hprof-slurp %.3f s, ratio %.3f\n", a, b, a / b }')
    echo "$line"
    ratios+=("${line##* }")
done
printf '%s\n' "${ratios[@]}" | sort -n |
    awk '{ r[NR] = $1 } END { printf "median ratio %.2f (target: at most 0.4)\n", r[int((NR + 1) / 2)] }'
