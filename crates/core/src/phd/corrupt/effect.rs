//! The effects of edits on the heap that a reader finds.

use crate::model::{Address, ByteLen, Class, Contents, Heap, Name, Object, ObjectKind, WordSize};

use super::map::{MappedDump, RecordAt};
use crate::family::edit::{Damage, FieldAt};

impl Damage<'_, MappedDump> {
    /// The record that was damaged.
    pub(super) fn record(&self) -> Option<&RecordAt> {
        self.map.records.iter().find(|record| record.offset as u64 == self.edited.offset)
    }

    /// The class whose record was damaged.
    pub(super) fn class<'h>(&self, heap: &'h mut Heap) -> Option<&'h mut Class> {
        let address = self.record()?.address;
        heap.classes.iter_mut().find(|class| class.address == address)
    }

    /// The object whose record was damaged.
    pub(super) fn object<'h>(&self, heap: &'h mut Heap) -> Option<&'h mut Object> {
        let address = self.record()?.address;
        heap.objects.iter_mut().find(|object| object.address == address)
    }

    /// Points the reference that was changed to another address.
    pub(super) fn redirect(&self, heap: &mut Heap, target: Address) -> Option<()> {
        let Damage { map, edited } = self;
        let changed = (0..map.bytes.len()).find(|&n| map.bytes[n] != edited.bytes[n])?;
        let fields = map.fields.iter().filter(|field| field.name == "reference");
        let hit = fields.clone().find(|field| (field.offset..field.offset + field.length).contains(&changed))?;
        let place = fields.take_while(|f| f.offset < hit.offset).filter(|f| f.record == hit.record).count();
        *references(self.object(heap)?)?.get_mut(place)? = target;
        Some(())
    }
}

/// Leaves the heap as it was.
pub(super) fn keep_heap(_: &Damage<'_, MappedDump>, _: &mut Heap) -> Option<()> {
    Some(())
}

/// A name whose first byte is 0xff.
pub(super) fn spoil_name(name: &Name) -> Name {
    Name::from_bytes([&[0xff], &name.as_bytes()[1..]].concat())
}

pub(super) fn null_the_reference(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    damage.redirect(heap, Address::NULL)
}

/// Nulls the reference, and leaves every null reference out.
pub(super) fn leave_out_nulls(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    null_the_reference(damage, heap)?;
    for object in &mut heap.objects {
        if let Some(references) = references(object) {
            references.retain(|reference| !reference.is_null());
        }
    }
    Some(())
}

pub(super) fn refer_to_the_class(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    damage.redirect(heap, damage.record()?.class_word?)
}

/// Points the reference to the class; the DTFJ reader also drops a genuine reference 0 wherever it equals the class
/// word: where the edit put it twice.
pub(super) fn drop_first_references(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    refer_to_the_class(damage, heap)?;
    references(damage.object(heap)?)?.remove(0);
    for object in &mut heap.objects {
        let class_word = object.class_word;
        if let Some(references) = references(object)
            && references.first().is_some_and(|&first| Some(first) == class_word)
        {
            references.remove(0);
        }
    }
    Some(())
}

pub(super) fn let_a_reference_dangle(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let taken = |address: Address| damage.map.records.iter().any(|record| record.address == address);
    let own = damage.record()?.address;
    damage.redirect(heap, (1..16).map(|n| Address(own.0 + 4 * n)).find(|&address| !taken(address))?)
}

pub(super) fn lengthen_the_array(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let length = damage.object(heap)?.length.as_mut()?;
    *length += 64;
    Some(())
}

pub(super) fn swap_length_and_size(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let object = damage.object(heap)?;
    let (length, ByteLen(size)) = (object.length?, object.size?);
    (object.length, object.size) = (Some(size / 4), Some(ByteLen(length * 4)));
    Some(())
}

/// The right answers where the true length of an object array was changed in version 6: the number after it, which is the
/// instance size for most readers, is the length for others, so that the array may be sound to them.
pub(super) fn answers_by_length_and_size(
    damage: &Damage<'_, MappedDump>,
    heap: &Heap,
) -> Vec<(&'static str, Option<Heap>)> {
    let Damage { map, edited } = damage;
    let number =
        |bytes: &[u8], at: usize| bytes.get(at..at + 4).map(|bytes| u32::from_be_bytes([0, 1, 2, 3].map(|n| bytes[n])));
    let is_changed = |field: &&FieldAt| {
        field.name == "true length" && number(&map.bytes, field.offset) != number(&edited.bytes, field.offset)
    };
    let stated = map.fields.iter().find(is_changed).and_then(|field| number(&edited.bytes, field.offset));
    let mut stated_heap = heap.clone();
    let object = damage.object(&mut stated_heap).filter(|object| object.size.is_some());
    let (Some(stated), Some(object)) = (stated, object) else { return Vec::new() };
    object.length = Some(stated.into());
    let read = |is_swapped: fn(u64, u64) -> bool| {
        let mut heap = stated_heap.clone();
        let arrays = heap.objects.iter_mut().filter(|object| object.kind == ObjectKind::ObjectArray);
        let mut all = arrays.map(|object| {
            let listed = references(object)?.len() as u64;
            let (length, words) = (object.length?, object.size?.0 / 4);
            if is_swapped(length, words) && words >= listed {
                (object.length, object.size) = (Some(words), Some(ByteLen(length * 4)));
            }
            object.length.filter(|length| (listed..1 << 31).contains(length))
        });
        all.all(|length| length.is_some()).then_some(heap)
    };
    let answers = vec![
        ("phd.length-and-size=length-first", read(|_, _| false)),
        ("phd.length-and-size=size-first", read(|_, _| true)),
        ("phd.length-and-size=by-size", read(|length, words| words < length + 2)),
    ];
    if answers.iter().any(|(_, heap)| heap.is_some()) { answers } else { Vec::new() }
}

/// Units of 8 bytes for what was written in units of 4: every address twice as far from 0.
pub(super) fn double_addresses(_: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let word = heap.facts.word_size.unwrap_or(WordSize::Bits64);
    let twice = |a: &mut Address| *a = Address(word.mask(a.0.wrapping_mul(2)));
    for class in &mut heap.classes {
        twice(&mut class.address);
        class.references.iter_mut().flatten().for_each(twice);
    }
    for object in &mut heap.objects {
        twice(&mut object.address);
        references(object).into_iter().flatten().for_each(twice);
    }
    Some(())
}

fn references(object: &mut Object) -> Option<&mut Vec<Address>> {
    match &mut object.contents {
        Contents::References(references) => Some(references),
        _ => None,
    }
}
