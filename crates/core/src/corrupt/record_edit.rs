//! Edits that any format has a place for: of one record, whose kind and values decide which rule is broken.

use crate::annotation::is_length;
use crate::error::{Error, did_you_mean};
use crate::family::edit::{EditedField, parse_number};
use crate::format::{DumpFile, DumpPart, RecordSelector};

/// An edit of one record, in a dump of any format. Which rule is broken depends on the record and on the value.
#[derive(Debug)]
pub struct RecordEdit {
    /// Its name, stable.
    pub name: &'static str,
    /// The edit's effect on the bytes, in a line.
    pub summary: &'static str,
    /// Whether a field can be chosen.
    pub takes_field: bool,
    /// Whether a value can be given.
    pub takes_value: bool,
    /// Whether a value has to be given.
    pub needs_value: bool,
    make: fn(&RecordEditRequest<'_>) -> Result<ByteChange, Error>,
}

/// An edit of one record, and where it is to be made.
pub(super) struct RecordEditRequest<'r> {
    pub(super) file: &'r DumpFile,
    /// The bytes of the dump.
    pub(super) bytes: &'r [u8],
    /// The chosen part: a record, or for a field what is no record as well.
    pub(super) part: &'r DumpPart,
    /// The choice, which may name a byte of a field.
    pub(super) place: RecordSelector,
    pub(super) field: Option<&'r str>,
    pub(super) value: Option<&'r str>,
}

/// A dump with other bytes.
pub(super) struct ByteChange {
    pub(super) bytes: Vec<u8>,
    /// The offset of the first other byte.
    pub(super) offset: u64,
    /// Records that begin before this offset are what they were.
    pub(super) intact: u64,
    /// The change, in a line.
    pub(super) summary: String,
}

impl RecordEdit {
    /// Every such edit.
    pub const ALL: &'static [RecordEdit] = &[
        RecordEdit {
            name: "cut-after-a-record",
            summary: "ends the file after the chosen record",
            takes_field: false,
            takes_value: false,
            needs_value: false,
            make: cut_after_record,
        },
        RecordEdit {
            name: "set-a-root-kind",
            summary: "makes the chosen root one of another kind: VALUE, or else a local of a thread that is not in the dump",
            takes_field: false,
            takes_value: true,
            needs_value: false,
            make: set_root_kind,
        },
        RecordEdit {
            name: "set-a-field",
            summary: "gives a field of the chosen record the value VALUE: the field FIELD, or the one that has the byte at OFFSET",
            takes_field: true,
            takes_value: true,
            needs_value: true,
            make: set_field,
        },
        RecordEdit {
            name: "set-a-length",
            summary: "gives a length or number of the chosen record (the first, or FIELD) the value VALUE, or else one more",
            takes_field: true,
            takes_value: true,
            needs_value: false,
            make: set_length,
        },
    ];

    /// The edit of this name.
    pub fn from_name(name: &str) -> Option<&'static RecordEdit> {
        RecordEdit::ALL.iter().find(|edit| edit.name == name)
    }

    pub(super) fn make(&self, request: &RecordEditRequest<'_>) -> Result<ByteChange, Error> {
        (self.make)(request)
    }
}

fn cut_after_record(request: &RecordEditRequest<'_>) -> Result<ByteChange, Error> {
    let (part, end) = (request.part, request.part.end);
    // Edits need a valid dump.
    request.fields()?;
    let bytes = usize::try_from(end).ok().and_then(|end| request.bytes.get(..end)).unwrap_or(request.bytes).to_vec();
    Ok(ByteChange { bytes, offset: end, intact: end, summary: format!("ends the file after {part}") })
}

fn set_root_kind(request: &RecordEditRequest<'_>) -> Result<ByteChange, Error> {
    let (part, family) = (request.part, request.file.family());
    let record = part.record.unwrap_or_default();
    let (bytes, kind) = family.with_root_kind(request.bytes, record, request.value)?;
    let summary = format!("makes {part} a root of the kind {kind}");
    Ok(ByteChange { bytes, offset: part.offset, intact: part.offset, summary })
}

fn set_field(request: &RecordEditRequest<'_>) -> Result<ByteChange, Error> {
    let fields = request.fields()?;
    let field = match (request.field, request.place) {
        (Some(name), _) => named(&fields, name, request.part)?,
        (None, RecordSelector::Offset(offset)) => {
            let has = |field: &&EditedField| (field.offset..field.offset + field.length).contains(&(offset as usize));
            fields
                .iter()
                .find(has)
                .ok_or_else(|| unknown_field(&fields, request.part, "no field of its own at that offset"))?
        }
        (None, _) => return Err(unknown_field(&fields, request.part, "several fields, one of which has to be chosen")),
    };
    replace(request, field, request.value.unwrap_or_default())
}

fn set_length(request: &RecordEditRequest<'_>) -> Result<ByteChange, Error> {
    let fields = request.fields()?;
    let states_length =
        |field: &&EditedField| (is_length(field.name) || field.name.starts_with("number of")) && field.value.is_some();
    let missing = || unknown_field(&fields, request.part, "no length and no number of parts");
    let field = match request.field {
        Some(name) => Some(named(&fields, name, request.part)?).filter(states_length),
        None => fields.iter().find(states_length),
    };
    let field = field.ok_or_else(missing)?;
    let more = || field.value.map(|value| value.wrapping_add(1).to_string()).unwrap_or_default();
    let value = request.value.map_or_else(more, str::to_owned);
    if parse_number(&value).is_none() {
        return Err(Error::Usage(format!("{}: {value:?} is no number", field.name)));
    }
    replace(request, field, &value)
}

fn replace(request: &RecordEditRequest<'_>, field: &EditedField, value: &str) -> Result<ByteChange, Error> {
    let part = request.part;
    let bytes = request.file.family().with_value(request.bytes, field, value)?;
    let old = field.value.map(|old| format!(", which was {old}")).unwrap_or_default();
    let summary = format!("sets {} at offset {:#x} to {value}{old}, in {part}", field.name, field.offset);
    Ok(ByteChange { bytes, offset: field.offset as u64, intact: part.offset, summary })
}

impl RecordEditRequest<'_> {
    /// The fields of the chosen part, as the byte map of the dump has them.
    fn fields(&self) -> Result<Vec<EditedField>, Error> {
        let mut fields = Vec::new();
        self.file.annotate(&mut |field| {
            let is_own = field.record == self.part.record && (self.part.offset..self.part.end).contains(&field.offset);
            if is_own && !field.bytes.is_empty() {
                let (offset, length) = (field.offset as usize, field.bytes.len());
                fields.push(EditedField { name: field.name, offset, length, value: field.value });
            }
            Ok(())
        })?;
        Ok(fields)
    }
}

/// The field of a name, or of a name with a number in brackets.
fn named<'f>(fields: &'f [EditedField], wanted: &str, part: &DumpPart) -> Result<&'f EditedField, Error> {
    let numbered = wanted.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let numbered = numbered.and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    let (name, number) = numbered.unwrap_or((wanted, 0));
    let mut own = fields.iter().filter(|field| field.name == name);
    let missing = || {
        let count = fields.iter().filter(|field| field.name == name).count();
        match count {
            0 => unknown_field(fields, part, &format!("no field {name:?}{}", did_you_mean(name, names(fields)))),
            1 => unknown_field(fields, part, &format!("one field {name:?}, number 0")),
            _ => unknown_field(fields, part, &format!("{count} fields {name:?}, numbers 0 to {}", count - 1)),
        }
    };
    own.nth(number).ok_or_else(missing)
}

fn names(fields: &[EditedField]) -> Vec<&'static str> {
    let mut names = Vec::new();
    fields.iter().for_each(|field| {
        if !names.contains(&field.name) {
            names.push(field.name);
        }
    });
    names
}

fn unknown_field(fields: &[EditedField], part: &DumpPart, reason: &str) -> Error {
    Error::Usage(format!("{part} has {reason}; its fields are {}", names(fields).join(", ")))
}
