#!/usr/bin/env python3
"""Which mistakes of fresh/ does the corpus find? People who knew neither the corpus nor its list of mutants wrote them.

    tests/mutants/fresh.py --heapsmith target/release/heapsmith [--format phd] [--all-failures] [ID ...]

Puts the corpus to each of the full adapters with one mistake. Prints a table, by format and by what the mistake comes to, and the
mistakes that no case finds. With --all-failures the cases that find each one are printed, too.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "bank"))
import all as bank  # noqa: E402

FORMATS = ("hprof", "phd", "classic")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--heapsmith", default="heapsmith")
    arguments.add_argument("--format", choices=FORMATS, action="append")
    arguments.add_argument("--all-failures", action="store_true")
    arguments.add_argument("ids", nargs="*")
    options = arguments.parse_args()
    bugs = [(format, bug) for format in options.format or FORMATS
            for bug in tomllib.loads((HERE / "fresh" / f"{format}.toml").read_text(encoding="utf-8"))["bug"]
            if not options.ids or bug["id"] in options.ids]
    table = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found_by = pool.map(lambda of: failures(options, *of), bugs)
        for (format, bug), found in zip(bugs, found_by):
            for row in (bug["wrong"], "all"):
                right, count = table.get((format, row), (0, 0))
                table[format, row] = right + bool(found), count + 1
            if not found:
                print(f"not found: {bug['id']} ({bug['wrong']}): {bug['summary']}", flush=True)
            elif options.all_failures:
                print(f"{bug['id']}: {', '.join(found)}", flush=True)
    for (format, row), (right, count) in table.items():
        print(f"{format:8} {row:8} {right:3} of {count:3}  {100 * right / count:.0f} %")


def failures(options, format, bug):
    """The cases of the corpus that find a mistake; without --all-failures the first."""
    with tempfile.TemporaryDirectory() as folder:
        limit = [] if options.all_failures else ["--max-failures", "1"]
        command = [options.heapsmith, "check", "--json", "--adapter", bank.adapter_in(folder, format, bug), "--format", format,
                   "--time-limit", "60", "--no-explain", "--jobs", "1", *limit]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{command}: exit code {run.returncode}")
    results = json.loads(run.stdout)["implementations"][0]["results"]
    return [result["id"] for result in results if result["outcome"]["verdict"] not in ("pass", "skip")]


if __name__ == "__main__":
    main()
