"""The extension module: bytes, texts and JSON. Its functions are called by the package alone."""

import os
from collections.abc import Callable, Iterator
from typing import Optional, Union, final

from typing_extensions import Buffer

__all__ = [
    "ArgumentError",
    "DefectError",
    "Heap",
    "HeapClass",
    "HeapObject",
    "HeapRoot",
    "HeapsmithError",
    "InvalidError",
    "LimitError",
    "answers",
    "build",
    "case_answer",
    "case_count",
    "case_description",
    "case_dump",
    "case_ids",
    "check",
    "compare_digest",
    "compare_listing",
    "cross_over",
    "digest",
    "dump_from_bytes",
    "generate",
    "is_dump",
    "listing",
    "mutate",
    "validate",
]

class HeapsmithError(Exception):
    """An error of heapsmith."""

class ArgumentError(HeapsmithError):
    """An argument is wrong: a recipe, format, heap file or number that does not exist."""

class InvalidError(HeapsmithError):
    """The dump or listing breaks a rule of its format."""

class LimitError(HeapsmithError):
    """A limit in bytes would be exceeded, or the machine failed."""

class DefectError(HeapsmithError):
    """A defect of heapsmith."""

#: A value of a field or element: `None` is null, and an `int` in place of an object is the address of what the dump does not have.
_Value = Union[None, bool, int, float, str, HeapClass, HeapObject]

@final
class Heap:
    """A heap of a dump. `len(heap)` and `heap[n]` are those of its objects, in the order of the file."""

    @staticmethod
    def read(data: Buffer, heap: int = 0) -> Heap:
        """Reads a heap of a dump: the first one, or that of a number. A dump that is not valid raises `InvalidError`."""
    @staticmethod
    def random(seed: int) -> Heap:
        """A random heap of 200 objects: the same seed gives the same heap."""
    @property
    def classes(self) -> list[HeapClass]:
        """The classes, in the order of the file."""
    @property
    def objects(self) -> Iterator[HeapObject]:
        """The objects, each when it is asked for, in the order of the file."""
    @property
    def roots(self) -> Optional[list[HeapRoot]]:
        """The roots, in the order of the file; `None` if the dump records none."""
    def at(self, address: int) -> Union[HeapClass, HeapObject, None]:
        """The class or object at an address; `None` if there is none."""
    def class_named(self, name: str) -> HeapClass:
        """The first class of a name, in the form of Java source or of the dump. `KeyError` if there is none."""
    def write(self, format: str) -> bytes:
        """The heap's dump in a format such as `hprof`, or as a writer makes it, such as `phd6/openj9`."""
    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> HeapObject: ...

@final
class HeapClass:
    """A class of a heap."""

    @property
    def address(self) -> int:
        """The address, in bytes."""
    @property
    def name(self) -> str:
        """The name as Java source has it, such as `java.lang.String` or `int[]`."""
    @property
    def superclass(self) -> Optional[HeapClass]:
        """The superclass; `None` for none, or where the dump does not have it."""
    @property
    def fields(self) -> Optional[list[tuple[str, str]]]:
        """The instance fields that the class itself declares, each with its type; `None` where they are not recorded."""
    @property
    def statics(self) -> Optional[dict[str, _Value]]:
        """The static fields by name; of several with one name the last. `None` where they are not recorded."""

@final
class HeapObject:
    """An object of a heap: an instance or an array. `object["field"]` is the value of a field."""

    @property
    def address(self) -> int:
        """The address, in bytes."""
    @property
    def kind(self) -> str:
        """`object`, `object-array` or `primitive-array`."""
    @property
    def class_(self) -> Optional[HeapClass]:
        """The class; `None` where the dump does not record or have it."""
    @property
    def element(self) -> Optional[str]:
        """The type of the elements of an array: `object`, or the keyword of a primitive type. `None` for an instance."""
    @property
    def length(self) -> Optional[int]:
        """The number of elements of an array; `None` for an instance, or where it is not recorded."""
    @property
    def text(self) -> Optional[str]:
        """The text of a `java.lang.String`; `None` for another object, or where it cannot be told."""
    @property
    def elements(self) -> Optional[list[_Value]]:
        """The elements of an array; `None` for an instance, or where they are not recorded."""
    @property
    def contents(self) -> Optional[bytes]:
        """The elements of a primitive array one after the other, each big-endian; `None` where they are not recorded."""
    @property
    def references(self) -> list[int]:
        """The addresses of what it refers to, in the order of the dump, without nulls."""
    def items(self) -> list[tuple[str, _Value]]:
        """The fields with their values: those of its class first, then those of the superclasses."""
    def __getitem__(self, name: str, /) -> _Value: ...

@final
class HeapRoot:
    """A root of a heap."""

    @property
    def kind(self) -> str:
        """The kind, such as `jni-global`."""
    @property
    def address(self) -> int:
        """The address of the object."""
    @property
    def thread(self) -> Optional[int]:
        """The serial number of the thread; `None` where the kind has none."""
    @property
    def object(self) -> Union[HeapClass, HeapObject, None]:
        """The class or object; `None` where the dump does not have it."""

def generate(recipe: str, max_size: int) -> bytes: ...
def build(text: Buffer, format: str, max_size: int) -> bytes: ...
def mutate(data: Buffer, seed: int, max_size: int) -> bytes: ...
def cross_over(one: Buffer, other: Buffer, seed: int, max_size: int) -> bytes: ...
def dump_from_bytes(options: str, data: Buffer, max_size: int) -> bytes: ...
def is_dump(data: Buffer) -> bool: ...
def validate(data: Buffer, max_size: int) -> bytes: ...
def listing(data: Buffer, heap: int, max_size: int) -> bytes: ...
def answers(data: Buffer, heap: int, max_size: int) -> bytes: ...
def digest(data: Buffer, heap: int, max_size: int) -> bytes: ...
def compare_listing(data: Buffer, heap: int, listing: Buffer, max_size: int) -> bytes: ...
def compare_digest(data: Buffer, heap: int, digest: Buffer, max_size: int) -> bytes: ...
def case_count() -> int: ...
def case_dump(number: int) -> bytes: ...
def case_description(number: int) -> bytes: ...
def case_answer(number: int, answer: int) -> Optional[bytes]: ...
def case_ids(format: Optional[str], filters: list[str], random: int, seed: int) -> list[str]: ...
def check(
    name: str,
    answer: Callable[[str], str],
    format: Optional[str],
    filters: list[str],
    random: int,
    seed: int,
    expected_file: Optional[os.PathLike[str]],
    expected: str,
    explain: int,
    explain_seconds: int,
    max_equal_ends: int,
) -> bytes: ...
