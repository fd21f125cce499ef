#!/usr/bin/env python3
"""Asks `heapsmith check --explain` about two ordinary parsers with mistakes, and grades its lines. Writes figures.toml.

    tests/bank/honest/run.py [--heapsmith PATH] [--format FORMAT] [--trials N] [--random N] [ID ...]
    tests/bank/honest/run.py --all [--heapsmith PATH] [--format FORMAT]

Each parser has five mistakes. For each bug, the parser with the five and the bug is asked about. With --all, one parser
has the five and ten bugs. README.md says how lines are graded. With ids, only these bugs are run, and the figures of the
others stay. Java needs javac. It takes half an hour of processor time.
"""
import argparse
import ast
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).parent
TEMPLATES = HERE.parents[2] / "examples" / "adapters" / "templates"
# Of each format: the parser, and the template that serves the protocol for it.
PARSERS = {"hprof": ("Hprof.java", "Adapter.java"), "phd": ("phd.py", "adapter.py")}
IN_ALL = 10
MOSTLY = 0.8


def main():
    options = asked_for()
    path = HERE / "figures.toml"
    figures = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for format in [options.format] if options.format else PARSERS:
        bank = tomllib.loads((HERE / f"{format}.toml").read_text(encoding="utf-8"))
        mistakes, bugs = ({defect["id"]: defect for defect in bank[kind]} for kind in ("mistake", "bug"))
        run = Run(options, format, mistakes, bugs)
        if failed := failures(run.results(set())):
            sys.exit(f"without its mistakes the parser of {format} fails {', '.join(sorted(failed))}")
        of_format = figures.setdefault(format, {})
        if options.all:
            of_format["all"] = together(run)
        else:
            one_by_one(run, options.ids, of_format, save=lambda: path.write_text(as_toml(figures), encoding="utf-8"))
        path.write_text(as_toml(figures), encoding="utf-8")


def asked_for():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--heapsmith", default="heapsmith")
    arguments.add_argument("--format", choices=PARSERS)
    arguments.add_argument("--trials", default="8000", help="dumps that --explain may make")
    arguments.add_argument("--random", default="0", help="random dumps besides the corpus")
    arguments.add_argument("--all", action="store_true", help="one parser with fifteen mistakes")
    arguments.add_argument("ids", nargs="*")
    return arguments.parse_args()


class Run:
    """One format: its parser, and what can be wrong with it."""

    def __init__(self, options, format, mistakes, bugs):
        self.options, self.format, self.mistakes, self.bugs = options, format, mistakes, bugs
        self.source = (HERE / PARSERS[format][0]).read_text(encoding="utf-8")
        # Programs before that option explain nothing unless they are asked to.
        help = subprocess.run([options.heapsmith, "check", "--help"], stdout=subprocess.PIPE, check=True).stdout
        self.plain = ["--no-explain"] if b"--no-explain" in help else []

    def check(self, defects, *arguments):
        """Asks the parser that has these defects alone. Gives the report."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.options.heapsmith, "check", "--json", "--adapter", self.build(folder, defects),
                       "--format", self.format, "--time-limit", "60", *arguments]
            if not any(argument.startswith("--dumps=") for argument in map(str, arguments)):
                command += ["--random", self.options.random, "--seed", "1"]
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f"{shlex.join(map(str, command))}: exit code {run.returncode}")
        return json.loads(run.stdout)

    def results(self, defects):
        """What the parser that has these defects answers to the corpus, by case."""
        (tested,) = self.check(defects, *self.plain)["implementations"]
        return {result["id"]: shown(result) for result in tested["results"]}

    def explained(self, defects):
        """The same and the lines of the report. A line's `owner` is the mistake that it is about, as its pair shows it."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report"
            self.check(defects, "--explain", self.options.trials, "--report", report)
            (tested,) = json.loads((report / "report.json").read_text(encoding="utf-8"))["implementations"]
            lines = tested.get("causes", [])
            dumps = {line["pair"]["fails"]["file"]: line for line in lines if line.get("pair")}
            now = self.of_dumps(defects, report, dumps)
            mended = {defect: self.of_dumps(defects - {defect}, report, dumps) for defect in sorted(defects)}
            for file, line in dumps.items():
                line["passing"] = [defect for defect in mended if file not in failures(mended[defect])]
                changing = [defect for defect in mended if mended[defect][file] != now[file]]
                # Without a mistake that is alone to blame, there can be one that comes before the others.
                line["owner"] = next((of[0] for of in (line["passing"], changing) if len(of) == 1), None)
        return {result["id"]: shown(result) for result in tested["results"]}, lines

    def of_dumps(self, defects, folder, files):
        """What the parser that has these defects answers to dumps in a folder, by file."""
        if not files:
            return {}
        report = self.check(defects, *self.plain, *(f"--dumps={folder / file}" for file in files))
        ids = {case["recipe"]: case["id"] for case in report["cases"]}
        (tested,) = report["implementations"]
        results = {result["id"]: shown(result) for result in tested["results"]}
        return {file: results[ids[str(folder / file)]] for file in files}

    def build(self, folder, defects):
        """Puts the parser into a folder. Gives the command that starts it."""
        text = self.source
        # The source has the five mistakes, and its bugs are changes to it.
        for bug in sorted(defects & self.bugs.keys()):
            text = changed(text, self.bugs[bug])
        for mistake in self.mistakes.keys() - defects:
            text = changed(text, self.mistakes[mistake])
        folder, (parser, template) = pathlib.Path(folder), PARSERS[self.format]
        (folder / parser).write_text(text, encoding="utf-8")
        (folder / template).write_bytes((TEMPLATES / template).read_bytes())
        if parser.endswith(".py"):
            ast.parse(text)
            return shlex.join([sys.executable, "-S", "-B", str(folder / parser)])
        subprocess.run(["javac", "-d", folder, folder / template, folder / parser], check=True)
        # Most runs are so short that the time goes into the start of the virtual machine.
        name = pathlib.Path(parser).stem
        return shlex.join(["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(folder), name])


def changed(text, defect):
    if text.count(defect["old"]) != 1:
        sys.exit(f"{defect['id']}: its old text does not stand once in the parser")
    return text.replace(defect["old"], defect["new"])


def shown(result):
    """What the answer to a case shows, which is the same in each run of the same parser."""
    outcome = {key: value for key, value in result["outcome"].items() if key != "count"}
    text = json.dumps([outcome, result.get("others", [])], sort_keys=True)
    # A bug may move the lines of a traceback.
    return outcome["verdict"], re.sub(r"(line |\.java:)\d+", r"\1", text)


def failures(results):
    return {id for id, (verdict, _) in results.items() if verdict not in ("pass", "skip")}


def effect(results, mended):
    """The cases that fail, and whose answers are others once a mistake is mended."""
    return {id for id in failures(results) if results[id] != mended[id]}


def one_by_one(run, ids, figures, save):
    """The parser with its five mistakes, and then with each bug besides."""
    if unknown := set(ids) - run.bugs.keys():
        sys.exit(f"{run.format} has no bug {', '.join(sorted(unknown))}")
    five = set(run.mistakes)
    base, lines = run.explained(five)
    print(f"{run.format}: {len(five)} mistakes, {len(failures(base))} failures, {len(lines)} lines")
    figures["mistakes"] = {id: graded(id, effect(base, run.results(five - {id})), lines) for id in run.mistakes}
    print_table(figures["mistakes"])
    of_bugs = {id: found for id, found in figures.get("bugs", {}).items() if id in run.bugs}
    for bug in ids or run.bugs:
        results, lines = run.explained(five | {bug})
        beside = sum(any(line.get("owner") == mistake for line in lines) for mistake in five)
        of_bugs[bug] = {**graded(bug, effect(results, base), lines), "beside": beside}
        print_table({bug: of_bugs[bug]})
        # In the order of the file, whichever were run.
        figures["bugs"] = {bug: of_bugs[bug] for bug in run.bugs if bug in of_bugs}
        save()


def graded(defect, own_cases, lines):
    """Whether a mistake has a line. Its own cases are those whose answers it changes; the line should have no others."""
    own = [line for line in lines if line.get("owner") == defect]
    best = max(own, key=lambda line: purity(line, own_cases), default=None)
    found = {"cases": len(own_cases), "grade": "none" if own_cases else "hidden", "lines": len(own),
             "pair": any(defect in line["passing"] for line in own)}
    if best is None:
        return {**found, "taken_by": [line["sentence"] for line in lines if own_cases & set(line["cases"])]}
    pure = purity(best, own_cases)
    return {**found, "grade": "own" if pure == 1 else "mostly" if pure >= MOSTLY else "mixed", **told(best)}


def purity(line, own_cases):
    return len(own_cases & set(line["cases"])) / len(line["cases"])


def told(line):
    rules = [rule for rule in [line.get("rule"), *line.get("other_rules", [])] if rule]
    return {"of_line": len(line["cases"]), "sentence": line["sentence"], "rules": rules}


def together(run):
    """A parser with the five mistakes, and the ten bugs that fail the fewest cases alone: others would hide these."""
    alone = {bug: len(failures(run.results({bug}))) for bug in run.bugs}
    defects = set(run.mistakes) | set(sorted(run.bugs, key=lambda bug: (alone[bug], bug))[:IN_ALL])
    results, lines = run.explained(defects)
    effects = {defect: effect(results, run.results(defects - {defect})) for defect in sorted(defects)}
    of_all = {defect: graded(defect, effects[defect], lines) for defect in sorted(defects)}
    found = [defect for defect in of_all if of_all[defect]["lines"]]
    print(f"{run.format}: {len(defects)} mistakes, {len(failures(results))} failures, {len(lines)} lines, "
          f"{len(found)} mistakes with a line")
    print_table(of_all)
    ownerless = [told(line) for line in lines if not line.get("owner")]
    for line in ownerless:
        print(f"  {'of none, or of several':30} {line['of_line']:4} cases  {line['sentence']}")
    return {"mistakes": len(defects), "failures": len(failures(results)), "lines": len(lines), "found": len(found),
            "without": sorted(defects - set(found)), "of_none": [line["sentence"] for line in ownerless],
            "each": {defect: {key: of_all[defect].get(key) for key in ("cases", "grade", "pair", "sentence")
                              if key in of_all[defect]} for defect in of_all}}


def print_table(graded):
    for id, found in graded.items():
        pair = "pair" if found["pair"] else ""
        print(f"  {id:24} {found['cases']:4} cases  {found['grade']:6}  {pair:4}  {found['lines']} lines  "
              f"{found.get('sentence', '; '.join(found.get('taken_by', [])))}")
        if found.get("rules"):
            print(f"  {'':24} {' '.join(found['rules'])}", flush=True)


def as_toml(figures):
    lines = ["# Made by run.py. README.md says what is counted."]
    for format, of_format in sorted(figures.items()):
        for kind in ("mistakes", "bugs"):
            for id, found in of_format.get(kind, {}).items():
                lines += ["", f"[{format}.{kind}.{id}]", *entries(found)]
        if all := dict(of_format.get("all", {})):
            each = all.pop("each")
            lines += ["", f"[{format}.all]", *entries(all)]
            for id, found in each.items():
                lines += ["", f"[{format}.all.each.{id}]", *entries(found)]
    return "\n".join(lines) + "\n"


def entries(table):
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()]


if __name__ == "__main__":
    main()
