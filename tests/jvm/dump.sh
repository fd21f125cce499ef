#!/bin/sh
# Writes heap dumps of Zoo.java with the collectors, reference widths and
# writers that a JDK offers.
#
#   dump.sh OUTDIR [JAVA_HOME]
#
# Files: <major>-<gc>-<oops|nooops>-<kind>.hprof[.gz], each with a class
# histogram of the same moment in <same stem>.histogram.txt. The kinds:
#   all    jcmd GC.heap_dump -all
#   live   jcmd GC.heap_dump
#   gz     jcmd GC.heap_dump -gz=1
#   sa     jhsdb jmap --binaryheap
#   sagz   jhsdb jmap --binaryheap --gz=1
#
# The environment narrows the grid or lends tools to an image without them:
#   GCS="Serial G1"  OOPS="oops nooops"  KINDS="all live gz sa sagz"
#   JAVAC=...  JCMD=...  JHSDB=...
#
# jhsdb attaches as a debugger: it needs the same user and a permissive
# ptrace setting, or root.
set -u

if [ $# -lt 1 ]; then
    echo "usage: dump.sh OUTDIR [JAVA_HOME]" >&2
    exit 2
fi
out=$1
home=${2:-${JAVA_HOME:-}}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)

tool() { # name, override: the JDK's own tool, else one on the path, else nothing
    if [ -n "$2" ]; then
        echo "$2"
    elif [ -n "$home" ] && [ -x "$home/bin/$1" ]; then
        echo "$home/bin/$1"
    elif [ -z "$home" ] || [ "$1" = javac ]; then
        command -v "$1"
    fi
}
java=$(tool java "")
javac=$(tool javac "${JAVAC:-}")
jcmd=$(tool jcmd "${JCMD:-}")
jhsdb=$(tool jhsdb "${JHSDB:-}")
[ -n "$java" ] || { echo "no java found" >&2; exit 1; }
[ -n "$javac" ] || { echo "no javac found" >&2; exit 1; }
[ -n "$jcmd" ] || { echo "no jcmd found" >&2; exit 1; }
major=$("$java" -version 2>&1 | sed -n 's/^[^"]*version "\([0-9]*\).*/\1/p')
echo "java $major: $("$java" -version 2>&1 | tail -n 1)"

work=$(mktemp -d) || exit 1
zoo=
feeder=
stop() { # closing its standard input ends Zoo
    [ -n "$feeder" ] && kill "$feeder" 2>/dev/null
    feeder=
    [ -n "$zoo" ] && wait "$zoo" 2>/dev/null
    zoo=
}
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

"$javac" --release 11 -encoding UTF-8 -Xlint:-options -d "$work/classes" "$here/Zoo.java" || exit 1
mkfifo "$work/stdin" || exit 1

dump() { # kind, stem without it
    kind=$1
    file=$2-$1
    rm -f "$out/$file.hprof" "$out/$file.hprof.gz"
    log=$work/log
    histogram=$out/$file.histogram.txt
    # The first collection leaves work to the VM's own threads (cleaners, unloading), which the next one
    # would show as a difference between histogram and dump. It is done when collections change nothing more.
    if [ -z "$settled" ] && { [ "$kind" = live ] || [ "$kind" = gz ]; }; then
        before=
        tries=0
        until "$jcmd" "$zoo" GC.class_histogram > "$log" 2>&1; [ "$before" = "$(cat "$log")" ]; do
            before=$(cat "$log")
            tries=$((tries + 1))
            [ $tries -lt 120 ] || { echo "the heap of $2 never comes to rest"; break; }
            sleep 1
        done
        settled=yes
    fi
    case $kind in
        live | gz) "$jcmd" "$zoo" GC.class_histogram > "$histogram" 2>&1 ;;
        *) "$jcmd" "$zoo" GC.class_histogram -all > "$histogram" 2>&1 ;;
    esac
    case $kind in
        gz | sagz) name=$file.hprof.gz ;;
        *) name=$file.hprof ;;
    esac
    case $kind in
        all) "$jcmd" "$zoo" GC.heap_dump -all "$out/$name" > "$log" 2>&1 ;;
        live) "$jcmd" "$zoo" GC.heap_dump "$out/$name" > "$log" 2>&1 ;;
        gz) "$jcmd" "$zoo" GC.heap_dump -gz=1 "$out/$name" > "$log" 2>&1 ;;
        sa | sagz)
            if [ -z "$jhsdb" ]; then
                echo "no jhsdb" > "$log"
            elif [ "$kind" = sa ]; then
                "$jhsdb" jmap --binaryheap --dumpfile "$out/$name" --pid "$zoo" > "$log" 2>&1
            else
                "$jhsdb" jmap --binaryheap --gz=1 --dumpfile "$out/$name" --pid "$zoo" > "$log" 2>&1
            fi ;;
    esac
    # The tools report a failed dump with status 0 at times.
    if [ -s "$out/$name" ]; then
        echo "made $name $(wc -c < "$out/$name")"
    else
        echo "skip $name: $(grep -v '^[0-9]*:$' "$log" | head -n 1 | cut -c 1-200)"
        rm -f "$out/$name" "$histogram"
    fi
}

for gc in ${GCS:-Serial G1}; do
    for oops in ${OOPS:-oops nooops}; do
        flag=-XX:+UseCompressedOops
        [ "$oops" = nooops ] && flag=-XX:-UseCompressedOops
        rm -f "$work/stdout" "$work/stderr"
        touch "$work/stdout" "$work/stderr"
        settled=
        sleep 7200 > "$work/stdin" &
        feeder=$!
        "$java" "-XX:+Use${gc}GC" $flag -Xms64m -Xmx64m -cp "$work/classes" Zoo \
            < "$work/stdin" > "$work/stdout" 2> "$work/stderr" &
        zoo=$!
        waited=0
        until grep -q '^ready ' "$work/stdout" || [ $waited -ge 600 ] || ! kill -0 $zoo 2>/dev/null; do
            sleep 1
            waited=$((waited + 1))
        done
        run=$major-$(echo "$gc" | tr '[:upper:]' '[:lower:]')-$oops
        if grep -q '^ready ' "$work/stdout"; then
            for each in ${KINDS:-all live gz sa sagz}; do
                dump "$each" "$run"
            done
        else
            echo "skip $run: $(head -n 1 "$work/stderr")"
        fi
        stop
    done
done
