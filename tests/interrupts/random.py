#!/usr/bin/env python3
"""Interrupts every command at random moments, and looks at what is left.

usage: random.py HEAPSMITH [MOMENTS [SEED [WORDS]]]

HEAPSMITH is the program; MOMENTS, 20 if not given, are drawn for each command between its start and the end that it has
undisturbed, or 10 s of one that has none. With WORDS only commands whose words have these are interrupted. Signals are SIGINT,
SIGTERM and SIGHUP in turn. After each: the command is over within 2 s, with the exit code of the signal; no temporary file, no
half-written output (one that is there is complete), no process; and `check --report` has a report that says that it is
incomplete, if anything was answered. Prints a line for each command, with the longest time from a signal to the end; exit code 1
if anything was wrong.

2026-11-22, a release build on two x86-64 cores that were busy with the tests: 51 moments (3 for each command, seed 7), of
which 46 came before the end: nothing was left.

2026-11-29, a debug build on two x86-64 cores with a load of 20: 65 moments (2 or 3 for each of 30 commands, seed 7), of which 63
came before the end: nothing was left, and every report said that it was incomplete.

2026-11-29 and 30, release builds on two idle x86-64 cores (one of them with a compiler beside for a third of the time), 20 moments
for each command, seed 1: nothing was left, and every report said that it was incomplete. The longest times from a signal to the
end: `check` of a decoder 1.37 s, of a converter 1.73 s, of 200 random dumps 1.17 s, of an adapter 0.97 s; `reduce` 0.23 s, `fuzz` and
`check --large` 0.22 s, `check --among` 0.19 s, `--scaling` 0.11 s; all others stayed within the 2 s as well.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

heapsmith = os.path.abspath(sys.argv[1])
moments = int(sys.argv[2]) if len(sys.argv) > 2 else 20
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
words = sys.argv[4] if len(sys.argv) > 4 else ""
corpus = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../corpus"))

# The most seconds from a signal to the end, and of a command that does not end by itself.
PROMPT, ENDLESS = 2.0, 10.0

# Writes a line for each dump that it is asked about. The second argument says what it does: it accepts, or refuses with one message,
# or has another message each time, so that there are as many failures that look unlike as cases.
ADAPTER = """
import json, subprocess, sys
subprocess.Popen(["sleep", "1000"], start_new_session=True)
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], "status": "accept"}
    if request["op"] == "hello":
        answer = {"id": request["id"], "protocol": 1, "name": "any", "reads": ["phd", "hprof", "classic"]}
    elif sys.argv[2] == "refuse":
        answer |= {"status": "error", "message": "cannot read it"}
    elif sys.argv[2] == "other":
        path = request["path"].encode()
        answer |= {"status": "error", "message": f"cannot read {sum(path):x} of {len(path)} in {hash(path)}"}
    print(json.dumps(answer), flush=True)
    if request["op"] != "hello":
        with open(sys.argv[1], "a") as log:
            log.write("answered\\n")
"""


# Under nohup it would be ignored by every command, as it should be.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def run(arguments, folder, temporary, stdin=None):
    environment = os.environ | {"TMPDIR": temporary}
    return subprocess.Popen([heapsmith, *arguments], cwd=folder, env=environment, stdin=stdin or subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def files(folder):
    found = {}
    for at, folders, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def processes(temporary):
    """Processes that have this folder of temporary files in their environment."""
    left = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as environment:
                if any(one.startswith(b"TMPDIR=" + temporary.encode()) for one in environment.read().split(b"\0")):
                    left.append(name)
        except OSError:
            pass
    return left


def terabyte(path):
    """An HPROF of a terabyte, which takes no room: arrays of two gibibytes each."""
    length = 1 << 31
    with open(path, "wb") as file:
        file.write(b"JAVA PROFILE 1.0.2\0\0\0\0\x08" + bytes(8))
        at = file.tell()
        for number in range(1, 513):
            file.seek(at)
            file.write(b"\x1c" + bytes(4) + (length + 18).to_bytes(4, "big"))
            file.write(b"\x23" + (number << 32).to_bytes(8, "big") + bytes(4) + length.to_bytes(4, "big") + b"\x08")
            at = file.tell() + length
        file.truncate(at)


def answered(folder):
    """How often the adapter answered, and when it did last."""
    log = os.path.join(folder, "log")
    if not os.path.exists(log):
        return 0, None
    with open(log) as lines:
        return len(lines.readlines()), os.stat(log).st_mtime


def read_report(folder):
    """The report of a run; None where there is none."""
    path = os.path.join(folder, "report/report.json")
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return json.load(file)


def judged(report):
    """How many cases a report has, over all implementations."""
    return sum(len(tested["results"]) for tested in report["implementations"])


def wrong_report(folder, whole):
    """What is wrong with the report of an interrupted run. A signal that comes while the report is written finds nothing left to
    judge: it has the cases of the whole run then, as many as `whole`."""
    report = read_report(folder)
    if report is None:
        return ["no report"] if answered(folder)[0] > 1 else []
    is_whole = whole is not None and judged(report) == whole and all(t["causes"] for t in report["implementations"]
                                                                    if t["tally"].get("fail") or t["tally"].get("crash"))
    return [] if report.get("incomplete") or is_whole else ["a report that is not said to be incomplete"]


def main():
    base = tempfile.mkdtemp(prefix="interrupts-")
    samples = os.path.join(base, "samples")
    os.mkdir(samples)

    def sample(name):
        return os.path.join(samples, name)

    adapter, other, refusing = (f"python3 {sample('adapter.py')} log {how}" for how in ("accept", "other", "refuse"))
    made = [["generate", "--format", "phd6", "--objects", "100000", "--seed", "3", "-o", "a.phd"],
            ["generate", "--format", "phd6", "--objects", "3000", "--seed", "3", "-o", "small.phd"],
            ["decode", "a.phd", "-o", "a.jsonl"],
            ["convert", "a.phd", "-o", "a.hprof", "--to", "hprof"]]
    for arguments in made:
        assert run(arguments, samples, base).wait() == 0, arguments
    with open(sample("adapter.py"), "w") as script:
        script.write(ADAPTER)
    terabyte(sample("long.hprof"))
    report = ["--report", "report"]
    assert run(["check", "--adapter", other, "--filter", "phd6", *report], samples, base).wait() in (0, 1)
    assert run(["fuzz", "--adapter", other, "--state", "state", "--cases", "64", "--trials", "0"], samples,
               base).wait() in (0, 1)
    os.remove(sample("log"))
    dump, listing, hprof, small, long = (sample(name) for name in ("a.phd", "a.jsonl", "a.hprof", "small.phd",
                                                                  "long.hprof"))
    recipe = subprocess.run([heapsmith, "generate", "--format", "phd6", "--objects", "100000", "--print-recipe"],
                            capture_output=True, text=True, check=True).stdout.strip()
    # Words, standard input, and how it is interrupted: "late" after the last answer, "endless" where it does not end by itself.
    commands = [
        (["generate", "--format", "hprof", "--objects", "100000", "-o", "out"], None, ""),
        (["demo", "--objects", "20000"], None, ""),
        (["inspect", "-"], dump, ""),
        (["inspect", dump, "--html", "-o", "out"], None, ""),
        (["validate", "-"], dump, ""),
        (["validate", long], None, "endless"),
        (["verify", "-", "--recipe", recipe], dump, ""),
        (["decode", "-", "-o", "out"], dump, ""),
        (["decode", long, "-o", "out"], None, "endless"),
        (["encode", "-", "--format", "phd6", "-o", "out"], listing, ""),
        (["rewrite", "-", "-o", "out", "--through", "records"], dump, ""),
        (["rewrite", "-", "-o", "out", "--through", "heap"], dump, ""),
        (["convert", "-", "-o", "out", "--to", "classic"], hprof, ""),
        (["convert", long, "-o", "out", "--to", "phd6"], None, "endless"),
        (["check-conversion", "-", hprof], dump, ""),
        (["compare", "-", listing], dump, ""),
        (["compare", dump, hprof, "--up-to-renaming"], None, ""),
        (["compare", long, long], None, "endless"),
        (["digest", "-"], dump, ""),
        (["digest", long], None, "endless"),
        (["answers", "-", "--entries", "out"], hprof, ""),
        (["answers", long], None, "endless"),
        (["corrupt", "-", "--edit", "cut-in-a-record", "-o", "out"], dump, ""),
        (["explain", "--book", "book"], None, ""),
        (["spec", "coverage"], None, ""),
        (["facets"], None, ""),
        (["schema", "check"], None, ""),
        (["man", "-o", "pages"], None, ""),
        (["corpus", "bless", "corpus"], None, ""),
        (["corpus", "verify", corpus], None, ""),
        (["corpus", "export", "-o", "exported"], None, ""),
        (["corpus", "list"], None, ""),
        (["check", "--adapter", adapter, *report], None, ""),
        (["check", "--decoder", "sh -c 'sleep 0.01; exit 1' {}", *report, "--jobs", "4"], None, ""),
        (["check", "--adapter", adapter, "--adapter", other, "--among", "--filter", "phd6", *report], None,
         ""),
        (["check", "--converter", "cp {in} {out}", "--to", "phd6", *report], None, ""),
        (["check", "--adapter", other, "--random", "200", "--filter", "random", *report], None, "late"),
        (["check", "--adapter", other, "--filter", "phd6", "--reduce", *report], None, ""),
        (["check", "--adapter", adapter, "--dumps", long, *report], None, "endless"),
        (["check", "--converter", "cp {in} {out}", "--to", "hprof", "--dumps", long, *report], None, "endless"),
        (["check", "--adapter", adapter, "--large", *report], None, "endless"),
        (["check", "--adapter", adapter, "--scaling", "--scaling-size", "1"], None, ""),
        (["fuzz", "--adapter", other, "--state", "state"], None, "endless"),
        (["fuzz", "report", sample("state"), *report], None, ""),
        (["fuzz", "status", sample("state")], None, ""),
        (["reduce", small, "--adapter", refusing, "-o", "out", "--force"], None, ""),
        (["reduce", small, "--test", "test -s {}", "-o", "out", "--force"], None, ""),
        (["merge", sample("report/report.json"), *report], None, ""),
        (["report", "diff", sample("report/report.json"), sample("report/report.json")], None, ""),
        (["adapter", "test", adapter], None, ""),
        (["adapter", "new", "python", "written"], None, ""),
    ]
    wrong = all_interrupted = all_moments = 0
    for arguments, stdin, how in commands:
        if words not in " ".join(arguments):
            continue

        def once(pause, limit=None, whole=None):
            folder, temporary = (tempfile.mkdtemp(dir=base) for _ in range(2))
            if arguments[0] == "reduce":
                shutil.copy(small, os.path.join(folder, "out"))
            source = open(stdin, "rb") if stdin else None
            started = time.monotonic()
            process = run(arguments, folder, temporary, source)
            number, sent = None, None
            if pause is not None:
                time.sleep(pause)
                number, sent = next(signals), time.monotonic()
                process.send_signal(number)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                code = process.wait()
                time.sleep(1)
            ended = time.monotonic()
            last = answered(folder)[1]
            late = None if last is None else last - time.time() + ended - started
            has_report = "--report" in arguments and "check" in arguments
            report_faults = wrong_report(folder, whole) if has_report and pause is not None else []
            report = read_report(folder) if has_report and pause is None else None
            left, temporaries, running = files(folder), os.listdir(temporary), processes(temporary)
            shutil.rmtree(folder)
            shutil.rmtree(temporary)
            return (code, ended - started, ended - (sent or ended), left, temporaries, running, number, late, report_faults,
                    report and judged(report))

        signals = iter([signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * moments)
        is_endless = how == "endless"
        code, took, _, whole, _, _, _, late, _, cases = once(None, ENDLESS if is_endless else None)
        if not is_endless and code not in (0, 1):
            print(f"{' '.join(arguments)[:70]}: exit code {code} undisturbed")
            wrong += 1
            continue
        interrupted, longest, faults = 0, 0.0, []
        for _ in range(moments):
            moment = draw.uniform(late or 0 if how == "late" else 0, took)
            code, _, after, left, temporaries, running, number, _, report_faults, _ = once(moment, 60, cases)
            # A signal may come before the program can handle it: then there is nothing to tidy.
            is_interrupted = code in (128 + number, -number)
            interrupted += is_interrupted
            longest = max(longest, after if is_interrupted else 0)
            # A report differs by its times, and by how much was judged; a campaign goes on; a dump may be smaller.
            parts = ("report/", "state/", "log") + (("out",) if arguments[0] == "reduce" else ())
            found = [name for name, content in left.items()
                     if not name.startswith(parts) and whole.get(name) != content]
            if is_interrupted:
                found += report_faults
            if code < 0 and code != -number or not is_interrupted and is_endless:
                found.append("another exit code")
            if is_interrupted and after > PROMPT:
                found.append(f"over after {after:.1f} s")
            if found or temporaries or running:
                faults.append(f"{number.name} after {moment:.3f} s, exit code {code}: {found} {temporaries} {running}")
        shown = " ".join(arguments).replace(samples + "/", "")[:70]
        print(f"{shown:<72}{took:6.2f} s  {interrupted}/{moments} interrupted, over within {longest:.2f} s  "
              f"{len(faults)} wrong", flush=True)
        for fault in faults[:5]:
            print(f"    {fault}")
        wrong += len(faults)
        all_interrupted, all_moments = all_interrupted + interrupted, all_moments + moments
    print(f"{all_moments} moments, {all_interrupted} before the end: {wrong} wrong")
    shutil.rmtree(base)
    return 1 if wrong else 0


sys.exit(main())
