"""The mutator and the harness for atheris."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

import heapsmith
from conftest import HPROF, PHD, ROOT
from heapsmith.atheris import custom_crossover, custom_mutator


def test_mutants_depend_on_input_and_seed_and_fit():
    seen = set()
    for seed in range(200):
        for dump in (HPROF, PHD, b"", b"no dump at all"):
            mutant = custom_mutator(dump, 300, seed)
            assert isinstance(mutant, bytes) and len(mutant) <= 300
            assert mutant == custom_mutator(dump, 300, seed)
            seen.add(mutant)
    assert len(seen) > 200


def test_most_mutants_are_read_to_their_end():
    whole = 0
    for seed in range(200):
        try:
            heapsmith.Heap.read(custom_mutator(HPROF, 4096, seed))
            whole += 1
        except heapsmith.InvalidError:
            pass
    # Byte mutations mostly break a length. A mutant may break one rule on purpose.
    assert whole > 100


def test_a_crossover_fits():
    crossed = {custom_crossover(HPROF, heapsmith.Heap.random(7).write("hprof"), 600, seed) for seed in range(50)}
    assert len(crossed) > 10 and max(map(len, crossed)) <= 600


def test_the_harness_runs(tmp_path):
    if importlib.util.find_spec("atheris") is None:
        assert os.environ.get("HEAPSMITH_PYTHON_REQUIRED") != "1", "atheris is required"
        pytest.skip("atheris is not installed")
    harness = shutil.copy(ROOT / "examples/engines/atheris/fuzz.py", tmp_path)
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds/dump").write_bytes(HPROF)
    command = [sys.executable, harness, "seeds", "-runs=2000", "-max_len=4096", "-seed=1"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert "Done 2000 runs" in ended.stderr
    assert "MS: 1 Custom" in ended.stderr or "Custom-" in ended.stderr
