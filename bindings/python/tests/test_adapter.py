"""The adapter as a process: the command's own test of adapters, where the command is there, and the protocol by hand."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import HPROF, ROOT

PARSER = """
import heapsmith, toy_parser

@heapsmith.heap_dumps(claims={"reads": ["hprof"], "facets": ["superclass", "roots"]}, refused_by=(toy_parser.Refusal,))
def parse(path, heap):
    print("noise")
    return toy_parser.parse(path)
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a parser."""
    (tmp_path / "my_parser.py").write_text(PARSER)
    shutil.copy(ROOT / "examples/golden/pytest/toy_parser.py", tmp_path)
    return tmp_path


def ask(folder, *requests, arguments=("my_parser:parse",)):
    """The answers of the adapter."""
    text = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests, 1))
    command = [sys.executable, "-m", "heapsmith.adapter", *arguments]
    ended = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "noise" not in ended.stdout
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_requests_are_answered_in_turn(folder):
    (folder / "dump.hprof").write_bytes(HPROF)
    (folder / "cut.hprof").write_bytes(HPROF[:-3])
    out = folder / "answer.jsonl"
    parse = {"op": "parse", "level": "listing", "format": "hprof", "out": str(out)}
    hello, accepted, rejected, unknown, absent = ask(
        folder,
        {"op": "hello", "protocols": [1, 2], "runner": "test"},
        {**parse, "path": str(folder / "dump.hprof")},
        {**parse, "path": str(folder / "cut.hprof")},
        {"op": "dance"},
        {**parse, "path": str(folder / "absent.hprof")},
    )
    assert (hello["id"], hello["protocol"], hello["name"], hello["facets"]) == (1, 2, "parse", ["address", "kind", "superclass", "roots"])
    assert accepted == {"id": 2, "status": "accept"}
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    # The toy reports no root, and claims to.
    assert lines[0] == {"listing": 1, "roots": 0}
    assert [line["address"] for line in lines[1:]] == ["0x1000", "0x2000", "0x3000", "0x4000"]
    assert (rejected["id"], rejected["status"]) == (3, "reject")
    assert (unknown["status"], absent["status"]) == ("error", "crash")


def test_claims_can_be_a_file(folder):
    (folder / "plain.py").write_text("def parse(path, heap): raise EOFError('bad at 0x1f')\n")
    (folder / "claims.json").write_text('{"name": "plain", "facets": ["class"]}')
    (folder / "dump.hprof").write_bytes(HPROF)
    arguments = ("plain:parse", "--claims", "claims.json", "--refused-by", "builtins:EOFError")
    request = {"op": "parse", "level": "listing", "path": str(folder / "dump.hprof"), "out": str(folder / "out")}
    hello, rejected = ask(folder, {"op": "hello", "protocols": [2]}, request, arguments=arguments)
    assert (hello["name"], hello["facets"]) == ("plain", ["address", "kind", "class"])
    assert rejected == {"id": 2, "status": "reject", "message": "bad at 0x1f", "offset": 31}


def test_a_parser_that_there_is_not_is_named(folder):
    for name in ("my_parser", "my_parser:prase", "no_parser:parse"):
        ended = subprocess.run(
            [sys.executable, "-m", "heapsmith.adapter", name], cwd=folder, capture_output=True, text=True, input=""
        )
        assert ended.returncode == 1 and f"'{name}'" in ended.stderr and "MODULE:NAME" in ended.stderr


def test_the_command_finds_nothing_wrong(folder):
    command = os.environ.get("HEAPSMITH") or shutil.which("heapsmith")
    if command is None:
        pytest.skip("the command heapsmith is not there; HEAPSMITH names it")
    # It claims no roots, which it does not read.
    text = PARSER.replace(', "roots"', "")
    (folder / "my_parser.py").write_text(text)
    adapter = f"{sys.executable} -m heapsmith.adapter my_parser:parse"
    ended = subprocess.run([command, "adapter", "test", adapter], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
