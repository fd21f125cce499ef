//! Commands that repeat a case.

use std::collections::BTreeSet;

use crate::check::process::Budget;
use crate::check::subject::{Subject, SubjectKind};
use crate::check::task::{CaseChoice, TaskOperation, WantedOperations};
use heapsmith_core::compare::Facet;

/// The end of commands that repeat a case: its failure is explained already.
const UNEXPLAINED: &str = " --no-explain";

/// The command that repeats a case.
pub(super) fn case_command(subject: &Subject, choice: &CaseChoice, left_out: &BTreeSet<Facet>, id: &str) -> String {
    row_command(subject, choice, left_out, &[id])
}

/// The command that repeats a case, the last one, with others before it.
pub(super) fn row_command(subject: &Subject, choice: &CaseChoice, left_out: &BTreeSet<Facet>, ids: &[&str]) -> String {
    let id = ids.last().copied().unwrap_or_default();
    let operation = match id.split_once(':') {
        Some((_, what)) if subject.kind == SubjectKind::Adapter && what.starts_with("to-") => " --operation convert",
        Some(_) if subject.kind == SubjectKind::Adapter => " --operation encode",
        _ => "",
    };
    format!(
        "heapsmith check {}{}",
        subject_option(subject),
        case_options(choice, operation, &judging_options(subject, left_out), ids)
    )
}

/// The command that repeats a case with several implementations.
pub(super) fn differential_command<'s>(
    subjects: impl Iterator<Item = &'s Subject> + Clone,
    choice: &CaseChoice,
    left_out: &BTreeSet<Facet>,
    id: &str,
) -> String {
    // Limits are those of all.
    let limits = subjects.clone().next().map(|subject| judging_options(subject, left_out)).unwrap_or_default();
    format!("heapsmith check {} --among{}", subject_options(subjects), case_options(choice, "", &limits, &[id]))
}

/// The options that name the implementations.
pub(super) fn subject_options<'s>(subjects: impl Iterator<Item = &'s Subject>) -> String {
    subjects.map(subject_option).collect::<Vec<_>>().join(" ")
}

/// The options that choose cases and how their answers are judged.
fn case_options(choice: &CaseChoice, operation: &str, limits: &str, ids: &[&str]) -> String {
    let random = if ids.iter().any(|id| id.starts_with("random")) {
        // Which dumps are drawn depends on the formats.
        let format = choice.format.map(|family| format!(" --format {}", family.name())).unwrap_or_default();
        format!(" --random {} --seed {}{format}", choice.random, choice.seed)
    } else {
        String::new()
    };
    let large = if choice.large { " --large" } else { "" };
    let option = |id: &&str| {
        let case = id.split(':').next().unwrap_or_default();
        match choice.dumps.iter().find(|dump| dump.id == case) {
            Some(dump) => format!(" --dumps {}", shell_words::quote(&dump.path.display().to_string())),
            None => format!(" --filter {id}"),
        }
    };
    let chosen: String = ids.iter().map(option).collect();
    // The failures of large dumps are not explained.
    let unexplained = if choice.large { "" } else { UNEXPLAINED };
    format!("{large}{operation}{random}{limits}{chosen}{unexplained}")
}

/// The command that asks about a dump, named by path or recipe.
pub(super) fn dump_command(
    subject: &Subject,
    left_out: &BTreeSet<Facet>,
    dump: &str,
    operation: &TaskOperation,
) -> String {
    let operation = match operation {
        TaskOperation::Convert(_) if subject.kind == SubjectKind::Adapter => " --operation convert",
        TaskOperation::Encode(_) if subject.kind == SubjectKind::Adapter => " --operation encode",
        _ => "",
    };
    let (asked, limits, dump) = (subject_option(subject), judging_options(subject, left_out), shell_words::quote(dump));
    format!("heapsmith check {asked}{operation}{limits} --dumps {dump}{UNEXPLAINED}")
}

/// The command that asks about both dumps of a pair.
pub(super) fn pair_command(subjects: &[&Subject], left_out: &BTreeSet<Facet>, dumps: &[String]) -> String {
    let among = if subjects.len() > 1 { " --among" } else { "" };
    // Limits are those of all.
    let limits = subjects.first().map(|subject| judging_options(subject, left_out)).unwrap_or_default();
    let dumps: Vec<String> = dumps.iter().map(|dump| format!(" --dumps {}", shell_words::quote(dump))).collect();
    let asked = subject_options(subjects.iter().copied());
    format!("heapsmith check {asked}{among}{limits}{}{UNEXPLAINED}", dumps.concat())
}

/// A text that is the same for two runs whose answers are asked for and judged in the same way.
pub(super) fn judging_key(subject: &Subject, operations: WantedOperations, left_out: &BTreeSet<Facet>) -> String {
    let operation = operations.0.map(|what| format!(" {what:?}")).unwrap_or_default();
    format!("{}{operation}{}", subject_option(subject), judging_options(subject, left_out))
}

/// The option that names an implementation.
fn subject_option(subject: &Subject) -> String {
    let command = shell_words::quote(&subject.command);
    match &subject.kind {
        SubjectKind::Adapter => format!("--adapter {command}"),
        SubjectKind::Decoder => format!("--decoder {command}"),
        SubjectKind::Converter { to, renames, .. } | SubjectKind::Encoder { to, renames } => {
            let renames = if *renames { " --up-to-renaming" } else { "" };
            format!("--{} {command} --to {to}{renames}", subject.kind.name())
        }
    }
}

/// The options for limits, level and facets that are left out.
fn judging_options(subject: &Subject, left_out: &BTreeSet<Facet>) -> String {
    let mut limits = String::new();
    let Budget { time, memory, .. } = subject.budget;
    if time != Budget::default().time {
        limits += &format!(" --time-limit {}", time.as_secs_f32());
    }
    if memory != Budget::default().memory {
        limits += &format!(" --memory-limit {}", memory >> 20);
    }
    if let Some(level) = subject.level {
        limits += &format!(" --level {level}");
    }
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        limits += &format!(" --leave-out {}", names.join(","));
    }
    limits
}
