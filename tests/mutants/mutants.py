#!/usr/bin/env python3
"""Which wrong decoders does the corpus find? Changes the full adapters, one place at a time, and puts the corpus to each.

    tests/mutants/mutants.py --heapsmith target/release/heapsmith [--format phd] [--sample N] [--survivors FILE]

operators.py has the changes. A mutant whose answers to all cases are those of the adapter without a change survives. Where
an answer differs, `heapsmith check` judges these cases: a mutant is found when one of them fails. Mutants that
cannot be told from the adapter are listed with the reason in equivalent.toml; where they are not found they are left out of
the score.

Prints a table: all mutants; those that read every dump of the corpus which the adapter reads and report wrong facts; and
those that are wrong for large values only. --sample takes every Nth mutant. Writes the survivors, one on a line.
"""
import argparse
import json
import multiprocessing
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import tomllib

import operators

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
ADAPTERS = ROOT / "examples" / "adapters" / "full"
FORMATS = ("phd", "hprof", "classic")
SECONDS, MEMORY, CONFIRMED_AT_ONCE = 20, 2 << 30, 8

# What mutants need that cut a text of a listing, or a field of a layout.
HELPERS = '''
def cut_text(text, length):
    if isinstance(text, dict):
        return {"bytes": text["bytes"][:2 * length]}
    return text if text is None else text[:length]


if "Fields" in globals() and hasattr(Fields, "field"):
    whole_field = Fields.field

    def cut_field(self, width):
        of, _, bits = str(width).partition("&")
        value = whole_field(self, of)
        return type(value)(value & (1 << int(bits)) - 1) if bits else value
    Fields.field = cut_field

'''


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--heapsmith", default="heapsmith")
    arguments.add_argument("--format", choices=FORMATS, action="append")
    arguments.add_argument("--sample", type=int, default=1, metavar="N")
    arguments.add_argument("--survivors", type=pathlib.Path)
    arguments.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = arguments.parse_args()
    known = tomllib.loads((HERE / "equivalent.toml").read_text())["equivalent"]
    known = [re.compile(entry.get("pattern") or re.escape(entry["mutant"])) for entry in known]
    manifest = json.loads((ROOT / "corpus" / "manifest.json").read_text())
    rows, survivors, unused = [], [], set(known)
    for format in options.format or FORMATS:
        cases = [(case["id"], case["file"], case.get("heap"), case["verdict"]) for case in
                 sorted(manifest["cases"], key=lambda case: case["size"]) if case["format"].rstrip("456") == format]
        answers(ADAPTERS, format, cases)  # once, for all processes to come
        found = []
        jobs = list(jobs_of(format, options.sample, cases, options.heapsmith))
        with multiprocessing.Pool(options.jobs, maxtasksperchild=1) as pool:
            for done, result in enumerate(pool.imap(tried, jobs, chunksize=1), 1):
                equivalent = [entry for entry in known if entry.fullmatch(result["mutant"])]
                unused -= set(equivalent)
                # One that is found is no equivalent, whatever the list says.
                if result["killed"] or not equivalent:
                    found.append(result)
                    if not result["killed"]:
                        survivors.append(result)
                if sys.stderr.isatty() or done % 200 == 0:
                    print(f"{format}: {done} of {len(jobs)}, {len(survivors)} survivors", file=sys.stderr, flush=True)
        silent = [result for result in found if result["silent"]]
        large = [result for result in found if result["operator"].startswith(operators.LARGE)]
        rows.append((format, *map(score, (found, silent, large))))
    print("format    all                  reads all, wrong     large values only")
    for row in rows:
        print(f"{row[0]:8}", *(f"{column:20}" for column in row[1:]))
    if options.sample == 1 and not options.format:
        for entry in unused:
            print(f"equivalent.toml has what no mutant is: {entry.pattern}")
    lines = "".join(f"{result['mutant']}\n" for result in survivors)
    if options.survivors:
        options.survivors.write_text(lines)


def score(results):
    killed = sum(result["killed"] for result in results)
    return f"{killed} of {len(results)}, {100 * killed / len(results):.1f} %" if results else "none"


def jobs_of(format, sample, cases, heapsmith):
    number = 0
    for file in (f"{format}.py", "protocol.py"):
        source = (ADAPTERS / file).read_text(encoding="utf-8")
        counts = {}
        for line, done, old, new, text in operators.mutants(source):
            # With the text of its line and not the number, which changes where other lines do.
            text_of_line = source.splitlines()[line - 1].strip() if line else ""
            place = f"{file}: {done}: {old} -> {new} | {text_of_line}"
            counts[place] = counts.get(place, 0) + 1
            if counts[place] > 1:
                place += f" ({counts[place]})"
            if number % sample == 0:
                yield format, file, text, place, done, line, cases, heapsmith
            number += 1


def tried(job):
    """What becomes of a mutant."""
    format, file, text, mutant, operator, line, cases, heapsmith = job
    head, main_part, rest = text.partition("if __name__ ==")
    text = head + HELPERS + main_part + rest
    result = {"mutant": mutant, "operator": operator, "line": line, "killed": False, "silent": True}
    with tempfile.TemporaryDirectory() as folder:
        for source in ADAPTERS.glob("*.py"):
            changed = text if source.name == file else source.read_text(encoding="utf-8")
            (pathlib.Path(folder) / source.name).write_text(changed, encoding="utf-8")
        right, found = answers(ADAPTERS, format, cases), answers(folder, format, cases)
        differing = [case[0] for case in cases if right.get(case[0]) != found.get(case[0])]
        # A mutant that ended without an answer to some cases has lost its place there.
        result["silent"] = all(found.get(id, ("lost",))[0] == "accept" for id, of in right.items() if of[0] == "accept")
        # Another verdict than the one that is right fails for certain; another listing is judged.
        result["killed"] = any(
            of == "valid" and found.get(id, ("lost",))[0] != "accept" or
            of == "invalid" and found.get(id, ("lost",))[0] != "reject" for id, _, _, of in cases)
        while differing and not result["killed"]:
            some, differing = differing[:CONFIRMED_AT_ONCE], differing[CONFIRMED_AT_ONCE:]
            result["killed"] = fails(heapsmith, folder, format, some)
    return result


RIGHT = {}


def answers(folder, format, cases):
    """The answers of an adapter to all cases, by id: its verdict, and for a listing the sum of its lines."""
    if folder == ADAPTERS and format in RIGHT:
        return RIGHT[format]
    script = [sys.executable, "-B", str(HERE / "answers.py"), str(folder), format, str(ROOT / "corpus")]
    lines = "".join(json.dumps(case) + "\n" for case in cases)

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        signal.alarm(4 * SECONDS)
    run = subprocess.run(script, input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
                         preexec_fn=bounded)
    found = {}
    for line in run.stdout.splitlines():
        try:
            id, *of = json.loads(line)
            found[id] = tuple(of)
        except ValueError:
            pass
    if folder == ADAPTERS:
        RIGHT[format] = found
    return found


def fails(heapsmith, folder, format, ids):
    command = [heapsmith, "check", "--json", "--adapter", f"python3 -B {shlex.quote(f'{folder}/{format}.py')}",
               "--format", format, "--time-limit", "5", "--memory-limit", "1024", "--jobs", "1", "--allow-skips"]
    for id in ids:
        command += ["--filter", id]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if run.returncode == 2:
        return True  # the adapter does not even say hello
    report = json.loads(run.stdout)
    outcomes = [result["outcome"]["verdict"] for result in report["implementations"][0]["results"]
                if result["id"] in ids]
    return any(verdict not in ("pass", "skip") for verdict in outcomes)


if __name__ == "__main__":
    main()
