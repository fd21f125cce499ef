"""The corpus: dumps whose content is known, with every answer that is right."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from . import _native


@dataclass(frozen=True)
class Answer:
    """An answer that is right."""

    #: The reading of the dump that leads to it.
    reading: str
    #: The listing, as JSON Lines; `None` where a refusal is right.
    listing: Optional[str]


class Case:
    """A dump with every answer that is right."""

    def __init__(self, number: int, described: Mapping[str, Any]) -> None:
        self._number = number
        #: The case as `corpus/manifest.json` describes it.
        self.described = described
        #: The stable id, unique over all formats.
        self.id: str = described["id"]
        #: What it is about, in a line.
        self.summary: str = described["summary"]
        #: The format with its version, such as `hprof` or `phd6`.
        self.format: str = described["format"]
        #: `valid`, `invalid` or `ambiguous`.
        self.verdict: str = described["verdict"]
        #: The heap that the answers describe, from 0; `None` if the dump has one.
        self.heap: Optional[int] = described.get("heap")

    @functools.cached_property
    def dump(self) -> bytes:
        """The dump."""
        return _native.case_dump(self._number)

    @functools.cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answers that are right: of a valid dump one listing, of an invalid one a refusal, of an ambiguous one several."""
        told = []
        for place, answer in enumerate(self.described["answers"]):
            listing = _native.case_answer(self._number, place)
            told.append(Answer(answer["reading"], None if listing is None else listing.decode()))
        return tuple(told)

    def __repr__(self) -> str:
        return f"<Case {self.id}: {self.summary}>"


def corpus(format: Optional[str] = None, filter: Union[str, Sequence[str], None] = None) -> Iterator[Case]:
    """The cases of the corpus by id, one at a time: all, or those of a format (`hprof`, `phd` or `classic`) that a filter takes.

    A filter is a part of an id, a whole id, a pattern of ids, or `rule=PATTERN`; several add up. `ArgumentError` if one takes no case.
    The first call makes all cases, which takes some seconds."""
    wanted = set(case_ids(format, filter))
    for number in range(_native.case_count()):
        case = Case(number, json.loads(_native.case_description(number)))
        if case.id in wanted:
            yield case


def case_ids(
    format: Optional[str] = None, filter: Union[str, Sequence[str], None] = None, random: int = 0, seed: int = 0
) -> list[str]:
    """The ids of the cases that `check` asks about by the same arguments."""
    return _native.case_ids(format, filters_of(filter), random, seed)


def filters_of(filter: Union[str, Sequence[str], None]) -> list[str]:
    """Filters as a list."""
    if filter is None:
        return []
    return [filter] if isinstance(filter, str) else list(filter)
