//! Judged answers, and the final one of several.

use std::time::Duration;

use crate::check::judge::AnswerJudgement;
use crate::check::report::Outcome;
use crate::check::subject::Reply;

/// The judged answer to a task.
#[derive(Clone, Debug)]
pub(super) struct JudgedAnswer {
    pub(super) judgement: AnswerJudgement,
    pub(super) milliseconds: f64,
    /// Peak memory in bytes, where the system tells it.
    pub(super) peak_memory: Option<u64>,
    /// Whether it is asked once more, alone.
    pub(super) is_doubtful: bool,
    /// Whether it took as long as a question may, for nothing.
    pub(super) was_in_vain: bool,
}

impl JudgedAnswer {
    /// Applies a reply that came after the answer. A failure of the answer itself has precedence.
    pub(super) fn apply_late_reply(&mut self, reply: Reply) {
        let Some(after) = reply.after_answer() else { return };
        if !self.judgement.outcome.is_failure() {
            self.judgement = bare_judgement(after);
        }
    }
}

/// The judged answer to a task; `None` if it was not asked.
pub(super) type AnswerSlot = Option<JudgedAnswer>;

/// Whether an answer was waited for as long as one may be, and none came.
pub(in crate::check) fn exhausted_time_limit(reply: &Reply, took: Duration, limit: Duration) -> bool {
    match reply {
        // An adapter is wrong quickly or not at all.
        Reply::Error(_) => reply.is_timeout() || took >= limit / 2,
        Reply::Crash(_) => took >= limit,
        _ => reply.is_timeout(),
    }
}

/// The final answer of a task that was asked in company and then alone, and the first outcome if it differs.
pub(super) fn reconcile_retry(first: AnswerSlot, mut alone: JudgedAnswer) -> (JudgedAnswer, Option<Outcome>) {
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
pub(super) fn without_question(outcome: Outcome) -> JudgedAnswer {
    JudgedAnswer {
        judgement: bare_judgement(outcome),
        milliseconds: 0.0,
        peak_memory: None,
        is_doubtful: false,
        was_in_vain: false,
    }
}

pub(super) fn bare_judgement(outcome: Outcome) -> AnswerJudgement {
    AnswerJudgement { outcome, differing: Vec::new(), offset: None, omitted: Vec::new(), follows: Vec::new() }
}

pub(in crate::check) fn skip_after_hangs(max_hangs: usize) -> Outcome {
    Outcome::Skip {
        reason: format!("not asked: {max_hangs} cases in front of it had no answer in time, which is the limit"),
        link: None,
    }
}

pub(in crate::check) fn skip_after_failures(max_failures: usize) -> Outcome {
    let reason = format!("not asked: {max_failures} cases in front of it failed, which is the limit");
    Outcome::Skip { reason, link: None }
}
