//! Adapters in this process: a function answers the requests of specs/adapter.md.

use std::fmt;
use std::sync::Arc;

use crate::check::protocol::{AdapterAnswer, AnswerStatus, Hello, Request, RequestedOperation, VERSIONS};
use crate::check::subject::adapter::{digest_request, request};
use crate::check::subject::{NoAnswer, QuestionFiles, Reply, Session, Subject};
use crate::check::task::Task;
use crate::corpus::Case;
use heapsmith_core::error::Error;

/// A function that answers a request, a JSON text, with another; `None` where the run is to stop.
type AdapterFn = dyn Fn(String) -> Option<String> + Send + Sync;

/// An adapter that is a function.
#[derive(Clone)]
pub struct HostedAdapter(Arc<AdapterFn>);

impl fmt::Debug for HostedAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedAdapter").finish_non_exhaustive()
    }
}

impl HostedAdapter {
    /// An adapter that answers by this function, which any thread calls.
    pub fn new(answer: impl Fn(String) -> Option<String> + Send + Sync + 'static) -> HostedAdapter {
        HostedAdapter(Arc::new(answer))
    }

    /// Its answer to `hello`; or what is wrong with that.
    pub(in crate::check) fn hello(&self) -> Result<Hello, String> {
        let runner = format!("heapsmith {}", env!("CARGO_PKG_VERSION"));
        let op = RequestedOperation::Hello { protocols: VERSIONS.to_vec(), runner };
        let text = self.ask(op)?.ok_or_else(|| "interrupted".to_owned())?;
        let hello: Hello = serde_json::from_str(&text).map_err(|e| wrong("hello", &e))?;
        match VERSIONS.contains(&hello.protocol) {
            true => Ok(hello.bounded()),
            false => Err(format!("it speaks version {} of the protocol, not {VERSIONS:?}", hello.protocol)),
        }
    }

    /// Asks; `None` where the run is to stop.
    fn ask(&self, op: RequestedOperation) -> Result<Option<String>, String> {
        // Each request has its answer, so that numbers say nothing.
        let request = serde_json::to_string(&Request { id: 1, op }).map_err(|e| wrong("a request", &e))?;
        Ok(self.0(request))
    }
}

fn wrong(what: &str, error: &serde_json::Error) -> String {
    format!("not an answer to {what} as in specs/adapter.md: {error}")
}

/// A session of an adapter in this process.
pub(super) struct HostedSession<'s> {
    subject: &'s Subject,
    hello: &'s Hello,
    host: &'s HostedAdapter,
}

impl<'s> HostedSession<'s> {
    pub(super) fn new(subject: &'s Subject, hello: &'s Hello, host: &'s HostedAdapter) -> HostedSession<'s> {
        HostedSession { subject, hello, host }
    }

    fn status(&self, op: RequestedOperation) -> Result<AnswerStatus, Reply> {
        let text = self.host.ask(op).map_err(Reply::Error)?.ok_or(Reply::Interrupted)?;
        let answer: Result<AdapterAnswer, _> = serde_json::from_str(&text);
        answer.map(|answer| answer.status.bounded()).map_err(|e| Reply::Error(wrong("parse", &e)))
    }
}

impl Session for HostedSession<'_> {
    fn ask(&mut self, task: &Task, case: &Case, files: &QuestionFiles) -> Result<Reply, Error> {
        let (op, needs_file) = request(self.subject, self.hello, task, case, files);
        Ok(match self.status(op) {
            Ok(AnswerStatus::Accept(accepted)) => {
                let taken = if needs_file { files.open_answer(&self.subject.budget, files.size) } else { Ok(()) };
                match taken {
                    Ok(()) => Reply::Accepted(accepted),
                    Err(NoAnswer::Endless(limit)) => Reply::Failed(format!("it wrote more than {} MiB", limit >> 20)),
                    Err(NoAnswer::NoFile(why)) => {
                        Reply::Error(format!("it accepts without a plain file where `out` says: {why}"))
                    }
                }
            }
            Ok(AnswerStatus::Reject { message, offset }) => Reply::Refused(files.shorten(&message), offset),
            Ok(AnswerStatus::Skip { reason, link }) => Reply::Skipped(files.shorten(&reason), link),
            Ok(AnswerStatus::Crash { message }) => Reply::Failed(files.shorten(&message)),
            Ok(AnswerStatus::Error { message }) | Err(Reply::Error(message)) => Reply::Error(files.shorten(&message)),
            Err(reply) => reply,
        })
    }

    fn ask_digest(
        &mut self,
        case: &Case,
        files: &QuestionFiles,
        buckets: bool,
        bucket: Option<u8>,
    ) -> Result<Reply, Error> {
        Ok(match self.status(digest_request(self.hello, case, files, buckets, bucket)) {
            Ok(AnswerStatus::Accept(accepted)) => Reply::Accepted(accepted),
            Ok(_) => Reply::Accepted(Box::default()),
            Err(reply) => reply,
        })
    }

    fn was_first(&self) -> bool {
        true
    }

    fn peak_memory(&mut self) -> Option<u64> {
        None
    }

    fn finish(&mut self) -> Vec<(usize, Reply)> {
        Vec::new()
    }
}
