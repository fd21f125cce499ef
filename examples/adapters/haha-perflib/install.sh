#!/usr/bin/env bash
# Fetches HAHA 2 and compiles the adapter for its perflib, without root.
#
# usage: install.sh DIR
#
# The jars go to DIR/haha-perflib/VERSION, and what is there already is left alone; the classes go to
# DIR/haha-perflib/classes. Needs Maven, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/haha-perflib"
target=$(cd "$1/haha-perflib" && pwd)

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

for version in 2.0.4 2.0.3 2.0.2; do
    fetch "com.squareup.haha:haha:$version" "$version"
done
fetch org.jetbrains.trove4j:trove4j:20160824 2.0.4 # the others have it in them
(cd "$target" && sha256sum --check --quiet "$here/checksums.txt")
javac -d "$target/classes" -cp "$target/2.0.4/*" "$here/../templates/Adapter.java" "$here"/*.java
echo "installed: classes"
