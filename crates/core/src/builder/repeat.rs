//! Repeated parts: objects that are computed for each turn and not stored.

use std::fmt;
use std::sync::Arc;

use super::error::BuildError;
use super::input::FieldInput;
use super::{ClassId, HeapBuilder, RepeatId};

/// An object that each turn has, whose size is that of every turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitMember {
    Instance(ClassId),
    Array(ClassId, u64),
}

/// The contents of a member in one turn.
#[derive(Clone, Debug)]
pub(crate) enum MemberContents {
    /// Values of some fields, by their places; the others are zero or null.
    Fields(Vec<(usize, FieldInput)>),
    /// Elements of an array, from the first on; the others are zero or null.
    Elements(Vec<FieldInput>),
    /// Bytes of a primitive array.
    Bytes(Vec<u8>),
}

/// Computes the contents of a member, by its number, in a turn.
pub(crate) type FillMember = dyn Fn(usize, u64) -> Result<MemberContents, BuildError> + Send + Sync;

/// Objects that are repeated.
#[derive(Clone)]
pub(crate) struct RepeatedUnit {
    pub(crate) count: u64,
    pub(crate) members: Vec<UnitMember>,
    /// The most UTF-16 units of each text that members refer to: each is a String with an array of its own, after the members.
    pub(crate) texts: Vec<u64>,
    pub(crate) fill: Arc<FillMember>,
    /// Line and column of each member in the heap file.
    pub(crate) places: Vec<(u32, u32)>,
}

impl fmt::Debug for RepeatedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RepeatedUnit")
            .field("count", &self.count)
            .field("members", &self.members)
            .finish_non_exhaustive()
    }
}

/// A repeated part, after the objects that were there before it.
#[derive(Clone, Debug)]
pub(super) struct BuiltRepeat {
    pub(super) unit: RepeatedUnit,
    pub(super) after: usize,
}

impl HeapBuilder {
    /// Announces a repeated part, whose members may be referred to from now on.
    pub(crate) fn add_repeat(&mut self, unit: RepeatedUnit) -> Result<RepeatId, BuildError> {
        if !unit.texts.is_empty() {
            let element = self.settings.library.text_element();
            self.class_named("java.lang.String")?;
            self.class_named(&format!("{}[]", element.keyword()))?;
        }
        for member in &unit.members {
            let (UnitMember::Instance(class) | UnitMember::Array(class, _)) = member;
            self.seal(*class);
        }
        let id = RepeatId(self.repeats.len());
        self.repeats.push(BuiltRepeat { unit, after: self.objects.len() });
        Ok(id)
    }

    /// Sets the function that computes a repeated part, and the places of its members in the heap file.
    pub(crate) fn fill_repeat(&mut self, repeat: RepeatId, fill: Arc<FillMember>, places: Vec<(u32, u32)>) {
        let unit = &mut self.repeats[repeat.0].unit;
        (unit.fill, unit.places) = (fill, places);
    }
}
