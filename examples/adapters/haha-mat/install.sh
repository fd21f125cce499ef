#!/usr/bin/env bash
# Fetches HAHA 1 and compiles the adapter for its Eclipse MAT, without root.
#
# usage: install.sh DIR
#
# The jars go to DIR/haha-mat/VERSION, and what is there already is left alone; the classes go to
# DIR/haha-mat/classes-VERSION. Needs Maven, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/haha-mat"
target=$(cd "$1/haha-mat" && pwd)

fetch() { # GROUP:NAME:VERSION FOLDER
    local name=${1#*:}
    local jar=${name/:/-}.jar
    if [ -e "$target/$2/$jar" ]; then
        echo "there: $2/$jar"
    else
        mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact="$1" \
            -DoutputDirectory="$target/$2"
        echo "installed: $2/$jar"
    fi
}

for version in 1.3 1.1; do
    fetch "com.squareup.haha:haha:$version" "$version"
done
(cd "$target" && sha256sum --check --quiet "$here/checksums.txt")
for version in 1.3 1.1; do
    javac -d "$target/classes-$version" -cp "$target/$version/*" "$here/../templates/Adapter.java" "$here"/*.java
    echo "installed: classes-$version"
done
