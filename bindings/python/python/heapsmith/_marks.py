"""The decorator of tests that pytest makes one test for each case of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

from ._check import EXPLAIN, Expected

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class HeapDumps:
    """The dumps that a test is asked about, and what its parser claims: the arguments of `heapsmith.check`."""

    format: Optional[str] = None
    filter: Union[str, Sequence[str], None] = None
    random: int = 0
    seed: int = 0
    claims: Mapping[str, Any] = field(default_factory=dict)
    refused_by: Sequence[type[BaseException]] = ()
    expected: Expected = None
    explain: int = EXPLAIN
    explain_seconds: int = 600
    max_equal_ends: int = 12


def heap_dumps(
    format: Optional[str] = None,
    filter: Union[str, Sequence[str], None] = None,
    *,
    random: int = 0,
    seed: int = 0,
    claims: Optional[Mapping[str, Any]] = None,
    refused_by: Sequence[type[BaseException]] = (),
    expected: Expected = None,
    explain: int = EXPLAIN,
    explain_seconds: int = 600,
    max_equal_ends: int = 12,
) -> Callable[[_Function], _Function]:
    """Marks a test function `(path, heap)`: pytest makes a test of each case, named by its id. The arguments are those of
    `heapsmith.check`; a file of expected failures is looked for beside the test's own file."""
    options = HeapDumps(
        format, filter, random, seed, dict(claims or {}), tuple(refused_by), expected, explain, explain_seconds, max_equal_ends
    )

    def mark(function: _Function) -> _Function:
        function.heapsmith_options = options  # type: ignore[attr-defined]
        return function

    return mark
