//! Cases that are spelled by hand: how they are read, and what is said of mistakes.

use heapsmith::corpus::{Case, CaseVerdict, cases_from_text};
use heapsmith::format::Family;

const GOOD: &str = r#"
    format = "hprof"
    [pieces]
    one = "01 # a comment"
    [[case]]
    id = "some-case"
    summary = "a case"
    records = 0
    bytes = '''
    @one 02
    0304 # another
    '''
    [[case.answer]]
"#;

fn made(text: &'static str) -> Result<Vec<Case>, String> {
    cases_from_text(Family::HPROF, &[("some/file.toml", text)])
}

#[test]
fn parses_words_pieces_and_comments_as_bytes() {
    let cases = made(GOOD).expect("right");
    assert_eq!(cases[0].bytes, [1, 2, 3, 4]);
    assert_eq!(cases[0].verdict, CaseVerdict::Invalid);
}

#[test]
fn names_file_and_case_of_mistake() {
    for (right, wrong, message) in [
        ("0304", "030", "\"030\" is neither"),
        ("0304", "03x4", "\"03x4\" is neither"),
        ("@one", "@two", "there is no piece @two"),
        ("records = 0", "records = 0\ntext = []", "either bytes or a text"),
        ("records = 0", "records = 0\nshows = [\"hprof.no.rule\"]", "there is no rule hprof.no.rule"),
        ("[[case.answer]]", "[[case.answer]]\nlisting = '@none'", "there is no line @none"),
        ("[[case.answer]]", "[[case.answer]]\nlisting = '{}'", "listing, line 2"),
        ("[[case.answer]]", "[[case.answer]]\nfacts = '1'\nlisting = ''", "facts: "),
        ("format = \"hprof\"", "format = \"other\"", "other"),
    ] {
        let text = GOOD.replace(right, wrong).leak();
        let error = made(text).expect_err(wrong);
        assert!(error.starts_with("specs/cases/some/file.toml: some-case: "), "{error}");
        assert!(error.contains(message), "{wrong}: {error}");
    }
    let error = made("[[case]]\nid = 'x'\nsumary = ''").expect_err("misspelled");
    assert!(error.starts_with("specs/cases/some/file.toml: "), "{error}");
}
