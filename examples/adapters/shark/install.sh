#!/usr/bin/env bash
# Fetches Shark's jars, with those that they need, and compiles their adapter, without root.
#
# usage: install.sh DIR [VERSION...]
#
# The jars go to DIR/shark/VERSION, the classes to DIR/shark/classes-VERSION; jars that are there already are left alone.
# Without a VERSION all versions of checksums.txt are fetched. Needs Maven and javac from 17 on.
set -euo pipefail

[ $# -ge 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1/shark"
target=$(cd "$1/shark" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
[ $# -gt 0 ] || set -- 2.4 2.14 3.0-alpha-8

for version; do
    kotlin=1.3.72
    [ "$version" != 2.4 ] || kotlin=1.3.71
    [ "$version" != 3.0-alpha-8 ] || kotlin=1.8.21
    for artifact in com.squareup.leakcanary:{shark-hprof,shark-graph,shark-log}:"$version" \
        com.squareup.okio:okio:2.2.2 org.jetbrains.kotlin:kotlin-stdlib:"$kotlin"; do
        name=${artifact#*:}
        jar=$version/${name/:/-}.jar
        if [ -e "$target/$jar" ]; then
            echo "there: $jar"
        else
            mvn -q -B dependency:copy -Dartifact="$artifact" -DoutputDirectory="$target/$version"
            echo "installed: $jar"
        fi
        # A jar that is another one than was judged is no jar to run.
        (cd "$target" && grep " $jar\$" "$here/checksums.txt" | sha256sum --check --quiet)
    done
    library=$here/Library.java
    [ "$version" != 2.4 ] || library=$here/older/Library.java
    javac -d "$target/classes-$version" -cp "$target/$version/*" "$here/../templates/Adapter.java" "$library" \
        "$here"/{SharkAdapter,Records,Graph,Values}.java
    echo "installed: classes-$version"
done
