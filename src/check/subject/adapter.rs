//! Programs that answer the protocol of specs/adapter.md.

use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::check::process::{Budget, Limits, Line, Output, Process, Stopped};
use crate::check::protocol;
use crate::check::protocol::{Answer, Hello, Level, Operation as Op, Request, Status, VERSIONS};
use crate::check::subject::{Files, LONG, NoAnswer, Reply, Session, Subject, cut, is_shortage};
use crate::check::task::{Operation, Task};
use crate::corpus::Case;
use crate::error::Error;
use crate::temporary::Folder;

/// A process that was started, and its requests.
pub(in crate::check) struct Adapter {
    process: Process,
    /// The number of the last request.
    last: u64,
    /// The highest limits of memory and of output, of all its questions so far.
    most: (u64, u64),
    /// Its temporary files; the folder is gone after the process.
    _temporary: Folder,
}

impl Adapter {
    /// Starts the program of a subject, with a temporary folder of its own.
    pub(in crate::check) fn start(subject: &Subject) -> Result<Adapter, Error> {
        let temporary = Folder::new("heapsmith-").map_err(|e| Error::io("creating a temporary folder", e))?;
        let Subject { supervisor, words, stop, .. } = subject;
        let process = Process::start(supervisor, words, temporary.path(), Output::Lines, stop)?;
        Ok(Adapter { process, last: 0, most: (0, 0), _temporary: temporary })
    }

    /// Asks for what the adapter is and can. Starting may take as long as a case.
    pub(in crate::check) fn hello(&mut self, subject: &Subject) -> Result<Hello, Reply> {
        let runner = format!("heapsmith {}", env!("CARGO_PKG_VERSION"));
        let limits = Limits::of(&subject.budget, 0, None);
        let id = self.send(&Op::Hello { protocols: VERSIONS.to_vec(), runner });
        let line = self.receive(&limits)?;
        let told: Hello = match parse(&line, "an answer to hello as in specs/adapter.md") {
            Ok(hello) => hello,
            Err(wrong) => {
                // Perhaps it says why.
                return Err(match parse::<Answer>(&line, "") {
                    Ok(Answer { status: Status::Error { message }, .. }) => Reply::Error(cut(&message, LONG)),
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
    pub(in crate::check) fn ask(&mut self, op: &Op, limits: &Limits<'_>) -> Result<Status, Reply> {
        self.most = (self.most.0.max(limits.memory), self.most.1.max(limits.longest));
        let id = self.send(op);
        let line = self.receive(limits)?;
        let answer: Answer = parse(&line, "an answer as in specs/adapter.md")?;
        if answer.id != id {
            return Err(Reply::Error(format!("the answer to request {id} has the id {}", answer.id)));
        }
        Ok(answer.status.bounded())
    }

    /// Writes a request.
    pub(in crate::check) fn send(&mut self, op: &Op) -> u64 {
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
        match self.process.line(limits) {
            Ok(Line::Whole(line)) => Ok(line),
            Ok(Line::TooLong) => {
                Err(Reply::Error(format!("a line of more than {} MiB is no answer", protocol::LONGEST_LINE >> 20)))
            }
            Ok(Line::Cut(line)) => {
                // The stream has ended, and so has the program, most likely.
                let how = match self.process.line(limits) {
                    Err(Stopped::Ended(_, how)) => how,
                    _ => "end of its standard output".to_owned(),
                };
                Err(Reply::Crash(format!("{how}, in the middle of a line: {}", shown(&line))))
            }
            Err(stopped) => {
                let is_over = matches!(stopped, Stopped::Ended(..));
                let messages = if is_over { self.process.messages() } else { String::new() };
                Err(Reply::stopped(stopped, &messages))
            }
        }
    }

    /// Closes its input. Returns the lines that still come, and the end of the process if it came in time.
    pub(in crate::check) fn finish(&mut self, budget: &Budget) -> (Vec<Vec<u8>>, Option<Stopped>) {
        self.process.close_input();
        let (time, grace) = (leaving(budget), budget.grace());
        // It may still hold the largest dump of its batch, and what it wrote of it.
        let least = Limits::of(budget, 0, None);
        let (memory, longest) = (self.most.0.max(least.memory), self.most.1.max(least.longest));
        let limits = Limits { time, grace, memory, longest, answer: None };
        let mut lines = Vec::new();
        let ended = loop {
            match self.process.line(&limits) {
                Ok(Line::Whole(line) | Line::Cut(line)) if lines.len() < 16 => lines.push(line),
                Ok(_) => break None,
                Err(stopped) => break Some(stopped),
            }
        };
        self.process.kill();
        (lines, ended)
    }
}

/// The time for an adapter to end after its input did (specs/adapter.md): longer where more time was asked for.
pub(in crate::check) fn leaving(budget: &Budget) -> Duration {
    Duration::from_secs(2).max(budget.grace())
}

fn parse<T: DeserializeOwned>(line: &[u8], what: &str) -> Result<T, Reply> {
    let wrong =
        |e: serde_json::Error| Reply::Error(format!("not {what}: {}: {}", shown(line), cut(&e.to_string(), LONG)));
    serde_json::from_slice(line).map_err(wrong)
}

/// The beginning of a line, for messages.
fn shown(line: &[u8]) -> String {
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
    fn adapter(&mut self) -> Result<Result<&mut Adapter, Reply>, Error> {
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

    fn put(&mut self, op: &Op, size: u64, files: &Files) -> Result<Result<Status, Reply>, Error> {
        let (question, limits) =
            (self.asked.saturating_sub(1), Limits::of(&self.subject.budget, size, Some(files.place())));
        self.peak = None;
        let adapter = match self.adapter()? {
            Ok(adapter) => adapter,
            Err(reply) => return Ok(Err(reply)),
        };
        adapter.process.forget_peak();
        let status = adapter.ask(op, &limits);
        let last = adapter.last;
        self.requests.push((last, question));
        if status.is_err() {
            self.stop();
        }
        Ok(status)
    }

    /// Kills the process: an answer that looks wrong may be a second one to an earlier question.
    fn stop(&mut self) {
        self.peak = self.adapter.take().and_then(|mut adapter| adapter.process.peak());
    }

    /// Records a line that came without a request: it is held against the question with its id, or the last one.
    fn take_back(&mut self, line: &[u8]) {
        let id = serde_json::from_slice::<Answer>(line).ok().map(|answer| answer.id);
        let by_id = self.requests.iter().find(|(request, _)| Some(*request) == id);
        if let Some((_, question)) = by_id.or(self.requests.last()) {
            let how = format!("a line without a request: {}", shown(line));
            self.taken_back.push((*question, Reply::Error(how)));
        }
    }
}

impl Session for AdapterSession<'_> {
    fn ask(&mut self, task: &Task, case: &Case, files: &Files) -> Result<Reply, Error> {
        self.asked += 1;
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let (input, out) = (path(&files.input), path(&files.output));
        let level = self.subject.level_of(self.hello);
        let op = match &task.operation {
            Operation::Parse => Op::Parse {
                path: input,
                format: case.format.to_string(),
                heap: case.heap,
                level,
                out: level.has_file().then_some(out),
                facets: (level == Level::Digest).then(|| self.hello.facets.to_vec()),
                buckets: None,
                bucket: None,
            },
            Operation::Convert(to) => {
                Op::Convert { path: input, from: case.format.to_string(), to: to.to_string(), out }
            }
            Operation::Encode(to) => Op::Encode { path: input, format: to.to_string(), out },
        };
        let needs_file = task.operation != Operation::Parse || level.has_file();
        let status = match self.put(&op, files.size, files)? {
            Ok(status) => status,
            Err(reply) => {
                let previous = self.asked.checked_sub(2).filter(|_| !self.was_first());
                if let (Reply::Error(_) | Reply::Crash(_), Some(previous)) = (&reply, previous) {
                    // It may be the second answer to the question before, or its end after the answer: that one is
                    // repeated, too.
                    self.taken_back.push((previous, Reply::Doubted));
                }
                return Ok(shortened(reply, files));
            }
        };
        Ok(match status {
            Status::Accept(accepted) => {
                let size = files.size;
                let taken = if needs_file { files.take_answer(&self.subject.budget, size) } else { Ok(()) };
                match taken {
                    Ok(()) => Reply::Accepted(accepted),
                    Err(why) => {
                        self.stop();
                        match why {
                            NoAnswer::Endless(limit) => Reply::stopped(Stopped::Endless(limit), ""),
                            NoAnswer::NoFile(why) => {
                                Reply::Error(format!("it accepts without a plain file where `out` says: {why}"))
                            }
                        }
                    }
                }
            }
            Status::Reject { message, offset } => Reply::Refused(files.shorten(&message), offset),
            Status::Skip { reason, link } => Reply::Skipped(files.shorten(&reason), link),
            Status::Crash { message } => Reply::Failed(files.shorten(&message)),
            Status::Error { message } => {
                self.stop();
                Reply::Error(files.shorten(&message))
            }
        })
    }

    fn ask_digest(&mut self, case: &Case, files: &Files, buckets: bool, bucket: Option<u8>) -> Result<Reply, Error> {
        if !self.asks_again {
            return Ok(Reply::Accepted(Box::default()));
        }
        let op = Op::Parse {
            path: files.input.to_string_lossy().into_owned(),
            format: case.format.to_string(),
            heap: case.heap,
            level: Level::Digest,
            out: None,
            facets: Some(self.hello.facets.to_vec()),
            buckets: Some(buckets),
            bucket,
        };
        Ok(match self.put(&op, files.size, files)? {
            Ok(Status::Accept(accepted)) => Reply::Accepted(accepted),
            Ok(_) => Reply::Accepted(Box::default()),
            Err(reply) => {
                self.asks_again = false;
                shortened(reply, files)
            }
        })
    }

    fn was_first(&self) -> bool {
        self.requests.iter().all(|(_, question)| question + 1 == self.asked)
    }

    fn peak_memory(&mut self) -> Option<u64> {
        self.adapter.as_mut().map_or(self.peak, |adapter| adapter.process.peak())
    }

    fn finish(&mut self) -> Vec<(usize, Reply)> {
        if let Some(mut adapter) = self.adapter.take() {
            let (lines, ended) = adapter.finish(&self.subject.budget);
            lines.iter().for_each(|line| self.take_back(line));
            let reply = match ended {
                Some(Stopped::Ended(code, how)) if code != Some(0) => {
                    Some(Reply::Crash(format!("{how}, after its answer")))
                }
                Some(stopped @ (Stopped::Endless(_) | Stopped::OutOfMemory(_))) => Some(Reply::stopped(stopped, "")),
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

fn shortened(reply: Reply, files: &Files) -> Reply {
    match reply {
        Reply::Error(how) => Reply::Error(files.shorten(&how)),
        Reply::Crash(how) => Reply::Crash(files.shorten(&how)),
        reply => reply,
    }
}
