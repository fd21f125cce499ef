#!/usr/bin/env bash
# Fetches JOL's core library and compiles its adapter, without root.
#
# usage: install.sh DIR
#
# The jars go to DIR/jol/VERSION and are left alone where they are there already; the adapter's classes go to
# DIR/jol/classes. Needs mvn for the jars, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1/jol"
target=$(cd "$1/jol" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

while read -r sum file; do
    version=${file%%/*}
    if [ ! -e "$target/$file" ]; then
        mvn -q dependency:copy -Dartifact="org.openjdk.jol:jol-core:$version" -DoutputDirectory="$target/$version"
    fi
    echo "$sum  $target/$file" | sha256sum -c --quiet
    echo "there: $file"
done < "$here/checksums.txt"
javac -d "$target/classes" -cp "$target/0.17/jol-core-0.17.jar" "$here/../templates/Adapter.java" \
    "$here/JolAdapter.java"
echo "installed: jol/classes"
