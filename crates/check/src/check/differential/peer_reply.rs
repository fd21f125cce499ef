//! Replies of an implementation about a dump, not judged.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;

use crate::check::judge::read_answers;
use crate::check::protocol::{Accepted, EntryAnswer, Hello, Level};
use crate::check::subject::{AnswerFile, QuestionFiles, Reply, Subject};
use heapsmith_core::compare::{Facet, listing};
use heapsmith_core::digest::Digest;
use heapsmith_core::model::Heap;

/// The reply to a question.
pub(super) enum PeerReply {
    /// No question or no answer, with the reason.
    Nothing(String),
    /// The dump was refused, or there is no answer.
    Ended(ReplyEnding),
    /// The dump was accepted.
    Accepted(Box<PeerAnswer>),
}

/// The end of a question without an answer.
pub(super) struct ReplyEnding {
    /// The kind in reports.
    pub(super) kind: &'static str,
    /// The message.
    pub(super) how: String,
}

/// The answer with an acceptance.
pub(super) enum PeerAnswer {
    /// The acceptance alone.
    Verdict,
    /// Numbers, and objects by class.
    Counts(Accepted),
    /// A digest with those of its facets.
    Digest(Digest),
    /// A line for each entry.
    Entries(BTreeMap<u64, EntryAnswer>),
    /// A heap, and the facets that its listing leaves out.
    Listing(Heap, BTreeSet<Facet>),
}

pub(super) const ACCEPTED: &str = "accepted";
pub(super) const REFUSED: &str = "refused";
pub(super) const SKIPPED: &str = "skipped";
const UNREADABLE: &str = "unreadable";

/// The kinds of reply, in the order of tables.
pub(super) const KINDS: [&str; 8] =
    [ACCEPTED, REFUSED, "crash", "hang", "out-of-memory", UNREADABLE, "adapter-error", SKIPPED];

impl PeerReply {
    /// The reply of an implementation; `None` if the run is to stop.
    pub(super) fn from_reply(
        reply: Reply,
        subject: &Subject,
        hello: Option<&Hello>,
        files: &QuestionFiles,
    ) -> Option<PeerReply> {
        let ended = |kind, how| Some(PeerReply::Ended(ReplyEnding { kind, how }));
        match reply {
            Reply::Interrupted | Reply::Doubted => None,
            Reply::Skipped(reason, _) => Some(PeerReply::Nothing(reason)),
            Reply::Refused(message, _) => ended(REFUSED, message),
            Reply::Crash(how) | Reply::Failed(how) => ended("crash", how),
            Reply::Hang(how) => ended("hang", how),
            Reply::OutOfMemory(how) => ended("out-of-memory", how),
            Reply::Error(how) => ended("adapter-error", how),
            Reply::NotStarted(why) => ended("adapter-error", format!("it cannot be started: {why}")),
            Reply::Accepted(accepted) => {
                let level = hello.map_or(Level::Listing, |hello| subject.effective_level(hello));
                match PeerAnswer::from_accepted(*accepted, level, files) {
                    Ok(answer) => Some(PeerReply::Accepted(Box::new(answer))),
                    Err(why) => ended(UNREADABLE, files.shorten(&why)),
                }
            }
        }
    }

    /// Its kind in reports.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            PeerReply::Nothing(_) => SKIPPED,
            PeerReply::Ended(ending) => ending.kind,
            PeerReply::Accepted(_) => ACCEPTED,
        }
    }
}

impl PeerAnswer {
    fn from_accepted(accepted: Accepted, level: Level, files: &QuestionFiles) -> Result<PeerAnswer, String> {
        let file = || files.answer().map_err(|e| e.to_string());
        let answer = match level {
            Level::Verdict => return Ok(PeerAnswer::Verdict),
            Level::Counts => return Ok(PeerAnswer::Counts(accepted)),
            Level::Digest => {
                return accepted.digest.map(PeerAnswer::Digest).ok_or_else(|| "it accepts without a digest".to_owned());
            }
            Level::Answers => PeerAnswer::Entries(read_answers(BufReader::new(file()?.reader()))?),
            Level::Listing => {
                let read = listing::read(BufReader::new(file()?.reader())).map_err(|e| e.first_message())?;
                PeerAnswer::Listing(read.heap, read.head.omits.iter().copied().collect())
            }
        };
        match files.answer().is_ok_and(AnswerFile::has_changed) {
            true => Err("the file of the answer was changed after it was announced as complete".to_owned()),
            false => Ok(answer),
        }
    }

    /// The heap of a listing.
    pub(super) fn heap(&self) -> Option<&Heap> {
        match self {
            PeerAnswer::Listing(heap, _) => Some(heap),
            _ => None,
        }
    }
}
