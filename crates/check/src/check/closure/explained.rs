//! Experiments with a closure. It need not be one that other threads may call, so that they ask the thread of its test.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::check::effort::Effort;
use crate::check::experiment::{AskedCase, ExperimentBudget, Observation, ProbeOracle, explain_by_experiment};
use crate::check::report::{CaseResult, Cause};
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::interrupt::Stop;

type Answer = Result<Observation, Error>;

/// The closure, as another thread sees it.
struct ClosureOracle(Mutex<(Sender<Vec<u8>>, Receiver<Answer>)>);

impl ProbeOracle for ClosureOracle {
    fn observe(&self, dump: &[u8]) -> Answer {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The other end is there until experiments are over.
        let answer = line.0.send(dump.to_vec()).ok().and_then(|()| line.1.recv().ok());
        answer.unwrap_or(Ok(Observation::Unknown))
    }
}

/// The causes of failures, by at most this many further calls.
///
/// # Errors
/// Those of the calls.
pub(super) fn explain(
    asked: &[(Case, CaseResult)],
    trials: u64,
    answer: &mut dyn FnMut(&[u8]) -> Answer,
) -> Result<Vec<Cause>, Error> {
    let (ask, questions) = channel::<Vec<u8>>();
    let (tell, answers) = channel();
    thread::scope(|scope| {
        let running = scope.spawn(move || {
            let oracle = ClosureOracle(Mutex::new((ask, answers)));
            let stop = Stop::default();
            let effort = Effort::new(&stop);
            let mut budget = ExperimentBudget::new(&effort, trials, &|_| {});
            let asked = asked.iter().map(|(case, result)| AskedCase { result, case: case.clone() }).collect();
            let explained = explain_by_experiment(asked, &oracle, &mut budget)?;
            Ok(explained.into_iter().map(|one| Cause { pair: one.pair.map(|made| made.pair), ..one.cause }).collect())
        });
        for dump in questions {
            if tell.send(answer(&dump)).is_err() {
                break;
            }
        }
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
