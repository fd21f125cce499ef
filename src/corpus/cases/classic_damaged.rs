//! Damaged classic texts: every named edit, made in a golden dump.

use crate::classic::rules;
use crate::corrupt::classic::{EDITS, Map};
use crate::corrupt::{Edit, Edited};
use crate::error::{Error, RuleId};
use crate::format::Format;
use crate::model::{Address, ByteLen, Class, Contents, Heap, Name, Object, ObjectKind};

use super::classic_golden::base;
use super::{Case, damaged_case};

pub(super) fn cases() -> Result<Vec<Case>, Error> {
    let (bytes, heap) = base()?;
    let map = Map::of(bytes)?;
    let made = EDITS.iter().filter_map(|edit| Some(case(edit, &map, edit.apply(&map)?, heap.clone())));
    Ok(made.collect())
}

fn case(edit: &'static Edit<Map>, map: &Map, edited: Edited, heap: Heap) -> Case {
    let stops = STOPS.contains(&edit.rule);
    damaged_case(Format::CLASSIC, "classic-openj9-32", edit, edited, stops, || expected(edit.name, map, heap))
}

/// Rules at which reading stops.
const STOPS: [RuleId; 8] = [
    rules::FILE_START,
    rules::FILE_TRUNCATED,
    rules::RECORD_START,
    rules::RECORD_TYPE,
    rules::NUMBER_HEXADECIMAL,
    rules::NUMBER_SIZE,
    rules::REFERENCE_WITHOUT_RECORD,
    rules::TRAILER_SYNTAX,
];

/// The heap that a tolerant reader finds after an edit, worked out from the heap before it.
fn expected(edit: &str, map: &Map, mut heap: Heap) -> Heap {
    let objects = heap.objects.clone();
    // The last object that nothing refers to; the last class without objects.
    let is_named = |address: Address| {
        let linked = |object: &Object| object.references().any(|to| to == address);
        let listed = |class: &Class| class.references.iter().flatten().any(|to| *to == address);
        objects.iter().any(linked) || heap.classes.iter().any(listed)
    };
    let loose = objects.iter().rposition(|object| !is_named(object.address)).unwrap_or_default();
    let is_loose = |class: &&mut Class| {
        let is_array = class.name.as_bytes().starts_with(b"[");
        !is_array && !objects.iter().any(|object| object.class_name.as_ref() == Some(&class.name))
    };
    let mut loose_classes = heap.classes.iter_mut().filter(is_loose);
    let free = Address(map.free());
    match edit {
        "drop-the-version-line" => heap.facts.version_text = None,
        "move-an-object-to-0" => heap.objects[loose].address = Address::NULL,
        "widen-an-address" => heap.objects[loose].address.0 += 1 << 32,
        "repeat-an-address" => heap.objects[loose].address = heap.objects[0].address,
        "raise-a-size" => heap.objects[0].size = Some(ByteLen(1 << 63)),
        "empty-a-name" => rename(loose_classes.next_back(), |_| Vec::new()),
        "add-a-stray-byte-to-a-name" => rename(loose_classes.next_back(), |name| [b"\xff", name].concat()),
        "break-a-name" => rename(loose_classes.next_back(), |name| [name, b"\nx"].concat()),
        "name-an-array-of-nothing" => rename(loose_classes.next_back(), |_| b"[L;".to_vec()),
        "repeat-a-name" => {
            let first = loose_classes.next().map(|class| class.name.clone()).unwrap_or_default();
            rename(loose_classes.next_back(), |_| first.as_bytes().to_vec());
        }
        "move-references" => {
            let moved = donor(&mut heap, |listed| listed.split_off(listed.len() - 2)).unwrap_or_default();
            let is_primitive = |object: &&mut Object| matches!(object.kind, ObjectKind::PrimitiveArray(_));
            if let Some(array) = heap.objects.iter_mut().find(is_primitive) {
                array.contents = Contents::References(moved);
            }
        }
        "let-a-reference-dangle" => {
            donor(&mut heap, |listed| {
                listed.pop();
                listed.push(free);
            });
        }
        "drop-trailer-2" => heap.facts.null_references = None,
        "add-a-class-behind" => heap.classes.push(Class {
            address: free,
            name: "added/Class".into(),
            class_object_size: Some(ByteLen(64)),
            references: Some(Vec::new()),
            after_objects: Some(heap.objects.len() as u64),
            ..Class::default()
        }),
        "lose-a-type" => {
            if let Some(object) = heap.objects.iter_mut().find(|object| object.kind == ObjectKind::Instance) {
                (object.class, object.class_name) = (None, Some("nobody/Known".into()));
            }
        }
        // The others change nothing that a heap tells.
        _ => {}
    }
    heap
}

fn rename(class: Option<&mut Class>, name: impl FnOnce(&[u8]) -> Vec<u8>) {
    if let Some(class) = class {
        class.name = Name::from_bytes(name(class.name.as_bytes()));
    }
}

/// Changes the references of the first object with three or more.
fn donor<T>(heap: &mut Heap, change: impl FnOnce(&mut Vec<Address>) -> T) -> Option<T> {
    let listed = heap.objects.iter_mut().find_map(|object| match &mut object.contents {
        Contents::References(listed) if listed.len() > 2 => Some(listed),
        _ => None,
    });
    listed.map(change)
}
