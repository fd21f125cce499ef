#!/bin/bash
# How a large dump is reduced to what one of its objects shows: an HPROF of 147 MB with 2,000,000 objects, in which one array of bytes
# is looked for. Prints the size of the result, the dumps that were tried, and how many of them were above 1 MB.
#
# usage: benches/reduce.sh [HEAPSMITH]
set -euo pipefail
heapsmith=${1:-heapsmith}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$heapsmith" generate --preset huge --objects 2000000 --format hprof --seed 3 -o "$work/big.hprof"
# The first 8 bytes of an array in the middle, which stand nowhere else.
python3 - "$work" <<'END'
import pathlib, re, sys
work = pathlib.Path(sys.argv[1])
dump = (work / "big.hprof").read_bytes()
for array in re.finditer(rb"\x23.{8}\x00\x00\x00.\x00\x00\x00([\x10-\x40])\x08", dump[60_000_000:60_200_000], re.S):
    start = 60_000_000 + array.end()
    wanted = dump[start:start + 8]
    if len(set(wanted)) == 8 and dump.count(wanted) == 1:
        break
else:
    sys.exit("no array is found")
(work / "test.py").write_text(f"""
import pathlib, sys
dump = pathlib.Path(sys.argv[1]).read_bytes()
with open({str(work / "sizes")!r}, "a") as sizes:
    print(len(dump), file=sizes)
sys.exit(0 if {wanted!r} in dump else 1)
""")
END
start=$SECONDS
"$heapsmith" reduce "$work/big.hprof" --test "python3 -S $work/test.py {}" -o "$work/small.hprof"
echo "$((SECONDS - start)) s; $(wc -l <"$work/sizes") questions, of which $(awk '$1 > 1000000' "$work/sizes" | wc -l) were about more than 1 MB"
