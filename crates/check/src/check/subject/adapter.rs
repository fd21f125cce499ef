//! Programs that answer the protocol of specs/adapter.md.

use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::check::process::{Budget, Limits, OutputLine, Process, StdoutTarget, StopReason, cut_middle};
use crate::check::protocol;
use crate::check::protocol::{AdapterAnswer, AnswerStatus, Hello, Level, Request, RequestedOperation, VERSIONS};
use crate::check::subject::{LONG, NoAnswer, QuestionFiles, Reply, Session, Subject, cut, is_shortage};
use crate::check::task::{Task, TaskOperation};
use crate::corpus::Case;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::temporary::TemporaryFolder;

/// A process that was started, and its requests.
pub(in crate::check) struct Adapter {
    process: Process,
    /// The number of the last request.
    last: u64,
    /// The highest limits of memory and of output, of all its questions so far.
    most: (u64, u64),
    /// Its temporary files; the folder is gone after the process.
    _temporary: TemporaryFolder,
}

impl Adapter {
    /// Starts the program of a subject, with a temporary folder of its own.
    pub(in crate::check) fn start(subject: &Subject) -> Result<Adapter, Error> {
        let temporary = TemporaryFolder::new("heapsmith-").map_err(|e| Error::io("creating a temporary folder", e))?;
        let Subject { supervisor, words, stop, .. } = subject;
        let process = Process::start(supervisor, words, temporary.path(), StdoutTarget::Lines, stop)?;
        Ok(Adapter { process, last: 0, most: (0, 0), _temporary: temporary })
    }

    /// Asks for what the adapter is and can. Starting may take as long as a case.
    pub(in crate::check) fn hello(&mut self, subject: &Subject) -> Result<Hello, Reply> {
        let runner = format!("heapsmith {}", env!("CARGO_PKG_VERSION"));
        let limits = Limits::for_dump(&subject.budget, 0, None);
        let id = self.send(&RequestedOperation::Hello { protocols: VERSIONS.to_vec(), runner });
        let line = self.receive(&limits)?;
        let told: Hello = match parse_line(&line, "an answer to hello as in specs/adapter.md") {
            Ok(hello) => hello,
            Err(wrong) => {
                // Perhaps it says why.
                return Err(match parse_line::<AdapterAnswer>(&line, "") {
                    Ok(AdapterAnswer { status: AnswerStatus::Error { message }, .. }) => {
                        Reply::Error(cut_middle(&message))
                    }
                    _ => wrong,
                });
            }
        };
        if told.id != id {
            return Err(Reply::Error(format!("the answer to request {id} has the id {}", told.id)));
        }
        if !VERSIONS.contains(&told.protocol) {
            let [old, new] = VERSIONS;
            let how = format!("it speaks version {} of the protocol, not {old} or {new}", told.protocol);
            return Err(Reply::Error(how));
        }
        Ok(told.bounded())
    }

    /// Asks, and waits for the answer.
    pub(in crate::check) fn ask(
        &mut self,
        op: &RequestedOperation,
        limits: &Limits<'_>,
    ) -> Result<AnswerStatus, Reply> {
        self.most = (self.most.0.max(limits.memory), self.most.1.max(limits.longest));
        let id = self.send(op);
        let line = self.receive(limits)?;
        let answer: AdapterAnswer = parse_line(&line, "an answer as in specs/adapter.md")?;
        if answer.id != id {
            return Err(Reply::Error(format!("the answer to request {id} has the id {}", answer.id)));
        }
        Ok(answer.status.bounded())
    }

    /// Writes a request.
    pub(in crate::check) fn send(&mut self, op: &RequestedOperation) -> u64 {
        self.last += 1;
        let request = Request { id: self.last, op: op.clone() };
        let line = serde_json::to_string(&request).unwrap_or_default();
        self.process.forget_messages();
        self.process.write_line(&line);
        self.last
    }

    /// Writes any line: for tests of adapters.
    pub(in crate::check) fn send_line(&mut self, line: &str) {
        self.process.write_line(line);
    }

    /// Waits for a line.
    pub(in crate::check) fn receive(&mut self, limits: &Limits<'_>) -> Result<Vec<u8>, Reply> {
        match self.process.wait_for_line(limits) {
            Ok(OutputLine::Whole(line)) => Ok(line),
            Ok(OutputLine::TooLong) => {
                Err(Reply::Error(format!("a line of more than {} MiB is no answer", protocol::LONGEST_LINE >> 20)))
            }
            Ok(OutputLine::Cut(line)) => {
                // The stream has ended, and so has the program, most likely.
                let how = match self.process.wait_for_line(limits) {
                    Err(StopReason::Ended(_, how)) => how,
                    _ => "end of its standard output".to_owned(),
                };
                Err(Reply::Crash(format!("{how}, in the middle of a line: {}", excerpt(&line))))
            }
            Err(stopped) => {
                let is_over = matches!(stopped, StopReason::Ended(..));
                let messages = if is_over { self.process.messages() } else { String::new() };
                Err(Reply::from_stop_reason(stopped, &messages))
            }
        }
    }

    /// Closes its input. Returns the lines that still come, and the end of the process if it came in time.
    pub(in crate::check) fn finish(&mut self, budget: &Budget) -> (Vec<Vec<u8>>, Option<StopReason>) {
        self.process.close_input();
        let (time, grace) = (exit_grace(budget), budget.grace());
        // It may still hold the largest dump of its batch, and what it wrote of it.
        let least = Limits::for_dump(budget, 0, None);
        let (memory, longest) = (self.most.0.max(least.memory), self.most.1.max(least.longest));
        let limits = Limits { time, grace, memory, longest, answer: None };
        let mut lines = Vec::new();
        let ended = loop {
            match self.process.wait_for_line(&limits) {
                Ok(OutputLine::Whole(line) | OutputLine::Cut(line)) if lines.len() < 16 => lines.push(line),
                Ok(_) => break None,
                Err(stopped) => break Some(stopped),
            }
        };
        self.process.kill();
        (lines, ended)
    }
}

/// The time for an adapter to end after its input did (specs/adapter.md): longer where more time was asked for.
pub(in crate::check) fn exit_grace(budget: &Budget) -> Duration {
    Duration::from_secs(2).max(budget.grace())
}

fn parse_line<T: DeserializeOwned>(line: &[u8], what: &str) -> Result<T, Reply> {
    let wrong =
        |e: serde_json::Error| Reply::Error(format!("not {what}: {}: {}", excerpt(line), cut(&e.to_string(), LONG)));
    serde_json::from_slice(line).map_err(wrong)
}

/// The beginning of a line, for messages.
fn excerpt(line: &[u8]) -> String {
    const SHOWN: usize = 200;
    let cut = &line[..line.len().min(SHOWN)];
    let more = if cut.len() < line.len() { "..." } else { "" };
    format!("{}{more}", String::from_utf8_lossy(cut).escape_debug())
}

/// A session of an adapter: a process at a time.
pub(in crate::check) struct AdapterSession<'s> {
    subject: &'s Subject,
    hello: &'s Hello,
    adapter: Option<Adapter>,
    /// Number of questions so far, over all processes.
    asked: usize,
    /// The question of each request of the process.
    requests: Vec<(u64, usize)>,
    /// Questions whose answers turned out to be wrong later.
    taken_back: Vec<(usize, Reply)>,
    /// Whether digests are asked for once more where one is wrong; not after that has failed.
    asks_again: bool,
    /// Peak memory of a stopped process for its last question.
    peak: Option<u64>,
}

impl<'s> AdapterSession<'s> {
    pub(super) fn new(subject: &'s Subject, hello: &'s Hello) -> AdapterSession<'s> {
        let (requests, taken_back) = (Vec::new(), Vec::new());
        AdapterSession { subject, hello, adapter: None, asked: 0, requests, taken_back, asks_again: true, peak: None }
    }

    /// The process, started if there is none.
    fn running_adapter(&mut self) -> Result<Result<&mut Adapter, Reply>, Error> {
        if self.adapter.is_none() {
            let mut adapter = match Adapter::start(self.subject) {
                Ok(adapter) => adapter,
                Err(e) if is_shortage(&e) => return Ok(Err(Reply::Error(e.to_string()))),
                Err(e) => return Err(e),
            };
            if let Err(reply) = adapter.hello(self.subject) {
                return Ok(Err(match reply {
                    // Waiting is counted.
                    Reply::Hang(how) => Reply::Hang(format!("hello: {how}")),
                    Reply::Crash(how) | Reply::OutOfMemory(how) | Reply::Error(how) => {
                        Reply::Error(format!("hello: {how}"))
                    }
                    reply => reply,
                }));
            }
            self.requests.clear();
            self.adapter = Some(adapter);
        }
        Ok(self.adapter.as_mut().ok_or_else(|| Reply::Error("it is not running".to_owned())))
    }

    fn ask_process(
        &mut self,
        op: &RequestedOperation,
        size: u64,
        files: &QuestionFiles,
    ) -> Result<Result<AnswerStatus, Reply>, Error> {
        let (question, limits) =
            (self.asked.saturating_sub(1), Limits::for_dump(&self.subject.budget, size, Some(files.answer_place())));
        self.peak = None;
        let adapter = match self.running_adapter()? {
            Ok(adapter) => adapter,
            Err(reply) => return Ok(Err(reply)),
        };
        adapter.process.forget_peak();
        let status = adapter.ask(op, &limits);
        let last = adapter.last;
        self.requests.push((last, question));
        if status.is_err() {
            self.stop_process();
        }
        Ok(status)
    }

    /// Kills the process: an answer that looks wrong may be a second one to an earlier question.
    fn stop_process(&mut self) {
        self.peak = self.adapter.take().and_then(|mut adapter| adapter.process.peak_memory());
    }

    /// Records a line that came without a request: it is held against the question with its id, or the last one.
    fn retract_answer(&mut self, line: &[u8]) {
        let id = serde_json::from_slice::<AdapterAnswer>(line).ok().map(|answer| answer.id);
        let by_id = self.requests.iter().find(|(request, _)| Some(*request) == id);
        if let Some((_, question)) = by_id.or(self.requests.last()) {
            let how = format!("a line without a request: {}", excerpt(line));
            self.taken_back.push((*question, Reply::Error(how)));
        }
    }
}

/// The request of a task, and whether its answer is a file.
pub(super) fn request(
    subject: &Subject,
    hello: &Hello,
    task: &Task,
    case: &Case,
    files: &QuestionFiles,
) -> (RequestedOperation, bool) {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let (input, out) = (path(&files.input), path(&files.output));
    let level = subject.effective_level(hello);
    let op = match &task.operation {
        TaskOperation::Parse => RequestedOperation::Parse {
            path: input,
            format: case.format.to_string(),
            heap: case.heap,
            level,
            out: level.has_file().then_some(out),
            facets: (level == Level::Digest).then(|| hello.facets.to_vec()),
            omits: (level == Level::Listing).then(|| omitted(hello, task)).filter(|omits| !omits.is_empty()),
            buckets: None,
            bucket: None,
        },
        TaskOperation::Convert(to) => {
            RequestedOperation::Convert { path: input, from: case.format.to_string(), to: to.to_string(), out }
        }
        TaskOperation::Encode(to) => RequestedOperation::Encode { path: input, format: to.to_string(), out },
    };
    (op, task.operation != TaskOperation::Parse || level.has_file())
}

/// The request for another digest of a case, with its buckets, or with one of them.
pub(super) fn digest_request(
    hello: &Hello,
    case: &Case,
    files: &QuestionFiles,
    buckets: bool,
    bucket: Option<u8>,
) -> RequestedOperation {
    RequestedOperation::Parse {
        path: files.input.to_string_lossy().into_owned(),
        format: case.format.to_string(),
        heap: case.heap,
        level: Level::Digest,
        out: None,
        facets: Some(hello.facets.to_vec()),
        omits: None,
        buckets: Some(buckets),
        bucket,
    }
}

/// The facets that a listing is asked to leave out: those without a bound, of which the adapter declares that it can.
fn omitted(hello: &Hello, task: &Task) -> Vec<Facet> {
    task.source.long_facets().iter().copied().filter(|facet| hello.omits.contains(facet)).collect()
}

impl Session for AdapterSession<'_> {
    fn ask(&mut self, task: &Task, case: &Case, files: &QuestionFiles) -> Result<Reply, Error> {
        self.asked += 1;
        let (op, needs_file) = request(self.subject, self.hello, task, case, files);
        let status = match self.ask_process(&op, files.size, files)? {
            Ok(status) => status,
            Err(reply) => {
                let previous = self.asked.checked_sub(2).filter(|_| !self.was_first());
                if let (Reply::Error(_) | Reply::Crash(_), Some(previous)) = (&reply, previous) {
                    // It may be the second answer to the question before, or its end after the answer: that one is
                    // repeated, too.
                    self.taken_back.push((previous, Reply::Doubted));
                }
                return Ok(shorten_reply(reply, files));
            }
        };
        Ok(match status {
            AnswerStatus::Accept(accepted) => {
                let size = files.size;
                let taken = if needs_file { files.open_answer(&self.subject.budget, size) } else { Ok(()) };
                match taken {
                    Ok(()) => Reply::Accepted(accepted),
                    Err(why) => {
                        self.stop_process();
                        match why {
                            NoAnswer::Endless(limit) => Reply::from_stop_reason(StopReason::Endless(limit), ""),
                            NoAnswer::NoFile(why) => {
                                Reply::Error(format!("it accepts without a plain file where `out` says: {why}"))
                            }
                        }
                    }
                }
            }
            AnswerStatus::Reject { message, offset } => Reply::Refused(files.shorten(&message), offset),
            AnswerStatus::Skip { reason, link } => Reply::Skipped(files.shorten(&reason), link),
            AnswerStatus::Crash { message } => Reply::Failed(files.shorten(&message)),
            AnswerStatus::Error { message } => {
                self.stop_process();
                Reply::Error(files.shorten(&message))
            }
        })
    }

    fn ask_digest(
        &mut self,
        case: &Case,
        files: &QuestionFiles,
        buckets: bool,
        bucket: Option<u8>,
    ) -> Result<Reply, Error> {
        if !self.asks_again {
            return Ok(Reply::Accepted(Box::default()));
        }
        let op = digest_request(self.hello, case, files, buckets, bucket);
        Ok(match self.ask_process(&op, files.size, files)? {
            Ok(AnswerStatus::Accept(accepted)) => Reply::Accepted(accepted),
            Ok(_) => Reply::Accepted(Box::default()),
            Err(reply) => {
                self.asks_again = false;
                shorten_reply(reply, files)
            }
        })
    }

    fn was_first(&self) -> bool {
        self.requests.iter().all(|(_, question)| question + 1 == self.asked)
    }

    fn peak_memory(&mut self) -> Option<u64> {
        self.adapter.as_mut().map_or(self.peak, |adapter| adapter.process.peak_memory())
    }

    fn finish(&mut self) -> Vec<(usize, Reply)> {
        if let Some(mut adapter) = self.adapter.take() {
            let (lines, ended) = adapter.finish(&self.subject.budget);
            lines.iter().for_each(|line| self.retract_answer(line));
            let reply = match ended {
                Some(StopReason::Ended(code, how)) if code != Some(0) => {
                    Some(Reply::Crash(format!("{how}, after its answer")))
                }
                Some(stopped @ (StopReason::Endless(_) | StopReason::OutOfMemory(_))) => {
                    Some(Reply::from_stop_reason(stopped, ""))
                }
                // It is no longer waited for, or has ended as it should.
                _ => None,
            };
            if let (Some(reply), Some((_, question))) = (reply, self.requests.last()) {
                self.taken_back.push((*question, reply));
            }
        }
        std::mem::take(&mut self.taken_back)
    }
}

fn shorten_reply(reply: Reply, files: &QuestionFiles) -> Reply {
    match reply {
        Reply::Error(how) => Reply::Error(files.shorten(&how)),
        Reply::Crash(how) => Reply::Crash(files.shorten(&how)),
        reply => reply,
    }
}
