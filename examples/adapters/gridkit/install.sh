#!/usr/bin/env bash
# Fetches the jars of gridkit's heap library and compiles its adapter, without root.
#
# usage: install.sh DIR
#
# The jars go to DIR/gridkit/VERSION, where what is there already is left alone, and are checked against checksums.txt; the
# classes go to DIR/gridkit/classes. Needs Maven for the jars, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1"
target=$(cd "$1" && pwd)/gridkit
here=$(cd "$(dirname "$0")" && pwd)

# fetch VERSION ARTIFACT...
fetch() {
    local version=$1 artifact parts
    shift
    for artifact; do
        IFS=: read -ra parts <<< "$artifact"
        if [ -e "$target/$version/${parts[1]}-${parts[2]}.jar" ]; then
            echo "there: gridkit/$version/${parts[1]}-${parts[2]}.jar"
        else
            mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=$artifact" \
                "-DoutputDirectory=$target/$version"
            echo "installed: gridkit/$version/${parts[1]}-${parts[2]}.jar"
        fi
    done
}

for version in 0.16 0.10.1; do
    # gzrand reads compressed dumps.
    fetch "$version" "org.gridkit.jvmtool:hprof-heap:$version" org.gridkit.gzrand:gzrand:0.2
done
fetch 0.3.8 org.gridkit.jvmtool:hprof-heap:0.3.8
(cd "$target" && sha256sum --quiet -c "$here/checksums.txt")
javac -d "$target/classes" -cp "$target/0.16/*" "$here/../templates/Adapter.java" "$here"/*.java
echo "installed: gridkit/classes"
