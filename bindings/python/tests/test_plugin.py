"""The plugin of pytest, in runs of pytest of its own."""

import pathlib

import pytest

TOY = pathlib.Path(__file__).parents[3] / "examples/golden/pytest/toy_parser.py"
TEST = """
import heapsmith, pytest, toy_parser

{before}
@heapsmith.heap_dumps(format="hprof", filter={filter}, explain={explain}, refused_by=(toy_parser.Refusal,), {options}
    claims={{"reads": ["hprof"], "facets": ["superclass", "class", "array-length", "elements", "primitive-contents"]}})
def test_hprof(path, heap):
    {body}
"""
WRONG, RIGHT = "hprof-spelled-high-ids", "hprof-spelled-no-name"


@pytest.fixture
def run(pytester):
    """Runs pytest over a test file with the toy parser."""
    pytester.makepyfile(toy_parser=TOY.read_text(encoding="utf-8"))

    def run(*arguments, filter=(WRONG, RIGHT), explain=0, options="", before="", body="return toy_parser.parse(path)"):
        text = TEST.format(filter=list(filter), explain=explain, options=options, before=before, body=body)
        pytester.makepyfile(test_parser=text)
        return pytester.runpytest_subprocess(*arguments)

    return run


def test_each_case_is_a_test(run):
    result = run("-v", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"test_parser.py::test_hprof[[]{RIGHT}] PASSED*"])
    result.stdout.fnmatch_lines([
        f"*_ test_hprof[[]{WRONG}] _*",
        "  address at 0x80001000",
        "  expected: class",
        "  found: *0xffffffff80001000",
        "  bytes:    offset 0x*80001000*",
        f"  repeat:   pytest 'test_parser.py::test_hprof[[]{WRONG}]'",
    ])  # fmt: skip


def test_the_summary_has_the_cause_and_its_pair(run):
    result = run(explain=500)
    result.stdout.fnmatch_lines([
        "*= causes of heap dump failures =*",
        "test_hprof:",
        "1 case: Fails where *0x80000000*",
        f"  smallest: {WRONG}",
        "  pair:     passes with 7fffffff*, fails with 80000000* at offset 0x*",
    ])  # fmt: skip


def test_only_selected_cases_are_asked(run, pytester):
    body = "open('asked', 'a').write('x'); return toy_parser.parse(path)"
    run(f"test_parser.py::test_hprof[{RIGHT}]", body=body).assert_outcomes(passed=1)
    assert (pytester.path / "asked").read_text() == "x"
    result = run("-k", "high", body=body)
    result.assert_outcomes(failed=1, deselected=1)
    assert (pytester.path / "asked").read_text() == "xx"


def test_expected_failures_are_xfails(run, pytester):
    path = pytester.path / "expected.toml"
    path.write_text(f'[[expect]]\nreason = "signed identifiers"\nverdicts = ["fail"]\ncases = ["{WRONG}"]\n')
    result = run("-rx", options="expected='expected.toml',")
    result.assert_outcomes(passed=1, xfailed=1)
    result.stdout.fnmatch_lines(["*signed identifiers*"])
    assert result.ret == 0
    path.write_text(f'[[expect]]\nreason = "signed identifiers"\nverdicts = ["fail"]\ncases = ["{RIGHT}"]\n')
    result = run(options="expected='expected.toml',")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*passes, although it is expected to fail: signed identifiers*"])


def test_skips_have_their_reason(run):
    result = run("-rs", body="pytest.skip('no time')")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*no time*"])
    run(body="raise heapsmith.Skip('no time')").assert_outcomes(skipped=2)


def test_marks_of_pytest_hold(run):
    run(before="@pytest.mark.skip(reason='later')").assert_outcomes(skipped=2)
    run("-m", "not slow", "-W", "ignore", before="@pytest.mark.slow").assert_outcomes(deselected=2)


def test_a_crash_has_the_traceback_of_the_parser(run):
    result = run(body="return [][1]")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*test_parser.py*", "*IndexError: list index out of range*"])


def test_a_filter_that_takes_no_case_is_an_error(run):
    result = run(filter=["hprof-spelled-hihg-ids"])
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_hprof: no case matches the filter*"])


def test_random_dumps_are_tests(run):
    result = run("--co", "-q", filter=["random-*"], options="random=2, seed=1,")
    result.stdout.fnmatch_lines(["test_parser.py::test_hprof[[]random-*-1-000000]", "test_parser.py::test_hprof[[]random-*-1-000001]"])


def test_a_method_is_a_test(pytester):
    pytester.makepyfile(toy_parser=TOY.read_text(encoding="utf-8"))
    pytester.makepyfile(f"""
        import heapsmith, toy_parser
        class TestParser:
            @heapsmith.heap_dumps("hprof", "{RIGHT}", explain=0)
            def test_hprof(self, path, heap):
                return toy_parser.parse(path)
    """)
    result = pytester.runpytest_subprocess("-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"*TestParser::test_hprof[[]{RIGHT}] PASSED*"])
