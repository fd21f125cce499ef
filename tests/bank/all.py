#!/usr/bin/env python3
"""Runs `heapsmith check` over each bug of the bank: the corpus and 200 random dumps. Writes figures.toml.

    tests/bank/all.py [--heapsmith PATH] [ID ...]

With ids, only these bugs are run, and the figures of the others stay. A full adapter without a bug has to pass
everything first. It takes about ten minutes of processor time.
"""
import argparse
import ast
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).parent
ADAPTERS = HERE.parents[1] / "examples" / "adapters" / "full"
FORMATS = ["hprof", "phd", "classic", "answers"]
# Analysers are over the adapter for HPROF.
ADAPTER_OF = {"answers": "hprof_answers"}
FORMAT_OF = {"answers": "hprof"}
RANDOM, SEED = 200, 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options, bugs = asked_for(arguments)
    figures = tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8"))
    figures = {id: found for id, found in figures.items() if id in bugs}
    for format in {bugs[id][0] for id in options.ids or bugs}:
        if found := failures(options.heapsmith, format, None):
            sys.exit(f"the full adapter for {format} fails {', '.join(sorted(found))}")
    for number, id in enumerate(ids := options.ids or sorted(bugs), 1):
        format, bug = bugs[id]
        figures[id] = of_failures(failures(options.heapsmith, format, bug))
        print(f"{number} of {len(ids)}: {id}: {figures[id]}", flush=True)
        write(figures, bugs)


def adapter_in(folder, format, bug):
    """The command of the full adapter for a format, copied to a folder with a bug, if there is one."""
    adapter = ADAPTER_OF.get(format, format)
    for source in ADAPTERS.glob("*.py"):
        text = source.read_text(encoding="utf-8")
        if bug and bug.get("file", f"{adapter}.py") == source.name:
            if text.count(bug["old"]) != 1:
                sys.exit(f"{bug['id']}: its old text does not stand once in {source.name}")
            text = text.replace(bug["old"], bug["new"])
            ast.parse(text)
        (pathlib.Path(folder) / source.name).write_text(text, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} -S -B {shlex.quote(f'{folder}/{adapter}.py')}"


def asked_for(arguments):
    """The options, and the bugs by id with their formats, of which the ids are some."""
    arguments.add_argument("--heapsmith", default="heapsmith")
    arguments.add_argument("ids", nargs="*")
    options = arguments.parse_args()
    bugs = {bug["id"]: (format, bug) for format in FORMATS
            for bug in tomllib.loads((HERE / f"{format}.toml").read_text(encoding="utf-8"))["bug"]}
    if unknown := set(options.ids) - set(bugs):
        sys.exit(f"there is no bug {', '.join(sorted(unknown))}")
    return options, bugs


def failures(heapsmith, format, bug):
    """The cases that find a bug: by id, the size of the dump and what is wrong of the answer."""
    with tempfile.TemporaryDirectory() as folder:
        adapter = adapter_in(folder, format, bug)
        level = ["--level", "counts"] if bug and "histogram" in bug else []
        command = [heapsmith, "check", "--json", "--adapter", adapter, "--format", FORMAT_OF.get(format, format),
                   "--random", str(RANDOM), "--seed", str(SEED), "--time-limit", "60", "--no-explain", *level]
        run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"{command}: exit code {run.returncode}")
    report = json.loads(run.stdout)
    sizes = {case["id"]: case["size"] for case in report["cases"]}
    results = {result["id"]: result["outcome"] for result in report["implementations"][0]["results"]}
    return {id: (sizes[id], outcome.get("fact", outcome["verdict"]))
            for id, outcome in results.items() if outcome["verdict"] not in ("pass", "skip")}


def of_failures(found):
    """How many cases find a bug, and the smallest of them."""
    corpus = {id: of for id, of in found.items() if not id.startswith("random-")}
    random = {id: of for id, of in found.items() if id.startswith("random-")}
    figures = {"cases": len(corpus), "random": len(random)}
    for key, cases in (("corpus", corpus), ("dump", random)):
        if cases:
            figures[key] = min(cases, key=lambda id: (cases[id][0], id))
            figures[f"{key}_wrong"] = cases[figures[key]][1]
    return figures


def write(figures, bugs):
    of_format = {format: [id for id in figures if bugs[id][0] == format] for format in FORMATS}
    lines = [
        "# Made by all.py. Of each bug: how many cases of the corpus find it and how many random dumps",
        f"# (--random {RANDOM} --seed {SEED}); the one with the smallest dump, and what is wrong of its answer.",
        "# A bug without `corpus` is one that no case of the corpus finds; the bug's `survives` has the reason.",
        "#",
        "# format   bugs  found by the corpus  by a random dump  by neither",
    ]
    for format, ids in of_format.items():
        corpus = sum("corpus" in figures[id] for id in ids)
        random = sum("dump" in figures[id] for id in ids)
        neither = sum(not {"corpus", "dump"} & set(figures[id]) for id in ids)
        lines.append(f"# {format:9}{len(ids):4}  {corpus:19}  {random:16}  {neither:10}")
    for id in sorted(figures):
        lines += ["", f"[{id}]", *(f"{key} = {json.dumps(value)}" for key, value in figures[id].items())]
    (HERE / "figures.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
