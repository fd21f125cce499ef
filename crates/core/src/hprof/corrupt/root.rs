//! Roots of another kind.

use crate::error::{Error, unknown};
use crate::hprof::tags::TagForm;
use crate::model::{RootForm, RootKind, Serial};

use super::map::MappedDump;

/// A dump in which a root is one of another kind, and that kind's name. Numbers that both kinds have stay, others are 0; but a
/// thread that the root did not have is one that the dump does not have, and so is that of a kind that is not given.
pub(in crate::hprof) fn with_root_kind(
    map: &MappedDump,
    record: u64,
    kind: Option<&str>,
) -> Result<(Vec<u8>, &'static str), Error> {
    let index = usize::try_from(record).unwrap_or(usize::MAX);
    let place = map.records.get(index).ok_or_else(|| Error::Usage(format!("there is no record {record}")))?;
    let own = place.sub_tag.and_then(|tag| tag.form()).and_then(|form| form.root);
    let own = own.ok_or_else(|| Error::Usage(format!("record {record} is no root")))?;
    let wanted = match kind {
        Some(name) => named(name)?,
        None if matches!(own, RootKind::JniLocal(..)) => RootKind::NativeStack(Serial(0)).form(),
        None => RootKind::JniLocal(Serial(0), 0).form(),
    };
    if wanted.kind.is_a(own) {
        return Err(Error::Usage(format!("record {record} is a root of the kind {} already", wanted.name)));
    }
    let form = TagForm::of_root(wanted.kind);
    let mut root = vec![form.tag];
    for field in form.fields {
        let width = field.width.bytes(map.id);
        let is_thread = field.name == "thread serial number";
        let kept = map.field(field.name, |old| old.record == Some(record)).filter(|_| !is_thread || kind.is_some());
        let value = match kept {
            Some(old) => old.value as u64,
            None if is_thread => map.unused_number(0).unwrap_or_default(),
            None => 0,
        };
        root.extend_from_slice(&value.to_be_bytes()[8 - width..]);
    }
    let mut bytes = [&map.bytes[..place.offset], &root, &map.bytes[place.end_offset()..]].concat();
    // A length that was never patched stays 0.
    if let Some(dump) = map.dump_of(index).filter(|dump| place.end_offset() <= dump.end_offset())
        && let Some(length) = map.field("length", |field| field.offset == dump.offset + 5)
    {
        let length = length.value as usize - place.length + root.len();
        bytes[dump.offset + 5..dump.offset + 9].copy_from_slice(&(length as u32).to_be_bytes());
    }
    Ok((bytes, wanted.name))
}

fn named(name: &str) -> Result<&'static RootForm, Error> {
    let names = || RootKind::FORMS.iter().map(|form| form.name);
    let form = RootKind::FORMS.iter().find(|form| form.name == name);
    let all = || format!("choose one of {}", names().collect::<Vec<_>>().join(", "));
    form.ok_or_else(|| unknown("kind of root", name, names(), &all()))
}
