//! The report as one page that needs nothing else: no network, no second file, and no JavaScript to be read.

use std::io;

use askama::Template;

use crate::check::report::group::{CasesById, OverallResult};
use crate::check::report::{CheckReport, Outcome, group};
use heapsmith_core::error::Error;
use heapsmith_core::page::{Inline, TextEscaper};

mod bytes;
mod causes;
mod graph;
mod matrix;
mod outcome_text;
mod rows;
mod summary;

use causes::CauseSection;
use matrix::Matrix;
use outcome_text::OutcomeText;
use rows::MatrixRows;
use summary::{SummaryLine, TopCauses};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Writes the report as a page.
///
/// # Errors
/// If `out` takes no more.
pub fn write(report: &CheckReport, out: &mut dyn io::Write) -> Result<(), Error> {
    let page = ReportPage::from_report(report);
    page.write_into(out).map_err(|e| Error::io("writing the HTML report", e))
}

#[derive(Template)]
#[template(path = "page.html")]
struct ReportPage<'a> {
    report: &'a CheckReport,
    style: Inline,
    script: Inline,
    overall: OverallResult,
    headings: Vec<&'static str>,
    lines: Vec<SummaryLine<'a>>,
    top: TopCauses<'a>,
    sections: Vec<CauseSection<'a>>,
    matrix: Matrix<'a>,
}

impl<'a> ReportPage<'a> {
    fn from_report(report: &'a CheckReport) -> ReportPage<'a> {
        let cases: CasesById<'a> = group::cases_by_id(report);
        let rows = MatrixRows::new(report);
        let sections = causes::sections(report, &cases, &rows);
        let headings = summary::headings(report);
        ReportPage {
            report,
            style: Inline::style(STYLE),
            script: Inline::script(SCRIPT),
            overall: report.overall(),
            lines: report
                .implementations
                .iter()
                .map(|tested| SummaryLine::from_tested(report, tested, &headings))
                .collect(),
            headings,
            top: TopCauses::from_sections(&sections),
            matrix: Matrix::from_report(report, &cases, &rows, &sections),
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
enum ResultKind {
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

impl ResultKind {
    /// The kind of a result, if it needs attention.
    fn from_result(result: &super::CaseResult) -> Option<ResultKind> {
        match result.outcome() {
            Outcome::Pass { .. } | Outcome::Agree { .. } => {
                result.is_unexpected().then_some(ResultKind::UnexpectedPass)
            }
            Outcome::Skip { .. } => None,
            Outcome::PassAlone { .. } => Some(ResultKind::PassAlone),
            Outcome::Fail { .. } => Some(ResultKind::Fail),
            Outcome::Disagree(_) => Some(ResultKind::Disagree),
            Outcome::WrongVerdict { .. } => Some(ResultKind::WrongVerdict),
            Outcome::Crash { .. } => Some(ResultKind::Crash),
            Outcome::Hang { .. } => Some(ResultKind::Hang),
            Outcome::OutOfMemory { .. } => Some(ResultKind::OutOfMemory),
            Outcome::AdapterError { .. } => Some(ResultKind::AdapterError),
        }
    }

    /// Its name, in text and among the classes of elements.
    fn name(self) -> &'static str {
        match self {
            ResultKind::Crash => "crash",
            ResultKind::OutOfMemory => "out-of-memory",
            ResultKind::Hang => "hang",
            ResultKind::Fail => "fail",
            ResultKind::Disagree => "disagree",
            ResultKind::WrongVerdict => "wrong-verdict",
            ResultKind::PassAlone => "pass-alone",
            ResultKind::AdapterError => "adapter-error",
            ResultKind::UnexpectedPass => group::UNEXPECTED_PASS,
        }
    }

    /// A letter for cells of tables, since not everybody sees colours.
    fn letter(self) -> &'static str {
        match self {
            ResultKind::Crash => "C",
            ResultKind::OutOfMemory => "M",
            ResultKind::Hang => "H",
            ResultKind::Fail => "F",
            ResultKind::Disagree => "D",
            ResultKind::WrongVerdict => "V",
            ResultKind::PassAlone => "O",
            ResultKind::AdapterError => "A",
            ResultKind::UnexpectedPass => "P",
        }
    }
}
