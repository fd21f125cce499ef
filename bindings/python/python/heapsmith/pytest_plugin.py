"""The plugin of pytest: a function under `@heapsmith.heap_dumps(...)` is one test for each case.

The tests of a function that are selected are asked when the first of them runs, since an answer can be right only in the light of
others: of bytes with several right readings a parser has to follow one. Each test then has the verdict of its case.
"""

from __future__ import annotations

import pathlib
import shlex
from typing import Any, Iterable, Iterator, Optional, Union

import pytest

from ._cases import case_ids
from ._check import CaseResult, CheckReport, check
from ._marks import HeapDumps
from ._native import HeapsmithError


class HeapDumpFailure(Exception):
    """A case that failed; the message is the whole report of it."""


class _Group:
    """The tests of a function, and their report once the first of them has run."""

    def __init__(self, function: Any, options: HeapDumps, folder: pathlib.Path, ids: list[str]) -> None:
        self.function = function
        self.options = options
        self.folder = folder
        self.ids = ids
        self.report: Optional[CheckReport] = None
        self.error: Optional[BaseException] = None

    def result(self, item: HeapDumpItem) -> CaseResult:
        """The result of the case of a test."""
        if self.report is None and self.error is None:
            selected = [one.case for one in item.session.items if isinstance(one, HeapDumpItem) and one.group is self]
            try:
                self.report = self._check(selected)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # each further test would ask about all cases once more
                self.error = error
        if self.error is not None:
            raise self.error
        assert self.report is not None
        return self.report.results[item.case]

    def _check(self, selected: list[str]) -> CheckReport:
        options, expected = self.options, self.options.expected
        if isinstance(expected, str) or hasattr(expected, "__fspath__"):
            expected = self.folder / str(expected)
        return check(
            self.function,
            options.format,
            # A filter that is a whole id takes this case alone.
            options.filter if len(selected) == len(self.ids) else selected,
            random=options.random,
            seed=options.seed,
            claims=options.claims,
            refused_by=options.refused_by,
            skipped_by=(pytest.skip.Exception,),
            expected=expected,
            explain=options.explain,
            explain_seconds=options.explain_seconds,
            max_equal_ends=options.max_equal_ends,
        )


class HeapDumpItem(pytest.Item):
    """The test of one case."""

    def __init__(self, *, group: _Group, case: str, function: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.group = group
        self.case = case
        #: The function that is marked.
        self.obj = function
        for mark in getattr(function, "pytestmark", ()):
            self.add_marker(getattr(pytest.mark, mark.name)(*mark.args, **mark.kwargs))

    def runtest(self) -> None:
        result = self.group.result(self)
        if result.verdict == "skip":
            pytest.skip(result.detail)
        if result.is_failure and result.reason is not None:
            pytest.xfail(result.reason)
        if result.is_unexpected:
            raise HeapDumpFailure(result.describe(result.summary, self._repeat(result.repeated_by)))

    def _repeat(self, cases: Iterable[str]) -> str:
        """The command that shows the failure again."""
        node, _, _ = self.nodeid.rpartition(f"[{self.case}]")
        return shlex.join(["pytest", *(f"{node}[{case}]" for case in cases)])

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, HeapDumpFailure):
            return str(excinfo.value)
        if isinstance(excinfo.value, HeapsmithError):
            return f"{type(excinfo.value).__name__}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Union[pathlib.Path, str], Optional[int], str]:
        code = getattr(self.obj, "__code__", None)
        return self.path, code.co_firstlineno - 1 if code else None, self.name


def pytest_pycollect_makeitem(
    collector: Union[pytest.Module, pytest.Class], name: str, obj: object
) -> Optional[list[HeapDumpItem]]:
    """Makes the tests of a marked function."""
    options = getattr(obj, "heapsmith_options", None)
    if not isinstance(options, HeapDumps) or not collector.funcnamefilter(name):
        return None
    function: Any = obj
    if isinstance(collector, pytest.Class):
        function = getattr(collector.obj(), name)
    try:
        ids = case_ids(options.format, options.filter, options.random, options.seed)
    except HeapsmithError as error:
        raise collector.CollectError(f"{name}: {error}") from error
    group = _Group(function, options, collector.path.parent, ids)
    collector.config.stash[_GROUPS].append(group)
    return [
        HeapDumpItem.from_parent(collector, name=f"{name}[{case}]", group=group, case=case, function=obj) for case in ids
    ]


def pytest_configure(config: pytest.Config) -> None:
    """Prepares the list of what was run."""
    config.stash[_GROUPS] = []


# The outermost wrapper: causes come after the list of failed tests, where they are seen.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> Iterator[None]:
    """Prints the causes of failures."""
    yield
    lines = [line for group in config.stash.get(_GROUPS, []) if group.report for line in _summary(group)]
    if lines:
        terminalreporter.section("causes of heap dump failures")
        for line in lines:
            terminalreporter.line(line)


def _summary(group: _Group) -> Iterator[str]:
    assert group.report is not None
    causes: Iterable[Any] = (cause for cause in group.report.causes if cause.unexpected)
    told = [line for cause in causes for line in str(cause).splitlines()]
    if told:
        yield f"{group.function.__name__}:"
        yield from told


_GROUPS = pytest.StashKey[list[_Group]]()
