#!/usr/bin/env bash
# Does what README.md says under "The first failing test", word for word, in an empty folder, and compares what the tests print with
# README.md. The artifact is installed before (mvn install). The folder of the clone is found from this script.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
HEAPSMITH=$(cd "$here/../.." && pwd)
export HEAPSMITH
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cd "$project"

# Writes the blocks of a page that name a file; prints those of the section's commands.
awk '
    /^## / { section = $0 }
    /^```/ && inside { inside = 0; close(file); next }
    /^```/ && section == "## The first failing test" {
        inside = 1
        file = $2
        if (file == "" && $1 == "```sh") file = "commands"
        if (file == "" && $1 == "```text") file = "expected"
        if (match(file, ".*/")) system("mkdir -p " substr(file, 1, RLENGTH))
        next
    }
    inside && file != "" { print > file }
' "$here/README.md"

# A failing test is what the page shows.
if bash -e commands > output 2>&1; then
    cat output >&2
    echo "mvn test passes, and a failure was expected" >&2
    exit 1
fi
# The message of the first failure.
awk '/^[a-z0-9-]+ > / { inside = 1 } inside { sub(/[ \t]+$/, ""); print } inside && /^  repeat:/ { exit }' output > found
if ! diff expected found; then
    cat output >&2
    echo "README.md has another output than mvn test" >&2
    exit 1
fi
echo "the first failing test is that of README.md"
