#!/usr/bin/env python3
"""Runs fuzzing engines with their own mutator and with heapsmith's, both at the same time on one core each, and draws what they cover.

    tests/engines/campaigns.py --heapsmith PATH --libraries DIR --work DIR [--time SECONDS] [--seeds N] [TARGET ...]

targets, built from what the registries serve (default: all):
  hprof-conv   Android's converter in C, Debian's source package android-platform-tools, under AFL++
  jvm-hprof    the crate jvm-hprof 0.1.0, under libFuzzer

Both begin with the golden dumps of HPROF. A run that is there in DIR is not repeated. Writes figures.toml and a curve for each target beside
this script. Needs clang, afl++, cargo and Debian's sources.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time
import tomllib

HERE = pathlib.Path(__file__).parent
SOURCE = "android-platform-tools_29.0.6.orig.tar.gz"
CONVERTER = "android-platform-tools-29.0.6/dalvik/tools/hprof-conv/HprofConv.c"
# What cargo-fuzz passes to the compiler, without a sanitizer.
COVERAGE = ("-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters "
            "-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing")
ARMS = ["own", "structured"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--heapsmith", required=True)
    arguments.add_argument("--libraries", required=True, type=pathlib.Path)
    arguments.add_argument("--work", required=True, type=pathlib.Path)
    arguments.add_argument("--time", type=int, default=600)
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("targets", nargs="*")
    options = arguments.parse_args()
    options.work = options.work.absolute()
    options.libraries = options.libraries.absolute()
    options.work.mkdir(parents=True, exist_ok=True)
    dumps = options.work / "cases"
    if not dumps.exists():
        subprocess.run([options.heapsmith, "corpus", "export", "-o", dumps, "--format", "hprof", "--tag", "golden"], check=True,
                       stdout=subprocess.DEVNULL)
    options.dumps = dumps / "dumps"
    figures = HERE / "figures.toml"
    known = tomllib.loads(figures.read_text(encoding="utf-8")) if figures.exists() else {}
    for target in options.targets or TARGETS:
        build, run = TARGETS[target]
        build(options)
        found = {arm: [] for arm in ARMS}
        for seed in range(1, options.seeds + 1):
            with concurrent.futures.ThreadPoolExecutor(len(ARMS)) as pool:
                for arm, result in zip(ARMS, pool.map(lambda arm: run(options, arm, seed), ARMS)):
                    found[arm].append(result)
            print(f"{target}, seed {seed}: " + "; ".join(
                f"{arm} {found[arm][-1][0][-1][1]} edges, {len(found[arm][-1][1])} places" for arm in ARMS), flush=True)
        known[target] = {"seconds": options.time, "seeds": options.seeds}
        for arm in ARMS:
            edges = [curve[-1][1] for curve, _ in found[arm]]
            known[target][arm] = {"edges": edges, "median_edges": statistics.median(edges),
                                  "places": [len(places) for _, places in found[arm]],
                                  "median_places": statistics.median(len(places) for _, places in found[arm]),
                                  "all_places": sorted(set().union(*(places for _, places in found[arm])))}
        (HERE / f"{target}.svg").write_text(drawn(target, options.time, {arm: [curve for curve, _ in found[arm]] for arm in ARMS}),
                                            encoding="utf-8")
        write(figures, known)


def build_converter(options):
    folder = options.work / "hprof-conv"
    if (folder / "fuzz").exists():
        return
    folder.mkdir(exist_ok=True)
    subprocess.run(["apt-get", "source", "--download-only", "hprof-conv"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["tar", "xzf", SOURCE, CONVERTER], cwd=folder, check=True)
    subprocess.run(["afl-clang-fast", "-O1", "-g", CONVERTER, "-o", "fuzz"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "AFL_USE_ASAN": "1"})


def run_converter(options, arm, seed):
    folder = options.work / "hprof-conv"
    out = folder / f"{arm}-{seed}-{options.time}"
    if not (out / "done").exists():
        shutil.rmtree(out, ignore_errors=True)
        flags = ["AFL_SKIP_CPUFREQ", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_NO_UI", "AFL_NO_AFFINITY"]
        environment = {**os.environ, **{flag: "1" for flag in flags}}
        environment.pop("AFL_CUSTOM_MUTATOR_LIBRARY", None)
        if arm == "structured":
            environment["AFL_CUSTOM_MUTATOR_LIBRARY"] = str(options.libraries / "libheapsmith_afl.so")
        subprocess.run(["afl-fuzz", "-V", str(options.time), "-s", str(seed), "-t", "1000", "-i", options.dumps, "-o", out, "--",
                        folder / "fuzz", "@@", "/dev/null"], env=environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        (out / "done").touch()
    lines = (out / "default/plot_data").read_text(encoding="utf-8").splitlines()
    names = [name.strip() for name in lines[0].lstrip("# ").split(",")]
    rows = [line.split(",") for line in lines[1:]]
    at = names.index("edges_found")
    curve = [(0, 0)] + [(int(row[0]), int(row[at])) for row in rows]
    places = set()
    for crash in (out / "default/crashes").glob("id:*"):
        said = subprocess.run([folder / "fuzz", crash, "/dev/null"], capture_output=True, check=False).stderr.decode(errors="replace")
        place = re.search(r"HprofConv\.c:(\d+)", said)
        places.add(f"HprofConv.c:{place[1]}" if place else "elsewhere")
    return curve, places


def build_crate(options):
    for arm in ARMS:
        program = options.work / f"jvm-hprof-{arm}"
        if not program.exists():
            target = options.work / "jvm-hprof-target"
            command = ["cargo", "build", "--quiet", "--release", "--target", "x86_64-unknown-linux-gnu", "--target-dir", target]
            subprocess.run(command + (["--features", "structured"] if arm == "structured" else []), cwd=HERE / "jvm-hprof", check=True,
                           env={**os.environ, "RUSTFLAGS": COVERAGE})
            shutil.copy(target / "x86_64-unknown-linux-gnu/release/parse", program)


def run_crate(options, arm, seed):
    folder = options.work / f"jvm-hprof-{arm}-{seed}-{options.time}"
    log = folder / "log"
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "found").mkdir(parents=True)
        started = time.monotonic()
        command = [options.work / f"jvm-hprof-{arm}", f"-max_total_time={options.time}", f"-seed={seed}", "-max_len=65536", "-rss_limit_mb=4096",
                   "-malloc_limit_mb=4096", folder / "found", options.dumps]
        with log.open("w", encoding="utf-8") as out, subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as run:
            for line in run.stderr:
                out.write(f"{time.monotonic() - started:.1f} {line.decode(errors='replace')}")
        if not re.search(r"#\d+\s+INITED", log.read_text(encoding="utf-8")):
            raise SystemExit(f"{command[0]} did not start: {log}")
        (folder / "done").touch()
    curve, places = [(0, 0)], set()
    for line in log.read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([\d.]+) #\d+.* cov: (\d+)", line):
            curve.append((float(found[1]), int(found[2])))
        if found := re.search(r"PANIC (\S+)", line):
            places.add(re.sub(r".*/(src/)?", "", found[1]))
        if "ERROR: libFuzzer" in line:
            places.add(re.sub(r".*ERROR: ", "", line))
    return curve, places


TARGETS = {"hprof-conv": (build_converter, run_converter), "jvm-hprof": (build_crate, run_crate)}


def drawn(target, seconds, curves):
    """The edges over time, a line for each run."""
    width, height, left, bottom = 640, 320, 56, 40
    top = max(edges for of_arm in curves.values() for curve in of_arm for _, edges in curve)
    x = lambda second: left + (width - left - 12) * min(second, seconds) / seconds
    y = lambda edges: height - bottom - (height - bottom - 28) * edges / top
    colours = {"own": "#8a8a8a", "structured": "#1f6feb"}
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<title>{target}: edges covered over time</title>',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for part in range(5):
        edges = top * part / 4
        lines.append(f'<path d="M{left} {y(edges):.1f}H{width - 12}" stroke="#e0e0e0"/>'
                     f'<text x="{left - 6}" y="{y(edges) + 4:.1f}" text-anchor="end" fill="#444444">{edges:.0f}</text>')
        lines.append(f'<text x="{x(seconds * part / 4):.1f}" y="{height - bottom + 18}" text-anchor="middle" fill="#444444">'
                     f'{seconds * part / 4:.0f} s</text>')
    for arm, of_arm in curves.items():
        for curve in of_arm:
            points = [f"{x(second):.1f} {y(edges):.1f}" for second, edges in curve if second <= seconds]
            last = f"H{x(seconds):.1f}"
            lines.append(f'<path d="M{"L".join(points)}{last}" fill="none" stroke="{colours[arm]}" stroke-width="1.5"/>')
    lines.append(f'<text x="{left}" y="16" fill="#222222">{target}, edges: <tspan fill="{colours["structured"]}">with heapsmith</tspan>, '
                 f'<tspan fill="{colours["own"]}">the engine alone</tspan></text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def write(path, figures):
    lines = ["# Made by campaigns.py: for each target the edges covered at the end of each run, and the distinct places of crashes and panics."]
    for target, of in sorted(figures.items()):
        lines += ["", f"[{target}]", f"seconds = {of['seconds']}", f"seeds = {of['seeds']}"]
        for arm in ARMS:
            lines.append(f"[{target}.{arm}]")
            lines += [f"{key} = {value if not isinstance(value, list) or not value or not isinstance(value[0], str) else '[' + ', '.join(chr(34) + item.replace(chr(92), '/').replace(chr(34), chr(39)) + chr(34) for item in value) + ']'}" for key, value in of[arm].items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
