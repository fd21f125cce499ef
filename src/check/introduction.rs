//! Introductions: an adapter's declaration before it is asked about dumps.

use crate::error::Error;

use super::examine::declaration;
use super::judge::IDENTIFIES;
use super::protocol::{Hello, Level};
use super::report::Declared;
use super::subject::{Adapter, Kind, Reply, Subject, not_started};
use super::task::{Operation, Task};

/// An adapter's declaration, or its failure after two tries; `None` for other programs.
pub(super) fn hello(subject: &Subject) -> Result<Result<Option<Hello>, String>, Error> {
    if subject.kind != Kind::Adapter {
        return Ok(Ok(None));
    }
    let mut how = String::new();
    for _ in 0..2 {
        match Adapter::start(subject)?.hello(subject) {
            Ok(hello) => {
                // What it declares wrongly would never be asked, and nothing would be wrong.
                return Ok(declaration(&hello).map(|()| Some(hello)).map_err(|how| format!("hello: {how}")));
            }
            Err(Reply::NotStarted(why)) => return Err(not_started(subject, &why)),
            Err(Reply::Crash(e) | Reply::Error(e) | Reply::Hang(e) | Reply::OutOfMemory(e)) => how = e,
            Err(Reply::Interrupted) => return Ok(Err("interrupted".to_owned())),
            Err(_) => {}
        }
    }
    Ok(Err(format!("hello: {how}")))
}

/// The declaration of an implementation that is run alone, where no report could tell of its failure.
///
/// # Errors
/// If it does not say what it can, or a signal ended it.
pub(super) fn required_hello(subject: &Subject) -> Result<Option<Hello>, Error> {
    hello(subject)?.map_err(|how| match subject.stop.is_asked() {
        true => Error::stopped(),
        false => Error::Usage(format!("{}: {how}", subject.command)),
    })
}

/// The label in tables: name and version, or the command.
pub(super) fn label(subject: &Subject, hello: Option<&Hello>) -> String {
    match hello {
        Some(hello) => format!("{} {}", hello.name, hello.version).trim().to_owned(),
        None => subject.command.clone(),
    }
}

/// The label, with a number if it is taken.
pub(super) fn unique(label: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{label} ({number})"));
    std::iter::once(label.clone()).chain(numbered).find(|label| !is_taken(label)).unwrap_or(label)
}

/// The part of a declaration that the report has.
pub(super) fn declared(subject: &Subject, hello: &Hello, tasks: &[Task]) -> Declared {
    let level = subject.level_of(hello);
    let reads = tasks.iter().any(|task| task.operation == Operation::Parse);
    let reports = match level {
        _ if !reads => Vec::new(),
        Level::Verdict => Vec::new(),
        Level::Counts => hello.counts.iter().map(ToString::to_string).collect(),
        Level::Answers => hello.answers.iter().map(ToString::to_string).collect(),
        _ => hello.facets.iter().map(ToString::to_string).collect(),
    };
    let level = if reads { level.to_string() } else { "dump".to_owned() };
    Declared {
        name: hello.name.clone(),
        version: hello.version.clone(),
        language: hello.language.clone(),
        reads: hello.reads.clone(),
        level,
        reports,
        identifies: hello.declares.name(IDENTIFIES).to_owned(),
        protocol: hello.protocol,
        ignored: hello.ignored(),
    }
}
