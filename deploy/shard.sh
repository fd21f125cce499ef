#!/bin/sh
# One shard of a campaign: shard.sh NUMBER, from 1. The variables are those of deploy/README.md.
set -eu
number=$1
: "${ADAPTER:?the adapter, a command quoted as for a shell}" "${STATES:?a folder for the folders of all shards}"
set -- fuzz --adapter "$ADAPTER" --state "$STATES/shard-$number" --shard "$number/${SHARDS:-4}" \
    --cases "${CASES:-100000}" --seed "${SEED:-0}" --trials "${TRIALS:-400}"
[ -z "${FORMAT:-}" ] || set -- "$@" --format "$FORMAT"
mkdir -p "$STATES"
code=0
"${HEAPSMITH:-heapsmith}" "$@" || code=$?
# Failures of the parser are what is looked for: the shard has done its work.
[ "$code" -le 1 ] || exit "$code"
