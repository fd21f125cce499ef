//! The effects of edits on the heap that a reader finds.

use crate::model::{Address, ByteLen, Class, Contents, Heap, Name, Object, ObjectKind};

use super::map::MappedDump;
use crate::family::edit::Damage;

/// The last object that nothing refers to.
pub(super) fn unreferenced_object(heap: &mut Heap) -> Option<&mut Object> {
    let named = |address: Address| {
        let linked = |object: &Object| object.references().any(|to| to == address);
        let listed = |class: &Class| class.references.iter().flatten().any(|to| *to == address);
        heap.objects.iter().any(linked) || heap.classes.iter().any(listed)
    };
    let index = heap.objects.iter().rposition(|object| !named(object.address))?;
    heap.objects.get_mut(index)
}

/// Renames the last class without objects; the new name is made from the first such class's name and its own.
pub(super) fn rename_unused_class(heap: &mut Heap, name: impl FnOnce(&[u8], &[u8]) -> Vec<u8>) -> Option<()> {
    let Heap { objects, classes, .. } = heap;
    let is_loose = |class: &&mut Class| {
        let is_array = class.name.as_bytes().starts_with(b"[");
        !is_array && !objects.iter().any(|object| object.class_name.as_ref() == Some(&class.name))
    };
    let mut loose: Vec<&mut Class> = classes.iter_mut().filter(is_loose).collect();
    let first = loose.first()?.name.clone();
    let last = loose.last_mut()?;
    last.name = Name::from_bytes(name(first.as_bytes(), last.name.as_bytes()));
    Some(())
}

/// The references of the first object with three or more.
pub(super) fn references_of_donor(heap: &mut Heap) -> Option<&mut Vec<Address>> {
    heap.objects.iter_mut().find_map(|object| match &mut object.contents {
        Contents::References(listed) if listed.len() > 2 => Some(listed),
        _ => None,
    })
}

pub(super) fn move_references(_: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let listed = references_of_donor(heap)?;
    let moved = listed.split_off(listed.len() - 2);
    let is_primitive = |object: &&mut Object| matches!(object.kind, ObjectKind::PrimitiveArray(_));
    heap.objects.iter_mut().find(is_primitive)?.contents = Contents::References(moved);
    Some(())
}

pub(super) fn repeat_an_address(_: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let first = heap.objects.first()?.address;
    unreferenced_object(heap)?.address = first;
    Some(())
}

pub(super) fn add_a_class(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    heap.classes.push(Class {
        address: Address(damage.map.unused_address()),
        name: "added/Class".into(),
        class_object_size: Some(ByteLen(64)),
        references: Some(Vec::new()),
        after_objects: Some(heap.objects.len() as u64),
        ..Class::default()
    });
    Some(())
}

pub(super) fn lose_a_type(_: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let object = heap.objects.iter_mut().find(|object| object.kind == ObjectKind::Instance)?;
    (object.class, object.class_name) = (None, Some("no/SuchClass".into()));
    Some(())
}
