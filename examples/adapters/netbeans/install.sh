#!/usr/bin/env bash
# Fetches the jars of the heap library of NetBeans' profiler and compiles its adapter, without root.
#
# usage: install.sh DIR
#
# The jars go to DIR/netbeans/VERSION, where what is there already is left alone, and are checked against checksums.txt; the
# classes go to DIR/netbeans/classes. Needs Maven for the jars, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1"
target=$(cd "$1" && pwd)/netbeans
here=$(cd "$(dirname "$0")" && pwd)

# fetch VERSION ARTIFACT...
fetch() {
    local version=$1 artifact parts
    shift
    for artifact; do
        IFS=: read -ra parts <<< "$artifact"
        if [ -e "$target/$version/${parts[1]}-${parts[2]}.jar" ]; then
            echo "there: netbeans/$version/${parts[1]}-${parts[2]}.jar"
        else
            mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=$artifact" \
                "-DoutputDirectory=$target/$version"
            echo "installed: netbeans/$version/${parts[1]}-${parts[2]}.jar"
        fi
    done
}

for version in RELEASE220 RELEASE110; do
    fetch "$version" "org.netbeans.modules:org-netbeans-lib-profiler:$version"
done
(cd "$target" && sha256sum --quiet -c "$here/checksums.txt")
javac -d "$target/classes" -cp "$target/RELEASE220/*" "$here/../templates/Adapter.java" "$here"/*.java
echo "installed: netbeans/classes"
