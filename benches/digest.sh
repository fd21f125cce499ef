#!/usr/bin/env bash
# CPU time of `heapsmith digest` against its two parts, decoding and a SHA-256 of the same canonical records, and
# against `openssl dgst -sha256` of the file; and whether memory grows with the dump. By hand, on a machine that is
# otherwise idle:
#
#     cargo build --release --bins --example digest_parts && benches/digest.sh
#
# ROUNDS (5) and SIZE (1000000000 bytes) can be set, and FORMATS ("phd6 hprof classic"). Exit code 1: a target was
# missed. Each round runs all four, in turn; a ratio is the median of the rounds' own. Needs SIZE and a tenth of it in
# WORK (/tmp).
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
export LC_ALL=C

rounds=${ROUNDS:-5}
size=${SIZE:-1000000000}
built=${CARGO_TARGET_DIR:-target}/release
heapsmith=$built/heapsmith
parts=$built/examples/digest_parts
missed=0
work=$(mktemp -d "${WORK:-/tmp}/digest.XXXXXX")
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

# What a dump may take: a KiB for each class, and 4 bytes for each object while it is validated, whose addresses lie apart
# in random heaps.
held() {
    "$heapsmith" digest --tolerate --facets word-size "$1" 2>/dev/null | awk '$1 == "of" { print $2 + int($4 / 256) }'
}

median() { sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

judge() {
    if awk -v value="$1" -v limit="$2" 'BEGIN { exit !(value <= limit) }'; then echo within; else echo MISSED; fi
}

# A large dump of the same classes as a small one.
enlarge() {
    case $1 in
        phd*) python3 benches/repeat.py "$2" "$3" "$size" ;;
        hprof) python3 - "$2" "$3" "$size" <<'PYTHON' ;;
# The first heap segment that holds an instance and no class, many times over: the objects repeat, classes do not.
import sys
small, large, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
dump = open(small, "rb").read()
at = dump.index(0) + 1 + 4 + 8
records = []
while at < len(dump):
    length = int.from_bytes(dump[at + 5 : at + 9], "big")
    records.append(dump[at : at + 9 + length])
    at += 9 + length
segments = [r for r in records if r[0] == 0x1C and len(r) > 9 and r[9] in (0x21, 0x22, 0x23)]
body = b"".join(segments)
assert body, "no segment without classes"
times = max(1, round((size - len(dump)) / len(body)))
with open(large, "wb") as file:
    file.write(b"".join([dump[: dump.index(0) + 13]] + records[:-1]))
    for _ in range(times):
        file.write(body)
    file.write(records[-1])
PYTHON
        classic) python3 - "$2" "$3" "$size" <<'PYTHON' ;;
# The lines of objects many times over, without the trailers, which would state other numbers, and once those of
# classes: an object or class is a line, and a line of references.
import sys
small, large, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
lines = open(small, "rb").read().split(b"\n")
header = [line for line in lines[:1] if line.startswith(b"//")]
body = [line for line in lines if not line.startswith(b"// Breakdown") and not line.startswith(b"// EOF")]
body = body[len(header) : -1]
pairs = [body[n : n + 2] for n in range(0, len(body), 2)]
joined = lambda pairs: b"".join(line + b"\n" for pair in pairs for line in pair)
text = joined(pair for pair in pairs if b"] OBJ " in pair[0])
assert text, "no line of an object"
with open(large, "wb") as file:
    file.write(b"".join(line + b"\n" for line in header))
    file.write(joined(pair for pair in pairs if b"] CLS " in pair[0]))
    for _ in range(max(1, round(size / len(text)))):
        file.write(text)
PYTHON
    esac
}

printf '%-8s  %7s  %7s  %7s  %8s  %9s  %s\n' dump decode hash digest openssl 'to parts' 'to openssl'
for format in ${FORMATS:-phd6 hprof classic}; do
    small=$work/small.$format large=$work/large.$format
    objects=200000
    [[ $format != hprof ]] || objects=50000 # several segments
    "$heapsmith" generate --format "$format" --seed 7 --objects "$objects" -o "$small"
    enlarge "$format" "$small" "$large"
    "$parts" lengths "$large" >"$work/lengths"
    rm -f "$work"/cpu.*
    for ((round = 0; round < rounds; round++)); do
        cpu "$parts" decode "$large" >>"$work/cpu.decode"
        cpu "$parts" hash "$work/lengths" >>"$work/cpu.hash"
        cpu "$heapsmith" digest --tolerate "$large" >>"$work/cpu.digest"
        cpu openssl dgst -sha256 "$large" >>"$work/cpu.openssl"
    done
    to_parts=$(paste "$work"/cpu.{digest,decode,hash} | awk '{ print $1 / ($2 + $3) }' | median)
    to_openssl=$(paste "$work"/cpu.{digest,openssl} | awk '{ print $1 / $2 }' | median)
    verdict=$(judge "$to_parts" 1.5)
    [[ $verdict != MISSED ]] || missed=1
    printf '%-8s  %7.2f  %7.2f  %7.2f  %8.2f  %9.2f  %.2f  %s (to parts: at most 1.5)\n' "$format" \
        "$(median <"$work/cpu.decode")" "$(median <"$work/cpu.hash")" "$(median <"$work/cpu.digest")" \
        "$(median <"$work/cpu.openssl")" "$to_parts" "$to_openssl" "$verdict"
    # A mebibyte is noise. The body of a PHD is repeated with its classes, and the class table is held.
    before=$(peak "$heapsmith" digest --tolerate "$small") after=$(peak "$heapsmith" digest --tolerate "$large")
    allowed=$((1024 + $(held "$large") - $(held "$small")))
    verdict=$(judge $((after - before)) "$allowed")
    [[ $verdict != MISSED ]] || missed=1
    printf '          peak memory %s KiB of %s bytes, %s KiB of %s bytes: %s (growth: at most %s KiB)\n' \
        "$before" "$(stat -c %s "$small")" "$after" "$(stat -c %s "$large")" "$verdict" "$allowed"
    rm -f "$small" "$large"
done
exit "$missed"
