//! Orphans: processes that were started by programs that are gone.

use heapsmith_core::error::Error;
use heapsmith_core::{interrupt, system};

/// Adopts what a supervisor leaves that was killed itself, and kills it at once; and all that is left when this is
/// dropped, or when a signal ends the program. For programs whose only children are those of `check`: it kills all of
/// them. Orphaned processes can be adopted on Linux alone.
#[derive(Debug)]
pub struct Sweeper(());

impl Sweeper {
    /// Adopts from now on.
    ///
    /// # Errors
    /// If the system refuses that.
    pub fn new() -> Result<Sweeper, Error> {
        system::adopt_orphans().map_err(|e| Error::io("adopting orphaned processes", e))?;
        interrupt::set_last_work(system::sweep);
        Ok(Sweeper(()))
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        system::sweep();
    }
}
