//! The tasks of a subject, and why it is not asked some.

use std::collections::{BTreeSet, HashSet};

use crate::check::declarations::{ANDROID, Declares, IDENTIFIER_SIZES, IDENTIFIES};
use crate::check::filter::{Filter, TaskFilter};
use crate::check::protocol::{Hello, Level};
use crate::check::report::Outcome;
use crate::check::streamed_dump::StreamedDump;
use crate::check::subject::{QuestionFiles, Subject, SubjectKind};
use crate::check::task::{CaseSource, OperationKind, Task, TaskOperation, WantedOperations, first_heap};
use crate::corpus::{Case, CaseVerdict};
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpFile, Format, ListedPart};
use heapsmith_core::hprof::{Decoder, ReadOptions, SubRecordTag};
use heapsmith_core::input::Input;
use heapsmith_core::model::{Address, Heap, Object, ObjectKind};

/// The tasks of a subject, by id.
pub(super) fn subject_tasks(
    subject: &Subject,
    hello: Option<&Hello>,
    sources: &[CaseSource],
    operations: WantedOperations,
) -> Vec<Task> {
    let mut tasks = Vec::new();
    for source in sources {
        let mut put = |operation: TaskOperation, renames| {
            let source = match &operation {
                TaskOperation::Encode(to) => source.converted_to(to),
                _ => source.clone(),
            };
            tasks.push(Task { id: operation.id(&source.id()), source, operation, renames });
        };
        match (&subject.kind, hello) {
            (SubjectKind::Converter { renames, to, .. }, _) => put(TaskOperation::Convert(to.clone()), *renames),
            (SubjectKind::Encoder { renames, to }, _) => put(TaskOperation::Encode(to.clone()), *renames),
            (SubjectKind::Decoder, _) | (SubjectKind::Adapter, None) => put(TaskOperation::Parse, false),
            (SubjectKind::Adapter, Some(hello)) => {
                let renames = hello.declares.has(IDENTIFIES, "opaque");
                if is_wanted(operations, hello, OperationKind::Parse) {
                    put(TaskOperation::Parse, renames);
                }
                let formats = source.format().map_or(Format::all().collect(), |format| vec![format]);
                let mut all = Vec::new();
                for format in &formats {
                    if is_wanted(operations, hello, OperationKind::Convert) {
                        all.extend(hello.targets(*format).into_iter().map(TaskOperation::Convert));
                    }
                }
                if is_wanted(operations, hello, OperationKind::Encode) {
                    all.extend(hello.writers().into_iter().map(TaskOperation::Encode));
                }
                // A random case has its format when its turn comes.
                let mut ids = BTreeSet::new();
                all.retain(|operation| ids.insert(operation.id("")));
                all.into_iter().for_each(|operation| put(operation, renames));
            }
        }
    }
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

/// The tasks of reading each dump once, by id.
pub(super) fn reading_tasks(sources: &[CaseSource], filters: &[Filter]) -> Vec<Task> {
    let task = |source: &CaseSource| Task {
        id: source.id(),
        source: source.clone(),
        operation: TaskOperation::Parse,
        renames: false,
    };
    let mut tasks: Vec<Task> = sources.iter().map(task).collect();
    retain_tasks(filters, &mut tasks);
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

pub(super) fn is_wanted(WantedOperations(wanted): WantedOperations, hello: &Hello, what: OperationKind) -> bool {
    match (wanted, what) {
        (Some(wanted), what) => wanted == what,
        (None, OperationKind::Parse) => !hello.reads.is_empty() || hello.converts.is_empty() && hello.writes.is_empty(),
        (None, _) => hello.reads.is_empty(),
    }
}

/// The reason for which a subject is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkipReason {
    pub(super) text: String,
    /// Whether the case counts neither as asked nor as skipped.
    is_exempt: bool,
}

impl SkipReason {
    /// A reason that lies with the implementation or its adapter: the skip counts.
    fn counted(text: impl Into<String>) -> SkipReason {
        SkipReason { text: text.into(), is_exempt: false }
    }

    /// A reason that lies with the case: its format is not declared, or no one answer to it is right.
    pub(super) fn exempt(text: impl Into<String>) -> SkipReason {
        SkipReason { text: text.into(), is_exempt: true }
    }

    pub(super) fn outcome(self) -> Outcome {
        Outcome::Skip { reason: self.text, link: None, exempt: self.is_exempt }
    }
}

/// The reason for which a subject is not asked; `None` if it is.
pub(super) fn skip_reason(subject: &Subject, hello: Option<&Hello>, task: &Task, case: &Case) -> Option<SkipReason> {
    let unknown = task.source.unknown_format_reason().map(SkipReason::counted);
    unknown.or_else(|| known_skip_reason(subject, hello, task, case))
}

/// The reason for which a subject is not asked about a dump whose format may be unknown.
pub(super) fn known_skip_reason(
    subject: &Subject,
    hello: Option<&Hello>,
    task: &Task,
    case: &Case,
) -> Option<SkipReason> {
    if let (SubjectKind::Adapter, Some(hello)) = (&subject.kind, hello) {
        if task.operation == TaskOperation::Parse && !hello.can_read(case.format) {
            return Some(SkipReason::exempt(format!("it does not read {}", case.format)));
        }
        if task.operation == TaskOperation::Parse
            && subject.effective_level(hello) == Level::Answers
            && let Some(why) = first_heap(case).and_then(unanswerable_reason)
        {
            return Some(SkipReason::exempt(why));
        }
        if let TaskOperation::Convert(to) = &task.operation
            && !hello.targets(case.format).contains(to)
        {
            return Some(SkipReason::exempt(format!("it does not convert {} to {to}", case.format)));
        }
    } else if let SubjectKind::Converter { from: Some(from), .. } = &subject.kind
        && *from != case.format
    {
        return Some(SkipReason::exempt(format!("it is to read {from}, not {}", case.format)));
    }
    unaskable_reason(task, case).map(SkipReason::exempt).or_else(|| {
        let declares = hello.map_or(&subject.declares, |hello| &hello.declares);
        let is_unread = !matches!(task.operation, TaskOperation::Encode(_)) && has_unread(declares);
        let input = || Input::from_memory(&case.id, case.bytes.clone());
        let unread = (is_unread && first_heap(case).is_some()).then(|| unread_reason(declares, &input())).flatten();
        let is_beyond = case.heap.is_some() && !can_choose_heap(subject, hello, &task.operation);
        let beyond = is_beyond.then(|| match subject.kind {
            SubjectKind::Adapter => "it cannot be asked for one heap of several".to_owned(),
            _ => "the command has no {heap}, and the dump has several".to_owned(),
        });
        unread.or(beyond).map(SkipReason::counted)
    })
}

/// The reason for which nothing can be asked of any implementation.
fn unaskable_reason(task: &Task, case: &Case) -> Option<String> {
    match &task.operation {
        // A dump of a broken graph is broken, too.
        TaskOperation::Convert(_) if case.verdict == CaseVerdict::Ambiguous => {
            Some("it has several right readings, and not each of them can be a valid dump".to_owned())
        }
        TaskOperation::Convert(_) => first_heap(case).and_then(unconvertible_reason).map(str::to_owned),
        TaskOperation::Encode(to) if case.verdict != CaseVerdict::Valid || first_heap(case).is_none() => {
            Some(format!("no listing is right for it alone, so that there is nothing to write as {to}"))
        }
        TaskOperation::Encode(to) if to.format != case.format => Some(format!("a dump of {to} cannot hold it")),
        _ => None,
    }
}

/// The case that a subject is asked about in the place of one: of several heaps, all, where an adapter cannot be asked for one of
/// them. A command without `{heap}` is not asked: it has no way to say that it wants to be told which.
///
/// # Errors
/// If the dump is of no known format.
pub(super) fn asked_case(
    subject: &Subject,
    hello: Option<&Hello>,
    operation: &TaskOperation,
    case: Case,
) -> Result<Case, Error> {
    let is_adapter = subject.kind == SubjectKind::Adapter && *operation == TaskOperation::Parse;
    // A large case has no bytes.
    match !is_adapter || can_choose_heap(subject, hello, operation) || case.bytes.is_empty() {
        true => Ok(case),
        false => case.without_heap_choice(),
    }
}

/// Whether a subject can be asked for one heap of a dump with several.
fn can_choose_heap(subject: &Subject, hello: Option<&Hello>, operation: &TaskOperation) -> bool {
    match (&subject.kind, hello) {
        (SubjectKind::Adapter, Some(hello)) => hello.heaps && *operation == TaskOperation::Parse,
        _ => subject.words.iter().any(|word| word.contains("{heap}")),
    }
}

/// The declaration by which an implementation does not read a sound dump that is not held.
///
/// # Errors
/// If the dump cannot be opened.
pub(super) fn why_not_large(
    subject: &Subject,
    hello: Option<&Hello>,
    large: &StreamedDump<'_>,
    files: &QuestionFiles,
) -> Result<Option<String>, Error> {
    let declares = hello.map_or(&subject.declares, |hello| &hello.declares);
    if large.verdict == CaseVerdict::Invalid || !has_unread(declares) {
        return Ok(None);
    }
    Ok(files.unchanged_dump()?.and_then(|dump| unread_reason(declares, &dump)))
}

/// Whether an implementation declares not to read some sound dumps.
fn has_unread(declares: &Declares) -> bool {
    !declares.chosen(IDENTIFIER_SIZES).is_empty() || declares.has(ANDROID, "skipped")
}

/// The declaration by which an implementation does not read a sound dump.
fn unread_reason(declares: &Declares, dump: &Input) -> Option<String> {
    let size = || Some(Decoder::new(dump.stream().ok()?).ok()?.header().id_size.bytes());
    if !declares.chosen(IDENTIFIER_SIZES).is_empty()
        && let Some(size) = size()
        && !declares.has(IDENTIFIER_SIZES, &size.to_string())
    {
        return Some(format!("it declares that it reads no identifiers of {size} bytes"));
    }
    (declares.has(ANDROID, "skipped") && is_android(dump))
        .then(|| "it declares that it reads no sub-records of Android".to_owned())
}

/// Whether a dump has a sub-record that only Android has.
fn is_android(dump: &Input) -> bool {
    let names: Vec<&str> = SubRecordTag::FORMS.iter().filter(|form| form.is_android).map(|form| form.name).collect();
    let mut is_android = false;
    let records = DumpFile::new(dump.clone(), ReadOptions::default()).and_then(|file| file.records());
    let listed = records.and_then(|records| {
        records.list(&mut |listed| {
            is_android = matches!(&listed, ListedPart::Record(record) if names.contains(&record.kind.trim()));
            // The first of them says all that is asked.
            if is_android { Err(Error::stopped()) } else { Ok(()) }
        })
    });
    let is_of_android =
        || dump.stream().is_ok_and(|mut dump| dump.peek(VERSION.len()).is_ok_and(|start| start == VERSION));
    is_android || listed.is_err() && is_of_android()
}

/// The version in the headers that Android writes.
const VERSION: &[u8] = b"JAVA PROFILE 1.0.3";

/// The reason for which an analyser is not asked about a dump without roots.
pub(super) const NO_ROOTS: &str = "the dump records no roots, from which answers follow";

/// The most classes and objects of a heap that analysers are asked about: answers would be too long.
pub(super) const MOST_ENTRIES: usize = 20_000;

/// The reason for which an analyser is not asked about a heap.
fn unanswerable_reason(heap: &Heap) -> Option<String> {
    if heap.surroundings.roots.is_none() {
        return Some(NO_ROOTS.to_owned());
    }
    let entries = heap.classes.len() + heap.objects.len();
    (entries > MOST_ENTRIES)
        .then(|| format!("it has {entries} classes and objects; answers are for {MOST_ENTRIES} at most"))
}

/// The part of a heap that dumps of other formats cannot hold as it is.
fn unconvertible_reason(heap: &Heap) -> Option<&'static str> {
    let classes: HashSet<Address> = heap.classes.iter().map(|class| class.address).collect();
    let addresses = classes.iter().copied().chain(heap.objects.iter().map(|object| object.address));
    if addresses.into_iter().any(Address::is_null) {
        return Some("it has a class or an object without an address");
    }
    if heap.objects.iter().any(|object| object.class.is_some_and(Address::is_null)) {
        return Some("it has an object without a class");
    }
    let arrays: HashSet<Address> =
        heap.classes.iter().filter(|class| class.is_array()).map(|class| class.address).collect();
    let is_nameless = |object: &Object| {
        let is_named = object.class_name.is_some() || object.class_word.is_some();
        let class = object.class.filter(|class| !arrays.contains(class));
        object.kind == ObjectKind::ObjectArray && !is_named && class.is_some()
    };
    heap.objects.iter().any(is_nameless).then_some("it has an array whose class in the dump is no array's")
}

/// Leaves the tasks that one of the filters takes, where one names an operation.
pub(super) fn retain_tasks(filters: &[Filter], tasks: &mut Vec<Task>) {
    let ids: Vec<(&str, String)> = tasks.iter().map(|task| (task.id.as_str(), task.source.id())).collect();
    let filters = TaskFilter::all(filters, &ids);
    if !filters.is_empty() {
        tasks.retain(|task| filters.iter().any(|filter| filter.takes(&task.id, &task.source)));
    }
}
