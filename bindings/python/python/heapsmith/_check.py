"""A parser that is run over cases in this process."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Union

from . import _native
from ._cases import filters_of
from .adapter import Adapter, Parser

#: Expected failures: the path of a file (docs/expected-failures.md), or reasons by a case's id or a pattern of ids.
Expected = Union[str, "os.PathLike[str]", Mapping[str, str], None]

#: The dumps that are made at most to explain the failures of a run, as by `heapsmith check`.
EXPLAIN = 8000
#: Cases that a report as text shows.
_SHOWN = 20


@dataclass(frozen=True)
class OtherFact:
    """A fact that is wrong besides the first one."""

    #: A facet or a count.
    fact: str
    #: The address of the class or object, as text; empty where it is a fact of neither.
    address: str
    expected: str
    found: str
    #: The number of classes or objects of which it is wrong.
    count: int
    #: The fact that it follows from; empty where it follows from none.
    follows: str


@dataclass(frozen=True)
class Cause:
    """What several failures have in common."""

    #: What the parser does wrong, in a sentence.
    sentence: str
    #: The rule that is not followed; empty where it is not known.
    rule: str
    #: Ids of its cases.
    cases: tuple[str, ...]
    #: Id of the case with the smallest dump.
    example: str
    #: Two dumps with one difference, of which one passes and one fails, in a line; empty where none was made.
    pair: str
    #: The number of its cases that are not expected to fail.
    unexpected: int

    def __str__(self) -> str:
        cases = "1 case" if len(self.cases) == 1 else f"{len(self.cases)} cases"
        pair = f"\n  pair:     {self.pair}" if self.pair else ""
        return f"{cases}: {self.sentence}\n  smallest: {self.example}{pair}"


@dataclass(frozen=True)
class CaseResult:
    """What became of a case."""

    #: The case's id.
    id: str
    #: What the case is about, in a line.
    summary: str
    #: `pass`, `fail`, `wrong-verdict`, `crash`, `skip` or `adapter-error`.
    verdict: str
    #: Of a failure what is wrong, of a skip the reason; empty for a pass.
    detail: str
    #: Of the verdict `fail` the facet or count that is wrong, and where; else empty.
    fact: str = ""
    address: str = ""
    #: What is right, and what the parser says, where the verdict is `fail` or `wrong-verdict`.
    expected: str = ""
    found: str = ""
    #: The other facts that are wrong.
    others: tuple[OtherFact, ...] = ()
    #: The bytes that say the fact, with their offset in the decompressed dump; empty where there are none.
    bytes: str = ""
    #: The rule by which they are read.
    rule: str = ""
    #: The reason for which a failure is expected; `None` where none is.
    reason: Optional[str] = None
    #: Ids of the cases that have to be asked to see the failure again: the case, and another one where an answer follows another reading
    #: of ambiguous bytes than that one's.
    repeated_by: tuple[str, ...] = ()
    #: The cause of the failure, where one is known.
    cause: Optional[Cause] = field(default=None, repr=False)

    @property
    def is_failure(self) -> bool:
        """Whether the case counts against the parser, expected or not."""
        return self.verdict not in ("pass", "skip")

    @property
    def is_unexpected(self) -> bool:
        """Whether it is a failure that is not expected, or a pass where the file lists a failure by the case's id."""
        return self.is_failure if self.reason is None else self.verdict == "pass"

    def describe(self, heading: str = "", repeat: str = "") -> str:
        """The failure: what is wrong, the bytes, the cause with its pair, and the command that repeats it. The heading is the case's id
        and summary, unless another is given."""
        lines = [heading or f"{self.id}: {self.summary}"]
        if self.verdict == "pass" and self.reason is not None:
            lines.append(f"  passes, although it is expected to fail: {self.reason}; remove it from the expected failures")
        elif self.verdict == "fail":
            lines.append(f"  {self.fact}{f' at {self.address}' if self.address else ''}")
            lines += [f"  expected: {self.expected}", f"  found:    {self.found}"]
        elif self.verdict == "wrong-verdict":
            lines += [f"  expected: {self.expected}", f"  found:    {self.found}"]
        else:
            lines.append(f"  {self.verdict}: {self.detail}".replace("\n", "\n    ").rstrip())
        for other in self.others:
            follows = f" (follows from {other.follows})" if other.follows else ""
            at = f" at {other.address}" if other.address else ""
            lines.append(f"  also {other.fact}{at}{follows}: expected {other.expected}, found {other.found}")
        for name, text in (("bytes", self.bytes), ("rule", self.rule)):
            if text:
                lines.append(f"  {name + ':':9} {text}")
        if self.cause is not None:
            lines.append(f"  cause:    {self.cause.sentence}")
            if self.cause.pair:
                lines.append(f"  pair:     {self.cause.pair}")
        if repeat:
            lines.append(f"  repeat:   {repeat}")
        return "\n".join(lines)


class CheckReport:
    """The outcome of a run."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        #: The report as `heapsmith check --json` prints it (specs/schemas/check.schema.json).
        self.json = told
        tested = told["implementations"][0]
        #: What failures that are not expected have in common: wrong facts first.
        self.causes: tuple[Cause, ...] = tuple(_cause(one) for one in tested.get("causes", ()))
        of_case = {case: cause for cause in self.causes for case in cause.cases}
        summaries = {case["id"]: case["summary"] for case in told["cases"]}
        #: What became of each case, by id.
        self.results: dict[str, CaseResult] = {
            one["id"]: _result(one, summaries.get(one["id"], ""), of_case.get(one["id"])) for one in tested["results"]
        }
        #: Facets that were not judged in some case, since the parser does not claim them.
        self.not_judged: tuple[str, ...] = tuple(tested.get("omitted", ()))
        #: The readings of ambiguous bytes that the parser follows, by what they are about.
        self.readings: dict[str, str] = {one["reading"]: one["choice"] for one in tested.get("readings", ())}

    @property
    def passed(self) -> list[CaseResult]:
        """The cases that passed, as they should."""
        return [one for one in self.results.values() if one.verdict == "pass" and not one.is_unexpected]

    @property
    def failed(self) -> list[CaseResult]:
        """The failures that are not expected, and passes where a failure is."""
        return [one for one in self.results.values() if one.is_unexpected]

    @property
    def known(self) -> list[CaseResult]:
        """The failures that are expected."""
        return [one for one in self.results.values() if one.is_failure and one.reason is not None]

    @property
    def skipped(self) -> list[CaseResult]:
        """The cases that were not judged, each with its reason."""
        return [one for one in self.results.values() if one.verdict == "skip"]

    @property
    def is_clean(self) -> bool:
        """Whether nothing failed that is not expected, and something was judged."""
        return not self.failed and bool(self.passed or self.known)

    def raise_for_failures(self) -> None:
        """Raises an `AssertionError` with the report, unless it is clean."""
        if not self.is_clean:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        failed = self.failed
        counts = [(len(failed), "failed"), (len(self.known), "failed as expected"), (len(self.skipped), "skipped")]
        told = ", ".join(f"{number} {what}" for number, what in counts if number)
        lines = [f"{len(self.results)} cases: {len(self.passed)} passed{', ' if told else ''}{told}"]
        if self.not_judged:
            many = f"{len(self.not_judged)} facets (`not_judged` lists them)"
            told = many if len(self.not_judged) > 8 else ", ".join(self.not_judged)
            lines.append(f"not judged, since claims do not have it: {told}")
        lines += [str(cause) for cause in self.causes if cause.unexpected]
        examples = {cause.example for cause in self.causes}
        first = sorted(failed, key=lambda one: (one.id not in examples, one.id))[:_SHOWN]
        lines += [one.describe() for one in first]
        if len(failed) > len(first):
            lines.append(f"and {len(failed) - len(first)} more")
        return "\n".join(lines)


def check(
    parse: Parser,
    format: Optional[str] = None,
    filter: Union[str, Sequence[str], None] = None,
    *,
    random: int = 0,
    seed: int = 0,
    claims: Optional[Mapping[str, Any]] = None,
    refused_by: Sequence[type[BaseException]] = (),
    skipped_by: Sequence[type[BaseException]] = (),
    expected: Expected = None,
    explain: int = EXPLAIN,
    explain_seconds: int = 600,
    max_equal_ends: int = 12,
) -> CheckReport:
    """Runs a parser over dumps whose content is known, in this process and thread, and judges what it reads as `heapsmith check` does.

    `parse(path, heap)` is called with the `pathlib.Path` of a dump and a `HeapSink` for what it reads; or it returns a listing, as a text or as
    lines (dicts). It refuses a dump by `Refused`, or by an exception of `refused_by`. Every other exception is a crash.

    `format` (`hprof`, `phd` or `classic`) and `filter` choose cases of the corpus; `random` adds dumps that are drawn from `seed`.
    `claims` says what the parser reports and how, by the keys of an adapter's answer to `hello` (specs/adapter.md): what is in its
    `facets` is required, and judged; of no claims only addresses and kinds are. `expected` names known failures. Failures are explained
    by at most `explain` further dumps, 0 for none. A run in which `max_equal_ends` sound dumps end the same way and none is read
    stops there; 0 asks about all.

    No limit of time or memory holds: `python -m heapsmith.adapter MODULE:PARSE` is the parser as a process of its own, for
    `heapsmith check --adapter`, which has both.

    `ArgumentError` if there is no such case, format, claim or pattern."""
    adapter = Adapter(parse, claims, refused_by, skipped_by)
    return CheckReport(
        run(adapter, format, filters_of(filter), random, seed, expected, explain, explain_seconds, max_equal_ends)
    )


def run(
    adapter: Adapter,
    format: Optional[str],
    filters: list[str],
    random: int,
    seed: int,
    expected: Expected,
    explain: int,
    explain_seconds: int,
    max_equal_ends: int,
) -> dict[str, Any]:
    """The report of a run, as JSON has it."""
    is_file = expected is not None and not isinstance(expected, Mapping)
    reasons = expected if isinstance(expected, Mapping) else {}
    entries = [{"reason": reason, "verdicts": ["*"], "cases": [case]} for case, reason in reasons.items()]

    def answer(request: str) -> str:
        return json.dumps(adapter.answer(json.loads(request)))

    hello = adapter.hello
    told: dict[str, Any] = json.loads(
        _native.check(
            f"{hello['name']} {hello.get('version', '')}".strip(),
            answer,
            format,
            filters,
            random,
            seed,
            os.fspath(expected) if is_file else None,  # type: ignore[arg-type]
            json.dumps({"expect": entries}),
            explain,
            explain_seconds,
            max_equal_ends,
        )
    )
    for one in told["implementations"][0]["results"]:
        how = one["outcome"].get("how", "")
        # The claims are wrong, and each case would say so.
        if one["outcome"]["verdict"] == "adapter-error" and how.startswith("hello: "):
            raise _native.ArgumentError(f"claims: {how[len('hello: '):]}")
    return told


def _cause(told: Mapping[str, Any]) -> Cause:
    pair = ""
    if told.get("pair"):
        one = told["pair"]
        passes, fails = (one[side]["differing"] or "nothing" for side in ("passes", "fails"))
        pair = f"passes with {passes}, fails with {fails} at offset {one['offset']:#x}: {one['place']}"
    return Cause(
        told["sentence"], told.get("rule") or "", tuple(told["cases"]), told["example"], pair, told["unexpected"]
    )


def _result(told: Mapping[str, Any], summary: str, cause: Optional[Cause]) -> CaseResult:
    outcome = told["outcome"]
    expected, found = outcome.get("expected", ""), outcome.get("found", "")
    fact, address = outcome.get("fact", ""), outcome.get("address") or ""
    if outcome["verdict"] == "wrong-verdict":
        detail = f"expected to {expected}; {found}"
    elif outcome["verdict"] == "fail":
        detail = f"{fact}{f' at {address}' if address else ''}: expected {expected}, found {found}"
    else:
        detail = outcome.get("how") or outcome.get("reason") or ""
    evidence = told.get("evidence") or {}
    wrong = [one for one in evidence.get("fields", ()) if one["wrong"]]
    others = tuple(
        OtherFact(
            one["fact"], one.get("address") or "", one["expected"], one["found"], one["count"], one.get("follows") or ""
        )
        for one in told.get("others", ())
    )
    return CaseResult(
        id=told["id"],
        summary=summary,
        verdict=outcome["verdict"],
        detail=detail,
        fact=fact,
        address=address,
        expected=expected,
        found=found,
        others=others,
        bytes=f"offset {evidence['offset']:#x}: {' '.join(one['bytes'] for one in wrong)}" if wrong else "",
        rule=evidence.get("rule") or "",
        reason=(told.get("expected") or {}).get("reason"),
        repeated_by=tuple(re.findall(r"--filter (\S+)", told.get("repeat") or "")) or (told["id"],),
        cause=cause,
    )
