//! Judgement of dumps that were converted or written, by what their format carries.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Read};

use crate::check::declarations::{ComparedSides, Declares};
use crate::check::judge::changed::ChangedSource;
use crate::check::judge::declared_loss::{lose_object, without_lost};
use crate::check::judge::{AnswerJudgement, AnsweredTask, Mismatch, WrongFact, holder, passed};
use crate::check::process::Budget;
use crate::check::report::Outcome;
use crate::check::streamed_dump::StreamedDump;
use crate::check::task::TaskOperation;
use heapsmith_core::compare::{Facet, LostFacts, MEMORY};
use heapsmith_core::convert::{self, ConversionVerdict, RenamingVerdict};
use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::family::case::ReadingHeap;
use heapsmith_core::format::{DumpFile, DumpTarget, Format, Lowering};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::model::{Address, DumpSource, Heap, HeapSource, IdentityHash, Object};
use heapsmith_core::validate::{Severity, ValidateOptions, validate};

/// The message about a dump that has changed since the question.
pub(super) const CHANGED_DUMP: &str = "the dump was changed while it was asked about";

/// The dump in the file of the answer, if it is a valid one.
pub(super) fn valid_dump(asked: &AnsweredTask<'_>) -> Result<Result<Input, Mismatch>, Error> {
    let input = asked.files.answer()?.input()?;
    let longest = Budget::output_for(asked.files.size);
    if input.is_compressed() && decompressed_length(&input, longest)? > longest {
        let found = format!("more than {} MiB, decompressed", longest >> 20);
        return Ok(Err(Mismatch::answer("a dump of some length", found)));
    }
    let report = validate(&input, ValidateOptions::default())?;
    if let Some(finding) = report.findings.iter().find(|finding| finding.severity == Severity::Error) {
        let found = format!("{} at offset {:#x}: {}", finding.rule, finding.offset, finding.found);
        return Ok(Err(Mismatch::answer(&format!("a valid dump: {}", finding.expected), found)));
    }
    Ok(Ok(input))
}

/// Judges the dump in the file of the answer against the right heap.
pub(super) fn judge(
    asked: &AnsweredTask<'_>,
    heap: &Heap,
    to: &DumpTarget,
    holder: Option<&str>,
    input: &Input,
) -> Result<Result<(), Mismatch>, Error> {
    let mut first = None;
    for reading in allowed_readings(to.format) {
        match judge_under_reading(asked, heap, to, holder, input, reading)? {
            Err(wrong) if !wrong.is_undecided() => first = first.or(Some(wrong)),
            judged => return Ok(judged),
        }
    }
    Ok(Err(first.unwrap_or_else(|| Mismatch::answer("a dump", "nothing".to_owned()))))
}

/// Every way in which the result may be read: the default first, then those that its format allows as well.
pub(super) fn allowed_readings(format: Format) -> Vec<ReadOptions> {
    let others = format.family().ambiguities().iter().filter_map(|ambiguity| match ambiguity.means {
        ReadingHeap::Again { reading, .. } => Some(reading(ReadOptions::default())),
        ReadingHeap::Spelled | ReadingHeap::Heap { .. } | ReadingHeap::Judge => None,
    });
    std::iter::once(ReadOptions::default()).chain(others).collect()
}

/// Judges the dump in one way to read it.
fn judge_under_reading(
    asked: &AnsweredTask<'_>,
    heap: &Heap,
    to: &DumpTarget,
    holder: Option<&str>,
    input: &Input,
    reading: ReadOptions,
) -> Result<Result<(), Mismatch>, Error> {
    let file = match DumpFile::new(input.clone(), reading) {
        Ok(file) => file,
        Err(e) => return Ok(Err(Mismatch::answer("a dump", e.to_string()))),
    };
    let found = file.format()?;
    if found != to.format {
        return Ok(Err(Mismatch::answer(&format!("a dump in the format {}", to.format), found.to_string())));
    }
    let mut dump = file.source()?;
    if dump.heaps() != 1 {
        return Ok(Err(Mismatch::answer("a dump with one heap", format!("{} heaps", dump.heaps()))));
    }
    let source = dump.heap(0);
    if let Some(holder) = holder {
        return Ok(holder::judge(heap, &Heap::collect(source)?, holder));
    }
    let declared = DeclaredDumps::new(asked, to);
    let differing = |judged: &Result<(), Mismatch>| match judged {
        Err(wrong) if !wrong.is_undecided() => wrong.differing.count(),
        _ => 0,
    };
    let writers = convert::writers(to, Some(asked.case.format))?;
    let judged =
        convert::nearest(&writers, |writer| judge_by_writer(asked, heap, source, writer, &declared), differing);
    // Facets of the new dump are not those of the one that was read: nothing is known of the readings that matter.
    let among_all = |wrong: Mismatch| Ok(Err(wrong.with_unknown_facets()));
    match judged {
        Err(Error::NotJudged { .. }) if to.profile.is_none() => {
            among_all(Mismatch::answer(&format!("a heap that {to} can hold"), "another".to_owned()))
        }
        judged => match judged?.1 {
            Err(wrong) if !wrong.is_undecided() => among_all(wrong),
            judged => Ok(judged),
        },
    }
}

/// The declarations about the dumps that are made.
#[derive(Default)]
struct DeclaredDumps {
    /// Facets that they lack.
    lost: Vec<Facet>,
    /// Whether they have the format of the dump that they are made of.
    is_same: bool,
    /// The spelling of facts in them.
    declares: Declares<true>,
}

impl DeclaredDumps {
    fn new(asked: &AnsweredTask<'_>, to: &DumpTarget) -> DeclaredDumps {
        match (&asked.task.operation, asked.hello) {
            (_, None) => DeclaredDumps::default(),
            (TaskOperation::Encode(to), Some(hello)) => {
                DeclaredDumps { lost: hello.loses(None, to), ..Default::default() }
            }
            (_, Some(hello)) => DeclaredDumps {
                lost: hello.loses(Some(asked.case.format), to),
                is_same: asked.case.format == to.format,
                declares: hello.dump_declares(asked.case.format, to),
            },
        }
    }

    /// Judges a dump that is not held by what one writer's dumps carry.
    fn judge_streamed(
        &self,
        source: &mut dyn HeapSource,
        result: &mut dyn HeapSource,
        writer: &DumpTarget,
    ) -> Result<ConversionVerdict, Error> {
        let is_lossy = self.is_same && !self.lost.is_empty();
        if !is_lossy && self.declares == Declares::default() {
            return convert::judge(source, result, writer, MEMORY);
        }
        let change = |part: &mut Heap| self.declares.change(part);
        let (mut source, mut result) = (ChangedSource::new(source, &change), ChangedSource::new(result, &change));
        if is_lossy {
            without_lost(source.head_mut(), result.head_mut(), &self.lost);
        }
        let lost = is_lossy.then_some(LostFacts { facets: &self.lost, lose: lose_object });
        convert::judge_losing(&mut source, &mut result, writer, MEMORY, lost)
    }
}

/// Judges a dump by what one writer's dumps carry.
fn judge_by_writer(
    asked: &AnsweredTask<'_>,
    heap: &Heap,
    result: &mut dyn HeapSource,
    to: &DumpTarget,
    DeclaredDumps { lost, is_same, declares }: &DeclaredDumps,
) -> Result<Result<(), Mismatch>, Error> {
    let mut heap = heap.clone();
    let mut told;
    let mut result = result;
    if *declares != Declares::default() || *is_same && !lost.is_empty() {
        let held = Heap::collect(result)?;
        let by_address = !asked.task.renames;
        let mut sides = ComparedSides { right: Cow::Owned(heap), told: Cow::Owned(held), by_address };
        sides.agree(declares);
        (heap, told) = (sides.right.into_owned(), sides.told.into_owned());
        if *is_same {
            without_lost(&mut heap, &told, lost);
        }
        result = &mut told;
    }
    // That there is no hash is a fact like another number; of other facets nothing is to be seen where they are lost.
    if lost.iter().any(|facet| [Facet::Hash16, Facet::Hash32].contains(facet)) {
        without_lost_hashes(&mut heap, result)?;
    }
    let verdict = if asked.task.renames {
        match convert::judge_up_to_renaming(&mut heap, result, to, heapsmith_core::compare::renaming::BUDGET)? {
            RenamingVerdict::Decided(verdict) => *verdict,
            RenamingVerdict::Undecided(steps, _) => return Ok(Err(Mismatch::undecided(steps))),
        }
    } else {
        convert::judge(&mut heap, result, to, MEMORY)?
    };
    Ok(judge_verdict(asked, verdict, to, lost))
}

/// The mismatch in a verdict on a conversion, without facets that are not judged or that are declared to be lost.
fn judge_verdict(
    asked: &AnsweredTask<'_>,
    verdict: ConversionVerdict,
    to: &DumpTarget,
    lost: &[Facet],
) -> Result<(), Mismatch> {
    let is_judged = |facet: Facet| !asked.left_out.contains(&facet);
    let changed = verdict.changed.into_iter().filter(|changed| is_judged(changed.facet)).map(WrongFact::from);
    let missing = verdict.missing.iter().filter(|missing| is_judged(missing.facet) && !lost.contains(&missing.facet));
    let missing = missing.map(|missing| lost_facet(missing.facet, missing.count, to));
    Mismatch::from_facts(changed.chain(missing)).map_or(Ok(()), Err)
}

/// Judges what was made of a dump that is not held, object by object.
pub(super) fn judge_streamed(
    asked: &AnsweredTask<'_>,
    streamed: &StreamedDump<'_>,
    to: &DumpTarget,
) -> Result<AnswerJudgement, Error> {
    let result = match valid_dump(asked)? {
        Ok(input) => DumpFile::new(input, ReadOptions::default())?,
        Err(wrong) => return Ok(AnswerJudgement::from_mismatch(wrong)),
    };
    let found = result.format()?;
    if found != to.format {
        let wrong = Mismatch::answer(&format!("a dump in the format {}", to.format), found.to_string());
        return Ok(AnswerJudgement::from_mismatch(wrong));
    }
    let mut result = result.source()?;
    if result.heaps() != 1 {
        let wrong = Mismatch::answer("a dump with one heap", format!("{} heaps", result.heaps()));
        return Ok(AnswerJudgement::from_mismatch(wrong));
    }
    let declared = DeclaredDumps::new(asked, to);
    let writers = convert::writers(to, Some(asked.case.format))?;
    let differing = |judged: &Result<(), Mismatch>| judged.as_ref().err().map_or(0, |wrong| wrong.differing.count());
    let judged = with_heap(asked, streamed, ReadOptions::default(), &mut |source| {
        let judge = |writer: &DumpTarget| {
            let verdict = declared.judge_streamed(source, result.heap(0), writer)?;
            Ok(judge_verdict(asked, verdict, writer, &declared.lost))
        };
        convert::nearest(&writers, judge, differing).map(|(_, judged)| judged.map_err(Box::new))
    })?;
    Ok(match judged {
        None => AnswerJudgement::from_outcome(Outcome::AdapterError { how: CHANGED_DUMP.to_owned() }),
        Some(Ok(())) => passed(None),
        Some(Err(wrong)) => AnswerJudgement::from_mismatch(wrong.with_unknown_facets()),
    })
}

/// Takes away the hashes that a result does not have: by address, and all of them where it has none at all.
fn without_lost_hashes(heap: &mut Heap, result: &mut dyn HeapSource) -> Result<(), Error> {
    // A writer of 16 bits for every object has 0 for one without a hash.
    let is_there = |hash: Option<IdentityHash>| {
        hash.is_some_and(|hash| ![IdentityHash::Bits16(0), IdentityHash::Bits32(0)].contains(&hash))
    };
    let of_classes = result.classes().iter().filter(|class| is_there(class.hash));
    let mut hashed: HashSet<Address> = of_classes.map(|class| class.address).collect();
    result.visit_objects(&mut |object| {
        if is_there(object.hash) {
            hashed.insert(object.address);
        }
        Ok(())
    })?;
    let lost = |address: &Address| !hashed.contains(address);
    heap.classes.iter_mut().filter(|class| lost(&class.address)).for_each(|class| class.hash = None);
    heap.objects.iter_mut().filter(|object| lost(&object.address)).for_each(|object| object.hash = None);
    Ok(())
}

/// Whether a heap has an array that is longer than any of Java's, or twice as large as the largest of them, so that another format need not be able to hold it.
pub(super) fn is_beyond_java(heap: &Heap) -> bool {
    let is_beyond = |object: &Object| {
        let size = object.size.map_or(0, |size| size.0);
        object.length.is_some_and(|length| length > LONGEST_ARRAY) || size / 16 > LONGEST_ARRAY
    };
    heap.objects.iter().any(is_beyond)
}

/// Whether a conversion to a format, as an unnamed or this writer would write it, holds a heap: its numbers fit into the fields,
/// and what has to be synthesised is no more than a converter may write.
pub(super) fn can_hold(to: &DumpTarget, heap: &Heap, dump: &[u8]) -> bool {
    let Ok(lowering) =
        Lowering::new(to.format, &WriteRequest { profile: to.profile.clone(), ..WriteRequest::default() })
    else {
        return true;
    };
    let options = convert::ConvertOptions::new(&lowering).budget(Budget::output_for(dump.len() as u64));
    let mut source = heap;
    !matches!(convert::convert(&mut source, &options, &mut io::sink()), Err(Error::Lower(_)))
}

/// The largest `int` (The Java Virtual Machine Specification, 6.5, newarray).
const LONGEST_ARRAY: u64 = i32::MAX as u64;

/// The length of a dump when it is decompressed; little more than `longest`, if it is longer.
fn decompressed_length(input: &Input, longest: u64) -> Result<u64, Error> {
    // What is damaged ends here, and is found again where it is read.
    let mut count = 0;
    let mut stream = input.stream()?;
    let mut piece = vec![0; 64 << 10];
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        count += read as u64;
        if count > longest {
            break;
        }
    }
    Ok(count)
}

fn lost_facet(facet: Facet, count: u64, to: &DumpTarget) -> WrongFact {
    Mismatch::facet(facet, None, format!("what {to} can carry"), "nothing".to_owned(), count).into_first()
}

/// Calls `judge` with the heap that is asked about; `None` if the dump has changed.
pub(super) fn with_heap<T>(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'_>,
    reading: ReadOptions,
    judge: &mut dyn FnMut(&mut dyn HeapSource) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let Some(dump) = large.dump(asked.files)? else { return Ok(None) };
    let mut source = DumpFile::new(dump, reading)?.source()?;
    let number = large.heap.map_or(0, |heap| heap as usize).min(source.heaps().saturating_sub(1));
    judge(source.heap(number)).map(Some)
}
