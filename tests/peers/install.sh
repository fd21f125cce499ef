#!/usr/bin/env bash
# Fetches and builds the readers that run.sh asks, all inside PEERS_DIR and without root.
#
# usage: install.sh PEERS_DIR [jvm-hprof|hprof-slurp|hprof-analyzer|visualvm|contents]...
#
# Without names it takes the first four. hprof-analyzer is the dear one: see README.md for the times. Needs cargo,
# and apt-get and dpkg for VisualVM; where one is missing the others are still installed. `contents` is what
# contents/contents.py asks, Shark and more of VisualVM, and needs mvn, too.

set -u

if [ $# -lt 1 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- jvm-hprof hprof-slurp visualvm hprof-analyzer

adapter() {
    cargo build --release --locked --manifest-path "$here/jvm-hprof/Cargo.toml" --target-dir "$peers/.build" &&
        cp "$peers/.build/release/peer-jvm-hprof" "$peers/bin/"
}

published() { # name, version, more options...
    local name=$1 version=$2
    shift 2
    CARGO_TARGET_DIR=$peers/.build cargo install --locked --root "$peers" "$@" "$name" --version "$version"
}

visualvm() {
    local jar=usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar
    mkdir -p "$peers/.build/deb" && cd "$peers/.build/deb" && rm -f visualvm_*.deb &&
        apt-get download visualvm && dpkg -x visualvm_*.deb . && cp "$jar" "$peers/"
}

contents() {
    local jars=$peers/.build/contents/jars modules=usr/share/visualvm/visualvm/modules
    rm -rf "$peers/.build/contents" && mkdir -p "$jars" && cd "$peers/.build/contents" &&
        apt-get download visualvm libnb-org-openide-util-java libnb-org-openide-util-lookup-java || return 1
    for package in *.deb; do
        dpkg -x "$package" . || return 1
    done
    cp $modules/org-graalvm-visualvm-lib-{jfluid-heap,profiler-heapwalker}.jar usr/share/java/*.jar "$jars/" &&
        mvn -q -B -f "$here/contents/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars" &&
        rm -rf "$peers/contents" && mv "$jars" "$peers/contents"
}

failures=0
for peer; do
    SECONDS=0
    case $peer in
        jvm-hprof) (adapter) ;;
        hprof-slurp) (published hprof-slurp 0.10.0) ;;
        hprof-analyzer) (published hprof-analyzer 0.3.2) ;;
        visualvm) (visualvm) ;;
        contents) (contents) ;;
        *) echo "$peer is none of the five" >&2; exit 2 ;;
    esac
    if [ $? -eq 0 ]; then
        echo "installed: $peer in $SECONDS s"
    else
        echo "not installed: $peer"
        failures=$((failures + 1))
    fi
done
rm -rf "$peers/.build"
[ $failures -eq 0 ]
