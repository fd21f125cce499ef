#!/usr/bin/env python3
"""Follows the pages for four readers word for word, each in an empty folder, with a released program.

    packaging/readers.py heapsmith-0.1.0-x86_64-linux/heapsmith

Runs every command of the README and of these pages that stands after a `$`, in order, writes the files that they show, and
prints how long the first command took, how long all took, and which exit codes are not those of the page.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
PAGES = ["README.md", "docs/parser.md", "docs/converter.md", "docs/tests.md", "docs/broken-dump.md"]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    wrong = 0
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            # The pages say that `heapsmith corpus bless` writes the folder `corpus`.
            subprocess.run(["heapsmith", "corpus", "bless", "corpus"], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL)
            times = []
            for kind, name, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
                if kind != "console":
                    if name:
                        (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
                    continue
                for command, code in commands(text):
                    start = time.monotonic()
                    ran = subprocess.run(command, shell=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE, text=True, check=False, executable="/bin/bash")
                    times.append(time.monotonic() - start)
                    if ran.returncode != code:
                        wrong += 1
                        print(f"{page}: {command}: exit code {ran.returncode}, not {code}: {ran.stderr.strip()[:200]}")
            print(f"{page}: {len(times)} commands, the first {times[0]:.1f} s, all {sum(times):.1f} s")
    sys.exit(wrong > 0)


def commands(text):
    """The commands of a block, each with its exit code, which stands in the next line where it is not 0."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        # Cargo builds the program; a reader of a release has it.
        if line.startswith("$ ") and not line.startswith("$ cargo"):
            after = re.match(r"\? (\d+)", lines[number + 1]) if number + 1 < len(lines) else None
            yield line[2:], int(after[1]) if after else 0


if __name__ == "__main__":
    main()
