#!/usr/bin/env bash
# Makes the packages of a release, and tries each one in a folder of its own.
#
#   packaging/package.sh [-o DIR] [STEP...]     # DIR: default dist; it is made, and packages of the same name are replaced
#
# steps, in this order; default: all
#   binary     the program without any library that it needs, checked with readelf
#   tar        that, licences, manual pages and completions as .tar.gz
#   wheel      a Python wheel with program and package    (maturin: pip install maturin)
#   library    the C library, those of engines and the header as .tar.gz (cc)
#   jar        the Java artifact with program and library (mvn, a JDK)
#   deb        a Debian package                           (cargo-deb: cargo install --locked cargo-deb; dpkg)
#   crate      what `cargo package` makes of the three crates, built from the packages alone
#   container  what packaging/Containerfile copies, in a root that has only that (unshare, chroot)
#
# wheel, jar, deb and container have the program of the step `binary`, jar the library of the step `library`. SHA256SUMS in DIR lists what was made.
# Needs Linux with glibc's static library (libc6-dev) and a toolchain of Rust. On another architecture than x86-64: TARGET
# names the target of Rust.
set -euo pipefail
cd "$(dirname "$0")/.."

out=dist
if [ "${1:-}" = -o ]; then out=$2; shift 2; fi
[ $# -gt 0 ] || set -- binary tar wheel library jar deb crate container
mkdir -p "$out"
out=$(cd "$out" && pwd)

target=${TARGET:-$(uname -m)-unknown-linux-gnu}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
commit=$(git rev-parse --short=12 HEAD)
name=heapsmith-$version-${target%%-*}-linux
program=target/$target/release/heapsmith
# Beside the program in its packages.
extra=target/packaging
try=$(mktemp -d)
# Where pyproject.toml looks for programs of the wheel.
scripts=bindings/python/data/scripts
trap 'rm -rf "$try"' EXIT

say() { printf '%s: %s\n' "$step" "$*"; }
fail() { say "$*" >&2; exit 1; }
kib() { printf '%s KiB' $(($(stat -c %s "$1") / 1024)); }

# A program that knows its commit, writes a dump and finds it valid. `$@` runs it; the working folder is empty.
works() {
  local told
  told=$("$@" --version)
  case $told in
    "heapsmith $version (commit $commit, generator "*) ;;
    *) fail "--version is $told, not one of $version and commit $commit" ;;
  esac
  "$@" generate --format hprof --seed 7 -o seven.hprof
  "$@" validate seven.hprof >/dev/null
  "$@" inspect --html seven.hprof -o seven.html
  say "$told"
}

binary() {
  # With --target, the flags concern the program alone, and not what runs while it is built.
  RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --locked --target "$target" --bin heapsmith
  if readelf --program-headers --dynamic "$program" | grep -E 'INTERP|\(NEEDED\)'; then fail "it needs a library"; fi
  if readelf --version-info "$program" | grep GLIBC_; then fail "it needs symbols of glibc"; fi
  mkdir "$try/binary"
  (cd "$try/binary" && works env -i "$OLDPWD/$program")
  say "static, $(kib "$program"); gzip -9: $(($(gzip -9 <"$program" | wc -c) / 1024)) KiB"
  rm -rf "$extra"
  mkdir -p "$extra/completions"
  "$program" man --force -o "$extra/man"
  "$program" completions bash >"$extra/completions/heapsmith.bash"
  "$program" completions zsh >"$extra/completions/_heapsmith"
  "$program" completions fish >"$extra/completions/heapsmith.fish"
}

# A folder of $extra as a .tar.gz: the same bytes for the same commit, without owners and with the commit's time.
archive() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" --mode=u=rwX,go=rX \
    -C "$extra" -cf - "$1" | gzip -9n >"$out/$1.tar.gz"
}

tar_gz() {
  local folder=$extra/$name
  rm -rf "$folder"
  mkdir "$folder"
  cp -r "$program" LICENSE-MIT LICENSE-APACHE README.md "$extra/man" "$extra/completions" "$folder"
  archive "$name"
  mkdir "$try/tar"
  tar xzf "$out/$name.tar.gz" -C "$try/tar"
  (cd "$try/tar" && works env -i "./$name/heapsmith")
  say "$name.tar.gz, $(kib "$out/$name.tar.gz")"
}

wheel() {
  rm -f "$out"/heapsmith-*.whl
  trap 'rm -rf "$try" "$scripts/heapsmith"' EXIT
  cp "$program" "$scripts/heapsmith"
  # An interpreter loads the extension, which cannot be static for that.
  maturin build --release --locked --target "$target" --out "$out" --quiet
  rm "$scripts/heapsmith"
  local made=("$out"/heapsmith-*.whl)
  python3 -m venv "$try/wheel"
  "$try/wheel/bin/pip" install --quiet --no-index --disable-pip-version-check "${made[0]}"
  mkdir "$try/wheel/empty"
  (cd "$try/wheel/empty" && works env -i "$try/wheel/bin/heapsmith" &&
    env -i "$try/wheel/bin/python" -c 'import heapsmith; assert heapsmith.validate(open("seven.hprof", "rb").read())["valid"]')
  "$try/wheel/bin/python" -m zipfile --list "${made[0]}" | grep -c 'licenses/LICENSE-' >"$try/licences"
  [ "$(cat "$try/licences")" = 2 ] || fail "it has not both licences"
  say "$(basename "${made[0]}"), $(kib "${made[0]}")"
}

library() {
  cargo build --release --locked --target "$target" -p heapsmith-capi --examples
  local folder=$extra/$name-library made=target/$target/release/examples file
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "$made"/libheapsmith.{a,so} "$made/libheapsmith_libfuzzer.a" "$made/libheapsmith_afl.so" crates/capi/include/heapsmith.h \
    LICENSE-MIT LICENSE-APACHE "$folder"
  for file in "$folder"/*.a "$folder"/*.so; do strip --strip-debug "$file"; done
  archive "$name-library"
  mkdir "$try/library"
  tar xzf "$out/$name-library.tar.gz" -C "$try/library"
  printf '%s\n' '#include <heapsmith.h>' 'int main(void) { return heapsmith_abi_version() != HEAPSMITH_ABI_VERSION; }' >"$try/library/try.c"
  (cd "$try/library" && cc -I "$name-library" try.c "$name-library/libheapsmith.a" -lpthread -ldl -lm -lgcc_s -o static && ./static &&
    cc -I "$name-library" try.c -L "$name-library" -lheapsmith -o shared && LD_LIBRARY_PATH=$name-library ./shared)
  say "$name-library.tar.gz, $(kib "$out/$name-library.tar.gz")"
}

jar() {
  rm -f "$out"/heapsmith-*.jar
  local natives=$extra/natives
  rm -rf "$natives" && mkdir -p "$natives"
  cp "$program" "$extra/$name-library/libheapsmith.so" "$natives"
  mvn --batch-mode --quiet -f bindings/java clean verify "-Dheapsmith.native=$PWD/$natives"
  cp "bindings/java/target/heapsmith-$version.jar" "$out"
  say "heapsmith-$version.jar, $(kib "$out/heapsmith-$version.jar"); its tests pass"
}

deb() {
  rm -f "$out"/heapsmith_*.deb
  cargo deb --no-build --no-strip --target "$target" --output "$out" --quiet >/dev/null
  local made=("$out"/heapsmith_*.deb)
  dpkg-deb --contents "${made[0]}" >"$try/contents"
  for file in usr/bin/heapsmith usr/share/man/man1/heapsmith-check.1.gz usr/share/bash-completion/completions/heapsmith \
    usr/share/zsh/vendor-completions/_heapsmith usr/share/fish/vendor_completions.d/heapsmith.fish \
    usr/share/doc/heapsmith/copyright usr/share/doc/heapsmith/LICENSE-APACHE; do
    grep -q " \./$file\$" "$try/contents" || fail "it lacks $file"
  done
  # Installed by dpkg into a root of its own.
  mkdir -p "$try/deb/var/lib/dpkg/info" "$try/deb/var/lib/dpkg/updates" "$try/deb/empty"
  touch "$try/deb/var/lib/dpkg/status"
  dpkg --root="$try/deb" --force-not-root --force-script-chrootless --log=/dev/null --install "${made[0]}" >/dev/null
  (cd "$try/deb/empty" && works env -i "$try/deb/usr/bin/heapsmith")
  say "$(basename "${made[0]}"), $(kib "${made[0]}"), $(wc -l <"$try/contents") entries"
}

crate() {
  cargo package --locked --no-verify --quiet --workspace --exclude heapsmith-python
  local made=target/package/heapsmith-$version.crate part
  # Built from the packages alone: outside of the repository, in a folder of its own, where a patch takes the registry's place.
  mkdir "$try/crate"
  local patches=()
  for part in heapsmith heapsmith-core heapsmith-check; do
    cp "target/package/$part-$version.crate" "$out"
    tar xzf "target/package/$part-$version.crate" -C "$try/crate"
    [ "$part" = heapsmith ] || patches+=(--config "patch.crates-io.$part.path='$try/crate/$part-$version'")
  done
  (cd "$try/crate/heapsmith-$version" && CARGO_TARGET_DIR=$try/crate/target \
    cargo "${patches[@]}" install --quiet --path . --root "$try/crate/root")
  mkdir "$try/crate/empty"
  (cd "$try/crate/empty" && works "$try/crate/root/bin/heapsmith")
  say "heapsmith-$version.crate, $(kib "$made"), $(tar tzf "$made" | wc -l) files"
}

container() {
  local root=$try/container
  # What the Containerfile copies, and nothing else.
  mkdir -p "$root/work" "$root/tmp"
  cp "$program" "$root/heapsmith"
  # An engine gives it /proc and /dev, which `check` needs: so do namespaces of its own.
  mkdir "$root/proc" "$root/dev"
  local into=(unshare --pid --fork --mount --mount-proc="$root/proc")
  [ "$(id -u)" = 0 ] || into+=(--map-root-user)
  into+=(sh -c 'mount --rbind /dev "$0/dev" && exec env -i "$(PATH=$PATH:/usr/sbin command -v chroot)" "$0" /heapsmith "$@"' "$root")
  in_root() { "${into[@]}" "$@"; }
  (cd "$root" && works in_root)
  in_root check --adapter '/heapsmith adapter serve' --filter phd6-openj9-64 >"$try/checked"
  grep -q '^pass  *[1-9]' "$try/checked" || fail "check does not work in it"
  say "works in a root with nothing else, check as well"
}

for step in "$@"; do
  case $step in
    binary | wheel | library | jar | deb | crate | container) "$step" ;;
    tar) tar_gz ;;
    *) echo "no step $step; steps: binary tar wheel library jar deb crate container" >&2; exit 2 ;;
  esac
done
cd "$out"
find . -maxdepth 1 -type f -name 'heapsmith*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
