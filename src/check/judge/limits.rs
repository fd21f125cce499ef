//! Dumps that are not held: one at a time, each in a process and with limits of its own.

use crate::check::judge::large::level_for;
use crate::check::protocol::Hello;
use crate::check::streamed::{From, Streamed};
use crate::check::subject::{Kind, Subject};
use crate::check::task::Operation;

/// The subject with the limits and the level for such a dump; or the reason for which it is not asked.
pub(in crate::check) fn under_limits(
    subject: &Subject,
    hello: Option<&Hello>,
    streamed: &Streamed<'_>,
    operation: &Operation,
) -> Result<Subject, String> {
    let subject = Subject { budget: streamed.limits(&subject.budget), ..subject.clone() };
    match (operation, &subject.kind, hello) {
        (Operation::Parse, Kind::Adapter, Some(hello)) => {
            let level = level_for(streamed, hello, subject.level)?;
            Ok(Subject { level: Some(level), ..subject })
        }
        (Operation::Convert(_), ..) if matches!(streamed.from, From::Own(_)) => Ok(subject),
        _ => {
            Err("large dumps are for adapters and converters: what another program prints of them has no bound"
                .to_owned())
        }
    }
}
