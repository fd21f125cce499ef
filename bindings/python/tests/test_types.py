"""Type hints."""

import importlib.util
import inspect
import os
import subprocess
import sys

import pytest

import heapsmith
from conftest import ROOT

PACKAGE = ROOT / "bindings/python/python/heapsmith"


def test_the_package_is_sound_by_mypy():
    if importlib.util.find_spec("mypy") is None:
        assert os.environ.get("HEAPSMITH_PYTHON_REQUIRED") != "1", "mypy is required"
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", str(PACKAGE)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


def test_the_stub_has_what_the_extension_has():
    if importlib.util.find_spec("mypy") is None:
        assert os.environ.get("HEAPSMITH_PYTHON_REQUIRED") != "1", "mypy is required"
        pytest.skip("mypy is not installed")
    command = [sys.executable, "-m", "mypy.stubtest", "heapsmith._native", "--ignore-disjoint-bases"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout


def test_what_is_public_is_documented():
    for name in heapsmith.__all__:
        item = getattr(heapsmith, name)
        assert inspect.getdoc(item), name
        members = vars(item).items() if inspect.isclass(item) else ()
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"
