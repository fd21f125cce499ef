//! The report as one page that needs nothing else: no network, no second file, and no JavaScript to be read.
//!
//! Templates escape every text. The page names the digests of its own style and script, so that a browser runs nothing
//! else even if something slipped through.

use std::fmt;
use std::io;

use askama::Template;
use askama::filters::{Escaper, Html};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::visible::visible;

use super::group::{self, Cases};
use super::{Outcome, Report};

mod bytes;
mod failures;
mod graph;
mod matrix;
mod summary;

use failures::{Said, Section};
use matrix::Matrix;
use summary::Card;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Writes the report as a page.
///
/// # Errors
/// If `out` takes no more.
pub fn write(report: &Report, out: &mut dyn io::Write) -> Result<(), Error> {
    let page = Page::of(report);
    page.write_into(out).map_err(|e| Error::io("writing the HTML report", e))
}

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    report: &'a Report,
    style: &'static str,
    style_digest: String,
    script: &'static str,
    script_digest: String,
    unexpected: usize,
    headings: [&'static str; 9],
    cards: Vec<Card<'a>>,
    matrix: Matrix<'a>,
    sections: Vec<Section<'a>>,
    filters: Vec<Filter>,
    told: usize,
    in_full: usize,
}

/// A verdict whose entries can be shown and hidden.
struct Filter {
    kind: Kind,
    count: usize,
}

impl<'a> Page<'a> {
    fn of(report: &'a Report) -> Page<'a> {
        let cases: Cases<'a> = group::cases(report);
        let sections = failures::sections(report, &cases);
        let matrix = Matrix::of(report, &cases, &sections);
        let told = sections.iter().map(|section| section.count).sum();
        let in_full = sections.iter().flat_map(|section| &section.groups).map(|group| group.entries.len()).sum();
        let results = || report.implementations.iter().flat_map(|tested| &tested.results);
        let filters = Kind::ALL
            .into_iter()
            .map(|kind| Filter { kind, count: results().filter(|result| Kind::of(result) == Some(kind)).count() })
            .filter(|filter| filter.count > 0)
            .collect();
        Page {
            report,
            style: STYLE,
            style_digest: digest(STYLE),
            script: SCRIPT,
            script_digest: digest(SCRIPT),
            unexpected: results().filter(|result| result.is_unexpected()).count(),
            headings: Outcome::NAMES,
            cards: report.implementations.iter().map(|tested| Card::of(report, tested)).collect(),
            matrix,
            sections,
            filters,
            told,
            in_full,
        }
    }
}

/// What an entry says, by which entries are shown and hidden.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Crash,
    OutOfMemory,
    Hang,
    Fail,
    WrongVerdict,
    PassAlone,
    AdapterError,
    UnexpectedPass,
}

impl Kind {
    /// All, the worst first.
    const ALL: [Kind; 8] = [
        Kind::Crash,
        Kind::OutOfMemory,
        Kind::Hang,
        Kind::Fail,
        Kind::WrongVerdict,
        Kind::PassAlone,
        Kind::AdapterError,
        Kind::UnexpectedPass,
    ];

    /// The kind of a result that has an entry.
    fn of(result: &super::CaseResult) -> Option<Kind> {
        match &result.outcome {
            Outcome::Pass { .. } => result.is_unexpected().then_some(Kind::UnexpectedPass),
            Outcome::Skip { .. } => None,
            Outcome::PassAlone { .. } => Some(Kind::PassAlone),
            Outcome::Fail { .. } => Some(Kind::Fail),
            Outcome::WrongVerdict { .. } => Some(Kind::WrongVerdict),
            Outcome::Crash { .. } => Some(Kind::Crash),
            Outcome::Hang { .. } => Some(Kind::Hang),
            Outcome::OutOfMemory { .. } => Some(Kind::OutOfMemory),
            Outcome::AdapterError { .. } => Some(Kind::AdapterError),
        }
    }

    /// Its name, in text and among the classes of elements.
    fn name(self) -> &'static str {
        match self {
            Kind::Crash => "crash",
            Kind::OutOfMemory => "out-of-memory",
            Kind::Hang => "hang",
            Kind::Fail => "fail",
            Kind::WrongVerdict => "wrong-verdict",
            Kind::PassAlone => "pass-alone",
            Kind::AdapterError => "adapter-error",
            Kind::UnexpectedPass => group::UNEXPECTED_PASS,
        }
    }

    /// A letter for cells of tables, since not everybody sees colours.
    fn letter(self) -> &'static str {
        match self {
            Kind::Crash => "C",
            Kind::OutOfMemory => "M",
            Kind::Hang => "H",
            Kind::Fail => "F",
            Kind::WrongVerdict => "V",
            Kind::PassAlone => "O",
            Kind::AdapterError => "A",
            Kind::UnexpectedPass => "P",
        }
    }
}

/// How a policy names an inline style or script.
fn digest(content: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

/// Escapes every text of the templates; hidden characters are spelled out, so that none turns the direction
/// of text round.
#[derive(Clone, Copy)]
struct Text;

impl Escaper for Text {
    fn write_escaped_str<W: fmt::Write>(&self, out: W, text: &str) -> fmt::Result {
        Html.write_escaped_str(out, &visible(text))
    }
}
