//! The corpus, a case at a time.

use std::sync::LazyLock;

use heapsmith_core::error::Error;

use crate::corpus::{Case, ManifestCase, RightAnswer, cases, write_listing};

use super::text::{BoundedText, within};

/// Every case by id, made when the first one is asked for.
static CASES: LazyLock<Result<Vec<Case>, String>> = LazyLock::new(|| cases().map_err(|error| error.to_string()));

/// The number of cases.
///
/// # Errors
/// If a case cannot be made, which the tests rule out.
pub fn case_count() -> Result<usize, Error> {
    all().map(<[Case]>::len)
}

/// The dump of a case.
///
/// # Errors
/// If there is no such case, or the dump has more than `most` bytes.
pub fn case_dump(number: usize, most: usize) -> Result<Vec<u8>, Error> {
    within(&case(number)?.bytes, most)
}

/// A case as the manifest of the corpus describes it.
///
/// # Errors
/// If there is no such case, or the text has more than `most` bytes.
pub fn case_description(number: usize, most: usize) -> Result<Vec<u8>, Error> {
    BoundedText::json(&ManifestCase::from_case(case(number)?), most)
}

/// A right answer about a case, in the order of its description: a listing, or `None` for a refusal.
///
/// # Errors
/// If there is no such case or answer, or the listing has more than `most` bytes.
pub fn case_answer(number: usize, answer: usize, most: usize) -> Result<Option<Vec<u8>>, Error> {
    let case = case(number)?;
    let answers = case.answers.len();
    let missing = || Error::Usage(format!("{} has {answers} right answers, and no answer {answer}", case.id));
    match case.answers.get(answer).ok_or_else(missing)? {
        RightAnswer::Refuses(_) => Ok(None),
        RightAnswer::Reads(_, heap) => {
            let mut text = BoundedText::new(most);
            write_listing(&mut text, case.format, case.heap, heap)?;
            Ok(Some(text.into_bytes()))
        }
    }
}

fn all() -> Result<&'static [Case], Error> {
    CASES.as_deref().map_err(|message| Error::Usage(message.clone()))
}

fn case(number: usize) -> Result<&'static Case, Error> {
    let all = all()?;
    all.get(number).ok_or_else(|| Error::Usage(format!("the corpus has {} cases, and no case {number}", all.len())))
}
