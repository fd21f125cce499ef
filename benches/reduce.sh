#!/bin/bash
# How a large dump is reduced to what one of its objects shows: an HPROF of 147 MB with 2,000,000 objects, in which the first bytes
# of an array are looked for; or any other size, and a PHD, in which an identity hash is. Prints the size of the result, the dumps
# that were tried, how many of them were above 1 MB, and the time and memory that heapsmith took.
#
# usage: benches/reduce.sh [HEAPSMITH [FORMAT [OBJECTS]]]
#
# A gigabyte: benches/reduce.sh heapsmith hprof 14000000; benches/reduce.sh heapsmith phd6 57000000
set -euo pipefail
heapsmith=${1:-heapsmith} format=${2:-hprof} objects=${3:-2000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$heapsmith" generate --preset huge --objects "$objects" --format "$format" --seed 3 -o "$work/big"
# Bytes in the middle that stand nowhere else.
python3 - "$work" "$format" <<'END'
import mmap, pathlib, re, sys
work, format = pathlib.Path(sys.argv[1]), sys.argv[2]
with open(work / "big", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as dump:
    middle = len(dump) * 2 // 5
    if format == "hprof":
        # The first 8 bytes of an array of bytes.
        pattern, length = rb"\x23.{8}\x00\x00\x00.\x00\x00\x00([\x10-\x40])\x08", 8
    else:
        # The hash of an object with a gap and references of a byte each: tag, flags, gap, class.
        pattern, length = rb"\x04\x03.\x00{5}.{3}", 4
    for found in re.finditer(pattern, dump[middle:middle + 200_000], re.S):
        start = middle + found.end()
        wanted = dump[start:start + length]
        first = dump.find(wanted)
        if len(set(wanted)) == length and first == start and dump.find(wanted, first + 1) < 0:
            break
    else:
        sys.exit("no such bytes are found")
    print(f"{len(dump)} bytes, of which those at {start} are looked for")
(work / "test.py").write_text(f"""
import mmap, os, sys
size = os.path.getsize(sys.argv[1])
with open({str(work / "sizes")!r}, "a") as sizes:
    print(size, file=sizes)
with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as dump:
    sys.exit(0 if dump.find({wanted!r}) >= 0 else 1)
""")
END
start=$SECONDS
"$heapsmith" reduce "$work/big" --test "python3 -S $work/test.py {}" --time-limit 120 -o "$work/small" &
reducing=$!
peak=0
while kill -0 "$reducing" 2>/dev/null; do
    now=$(awk '/^VmHWM/ { print $2 }' "/proc/$reducing/status" 2>/dev/null || true)
    peak=${now:-$peak}
    sleep 0.2
done
wait "$reducing"
large=$(awk '$1 > 1000000' "$work/sizes" | wc -l)
echo "$((SECONDS - start)) s and $((peak / 1024)) MiB; $(wc -l <"$work/sizes") questions, of which $large were about more than 1 MB"
