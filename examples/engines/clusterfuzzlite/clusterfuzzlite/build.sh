#!/bin/bash -eu
# Builds the harness for OSS-Fuzz and ClusterFuzzLite, which set SRC, OUT, CC, CXX, their flags and LIB_FUZZING_ENGINE.

# heapsmith is not instrumented: what is to be covered is the parser.
(
  cd "$SRC/heapsmith"
  unset CFLAGS CXXFLAGS RUSTFLAGS
  cargo build --release --locked
  cargo build --release --locked -p heapsmith-capi --examples
)
built=$SRC/heapsmith/target/release

$CC $CFLAGS -c harness.c -o harness.o
$CXX $CXXFLAGS harness.o $LIB_FUZZING_ENGINE "$built/examples/libheapsmith_libfuzzer.a" -lpthread -ldl -lm -o "$OUT/parse"

"$built/heapsmith" corpus dictionary --format hprof > "$OUT/parse.dict"
seeds=$(mktemp -d)
"$built/heapsmith" corpus export -o "$seeds/cases" --format hprof --tag golden
(cd "$seeds/cases/dumps" && zip -qr "$OUT/parse_seed_corpus.zip" .)
rm -r "$seeds"
