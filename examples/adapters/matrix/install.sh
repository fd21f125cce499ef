#!/usr/bin/env bash
# Fetches the Android library of Matrix with its HPROF library, and compiles the adapter, without root.
#
# usage: install.sh DIR
#
# The classes of the library go to DIR/matrix/VERSION/hproflib.jar and are left alone where they are there already; the
# adapter's go to DIR/matrix/classes. Needs mvn and unzip for the library, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1/matrix"
target=$(cd "$1/matrix" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

while read -r sum file; do
    version=${file%%/*}
    if [ ! -e "$target/$file" ]; then
        work=$(mktemp -d)
        mvn -q dependency:copy -Dartifact="com.tencent.matrix:matrix-resource-canary-android:$version:aar" \
            -DoutputDirectory="$work"
        unzip -q "$work"/*.aar classes.jar -d "$work"
        mkdir -p "$target/$version"
        mv "$work/classes.jar" "$target/$file"
        rm -r "$work"
    fi
    echo "$sum  $target/$file" | sha256sum -c --quiet
    echo "there: $file"
done < "$here/checksums.txt"
javac -d "$target/classes" -cp "$target/0.6.0/hproflib.jar" "$here/../templates/Adapter.java" "$here/MatrixAdapter.java"
echo "installed: matrix/classes"
