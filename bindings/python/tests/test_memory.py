"""Memory: a dump of 100 MB passes through without another copy in Python."""

import subprocess
import sys

import pytest

#: A process that validates a dump, and prints what that takes at most: of Python's own memory, and of the process.
PROGRAM = """
import resource, struct, sys, tracemalloc
import heapsmith

SIZE = 100_000_000
array = struct.pack(">BIIIB", 0x23, 0x1000, 0, SIZE, 8)
head = b"JAVA PROFILE 1.0.2\\0" + struct.pack(">IQBII", 4, 0, 0x0C, 0, len(array) + SIZE) + array
{before}
dump = {dump}
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
tracemalloc.start()
report = heapsmith.validate(dump)
print(tracemalloc.get_traced_memory()[1], peak() - before)
assert report["schema"]
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of a process has other units elsewhere")
@pytest.mark.parametrize(
    "dump, copies",
    [
        # The one copy is that of the functions underneath.
        ("head.ljust(len(head) + SIZE, b'\\0')", 1),
        # Python may change the buffer meanwhile.
        ("zeros", 2),
        ("memoryview(zeros)", 2),
    ],
    ids=["bytes", "bytearray", "memoryview"],
)
def test_a_large_dump_is_not_copied_by_python(dump, copies):
    zeros = "zeros = bytearray(len(head) + SIZE); zeros[:len(head)] = head" if "zeros" in dump else ""
    program = PROGRAM.replace("{before}", zeros).replace("{dump}", dump)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    of_python, of_process = ended.stdout.split()
    assert int(of_python) < 4_000_000
    # The dump itself is there before, and the measure is one.
    assert 90_000_000 < int(of_process) < copies * 100_000_000 + 20_000_000
