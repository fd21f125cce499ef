//! Records that are broken inside, and whose facts are not reported: a reader that goes by the record's length, which
//! is right, need not look inside.

use std::collections::BTreeSet;
use std::io::Read;

use crate::check::judge::{AnswerJudgement, AnsweredTask, judge_answer, listing};
use crate::check::protocol::{Accepted, CountKind, Level};
use crate::check::sources::case_from_bytes;
use crate::check::subject::Session;
use crate::check::task::{TaskOperation, first_heap};
use crate::corpus::Case;
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::carriage::Carriage;
use heapsmith_core::error::Error;
use heapsmith_core::family::PassedOver;
use heapsmith_core::input::Input;

/// The longest dump, decompressed, in which broken records are looked for.
const LONGEST: u64 = 64 << 20;
/// The most broken records.
const MOST: usize = 64;

/// Judges that a dump was read whose broken records say nothing that is reported: it is due without them. `None` where
/// something is broken that matters.
pub(super) fn judge(
    asked: &AnsweredTask<'_>,
    accepted: &Accepted,
    level: Level,
    session: &mut dyn Session,
) -> Result<Option<AnswerJudgement>, Error> {
    let Some(read) = without_broken_records(asked.case)? else { return Ok(None) };
    let reported = reported_facets(asked, level)?;
    if read.says.iter().any(|facet| reported.contains(facet)) {
        return Ok(None);
    }
    judge_answer(&AnsweredTask { case: &read.case, ..*asked }, accepted, level, session).map(Some)
}

/// A dump without its broken records, as a case.
struct SoundRemainder {
    case: Case,
    /// The facets of facts in these records.
    says: BTreeSet<Facet>,
}

fn without_broken_records(case: &Case) -> Result<Option<SoundRemainder>, Error> {
    let (mut breaks, mut says) = (case.breaks, BTreeSet::new());
    let mut bytes = Vec::new();
    let input = Input::from_memory(&case.id, case.bytes.clone());
    if input.stream()?.take(LONGEST).read_to_end(&mut bytes).is_err() {
        return Ok(None);
    }
    for _ in 0..MOST {
        let passed_over =
            breaks.and_then(|(rule, offset)| case.format.family().framing()?.passing_over(&bytes, rule, offset));
        let Some(PassedOver { dump, facets }) = passed_over else { return Ok(None) };
        says.extend(facets);
        let read = case_from_bytes(&case.id, dump)?;
        if case.heap.is_none() && first_heap(&read).is_some() {
            return Ok(Some(SoundRemainder { case: Case { format: case.format, ..read }, says }));
        }
        (bytes, breaks) = (read.bytes, read.breaks);
    }
    Ok(None)
}

/// The facets of which an answer says something.
fn reported_facets(asked: &AnsweredTask<'_>, level: Level) -> Result<BTreeSet<Facet>, Error> {
    let all = || Facet::ALL.into_iter();
    let declared = |facet: &Facet| asked.hello.is_none_or(|hello| hello.facets.contains(facet));
    Ok(match (&asked.task.operation, level) {
        (TaskOperation::Convert(to), _) => {
            let column = to.column();
            all().filter(|facet| column.carriage(*facet) != Carriage::None).collect()
        }
        // That it can be read is all that is said, or something is said of another dump.
        (TaskOperation::Encode(_), _) | (TaskOperation::Parse, Level::Verdict) => all().collect(),
        (TaskOperation::Parse, Level::Counts) => {
            let declared = |count| asked.hello.is_some_and(|hello| hello.counts.contains(&count));
            let by_class = [CountKind::Histogram, CountKind::HistogramBytes].into_iter().any(declared);
            let names = by_class.then_some(Facet::ClassName);
            names.into_iter().chain(declared(CountKind::Strings).then_some(Facet::Strings)).collect()
        }
        // Some references count by the name of their class.
        (TaskOperation::Parse, Level::Answers) => [Facet::ClassName].into(),
        (TaskOperation::Parse, Level::Digest) => all().filter(declared).collect(),
        (TaskOperation::Parse, Level::Listing) => {
            let omitted = listing::omitted_facets(asked)?;
            all().filter(|facet| declared(facet) && !omitted.contains(facet)).collect()
        }
    })
}
