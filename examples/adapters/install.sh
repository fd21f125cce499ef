#!/usr/bin/env bash
# Fetches and builds the programs that the adapters here ask, and the adapters themselves, without root.
#
# usage: install.sh DIR [NAME]...
#
# NAME is one of rust, hprof-slurp, heaptrail, hprof-conv, writer and hprof-analyzer, or a folder here with an install.sh of its own;
# without names it takes all, and leaves alone what DIR has already. Programs go to DIR/bin, the classes of the writer to DIR/classes, and
# what a folder installs to DIR/NAME. Needs cargo; apt-get and dpkg for hprof-conv; javac for the writer; Maven for libraries in Java. What
# cannot be installed is told at the end of its line, and the others are installed all the same.

set -u

if [ $# -lt 1 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
mkdir -p "$1/bin" || exit 2
target=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
own=()
for folder in "$here"/*/install.sh; do
    own+=("$(basename "$(dirname "$folder")")")
done
[ $# -gt 0 ] || set -- rust hprof-slurp heaptrail hprof-conv writer "${own[@]}" hprof-analyzer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

adapters() {
    cargo build --release --locked --manifest-path "$here/rust/Cargo.toml" --target-dir "$work/rust" &&
        cp "$work/rust/release/jvm-hprof-adapter" "$work/rust/release/scrump-adapter" "$target/bin/"
}

published() { # name, version
    CARGO_TARGET_DIR=$work/$1 cargo install --locked --no-track --root "$target" "$1" --version "$2"
}

hprof_conv() {
    cd "$work" && apt-get download hprof-conv && dpkg -x hprof-conv_*.deb deb &&
        cp deb/usr/lib/android-sdk/platform-tools/hprof-conv "$target/bin/"
}

writer() {
    javac -d "$target/classes" "$here/programs/writers/HeapWriter.java"
}

failures=0
for name; do
    there=$target/bin/$name
    case $name in
        rust) there=$target/bin/jvm-hprof-adapter install=adapters ;;
        hprof-slurp) install="published hprof-slurp 0.10.0" ;;
        heaptrail) install="published heaptrail 1.4.3" ;;
        hprof-conv) install=hprof_conv ;;
        writer) there=$target/classes/HeapWriter.class install=writer ;;
        hprof-analyzer) install="published hprof-analyzer 0.3.2" ;;
        *)
            [ -e "$here/$name/install.sh" ] || { echo "$name is none of them: see the first lines of $0" >&2; exit 2; }
            # It leaves alone what is there, by itself.
            there=/nowhere install="$here/$name/install.sh $target"
            ;;
    esac
    SECONDS=0
    if [ -e "$there" ]; then
        echo "there: $name"
    elif ($install); then
        echo "installed: $name in $SECONDS s"
    else
        echo "not installed: $name"
        failures=$((failures + 1))
    fi
done
[ $failures -eq 0 ]
