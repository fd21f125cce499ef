//! Answers about dumps that are too large to be stored: judged by numbers that were worked out by hand, and by digests, for
//! which the dump is read object by object.

use std::collections::BTreeMap;

use crate::corpus::{LargeCase, Verdict};
use crate::digest;
use crate::error::Error;
use crate::format::DumpFile;
use crate::hprof::Reading;
use crate::model::DumpSource;

use super::super::protocol::{Accepted, Count, Hello, Level};
use super::super::report::Outcome;
use super::super::subject::{Reply, Session};
use super::digest::{differ, omitted, wanted};
use super::{Asked, Differing, Judgement, Wrong, counts, judge, not_refused, passed};

/// Where the dump is not what it was before it was asked about.
const CHANGED_DUMP: &str = "the dump was changed while it was asked about";
/// What objects are called in the numbers of a case.
const OBJECTS: &str = "objects";

/// Judges the reply to a task over a large case; `None` if the run is to stop.
pub(in crate::check) fn judge_large(
    asked: &Asked<'_>,
    large: &LargeCase,
    reply: Reply,
    session: &mut dyn Session,
) -> Option<Judgement> {
    let judgement = match reply {
        Reply::Accepted(_) if large.verdict == Verdict::Invalid => Ok(not_refused()),
        Reply::Accepted(accepted) => accepted_by(asked, large, &accepted),
        Reply::Refused(message, offset) => {
            let outcome = match large.verdict {
                Verdict::Valid => {
                    let found = if message.is_empty() { "refused".to_owned() } else { format!("refused: {message}") };
                    Outcome::WrongVerdict { expected: "accept".to_owned(), found }
                }
                Verdict::Invalid | Verdict::Ambiguous => Outcome::Pass { reading: reading(large, "refused") },
            };
            Ok(Judgement { offset, ..Judgement::of(outcome) })
        }
        reply => return judge(asked, reply, session),
    };
    Some(
        judgement.unwrap_or_else(|e| Judgement::of(Outcome::AdapterError { how: asked.files.shorten(&e.to_string()) })),
    )
}

/// What an answer shows, where several are right.
fn reading(large: &LargeCase, shown: &str) -> Option<String> {
    (large.verdict == Verdict::Ambiguous).then(|| shown.to_owned())
}

fn accepted_by(asked: &Asked<'_>, large: &LargeCase, accepted: &Accepted) -> Result<Judgement, Error> {
    let level = asked.hello.map_or(Level::Verdict, |hello| asked.subject.level_of(hello));
    let right = passed(reading(large, "read"));
    match level {
        Level::Counts => {
            let declared = asked.hello.map(|hello| hello.counts.as_slice()).unwrap_or_default();
            Ok(Wrong::all(miscounted(large, accepted, declared)).map_or(right, Judgement::wrong))
        }
        Level::Digest => of_digest(asked, large, accepted, right),
        Level::Verdict | Level::Listing => Ok(right),
    }
}

/// The numbers that are wrong, of those that are declared.
fn miscounted(large: &LargeCase, accepted: &Accepted, declared: &[Count]) -> Vec<Differing> {
    let (due, told) = (large.counts(), accepted.counts.clone().unwrap_or_default());
    let declared = Count::ALL.into_iter().filter(|count| declared.contains(count) && *count != Count::Histogram);
    let mut found: BTreeMap<String, Option<u64>> =
        declared.map(|count| (count.to_string(), counts::of(&told, count))).collect();
    let kinds =
        [Count::Instances, Count::ObjectArrays, Count::PrimitiveArrays].map(|count| found.get(&count.to_string()));
    if let [Some(instances), Some(objects), Some(primitives)] = kinds {
        let all = [instances, objects, primitives];
        let sum = all.into_iter().try_fold(0_u64, |sum, count| sum.checked_add((*count)?));
        found.insert(OBJECTS.to_owned(), sum);
    }
    let wrong = due.iter().filter_map(|(name, due)| {
        let found = found.get(*name).filter(|found| **found != Some(*due))?;
        let found = found.map_or("nothing, although it is declared".to_owned(), |found| found.to_string());
        Some(Wrong::number((*name).to_owned(), due.to_string(), found).into_first())
    });
    wrong.collect()
}

fn of_digest(asked: &Asked<'_>, large: &LargeCase, accepted: &Accepted, right: Judgement) -> Result<Judgement, Error> {
    let Some(told) = &accepted.digest else {
        return Ok(Judgement::wrong(Wrong::answer("a digest as in specs/digest.md", "none".to_owned())));
    };
    let wanted = match wanted(asked) {
        Ok(wanted) => wanted,
        Err(wrong) => return Ok(Judgement::wrong(wrong)),
    };
    let due = large.counts();
    let found = [("classes", Some(told.classes)), (OBJECTS, Some(told.objects)), ("roots", told.roots)];
    let numbers = found.into_iter().filter_map(|(name, found)| {
        let (due, found) = (due.get(name)?, found?);
        (*due != found).then(|| Wrong::number(name.to_owned(), due.to_string(), found.to_string()).into_first())
    });
    if let Some(wrong) = Wrong::all(numbers) {
        return Ok(Judgement::wrong(wrong));
    }
    let Some(dump) = asked.files.dump()? else {
        return Ok(Judgement::of(Outcome::AdapterError { how: CHANGED_DUMP.to_owned() }));
    };
    let options = digest::Options { facets: wanted, by_facet: true, bucket: None };
    let ours = DumpFile::new(dump, Reading::default()).and_then(|file| file.source()).and_then(|mut source| {
        let number = large.heap().map_or(0, |heap| heap as usize);
        digest::digest(source.heap(number.min(source.heaps().saturating_sub(1))), &options)
    });
    match ours {
        Ok(due) => {
            let judgement = differ(&due, told).err().map_or(right, Judgement::wrong);
            Ok(Judgement { omitted: omitted(wanted), ..judgement })
        }
        // Another reading than ours: the numbers are all that is known.
        Err(Error::Decode(_)) if large.verdict == Verdict::Ambiguous => Ok(right),
        Err(e) => Err(e),
    }
}

/// The level that an adapter is asked for about a large case; or why it is not asked. Listings of such dumps have no bound.
pub(in crate::check) fn level_for(large: &LargeCase, hello: &Hello, wanted: Option<Level>) -> Result<Level, String> {
    use super::super::protocol::Identifies::Opaque;
    let has_digest = !large.is_counted && hello.identifies != Opaque;
    let can = |level: &Level| match level {
        Level::Listing => false,
        Level::Digest => has_digest && hello.levels.contains(level),
        Level::Verdict | Level::Counts => hello.levels.contains(level),
    };
    if let Some(wanted) = wanted.filter(|level| can(level)) {
        return Ok(wanted);
    }
    let levels = [Level::Digest, Level::Counts, Level::Verdict];
    levels
        .into_iter()
        .find(can)
        .ok_or_else(|| "large dumps are asked about by digest, counts or verdict, of which it declares none".to_owned())
}
