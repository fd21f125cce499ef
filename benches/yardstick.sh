#!/usr/bin/env bash
# Decoding and validation of a gigabyte, against `openssl dgst -sha256` of the same file; and whether
# memory grows with the dump. By hand, on a machine that is otherwise idle:
#
#     cargo build --release && benches/yardstick.sh
#
# ROUNDS (5) and SIZE (1000000000 bytes) can be set. Exit code 1: a target was missed.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
export LC_ALL=C

rounds=${ROUNDS:-5}
size=${SIZE:-1000000000}
built=${CARGO_TARGET_DIR:-target}/release
heapsmith=$built/heapsmith
visit=$built/examples/visit
missed=0
work=$(mktemp -d /tmp/yardstick.XXXXXX)
trap 'rm -rf "$work"' EXIT

# CPU seconds (user and system) of a command, whose output is shown only if it fails.
cpu() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/output" 2>&1; } 2>"$work/times" || { cat "$work/output" >&2; return 1; }
    awk '{ print $1 + $2 }' "$work/times"
}

# Peak resident memory of a command in KiB. The system resets it when a program starts, so the last
# value seen is the program's own.
peak() {
    "$@" >/dev/null &
    local pid=$! status high=0
    while status=$(cat "/proc/$pid/status" 2>/dev/null) && [[ $status =~ VmHWM:[[:space:]]+([0-9]+) ]]; do
        high=${BASH_REMATCH[1]}
    done
    wait "$pid"
    echo "$high"
}

median() { sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# Prints a verdict on a value that may be at most a limit.
judge() {
    if awk -v value="$1" -v limit="$2" 'BEGIN { exit !(value <= limit) }'; then
        echo within
    else
        echo MISSED
    fi
}

# Prints a line of the table: dump, work, limit. A ratio is the median of the rounds' own ratios.
row() {
    local seconds ratio verdict=yardstick
    seconds=$(median <"$work/$1.$2")
    ratio=$(paste "$work/$1.$2" "$work/$1.openssl" | awk '{ print $1 / $2 }' | median)
    [[ $2 == openssl ]] || verdict=$(judge "$ratio" "$3")
    printf '%-10s  %-10s  %8.2f  %6.2f  %6s  %s\n' "$1" "$2" "$seconds" "$ratio" "$3" "$verdict"
    [[ $verdict != MISSED ]] || missed=1
}

cargo build --release --quiet --bin heapsmith --example visit
openssl version
echo "sha_ni: $(grep -qw sha_ni /proc/cpuinfo && echo yes || echo no)"

# Two shapes, since the cost is one by record and not by byte. A random heap outgrows 32 bits at about
# 60000 objects.
"$heapsmith" generate --format phd6 --word 64 --seed 1 --objects 320000 -o "$work/64-bit.base"
"$heapsmith" generate --format phd5 --word 32 --seed 1 --objects 60000 -o "$work/32-bit.base"
for shape in 64-bit 32-bit; do
    python3 benches/repeat.py "$work/$shape.base" "$work/$shape.phd" "$size"
    echo "$shape: $(stat -c %s "$work/$shape.phd") bytes, $("$visit" "$work/$shape.phd")"
done

printf '\n%-10s  %-10s  %8s  %6s  %6s\n' dump work 'CPU s' ratio target
for shape in 64-bit 32-bit; do
    for ((round = 0; round < rounds; round++)); do
        cpu openssl dgst -sha256 "$work/$shape.phd" >>"$work/$shape.openssl"
        cpu "$visit" "$work/$shape.phd" >>"$work/$shape.decode"
        cpu "$heapsmith" validate --no-graph "$work/$shape.phd" >>"$work/$shape.validate"
    done
    row "$shape" openssl 1
    row "$shape" decode 3
    row "$shape" validate 4
done

# Noise: a few pages, and what the allocator keeps.
growth=512
printf '\n%-10s  %12s  %12s  %s\n' 'peak KiB' '10 MB' 'large' "growth at most $growth"
python3 benches/repeat.py "$work/64-bit.base" "$work/small.phd" 10000000
for command in 'validate --no-graph' inspect; do
    # shellcheck disable=SC2086 # the command's words
    small=$(peak "$heapsmith" $command "$work/small.phd")
    # shellcheck disable=SC2086
    large=$(peak "$heapsmith" $command "$work/64-bit.phd")
    verdict=$(judge $((large - small)) "$growth")
    printf '%-10s  %12s  %12s  %s\n' "${command%% *}" "$small" "$large" "$verdict"
    [[ $verdict != MISSED ]] || missed=1
done
exit "$missed"
