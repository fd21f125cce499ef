#!/usr/bin/env python3
"""Asks the programs of examples/adapters/*/tool.toml, and writes docs/results.md, docs/results/ and docs/upstream/.

usage: results.py run DIR OUT [ID]...      ask each row the corpus and random dumps; OUT/ID/report.json is kept
       results.py explain DIR OUT [ID]...  explain each row's failures, as if none was expected: OUT/explained-ID.json
       results.py smoke DIR [ID]...        ask each row ten cases
       results.py pairs DIR [ID]...        ask each version the dumps of its findings
       results.py pages OUT                write the pages from the reports in OUT

DIR is where examples/adapters/install.sh puts other people's programs. A row whose report is in OUT is not asked again, so that a
run that was stopped goes on. HEAPSMITH is the program to use, target/release/heapsmith unless it is set. Without ID it takes all
rows. The exit code is 1 if a row fails where that is not expected, or passes where a failure is.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
ADAPTERS = ROOT / "examples/adapters"
# The folder of programs as it stands in commands and reports, so that they are the same on every machine.
PROGRAMS = "target/programs"

SELECTION = ["--format", "hprof", "--random", "60", "--seed", "1"]
# Ten cases that every reader is asked in a smoke run: three writers, two sizes of identifiers, every record, texts, a cut, a wrong tag.
SMOKE = [
    "hprof-agent-4",
    "hprof-art-4",
    "hprof-hotspot-17-4-random",
    "hprof-hotspot-25-8-random",
    "hprof-spelled-every-root",
    "hprof-spelled-id-8",
    "hprof-spelled-java-names",
    "hprof-spelled-primitive-arrays",
    "hprof-spelled-cut-in-head",
    "hprof-spelled-unknown-sub-record",
]
# What a row can do, by the cases that show it.
CAPABILITIES = [
    ("identifiers of 4 bytes", r"hprof-spelled-id-4"),
    ("of 8 bytes", r"hprof-spelled-id-8"),
    ("Android", r"hprof-art-\d|hprof-spelled-android"),
    ("gzip", r"hprof-compressed.*"),
    ("several heaps", r".*-heap-\d-of-\d|.*-\d-of-\d"),
    ("modified UTF-8", r"hprof-spelled-java-names|hprof-spelled-.*utf.*|hprof-spelled-characters.*"),
    ("traces and threads", r"hprof-spelled-fields-trace|hprof-spelled-fields-frame|hprof-spelled-fields-start-thread"),
    ("unknown records", r"hprof-spelled-unknown-record|hprof-add-an-unknown-record"),
]

# Kinds of findings, the worst first, with what the page says of them.
KINDS = {
    "silent": "tells something wrong without a word",
    "crash": "crashes",
    "hang": "never returns",
    "memory": "runs out of memory",
    "refuses": "refuses a sound dump",
    "accepts": "accepts a broken dump",
    "limit": "a limit that is declared, or a matter that documents leave open",
}
OPERATIONS = {"read": "read", "convert": "convert", "encode": "write"}


class Finding:
    """One mistake of a program, with the dumps that show it."""

    def __init__(self, told, confirmed):
        self.id, self.title, self.kind = told["id"], told["title"], told["kind"]
        self.versions = told["versions"]
        self.user, self.source = told.get("user"), told.get("source")
        self.expected, self.found = told["expected"], told["found"]
        self.confirmed = told.get("confirmed", confirmed)
        self.rules, self.cases = told.get("rules", []), told.get("cases", [])
        self.fails, self.passes = told.get("fails"), told.get("passes")
        self.same = told.get("same")
        self.dumps = told.get("dumps", {})

    @property
    def family(self):
        return self.id.rsplit("-", 1)[0]

    @property
    def reason(self):
        """How an expected failure names it."""
        return f"{self.id}: {self.title}"


class Row:
    """A program in one of its roles, in the version that is judged, with its other versions."""

    def __init__(self, told, tool):
        self.tool, self.id, self.name = tool, told["id"], told["name"]
        self.artifact, self.version, self.language = told.get("artifact"), told["version"], told["language"]
        self.operation = told["operation"]
        self.commands = {told["version"]: told} | {one["version"]: one for one in told.get("other", [])}
        self.options = told.get("options", [])
        self.is_own = told.get("own", False)
        self.worst = told.get("worst")

    @property
    def findings(self):
        return [one for one in self.tool.findings if one.family == self.id]

    def question(self, version, programs):
        """The arguments of `heapsmith check` that ask it."""
        told = self.commands[version]
        kind = "converter" if "converter" in told else "adapter"
        command = told["converter" if kind == "converter" else "command"].replace("{programs}", programs)
        operation = [] if self.operation == "read" or kind == "converter" else ["--operation", self.operation]
        return [f"--{kind}", command, *operation, *self.options, "--allow-skips"]

    def heading(self):
        return f"{self.name} {self.version}"


def loaded(path):
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


class Tool:
    """A folder of examples/adapters/ with a tool.toml."""

    def __init__(self, folder):
        self.folder, self.id = folder, folder.name
        known = loaded(folder / "findings.toml")
        self.findings = [Finding(one, known.get("confirmed")) for one in known.get("finding", [])]
        self.rows = [Row(one, self) for one in loaded(folder / "tool.toml")["row"]]
        self.expected = folder / "expected.toml"


def tools():
    return [Tool(path.parent) for path in sorted(ADAPTERS.glob("*/tool.toml"))]


def rows(chosen):
    found = [row for tool in tools() for row in tool.rows]
    unknown = set(chosen) - {row.id for row in found}
    if unknown:
        sys.exit(f"no row is called {', '.join(sorted(unknown))}: {', '.join(row.id for row in found)}")
    return [row for row in found if not chosen or row.id in chosen]


def heapsmith():
    """The program, and an environment in which commands find it."""
    program = pathlib.Path(os.environ.get("HEAPSMITH", ROOT / "target/release/heapsmith")).resolve()
    if not program.exists():
        sys.exit(f"{program} is not there: `cargo build --release` makes it, or HEAPSMITH names another")
    bin = ROOT / "target/results-bin"
    bin.mkdir(parents=True, exist_ok=True)
    link = bin / "heapsmith"
    link.unlink(missing_ok=True)
    link.symlink_to(program)
    # What panics say differs from machine to machine.
    return os.environ | {"PATH": f"{bin}:{os.environ['PATH']}", "RUST_BACKTRACE": "0"}


def linked(directory):
    """The folder of programs under the name that commands have."""
    programs, link = pathlib.Path(directory).resolve(), ROOT / PROGRAMS
    if not programs.is_dir():
        sys.exit(f"{programs} is no folder: examples/adapters/install.sh makes it")
    link.parent.mkdir(exist_ok=True)
    if not link.exists() or not link.samefile(programs):
        link.unlink(missing_ok=True)
        link.symlink_to(programs)


def check(environment, arguments, **options):
    return subprocess.run(["heapsmith", "check", *arguments], cwd=ROOT, env=environment, **options)


def without_folders(text):
    """The text without what differs from machine to machine: the folder of a crate's sources."""
    return re.sub(r'/[^ "]*/registry/src/[^/ ]*/', "", text)


def run(directory, out, *chosen):
    linked(directory)
    environment, out, code = heapsmith(), pathlib.Path(out).resolve(), 0
    for row in rows(chosen):
        for version in row.commands:
            is_judged = version == row.version
            place = out / (row.id if is_judged else f"{row.id}@{version}")
            if (place / "report.json").exists():
                print(f"there: {place.name}")
                continue
            out.mkdir(parents=True, exist_ok=True)
            part = pathlib.Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=out))
            known = ["--expected", str(row.tool.expected)] if is_judged and row.tool.expected.exists() else []
            arguments = [*row.question(version, PROGRAMS), *SELECTION, *known, "--no-explain", "--report", str(part / "report")]
            start = time.monotonic()
            with open(part / "output.txt", "wb") as output:
                ended = check(environment, arguments, stdout=output, stderr=subprocess.STDOUT).returncode
            said = (part / "output.txt").read_text(encoding="utf-8", errors="replace")
            print(f"{place.name}: exit code {ended} after {time.monotonic() - start:.0f} s", flush=True)
            if ended > 1:
                print(said[-2000:])
                code = 2
                continue
            if ended == 1 and is_judged:
                print("\n".join(said.splitlines()[-30:]))
                code = max(code, 1)
            report = part / "report/report.json"
            report.write_text(without_folders(report.read_text(encoding="utf-8")), encoding="utf-8")
            (part / "output.txt").rename(part / "report/output.txt")
            shutil.rmtree(place, ignore_errors=True)
            (part / "report").rename(place)
            part.rmdir()
    return code


def explain(directory, out, *chosen):
    linked(directory)
    environment, out = heapsmith(), pathlib.Path(out).resolve()
    for row in rows(chosen):
        place = out / f"explained-{row.id}.json"
        if row.is_own or place.exists():
            continue
        arguments = [*row.question(row.version, PROGRAMS), "--format", "hprof", "--explain-time", "3600", "--json"]
        start = time.monotonic()
        told = check(environment, arguments, stdout=subprocess.PIPE)
        print(f"{row.id}: exit code {told.returncode} after {time.monotonic() - start:.0f} s", flush=True)
        if told.returncode <= 1:
            place.write_text(without_folders(told.stdout.decode()), encoding="utf-8")
    return 0


def smoke(directory, *chosen):
    linked(directory)
    environment, code = heapsmith(), 0
    filters = [word for case in SMOKE for word in ("--filter", case)]
    for row in rows(chosen):
        known = ["--expected", str(row.tool.expected)] if row.tool.expected.exists() else []
        told = check(environment, [*row.question(row.version, PROGRAMS), "--format", "hprof", *filters, *known, "--no-explain"],
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"{row.id}: exit code {told.returncode}", flush=True)
        if told.returncode:
            print(told.stdout.decode(errors="replace"))
            code = 1
    return code


def dump_of(result):
    """The finding and the side of a result of a pair's dump. What is written is called after the path, and not by the name alone."""
    found = re.search(r"([a-z][a-z-]*-\d+-(?:fails|passes))", result["id"].split(":")[0].split("/")[-1])
    return found[1].split("tmp-")[-1] if found else result["id"]


def pairs(directory, *chosen):
    """Each finding's dump has to fail, and its twin to pass, in every version in which it was seen, and in no other."""
    linked(directory)
    environment, code = heapsmith(), 0
    for row in rows(chosen):
        with tempfile.TemporaryDirectory() as folder:
            for one in row.findings:
                for side in ("fails", "passes"):
                    if getattr(one, side):
                        path = pathlib.Path(folder) / f"{one.id}-{side}.hprof"
                        path.write_bytes(bytes.fromhex(getattr(one, side)))
            if not os.listdir(folder):
                continue
            for version in row.commands:
                told = check(environment, [*row.question(version, PROGRAMS), "--dumps", folder, "--no-explain", "--json"],
                             stdout=subprocess.PIPE)
                if told.returncode > 1:
                    print(f"{row.id} {version}: exit code {told.returncode}")
                    code = 1
                    continue
                [tested] = json.loads(told.stdout)["implementations"]
                verdicts = {dump_of(result): verdict(result) for result in tested["results"]}
                for one in row.findings:
                    seen = {side: verdicts.get(f"{one.id}-{side}") for side in ("fails", "passes") if getattr(one, side)}
                    due = version in one.versions
                    # A dump without a verdict was not asked.
                    wrong = [f"`{side}` is {found or 'not asked'}" for side, found in seen.items()
                             if found is None or (found == "pass") != (side == "passes" or not due)]
                    if wrong:
                        print(f"{one.id} in {version}: {', '.join(wrong)}")
                        code = 1
    return code


# The pages.


def verdict(result):
    """The verdict of a result by its name."""
    outcome = result["outcome"]
    return outcome if isinstance(outcome, str) else outcome.get("verdict") or next(iter(outcome))


def plain(text):
    """A text as Markdown that means nothing but itself."""
    return re.sub(r"([\\*_\[\]<>|#~])", r"\\\1", " ".join(text.split()))


def sentence(text):
    """A finding's text, in which Markdown is meant."""
    return " ".join(text.split())


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def counted(number, what):
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


class NoOutcome:
    """A row that the run does not have."""

    report = declared = None
    verdicts, of_finding, unexpected = {}, {}, []

    def share(self):
        return "not run"


class Outcome:
    """What a row made of the run, by its report."""

    def __init__(self, row, path):
        report = json.loads(path.read_text(encoding="utf-8"))
        [tested] = report["implementations"]
        self.report, self.declared = report, tested.get("declared")
        limits = {one.id for one in row.findings if one.kind == "limit"}
        self.verdicts = {result["id"]: verdict(result) for result in tested["results"]}
        self.reasons = {result["id"]: result["expected"]["reason"].split(":")[0]
                        for result in tested["results"] if "expected" in result}
        self.of_finding = Counter(self.reasons.values())
        self.unexpected = sorted(id for id, found in self.verdicts.items()
                                 if found not in ("pass", "skip") and id not in self.reasons)
        self.skipped = sum(found == "skip" for found in self.verdicts.values())
        left_out = [id for id, reason in self.reasons.items() if reason in limits and self.verdicts[id] != "pass"]
        self.limited = len(left_out)
        self.passed = sum(found == "pass" for found in self.verdicts.values())
        self.asked = len(self.verdicts) - self.skipped - self.limited

    def share(self):
        return f"{100 * self.passed // self.asked} %" if self.asked else "–"

    def judged(self):
        if not self.declared or self.declared["level"] == "dump":
            return "the dumps that come out"
        if self.declared["level"] == "counts":
            return "counts: " + ", ".join(self.declared["reports"])
        return f"{counted(len(self.declared['reports']), 'facet')} of listings"

    def capability(self, pattern):
        """How many of the cases that show something are right."""
        found = [verdict for id, verdict in self.verdicts.items() if re.fullmatch(pattern, id.split(":")[0]) and verdict != "skip"]
        if not found:
            return "–"
        right = found.count("pass")
        return "all" if right == len(found) else f"{right} of {len(found)}"


def outcomes(out):
    """The judged version of each row with its report, and those of its other versions."""
    for row in rows(()):
        path = out / row.id / "report.json"
        others = {version: out / f"{row.id}@{version}" / "report.json" for version in row.commands if version != row.version}
        outcome = Outcome(row, path) if path.exists() else NoOutcome()
        yield row, outcome, {version: Outcome(row, path) for version, path in others.items() if path.exists()}


def worst(row):
    """The finding of a row that is named first."""
    told = [one for one in row.findings if one.id == row.worst]
    order = list(KINDS)
    return (told or sorted(row.findings, key=lambda one: order.index(one.kind)) or [None])[0]


def trend(row, outcome, others):
    """The share of right answers of each version, the oldest first."""
    if not others:
        return ""
    shares = {row.version: outcome.share()} | {version: one.share() for version, one in others.items()}
    return ", ".join(f"{version}: {share}" for version, share in sorted(shares.items(), key=lambda one: key(one[0])))


def key(version):
    """An order of versions: numbers by their values."""
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", version) if part]


def tables(all_outcomes):
    kinds = [kind for kind in KINDS if kind != "limit"]
    yield "| implementation | language | asked to | right | " + " | ".join(kinds) + " | worst, in a sentence |"
    yield "|---|---|---|--:|" + "--:|" * len(kinds) + "---|"
    for row, outcome, _ in all_outcomes:
        counts = Counter(one.kind for one in row.findings)
        cells = [str(counts.get(kind) or "") for kind in kinds]
        first = worst(row)
        said = "" if first is None or first.kind == "limit" else sentence(first.user or f"It {first.title}.")
        name = plain(row.heading())
        if not row.is_own:
            name = f"[{name}](results/{row.tool.id}.md)"
        yield f"| {name} | {row.language} | {OPERATIONS[row.operation]} | {outcome.share()} | " + " | ".join(cells) + f" | {said} |"


def matrix(all_outcomes):
    yield "| implementation | " + " | ".join(name for name, _ in CAPABILITIES) + " |"
    yield "|---|" + "--:|" * len(CAPABILITIES)
    for row, outcome, _ in all_outcomes:
        if row.operation == "read" and outcome.report:
            cells = [outcome.capability(pattern) for _, pattern in CAPABILITIES]
            yield f"| {plain(row.heading())} | " + " | ".join(cells) + " |"


def versions(all_outcomes):
    yield "| implementation | right, by version | mended | new |"
    yield "|---|---|---|---|"
    for row, outcome, others in all_outcomes:
        if not others:
            continue
        ordered = sorted([row.version, *others], key=key)
        oldest, newest = ordered[0], ordered[-1]
        mended = [one.id for one in row.findings if oldest in one.versions and newest not in one.versions]
        new = [one.id for one in row.findings if newest in one.versions and oldest not in one.versions]
        yield f"| {plain(row.name)} | {trend(row, outcome, others)} | {', '.join(mended) or 'none'} | {', '.join(new) or 'none'} |"


def dump_lines(one):
    """The dumps of a finding, in hexadecimal."""
    named = [("fails", one.fails), ("is read rightly, with one difference", one.passes), *one.dumps.items()]
    for name, bytes_ in named:
        if bytes_:
            yield f"- `{name}`, {len(bytes_) // 2} bytes: `{bytes_}`" if name in one.dumps else \
                f"- The dump that {name}, {len(bytes_) // 2} bytes: `{bytes_}`"


def tool_page(of_tool):
    """The page of a folder: its rows, each with its findings."""
    tool = of_tool[0][0].tool
    yield f"# {plain(of_tool[0][0].name)}"
    yield ""
    yield f"Written by `docs/results.py pages` from [its findings](../../examples/adapters/{tool.id}/findings.toml) and the run."
    for row, outcome, others in of_tool:
        yield ""
        yield f"## {plain(row.heading())}"
        yield ""
        if outcome.report is None:
            yield f"{plain(row.artifact)}. The run of this page does not have it."
        else:
            skipped = f"; {outcome.skipped} were skipped" if outcome.skipped else ""
            limited = f"; {outcome.limited} are declared limits" if outcome.limited else ""
            yield (f"{plain(row.artifact)}. {outcome.passed} of {counted(outcome.asked, 'case')} passed{limited}{skipped}. "
                   f"Judged by {outcome.judged()}.")
        if others:
            yield f"By version: {trend(row, outcome, others)}."
        if outcome.unexpected:
            yield f"Not looked into: {', '.join(outcome.unexpected[:12])}{' and more' if len(outcome.unexpected) > 12 else ''}."
        for kind, meaning in KINDS.items():
            found = [one for one in row.findings if one.kind == kind]
            if not found:
                continue
            yield ""
            yield f"### It {meaning}" if kind != "limit" else f"### {meaning.capitalize()}"
            for one in found:
                number = outcome.of_finding.get(one.id, 0)
                yield ""
                yield f"#### {one.id}: {plain(one.title)}"
                yield ""
                if one.user:
                    yield f"- What a user sees: {sentence(one.user)}"
                yield f"- Seen in: {', '.join(one.versions)}; {counted(number, 'case')} of the run."
                if one.cases:
                    yield f"- Cases: {', '.join(one.cases)}."
                rules = "" if not one.rules else f" ({', '.join(one.rules)})" if not all(rule in one.expected for rule in one.rules) else ""
                yield f"- Expected: {sentence(one.expected)}{rules}"
                yield f"- Found: {sentence(one.found)}"
                if one.source:
                    yield f"- Where: {sentence(one.source)}"
                if one.same:
                    yield f"- The same as {one.same}."
                if one.confirmed:
                    yield f"- Confirmed by: {sentence(one.confirmed)}"
                yield from dump_lines(one)


def upstream_page(row, rules):
    """The texts of issues, ready to be filed."""
    yield f"# Issues for {plain(row.name)}"
    yield ""
    yield f"One text for each finding in {plain(row.artifact)} {row.version}, ready to be filed. None of them has been filed from here."
    for one in row.findings:
        if one.kind == "limit":
            continue
        yield ""
        yield f"## {plain(row.name)} {plain(one.title)}"
        yield ""
        yield f"**Version**: {', '.join(one.versions)}"
        if one.user:
            yield ""
            yield sentence(one.user)
        yield ""
        yield f"**Expected**: {sentence(one.expected)}"
        for rule in one.rules:
            if rule in rules:
                yield ""
                yield f"> {rules[rule]} (`{rule}`)"
        yield ""
        yield f"**Found**: {sentence(one.found)}"
        if one.source:
            yield ""
            yield f"**Where**: {sentence(one.source)}"
        if one.fails or one.cases:
            yield ""
            yield "**To repeat**:"
            yield ""
            yield "```sh"
            if one.fails:
                yield f"echo {one.fails} | xxd -r -p >fails.hprof   # {len(one.fails) // 2} bytes"
            else:
                yield f"heapsmith corpus export --filter {one.cases[0]} cases"
            if one.passes:
                yield f"echo {one.passes} | xxd -r -p >passes.hprof   # one difference; it is read rightly"
            yield "```"


def statements():
    """The statement of each rule of HPROF."""
    book = loaded(ROOT / "specs/hprof.toml")
    return {one["id"]: sentence(one["statement"]) for one in book["rule"]}


def pages(out):
    out = pathlib.Path(out).resolve()
    found = list(outcomes(out))
    reports = [outcome.report for _, outcome, _ in found if outcome.report]
    if not reports:
        sys.exit(f"{out} has no report: `results.py run` makes them")
    missing = [row.id for row, outcome, _ in found if not outcome.report]
    if missing:
        print(f"not in {out}: {', '.join(missing)}", file=sys.stderr)
    head = (ROOT / "docs/results.head.md").read_text(encoding="utf-8").rstrip("\n")
    report = reports[0]
    dumps = len({case["id"].split(":")[0] for case in report["cases"]})
    others = [row for row, _, _ in found if not row.is_own]
    all_findings = [one for row in others for one in row.findings if one.kind != "limit"]
    kinds = Counter(one.kind for one in all_findings)
    unexpected = sum(len(outcome.unexpected) for _, outcome, _ in found)
    summary = (f"**{len(others)} programs of others, {len(all_findings)} findings, {kinds['silent']} of them wrong without a word.** "
               f"heapsmith {report['heapsmith']}, {counted(dumps, 'dump')}, {report['chosen']['random']} of them random "
               f"(seed {report['chosen']['seed']}); {counted(unexpected, 'result')} that no finding explains.")
    parts = {"{table}": "\n".join([summary, "", *tables(found)]), "{matrix}": "\n".join(matrix(found)),
             "{versions}": "\n".join(versions(found))}
    for name, text in parts.items():
        head = head.replace(name, text)
    (ROOT / "docs/results.md").write_text(head + "\n", encoding="utf-8")
    rules = statements()
    for folder in ("results", "upstream"):
        shutil.rmtree(ROOT / "docs" / folder, ignore_errors=True)
        (ROOT / "docs" / folder).mkdir()
    for tool in tools():
        if tool.findings and any(row.tool.id == tool.id for row, _, _ in found):
            own = [one for one in found if one[0].tool.id == tool.id]
            text = "\n".join(tool_page(own)) + "\n"
            (ROOT / f"docs/results/{tool.id}.md").write_text(text, encoding="utf-8")
    for row in others:
        if any(one.kind != "limit" for one in row.findings):
            (ROOT / f"docs/upstream/{row.id}.md").write_text("\n".join(upstream_page(row, rules)) + "\n", encoding="utf-8")
    write_contents(others)
    return 0


def write_contents(shown):
    """Puts the pages of programs below that of the results in the table of contents."""
    path = ROOT / "docs/SUMMARY.md"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = lines.index("- [Results of other people's programs](results.md)") + 1
    end = next(number for number in range(at, len(lines)) if not lines[number].startswith("  "))
    entries = []
    for tool in dict.fromkeys(row.tool.id for row in shown):
        rows_of = [row for row in shown if row.tool.id == tool]
        if (ROOT / f"docs/results/{tool}.md").exists():
            entries.append(f"  - [{rows_of[0].name}](results/{tool}.md)")
        for row in rows_of:
            if (ROOT / f"docs/upstream/{row.id}.md").exists():
                entries.append(f"    - [Issues: {row.name}](upstream/{row.id}.md)")
    lines[at:end] = entries
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    actions = {"run": (run, 2), "explain": (explain, 2), "smoke": (smoke, 1), "pairs": (pairs, 1), "pages": (pages, 1)}
    action, least = actions.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if action is None or len(sys.argv) < 2 + least:
        sys.exit(__doc__.split("\n\n")[1])
    sys.exit(action(*sys.argv[2:]))


if __name__ == "__main__":
    main()
