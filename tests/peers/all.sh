#!/usr/bin/env bash
# Asks all four peers about our dumps: the figures of README.md.
#
#   all.sh [DIR]
#
# DIR is where the peers are installed, and stay; without it they are installed into a temporary folder, which
# takes some 20 minutes for hprof-analyzer alone. HEAPSMITH_PEERS_SEEDS=1 makes a third of the dumps. Needs cargo, python3, java 17 or later, apt-get and dpkg.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peers=${1:-}
if [ -z "$peers" ]; then
    peers=$(mktemp -d)
    trap 'rm -rf "$peers"' EXIT
fi
missing=()
for peer in jvm-hprof:bin/peer-jvm-hprof hprof-slurp:bin/hprof-slurp hprof-analyzer:bin/hprof-analyzer \
    visualvm:org-graalvm-visualvm-lib-jfluid-heap.jar; do
    [ -e "$peers/${peer#*:}" ] || missing+=("${peer%%:*}")
done
[ ${#missing[@]} -eq 0 ] || "$here/install.sh" "$peers" "${missing[@]}"
cd "$here/../.."
HEAPSMITH_PEERS=$(cd "$peers" && pwd) HEAPSMITH_PEERS_REQUIRED=1 \
    cargo test --quiet --test peers -- --nocapture --test-threads=1
