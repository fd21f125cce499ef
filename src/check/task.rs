//! Tasks: a case, and the operation on it.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::sync::Arc;

use crate::compare::listing::{self, Places};
use crate::corpus::{Answer, Case, LargeCase, Verdict};
use crate::error::Error;
use crate::format::{DumpFile, Family, Format, Listed, Target};
use crate::hprof::{Reading, SubTag};
use crate::input::Input;
use crate::model::{Address, ByteLen, Heap, Object, ObjectKind};
use crate::setters::setters;

use super::campaign::Drawn;
use super::filter::{self, Filter};
use super::judge::{ANDROID, IDENTIFIER_SIZES, IDENTIFIES};
use super::own::OwnDump;
use super::protocol::{Declares, Hello, Level};
use super::random::{random_case, random_id};
use super::subject::{Kind, Subject};

/// The choice of cases.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Choice {
    /// Number of random dumps besides the corpus.
    pub random: u64,
    /// The seed of random dumps.
    pub seed: u64,
    /// The only format, if any.
    pub format: Option<Family>,
    /// Filters of which one has to take a case; empty for all cases.
    pub filters: Vec<Filter>,
    /// The shard that is run: its number from 1, and the number of shards.
    pub shard: Option<(u64, u64)>,
    /// Whether the large cases take the place of all these.
    pub large: bool,
    /// Dumps of the user, which take the place of all these.
    pub dumps: Vec<Arc<OwnDump>>,
}

setters! {
    impl Choice {
        set random: u64;
        set seed: u64;
        option format: Family;
        set filters: Vec<Filter>;
        option shard: (u64, u64);
        set large: bool;
        set dumps: Vec<Arc<OwnDump>>;
    }
}

impl Choice {
    /// The formats of random dumps.
    pub(super) fn families(&self) -> Vec<Family> {
        self.format.map_or(Family::ALL.to_vec(), |family| vec![family])
    }
}

/// The source of a case. Random cases are made when they are asked about.
#[derive(Clone, Debug)]
pub enum Source {
    /// A case of the corpus.
    Corpus(Box<Case>),
    /// A random case: its id, the formats to choose among, the seed and its number.
    Random(Arc<str>, Arc<[Family]>, u64, u64),
    /// A large case, whose dump is made when it is asked about.
    Large(Arc<LargeCase>),
    /// A dump of the user.
    Own(Arc<OwnDump>),
    /// A case of a campaign.
    Drawn(Arc<Drawn>),
}

impl Source {
    /// The sources of a choice, by id.
    ///
    /// # Errors
    /// If a recipe of the corpus fails, which its tests rule out.
    pub fn chosen(choice: &Choice) -> Result<Vec<Source>, Error> {
        match choice {
            Choice { large: true, .. } => Source::large(choice),
            Choice { dumps, .. } if !dumps.is_empty() => Source::own(choice),
            _ => Source::among(crate::corpus::cases()?, choice),
        }
    }

    /// The large cases, whose dumps are not stored.
    fn large(choice: &Choice) -> Result<Vec<Source>, Error> {
        let mut cases = crate::corpus::large_cases()?;
        cases.retain(|case| choice.format.is_none_or(|family| case.format.family() == family));
        let mut sources = cases.into_iter().map(|case| Source::Large(Arc::new(case))).collect();
        filter::of_cases(&choice.filters, &mut sources)?;
        Ok(sources)
    }

    /// The dumps of the user.
    fn own(choice: &Choice) -> Result<Vec<Source>, Error> {
        let mut dumps = choice.dumps.clone();
        dumps.retain(|dump| {
            let family = dump.format.as_ref().map(|format| format.family());
            choice.format.is_none_or(|wanted| family.is_ok_and(|family| family == wanted))
        });
        let mut sources = dumps.into_iter().map(Source::Own).collect();
        filter::of_cases(&choice.filters, &mut sources)?;
        Ok(sources)
    }

    /// The cases of the corpus that a choice takes, and its random ones.
    pub(super) fn among(mut cases: Vec<Case>, choice: &Choice) -> Result<Vec<Source>, Error> {
        cases.retain(|case| choice.format.is_none_or(|family| case.format.family() == family));
        let mut sources: Vec<Source> = cases.into_iter().map(|case| Source::Corpus(Box::new(case))).collect();
        let families: Arc<[Family]> = choice.families().into();
        for index in 0..choice.random {
            let id = random_id(choice.seed, index, &families)?.into();
            sources.push(Source::Random(id, families.clone(), choice.seed, index));
        }
        filter::of_cases(&choice.filters, &mut sources)?;
        Ok(sources)
    }

    /// The case's id.
    pub fn id(&self) -> String {
        match self {
            Source::Corpus(case) => case.id.clone(),
            Source::Random(id, ..) => id.to_string(),
            Source::Large(case) => case.id.clone(),
            Source::Own(dump) => dump.id.clone(),
            Source::Drawn(drawn) => drawn.id().to_owned(),
        }
    }

    /// The case; without its dump if that is not held.
    ///
    /// # Errors
    /// If a random heap cannot be written, which would be a defect; or if the file of a dump cannot be read any more.
    pub fn case(&self) -> Result<Case, Error> {
        match self {
            Source::Corpus(case) => Ok((**case).clone()),
            Source::Random(_, families, seed, index) => random_case(*seed, *index, families),
            Source::Large(case) => Ok(without_dump(case)),
            Source::Own(dump) => dump.case(),
            Source::Drawn(drawn) => drawn.case(),
        }
    }

    /// The case with the findings of `validate`, for which a user's large dump is read once.
    ///
    /// # Errors
    /// Like [`Source::case`].
    pub(super) fn validated(&self) -> Result<Case, Error> {
        match self {
            Source::Own(dump) => dump.validated(),
            _ => self.case(),
        }
    }

    /// The case of a dump of any format, known or not.
    ///
    /// # Errors
    /// Like [`Source::case`].
    pub(super) fn whatever_it_is(&self) -> Result<Case, Error> {
        match self {
            Source::Own(dump) => dump.whatever_it_is(),
            _ => self.case(),
        }
    }

    /// The reason for which heapsmith cannot tell the format of the dump; `None` if it can.
    pub(super) fn why_unknown(&self) -> Option<&str> {
        match self {
            Source::Own(dump) => dump.format.as_ref().err().map(String::as_str),
            _ => None,
        }
    }

    /// The length of a dump that is not held, where it is known.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Source::Large(case) => Some(case.size().unwrap_or_default()),
            Source::Own(dump) => Some(dump.size),
            Source::Corpus(_) | Source::Random(..) | Source::Drawn(_) => None,
        }
    }

    /// The format, where that is known without making the case.
    fn format(&self) -> Option<Format> {
        match self {
            Source::Corpus(case) => Some(case.format),
            Source::Large(case) => Some(case.format),
            Source::Own(dump) => dump.format.clone().ok(),
            Source::Random(..) | Source::Drawn(_) => None,
        }
    }
}

/// A large case without its dump, and without a right heap.
fn without_dump(large: &LargeCase) -> Case {
    let (summary, recipe) = (large.summary.clone(), large.recipe());
    Case {
        heap: large.heap(),
        is_large: true,
        verdict: large.verdict,
        shows: large.rules.clone(),
        records_due: 0,
        answers: Vec::new(),
        ..Case::valid(large.id.clone(), large.format, summary, recipe, Vec::new(), Heap::default())
    }
}

/// A case, and the operation on it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The case's id, followed by the operation.
    pub id: String,
    /// The case.
    pub source: Source,
    /// The operation.
    pub operation: Operation,
    /// Whether new dumps have addresses of their own.
    pub renames: bool,
}

impl Task {
    /// The suffix of the file of an answer.
    pub(super) fn answer_suffix(&self) -> &'static str {
        match &self.operation {
            Operation::Parse => "jsonl",
            Operation::Convert(to) | Operation::Encode(to) => to.format.family().suffix(),
        }
    }
}

/// An operation on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read.
    Parse,
    /// Convert.
    Convert(Target),
    /// Write down as a dump.
    Encode(Target),
}

impl Operation {
    fn id(&self, case: &str) -> String {
        match self {
            Operation::Parse => case.to_owned(),
            Operation::Convert(to) => format!("{case}:to-{}", spelled(to)),
            Operation::Encode(to) => format!("{case}:as-{}", spelled(to)),
        }
    }
}

/// A target as a part of an id.
fn spelled(to: &Target) -> String {
    to.to_string().replace('/', "-")
}

/// The tasks of a subject, by id.
pub(super) fn tasks(subject: &Subject, hello: Option<&Hello>, sources: &[Source], operations: Wanted) -> Vec<Task> {
    let mut tasks = Vec::new();
    for source in sources {
        let mut put = |operation: Operation, renames| {
            tasks.push(Task { id: operation.id(&source.id()), source: source.clone(), operation, renames });
        };
        match (&subject.kind, hello) {
            (Kind::Converter { renames, to, .. }, _) => put(Operation::Convert(to.clone()), *renames),
            (Kind::Encoder { renames, to }, _) => put(Operation::Encode(to.clone()), *renames),
            (Kind::Decoder, _) | (Kind::Adapter, None) => put(Operation::Parse, false),
            (Kind::Adapter, Some(hello)) => {
                let renames = hello.declares.has(IDENTIFIES, "opaque");
                if wants(operations, hello, What::Parse) {
                    put(Operation::Parse, renames);
                }
                let formats = source.format().map_or(Format::all().collect(), |format| vec![format]);
                let mut all = Vec::new();
                for format in &formats {
                    if wants(operations, hello, What::Convert) {
                        all.extend(hello.targets(*format).into_iter().map(Operation::Convert));
                    }
                    if wants(operations, hello, What::Encode) {
                        all.extend(hello.writers(*format).into_iter().map(Operation::Encode));
                    }
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
pub(super) fn to_read(sources: &[Source], filters: &[Filter]) -> Vec<Task> {
    let task =
        |source: &Source| Task { id: source.id(), source: source.clone(), operation: Operation::Parse, renames: false };
    let mut tasks: Vec<Task> = sources.iter().map(task).collect();
    filter::of_tasks(filters, &mut tasks);
    tasks.sort_by(|a, b| a.id.cmp(&b.id));
    tasks
}

/// The operations that adapters are asked for: by default reading, or all others if they cannot read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted(pub Option<What>);

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Reading.
    Parse,
    /// Converting.
    Convert,
    /// Writing.
    Encode,
}

pub(super) fn wants(Wanted(wanted): Wanted, hello: &Hello, what: What) -> bool {
    match (wanted, what) {
        (Some(wanted), what) => wanted == what,
        (None, What::Parse) => !hello.reads.is_empty() || hello.converts.is_empty() && hello.writes.is_empty(),
        (None, _) => hello.reads.is_empty(),
    }
}

/// The reason for which a subject is not asked; `None` if it is.
pub(super) fn why_not(subject: &Subject, hello: Option<&Hello>, task: &Task, case: &Case) -> Option<String> {
    task.source.why_unknown().map(str::to_owned).or_else(|| why_not_this(subject, hello, task, case))
}

/// The reason for which a subject is not asked about a dump whose format may be unknown.
pub(super) fn why_not_this(subject: &Subject, hello: Option<&Hello>, task: &Task, case: &Case) -> Option<String> {
    let declares = hello.map_or(&subject.declares, |hello| &hello.declares);
    if !matches!(task.operation, Operation::Encode(_))
        && let Some(why) = unread(declares, case)
    {
        return Some(why);
    }
    if let (Kind::Adapter, Some(hello)) = (&subject.kind, hello) {
        if task.operation == Operation::Parse && !hello.can_read(case.format) {
            return Some(format!("it does not read {}", case.format));
        }
        if task.operation == Operation::Parse
            && subject.level_of(hello) == Level::Answers
            && let Some(why) = first_heap(case).and_then(unanswered)
        {
            return Some(why);
        }
        let can = |to: &Target| hello.targets(case.format).contains(to);
        if let Operation::Convert(to) = &task.operation
            && !can(to)
        {
            return Some(format!("it does not convert {} to {to}", case.format));
        }
        if case.heap.is_some() && (task.operation != Operation::Parse || !hello.heaps) {
            return Some("it cannot be asked for one heap of several".to_owned());
        }
    } else if let Kind::Converter { from: Some(from), .. } = &subject.kind
        && *from != case.format
    {
        return Some(format!("it is to read {from}, not {}", case.format));
    } else if case.heap.is_some() && !subject.words.iter().any(|word| word.contains("{heap}")) {
        return Some("the command has no {heap}, and the dump has several".to_owned());
    }
    match &task.operation {
        // A dump of a broken graph is broken, too.
        Operation::Convert(_) if case.verdict == Verdict::Ambiguous => {
            Some("it has several right readings, and not each of them can be a valid dump".to_owned())
        }
        Operation::Convert(_) => first_heap(case).and_then(unheld).map(str::to_owned),
        Operation::Encode(to) if case.verdict != Verdict::Valid || first_heap(case).is_none() => {
            Some(format!("no listing is right for it alone, so that there is nothing to write as {to}"))
        }
        Operation::Encode(to) if to.format != case.format => Some(format!("a listing of {}, not of {to}", case.format)),
        _ => None,
    }
}

/// The declaration by which an implementation does not read a sound dump.
fn unread(declares: &Declares, case: &Case) -> Option<String> {
    let heap = first_heap(case)?;
    let sizes = declares.chosen(IDENTIFIER_SIZES);
    if let Some(ByteLen(size)) = heap.facts.identifier_size.filter(|_| !sizes.is_empty())
        && !declares.has(IDENTIFIER_SIZES, &size.to_string())
    {
        return Some(format!("it declares that it reads no identifiers of {size} bytes"));
    }
    (declares.has(ANDROID, "skipped") && is_android(case))
        .then(|| "it declares that it reads no sub-records of Android".to_owned())
}

/// Whether a dump has a sub-record that only Android has.
fn is_android(case: &Case) -> bool {
    let names: Vec<&str> = SubTag::FORMS.iter().filter(|form| form.is_android).map(|form| form.name).collect();
    let mut is_android = false;
    let records =
        DumpFile::new(Input::memory(&case.id, case.bytes.clone()), Reading::default()).and_then(|file| file.records());
    let listed = records.and_then(|records| {
        records.list(&mut |listed| {
            is_android |= matches!(&listed, Listed::Record(record) if names.contains(&record.kind.trim()));
            Ok(())
        })
    });
    is_android || listed.is_err() && case.bytes.starts_with(b"JAVA PROFILE 1.0.3")
}

/// The reason for which an analyser is not asked about a dump without roots.
pub(super) const NO_ROOTS: &str = "the dump records no roots, from which answers follow";

/// The most classes and objects of a heap that analysers are asked about: answers would be too long.
const MOST_ENTRIES: usize = 20_000;

/// The reason for which an analyser is not asked about a heap.
fn unanswered(heap: &Heap) -> Option<String> {
    if heap.surroundings.roots.is_none() {
        return Some(NO_ROOTS.to_owned());
    }
    let entries = heap.classes.len() + heap.objects.len();
    (entries > MOST_ENTRIES)
        .then(|| format!("it has {entries} classes and objects; answers are for {MOST_ENTRIES} at most"))
}

/// The part of a heap that dumps of other formats cannot hold as it is.
fn unheld(heap: &Heap) -> Option<&'static str> {
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

/// The right heap, or the one under the first reading.
pub(super) fn first_heap(case: &Case) -> Option<&Heap> {
    case.answers.iter().find_map(|answer| match answer {
        Answer::Reads(_, heap) => Some(&**heap),
        Answer::Refuses(_) => None,
    })
}

/// The listing of the right heap.
pub(super) fn write_listing(case: &Case, out: &mut dyn Write) -> Result<(), Error> {
    let Some(heap) = first_heap(case) else { return Ok(()) };
    let mut head = listing::head(heap);
    head.format = Some(case.format.to_string());
    listing::write(out, &head, heap, &Places::of_order(heap))
}
