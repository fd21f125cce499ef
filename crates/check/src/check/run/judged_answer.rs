//! Judged answers with their costs, and the judgement of a case by them.

use std::time::Duration;

use crate::check::judge::AnswerJudgement;
use crate::check::report::Outcome;
use crate::check::subject::Reply;
use crate::check::verdict::CaseJudgement;

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
    /// An outcome without a question.
    pub(super) fn without_question(outcome: Outcome) -> JudgedAnswer {
        JudgedAnswer {
            judgement: AnswerJudgement::from_outcome(outcome),
            milliseconds: 0.0,
            peak_memory: None,
            is_doubtful: false,
            was_in_vain: false,
        }
    }

    /// The answer with a reply that came after it, which puts it in doubt.
    pub(super) fn with_late_reply(self, reply: Reply) -> JudgedAnswer {
        JudgedAnswer { judgement: self.judgement.with_late_reply(reply), is_doubtful: true, ..self }
    }

    /// The judgement of the case by this answer, and by the doubtful one before it, if there was one.
    pub(super) fn judge_case(&self, in_company: AnswerSlot) -> CaseJudgement {
        let in_company = in_company.map(|answered| answered.judgement.outcome().clone());
        CaseJudgement::from_retry(in_company, self.judgement.outcome().clone(), self.judgement.readings().to_vec())
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

pub(in crate::check) fn skip_after_hangs(max_hangs: usize) -> Outcome {
    let reason = format!("not asked: {max_hangs} cases in front of it had no answer in time, which is the limit");
    Outcome::skip(reason, None)
}

pub(in crate::check) fn skip_after_failures(max_failures: usize) -> Outcome {
    let reason = format!("not asked: {max_failures} cases in front of it failed, which is the limit");
    Outcome::skip(reason, None)
}
