//! Simpler names, texts and numbers.

use std::collections::{BTreeSet, HashMap};

use heapsmith_core::model::{Address, ByteLen, Contents, Heap, Name, ObjectKind, PrimitiveType, StackFrame, visit};

/// A heap whose classes, fields and threads have names of one or a few letters. Names of arrays and primitive types
/// keep their meaning, and texts of the log stay.
pub(super) fn shorten_names(heap: &Heap) -> Heap {
    let mut heap = heap.clone();
    if heap.surroundings.events.is_some() {
        return heap;
    }
    let names: BTreeSet<Name> = heap
        .classes
        .iter()
        .map(|class| &class.name)
        .chain(heap.objects.iter().filter_map(|o| o.class_name.as_ref()))
        .cloned()
        .collect();
    let mut new: HashMap<Name, Name> = HashMap::new();
    for name in names.iter().filter(|name| is_plain(name)) {
        let short = letter_name(new.len());
        new.insert(name.clone(), short);
    }
    let renamed = |name: &Name| renamed(name, &new);
    for class in &mut heap.classes {
        class.name = renamed(&class.name);
        let fields = class.fields.iter_mut().flatten().map(|field| &mut field.name);
        let statics = class.statics.iter_mut().flatten().map(|field| &mut field.name);
        fields.chain(statics).for_each(|name| *name = "a".into());
    }
    for object in &mut heap.objects {
        object.class_name = object.class_name.as_ref().map(renamed);
    }
    for thread in heap.surroundings.threads.iter_mut().flatten() {
        thread.name = thread.name.as_ref().map(|_| "a".into());
    }
    for trace in heap.surroundings.traces.iter_mut().flatten() {
        let plain = |frame: &StackFrame| StackFrame {
            method: "a".into(),
            signature: "a".into(),
            source: frame.source.as_ref().map(|_| "a".into()),
            ..frame.clone()
        };
        trace.frames = trace.frames.iter().map(plain).collect();
    }
    heap
}

/// Whether a name is neither that of an array nor that of a primitive type, in either form.
fn is_plain(name: &Name) -> bool {
    let bytes = name.as_bytes();
    let is_primitive = PrimitiveType::ALL.into_iter().any(|primitive| bytes == primitive.keyword().as_bytes());
    !is_primitive && !bytes.starts_with(b"[") && !bytes.ends_with(b"]") && bytes != b"void"
}

/// The new name of a name; of an array, by the new name of its component.
fn renamed(name: &Name, new: &HashMap<Name, Name>) -> Name {
    if let Some(new) = new.get(name) {
        return new.clone();
    }
    let bytes = name.as_bytes();
    let (begin, end) = match bytes.iter().position(|byte| *byte != b'[') {
        Some(depth) if depth > 0 && bytes[depth] == b'L' && bytes.ends_with(b";") => (depth + 1, bytes.len() - 1),
        _ => (0, bytes.iter().position(|byte| *byte == b'[').unwrap_or(bytes.len())),
    };
    match new.get(&Name::from_bytes(&bytes[begin..end])) {
        Some(new) => Name::from_bytes([&bytes[..begin], new.as_bytes(), &bytes[end..]].concat()),
        None => name.clone(),
    }
}

fn letter_name(mut number: usize) -> Name {
    let mut text = Vec::new();
    loop {
        text.insert(0, b'A' + (number % 26) as u8);
        number /= 26;
        if number == 0 {
            return Name::from_bytes(text);
        }
        number -= 1;
    }
}

/// A heap without optional facts of its header.
pub(super) fn plain_facts(heap: &Heap) -> Heap {
    let mut heap = heap.clone();
    heap.facts.version_text = heap.facts.version_text.take().map(|_| Name::from_bytes(Vec::new()));
    heap.facts.timestamp = heap.facts.timestamp.map(|_| 0);
    heap.surroundings.times = heap.surroundings.times.map(|_| (0, 0));
    heap
}

/// A heap whose identifiers have 4 bytes instead of 1 or 2; `None` for others.
pub(super) fn with_usual_width(heap: &Heap) -> Option<Heap> {
    heap.facts.identifier_size.filter(|size| size.0 < 4)?;
    let mut heap = heap.clone();
    heap.facts.identifier_size = Some(ByteLen(4));
    Some(heap)
}

/// A heap whose addresses are low numbers, in their order.
pub(super) fn with_low_addresses(heap: &Heap) -> Heap {
    let mut heap = heap.clone();
    if heap.surroundings.events.is_some() {
        return heap;
    }
    let mut all = BTreeSet::new();
    visit_addresses(&mut heap, &mut |address| _ = all.insert(*address));
    all.remove(&Address::NULL);
    let new: HashMap<Address, Address> = all.into_iter().zip((1..).map(|number: u64| Address(number * 8))).collect();
    visit_addresses(&mut heap, &mut |address| *address = new.get(address).copied().unwrap_or(*address));
    heap
}

/// Calls `each` with every address of a heap without a log.
fn visit_addresses(heap: &mut Heap, each: &mut dyn FnMut(&mut Address)) {
    heap.classes.iter_mut().for_each(|class| visit::class(class, each));
    heap.objects.iter_mut().for_each(|object| visit::object(object, each));
    // JNI references stay as they are.
    let around = &mut heap.surroundings;
    around.roots.iter_mut().flatten().for_each(|root| each(&mut root.object));
    around.threads.iter_mut().flatten().for_each(|thread| each(&mut thread.object));
    for trace in around.traces.iter_mut().flatten() {
        let moved = |frame: &StackFrame| {
            let mut frame = frame.clone();
            frame.class.iter_mut().for_each(&mut *each);
            frame
        };
        trace.frames = trace.frames.iter().map(moved).collect();
    }
}

/// A heap without traces of the program's data: texts of a log, contents of arrays of characters and bytes.
pub(super) fn anonymised(heap: &Heap) -> Heap {
    let mut heap = heap.clone();
    heap.surroundings.events = None;
    let mut heap = shorten_names(&heap);
    for object in &mut heap.objects {
        let is_text = matches!(object.kind, ObjectKind::PrimitiveArray(PrimitiveType::Char | PrimitiveType::Byte));
        match &mut object.contents {
            Contents::Primitives(bytes) if is_text => bytes.fill(0),
            Contents::Raw(bytes) => bytes.fill(0),
            _ => {}
        }
    }
    heap
}
