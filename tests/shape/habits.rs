//! Habits of a writer that show in every one of its dumps, whatever the heap.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use heapsmith::model::{Address, RootKind};

use super::{HeapShape, Shape};

/// Each habit with all that the dump shows of it.
pub(crate) type Habits = BTreeMap<&'static str, BTreeSet<String>>;

/// The habits that a dump shows.
pub(crate) fn of(shape: &Shape) -> Habits {
    let mut habits = Habits::new();
    let mut show = |habit, what: String| _ = habits.entry(habit).or_default().insert(what);
    show("order of records", records(shape));
    show("dump records", dump_records(shape));
    for heap in &shape.heaps {
        show("order of sub-records", heap.runs.iter().map(|(run, _)| *run).collect());
        show("order of roots", roots(heap));
        let known = Known::of(shape, heap);
        for (_, object, kind) in &heap.roots {
            match kind {
                RootKind::ThreadObject(thread, trace) => {
                    show("thread objects", known.thread(*object).to_owned());
                    show("traces of threads", relation(thread.0, trace.0));
                }
                RootKind::StickyClass => show("sticky classes", known.sticky(*object)),
                _ => {}
            }
        }
        for class in &heap.classes {
            let signers = match class.signers {
                Address(0) => continue,
                signers if heap.object_arrays.contains(&signers) => "an array of objects",
                _ => "something else",
            };
            show("signers, where there are any", signers.to_owned());
        }
        if heap.classes.iter().any(|class| !class.protection_domain.is_null()) {
            show("protection domains", "told".to_owned());
        }
        let primitive = |class: &&str| PRIMITIVE.contains(class);
        let names: Vec<&str> = heap.classes.iter().map(|class| known.names[&class.id].as_str()).collect();
        let of_primitives = names.iter().filter(|name| primitive(name)).count();
        show("class dumps of primitive types", (of_primitives > 0).to_string());
        if heap.classes.iter().any(|class| class.reserved != [0; 2]) {
            show("reserved identifiers", "not 0".to_owned());
        }
        if heap.classes.iter().any(|class| !class.constant_pool.is_empty()) {
            show("constant pools", "told".to_owned());
        }
        show("classes and their superclasses", known.superclasses());
        for place in arrays(&names) {
            show("arrays and their elements' classes", place);
        }
        show("arrays of primitive types", last(&names));
        show("sticky classes in the order of classes", sticky_order(heap));
    }
    habits
}

const PRIMITIVE: [&str; 9] = ["boolean", "byte", "char", "short", "int", "long", "float", "double", "void"];

/// Tags of records: frames and traces of threads, with the strings that stand among them, as one. A dump that begins with
/// CONTROL SETTINGS is a log of what happened.
fn records(shape: &Shape) -> String {
    let mut spelled: Vec<String> = Vec::new();
    let is_log = shape.records.first().is_some_and(|(tag, _)| *tag == 0x0e);
    for (tag, _) in &shape.records {
        let traces = spelled.iter().any(|tag| tag == "02") && matches!(tag, 0x01 | 0x04 | 0x05);
        let next = match tag {
            0x01..=0x05 | 0x0a | 0x0b if is_log => "log".to_owned(),
            _ if traces => "traces".to_owned(),
            tag => format!("{tag:02x}"),
        };
        if spelled.last() != Some(&next) {
            spelled.push(next);
        }
    }
    spelled.join(" ")
}

fn dump_records(shape: &Shape) -> String {
    let ends = shape.records.last().is_some_and(|(tag, _)| *tag == 0x2c);
    let tags: BTreeSet<u8> =
        shape.records.iter().map(|(tag, _)| *tag).filter(|tag| matches!(tag, 0x0c | 0x1c)).collect();
    let empty = shape.segments.contains(&0);
    format!("{tags:02x?}, ended: {ends}, empty ones: {empty}")
}

/// Kinds of roots in their order: threads with their locals as one group. Kinds that a heap need not have are no habit,
/// but their place is.
fn roots(heap: &HeapShape) -> String {
    let mut spelled: Vec<String> = Vec::new();
    let mut at: Option<(u32, i64)> = None;
    for (tag, _, kind) in &heap.roots {
        let next = match (kind, at) {
            (RootKind::ThreadObject(thread, _), _) => {
                at = Some((thread.0, i64::MIN));
                "threads".to_owned()
            }
            (RootKind::JavaFrame(thread, frame) | RootKind::JniLocal(thread, frame), Some((of, last)))
                if thread.0 == of && i64::from(*frame) >= last =>
            {
                at = Some((of, (*frame).into()));
                "threads".to_owned()
            }
            (RootKind::JavaFrame(..) | RootKind::JniLocal(..), _) => {
                at = None;
                "locals".to_owned()
            }
            _ => format!("{tag:02x}"),
        };
        if spelled.last() != Some(&next) {
            spelled.push(next);
        }
    }
    spelled.join(" ")
}

fn relation(thread: u32, trace: u32) -> String {
    if trace == thread.wrapping_add(1) { "its number and one".to_owned() } else { format!("{trace}") }
}

/// What a dump says of the classes that roots name.
struct Known<'s> {
    heap: &'s HeapShape,
    names: HashMap<Address, String>,
    supers: HashMap<Address, Address>,
    loaders: HashMap<Address, Address>,
}

impl<'s> Known<'s> {
    fn of(shape: &Shape, heap: &'s HeapShape) -> Known<'s> {
        Known {
            heap,
            names: heap.classes.iter().map(|class| (class.id, shape.name(class.id))).collect(),
            supers: heap.classes.iter().map(|class| (class.id, class.superclass)).collect(),
            loaders: heap.classes.iter().map(|class| (class.id, class.loader)).collect(),
        }
    }

    fn thread(&self, object: Address) -> &'static str {
        if object.is_null() {
            return "no object";
        }
        let mut class = self.heap.instances.get(&object).copied();
        for _ in 0..self.supers.len() {
            match class.and_then(|class| self.names.get(&class)) {
                Some(name) if name == "java/lang/Thread" => return "instances of java/lang/Thread",
                _ => class = class.and_then(|class| self.supers.get(&class)).copied(),
            }
        }
        "something else"
    }

    fn sticky(&self, object: Address) -> String {
        let Some(name) = self.names.get(&object) else { return "no class".to_owned() };
        let array = if name.starts_with('[') { "array classes" } else { "classes" };
        let boot = self.loaders.get(&object).is_some_and(|loader| loader.is_null());
        format!("{array} of {} loader", if boot { "the boot" } else { "another" })
    }

    /// How superclasses stand to classes that are no arrays.
    fn superclasses(&self) -> String {
        let places: HashMap<Address, usize> =
            self.heap.classes.iter().enumerate().map(|(at, class)| (class.id, at)).collect();
        let plain = self.heap.classes.iter().enumerate();
        let plain = plain.filter(|(_, class)| !self.names[&class.id].starts_with('['));
        let after: BTreeSet<bool> =
            plain.filter_map(|(at, class)| places.get(&class.superclass).map(|superclass| *superclass > at)).collect();
        match after.iter().collect::<Vec<_>>()[..] {
            [true] => "superclasses follow",
            [false] => "superclasses stand before",
            _ => "both",
        }
        .to_owned()
    }
}

/// Whether an array's class follows those of its element and of fewer dimensions at once.
fn arrays(names: &[&str]) -> BTreeSet<String> {
    let plain: BTreeSet<&str> = names.iter().copied().filter(|name| !name.starts_with('[')).collect();
    let mut before = "";
    let mut found = BTreeSet::new();
    for name in names {
        if let Some(element) = name.strip_prefix('[') {
            let element = element.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(element);
            let innermost = name.trim_start_matches('[');
            let innermost = innermost.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
            if innermost.is_some_and(|innermost| plain.contains(innermost)) {
                let follows = if before == element { "at once" } else { "elsewhere" };
                found.insert(follows.to_owned());
            }
        }
        before = name;
    }
    // One that stands elsewhere is enough.
    if found.len() > 1 { BTreeSet::from(["elsewhere".to_owned()]) } else { found }
}

/// Whether the classes of primitive arrays follow all that are no arrays.
fn last(names: &[&str]) -> String {
    let is_primitive_array = |name: &&str| name.len() == 2 && name.starts_with('[');
    let place = names.iter().position(is_primitive_array).unwrap_or(names.len());
    let all_follow = names[place..].iter().all(|name| name.starts_with('['));
    if all_follow { "last" } else { "among the others" }.to_owned()
}

fn sticky_order(heap: &HeapShape) -> String {
    let places: HashMap<Address, usize> = heap.classes.iter().enumerate().map(|(at, class)| (class.id, at)).collect();
    let sticky = heap.roots.iter().filter(|(_, _, kind)| *kind == RootKind::StickyClass);
    let sticky: Vec<usize> = sticky.filter_map(|(_, object, _)| places.get(object).copied()).collect();
    sticky.is_sorted().to_string()
}

/// What a dump of another heap shows that this writer's dumps do not. Of an order, parts may be missing.
pub(crate) fn foreign(of_writer: &Habits, ours: &Habits) -> Vec<(&'static str, String)> {
    let none = BTreeSet::new();
    let mut found = Vec::new();
    for (&habit, shown) in ours {
        let known = of_writer.get(habit).unwrap_or(&none);
        let is_known = |what: &str| match habit {
            "order of roots" => what.is_empty() || known.iter().any(|whole| is_part(what.split(' '), whole.split(' '))),
            "order of sub-records" => known.iter().any(|whole| is_part(what.chars(), whole.chars())),
            _ => known.contains(what),
        };
        let foreign: Vec<&String> = shown.iter().filter(|what| !is_known(what)).collect();
        if !foreign.is_empty() {
            found.push((habit, format!("{foreign:?} and not {known:?}")));
        }
    }
    found
}

/// Whether a list is another one with some of its items left out.
fn is_part<T: PartialEq>(mut part: impl Iterator<Item = T>, mut whole: impl Iterator<Item = T>) -> bool {
    part.all(|item| whole.any(|other| other == item))
}
