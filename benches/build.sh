#!/usr/bin/env bash
# How long the tests take to build: from nothing, and after one line of a report has changed.
#
#   benches/build.sh
#
# On a machine that is otherwise idle. It builds in a temporary folder of its own (WORK=/tmp says where; 3 GB). One line
# of crates/check/src/check/report/markdown.rs is changed meanwhile and comes back in the end, also where the script is interrupted.
# Exit code 1 if a time misses its target.
set -euo pipefail
[ $# -eq 0 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."

file=crates/check/src/check/report/markdown.rs
work=$(mktemp -d "${WORK:-/tmp}/build.XXXXXX")
cp -p "$file" "$work/before.rs"
changed=
restore() {
  # An edit made meanwhile stays.
  if [ -n "$changed" ] && cmp -s "$file" "$work/after.rs"; then cp -p "$work/before.rs" "$file"; fi
  rm -rf "$work"
}
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
export CARGO_TARGET_DIR=$work/target

cargo fetch --locked --quiet
missed=0
timed() { # what, target in seconds, command
  local what=$1 target=$2 begun verdict=within
  shift 2
  local times
  begun=$(date +%s%N)
  TIMEFORMAT='%U %S'
  times=$( { time "$@" >"$work/log" 2>&1; } 2>&1 ) || { cat "$work/log" >&2; exit 2; }
  local milliseconds=$((($(date +%s%N) - begun) / 1000000))
  if [ "$milliseconds" -gt "$((target * 1000))" ]; then verdict=missed missed=1; fi
  awk -v what="$what" -v ms="$milliseconds" -v target="$target" -v verdict="$verdict" -v times="$times" 'BEGIN {
    split(times, cpu)
    printf "%-60s %6.1f s, %6.1f s of CPU (target: at most %d s): %s\n", what, ms / 1000, cpu[1] + cpu[2], target, verdict
  }'
}

timed "cargo test --no-run, from nothing" 210 cargo test --locked --no-run

changed=yes
sed 's/^const MOST_OF_GROUP: usize = 10;$/const MOST_OF_GROUP: usize = 11;/' "$work/before.rs" >"$work/after.rs"
if cmp -s "$work/before.rs" "$work/after.rs"; then
  echo "$file has no such line any more: name another one in $0" >&2
  exit 2
fi
cp "$work/after.rs" "$file"
timed "cargo test --test check --no-run, after one line of a report" 40 cargo test --locked --test check --no-run
echo "$(nproc) processors, $(rustc --version)"
exit "$missed"
