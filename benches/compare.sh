#!/usr/bin/env bash
# Memory and CPU time of `heapsmith compare` and `convert` over large dumps, beside `validate --no-graph` of the same
# files, which only decodes. By hand, on a machine that is otherwise idle:
#
#     cargo build --release && benches/compare.sh
#
# SIZE (1000000000 bytes) can be set. Needs ten times that in WORK (/tmp).
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
export LC_ALL=C

size=${SIZE:-1000000000}
heapsmith=${CARGO_TARGET_DIR:-target}/release/heapsmith
work=$(mktemp -d "${WORK:-/tmp}/compare.XXXXXX")
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

# Exit code, CPU seconds and peak resident memory of a command.
measure() {
    python3 - "$@" <<'PYTHON'
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"exit code {code}, {used.ru_utime + used.ru_stime:8.1f} s CPU, {used.ru_maxrss // 1024:6} MB")
PYTHON
}

"$heapsmith" generate --format phd6 --seed 1 --objects 20000 -o "$work/small.phd"
python3 benches/repeat.py "$work/small.phd" "$work/large.phd" "$size"
"$heapsmith" rewrite "$work/large.phd" -o "$work/again.phd" --through records
for name in small large; do
    printf '%-28s %s bytes\n' "$name.phd" "$(stat -c %s "$work/$name.phd")"
done
printf '%-28s %s\n' "validate --no-graph, small" "$(measure "$heapsmith" validate --no-graph "$work/small.phd")"
printf '%-28s %s\n' "validate --no-graph, large" "$(measure "$heapsmith" validate --no-graph "$work/large.phd")"
printf '%-28s %s\n' "compare, small" "$(measure "$heapsmith" compare --tolerate "$work/small.phd" "$work/small.phd")"
printf '%-28s %s\n' "compare, large" "$(measure "$heapsmith" compare --tolerate "$work/large.phd" "$work/again.phd")"
rm "$work/again.phd" "$work/large.phd"
# What PHD does not record is synthesised: the HPROF dump is thirty times as long.
python3 benches/repeat.py "$work/small.phd" "$work/large.phd" "$((size / 10))"
printf '%-28s %s\n' "convert to hprof, small" "$(measure "$heapsmith" convert --tolerate "$work/small.phd" "$work/small.hprof" --to hprof)"
printf '%-28s %s\n' "convert to hprof, a tenth" "$(measure "$heapsmith" convert --tolerate "$work/large.phd" "$work/large.hprof" --to hprof)"
