//! Tasks: a case, and the operation on it.

use std::io::Write;
use std::sync::Arc;

use crate::check::filter;
use crate::check::filter::{Filter, Filtered};
use crate::check::sources::{DrawnCase, UserDump, case_as_target, random_case, random_id};
use crate::corpus::{Case, CaseVerdict, LargeCase, RightAnswer};
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::{self, HeapPlaces};
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpTarget, Family, Format};
use heapsmith_core::model::Heap;
use heapsmith_core::setters::setters;

/// The choice of cases.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CaseChoice {
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
    pub dumps: Vec<Arc<UserDump>>,
}

setters! {
    impl CaseChoice {
        set random: u64;
        set seed: u64;
        option format: Family;
        set filters: Vec<Filter>;
        option shard: (u64, u64);
        set large: bool;
        set dumps: Vec<Arc<UserDump>>;
    }
}

impl CaseChoice {
    /// The formats of random dumps.
    pub(super) fn families(&self) -> Vec<Family> {
        self.format.map_or(Family::ALL.to_vec(), |family| vec![family])
    }
}

/// The source of a case. Random cases are made when they are asked about.
#[derive(Clone, Debug)]
pub enum CaseSource {
    /// A case of the corpus.
    Corpus(Box<Case>),
    /// A random case: its id, the formats to choose among, the seed and its number.
    Random(Arc<str>, Arc<[Family]>, u64, u64),
    /// A large case, whose dump is made when it is asked about.
    Large(Arc<LargeCase>),
    /// A dump of the user.
    Own(Arc<UserDump>),
    /// A case of a campaign.
    Drawn(Arc<DrawnCase>),
    /// Another case, as the dump of a target holds it: an encoder has the listing of that.
    Converted(Box<CaseSource>, DumpTarget),
}

impl CaseSource {
    /// The sources of a choice, by id.
    ///
    /// # Errors
    /// If a recipe of the corpus fails, which its tests rule out.
    pub fn from_choice(choice: &CaseChoice) -> Result<Vec<CaseSource>, Error> {
        match choice {
            CaseChoice { large: true, .. } => CaseSource::large_cases(choice),
            CaseChoice { dumps, .. } if !dumps.is_empty() => CaseSource::user_dumps(choice),
            _ => CaseSource::corpus_and_random(crate::corpus::cases()?, choice),
        }
    }

    /// The large cases, whose dumps are not stored.
    fn large_cases(choice: &CaseChoice) -> Result<Vec<CaseSource>, Error> {
        let mut cases = crate::corpus::large_cases()?;
        cases.retain(|case| choice.format.is_none_or(|family| case.format.family() == family));
        let mut sources = cases.into_iter().map(|case| CaseSource::Large(Arc::new(case))).collect();
        filter::retain_cases(&choice.filters, &mut sources)?;
        Ok(sources)
    }

    /// The dumps of the user.
    fn user_dumps(choice: &CaseChoice) -> Result<Vec<CaseSource>, Error> {
        let mut dumps = choice.dumps.clone();
        dumps.retain(|dump| {
            let family = dump.format.as_ref().map(|format| format.family());
            choice.format.is_none_or(|wanted| family.is_ok_and(|family| family == wanted))
        });
        let mut sources = dumps.into_iter().map(CaseSource::Own).collect();
        filter::retain_cases(&choice.filters, &mut sources)?;
        Ok(sources)
    }

    /// The cases of the corpus that a choice takes, and its random ones.
    pub(super) fn corpus_and_random(mut cases: Vec<Case>, choice: &CaseChoice) -> Result<Vec<CaseSource>, Error> {
        cases.retain(|case| choice.format.is_none_or(|family| case.format.family() == family));
        let mut sources: Vec<CaseSource> = cases.into_iter().map(|case| CaseSource::Corpus(Box::new(case))).collect();
        let families: Arc<[Family]> = choice.families().into();
        for index in 0..choice.random {
            let id = random_id(choice.seed, index, &families)?.into();
            sources.push(CaseSource::Random(id, families.clone(), choice.seed, index));
        }
        filter::retain_cases(&choice.filters, &mut sources)?;
        Ok(sources)
    }

    /// The case's id.
    pub fn id(&self) -> String {
        match self {
            CaseSource::Corpus(case) => case.id.clone(),
            CaseSource::Random(id, ..) => id.to_string(),
            CaseSource::Large(case) => case.id.clone(),
            CaseSource::Own(dump) => dump.id.clone(),
            CaseSource::Drawn(drawn) => drawn.id().to_owned(),
            CaseSource::Converted(source, _) => source.id(),
        }
    }

    /// The case; without its dump if that is not held.
    ///
    /// # Errors
    /// If a random heap cannot be written, which would be a defect; or if the file of a dump cannot be read any more.
    pub fn case(&self) -> Result<Case, Error> {
        match self {
            CaseSource::Corpus(case) => Ok((**case).clone()),
            CaseSource::Random(_, families, seed, index) => random_case(*seed, *index, families),
            CaseSource::Large(case) => Ok(large_case_without_dump(case)),
            CaseSource::Own(dump) => dump.case(),
            CaseSource::Drawn(drawn) => drawn.case(),
            CaseSource::Converted(source, to) => convert_case(source.case()?, to),
        }
    }

    /// The case with the findings of `validate`, for which a user's large dump is read once.
    ///
    /// # Errors
    /// Like [`CaseSource::case`].
    pub(super) fn validated_case(&self) -> Result<Case, Error> {
        match self {
            CaseSource::Own(dump) => dump.validated_case(),
            _ => self.case(),
        }
    }

    /// The reason for which heapsmith cannot tell the format of the dump; `None` if it can.
    pub(super) fn unknown_format_reason(&self) -> Option<&str> {
        match self {
            CaseSource::Own(dump) => dump.format.as_ref().err().map(String::as_str),
            CaseSource::Converted(source, _) => source.unknown_format_reason(),
            _ => None,
        }
    }

    /// The length of a dump that is not held, where it is known.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            CaseSource::Large(case) => Some(case.size().unwrap_or_default()),
            CaseSource::Own(dump) => Some(dump.size),
            CaseSource::Converted(source, _) => source.size(),
            CaseSource::Corpus(_) | CaseSource::Random(..) | CaseSource::Drawn(_) => None,
        }
    }

    /// The facets of facts that have no bound in a listing of it.
    pub(super) fn long_facets(&self) -> &[Facet] {
        match self {
            CaseSource::Large(case) => &case.long,
            CaseSource::Converted(source, _) => source.long_facets(),
            CaseSource::Own(_) | CaseSource::Corpus(_) | CaseSource::Random(..) | CaseSource::Drawn(_) => &[],
        }
    }

    /// The format, where that is known without making the case.
    pub(super) fn format(&self) -> Option<Format> {
        match self {
            CaseSource::Corpus(case) => Some(case.format),
            CaseSource::Large(case) => Some(case.format),
            CaseSource::Own(dump) => dump.format.clone().ok(),
            CaseSource::Converted(source, _) => source.format(),
            CaseSource::Random(..) | CaseSource::Drawn(_) => None,
        }
    }

    /// The case as a target holds it, where it may be of another format.
    pub(super) fn converted_to(&self, to: &DumpTarget) -> CaseSource {
        match self.format() {
            Some(format) if format == to.format => self.clone(),
            _ => CaseSource::Converted(Box::new(self.clone()), to.clone()),
        }
    }
}

impl Filtered for CaseSource {
    fn id(&self) -> String {
        CaseSource::id(self)
    }

    fn rules(&self) -> Vec<String> {
        match self {
            CaseSource::Corpus(case) => case_rules(case),
            CaseSource::Large(case) => case.rules.iter().map(|rule| (*rule).to_owned()).collect(),
            CaseSource::Converted(source, _) => source.rules(),
            CaseSource::Random(..) | CaseSource::Own(_) | CaseSource::Drawn(_) => Vec::new(),
        }
    }
}

/// A valid case as a target holds it; the case itself where that cannot be, or is nothing else.
fn convert_case(case: Case, to: &DumpTarget) -> Result<Case, Error> {
    let heap = first_heap(&case).filter(|_| case.verdict == CaseVerdict::Valid && case.format != to.format);
    let Some(heap) = heap else { return Ok(case) };
    let converted = case_as_target(&case.id, heap, to)?;
    Ok(converted.map(|made| Case { summary: format!("{}; as {to}", case.summary), ..made }).unwrap_or(case))
}

/// A large case without its dump, and without a right heap.
fn large_case_without_dump(large: &LargeCase) -> Case {
    let (summary, recipe) = (large.summary.clone(), large.recipe());
    Case {
        heap: large.heap(),
        is_large: true,
        is_bare: false,
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
    pub source: CaseSource,
    /// The operation.
    pub operation: TaskOperation,
    /// Whether new dumps have addresses of their own.
    pub renames: bool,
}

impl Task {
    /// The suffix of the file of an answer.
    pub(super) fn answer_suffix(&self) -> &'static str {
        match &self.operation {
            TaskOperation::Parse => "jsonl",
            TaskOperation::Convert(to) | TaskOperation::Encode(to) => to.format.family().suffix(),
        }
    }
}

/// An operation on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOperation {
    /// Read.
    Parse,
    /// Convert.
    Convert(DumpTarget),
    /// Write down as a dump.
    Encode(DumpTarget),
}

impl TaskOperation {
    pub(super) fn id(&self, case: &str) -> String {
        match self {
            TaskOperation::Parse => case.to_owned(),
            TaskOperation::Convert(to) => format!("{case}:to-{}", target_id(to)),
            TaskOperation::Encode(to) => format!("{case}:as-{}", target_id(to)),
        }
    }
}

/// A target as a part of an id.
fn target_id(to: &DumpTarget) -> String {
    to.to_string().replace('/', "-")
}

/// The operations that adapters are asked for: by default reading, or all others if they cannot read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedOperations(pub Option<OperationKind>);

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Reading.
    Parse,
    /// Converting.
    Convert,
    /// Writing.
    Encode,
}

/// The rules of a case.
pub(super) fn case_rules(case: &Case) -> Vec<String> {
    let broken = case.breaks.iter().map(|(rule, _)| *rule);
    let mut rules: Vec<String> =
        broken.chain(case.keeps.iter().copied()).chain(case.shows.iter().copied()).map(str::to_owned).collect();
    rules.sort();
    rules.dedup();
    rules
}

/// The right heap, or the one under the first reading.
pub(super) fn first_heap(case: &Case) -> Option<&Heap> {
    case.answers.iter().find_map(|answer| match answer {
        RightAnswer::Reads(_, heap) => Some(&**heap),
        RightAnswer::Refuses(_) => None,
    })
}

/// The listing of the right heap.
pub(super) fn write_listing(case: &Case, out: &mut dyn Write) -> Result<(), Error> {
    let Some(heap) = first_heap(case) else { return Ok(()) };
    let mut head = listing::head(heap);
    head.format = Some(case.format.to_string());
    listing::write(out, &head, heap, &HeapPlaces::from_order(heap))
}
