#!/bin/sh
# Changes dumps of each format a million times (or $1 times) under AddressSanitizer. By hand: it takes minutes.
set -eu
cd "$(dirname "$0")/../../.."
cargo build --release -p heapsmith-capi --examples
program=$(mktemp)
trap 'rm -f "$program"' EXIT
cc -std=c11 -D_GNU_SOURCE -g -fsanitize=address -fno-omit-frame-pointer crates/capi/tests/c/million.c \
    "${CARGO_TARGET_DIR:-target}/release/examples/libheapsmith.a" -lpthread -ldl -lm -lgcc_s -o "$program"
"$program" "${1:-1000000}"
