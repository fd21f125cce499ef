//! Cases whose dumps are made when they are asked about: one at a time, each in a process of its own, under its own limits.

use std::time::Duration;

use crate::corpus::LargeCase;

use super::super::judge::level_for;
use super::super::process::Budget;
use super::super::protocol::Hello;
use super::super::subject::{Kind, Subject};
use super::super::task::{Source, Task};

/// The large case that a task is about.
pub(super) fn of(task: &Task) -> Option<&LargeCase> {
    match &task.source {
        Source::Large(large) => Some(large),
        _ => None,
    }
}

/// The subject with the limits of a case, and the level at which it is asked; or why it is not asked.
pub(super) fn under_limits(subject: &Subject, hello: Option<&Hello>, large: &LargeCase) -> Result<Subject, String> {
    let (Kind::Adapter, Some(hello)) = (&subject.kind, hello) else {
        return Err("large dumps are for adapters: what another program prints of them has no bound".to_owned());
    };
    let level = level_for(large, hello, subject.level)?;
    Ok(Subject { budget: limits(&subject.budget, large), level: Some(level), ..subject.clone() })
}

/// The limits of a case, as many times as large as those that were asked for are the usual ones.
fn limits(asked: &Budget, large: &LargeCase) -> Budget {
    let usual = Budget::default();
    let times = asked.time.as_secs_f64() / usual.time.as_secs_f64();
    let memory = large.memory as f64 * (asked.memory as f64 / usual.memory as f64);
    let time = Duration::try_from_secs_f64(large.time.as_secs_f64() * times).unwrap_or(Duration::MAX);
    Budget { time, memory: memory as u64, time_per_mib: Duration::ZERO, memory_per_byte: 0 }
}
