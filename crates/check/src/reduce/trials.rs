//! Trials of dumps: each dump once, several at a time, and twice before a failure counts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::time::Instant;

use sha2::{Digest, Sha256};

use heapsmith_core::bytes::gzip;
use heapsmith_core::error::Error;
use heapsmith_core::threads::map_side_by_side;

use super::journal::{self, DumpHash};
use super::{FailureTest, ReduceOptions, Reduced};

/// The reason why trials ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The number of trials was reached.
    Trials,
    /// The time was up.
    Time,
    /// A signal or another request to stop.
    Stopped,
}

/// A progress event of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceProgress<'p> {
    /// This number of dumps was tried.
    Tried(u64),
    /// A better dump was found.
    Better(&'p [u8]),
}

/// The dumps that were tried.
pub(super) struct Trials<'t> {
    shows: &'t FailureTest<'t>,
    options: &'t ReduceOptions,
    progress: &'t (dyn Fn(ReduceProgress<'_>) + Sync),
    known: HashMap<DumpHash, bool>,
    journal: Option<File>,
    /// The shortest dump that shows the failure; at first none, if the original is not held.
    best: Option<Vec<u8>>,
    /// The dump that is being reduced. It shows the failure, and may be longer than the best one where that is
    /// compressed.
    now: Vec<u8>,
    /// The number of gzip members into which a dump is put before it is tried; 0 for none.
    members: usize,
    trials: u64,
    flaky: u64,
    ended: Option<EndReason>,
    started: Instant,
}

/// An iterator of dumps to try, each with what it stands for; `None` instead of a dump that cannot be written.
pub(super) type NextDump<'n, C> = &'n mut dyn FnMut() -> Option<(C, Option<Vec<u8>>)>;

impl<'t> Trials<'t> {
    pub(super) fn new(
        dump: Vec<u8>,
        shows: &'t FailureTest<'t>,
        options: &'t ReduceOptions,
        progress: &'t (dyn Fn(ReduceProgress<'_>) + Sync),
    ) -> Result<Trials<'t>, Error> {
        let mut trials = Trials::begin(shows, options, progress)?;
        if !trials.shows_twice(&dump)? {
            return Err(trials.refusal());
        }
        (trials.best, trials.now) = (Some(dump.clone()), dump);
        Ok(trials)
    }

    /// Trials of a dump that is not held: `whole` returns whether it shows the failure.
    pub(super) fn for_large(
        whole: &dyn Fn() -> Result<bool, Error>,
        shows: &'t FailureTest<'t>,
        options: &'t ReduceOptions,
        progress: &'t (dyn Fn(ReduceProgress<'_>) + Sync),
    ) -> Result<Trials<'t>, Error> {
        let mut trials = Trials::begin(shows, options, progress)?;
        trials.trials += 1;
        if !whole()? {
            return Err(trials.refusal());
        }
        if !whole()? {
            trials.flaky += 1;
            return Err(trials.refusal());
        }
        Ok(trials)
    }

    fn refusal(&mut self) -> Error {
        if self.is_stopped() {
            return Error::stopped();
        }
        let message = match self.flaky {
            0 => "the dump does not show it: expected the test to say yes to the dump itself",
            _ => "the dump shows it only now and then: expected the test to say yes twice",
        };
        Error::Usage(message.to_owned())
    }

    fn begin(
        shows: &'t FailureTest<'t>,
        options: &'t ReduceOptions,
        progress: &'t (dyn Fn(ReduceProgress<'_>) + Sync),
    ) -> Result<Trials<'t>, Error> {
        let (known, journal) = match &options.journal {
            Some(path) => journal::open(path, &options.question).map(|(known, journal)| (known, Some(journal)))?,
            None => (HashMap::new(), None),
        };
        Ok(Trials {
            shows,
            options,
            progress,
            known,
            journal,
            best: None,
            now: Vec::new(),
            members: 0,
            trials: 0,
            flaky: 0,
            ended: None,
            started: Instant::now(),
        })
    }

    /// Continues with the whole dump, since no part of it shows the failure.
    pub(super) fn continue_with_whole(&mut self, dump: Vec<u8>) {
        self.accept(dump);
    }

    /// The dump that is being reduced.
    pub(super) fn current(&self) -> &[u8] {
        &self.now
    }

    /// Whether trials have ended.
    pub(super) fn is_over(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = if self.options.stop.as_ref().is_some_and(heapsmith_core::interrupt::Stop::is_asked) {
                Some(EndReason::Stopped)
            } else if self.trials >= self.options.trials {
                Some(EndReason::Trials)
            } else if self.options.time.is_some_and(|time| self.started.elapsed() >= time) {
                Some(EndReason::Time)
            } else {
                None
            };
        }
        self.ended.is_some()
    }

    /// Whether a signal ended the trials.
    pub(super) fn is_stopped(&mut self) -> bool {
        self.is_over() && self.ended == Some(EndReason::Stopped)
    }

    /// The result after trials have ended: the best dump, if there is one.
    pub(super) fn into_stopped(self) -> Result<Reduced, Error> {
        if self.best.is_some() { Ok(self.finish()) } else { Err(Error::stopped()) }
    }

    /// Continues with another dump, of any length, if it shows the failure.
    pub(super) fn begin_with(&mut self, dump: Vec<u8>) -> Result<bool, Error> {
        let shows = self.shows_twice(&dump)?;
        if shows {
            self.accept(dump);
        }
        Ok(shows)
    }

    /// Continues like [`Trials::begin_with`], with every further dump in this number of gzip members; 0 is the dump as
    /// it is.
    pub(super) fn begin_compressed(&mut self, dump: Vec<u8>, members: usize) -> Result<bool, Error> {
        let before = std::mem::replace(&mut self.members, members);
        let shows = self.begin_with(dump)?;
        if !shows {
            self.members = before;
        }
        Ok(shows)
    }

    /// A dump in the form in which it is tried.
    fn as_tried<'d>(&self, dump: &'d [u8]) -> Cow<'d, [u8]> {
        match self.members {
            0 => Cow::Borrowed(dump),
            members => gzip::members(dump.chunks(dump.len().div_ceil(members).max(1))).into(),
        }
    }

    /// The first of these dumps that shows the failure and is no longer than the current one, which it replaces.
    pub(super) fn first_shown<C>(&mut self, next: NextDump<'_, C>) -> Result<Option<C>, Error> {
        loop {
            if self.is_over() {
                return Ok(None);
            }
            let mut batch = Vec::new();
            while batch.len() < self.options.jobs.get() {
                let Some((what, dump)) = next() else { break };
                batch.extend(
                    dump.filter(|dump| dump.len() <= self.now.len() && *dump != self.now).map(|dump| (what, dump)),
                );
            }
            if batch.is_empty() {
                return Ok(None);
            }
            let answers = self.ask(&batch.iter().map(|(_, dump)| &**dump).collect::<Vec<_>>())?;
            for ((what, dump), answer) in batch.into_iter().zip(answers) {
                if answer && self.shows_again(&dump)? {
                    self.accept(dump);
                    return Ok(Some(what));
                }
            }
        }
    }

    /// Tries one dump.
    pub(super) fn try_dump(&mut self, dump: Option<Vec<u8>>) -> Result<bool, Error> {
        let mut dump = Some(dump);
        Ok(self.first_shown(&mut || dump.take().map(|dump| ((), dump)))?.is_some())
    }

    fn accept(&mut self, dump: Vec<u8>) {
        let shown = self.as_tried(&dump);
        if self.best.as_ref().is_none_or(|best| shown.len() <= best.len()) {
            (self.progress)(ReduceProgress::Better(&shown));
            self.best = Some(shown.into_owned());
        }
        self.now = dump;
    }

    fn shows_twice(&mut self, dump: &[u8]) -> Result<bool, Error> {
        let first = self.ask(&[dump])?;
        Ok(first[0] && self.shows_again(dump)?)
    }

    /// A test that says yes may say no the next time.
    fn shows_again(&mut self, dump: &[u8]) -> Result<bool, Error> {
        let dump = self.as_tried(dump);
        let Some(again) = self.unless_stopped((self.shows)(&dump))? else { return Ok(false) };
        if !again {
            self.flaky += 1;
            self.record_answer(dump_hash(&dump), false)?;
        }
        Ok(again)
    }

    /// The answers of the test to these dumps, asked at the same time.
    fn ask(&mut self, dumps: &[&[u8]]) -> Result<Vec<bool>, Error> {
        let dumps: Vec<Cow<'_, [u8]>> = dumps.iter().map(|dump| self.as_tried(dump)).collect();
        let sums: Vec<DumpHash> = dumps.iter().map(|dump| dump_hash(dump)).collect();
        let (shows, known) = (self.shows, &self.known);
        let unknown = dumps.iter().zip(&sums).filter(|(_, sum)| !known.contains_key(*sum));
        let unknown: Vec<(&DumpHash, &[u8])> = unknown.map(|(dump, sum)| (sum, &**dump)).collect();
        let answers = map_side_by_side(&unknown, |(_, dump)| shows(dump));
        let mut asked = unknown.iter().map(|(sum, _)| **sum).zip(answers).collect::<Vec<_>>().into_iter().peekable();
        let mut told = Vec::new();
        for sum in sums {
            told.push(match asked.next_if(|(one, _)| *one == sum) {
                None => self.known[&sum],
                Some((_, answer)) => {
                    let answer = self.unless_stopped(answer)?;
                    self.trials += 1;
                    (self.progress)(ReduceProgress::Tried(self.trials));
                    if let Some(answer) = answer {
                        self.record_answer(sum, answer)?;
                    }
                    answer.unwrap_or_default()
                }
            });
        }
        Ok(told)
    }

    /// An answer; `None` if a signal ended the test, which says nothing about the dump.
    fn unless_stopped(&mut self, answer: Result<bool, Error>) -> Result<Option<bool>, Error> {
        let answer = Error::unless_stopped(answer)?;
        if answer.is_none() {
            self.ended = Some(EndReason::Stopped);
        }
        Ok(answer)
    }

    fn record_answer(&mut self, sum: DumpHash, answer: bool) -> Result<(), Error> {
        self.known.insert(sum, answer);
        self.journal.as_mut().map_or(Ok(()), |journal| journal::append_answer(journal, &sum, answer))
    }

    pub(super) fn finish(self) -> Reduced {
        Reduced { bytes: self.best.unwrap_or_default(), trials: self.trials, flaky: self.flaky, ended: self.ended }
    }
}

fn dump_hash(dump: &[u8]) -> DumpHash {
    Sha256::digest(dump).into()
}
