#!/bin/bash
# Builds the fuzz target of fuzz/ as OSS-Fuzz asks for it: SRC has the clone (as SRC/heapsmith; else this file's own is taken), OUT
# gets the target and its seeds, and LIB_FUZZING_ENGINE names the engine. Needs cargo-fuzz, zip and a nightly compiler, or
# RUSTC_BOOTSTRAP=1. SANITIZER is address, or none.
#
# The first byte of an input chooses the property that is tested, so that one target has all of them; fuzz/README.md says how to run
# one alone.
set -eu
: "${OUT:?the folder for the target}"
root=${SRC:-/nowhere}/heapsmith
[ -d "$root/fuzz" ] || root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
# An engine that is a library takes the place of libFuzzer, which the crate brings with it otherwise.
if [ -f "${LIB_FUZZING_ENGINE:-}" ]; then
    export CUSTOM_LIBFUZZER_PATH=$LIB_FUZZING_ENGINE
fi
cargo fuzz build --release --sanitizer "${SANITIZER:-address}" any
mkdir -p "$OUT"
cp fuzz/target/*/release/any "$OUT/heapsmith_any"
rm -f "$OUT/heapsmith_any_seed_corpus.zip"
find corpus -type f -size -8k \( -name '*.phd' -o -name '*.hprof' -o -name '*.txt' \) -print |
    sort | zip -q -@ -j "$OUT/heapsmith_any_seed_corpus.zip"
printf '[libfuzzer]\nmax_len = 8192\n' >"$OUT/heapsmith_any.options"
