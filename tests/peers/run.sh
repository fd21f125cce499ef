#!/usr/bin/env bash
# Shows what other people's HPROF readers find in each DUMP.
#
# usage: run.sh PEERS_DIR DUMP...
#
# Four lines for each dump, one for each reader and always in this order: the reader's answer as JSON, or
# `failed: READER: WHAT IT SAID`, or `skipped: READER: REASON` where it is not installed in PEERS_DIR (see
# install.sh). Warnings go to standard error. PEER_TIMEOUT is in seconds.

set -u

if [ $# -lt 2 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
peers=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
export RUST_BACKTRACE=0

program() { # name, program: is it there?
    [ -x "$2" ] || { echo "skipped: $1: no $2"; return 1; }
}

tool() { # name, command
    command -v "$2" >/dev/null || { echo "skipped: $1: no $2"; return 1; }
}

ask() { # name, command...
    local name=$1 errors answer code
    shift
    errors=$(mktemp)
    answer=$(timeout "${PEER_TIMEOUT:-300}" "$@" 2>"$errors")
    code=$?
    if [ $code -eq 0 ]; then
        printf '%s\n' "$answer"
        sed "s/^/$name: /" "$errors" >&2
    elif [ $code -eq 124 ]; then
        echo "failed: $name: no answer in ${PEER_TIMEOUT:-300} s"
    else
        echo "failed: $name: $(complaint "$errors" || echo "exit code $code")"
    fi
    rm -f "$errors"
}

# A panic says where on one line and why on the next; otherwise the last line has to do.
complaint() {
    awk 'place && !why { why = "panic: " $0 " (" place ")" }
         /panicked at/ { place = $NF; sub(/.*\//, "", place); sub(/:$/, "", place) }
         NF && !/^note: / { last = $0 }
         END { if (!why) why = last; if (!why) exit 1; print why }' "$1"
}

jar=$peers/org-graalvm-visualvm-lib-jfluid-heap.jar
for dump; do
    program jvm-hprof "$peers/bin/peer-jvm-hprof" &&
        ask jvm-hprof "$peers/bin/peer-jvm-hprof" "$dump"
    program hprof-slurp "$peers/bin/hprof-slurp" && tool hprof-slurp python3 &&
        ask hprof-slurp python3 "$here/hprof_slurp.py" "$peers/bin/hprof-slurp" "$dump"
    program hprof-analyzer "$peers/bin/hprof-analyzer" && tool hprof-analyzer python3 &&
        ask hprof-analyzer python3 "$here/hprof_analyzer.py" "$peers/bin/hprof-analyzer" "$dump"
    if [ -f "$jar" ]; then
        tool visualvm java && ask visualvm java -cp "$jar" "$here/VisualVm.java" "$dump"
    else
        echo "skipped: visualvm: no $jar"
    fi
done
