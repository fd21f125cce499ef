#!/bin/sh
# All shards by GNU parallel, on this machine or, with options after the name, on others: parallel.sh --sshlogin a,b
# A shard that fails, or is killed, is started once more and goes on where it was.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${SHARDS:=4}"
export SHARDS
seq "$SHARDS" | parallel --retries 3 --line-buffer --tagstring 'shard {}' \
    --env ADAPTER --env STATES --env SHARDS --env CASES --env SEED --env FORMAT --env TRIALS --env HEAPSMITH \
    "$@" "$here/shard.sh" '{}'
