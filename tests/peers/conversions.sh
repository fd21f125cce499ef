#!/usr/bin/env bash
# Converts real dumps to every format and back, and judges other people's converters: the figures of README.md.
#
# usage: conversions.sh PEERS_DIR DUMP...
#
# DUMPs are PHD and HPROF files of real JVMs. PHDs become HPROF, which the readers of PEERS_DIR (see install.sh) are asked
# about; HPROFs, every heap of them, become each writer's PHD and classic text, and HPROF again. Everything is counted by
# count.py, which has no part of heapsmith, and judged by `check-conversion` with and without the writer's profile.
# hprof-conv and `hprof-analyzer redact` are run over dumps, and what `check-conversion` says of their output is held
# against changes.py. Prints tables; exit code 1: something was counted wrong, or a writer's dump is not faithful.
#
# HEAPSMITH is the program (built if it is not given), HPROF_CONV is hprof-conv (Debian package hprof-conv).
# Needs python3, and java for VisualVM.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
command -v python3 >/dev/null || { echo "nothing can be counted: no python3" >&2; exit 2; }
peers=$1
shift
if [ -z "${HEAPSMITH:-}" ]; then
    (cd "$here/../.." && cargo build --quiet --release)
    HEAPSMITH=$here/../../target/release/heapsmith
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong=0

is_phd() {
    head -c 20 "$1" | tail -c 18 | grep -qa "^portable heap dump"
}

count() { # options of count.py...: one line
    python3 "$here/count.py" "$@" 2>&1 | tail -1 || true
}

judged() { # what is not faithful, in a word or two
    local verdict
    verdict=$("$HEAPSMITH" check-conversion "$@" 2>&1) && { echo faithful; return; }
    # What was found different is "changed: FACET: N differ", "missing: FACET (N), which FORMAT can carry", or an error.
    echo "$verdict" | sed -nE 's/^changed: ([a-z0-9-]+): ([0-9]+) .*/\1 \2/p; s/^missing: ([a-z0-9-]+) \(([0-9]+)\).*/\1 \2/p
        s/^(error: .*)/\1/p' |
        awk '{ printf "%s%s", (NR > 1 ? ", " : ""), $0 } END { print "" }'
}

row() { # from, to, source, result, options of count.py, of check-conversion, profile
    local counted plain written valid
    counted=$(count --like "$3" $5 "$4")
    plain=$(judged "$3" "$4" $6)
    written=$(judged "$3" "$4" $6 --profile "$7")
    "$HEAPSMITH" validate "$4" >/dev/null 2>&1 && valid=valid || valid=invalid
    [ "$counted" = right ] && [ "$written" = faithful ] && [ $valid = valid ] || wrong=1
    echo "| $1 | $2 | $valid | $counted | $plain | $written |"
}

converted() { # from, to, options: complains and fails if it cannot be
    "$HEAPSMITH" convert "$1" -o "${@:2}" --force >/dev/null 2>"$folder/error" && return
    echo "| $(basename "$1") | $4 | not converted: $(tail -1 "$folder/error") | | | |"
    wrong=1
    return 1
}

header() {
    printf '\n## %s\n\n| from | to | validate | counts | without a profile | with its profile |\n|---|---|---|---|---|---|\n' "$1"
}

header "PHD to HPROF"
: >"$folder/readers"
for dump; do
    is_phd "$dump" || continue
    name=$(basename "$dump")
    for profile in hotspot-25 hotspot-8; do
        out=$folder/out.hprof
        converted "$dump" "$out" --to hprof --profile $profile || continue
        exact=classes,class_references,elements,instance_sum,array_sum
        row "$name" "hprof/$profile" "$dump" "$out" "--exact $exact" "" $profile
        {
            echo "$name as $profile:"
            PEER_TIMEOUT=${PEER_TIMEOUT:-120} "$here/run.sh" "$peers" "$out" 2>/dev/null |
                python3 "$here/count.py" --answers "$dump" || echo "    WRONG"
            if [ -f "$peers/org-graalvm-visualvm-lib-jfluid-heap.jar" ] && command -v java >/dev/null; then
                # A copy, since the library keeps a cache beside the dump.
                cp "$out" "$folder/copy-$profile-$name.hprof"
                told=$(java -cp "$peers/org-graalvm-visualvm-lib-jfluid-heap.jar" "$here/VisualVmReferences.java" \
                    "$folder/copy-$profile-$name.hprof" | grep -oE '"(class_)?references":[0-9]+' | sort | paste -sd,)
                own=$(count "$dump" | grep -oE '"(class_)?references": [0-9]+' | tr -d ' ' | sort | paste -sd,)
                [ "$told" = "$own" ] && echo "visualvm, references: right, $told" || echo "visualvm: $told for $own WRONG"
            fi
        } >>"$folder/readers"
    done
done
echo
cat "$folder/readers"
! grep -q WRONG "$folder/readers" || wrong=1

header "HPROF to PHD and classic text, and back"
for dump; do
    ! is_phd "$dump" || continue
    heaps=$(count "$dump" | sed -nE 's/.*"format": "hprof, ([0-9]+) heaps".*/\1/p')
    for heap in $(seq 0 $((${heaps:-1} - 1))); do
        name="$(basename "$dump")${heaps:+, heap $heap}"
        for writer in phd4/j9-2.3 phd4/sovereign phd5/j9-2.4 phd5/j9-2.6 phd6/openj9 phd6/jdmpview phd6/any \
            classic/openj9 classic/ibm-j9 classic/jdmpview classic/any; do
            format=${writer%/*} profile=${writer#*/} out=$folder/out.dump back=$folder/back.hprof
            converted "$dump" "$out" --to $format --profile $profile --heap $heap || continue
            # Versions 5 and 6 have lengths of arrays.
            exact=""
            [ $format = phd5 ] || [ $format = phd6 ] && exact="--exact classes,elements"
            row "$name" $writer "$dump" "$out" "--heap $heap $exact" "--heap $heap" $profile
            converted "$out" "$back" --to hprof || continue
            row "$writer of it" hprof/hotspot-25 "$out" "$back" "" "" hotspot-25
        done
    done
done

tool() { # name, source, result: what check-conversion and changes.py say, and whether they count the same
    local code=0
    "$HEAPSMITH" check-conversion "$2" "$3" --json >"$folder/verdict.json" 2>/dev/null || code=$?
    if [ $code -eq 2 ] || [ ! -s "$folder/verdict.json" ]; then
        echo "$1: $(judged "$2" "$3" | cut -c1-160)"
        python3 "$here/changes.py" "$2" "$3" | sed 's/^/    bytes: /'
    else
        echo "$1: $(judged "$2" "$3")"
        python3 "$here/changes.py" "$2" "$3" "$folder/verdict.json" >"$folder/changes" || wrong=1
        sed 's/^/    bytes: /' "$folder/changes"
    fi
}

printf '\n## Other converters\n\n'
conv=${HPROF_CONV:-$(command -v hprof-conv || true)}
if [ -n "$conv" ]; then
    for seed in 1 3 4 6; do
        "$HEAPSMITH" generate --format hprof --profile art --library android --word 32 --objects 20 --seed $seed -o "$folder/art.hprof" --force \
            >/dev/null 2>&1
        "$conv" "$folder/art.hprof" "$folder/conv.hprof" && tool "hprof-conv, seed $seed" "$folder/art.hprof" "$folder/conv.hprof"
    done
else
    echo "skipped: hprof-conv: not found, and HPROF_CONV is not set"
fi
analyzer=$peers/bin/hprof-analyzer
if [ -x "$analyzer" ]; then
    for dump; do
        # Of several heaps only one could be compared.
        case $(count "$dump") in *'"format": "hprof",'*) ;; *) continue ;; esac
        for mode in "" --complete; do
            "$analyzer" redact $mode "$dump" "$folder/redacted$mode.hprof" >/dev/null 2>&1 || { echo "failed: $mode"; continue; }
            tool "hprof-analyzer redact${mode:+ $mode}, $(basename "$dump")" "$dump" "$folder/redacted$mode.hprof"
            rm -f "$folder/redacted$mode.hprof"
        done
    done
else
    echo "skipped: hprof-analyzer: no $analyzer"
fi
echo
[ $wrong -eq 0 ] && echo "everything was counted right" || echo "WRONG: see above"
exit $wrong
