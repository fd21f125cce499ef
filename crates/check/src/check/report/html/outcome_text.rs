//! The text of an outcome, with the difference between right and found set apart.

use crate::check::report::{Expectation, Outcome, group};

/// Characters of a text.
const MOST_CHARACTERS: usize = 800;

/// Characters of what two texts have in common that stay before the difference.
const BEFORE_DIFFERENCE: usize = 200;

/// The text of an outcome: right and found, the values of each side, or one text.
pub(super) enum OutcomeText {
    Sides(DiffSide, DiffSide),
    /// Labels with their values, where none of them counts as right.
    Parts(Vec<(String, String)>),
    Text(String),
    Nothing,
}

/// The right value, or the one found instead, with the difference set apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DiffSide {
    /// The number of common characters left out in front.
    pub(super) skipped: usize,
    pub(super) before: String,
    pub(super) differs: String,
    pub(super) after: String,
    pub(super) left_out: usize,
}

/// A reason, with its link if that leads to a page.
pub(super) struct LinkedReason<'a> {
    pub(super) reason: String,
    pub(super) href: Option<&'a str>,
    pub(super) text: Option<String>,
    pub(super) cases: usize,
}

/// The wrong fact and its place, or the disputed fact; empty where the outcome's text is enough.
pub(super) fn gist(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fail { fact, address, count, .. } => {
            let at = address.as_deref().map(|address| format!(" at {address}")).unwrap_or_default();
            let more = if *count > 1 { format!(", {count} times") } else { String::new() };
            short(&format!("{fact}{at}{more}"))
        }
        Outcome::Disagree(about) => short(&about.place()),
        _ => String::new(),
    }
}

impl OutcomeText {
    pub(super) fn from_outcome(outcome: &Outcome) -> OutcomeText {
        match outcome {
            Outcome::Pass { .. } | Outcome::Agree { .. } => OutcomeText::Nothing,
            Outcome::Disagree(about) => {
                let silent =
                    about.silent.iter().map(|label| (label.clone(), "not asked, or does not report it".to_owned()));
                let sides = about.sides.iter().map(|side| (side.by.join(", "), short(&side.says)));
                OutcomeText::Parts(sides.chain(silent).collect())
            }
            Outcome::Fail { expected, found, .. } | Outcome::WrongVerdict { expected, found } => {
                let (expected, found) = diff_texts(expected, found);
                OutcomeText::Sides(expected, found)
            }
            other => OutcomeText::Text(short(&other.detail())),
        }
    }
}

pub(super) fn short(text: &str) -> String {
    let (shown, left_out) = group::truncate(text, MOST_CHARACTERS);
    let more = if left_out > 0 { format!("… ({left_out} characters more)") } else { String::new() };
    format!("{shown}{more}")
}

/// Two texts, with their difference set apart where they have something in common.
fn diff_texts(expected: &str, found: &str) -> (DiffSide, DiffSide) {
    let (a, b): (Vec<char>, Vec<char>) = (expected.chars().collect(), found.chars().collect());
    let begin = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - begin;
    let end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    // A letter or two in common are chance.
    let (begin, end) = if begin + end < 4 { (0, 0) } else { (begin, end) };
    (diff_side(&a, begin, end), diff_side(&b, begin, end))
}

fn diff_side(text: &[char], begin: usize, end: usize) -> DiffSide {
    let skipped = if begin > 2 * BEFORE_DIFFERENCE { begin - BEFORE_DIFFERENCE } else { 0 };
    let stop = text.len().min(skipped + MOST_CHARACTERS);
    let part = |from: usize, to: usize| -> String {
        let (from, to) = (from.clamp(skipped, stop), to.clamp(skipped, stop));
        text[from..to].iter().collect()
    };
    let apart = begin + end > 0;
    let last = if apart { text.len() - end } else { 0 };
    DiffSide {
        skipped,
        before: part(skipped, begin),
        differs: if apart { part(begin, last) } else { String::new() },
        after: part(last, text.len()),
        left_out: text.len() - stop,
    }
}

impl<'a> LinkedReason<'a> {
    pub(super) fn from_expectation(Expectation { reason, link }: &'a Expectation, cases: usize) -> LinkedReason<'a> {
        let link = link.as_deref();
        LinkedReason { reason: short(reason), href: link.and_then(group::safe_link), text: link.map(short), cases }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(expected: &str, found: &str) -> [(String, String, String); 2] {
        let (a, b) = diff_texts(expected, found);
        [a, b].map(|side| (side.before, side.differs, side.after))
    }

    #[test]
    fn separates_differing_part() {
        let told = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(
            apart("array of 5 ints", "array of 37 ints"),
            [told("array of ", "5", " ints"), told("array of ", "37", " ints")]
        );
        assert_eq!(apart("aaaaa", "aaaa"), [told("aaaa", "a", ""), told("aaaa", "", "")]);
        assert_eq!(apart("5", "7"), [told("", "", "5"), told("", "", "7")]);
        assert_eq!(apart("𝄞𝄞𝄞𝄞x", "𝄞𝄞𝄞𝄞"), [told("𝄞𝄞𝄞𝄞", "x", ""), told("𝄞𝄞𝄞𝄞", "", "")]);
        assert_eq!(apart("", ""), [told("", "", ""), told("", "", "")]);
    }

    #[test]
    fn a_late_difference_is_shown() {
        let same = "s".repeat(100_000);
        let (a, b) = diff_texts(&format!("{same}1{same}"), &format!("{same}2{same}"));
        assert_eq!((a.skipped, a.differs.as_str(), b.differs.as_str()), (99_800, "1", "2"));
        assert_eq!(a.left_out, 100_001 + 200 - 800);
    }
}
