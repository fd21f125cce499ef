//! Dumps that are not held: one at a time, each in a process and with limits of its own.

use crate::check::judge::large::level_for;
use crate::check::protocol::Hello;
use crate::check::streamed_dump::{DumpOrigin, StreamedDump};
use crate::check::subject::{Subject, SubjectKind};
use crate::check::task::TaskOperation;

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
            Ok(Subject { level: Some(level), ..subject })
        }
        (TaskOperation::Convert(_), ..) if matches!(streamed.from, DumpOrigin::Own(_)) => Ok(subject),
        _ => {
            Err("large dumps are for adapters and converters: what another program prints of them has no bound"
                .to_owned())
        }
    }
}
