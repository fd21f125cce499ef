//! Examination of an adapter against the protocol: problems of the adapter, and dumps on which the parser fails.

mod odd_heap;
mod step;

use std::cmp::Reverse;
use std::io::BufReader;

use odd_heap::{ODD_HEAPS, OddHeap};
use step::StepFinding;

use crate::check::introduction::check_declaration;
use crate::check::judge::{find_adapter_fault, find_missing_count, read_answers};
use crate::check::process::{Limits, StopReason};
use crate::check::protocol::{Accepted, AnswerPart, AnswerStatus, Hello, Level, RequestedOperation};
use crate::check::subject::{Adapter, NoAnswer, QuestionFiles, Reply, Subject, exit_grace};
use crate::check::task::{first_heap, write_listing};
use crate::corpus::{Case, CaseOrigin, CaseVerdict, RightAnswer, cases};
use heapsmith_core::compare::listing;
use heapsmith_core::error::Error;
use heapsmith_core::format::Format;
pub use step::{Examination, ExaminationStep, Fault};

/// Version of the schema of [`Examination`].
const SCHEMA: u32 = 3;
/// Number of answers out of time after which no more are waited for.
const HANGS: u32 = 3;

/// Examines an adapter. A process that ends or does not answer is replaced, so that the following steps are examined as
/// well.
///
/// # Errors
/// If cases cannot be made or written. What the adapter does wrong is part of the examination.
pub fn examine(subject: &Subject) -> Result<Examination, Error> {
    let mut told = Examination { schema: SCHEMA, ..Examination::default() };
    let mut adapter = Adapter::start(subject)?;
    let hello = match adapter.hello(subject) {
        Ok(hello) => hello,
        Err(reply) => {
            let found = match reply {
                Reply::Interrupted => StepFinding::not_tested("interrupted"),
                reply => StepFinding::adapter_fault(Err(describe_reply(&reply))),
            };
            told.add_step("it starts and answers hello", found);
            return Ok(told);
        }
    };
    told.add_step("it starts and answers hello", StepFinding::without_problem());
    told.add_step("its hello declares what it can do", StepFinding::adapter_fault(check_declaration(&hello)));
    let ignored = hello.ignored_names();
    told.set_note(
        (!ignored.is_empty()).then(|| format!("ignored, since this version does not know it: {}", ignored.join(", "))),
    );
    let mut examiner = Examiner { subject, hello: &hello, adapter: Some(adapter), told, over: None, hangs: 0 };
    examiner.examine_unknown_operation()?;
    examiner.examine_dumps()?;
    examiner.examine_written_dumps()?;
    examiner.examine_missing_dump()?;
    examiner.examine_exit();
    Ok(examiner.told)
}

struct Examiner<'e> {
    subject: &'e Subject,
    hello: &'e Hello,
    /// The process; absent after one that failed, until the next question.
    adapter: Option<Adapter>,
    told: Examination,
    /// The reason for which nothing more can be found out.
    over: Option<String>,
    /// The number of answers that did not come in time.
    hangs: u32,
}

/// An adapter that pastes paths into shell commands fails here. No other letters: Java cannot name such files in every locale.
const PREFIX: &str = "heapsmith's, with blanks ";

impl Examiner<'_> {
    /// Asks the process that runs, or another one if that has failed.
    fn ask(
        &mut self,
        op: &RequestedOperation,
        files: &QuestionFiles,
    ) -> Result<Result<AnswerStatus, StepFinding>, Error> {
        let limits = Limits::for_dump(&self.subject.budget, files.size, Some(files.answer_place()));
        let adapter = match self.running_adapter()? {
            Ok(adapter) => adapter,
            Err(why) => return Ok(Err(why)),
        };
        let answer = adapter.ask(op, &limits);
        Ok(answer.map_err(|reply| self.record_failure(&reply)))
    }

    /// The process, started again if the last one has failed.
    fn running_adapter(&mut self) -> Result<Result<&mut Adapter, StepFinding>, Error> {
        if let Some(why) = &self.over {
            return Ok(Err(StepFinding::not_tested(why)));
        }
        if self.adapter.is_none() {
            let mut adapter = Adapter::start(self.subject)?;
            if let Err(reply) = adapter.hello(self.subject) {
                let why = format!("it did not start again after a failure: {}", describe_reply(&reply));
                self.over = Some(why.clone());
                return Ok(Err(StepFinding::not_tested(&why)));
            }
            self.adapter = Some(adapter);
        }
        let gone = || StepFinding::not_tested("it is not running");
        Ok(self.adapter.as_mut().ok_or_else(gone))
    }

    /// Records a process that failed instead of answering; it is not asked again.
    fn record_failure(&mut self, reply: &Reply) -> StepFinding {
        self.adapter = None;
        let how = describe_reply(reply);
        match reply {
            Reply::Interrupted | Reply::Doubted => {
                self.over = Some("interrupted".to_owned());
                return StepFinding::not_tested("interrupted");
            }
            Reply::Hang(_) => {
                self.hangs += 1;
                if self.hangs == HANGS {
                    self.over = Some(format!("{HANGS} answers did not come in time"));
                }
            }
            _ => {}
        }
        match reply {
            Reply::Crash(_) | Reply::Hang(_) | Reply::OutOfMemory(_) => StepFinding::parser_fault(how),
            _ => StepFinding::adapter_fault(Err(how)),
        }
    }

    /// Examines behaviour that has nothing to do with dumps.
    fn examine_unknown_operation(&mut self) -> Result<(), Error> {
        let limits = Limits::for_dump(&self.subject.budget, 0, None);
        // Beyond 32 bits, and what JavaScript still counts exactly.
        let id = (1_u64 << 53) - 1;
        let adapter = match self.running_adapter()? {
            Ok(adapter) => adapter,
            Err(why) => {
                self.told.add_step(UNKNOWN, why);
                return Ok(());
            }
        };
        adapter.send_line(&format!("{{\"id\":{id},\"op\":\"there is no such operation\",\"and\":[1,2]}}"));
        let found = match adapter.receive(&limits) {
            Err(reply) => {
                self.record_failure(&reply);
                Err(format!(
                    "{}; expected {{\"id\":{id},\"status\":\"error\",\"message\":...}}",
                    describe_reply(&reply)
                ))
            }
            Ok(line) => match serde_json::from_slice::<super::protocol::AdapterAnswer>(&line) {
                Ok(answer) if answer.id != id => Err(format!("its id is {}, not {id}", answer.id)),
                Ok(super::protocol::AdapterAnswer { status: AnswerStatus::Error { .. }, .. }) => Ok(()),
                Ok(_) => Err("its status is not `error`".to_owned()),
                Err(e) => Err(format!("not an answer: {e}")),
            },
        };
        self.told.add_step(UNKNOWN, StepFinding::adapter_fault(found));
        Ok(())
    }

    /// Examines the question about a missing dump: the parser is not at fault.
    fn examine_missing_dump(&mut self) -> Result<(), Error> {
        let Some(format) = Format::all().find(|format| self.hello.can_read(*format)) else { return Ok(()) };
        let mut files = QuestionFiles::with_bytes(PREFIX, "dump", &[], ANSWER)?;
        files.input.set_file_name("there is no such file");
        let op = self.parse_request(&files, format, self.hello.level());
        let found = match self.ask(&op, &files)? {
            Ok(AnswerStatus::Accept(_)) => {
                StepFinding::adapter_fault(Err("it accepts a dump that does not exist".to_owned()))
            }
            Ok(_) => StepFinding::without_problem(),
            Err(found) => found.blame_adapter(),
        };
        self.told.add_step("it keeps running when the dump does not exist", found);
        Ok(())
    }

    fn parse_request(&self, files: &QuestionFiles, format: Format, level: Level) -> RequestedOperation {
        RequestedOperation::Parse {
            path: files.input.to_string_lossy().into_owned(),
            format: format.to_string(),
            heap: None,
            level,
            out: level.has_file().then(|| files.output.to_string_lossy().into_owned()),
            facets: (level == Level::Digest).then(|| self.hello.facets.to_vec()),
            omits: None,
            buckets: None,
            bucket: None,
        }
    }

    /// Examines a few dumps of each format: each level, a damaged dump, and the first one once more.
    fn examine_dumps(&mut self) -> Result<(), Error> {
        let Some(all) = Error::unless_stopped(cases())? else { return Ok(()) };
        for format in Format::all().filter(|format| self.hello.can_read(*format)) {
            let plain = |case: &&Case| case.format == format && case.heap.is_none() && !is_compressed(case);
            let of = |verdict| all.iter().filter(plain).filter(move |case| case.verdict == verdict);
            let has_objects = |case: &&Case| first_heap(case).is_some_and(|heap| !heap.objects.is_empty());
            let plain = of(CaseVerdict::Valid).filter(|case| !case.id.contains("any")).filter(has_objects);
            let Some(valid) = plain.min_by_key(|case| case_rank(case)) else {
                continue;
            };
            let has_roots = first_heap(valid).is_some_and(|heap| heap.surroundings.roots.is_some());
            let is_asked = |level: &Level| *level != Level::Answers || has_roots;
            for level in self.hello.levels.iter().copied().filter(is_asked) {
                let found = self.read(valid, level)?;
                self.told.add_step(
                    format!("it reads {} with an answer at the level `{level}`", valid.id),
                    found.on_case("parser", &valid.id),
                );
            }
            if let Some(damaged) = of(CaseVerdict::Invalid).min_by_key(|case| case.bytes.len()) {
                let (found, note) = self.examine_refusal(damaged)?;
                self.told.add_step(
                    format!("it refuses {}: {}", damaged.id, damaged.summary),
                    found.on_case("parser", &damaged.id),
                );
                self.told.set_note(note);
            }
            let found = self.read(valid, self.hello.level())?;
            self.told
                .add_step(format!("it reads {} once more after that", valid.id), found.on_case("parser", &valid.id));
            if self.hello.levels.contains(&Level::Listing) {
                let sound: Vec<&Case> = of(CaseVerdict::Valid).collect();
                self.examine_odd_listings(&sound)?;
            }
        }
        Ok(())
    }

    /// Examines the listings of a few sound dumps with something out of the ordinary, of each the smallest. Whether the parser
    /// reads them is for `check` to say: only faults of the adapter count.
    fn examine_odd_listings(&mut self, sound: &[&Case]) -> Result<(), Error> {
        for OddHeap { summary, has } in ODD_HEAPS {
            let odd = sound.iter().filter(|case| first_heap(case).is_some_and(has));
            let Some(case) = odd.min_by_key(|case| case.bytes.len()) else { continue };
            let found = self.read(case, Level::Listing)?.without_parser_fault();
            self.told.add_step(format!("its listing of {}, which has {summary}, is one", case.id), found);
        }
        Ok(())
    }

    /// Examines a conversion of each pair, and a dump of each writer.
    fn examine_written_dumps(&mut self) -> Result<(), Error> {
        let Some(all) = Error::unless_stopped(cases())? else { return Ok(()) };
        for format in Format::all() {
            let plain = |case: &&Case| case.format == format && case.heap.is_none() && !is_compressed(case);
            let has_objects = |case: &&Case| first_heap(case).is_some_and(|heap| !heap.objects.is_empty());
            let valid = all.iter().filter(plain).filter(|case| case.verdict == CaseVerdict::Valid).filter(has_objects);
            let Some(case) = valid.min_by_key(|case| case_rank(case)) else { continue };
            for to in self.hello.targets(format) {
                let files = QuestionFiles::with_bytes(PREFIX, &case.file(), &case.bytes, to.format.family().suffix())?;
                let (path, out) = file_paths(&files);
                let found = self.ask_for_file(
                    &files,
                    &RequestedOperation::Convert { path, from: format.to_string(), to: to.to_string(), out },
                )?;
                self.told.add_step(format!("it converts {} to {to}", case.id), found.on_case("converter", &case.id));
            }
            for to in self.hello.writers().into_iter().filter(|to| to.format == format) {
                let mut listing = Vec::new();
                write_listing(case, &mut listing)?;
                let files =
                    QuestionFiles::with_bytes(PREFIX, &case.listing_file(0), &listing, to.format.family().suffix())?;
                let (path, out) = file_paths(&files);
                let found =
                    self.ask_for_file(&files, &RequestedOperation::Encode { path, format: to.to_string(), out })?;
                self.told.add_step(
                    format!("it writes the listing of {} as {to}", case.id),
                    found.on_case("writer", &case.id),
                );
            }
        }
        Ok(())
    }

    fn ask_for_file(&mut self, files: &QuestionFiles, op: &RequestedOperation) -> Result<StepFinding, Error> {
        Ok(match self.ask(op, files)? {
            Ok(AnswerStatus::Accept(_)) => StepFinding::adapter_fault(self.open_answer(files)),
            Ok(status) => finding_from_status(status),
            Err(found) => found,
        })
    }

    /// Opens the file of an answer.
    fn open_answer(&self, files: &QuestionFiles) -> Result<(), String> {
        let taken = files.open_answer(&self.subject.budget, files.size);
        taken.map_err(|why| match why {
            NoAnswer::NoFile(why) => format!("there is no plain file where `out` says: {why}"),
            NoAnswer::Endless(limit) => format!("the file has more than {} MiB", limit >> 20),
        })
    }

    fn read(&mut self, case: &Case, level: Level) -> Result<StepFinding, Error> {
        let files = QuestionFiles::with_bytes(PREFIX, &case.file(), &case.bytes, ANSWER)?;
        let op = self.parse_request(&files, case.format, level);
        Ok(match self.ask(&op, &files)? {
            Ok(AnswerStatus::Accept(accepted)) => match (level, self.check_answer(&accepted, level, &files)) {
                (Level::Listing, Ok(())) => self.check_listing(case, &files)?,
                (_, checked) => StepFinding::adapter_fault(checked),
            },
            Ok(status) => finding_from_status(status),
            Err(found) => found,
        })
    }

    /// Checks whether a file is a listing that says what is declared. A number that no listing can have is the parser's mistake.
    fn check_listing(&self, case: &Case, files: &QuestionFiles) -> Result<StepFinding, Error> {
        let listing = match listing::read(BufReader::new(files.answer()?.reader())) {
            Ok(listing) => listing,
            Err(e) => {
                let describe = |how: &str| format!("the file is not a listing: {how}");
                return Ok(match find_adapter_fault(&e) {
                    Some(how) => StepFinding::adapter_fault(Err(describe(&how))),
                    None => StepFinding::parser_fault(describe(&e.first_message())),
                });
            }
        };
        let Some(right) = first_heap(case) else { return Ok(StepFinding::without_problem()) };
        let is_judged = |facet| self.hello.facets.contains(&facet) && !listing.head.omits.contains(&facet);
        let missing = find_missing_count(&listing, right, is_judged);
        let is_empty = listing.heap.objects.is_empty() && listing.heap.classes.is_empty();
        Ok(match missing {
            Some(how) => StepFinding::adapter_fault(Err(how)),
            None if is_empty && !(right.objects.is_empty() && right.classes.is_empty()) => {
                StepFinding::adapter_fault(Err("the listing has neither classes nor objects".to_owned()))
            }
            None => StepFinding::without_problem(),
        })
    }

    /// Checks whether an answer has what its level needs; `check` judges whether that is right.
    fn check_answer(&self, accepted: &Accepted, level: Level, files: &QuestionFiles) -> Result<(), String> {
        match level {
            Level::Verdict => Ok(()),
            Level::Counts => {
                let is_by_class = self.hello.counts.iter().any(|count| count.is_by_class());
                if is_by_class && accepted.histogram.is_none() {
                    return Err("`histogram` is declared and not in the answer".to_owned());
                }
                let others = self.hello.counts.iter().any(|count| !count.is_by_class());
                if others && accepted.counts.is_none() { Err("the answer has no `counts`".to_owned()) } else { Ok(()) }
            }
            Level::Digest => match &accepted.digest {
                None => Err("the answer has no `digest`".to_owned()),
                Some(digest) if digest.by_facet.is_none() => Err("the digest has no `by_facet`".to_owned()),
                Some(_) => Ok(()),
            },
            Level::Answers => {
                self.open_answer(files)?;
                let answer = files.answer().map_err(|e| e.to_string())?;
                let told = read_answers(BufReader::new(answer.reader()))?;
                let has = |part: &AnswerPart| told.values().any(|line| line.has(*part));
                match self.hello.answers.iter().find(|part| !has(part)) {
                    Some(part) => Err(format!("`answers` of hello has {part}, which no line has anything of")),
                    None => Ok(()),
                }
            }
            Level::Listing => self.open_answer(files),
        }
    }

    /// Examines whether it refuses a dump, and what could be said better.
    fn examine_refusal(&mut self, case: &Case) -> Result<(StepFinding, Option<String>), Error> {
        debug_assert!(case.answers.iter().all(|answer| matches!(answer, RightAnswer::Refuses(_))));
        let files = QuestionFiles::with_bytes(PREFIX, &case.file(), &case.bytes, ANSWER)?;
        let op = self.parse_request(&files, case.format, self.hello.level());
        let answer = self.ask(&op, &files)?;
        let note = match &answer {
            Ok(AnswerStatus::Reject { offset: None, .. }) => Some(NO_OFFSET.to_owned()),
            _ => None,
        };
        let found = match answer {
            Ok(AnswerStatus::Reject { .. } | AnswerStatus::Skip { .. }) => StepFinding::without_problem(),
            Ok(AnswerStatus::Accept(_)) => StepFinding::parser_fault("it accepts a dump that is damaged".to_owned()),
            Ok(AnswerStatus::Crash { message }) => StepFinding::parser_fault(crash_message(&message)),
            Ok(AnswerStatus::Error { message }) => StepFinding::adapter_fault(Err(format!(
                "status `error` ({message}); answer with `reject` where the parser refuses a dump: `error` is for failures \
                 of the adapter itself"
            ))),
            Err(found) => found,
        };
        Ok((found, note))
    }

    /// Examines the end of the process.
    fn examine_exit(&mut self) {
        let Some(adapter) = &mut self.adapter else { return };
        let (lines, has_ended) = adapter.finish(&self.subject.budget);
        let found = match has_ended {
            Some(StopReason::Ended(Some(0), _)) => Ok(()),
            Some(StopReason::Ended(_, how)) => Err(format!("{how}; expected exit code 0")),
            Some(stopped @ (StopReason::Endless(_) | StopReason::OutOfMemory(_))) => {
                Err(format!("{} after that, and was killed", describe_reply(&Reply::from_stop_reason(stopped, ""))))
            }
            _ => Err(format!(
                "it was still running {} s later, and was killed",
                exit_grace(&self.subject.budget).as_secs()
            )),
        };
        self.told.add_step("it ends when its standard input does", StepFinding::adapter_fault(found));
        let found = match lines.first() {
            None => Ok(()),
            Some(line) => Err(format!(
                "it wrote {:?} after its last answer; send the parser's output to standard error",
                String::from_utf8_lossy(line)
            )),
        };
        self.told.add_step("it writes only answers to standard output", StepFinding::adapter_fault(found));
    }
}

fn crash_message(message: &str) -> String {
    format!("it crashed: {message}")
}

/// The finding in a status other than `accept`, for a dump that can be read or a listing that can be written.
fn finding_from_status(status: AnswerStatus) -> StepFinding {
    match status {
        AnswerStatus::Accept(_) | AnswerStatus::Skip { .. } => StepFinding::without_problem(),
        AnswerStatus::Reject { message, .. } => StepFinding::parser_fault(format!("it refuses it: {message}")),
        AnswerStatus::Crash { message } => StepFinding::parser_fault(crash_message(&message)),
        AnswerStatus::Error { message } => StepFinding::parser_fault(format!("status `error`: {message}")),
    }
}

/// The step after hello.
const UNKNOWN: &str = "it answers an unknown operation with the status `error`, under the request's id";

/// The note for a refusal without an offset.
const NO_OFFSET: &str = "the answer has no `offset`; if the parser knows which bytes it refuses, send their offset, so that the report can name the rule";

/// The suffix of listings.
const ANSWER: &str = "jsonl";

fn file_paths(files: &QuestionFiles) -> (String, String) {
    (files.input.to_string_lossy().into_owned(), files.output.to_string_lossy().into_owned())
}

/// The order of cases: the ordinary dump of each format first, which keeps the most rules; then dumps of real writers
/// before odd ones, small before large.
fn case_rank(case: &Case) -> (Reverse<usize>, bool, usize) {
    let is_odd = case.kind != CaseOrigin::Golden;
    (Reverse(case.keeps.len()), is_odd, case.bytes.len())
}

fn is_compressed(case: &Case) -> bool {
    case.bytes.starts_with(&[0x1f, 0x8b])
}

fn describe_reply(reply: &Reply) -> String {
    match reply {
        Reply::Crash(how) => format!("the process ended: {how}"),
        Reply::Failed(how) => crash_message(how),
        Reply::NotStarted(why) => format!("it cannot be started: {why}"),
        Reply::Error(how) | Reply::Hang(how) | Reply::OutOfMemory(how) | Reply::Skipped(how, _) => how.clone(),
        Reply::Refused(message, _) => format!("refused: {message}"),
        Reply::Accepted(_) => "accepted".to_owned(),
        Reply::Interrupted | Reply::Doubted => "not looked at: interrupted".to_owned(),
    }
}
