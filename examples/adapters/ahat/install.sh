#!/usr/bin/env bash
# Fetches the sources of ahat and compiles them with its adapter, without root.
#
# usage: install.sh DIR
#
# Version 14 comes out of the source package android-platform-art of Debian's unstable distribution, version 11 out of that of
# Debian 12. They go to DIR/ahat/14 and DIR/ahat/11; what is there already is left alone. The files themselves are checked, not
# the packages, which are replaced from time to time. Needs apt-get and tar, entries for Debian among apt's sources, and
# javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1/ahat"
target=$(cd "$1/ahat" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# apt-get with lists of its own, for the distribution that is named, sources included.
apt() {
    local suite=$1
    shift
    mkdir -p "$work/$suite/lists/partial" "$work/$suite/cache/archives/partial"
    if [ ! -e "$work/$suite/debian.sources" ]; then
        sed "s/^Types:.*/Types: deb-src/; s/^Suites:.*/Suites: $suite/" /etc/apt/sources.list.d/debian.sources |
            sed '/^$/,$d' > "$work/$suite/debian.sources"
        apt "$suite" update -qq
    fi
    apt-get -q -o "Dir::Etc::sourcelist=$work/$suite/debian.sources" -o Dir::Etc::sourceparts=/dev/null \
        -o "Dir::State::lists=$work/$suite/lists" -o "Dir::Cache=$work/$suite/cache" -o APT::Sandbox::User=root "$@"
}

for version in 14:sid 11:bookworm; do
    suite=${version#*:}
    version=${version%:*}
    if [ -e "$target/$version/com" ]; then
        echo "there: ahat/$version"
    else
        mkdir -p "$work/$version/tree" "$target/$version"
        (cd "$work/$version" && apt "$suite" source --download-only android-platform-art > /dev/null)
        tar -xf "$work/$version"/android-platform-art_*.orig.tar.xz -C "$work/$version/tree" --wildcards '*tools/ahat/src/main/*'
        main=$(find "$work/$version/tree" -type d -path '*tools/ahat/src/main' | head -n 1)
        mkdir -p "$target/$version/com/android/ahat"
        # What reads dumps, without what shows them.
        for part in heapdump dominators progress proguard; do
            cp -r "$main/com/android/ahat/$part" "$target/$version/com/android/ahat/"
        done
        echo "installed: ahat/$version"
    fi
done
(cd "$target" && sha256sum -c --quiet "$here/checksums.txt")

for version in 14 11; do
    mapfile -t sources < <(find "$target/$version/com" -name '*.java')
    javac -nowarn -Xlint:none -d "$target/$version/classes" "${sources[@]}" "$here/../templates/Adapter.java" \
        "$here/AhatAdapter.java"
done
echo "installed: ahat/14/classes, ahat/11/classes"
