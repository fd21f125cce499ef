//! Introductions: an adapter's declaration before it is asked about dumps.

use crate::check::declarations::IDENTIFIES;
use crate::check::protocol::{DeclaredWriter, Hello, Level};
use crate::check::report::Declared;
use crate::check::subject::{Adapter, Reply, Subject, SubjectKind, not_started};
use crate::check::task::{Task, TaskOperation};
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpTarget, Family, Format};

/// An adapter's declaration, or its failure after two tries; `None` for other programs.
pub(super) fn ask_hello(subject: &Subject) -> Result<Result<Option<Hello>, String>, Error> {
    if subject.kind != SubjectKind::Adapter {
        return Ok(Ok(None));
    }
    if let Some(host) = &subject.host {
        let checked = host.hello().and_then(|hello| check_declaration(&hello).map(|()| Some(hello)));
        return Ok(checked.map_err(|how| format!("hello: {how}")));
    }
    let mut how = String::new();
    for _ in 0..2 {
        match Adapter::start(subject)?.hello(subject) {
            Ok(hello) => {
                // What it declares wrongly would never be asked, and nothing would be wrong.
                return Ok(check_declaration(&hello).map(|()| Some(hello)).map_err(|how| format!("hello: {how}")));
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
    ask_hello(subject)?.map_err(|how| match subject.stop.is_asked() {
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
pub(super) fn unique_label(label: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{label} ({number})"));
    std::iter::once(label.clone()).chain(numbered).find(|label| !is_taken(label)).unwrap_or(label)
}

/// The part of a declaration that the report has.
pub(super) fn reported_declaration(subject: &Subject, hello: &Hello, tasks: &[Task]) -> Declared {
    let level = subject.effective_level(hello);
    let reads = tasks.iter().any(|task| task.operation == TaskOperation::Parse);
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
        ignored: hello.ignored_names(),
    }
}

/// Checks an adapter's declaration.
pub(super) fn check_declaration(hello: &Hello) -> Result<(), String> {
    let known = |name: &str| Family::from_name(name).is_some() || name.parse::<Format>().is_ok();
    let read = hello.reads.iter().chain(hello.converts.iter().map(|pair| &pair.from)).map(String::as_str);
    let written =
        hello.writes.iter().map(DeclaredWriter::target_name).chain(hello.converts.iter().map(|pair| pair.to.as_str()));
    if let Some(name) = written.clone().find(|name| !known(name) && name.parse::<DumpTarget>().is_err()) {
        return Err(format!(
            "{name:?} is neither a format nor a writer; expected a name like {} (`heapsmith facets` lists all)",
            DumpTarget::examples()
        ));
    }
    if let Some(name) = read.clone().find(|name| !known(name)) {
        return Err(format!(
            "{name:?} is not a format; expected {}, or for all versions {}",
            Format::names(),
            Family::names()
        ));
    }
    if hello.name.trim().is_empty() {
        return Err("`name` is empty; expected the parser's name, which heads its column in tables".to_owned());
    }
    let has = |level| hello.levels.contains(&level);
    if has(Level::Listing) || has(Level::Digest) {
        for owed in [Facet::Address, Facet::Kind] {
            if !hello.facets.contains(&owed) {
                return Err(format!("`facets` lacks {owed}, which the levels `listing` and `digest` require"));
            }
        }
    }
    let lost = hello.converts.iter().flat_map(|pair| pair.loses.iter());
    if let Some(owed) =
        lost.chain(hello.writes.iter().flat_map(DeclaredWriter::loses)).find(|facet| !facet.is_omittable())
    {
        return Err(format!("`loses` has {owed}, which every dump has"));
    }
    if hello.levels.is_empty() && !hello.reads.is_empty() {
        return Err("`levels` is empty; leave it out to answer at the level `verdict` alone".to_owned());
    }
    if has(Level::Counts) && hello.counts.is_empty() {
        return Err("`levels` has counts, but `counts` is empty: name what is counted".to_owned());
    }
    if has(Level::Answers) && hello.answers.is_empty() {
        return Err("`levels` has answers, but `answers` is empty: name what is answered".to_owned());
    }
    if hello.reads.is_empty() && hello.converts.is_empty() && hello.writes.is_empty() {
        return Err("`reads`, `converts` and `writes` are empty; name at least one format in one of them".to_owned());
    }
    Ok(())
}
