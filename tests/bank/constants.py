#!/usr/bin/env python3
"""Do the causes depend on the constants of the experiments? Halves and doubles them all, and counts what explain.py counts.

    tests/bank/constants.py [--every N] [--target FOLDER] [--names NAME ...]

Builds heapsmith three times from copies of the sources: as it is, with the constants of crates/check/src/check/experiment/ halved, and
doubled; with --names, only these constants. Asks each about every Nth bug of the bank (4), and prints a line for each.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

import explain

ROOT = pathlib.Path(__file__).parents[2]
EXPERIMENT = "crates/check/src/check/experiment"
CONSTANT = re.compile(r"^((?:pub\(in [a-z:]+\) )?const ([A-Z_]+): (?:usize|u64|u32) = )([^;]+);", re.MULTILINE)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--every", type=int, default=4)
    arguments.add_argument("--target", help="a folder for what is built, so that it need not be built from nothing again")
    arguments.add_argument("--names", nargs="*", default=[])
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "heapsmith"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("target", ".git", "node_modules"))
        for label, scaled in [("as they are", "{}"), ("half", "({}) / 2"), ("double", "({}) * 2")]:
            compare(copy, label, scaled, options)


def compare(copy, label, scaled, options):
    """Prints what is found with the constants scaled in a copy of the sources."""
    files = sorted((copy / EXPERIMENT).glob("*.rs"))
    before = {file: file.read_text(encoding="utf-8") for file in files}
    changed = sum(scale(file, scaled, options.names) for file in files)
    target = pathlib.Path(options.target or copy / "target").absolute()
    subprocess.run(["cargo", "build", "--quiet"], cwd=copy, env={**os.environ, "CARGO_TARGET_DIR": str(target)}, check=True)
    for file, text in before.items():
        file.write_text(text, encoding="utf-8")
    (copy / "tests/bank/explained.toml").unlink(missing_ok=True)
    program = shutil.copy(target / "debug/heapsmith", copy / "program")
    command = [sys.executable, copy / "tests/bank/explain.py", "--every", str(options.every), "--heapsmith", program]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    found = tomllib.loads((copy / "tests/bank/explained.toml").read_text(encoding="utf-8"))
    sizes = ", ".join(f"{format} {explain.median_size(found, format)}" for format in explain.FORMATS)
    one, first, three, pair = (sum(map(of, found.values())) for of in (
        lambda bug: bug["causes"] == 1, lambda bug: bug["rule"] == 1, lambda bug: 1 <= bug["rule"] <= 3, lambda bug: bug["pair"] > 0))
    print(f"{changed} constants {label}: of {len(found)} bugs {one} have one cause, {first} the rule first, "
          f"{three} among three, {pair} a pair; median bytes: {sizes}", flush=True)


def scale(file, scaled, names):
    """Scales the constants of a file. Gives their number."""
    text, count = file.read_text(encoding="utf-8"), 0

    def change(found):
        nonlocal count
        head, name, value = found.groups()
        if names and name not in names:
            return found[0]
        count += 1
        # A number of times is at least one.
        return f"{head}{scaled.format(value)};" if value != "1" or "/" not in scaled else found[0]

    file.write_text(CONSTANT.sub(change, text), encoding="utf-8")
    return count


main()
