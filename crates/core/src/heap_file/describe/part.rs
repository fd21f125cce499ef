//! Parts of a heap: what is reachable from an object, or the objects of a class.

use std::collections::VecDeque;

use foldhash::{HashMap, HashMapExt};

use crate::error::{Error, unknown};
use crate::model::{Address, Class, Contents, Heap, Name, Object, Surroundings, Value};

use super::DescribeOptions;
use super::table::{EntryPlace, HeapTable};

/// A part of a heap.
#[derive(Clone, Debug)]
pub(super) struct HeapCutout {
    pub(super) heap: Heap,
    /// References to classes and objects that are not in the part.
    leading_out: u64,
}

impl HeapCutout {
    /// Comments that say what the part is.
    pub(super) fn comments(&self, whole: &Heap) -> Vec<String> {
        let of = |part: usize, whole: usize, what: &str| format!("{part} of {whole} {what}");
        let mut comments = vec![format!(
            "Part of a heap: {} and {}, without threads, traces and the log",
            of(self.heap.classes.len(), whole.classes.len(), "classes"),
            of(self.heap.objects.len(), whole.objects.len(), "objects")
        )];
        if self.leading_out > 0 {
            let (verb, references) =
                if self.leading_out == 1 { ("leads", "reference") } else { ("lead", "references") };
            comments.push(format!("{} {references} {verb} out of it, written as addresses", self.leading_out));
        }
        comments
    }
}

/// The part that the options ask for.
///
/// # Errors
/// If there is nothing at the address, or no class of the name.
pub(super) fn choose(heap: &Heap, options: &DescribeOptions) -> Result<HeapCutout, Error> {
    let table = HeapTable::new(heap)?;
    let mut walk = PartWalk { table: &table, steps: HashMap::new(), queue: VecDeque::new() };
    if let Some(from) = options.from {
        let place = table.place(from).ok_or_else(|| {
            Error::Usage(format!("no class or object lies at {from}; `heapsmith decode` lists the addresses of all"))
        })?;
        walk.visit(place, 0);
    }
    if let Some(wanted) = &options.class {
        let jvm = Name::from_text(wanted).to_jvm_form();
        let is_wanted = |class: &Class| class.name.to_jvm_form() == jvm;
        let classes: Vec<usize> = (0..heap.classes.len()).filter(|class| is_wanted(&heap.classes[*class])).collect();
        if classes.is_empty() {
            let names: Vec<String> = heap.classes.iter().map(|class| class.name.to_java_form().to_string()).collect();
            let names = names.iter().map(String::as_str);
            return Err(unknown("class", wanted, names, "`heapsmith decode` lists all classes"));
        }
        classes.iter().for_each(|class| walk.visit(EntryPlace::Class(*class), 0));
        for (place, object) in heap.objects.iter().enumerate() {
            let class = super::names::array_class(&table, object).or(object.class.and_then(|at| table.class_at(at)));
            if class.is_some_and(|class| classes.contains(&class)) {
                walk.visit(EntryPlace::Object(place), 0);
            }
        }
    }
    walk.follow(options.depth.unwrap_or(u64::MAX));
    Ok(walk.cut_out())
}

/// A walk along references.
struct PartWalk<'t, 'h> {
    table: &'t HeapTable<'h>,
    /// The number of references from the beginning, of what is in the part.
    steps: HashMap<Address, u64>,
    queue: VecDeque<(EntryPlace, u64)>,
}

impl PartWalk<'_, '_> {
    fn address(&self, place: EntryPlace) -> Address {
        match place {
            EntryPlace::Class(class) => self.table.heap.classes[class].address,
            EntryPlace::Object(object) => self.table.heap.objects[object].address,
        }
    }

    fn visit(&mut self, place: EntryPlace, steps: u64) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.steps.entry(self.address(place)) {
            entry.insert(steps);
            self.queue.push_back((place, steps));
        }
    }

    fn follow(&mut self, depth: u64) {
        while let Some((place, steps)) = self.queue.pop_front() {
            // The characters of a String belong to it.
            let is_string = matches!(place, EntryPlace::Object(object) if self.is_string(object));
            let next = if is_string { steps } else { steps.saturating_add(1) };
            if next > depth {
                continue;
            }
            for to in self.references(place) {
                if let Some(place) = self.table.place(to) {
                    self.visit(place, next);
                }
            }
        }
        self.visit_classes();
    }

    fn is_string(&self, object: usize) -> bool {
        let class = self.table.heap.objects[object].class.and_then(|class| self.table.class_at(class));
        class.is_some_and(|class| self.table.heap.classes[class].name.to_jvm_form() == "java/lang/String".into())
    }

    fn references(&self, place: EntryPlace) -> Vec<Address> {
        match place {
            EntryPlace::Object(object) => self.table.heap.objects[object].references().collect(),
            EntryPlace::Class(class) => {
                let class = &self.table.heap.classes[class];
                let statics = class.statics.iter().flatten().filter_map(|own| own.value.as_reference());
                let listed = class.references.iter().flatten().copied();
                statics.chain(listed).filter(|to| !to.is_null()).collect()
            }
        }
    }

    /// Adds the classes without which the objects cannot be laid out, with those above them, and the classes of elements.
    fn visit_classes(&mut self) {
        let mut wanted: Vec<Address> = Vec::new();
        for object in self.table.heap.objects.iter().filter(|object| self.steps.contains_key(&object.address)) {
            wanted.extend(object.class);
            wanted.extend(object.class_word);
            let array = super::names::array_class(self.table, object);
            wanted.extend(array.map(|class| self.table.heap.classes[class].address));
        }
        wanted.extend(self.steps.keys().copied().filter(|address| self.table.class_at(*address).is_some()));
        let mut next = wanted.into_iter().filter_map(|class| self.table.class_at(class)).collect::<Vec<usize>>();
        let mut seen = vec![false; self.table.heap.classes.len()];
        while let Some(place) = next.pop() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            let class = &self.table.heap.classes[place];
            self.steps.entry(class.address).or_insert(u64::MAX);
            next.extend(self.table.hierarchy.superclass(place));
            let interfaces = class.interfaces.iter().flatten();
            next.extend(interfaces.filter_map(|interface| self.table.class_at(*interface)));
            let name = self.table.name(place).as_bytes();
            let element = name.strip_prefix(b"[L").and_then(|rest| rest.strip_suffix(b";"));
            let element = element.or_else(|| name.strip_prefix(b"[").filter(|rest| rest.starts_with(b"[")));
            next.extend(element.and_then(|element| self.table.class_named(&Name::from_bytes(element))));
        }
    }

    fn cut_out(self) -> HeapCutout {
        let whole = self.table.heap;
        let is_kept = |address: Address| self.steps.contains_key(&address);
        let classes: Vec<Class> = whole.classes.iter().filter(|class| is_kept(class.address)).cloned().collect();
        let objects: Vec<Object> = whole.objects.iter().filter(|object| is_kept(object.address)).cloned().collect();
        let mut leading_out = 0;
        let mut count = |to: Address| {
            leading_out += u64::from(!to.is_null() && !is_kept(to) && self.table.place(to).is_some());
        };
        for object in &objects {
            match &object.contents {
                Contents::Fields(values) => {
                    values.iter().filter_map(|value: &Value| value.as_reference()).for_each(&mut count)
                }
                _ => object.references().for_each(&mut count),
            }
        }
        for class in &classes {
            let mut class = class.clone();
            crate::model::visit::class(&mut class, &mut |to| count(*to));
        }
        let roots = whole.surroundings.roots.as_ref();
        let roots = roots.map(|roots| roots.iter().filter(|root| is_kept(root.object)).copied().collect());
        let mut facts = whole.facts.clone();
        (facts.totals, facts.null_references) = (None, None);
        let surroundings = Surroundings { roots, ..Surroundings::default() };
        HeapCutout { heap: Heap { facts, classes, objects, surroundings }, leading_out }
    }
}
