//! A plan of an edit: which one, and at which place. Plans know no format: records are found in the list of a dump's records,
//! fields in its byte map, and the format spells what is put there.

use crate::error::{Error, did_you_mean};
use crate::family::edit::{Edited, NamedEdit, RecordTarget};
use crate::format::{DumpFile, DumpPart, Family, RecordSelector};
use crate::setters::setters;

use super::broken_rules::{DumpJudgement, RecordStarts, RuleBreach};
use super::record_edit::{RecordEdit, RecordEditRequest};

/// An edit of a valid dump of any format, and the place at which it is made.
///
/// ```
/// use heapsmith::corrupt::EditPlan;
/// use heapsmith::format::{DumpFile, Format, RecordSelector};
/// use heapsmith::input::Input;
/// use heapsmith::Heap;
///
/// let dump = Input::from_memory("dump", Heap::random(7).write(Format::PHD6)?.to_vec());
/// let plan = EditPlan::new("use-a-reserved-tag").place(RecordSelector::Index(2));
/// let damaged = plan.apply(&DumpFile::new(dump, Default::default())?)?;
/// assert_eq!(damaged.broken[0].rule.0, "phd.record.tag");
/// assert_eq!(damaged.records_due, 2);
/// # Ok::<(), heapsmith::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditPlan {
    /// The edit: one of [`RecordEdit::ALL`], or one of the dump's format.
    pub edit: String,
    /// The record that it acts on. Without it, an edit of a format chooses one that has a place for it.
    pub place: Option<RecordSelector>,
    /// The field that gets another value, where the edit takes one: a name as in the byte map, and for all but the first of
    /// that name its number in brackets, from 0, such as `reference[2]`.
    pub field: Option<String>,
    /// What it gets, where the edit takes a value.
    pub value: Option<String>,
}

setters! {
    impl EditPlan {
        option place: RecordSelector;
        option field: String;
        option value: String;
    }
}

/// A dump after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedDump {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The change, in a line.
    pub summary: String,
    /// The part that was chosen by its place.
    pub part: Option<DumpPart>,
    /// The rules that are broken now and were not before, the one that the edit is about first. Of an edit of the format that chose
    /// its record itself, that one alone. None where the dump stays valid, and says something else.
    pub broken: Vec<RuleBreach>,
    /// Whether reading stops at the damage.
    pub stops: bool,
    /// Records that a tolerant reader still delivers: all, or those before the damage.
    pub records_due: u64,
    /// Whether these are all: reading does not stop, and what follows the damage is read as it was before.
    pub is_all_due: bool,
}

impl EditPlan {
    /// An edit, by its name, at no chosen place.
    pub fn new(edit: impl Into<String>) -> EditPlan {
        EditPlan { edit: edit.into(), place: None, field: None, value: None }
    }

    /// Makes the edit in a valid dump.
    ///
    /// # Errors
    /// If the dump is not valid or has no such place, the place is none for the edit, or a value cannot be put there; or if a rule that
    /// an edit of the format is to break is not broken.
    pub fn apply(&self, file: &DumpFile) -> Result<DamagedDump, Error> {
        match RecordEdit::from_name(&self.edit) {
            Some(edit) => self.apply_record_edit(edit, file),
            None => self.apply_named_edit(file),
        }
    }

    fn apply_record_edit(&self, edit: &RecordEdit, file: &DumpFile) -> Result<DamagedDump, Error> {
        let refused = |reason: &str| Err(Error::Usage(format!("the edit {} {reason}", edit.name)));
        match (&self.field, &self.value) {
            (Some(_), _) if !edit.takes_field => return refused("takes no field"),
            (_, Some(_)) if !edit.takes_value => return refused("takes no value"),
            (_, None) if edit.needs_value => return refused("needs a value"),
            _ => {}
        }
        let Some(place) = self.place else { return refused("acts on one record, which has to be chosen") };
        let family = file.family();
        let bytes = super::read(file)?;
        let part = if edit.takes_field { file.find_part(place) } else { file.find_record(place) };
        let part = part.map_err(|error| error.in_input(file.input().name()))?;
        let (field, value) = (self.field.as_deref(), self.value.as_deref());
        let request = RecordEditRequest { file, bytes: &bytes, part: &part, place, field, value };
        let change = edit.make(&request).map_err(|error| error.in_input(file.input().name()))?;
        if change.bytes == bytes {
            return refused(&format!("changes nothing in {part}: {}", change.summary));
        }
        let (before, after) = (DumpJudgement::new(family, &bytes)?, DumpJudgement::new(family, &change.bytes)?);
        let grown = change.bytes.len() as i64 - bytes.len() as i64;
        // A cut is broken where the file ends now.
        let place = change.intact..=part.end.saturating_add_signed(grown).max(change.intact);
        let broken = after.newly_broken(&before, change.offset, grown, place);
        let stops = broken.iter().any(|broken| broken.stops);
        let (starts, now) = (RecordStarts::from_dump(family, &bytes)?, RecordStarts::from_dump(family, &change.bytes)?);
        let before_damage = starts.before(change.intact);
        let is_in_step = !stops && now.is_in_step(&starts, change.intact, grown);
        let records_due = if is_in_step { now.count() } else { before_damage };
        let (bytes, summary, part) = (change.bytes, change.summary, Some(part));
        Ok(DamagedDump { bytes, summary, part, broken, stops, records_due, is_all_due: is_in_step })
    }

    fn apply_named_edit(&self, file: &DumpFile) -> Result<DamagedDump, Error> {
        let (source, family, name) = (file.input().name(), file.family(), &self.edit);
        let edit = self.named_edit(source, family)?;
        if self.field.is_some() || self.value.is_some() {
            let others: Vec<&str> = RecordEdit::ALL.iter().filter(|e| e.takes_value).map(|edit| edit.name).collect();
            let others = others.join(", ");
            return Err(Error::Usage(format!("the edit {name} takes neither a field nor a value; {others} do")));
        }
        if self.place.is_some() && !edit.takes_record {
            return Err(Error::Usage(format!(
                "the edit {name} acts on the header or on the whole file, and on no record that could be chosen; leave the record \
                 out, or choose another edit (--list shows which of them act on a record)"
            )));
        }
        let part =
            self.place.map(|place| file.find_record(place)).transpose().map_err(|error| error.in_input(source))?;
        let target = part.as_ref().and_then(|part| part.record).map_or(RecordTarget::ANY, RecordTarget::from_index);
        let bytes = super::read(file)?;
        let before = part.is_some().then(|| DumpJudgement::new(family, &bytes)).transpose()?;
        let (length, whose) = (bytes.len(), part.as_ref().map_or("the dump".to_owned(), ToString::to_string));
        let edited = edit.apply_in(bytes, target)?.ok_or_else(|| {
            Error::Usage(format!(
                "the edit {name} cannot be made in {source}: {whose} has no record, field or value of the kind that it \
                 changes; choose another edit (--list shows all){}",
                if part.is_some() { " or another record" } else { "" }
            ))
        })?;
        let after = DumpJudgement::new(family, &edited.bytes)?;
        let Some(own) = after.broken(edit.rule, edited.offset) else {
            return Err(Error::Usage(format!(
                "the edit {name} does not break {} in {source}, which is unusual where it changes the dump; choose \
                 another edit (--list shows all) or a plainer dump",
                edit.rule
            )));
        };
        let (grown, at) = (edited.bytes.len() as i64 - length as i64, own.offset);
        let broken = before.map(|before| after.newly_broken(&before, at, grown, at..=at));
        let others = broken.unwrap_or_default().into_iter().filter(|broken| broken.rule != own.rule);
        let summary = match &part {
            Some(part) => format!("{name} in {part}"),
            None => edit.summary.to_owned(),
        };
        let broken: Vec<RuleBreach> = std::iter::once(own).chain(others).collect();
        let Edited { bytes, records_due, .. } = edited;
        Ok(DamagedDump { bytes, summary, part, broken, stops: own.stops, records_due, is_all_due: !own.stops })
    }

    fn named_edit(&self, source: &str, family: Family) -> Result<NamedEdit, Error> {
        let (edits, name) = (family.edits(), &self.edit);
        edits.iter().find(|edit| edit.name == name).copied().ok_or_else(|| {
            let names = edits.iter().map(|edit| edit.name).chain(RecordEdit::ALL.iter().map(|edit| edit.name));
            let (near, family) = (did_you_mean(name, names), family.name());
            Error::Usage(format!(
                "{source} is a {family} dump, and {family} has no edit {name:?}; --list shows all edits{near}"
            ))
        })
    }
}
