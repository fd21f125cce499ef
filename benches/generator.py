#!/usr/bin/env python3
"""CPU time and memory of `generate` and `verify`, beside `openssl dgst -sha256` of the same bytes.

    benches/generator.py target/release/heapsmith [--large] [--pipe OBJECTS]

Prints tables for benches/README.md. Each round runs both programs of a pair one after the other; a ratio is the median of the
rounds' ratios of CPU time (user and system, all threads). `--large` measures the growth up to 10 GB, `--pipe` generates and
verifies that many objects of PHD through a pipe. Needs openssl and 1.5 GB in the temporary folder, which it frees.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time


def run(command):
    """CPU seconds of a program that has to end with exit code 0."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def peak(command):
    """Peak memory of a program in KiB. What `wait4` says contains this script's, so it is the kernel's mark of the program."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    high = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                marks = [int(line.split()[1]) for line in status if line.startswith("VmHWM:")]
        except (FileNotFoundError, ProcessLookupError):
            break
        high = max([high, *marks])
        time.sleep(0.002)
    if child.wait() != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
    return high


def paired(rounds, one, other):
    """Median of the ratios, their range, and medians of the CPU seconds of each side, which are lists of commands."""
    pairs = []
    for _ in range(rounds):
        pairs.append([sum(run(command) for command in side) for side in (one, other)])
    ratios = [left / right for left, right in pairs]
    medians = [statistics.median(side) for side in zip(*pairs)]
    return statistics.median(ratios), min(ratios), max(ratios), *medians


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def told(what, to, target, measured):
    ratio, low, high, left, right = measured
    verdict = "within" if ratio <= target else "MISSED"
    row(what, f"{ratio:.2f} ({low:.2f} to {high:.2f})", to, f"at most {target}", verdict, f"{left:.2f} s, {right:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heapsmith")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--objects", type=int, default=12_000_000, help="of the HPROF dump; 77 bytes each")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--pipe", type=int, metavar="OBJECTS")
    arguments = parser.parse_args()
    heapsmith, rounds = arguments.heapsmith, arguments.rounds

    def recipe(form, objects, seed=7):
        return f"heapsmith-2:preset=huge,objects={objects},seed={seed},format={form}"

    def generate(form, objects, *more):
        return [heapsmith, "generate", recipe(form, objects), "-o", "/dev/null", *more]

    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "dump")

        def make(form, objects):
            subprocess.run([heapsmith, "generate", recipe(form, objects), "--force", "-o", dump], check=True)
            return os.path.getsize(dump)

        objects = arguments.objects
        size = make("hprof", objects)
        openssl = ["openssl", "dgst", "-sha256", dump]
        run(openssl)
        print(f"HPROF, {objects} objects, {size} bytes; {rounds} rounds:\n")
        row("what", "ratio", "to", "target", "verdict", "CPU")
        row(*["---"] * 6)
        told("generate", "openssl", 0.5, paired(rounds, [generate("hprof", objects)], [openssl]))
        told("generate --sha256", "openssl", 1.15, paired(rounds, [generate("hprof", objects, "--sha256")], [openssl]))
        verify = [heapsmith, "verify", dump, "--recipe", recipe("hprof", objects)]
        told("verify", "openssl", 1.1, paired(rounds, [verify], [openssl]))
        half = generate("hprof", objects // 2)
        two = generate("hprof", objects, "--threads", "2")
        told("generate --threads 2", "two of half the size", 1.2, paired(rounds, [two], [half, half]))

        print("\n| what | ns an object | target | verdict | openssl, GB/s |\n|---|---|---|---|---|", flush=True)
        for form, bar in (("phd6", 60), ("classic", 60)):
            count = 5_000_000
            size = make(form, count)
            *_, left, right = paired(rounds, [generate(form, count)], [openssl])
            each = left / count * 1e9
            row(f"generate {form}", f"{each:.0f}", f"at most {bar} at 1.8 GB/s", "within" if each <= bar else "MISSED",
                f"{size / right / 1e9:.2f}")

    if arguments.large:
        print("\n| HPROF, generated | CPU a byte, in ns | peak memory |\n|---|---|---|", flush=True)
        costs = []
        for bytes_ in (10**8, 10**9, 10**10):
            count = bytes_ // 77
            runs = [run(generate("hprof", count)) for _ in range(rounds if bytes_ < 10**10 else 2)]
            size = int(subprocess.run([heapsmith, "generate", recipe("hprof", 10**6), "--size"], check=True,
                                      capture_output=True).stdout) * count // 10**6
            costs.append(statistics.median(runs) / size * 1e9)
            row(f"{size / 1e9:.1f} GB", f"{costs[-1]:.3f}", f"{peak(generate('hprof', count))} KiB")
        print(f"\nGrowth of CPU a byte: {costs[-1] / costs[0]:.2f} (at most 1.10)", flush=True)

    if arguments.pipe:
        text = recipe("phd6", arguments.pipe)
        begun = time.monotonic()
        writer = subprocess.Popen([heapsmith, "generate", text], stdout=subprocess.PIPE)
        reader = subprocess.run([heapsmith, "verify", "-", "--recipe", text], stdin=writer.stdout, capture_output=True)
        writer.stdout.close()
        codes = writer.wait(), reader.returncode
        print(f"\nPHD 6 through a pipe: {reader.stdout.decode().strip()}; exit codes {codes}, "
              f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
