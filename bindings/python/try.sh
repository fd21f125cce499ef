#!/usr/bin/env bash
# Runs the example of README.md word for word, in an empty folder, and compares what it prints with the page.
#
#   bindings/python/try.sh WHEEL     # a wheel of this package; pip fetches pytest
#
# try.txt has what it printed last.
set -euo pipefail
wheel=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
try=$(mktemp -d)
trap 'rm -rf "$try"' EXIT
cd "$try"
cp "$wheel" .

# The blocks of the page's first section: files and commands as they come, and the text that is due.
python3 - "$here/README.md" <<'PYTHON'
import pathlib, re, sys
page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
section = page.partition("## The first failing test\n")[2].partition("\n## ")[0]
commands = ["set -e"]
for language, name, text in re.findall(r"(?ms)^```(\w+) ?(\S*)\n(.*?)^```$", section):
    if language == "sh":
        # That tests fail is the end of the example.
        commands += [f"echo '$ {line}'; {line}" for line in text.splitlines()]
    elif language == "text":
        pathlib.Path("due").write_text(text, encoding="utf-8")
    else:
        pathlib.Path(name).write_text(text, encoding="utf-8")
pathlib.Path("commands").write_text("\n".join(commands) + "\n", encoding="utf-8")
PYTHON

code=0
bash commands >told 2>&1 || code=$?
# Seconds are those of the machine, and the rest of the lines of progress is long.
sed -E '/^[.F]+ *\[ *[0-9]+%\]$/d; s/ in [0-9.]+s( \([0-9:]+\))?//' told | tee "$here/try.txt"
[ "$code" = 1 ] || { echo "try.sh: expected exit code 1, that of failed tests; found $code" >&2; exit 1; }
while IFS= read -r line; do
  grep -qxF -- "$line" told || { echo "try.sh: README.md has a line that was not printed: $line" >&2; exit 1; }
done <due
echo "try.sh: as the page says"
