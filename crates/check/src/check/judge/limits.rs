//! Dumps that are not held: one at a time, each in a process and with limits of its own.

use crate::check::judge::large::level_for;
use crate::check::protocol::{Hello, Level};
use crate::check::streamed_dump::{DumpOrigin, StreamedDump};
use crate::check::subject::{Subject, SubjectKind};
use crate::check::task::TaskOperation;

/// The most classes and objects whose listing takes no longer than their counts.
const FEW: u64 = 20_000;
/// The times of the limits of counts that a longer listing may take.
const FOR_A_LISTING: u32 = 4;

/// The subject with the limits and the level for such a dump; or the reason for which it is not asked.
pub(in crate::check) fn limit_subject(
    subject: &Subject,
    hello: Option<&Hello>,
    streamed: &StreamedDump<'_>,
    operation: &TaskOperation,
) -> Result<Subject, String> {
    let subject = Subject { budget: streamed.answer_limits(&subject.budget), ..subject.clone() };
    match (operation, &subject.kind, hello) {
        (TaskOperation::Parse, SubjectKind::Adapter, Some(hello)) => {
            let level = level_for(streamed, hello, subject.level)?;
            let is_long = level == Level::Listing && streamed.entries().is_some_and(|entries| entries > FEW);
            let budget = if is_long { subject.budget.times(FOR_A_LISTING) } else { subject.budget };
            Ok(Subject { level: Some(level), budget, ..subject })
        }
        (TaskOperation::Convert(_), ..) if matches!(streamed.from, DumpOrigin::Own(_)) => Ok(subject),
        _ => {
            Err("large dumps are for adapters and converters: what another program prints of them has no bound"
                .to_owned())
        }
    }
}
