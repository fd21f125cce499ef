//! Judgement of answers about dumps that are not held: by numbers, by digests, and by what a conversion carries. The
//! dump is read object by object.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::check::declarations::{IDENTIFIES, counted_roots, has_own_roots};
use crate::check::judge::changed::ChangedSource;
use crate::check::judge::digest::{find_digest_mismatch, judged_facets, unjudged_facets};
use crate::check::judge::dump::{CHANGED_DUMP, with_heap};
use crate::check::judge::{
    AnswerJudgement, AnsweredTask, Mismatch, WrongFact, counts, dump, judge, not_refused, passed, skipped_records,
};
use crate::check::process::Budget;
use crate::check::protocol::{Accepted, CountKind, Hello, Level};
use crate::check::report::Outcome;
use crate::check::streamed_dump::StreamedDump;
use crate::check::subject::{AnswerFile, Reply, Session};
use crate::check::task::TaskOperation;
use crate::check::tasks::MOST_ENTRIES;
use crate::corpus::{Case, CaseVerdict, RightAnswer};
use heapsmith_core::compare::Facet;
use heapsmith_core::digest;
use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::model::{Contents, Heap, HeapSource, Object, ObjectKind};

/// The name of all objects together in the numbers of a case.
const OBJECTS: &str = "objects";

/// Judges the reply to a task over such a dump; `None` if the run is to stop.
pub(in crate::check) fn judge_large(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    reply: Reply,
    session: &mut dyn Session,
) -> Option<AnswerJudgement> {
    let judgement = match reply {
        Reply::Accepted(accepted)
            if asked.task.operation == TaskOperation::Parse && level_of(asked) == Level::Answers =>
        {
            match held_heap(asked, large, ReadOptions::default(), &[Facet::PrimitiveContents]) {
                Ok(Some(heap)) => return judge_entries(asked, heap, accepted, session),
                Ok(None) => Ok(AnswerJudgement::from_outcome(Outcome::AdapterError { how: CHANGED_DUMP.to_owned() })),
                Err(e) => Err(e),
            }
        }
        Reply::Accepted(accepted)
            if asked.task.operation == TaskOperation::Parse && level_of(asked) == Level::Listing =>
        {
            match large.verdict {
                CaseVerdict::Invalid => Ok(not_refused()),
                CaseVerdict::Valid | CaseVerdict::Ambiguous => match judge_listing(asked, large, &accepted, session) {
                    Ok(judged) => return judged,
                    Err(e) => Err(e),
                },
            }
        }
        Reply::Accepted(accepted) => accepted_or_not(asked, large, &accepted),
        Reply::Refused(message, offset) => {
            let outcome = match large.verdict {
                CaseVerdict::Valid => {
                    let found = if message.is_empty() { "refused".to_owned() } else { format!("refused: {message}") };
                    Outcome::WrongVerdict { expected: "accept".to_owned(), found }
                }
                CaseVerdict::Invalid | CaseVerdict::Ambiguous => {
                    Outcome::Pass { reading: shown_reading(large, "refused") }
                }
            };
            Ok(AnswerJudgement { offset, ..AnswerJudgement::from_outcome(outcome) })
        }
        reply => return judge(asked, reply, session),
    };
    Some(judgement.unwrap_or_else(|e| {
        AnswerJudgement::from_outcome(Outcome::AdapterError { how: asked.files.shorten(&e.to_string()) })
    }))
}

/// The level that was asked for.
fn level_of(asked: &AnsweredTask<'_>) -> Level {
    asked.hello.map_or(Level::Verdict, |hello| asked.subject.effective_level(hello))
}

/// The heap that is asked about, without the facts of long facets; `None` if the dump has changed.
fn held_heap(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    reading: ReadOptions,
    long: &[Facet],
) -> Result<Option<Heap>, Error> {
    with_heap(asked, large, reading, &mut |source| {
        let (facts, classes) = (source.facts().clone(), source.classes().to_vec());
        let mut heap = Heap { facts, classes, objects: Vec::new(), surroundings: source.surroundings().clone() };
        source.visit_objects(&mut |object| {
            let facet = match object.kind {
                ObjectKind::PrimitiveArray(_) => Facet::PrimitiveContents,
                ObjectKind::ObjectArray => Facet::Elements,
                ObjectKind::Instance => Facet::FieldValues,
            };
            let contents = if long.contains(&facet) { Contents::Unknown } else { object.contents.hold()? };
            heap.objects.push(Object { contents, ..object.clone() });
            Ok(())
        })?;
        Ok(heap)
    })
}

/// Judges a listing by the heap under each reading of the dump, without the facets that have no bound.
fn judge_listing(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    accepted: &Accepted,
    session: &mut dyn Session,
) -> Result<Option<AnswerJudgement>, Error> {
    let length = asked.files.answer().map_or(0, AnswerFile::length);
    if let Some(longest) = large.longest_listing().filter(|longest| length > *longest) {
        let expected = format!("at most {longest} bytes, without what the request leaves out");
        return Ok(Some(AnswerJudgement::from_mismatch(Mismatch::answer(&expected, format!("{length} bytes")))));
    }
    let left_out = asked.left_out.iter().chain(large.long_facets()).copied().collect();
    let mut first = None;
    for reading in dump::allowed_readings(asked.case.format) {
        let heap = match held_heap(asked, large, reading, large.long_facets()) {
            Ok(Some(heap)) => heap,
            Ok(None) => {
                let how = CHANGED_DUMP.to_owned();
                return Ok(Some(AnswerJudgement::from_outcome(Outcome::AdapterError { how })));
            }
            // Another reading than ours: that it was read is all that can be judged.
            Err(Error::Decode(_)) if large.verdict == CaseVerdict::Ambiguous => {
                return Ok(Some(passed(shown_reading(large, "read"))));
            }
            Err(e) => return Err(e),
        };
        let case = Case {
            answers: vec![RightAnswer::Reads("as written", Arc::new(heap))],
            verdict: CaseVerdict::Valid,
            ..asked.case.clone()
        };
        let accepted = Accepted { warnings: Vec::new(), ..accepted.clone() };
        let asked = AnsweredTask { case: &case, left_out: &left_out, ..*asked };
        let Some(judged) = judge(&asked, Reply::Accepted(Box::new(accepted)), session) else { return Ok(None) };
        if judged.outcome().is_pass() {
            // The dump was not read again for other readings, so that none is shown.
            return Ok(Some(AnswerJudgement { follows: Vec::new(), ..judged }));
        }
        first = first.or(Some(judged));
    }
    Ok(first)
}

/// Judges what is said of each class and object of a heap.
fn judge_entries(
    asked: &AnsweredTask<'_>,
    heap: Heap,
    accepted: Box<Accepted>,
    session: &mut dyn Session,
) -> Option<AnswerJudgement> {
    let (length, longest) = (asked.files.answer().map_or(0, AnswerFile::length), Budget::output_for(0));
    if length > longest {
        let (expected, found) = (format!("at most {longest} bytes about so few entries"), format!("{length} bytes"));
        return Some(AnswerJudgement::from_mismatch(Mismatch::answer(&expected, found)));
    }
    let case = Case { answers: vec![RightAnswer::Reads("as written", Arc::new(heap))], ..asked.case.clone() };
    let accepted = Accepted { warnings: Vec::new(), ..*accepted };
    judge(&AnsweredTask { case: &case, ..*asked }, Reply::Accepted(Box::new(accepted)), session)
}

/// The reading that a passing answer shows, where several are right.
fn shown_reading(large: &StreamedDump<'_>, shown: &str) -> Option<String> {
    (large.verdict == CaseVerdict::Ambiguous).then(|| shown.to_owned())
}

fn accepted_or_not(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    accepted: &Accepted,
) -> Result<AnswerJudgement, Error> {
    let shortened = skipped_records::shortened_large(asked, large)?;
    let large = shortened.as_ref().unwrap_or(large);
    match &asked.task.operation {
        _ if large.verdict == CaseVerdict::Invalid => Ok(not_refused()),
        TaskOperation::Convert(to) => dump::judge_streamed(asked, large, to),
        TaskOperation::Parse | TaskOperation::Encode(_) => judge_acceptance(asked, large, accepted),
    }
}

fn judge_acceptance(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    accepted: &Accepted,
) -> Result<AnswerJudgement, Error> {
    let level = level_of(asked);
    let right = passed(shown_reading(large, large.shortened.as_ref().map_or("read", |(reading, _)| reading)));
    match level {
        Level::Counts => {
            let declared = asked.hello.map(|hello| hello.counts.as_slice()).unwrap_or_default();
            match &large.counts {
                Some(due) => {
                    let mut due = due.clone();
                    if let (true, Some(count)) = (has_own_roots(asked.declares()), due.get_mut("roots")) {
                        let counted = |source: &mut dyn HeapSource| counted_roots(source, asked.declares());
                        let roots = with_heap(asked, large, ReadOptions::default(), &mut |source| counted(source))?;
                        *count = roots.flatten().map_or(*count, |roots| roots.len() as u64);
                    }
                    Ok(Mismatch::from_facts(miscounted(&due, accepted, declared))
                        .map_or(right, AnswerJudgement::from_mismatch))
                }
                None => judge_counts(asked, large, accepted, declared, right),
            }
        }
        Level::Digest => judge_digest(asked, large, accepted, right),
        Level::Verdict | Level::Answers | Level::Listing => Ok(right),
    }
}

/// The numbers that are wrong, of those that are declared.
fn miscounted(due: &BTreeMap<&str, u64>, accepted: &Accepted, declared: &[CountKind]) -> Vec<WrongFact> {
    let told = accepted.counts.clone().unwrap_or_default();
    let declared = CountKind::ALL.into_iter().filter(|count| declared.contains(count) && !count.is_by_class());
    let mut found: BTreeMap<String, Option<u64>> =
        declared.map(|count| (count.to_string(), counts::number_of(&told, count))).collect();
    let kinds = [CountKind::Instances, CountKind::ObjectArrays, CountKind::PrimitiveArrays]
        .map(|count| found.get(&count.to_string()));
    if let [Some(instances), Some(objects), Some(primitives)] = kinds {
        let all = [instances, objects, primitives];
        let sum = all.into_iter().try_fold(0_u64, |sum, count| sum.checked_add((*count)?));
        found.insert(OBJECTS.to_owned(), sum);
    }
    let wrong = due.iter().filter_map(|(name, due)| {
        let found = found.get(*name).filter(|found| **found != Some(*due))?;
        let found = found.map_or("nothing, although it is declared".to_owned(), |found| found.to_string());
        Some(Mismatch::number((*name).to_owned(), due.to_string(), found).into_first())
    });
    wrong.collect()
}

fn judge_digest(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    accepted: &Accepted,
    right: AnswerJudgement,
) -> Result<AnswerJudgement, Error> {
    let Some(told) = &accepted.digest else {
        return Ok(AnswerJudgement::from_mismatch(Mismatch::answer(
            "a digest as in specs/digest.md",
            "none".to_owned(),
        )));
    };
    let wanted = match judged_facets(asked) {
        // The texts of a dump that is not held may be too many to be worked out.
        Ok(wanted) => wanted.without(Facet::StringText),
        Err(wrong) => return Ok(AnswerJudgement::from_mismatch(wrong)),
    };
    let due = large.counts.clone().unwrap_or_default();
    let found = [("classes", Some(told.classes)), (OBJECTS, Some(told.objects)), ("roots", told.roots)];
    let numbers = found.into_iter().filter_map(|(name, found)| {
        let (due, found) = (due.get(name)?, found?);
        (*due != found).then(|| Mismatch::number(name.to_owned(), due.to_string(), found.to_string()).into_first())
    });
    if let Some(wrong) = Mismatch::from_facts(numbers) {
        return Ok(AnswerJudgement::from_mismatch(wrong));
    }
    let options = digest::DigestOptions::default().facets(wanted).by_facet(true);
    let mut first = None;
    for reading in dump::allowed_readings(asked.case.format) {
        let judged = with_heap(asked, large, reading, &mut |source| {
            let change = |part: &mut Heap| asked.declares().read(part);
            let digest = match asked.declares().has_readings() {
                true => digest::digest(&mut ChangedSource::new(source, &change), &options)?,
                false => digest::digest(source, &options)?,
            };
            Ok(find_digest_mismatch(&digest, told).map_err(Box::new))
        });
        match judged {
            Ok(None) => {
                return Ok(AnswerJudgement::from_outcome(Outcome::AdapterError { how: CHANGED_DUMP.to_owned() }));
            }
            Ok(Some(Ok(()))) => return Ok(AnswerJudgement { omitted: unjudged_facets(wanted), ..right }),
            Ok(Some(Err(wrong))) => first = first.or(Some(*wrong)),
            // Another reading than ours: the numbers are all that is known.
            Err(Error::Decode(_)) if large.verdict == CaseVerdict::Ambiguous => return Ok(right),
            Err(e) => return Err(e),
        }
    }
    Ok(AnswerJudgement { omitted: unjudged_facets(wanted), ..first.map_or(right, AnswerJudgement::from_mismatch) })
}

/// Judges what is counted by what heapsmith counts.
fn judge_counts(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    accepted: &Accepted,
    declared: &[CountKind],
    right: AnswerJudgement,
) -> Result<AnswerJudgement, Error> {
    let strings = match (declared.contains(&CountKind::Strings), large.dump(asked.files)?) {
        (true, Some(dump)) => counts::strings(&mut DumpFile::new(dump, ReadOptions::default())?.source()?),
        _ => None,
    };
    let judged = with_heap(asked, large, ReadOptions::default(), &mut |source| {
        // Names are bytes or text: what an adapter has is a reading of the whole run, which one dump does not settle.
        let judge =
            |source: &mut dyn HeapSource, has_text| counts::judge(source, strings, declared, accepted, has_text);
        let roots = counted_roots(source, asked.declares())?;
        let mut changed;
        let source = match roots {
            None => source,
            roots => {
                changed = ChangedSource::new(source, &|_| {});
                changed.head_mut().surroundings.roots = roots;
                &mut changed
            }
        };
        match judge(source, false)? {
            Ok(()) => Ok(Ok(())),
            Err(wrong) => Ok(judge(source, true)?.map_err(|_| Box::new(wrong))),
        }
    })?;
    Ok(match judged {
        None => AnswerJudgement::from_outcome(Outcome::AdapterError { how: CHANGED_DUMP.to_owned() }),
        Some(judged) => judged.err().map_or(right, |wrong| AnswerJudgement::from_mismatch(*wrong)),
    })
}

/// The level that an adapter is asked for about a large case; or why it is not asked. A listing is asked for where it has a bound, if
/// need be without the facets that have none, and answers of an analyser where the dump is known to have few entries.
pub(in crate::check) fn level_for(
    large: &StreamedDump<'_>,
    hello: &Hello,
    wanted: Option<Level>,
) -> Result<Level, String> {
    let has_digest = !large.is_counted && !hello.declares.has(IDENTIFIES, "opaque");
    let reports =
        |facet: &&Facet| hello.facets.contains(facet) && !(hello.protocol >= 2 && hello.omits.contains(facet));
    let unbounded = large.long_facets().iter().find(reports);
    let can = |level: &Level| match level {
        Level::Listing => hello.levels.contains(level) && large.longest_listing().is_some() && unbounded.is_none(),
        Level::Answers => large.has_few_entries(MOST_ENTRIES) && hello.levels.contains(level),
        Level::Digest => has_digest && hello.levels.contains(level),
        Level::Verdict | Level::Counts => hello.levels.contains(level),
    };
    if let Some(wanted) = wanted.filter(|level| can(level)) {
        return Ok(wanted);
    }
    let levels = [Level::Digest, Level::Answers, Level::Counts, Level::Listing, Level::Verdict];
    levels.into_iter().find(can).ok_or_else(|| match unbounded {
        _ if !hello.levels.contains(&Level::Listing) || large.longest_listing().is_none() => {
            "large dumps are asked about by digest, counts or verdict, of which it declares none".to_owned()
        }
        Some(facet) => format!("its listing would be as long as the dump: it does not declare that it `omits` {facet}"),
        None => "it answers at no level that large dumps are asked about at".to_owned(),
    })
}
