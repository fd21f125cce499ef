//! Damaged dumps: named edits, each of which breaks one rule.
//!
//! An edit is made in a dump's bytes by field ("the version", "the class word of the first medium or
//! long object"), never at a random place, so that the rule it breaks and the offset of the finding
//! are known beforehand. What it does to the heap that a reader finds stands in the same row.

mod field_value;

use crate::annotation::Annotation;
use crate::error::{Error, RuleId};
use crate::findings::Findings;
use crate::model::Heap;

use super::{Family, GraphRules, Opener};

pub use field_value::{EditedField, parse_number};

/// An edit that breaks one rule, in a dump of the format that the map is of.
pub struct Edit<M: 'static> {
    /// Its name, stable.
    pub name: &'static str,
    /// The rule that it breaks.
    pub rule: RuleId,
    /// The edit's effect on the bytes, in a line.
    pub summary: &'static str,
    /// The golden case that the corpus makes it in, where that is not the format's usual one.
    pub golden: Option<&'static str>,
    action: EditAction<M>,
    effect: Effect<M>,
    reading: Option<&'static str>,
    others: &'static [(&'static str, HeapEdit<M>)],
    refused: Option<&'static str>,
    by_reading: Option<AnswersByReading<M>>,
}

/// The action of an edit: on the dump as a whole, or on one record.
enum EditAction<M: 'static> {
    Dump(fn(&M) -> Option<Edited>),
    Record(fn(&M, RecordTarget) -> Option<Edited>),
}

/// The record that an edit is made in: a chosen one, or any that has a place for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordTarget(Option<u64>);

impl RecordTarget {
    /// Any record that has a place for the edit.
    pub const ANY: RecordTarget = RecordTarget(None);

    /// The record of this index.
    pub const fn from_index(index: u64) -> RecordTarget {
        RecordTarget(Some(index))
    }

    /// The index of the chosen record.
    pub fn index(self) -> Option<usize> {
        self.0.and_then(|index| usize::try_from(index).ok())
    }

    /// The index of the chosen record, or else that of the last of that many; `None` where there is none.
    pub fn index_or_last(self, records: usize) -> Option<usize> {
        self.index().or_else(|| records.checked_sub(1))
    }

    /// Whether the edit may be made in the record of this index.
    pub fn allows(self, index: usize) -> bool {
        self.0.is_none_or(|chosen| chosen == index as u64)
    }

    /// Whether the edit may be made in a field, which has to be one of a record.
    pub fn has(self, field: &FieldAt) -> bool {
        field.record.is_some_and(|record| self.0.is_none_or(|chosen| chosen == record))
    }
}

/// The right answers after an edit that breaks its rule under some readings alone, each with its reading: a heap, or a
/// refusal. None where the rule is broken under every reading.
pub type AnswersByReading<M> = fn(&Damage<'_, M>, &Heap) -> Vec<(&'static str, Option<Heap>)>;

/// The effect of an edit on the heap that a reader finds.
pub enum Effect<M: 'static> {
    /// There is no right heap: only a refusal is right.
    Refused,
    /// A heap does not record what was changed.
    Same,
    /// The heap changes in this way.
    Changes(HeapEdit<M>),
}

/// A change of the heap; `None` if the heap is not that of the dump.
pub type HeapEdit<M> = fn(&Damage<'_, M>, &mut Heap) -> Option<()>;

/// A dump before an edit, and after it.
pub struct Damage<'d, M> {
    /// The dump before the edit.
    pub map: &'d M,
    /// The dump after the edit.
    pub edited: &'d Edited,
}

/// A damaged dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The offset at which the finding belongs.
    pub offset: u64,
    /// Records before the damage: those that a tolerant reader still delivers.
    pub records_due: u64,
}

/// A valid dump with the places of its fields, and the edits of its format.
pub trait EditMap: Sized + 'static {
    /// The format.
    const FAMILY: Family;
    /// Every edit.
    const EDITS: &'static [Edit<Self>];

    /// The fields of a dump.
    ///
    /// # Errors
    /// If the dump is not valid.
    fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error>;
}

/// An edit, whatever its format.
#[derive(Clone, Copy, Debug)]
pub struct NamedEdit {
    /// The format.
    pub family: Family,
    /// Its name, stable.
    pub name: &'static str,
    /// The rule that it breaks.
    pub rule: RuleId,
    /// The edit's effect on the bytes, in a line.
    pub summary: &'static str,
    /// Whether it acts on one record, which can be chosen.
    pub takes_record: bool,
    apply: ApplyEdit,
}

/// Makes the edit of a name in a dump's bytes, in a chosen record.
type ApplyEdit = fn(&str, Vec<u8>, RecordTarget) -> Result<Option<Edited>, Error>;

impl NamedEdit {
    /// Makes the edit in a valid dump. `None` if the dump has no place for it.
    ///
    /// # Errors
    /// If the dump is not valid.
    pub fn apply(&self, dump: Vec<u8>) -> Result<Option<Edited>, Error> {
        self.apply_in(dump, RecordTarget::ANY)
    }

    /// Makes the edit in a record of a valid dump. `None` if the record has no place for it.
    ///
    /// # Errors
    /// If the dump is not valid.
    pub fn apply_in(&self, dump: Vec<u8>, target: RecordTarget) -> Result<Option<Edited>, Error> {
        (self.apply)(self.name, dump, target)
    }

    /// Whether its rule is broken at its place in a dump that was edited. A dump that was peculiar before may keep it.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn is_found(&self, edited: &Edited) -> Result<bool, Error> {
        let mut findings = Findings::default();
        self.family.judge(&Opener::from_memory(self.name, &edited.bytes), GraphRules::All, &mut findings)?;
        Ok(findings.has(self.rule, edited.offset))
    }
}

/// Every edit of a format.
pub(crate) fn named_edits<M: EditMap>() -> Vec<NamedEdit> {
    let apply = |name: &str, dump, target| {
        let map = M::from_bytes(dump)?;
        Ok(M::EDITS.iter().find(|edit| edit.name == name).and_then(|edit| edit.apply_in(&map, target)))
    };
    let named = |edit: &Edit<M>| {
        let &Edit { name, rule, summary, .. } = edit;
        NamedEdit { family: M::FAMILY, name, rule, summary, takes_record: edit.takes_record(), apply }
    };
    M::EDITS.iter().map(named).collect()
}

/// A field's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldAt {
    /// Its name, as `inspect --bytes` shows it.
    pub name: &'static str,
    /// Offset of its first byte.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// Index of its record.
    pub record: Option<u64>,
    /// Its value.
    pub value: i64,
}

impl FieldAt {
    pub(crate) fn from_annotation(field: &Annotation<'_>) -> FieldAt {
        FieldAt {
            name: field.name,
            offset: field.offset as usize,
            length: field.bytes.len(),
            record: field.record,
            value: field.value.unwrap_or_default(),
        }
    }
}

impl<M> Edit<M> {
    /// An edit of the header, of the end, or of the dump as a whole.
    pub(crate) const fn new(
        name: &'static str,
        rule: RuleId,
        summary: &'static str,
        apply: fn(&M) -> Option<Edited>,
        effect: Effect<M>,
    ) -> Edit<M> {
        Edit::with_action(name, rule, summary, EditAction::Dump(apply), effect)
    }

    /// An edit of one record, or beside it. Its effect on the heap is stated for the record that it chooses itself.
    pub(crate) const fn in_record(
        name: &'static str,
        rule: RuleId,
        summary: &'static str,
        apply: fn(&M, RecordTarget) -> Option<Edited>,
        effect: Effect<M>,
    ) -> Edit<M> {
        Edit::with_action(name, rule, summary, EditAction::Record(apply), effect)
    }

    const fn with_action(
        name: &'static str,
        rule: RuleId,
        summary: &'static str,
        action: EditAction<M>,
        effect: Effect<M>,
    ) -> Edit<M> {
        Edit {
            name,
            rule,
            summary,
            golden: None,
            action,
            effect,
            reading: None,
            others: &[],
            refused: None,
            by_reading: None,
        }
    }

    /// The edit with a heap that is right under this reading alone, of several.
    pub(crate) const fn read_as(self, reading: &'static str) -> Edit<M> {
        Edit { reading: Some(reading), ..self }
    }

    /// The edit with a refusal that is right as well, under its reading.
    pub(crate) const fn or_refused(self, reading: &'static str) -> Edit<M> {
        Edit { refused: Some(reading), ..self }
    }

    /// The edit with other heaps that are right, each under its reading.
    pub(crate) const fn or(self, others: &'static [(&'static str, HeapEdit<M>)]) -> Edit<M> {
        Edit { others, ..self }
    }

    /// The edit with right answers that depend on a reading under which no rule may be broken.
    pub(crate) const fn by_reading(self, answers: AnswersByReading<M>) -> Edit<M> {
        Edit { by_reading: Some(answers), ..self }
    }

    pub(crate) const fn in_golden(self, golden: &'static str) -> Edit<M> {
        Edit { golden: Some(golden), ..self }
    }

    /// Makes the edit in a valid dump. `None` if the dump has no place for it.
    pub fn apply(&self, map: &M) -> Option<Edited> {
        self.apply_in(map, RecordTarget::ANY)
    }

    /// Makes the edit in a record of a valid dump. `None` if it has no place for it: that of an edit of the whole dump is
    /// in no record.
    pub fn apply_in(&self, map: &M, target: RecordTarget) -> Option<Edited> {
        match self.action {
            EditAction::Dump(apply) => apply(map).filter(|_| target == RecordTarget::ANY),
            EditAction::Record(apply) => apply(map, target),
        }
    }

    /// Whether it acts on one record, which can be chosen.
    pub fn takes_record(&self) -> bool {
        matches!(self.action, EditAction::Record(_))
    }

    /// Whether only a refusal is right after it.
    pub fn is_refused(&self) -> bool {
        matches!(self.effect, Effect::Refused)
    }

    /// The reading that leads to the heap after it, where that is one of several with names.
    pub fn reading(&self) -> Option<&'static str> {
        self.reading
    }

    /// The reading under which only a refusal is right.
    pub fn refused(&self) -> Option<&'static str> {
        self.refused
    }

    /// The heap that a tolerant reader finds after the edit, worked out from the heap before it; `None` if there is none.
    ///
    /// # Errors
    /// If the heap is not that of the dump.
    pub fn heap_after(&self, damage: &Damage<'_, M>, heap: &Heap) -> Result<Option<Heap>, Error> {
        match self.effect {
            Effect::Refused => Ok(None),
            Effect::Same => Ok(Some(heap.clone())),
            Effect::Changes(change) => self.changed(change, damage, heap).map(Some),
        }
    }

    /// Further heaps that are right, each with the reading that leads to it.
    ///
    /// # Errors
    /// If the heap is not that of the dump.
    pub fn other_readings(&self, damage: &Damage<'_, M>, heap: &Heap) -> Result<Vec<(&'static str, Heap)>, Error> {
        let each = self.others.iter().map(|(reading, change)| Ok((*reading, self.changed(*change, damage, heap)?)));
        each.collect()
    }

    /// The right answers where they depend on a reading; none where they do not.
    pub fn answers_by_reading(&self, damage: &Damage<'_, M>, heap: &Heap) -> Vec<(&'static str, Option<Heap>)> {
        self.by_reading.map(|answers| answers(damage, heap)).unwrap_or_default()
    }

    fn changed(&self, change: HeapEdit<M>, damage: &Damage<'_, M>, heap: &Heap) -> Result<Heap, Error> {
        let mut heap = heap.clone();
        let done = change(damage, &mut heap);
        done.map(|()| heap).ok_or_else(|| Error::Usage(format!("{}: the heap is not that of the dump", self.name)))
    }
}
