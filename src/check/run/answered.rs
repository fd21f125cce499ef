//! Judged answers, and the final one of several.

use std::time::Duration;

use crate::check::judge::Judgement;
use crate::check::report::Outcome;
use crate::check::subject::Reply;

/// The judged answer to a task.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) judgement: Judgement,
    pub(super) milliseconds: f64,
    /// Peak memory in bytes, where the system tells it.
    pub(super) peak_memory: Option<u64>,
    /// Whether it is asked once more, alone.
    pub(super) is_doubtful: bool,
    /// Whether it took as long as a question may, for nothing.
    pub(super) was_in_vain: bool,
}

impl Answered {
    /// Applies a reply that came after the answer. A failure of the answer itself has precedence.
    pub(super) fn followed_by(&mut self, reply: Reply) {
        let Some(after) = reply.after_answer() else { return };
        if !self.judgement.outcome.is_failure() {
            self.judgement = plain(after);
        }
    }
}

/// The judged answer to a task; `None` if it was not asked.
pub(super) type Slot = Option<Answered>;

/// Whether an answer was waited for as long as one may be, and none came.
pub(in crate::check) fn is_in_vain(reply: &Reply, took: Duration, limit: Duration) -> bool {
    match reply {
        // An adapter is wrong quickly or not at all.
        Reply::Error(_) => reply.is_wait_for_nothing() || took >= limit / 2,
        Reply::Crash(_) => took >= limit,
        _ => reply.is_wait_for_nothing(),
    }
}

/// The final answer of a task that was asked in company and then alone, and the first outcome if it differs.
pub(super) fn settled(first: Slot, mut alone: Answered) -> (Answered, Option<Outcome>) {
    let is_other = |first: &Outcome| first.name() != alone.judgement.outcome.name();
    let first = first.map(|slot| slot.judgement.outcome).filter(is_other);
    // That a case hung in company may be the machine's doing, and nothing else is.
    let remembers =
        matches!(first, Some(Outcome::Crash { .. } | Outcome::OutOfMemory { .. } | Outcome::AdapterError { .. }));
    match (&first, &alone.judgement.outcome) {
        (Some(first), Outcome::Pass { .. }) if remembers => {
            let how = format!("{}: {}", first.name(), first.detail());
            alone.judgement.outcome = Outcome::PassAlone { how };
        }
        // A question that is skipped when it is asked again was asked all the same.
        (Some(crash), Outcome::Skip { .. }) if remembers => {
            alone.judgement.outcome = crash.clone();
            return (alone, None);
        }
        _ => {}
    }
    (alone, first)
}

/// An outcome without a question.
pub(super) fn unasked(outcome: Outcome) -> Answered {
    Answered { judgement: plain(outcome), milliseconds: 0.0, peak_memory: None, is_doubtful: false, was_in_vain: false }
}

pub(super) fn plain(outcome: Outcome) -> Judgement {
    Judgement { outcome, differing: Vec::new(), offset: None, omitted: Vec::new(), follows: Vec::new() }
}

pub(in crate::check) fn given_up(max_hangs: usize) -> Outcome {
    Outcome::Skip {
        reason: format!("not asked: {max_hangs} cases in front of it had no answer in time, which is the limit"),
        link: None,
    }
}

pub(in crate::check) fn enough(max_failures: usize) -> Outcome {
    let reason = format!("not asked: {max_failures} cases in front of it failed, which is the limit");
    Outcome::Skip { reason, link: None }
}
