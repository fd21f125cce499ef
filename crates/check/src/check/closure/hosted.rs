//! A whole run with an adapter that is a closure of the calling thread: for programs in other languages, whose interpreters allow
//! calls from one thread only.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::check::full_run::{CheckResult, check};
use crate::check::run::CheckOptions;
use crate::check::subject::{HostedAdapter, Subject};
use heapsmith_core::error::Error;
use heapsmith_core::interrupt::Stop;

/// The signal of an interrupt from the keyboard, by which a run stops whose closure gives up.
const INTERRUPT: i32 = 2;

/// Runs an adapter that is a closure over cases, as [`check`] runs a program: with the same requests and answers
/// (specs/adapter.md), the same judgement, causes and report. The closure has each request as a JSON text, the one for `hello` first,
/// and is called by this thread alone. With `None` it gives up: the run ends, and its report says that it is incomplete.
///
/// No limit of time or memory holds for the closure. One that does not come back blocks the run.
///
/// # Errors
/// Like [`check`].
pub fn check_closure(
    name: &str,
    options: &CheckOptions,
    answer: &mut dyn FnMut(String) -> Option<String>,
) -> Result<CheckResult, Error> {
    let (ask, requests) = channel::<String>();
    let (tell, answers) = channel::<String>();
    let stop = Stop::default();
    thread::scope(|scope| {
        let running = scope.spawn(|| {
            let line = AnswerLine(Mutex::new((ask, answers)));
            let subject = Subject::hosted(name, HostedAdapter::new(move |request| line.answer(request)));
            check(&[subject.stop(stop.clone())], options, &|_| {})
        });
        for request in requests {
            let told = answer(request).is_some_and(|answer| tell.send(answer).is_ok());
            if !told {
                stop.ask(INTERRUPT);
                break;
            }
        }
        drop(tell);
        running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The way to the closure, for one request at a time.
struct AnswerLine(Mutex<(Sender<String>, Receiver<String>)>);

impl AnswerLine {
    /// The answer of the closure; `None` once it has given up.
    fn answer(&self, request: String) -> Option<String> {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        line.0.send(request).ok().and_then(|()| line.1.recv().ok())
    }
}
