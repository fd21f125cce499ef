//! Work that may be ended.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use heapsmith_core::interrupt::Stop;

/// How long causes are still worked out once the program was asked to stop: they make a report better, and are not waited for.
const GRACE: Duration = Duration::from_millis(500);

/// Work that makes a report better, until a signal ends it.
#[derive(Debug)]
pub(super) struct Effort<'s> {
    stop: &'s Stop,
    /// When it ends in any case.
    end: Option<Instant>,
    /// Since when it is known that the program was asked to stop.
    pub(super) since: OnceLock<Instant>,
}

impl<'s> Effort<'s> {
    pub(super) fn new(stop: &'s Stop) -> Effort<'s> {
        Effort { stop, end: None, since: OnceLock::new() }
    }

    /// The same, for this time from now on at most.
    pub(super) fn within(self, time: Duration) -> Effort<'s> {
        Effort { end: Instant::now().checked_add(time), ..self }
    }

    /// Whether it is over.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
            || self.stop.is_asked() && self.since.get_or_init(Instant::now).elapsed() > GRACE
    }
}
