//! Checking an adapter against the protocol, and saying what to mend.

use std::cmp::Reverse;
use std::io::BufReader;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::{Facet, listing};
use crate::corpus::{Answer, Case, Kind, Verdict, cases};
use crate::error::Error;
use crate::format::{Family, Format, Target};

use super::process::{Limits, Stopped};
use super::protocol::{Accepted, Count, Hello, Level, Operation as Op, Status, Writer};
use super::subject::{Adapter, Files, LONG, NoAnswer, Reply, Subject, cut, leaving};
use super::task::{first_heap, write_listing};

/// What was found out about an adapter.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Examination {
    /// Version of this report's schema.
    pub schema: u32,
    /// What was looked at, in order.
    pub steps: Vec<Step>,
}

/// Something that the protocol asks for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// What it asks for.
    pub what: String,
    /// What to mend; absent if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
    /// What to look at, although nothing has to be mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Examination {
    /// Whether there is nothing to mend.
    pub fn is_fine(&self) -> bool {
        self.steps.iter().all(|step| step.mend.is_none())
    }

    fn put(&mut self, what: impl Into<String>, found: Result<(), String>) -> bool {
        let is_fine = found.is_ok();
        self.steps.push(Step { what: what.into(), mend: found.err().map(|mend| cut(&mend, 2 * LONG)), note: None });
        is_fine
    }

    /// What to look at in the last step.
    fn note(&mut self, note: Option<String>) {
        if let (Some(step), Some(note)) = (self.steps.last_mut(), note) {
            step.note = Some(cut(&note, 2 * LONG));
        }
    }
}

/// Looks at an adapter.
///
/// # Errors
/// If cases cannot be made or written; what the adapter does wrong is told.
pub fn examine(subject: &Subject) -> Result<Examination, Error> {
    let mut told = Examination { schema: 2, ..Examination::default() };
    let mut adapter = Adapter::start(subject)?;
    let hello = match adapter.hello(subject) {
        Ok(hello) => hello,
        Err(reply) => {
            told.put("it starts, and answers hello", Err(words(&reply)));
            return Ok(told);
        }
    };
    told.put("it starts, and answers hello", Ok(()));
    told.put("hello says what it can", declaration(&hello));
    let ignored = hello.ignored();
    told.note(
        (!ignored.is_empty()).then(|| format!("ignored, since this version does not know it: {}", ignored.join(", "))),
    );
    let mut examiner = Examiner { subject, hello: &hello, adapter, told, is_over: false };
    examiner.manners();
    examiner.dumps()?;
    examiner.others()?;
    examiner.missing()?;
    examiner.leaving();
    Ok(examiner.told)
}

/// What is wrong with what an adapter declares.
pub(super) fn declaration(hello: &Hello) -> Result<(), String> {
    let known = |name: &str| Family::named(name).is_some() || name.parse::<Format>().is_ok();
    let read = hello.reads.iter().chain(hello.converts.iter().map(|pair| &pair.from)).map(String::as_str);
    let written = hello.writes.iter().map(Writer::to).chain(hello.converts.iter().map(|pair| pair.to.as_str()));
    if let Some(name) = written.clone().find(|name| !known(name) && name.parse::<Target>().is_err()) {
        return Err(format!(
            "{name:?} is neither a format nor a writer; `heapsmith facets` lists both, written as {}",
            Target::examples()
        ));
    }
    if let Some(name) = read.clone().find(|name| !known(name)) {
        return Err(format!(
            "{name:?} is not a format; there are {}, and for all versions {}",
            Format::names(),
            Family::names()
        ));
    }
    if hello.name.trim().is_empty() {
        return Err("`name` is empty; it heads the column in tables".to_owned());
    }
    let has = |level| hello.levels.contains(&level);
    if has(Level::Listing) || has(Level::Digest) {
        for owed in [Facet::Address, Facet::Kind] {
            if !hello.facets.contains(&owed) {
                return Err(format!(
                    "`facets` lacks {owed}, which everybody owes who answers with listings or digests"
                ));
            }
        }
    }
    let lost = hello.converts.iter().flat_map(|pair| pair.loses.iter());
    if let Some(owed) = lost.chain(hello.writes.iter().flat_map(Writer::loses)).find(|facet| !facet.may_be_omitted()) {
        return Err(format!("`loses` has {owed}, which every dump has"));
    }
    if hello.levels.is_empty() && !hello.reads.is_empty() {
        return Err("`levels` is empty: it can be asked at no level; leave it out for `verdict` alone".to_owned());
    }
    if has(Level::Counts) && hello.counts.is_empty() {
        return Err("`levels` has counts, and `counts` is empty: nothing would be judged".to_owned());
    }
    if hello.reads.is_empty() && hello.converts.is_empty() && hello.writes.is_empty() {
        return Err("`reads`, `converts` and `writes` are empty: there is nothing to ask it".to_owned());
    }
    Ok(())
}

struct Examiner<'e> {
    subject: &'e Subject,
    hello: &'e Hello,
    adapter: Adapter,
    told: Examination,
    /// Whether the process is gone, so that nothing more can be found out.
    is_over: bool,
}

/// Whoever pastes paths into commands stumbles here. No other letters: Java cannot name such files in every locale.
const PREFIX: &str = "heapsmith's, with blanks ";

/// What the size of a dump is taken for: they are all small.
const SIZE: u64 = 1 << 20;

impl Examiner<'_> {
    fn ask(&mut self, op: &Op, files: &Files) -> Result<Status, String> {
        if self.is_over {
            return Err("not looked at: the process is gone".to_owned());
        }
        let limits = Limits::of(&self.subject.budget, SIZE, Some(&files.output));
        self.adapter.ask(op, &limits).map_err(|reply| {
            self.is_over = true;
            words(&reply)
        })
    }

    /// What has nothing to do with dumps.
    fn manners(&mut self) {
        let limits = Limits::of(&self.subject.budget, 0, None);
        // Beyond 32 bits, and what JavaScript still counts exactly.
        let id = (1_u64 << 53) - 1;
        self.adapter.send_line(&format!("{{\"id\":{id},\"op\":\"there is no such operation\",\"and\":[1,2]}}"));
        let found = match self.adapter.receive(&limits) {
            Err(reply) => {
                self.is_over = true;
                Err(format!("{}; it should answer {{\"id\":{id},\"status\":\"error\",\"message\":...}}", words(&reply)))
            }
            Ok(line) => match serde_json::from_slice::<super::protocol::Answer>(&line) {
                Ok(answer) if answer.id != id => Err(format!("its id is {}, not {id}", answer.id)),
                Ok(super::protocol::Answer { status: Status::Error { .. }, .. }) => Ok(()),
                Ok(_) => Err("its status is not `error`".to_owned()),
                Err(e) => Err(format!("not an answer: {e}")),
            },
        };
        self.told.put("it answers an unknown operation with the status `error`, under the request's id", found);
    }

    /// A dump that cannot be opened: that is not the parser's fault.
    fn missing(&mut self) -> Result<(), Error> {
        let Some(format) = Format::all().find(|format| self.hello.can_read(*format)) else { return Ok(()) };
        let mut files = Files::with(PREFIX, "dump", &[], ANSWER)?;
        files.input.set_file_name("there is no such file");
        let op = self.parse(&files, format, self.hello.level());
        let found = self.ask(&op, &files).and_then(|status| match status {
            Status::Accept(_) => Err("it accepts a dump that is not there".to_owned()),
            _ => Ok(()),
        });
        self.told.put("it keeps running when the dump is not there", found);
        Ok(())
    }

    fn parse(&self, files: &Files, format: Format, level: Level) -> Op {
        Op::Parse {
            path: files.input.to_string_lossy().into_owned(),
            format: format.to_string(),
            heap: None,
            level,
            out: (level == Level::Listing).then(|| files.output.to_string_lossy().into_owned()),
            facets: (level == Level::Digest).then(|| self.hello.facets.to_vec()),
            buckets: None,
            bucket: None,
        }
    }

    /// A few dumps of each format: each level, a damaged one, and the first once more.
    fn dumps(&mut self) -> Result<(), Error> {
        let all = cases()?;
        for format in Format::all().filter(|format| self.hello.can_read(*format)) {
            let plain = |case: &&Case| case.format == format && case.heap.is_none() && !is_compressed(case);
            let of = |verdict| all.iter().filter(plain).filter(move |case| case.verdict == verdict);
            let has_objects = |case: &&Case| first_heap(case).is_some_and(|heap| !heap.objects.is_empty());
            let plain = of(Verdict::Valid).filter(|case| !case.id.contains("any")).filter(has_objects);
            let Some(valid) = plain.min_by_key(|case| rank(case)) else {
                continue;
            };
            for level in self.hello.levels.iter().copied() {
                let found = self.read(valid, level)?;
                self.told.put(format!("it reads {} with an answer at the level `{level}`", valid.id), found);
            }
            if let Some(damaged) = of(Verdict::Invalid).min_by_key(|case| case.bytes.len()) {
                let (found, note) = self.refuse(damaged)?;
                self.told.put(format!("it refuses {}: {}", damaged.id, damaged.summary), found);
                self.told.note(note);
            }
            let found = self.read(valid, self.hello.level())?;
            self.told.put(format!("it reads {} once more behind that", valid.id), found);
        }
        Ok(())
    }

    /// One conversion of each pair, and one dump of each writer.
    fn others(&mut self) -> Result<(), Error> {
        let all = cases()?;
        for format in Format::all() {
            let plain = |case: &&Case| case.format == format && case.heap.is_none() && !is_compressed(case);
            let has_objects = |case: &&Case| first_heap(case).is_some_and(|heap| !heap.objects.is_empty());
            let valid = all.iter().filter(plain).filter(|case| case.verdict == Verdict::Valid).filter(has_objects);
            let Some(case) = valid.min_by_key(|case| rank(case)) else { continue };
            for to in self.hello.targets(format) {
                let files = Files::with(PREFIX, &case.file(), &case.bytes, to.format.family().suffix())?;
                let (path, out) = paths(&files);
                let found =
                    self.makes(&files, &Op::Convert { path, from: format.to_string(), to: to.to_string(), out });
                self.told.put(format!("it converts {} to {to}", case.id), found);
            }
            for to in self.hello.writers(format) {
                let mut listing = Vec::new();
                write_listing(case, &mut listing)?;
                let files = Files::with(PREFIX, &case.listing_file(0), &listing, to.format.family().suffix())?;
                let (path, out) = paths(&files);
                let found = self.makes(&files, &Op::Encode { path, format: to.to_string(), out });
                self.told.put(format!("it writes the listing of {} as {to}", case.id), found);
            }
        }
        Ok(())
    }

    fn makes(&mut self, files: &Files, op: &Op) -> Result<(), String> {
        match self.ask(op, files)? {
            Status::Accept(_) => self.take(files),
            Status::Skip { .. } => Ok(()),
            Status::Reject { message, .. } => Err(format!("it refuses it: {message}")),
            Status::Error { message } => Err(format!("status `error`: {message}")),
        }
    }

    /// Opens the file of an answer.
    fn take(&self, files: &Files) -> Result<(), String> {
        let taken = files.take_answer(&self.subject.budget, SIZE);
        taken.map_err(|why| match why {
            NoAnswer::NoFile(why) => format!("there is no plain file where `out` says: {why}"),
            NoAnswer::Endless(limit) => format!("the file has more than {} MiB", limit >> 20),
        })
    }

    fn read(&mut self, case: &Case, level: Level) -> Result<Result<(), String>, Error> {
        let files = Files::with(PREFIX, &case.file(), &case.bytes, ANSWER)?;
        let op = self.parse(&files, case.format, level);
        Ok(match self.ask(&op, &files) {
            Ok(Status::Accept(accepted)) => self.answered(&accepted, level, &files),
            Ok(Status::Skip { .. }) => Ok(()),
            Ok(Status::Reject { message, .. }) => Err(format!("it refuses it: {message}")),
            Ok(Status::Error { message }) => Err(format!("status `error`: {message}")),
            Err(how) => Err(how),
        })
    }

    /// Whether an answer has what its level needs; `check` judges whether that is right.
    fn answered(&self, accepted: &Accepted, level: Level, files: &Files) -> Result<(), String> {
        match level {
            Level::Verdict => Ok(()),
            Level::Counts => {
                let wants = |count| self.hello.counts.contains(&count);
                if wants(Count::Histogram) && accepted.histogram.is_none() {
                    return Err("`histogram` is declared and not in the answer".to_owned());
                }
                let others = self.hello.counts.iter().any(|count| *count != Count::Histogram);
                if others && accepted.counts.is_none() { Err("the answer has no `counts`".to_owned()) } else { Ok(()) }
            }
            Level::Digest => match &accepted.digest {
                None => Err("the answer has no `digest`".to_owned()),
                Some(digest) if digest.by_facet.is_none() => Err("the digest has no `by_facet`".to_owned()),
                Some(_) => Ok(()),
            },
            Level::Listing => {
                self.take(files)?;
                let answer = files.answer().map_err(|e| e.to_string())?;
                let listing = listing::read(BufReader::new(answer.reader()))
                    .map_err(|e| format!("the file is not a listing: {e}"))?;
                match listing.heap.objects.is_empty() && listing.heap.classes.is_empty() {
                    true => Err("the listing has neither classes nor objects".to_owned()),
                    false => Ok(()),
                }
            }
        }
    }

    /// Whether it refuses a dump, and what could be said better.
    fn refuse(&mut self, case: &Case) -> Result<(Result<(), String>, Option<String>), Error> {
        debug_assert!(case.answers.iter().all(|answer| matches!(answer, Answer::Refuses(_))));
        let files = Files::with(PREFIX, &case.file(), &case.bytes, ANSWER)?;
        let op = self.parse(&files, case.format, self.hello.level());
        let answer = self.ask(&op, &files);
        let note = match &answer {
            Ok(Status::Reject { offset: None, .. }) => Some(NO_OFFSET.to_owned()),
            _ => None,
        };
        let found = match answer {
            Ok(Status::Reject { .. } | Status::Skip { .. }) => Ok(()),
            Ok(Status::Accept(_)) => Err("it accepts it; if that is the parser's doing, leave it so".to_owned()),
            Ok(Status::Error { message }) => Err(format!(
                "status `error` ({message}): what the parser refuses is `reject`; `error` is for the adapter's own trouble"
            )),
            Err(how) => Err(how),
        };
        Ok((found, note))
    }

    /// The end.
    fn leaving(&mut self) {
        if self.is_over {
            return;
        }
        let (lines, has_ended) = self.adapter.finish(&self.subject.budget);
        let found = match has_ended {
            Some(Stopped::Ended(Some(0), _)) => Ok(()),
            Some(Stopped::Ended(_, how)) => Err(format!("{how}, where the exit code 0 was due")),
            _ => Err(format!("it is still there {} s after; it was killed", leaving(&self.subject.budget).as_secs())),
        };
        self.told.put("it ends when its standard input does", found);
        let found = match lines.first() {
            None => Ok(()),
            Some(line) => Err(format!("{:?}; give the parser standard error instead", String::from_utf8_lossy(line))),
        };
        self.told.put("it writes nothing to standard output but its answers", found);
    }
}

/// What to look at where a refusal does not say where.
const NO_OFFSET: &str =
    "it says no `offset`; where the parser knows which bytes it refuses, the report can name the rule";

/// The suffix of listings.
const ANSWER: &str = "jsonl";

fn paths(files: &Files) -> (String, String) {
    (files.input.to_string_lossy().into_owned(), files.output.to_string_lossy().into_owned())
}

/// The ordinary dump of each format comes first, which is the one that keeps the most rules; then dumps as real writers
/// write them before odd ones, small before large.
fn rank(case: &Case) -> (Reverse<usize>, bool, usize) {
    let is_odd = case.kind != Kind::Golden;
    (Reverse(case.keeps.len()), is_odd, case.bytes.len())
}

fn is_compressed(case: &Case) -> bool {
    case.bytes.starts_with(&[0x1f, 0x8b])
}

fn words(reply: &Reply) -> String {
    match reply {
        Reply::Crash(how) => format!("the process ended: {how}"),
        Reply::NotStarted(why) => format!("it cannot be started: {why}"),
        Reply::Error(how) | Reply::Hang(how) | Reply::OutOfMemory(how) | Reply::Skipped(how, _) => how.clone(),
        Reply::Refused(message, _) => format!("refused: {message}"),
        Reply::Accepted(_) => "accepted".to_owned(),
        Reply::Interrupted | Reply::Doubted => "not looked at: interrupted".to_owned(),
    }
}
