//! The cases of a family, as its folder makes them.

use crate::error::Error;
use crate::family::Family;

use super::{Ambiguity, Case, LargeCase, WorldJoin};

/// The cases of a family, as its folder makes them.
#[derive(Clone, Copy, Debug)]
pub struct FamilyCases {
    /// The cases of the corpus. It fails if a recipe does, which the tests rule out.
    pub all: fn() -> Result<Vec<Case>, Error>,
    /// The case that a named edit makes of a valid one; `None` if it has no place for it. It fails if the case is not valid, or its
    /// heap is not that of its dump.
    pub damaged: fn(edit: &str, base: &Case) -> Result<Option<Case>, Error>,
    /// The cases whose dumps are too large to be stored; or the defect of their file.
    pub large: fn() -> Result<Vec<LargeCase>, String>,
    /// The ambiguities of the family's dumps, in the order in which readings are applied.
    pub ambiguities: &'static [Ambiguity],
    /// How a dump takes in the world around a spelled case.
    #[doc(hidden)]
    pub world: WorldJoin,
}

impl Family {
    /// See [`FamilyCases::all`].
    ///
    /// # Errors
    /// If a recipe fails, which the tests rule out.
    pub fn cases(self) -> Result<Vec<Case>, Error> {
        (self.corpus().all)()
    }

    /// See [`FamilyCases::damaged`].
    ///
    /// # Errors
    /// If the case is not valid, or its heap is not that of its dump.
    pub fn damaged(self, edit: &str, base: &Case) -> Result<Option<Case>, Error> {
        (self.corpus().damaged)(edit, base)
    }

    /// See [`FamilyCases::large`].
    ///
    /// # Errors
    /// The defect of the file of large cases.
    pub fn large(self) -> Result<Vec<LargeCase>, String> {
        (self.corpus().large)()
    }

    /// See [`FamilyCases::ambiguities`].
    pub fn ambiguities(self) -> &'static [Ambiguity] {
        self.corpus().ambiguities
    }

    /// See [`FamilyCases::world`].
    pub(super) fn world_join(self) -> WorldJoin {
        self.corpus().world
    }
}
