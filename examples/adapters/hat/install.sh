#!/usr/bin/env bash
# Fetches the sources of the JDK's test library and the classes of jhat, and compiles their adapter, without root.
#
# usage: install.sh DIR
#
# The test library comes out of Debian's source package openjdk-17, and goes to DIR/hat/17; jhat comes out of the package
# openjdk-8-jdk-headless of Debian's unstable distribution, and goes to DIR/hat/jhat-8. What is there already is left alone.
# The files themselves are checked, not the packages, which are replaced from time to time. Needs apt-get, dpkg, tar and
# unzip, entries for Debian among apt's sources, and javac from 17 on.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1/hat"
target=$(cd "$1/hat" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# apt-get with lists of its own, for the distribution that is named, sources included.
apt() {
    local suite=$1
    shift
    mkdir -p "$work/$suite/lists/partial" "$work/$suite/cache/archives/partial"
    if [ ! -e "$work/$suite/debian.sources" ]; then
        sed "s/^Types:.*/Types: deb deb-src/; s/^Suites:.*/Suites: $suite/" /etc/apt/sources.list.d/debian.sources |
            sed '/^$/,$d' > "$work/$suite/debian.sources"
        apt "$suite" update -qq
    fi
    apt-get -q -o "Dir::Etc::sourcelist=$work/$suite/debian.sources" -o Dir::Etc::sourceparts=/dev/null \
        -o "Dir::State::lists=$work/$suite/lists" -o "Dir::Cache=$work/$suite/cache" -o APT::Sandbox::User=root "$@"
}

if [ -e "$target/17/jdk" ]; then
    echo "there: hat/17"
else
    mkdir -p "$target/17" "$work/17"
    (cd "$work/17" && apt bookworm source --download-only openjdk-17 > /dev/null)
    tar -xf "$work"/17/openjdk-17_*.orig.tar.xz -C "$target/17" --strip-components=3 --wildcards \
        '*/test/lib/jdk/test/lib/hprof/*'
    echo "installed: hat/17"
fi
if [ -e "$target/jhat-8/hat" ]; then
    echo "there: hat/jhat-8"
else
    mkdir -p "$target/jhat-8/hat" "$work/8"
    (cd "$work/8" && apt sid download openjdk-8-jdk-headless > /dev/null)
    dpkg -x "$work"/8/openjdk-8-jdk-headless_*.deb "$work/8/deb"
    unzip -q "$work/8/deb/usr/lib/jvm/java-8-openjdk-amd64/lib/tools.jar" 'com/sun/tools/hat/internal/*' \
        -x 'com/sun/tools/hat/internal/server/*' 'com/sun/tools/hat/internal/oql/*' -d "$target/jhat-8/hat"
    echo "installed: hat/jhat-8"
fi
(cd "$target" && sha256sum -c --quiet "$here/checksums.txt")

mapfile -t sources < <(find "$target/17/jdk" -name '*.java')
javac -nowarn -d "$target/17/classes" "${sources[@]}" "$here/../templates/Adapter.java" "$here/HatAdapter.java"
# The packages of jhat have another name; what the adapter uses is the same in both.
sed 's/jdk\.test\.lib\.hprof\./com.sun.tools.hat.internal./' "$here/HatAdapter.java" > "$work/HatAdapter.java"
javac -d "$target/jhat-8/classes" -cp "$target/jhat-8/hat" "$here/../templates/Adapter.java" "$work/HatAdapter.java"
echo "installed: hat/17/classes, hat/jhat-8/classes"
