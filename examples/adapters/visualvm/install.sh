#!/usr/bin/env bash
# Fetches the jar of VisualVM's heap library and compiles its adapter, without root.
#
# usage: install.sh DIR
#
# The jar goes to DIR/visualvm.jar, and is left alone where it is there already; the classes go to
# DIR/visualvm-classes. Needs apt-get and dpkg for the jar, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1"
target=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
jar=usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar

if [ -e "$target/visualvm.jar" ]; then
    echo "there: visualvm.jar"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    apt-get download visualvm
    dpkg -x visualvm_*.deb deb
    cp "deb/$jar" "$target/visualvm.jar"
    echo "installed: visualvm.jar"
fi
javac -d "$target/visualvm-classes" -cp "$target/visualvm.jar" "$here/../templates/Adapter.java" \
    "$here"/*.java
echo "installed: visualvm-classes"
