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
    /// Since when it is known that the program was asked to stop.
    pub(super) since: OnceLock<Instant>,
}

impl<'s> Effort<'s> {
    pub(super) fn new(stop: &'s Stop) -> Effort<'s> {
        Effort { stop, since: OnceLock::new() }
    }

    /// Whether it is over.
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_asked() && self.since.get_or_init(Instant::now).elapsed() > GRACE
    }
}
