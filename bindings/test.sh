#!/usr/bin/env bash
# The tests of the packages for Java and Python, over the libraries and the program of an earlier `cargo test`. Needs Maven with a JDK, and
# Python with venv.
set -euo pipefail
cd "$(dirname "$0")/.."
built=target/debug
natives=target/bindings/natives
mkdir -p "$natives"
# Without what a debugger needs, the jar is a tenth as large.
for file in heapsmith examples/libheapsmith.so; do strip --strip-debug -o "$natives/$(basename "$file")" "$built/$file"; done
mvn --batch-mode --quiet -f bindings/java verify javadoc:javadoc "-Dheapsmith.native=$PWD/$natives"

python=target/bindings/python
[ -x "$python/bin/python" ] || python3 -m venv "$python"
"$python/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' pytest mypy atheris
# shellcheck disable=SC1091
. "$python/bin/activate"
maturin develop --quiet
HEAPSMITH=$PWD/$built/heapsmith python -m pytest -q bindings/python/tests
