#!/usr/bin/env bash
# Makes a book of docs/, specs/ and what they lead to, with a page for each rule.
#
#   docs/book.sh [DIR]      # DIR/html/index.html; default: target/book
#
# Needs mdbook 0.4 or 0.5 (cargo install mdbook) and heapsmith on the path, or builds heapsmith.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-target/book}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
marker=$folder/.heapsmith-book
if [ ! -e "$marker" ] && [ -n "$(ls -A "$folder")" ]; then
  echo "$folder holds something that is not a book of this script; name a new folder" >&2
  exit 2
fi
touch "$marker"
command -v mdbook >/dev/null || { echo "mdbook is missing: cargo install mdbook" >&2; exit 2; }
heapsmith=$(command -v heapsmith) || { cargo build --release --quiet; heapsmith=$PWD/target/release/heapsmith; }

# Pages keep their places, so that links between them hold; so do other files to which they lead.
rm -rf "$folder/src" "$folder/html"
mkdir "$folder/src"
files=$(find README.md ARCHITECTURE.md CONTRIBUTING.md LICENSE-* Cargo.toml pyproject.toml corpus/*.* docs specs examples \
  bindings benches deploy packaging .github crates/core/src/recipe/aim.rs \
  crates/capi/include/heapsmith.h tests/README.md tests/*/*.md tests/generator tests/bank \
  tests/readings tests/mutants tests/user -type f -not -path '*/target/*' -not -name SUMMARY.md -not -name 'book.*' -not -name results.head.md)
tar cf - $files | tar xf - -C "$folder/src"

sed -i 's#\[docs/SUMMARY.md\](docs/SUMMARY.md)#The table of contents#' "$folder/src/README.md"

"$heapsmith" explain --book "$folder/src/rules"
# The contents are those of docs/SUMMARY.md, as seen from the folder above, and the pages of the rules.
{
  sed -e 's#](\.\./#](./#' -e 's#](\([^./]\)#](docs/\1#' docs/SUMMARY.md
  sed -e 's#](#](rules/#' -e 's#^#  #' "$folder/src/rules/SUMMARY.md"
} >"$folder/src/SUMMARY.md"
rm "$folder/src/rules/SUMMARY.md"
cp docs/book.toml docs/book.css "$folder"
mdbook build "$folder"
if command -v python3 >/dev/null; then python3 -B docs/book_links.py "$folder/html"; fi
