#!/usr/bin/env python3
"""Interrupts every command at random moments, and looks at what is left.

usage: random.py HEAPSMITH [MOMENTS [SEED]]

HEAPSMITH is the program; MOMENTS, 50 if not given, are drawn for each command between its start and the end that it has
undisturbed. Signals are SIGINT, SIGTERM and SIGHUP in turn. After each: no temporary file, no half-written output (one
that is there is complete), no process. Prints a line for each command; exit code 1 if anything was left.

2026-11-22, a release build on two x86-64 cores that were busy with the tests: 51 moments (3 for each command, seed 7), of
which 46 came before the end: nothing was left.
"""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

heapsmith = os.path.abspath(sys.argv[1])
moments = int(sys.argv[2]) if len(sys.argv) > 2 else 50
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)

ADAPTER = """
import json, subprocess, sys
subprocess.Popen(["sleep", "1000"], start_new_session=True)
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], "status": "accept"}
    if request["op"] == "hello":
        answer = {"id": request["id"], "protocol": 1, "name": "any", "reads": ["phd", "hprof", "classic"]}
    print(json.dumps(answer), flush=True)
"""


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


def main():
    base = tempfile.mkdtemp(prefix="interrupts-")
    samples = os.path.join(base, "samples")
    os.mkdir(samples)
    made = [["generate", "--format", "phd6", "--objects", "100000", "--seed", "3", "-o", "a.phd"],
            ["decode", "a.phd", "-o", "a.jsonl"],
            ["convert", "a.phd", "-o", "a.hprof", "--to", "hprof"]]
    for arguments in made:
        assert run(arguments, samples, base).wait() == 0, arguments
    with open(os.path.join(samples, "adapter.py"), "w") as script:
        script.write(ADAPTER)
    dump, listing, hprof = (os.path.join(samples, name) for name in ("a.phd", "a.jsonl", "a.hprof"))
    adapter = f"python3 {samples}/adapter.py"
    report = ["check", "--adapter", adapter, "--report", "report"]
    commands = [
        (["generate", "--format", "hprof", "--objects", "100000", "-o", "out"], None),
        (["demo", "--objects", "20000"], None),
        (["inspect", "-"], dump),
        (["validate", "-"], dump),
        (["decode", "-", "-o", "out"], dump),
        (["encode", "-", "--format", "phd6", "-o", "out"], listing),
        (["rewrite", "-", "-o", "out", "--through", "records"], dump),
        (["rewrite", "-", "-o", "out", "--through", "heap"], dump),
        (["convert", "-", "-o", "out", "--to", "classic"], hprof),
        (["check-conversion", "-", hprof], dump),
        (["compare", "-", listing], dump),
        (["digest", "-"], dump),
        (["corpus", "bless", "corpus"], None),
        (["corpus", "verify", os.path.join(os.path.dirname(__file__), "../../corpus")], None),
        (report, None),
        (["check", "--decoder", "sh -c 'sleep 0.01; exit 1' {}", "--report", "report", "--jobs", "4"], None),
        (["adapter", "test", adapter], None),
    ]
    wrong = 0
    for arguments, stdin in commands:
        def once(pause):
            folder, temporary = (tempfile.mkdtemp(dir=base) for _ in range(2))
            source = open(stdin, "rb") if stdin else None
            started = time.monotonic()
            process = run([os.path.abspath(word) if word.endswith("/corpus") else word for word in arguments], folder,
                          temporary, source)
            number = None
            if pause is not None:
                time.sleep(pause)
                number = next(signals)
                process.send_signal(number)
            code = process.wait()
            took = time.monotonic() - started
            left, temporaries, running = files(folder), os.listdir(temporary), processes(temporary)
            shutil.rmtree(folder)
            shutil.rmtree(temporary)
            return code, took, left, temporaries, running, number

        signals = iter([signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * moments)
        _, took, whole, *_ = once(None)
        interrupted, faults = 0, []
        for _ in range(moments):
            moment = draw.uniform(0, took)
            code, _, left, temporaries, running, number = once(moment)
            # A signal may come before the program can handle it: then there is nothing to tidy.
            is_interrupted = code in (128 + number, -number)
            interrupted += is_interrupted
            # A report differs by its times, and by how much was judged.
            partial = [name for name, content in left.items()
                       if not name.startswith("report/") and whole.get(name) != content]
            if partial or temporaries or running or code < 0 and code != -number:
                faults.append(f"after {moment:.3f} s, exit code {code}: {partial} {temporaries} {running}")
        print(f"{' '.join(arguments)[:70]:<72}{took:6.2f} s  {interrupted}/{moments} interrupted  "
              f"{len(faults)} wrong", flush=True)
        for fault in faults[:5]:
            print(f"    {fault}")
        wrong += len(faults)
    shutil.rmtree(base)
    return 1 if wrong else 0


sys.exit(main())
