//! The report as one page that needs nothing else: no network, no second file, and no JavaScript to be read.

use std::io;

use askama::Template;

use crate::check::report::group::{Cases, Overall};
use crate::check::report::{Outcome, Report, group};
use crate::error::Error;
use crate::page::{Inline, Text};

mod bytes;
mod causes;
mod graph;
mod matrix;
mod rows;
mod said;
mod summary;

use causes::Section;
use matrix::Matrix;
use rows::Rows;
use said::Said;
use summary::{Line, Top};

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
    style: Inline,
    script: Inline,
    overall: Overall,
    headings: Vec<&'static str>,
    lines: Vec<Line<'a>>,
    top: Top<'a>,
    sections: Vec<Section<'a>>,
    matrix: Matrix<'a>,
}

impl<'a> Page<'a> {
    fn of(report: &'a Report) -> Page<'a> {
        let cases: Cases<'a> = group::cases(report);
        let rows = Rows::new(report);
        let sections = causes::sections(report, &cases, &rows);
        let headings = summary::headings(report);
        Page {
            report,
            style: Inline::style(STYLE),
            script: Inline::script(SCRIPT),
            overall: report.overall(),
            lines: report.implementations.iter().map(|tested| Line::of(report, tested, &headings)).collect(),
            headings,
            top: Top::of(&sections),
            matrix: Matrix::of(report, &cases, &rows, &sections),
            sections,
        }
    }

    /// Whether a cause is open from the beginning: the first that is named at the top, if it fails the run.
    fn is_open(&self, anchor: &str) -> bool {
        self.overall.unexpected > 0 && self.top.causes.first().is_some_and(|named| named.anchor == anchor)
    }
}

/// The kind of a result that needs attention, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Crash,
    OutOfMemory,
    Hang,
    Fail,
    Disagree,
    WrongVerdict,
    PassAlone,
    AdapterError,
    UnexpectedPass,
}

impl Kind {
    /// The kind of a result, if it needs attention.
    fn of(result: &super::CaseResult) -> Option<Kind> {
        match &result.outcome {
            Outcome::Pass { .. } | Outcome::Agree { .. } => result.is_unexpected().then_some(Kind::UnexpectedPass),
            Outcome::Skip { .. } => None,
            Outcome::PassAlone { .. } => Some(Kind::PassAlone),
            Outcome::Fail { .. } => Some(Kind::Fail),
            Outcome::Disagree(_) => Some(Kind::Disagree),
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
            Kind::Disagree => "disagree",
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
            Kind::Disagree => "D",
            Kind::WrongVerdict => "V",
            Kind::PassAlone => "O",
            Kind::AdapterError => "A",
            Kind::UnexpectedPass => "P",
        }
    }
}
