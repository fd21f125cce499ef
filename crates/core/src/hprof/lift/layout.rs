//! The layout of instances' fields.

use std::cell::Cell;
use std::sync::Arc;

use foldhash::HashMap;

use crate::hprof::wire::{IdSize, size_of};
use crate::model::{Address, FieldType, Value, count_step};

/// The instance layouts of a heap's classes, and of those that earlier heaps have and this one does not.
///
/// The heaps of a file share one table, in which a class keeps only its own fields and where its superclass is: memory
/// is that of the CLASS DUMPs. The superclass is the one that the class's own heap knows by that address, so a later
/// heap that has the superclass again changes nothing below it.
#[derive(Clone, Debug)]
pub struct InstanceLayouts {
    id: IdSize,
    classes: Arc<[ClassLayout]>,
    places: Arc<ClassLookup>,
    /// The heap; classes of later ones are unknown to it.
    heap: usize,
    /// The classes asked for lately, each at a place that its address gives: most instances come in runs of a few
    /// classes, and hashing costs more than reading their fields. A heap without objects has none.
    recent: Box<[RecentClass]>,
}

/// A class and its place in the table.
pub(super) type RecentClass = Cell<(Address, Option<usize>)>;

#[derive(Debug)]
struct ClassLayout {
    heap: usize,
    own: Box<[FieldType]>,
    /// The fields of the class and all its superclasses in one list, where it is not long.
    all: Option<FlatLayout>,
    /// The nearest superclass that declares fields.
    superclass: Option<usize>,
    /// Bytes of an instance; `None` if a superclass is missing or the chain of them never ends.
    bytes: Option<u64>,
}

/// The places of the classes of an address in the table.
#[derive(Debug, Default)]
struct ClassLookup {
    last: HashMap<Address, usize>,
    /// The ones before the last, by address, with their heaps and in the order of the table.
    before: Vec<(Address, usize, usize)>,
}

impl ClassLookup {
    /// The last class of an address up to the end of a heap.
    fn find(&self, class: Address, heap: usize, classes: &[ClassLayout]) -> Option<usize> {
        let &last = self.last.get(&class)?;
        if classes[last].heap <= heap {
            return Some(last);
        }
        let up_to = self.before.partition_point(|&(address, of, _)| (address, of) <= (class, heap));
        let &(address, _, place) = self.before[..up_to].last()?;
        (address == class).then_some(place)
    }
}

/// The fields of a class and its superclasses in one list.
#[derive(Debug)]
struct FlatLayout {
    fields: Box<[FieldLayout]>,
    /// The number of leading fields that have eight bytes of the instance from their own first one on.
    early: usize,
}

/// The position of a field among an instance's bytes.
#[derive(Clone, Copy, Debug)]
struct FieldLayout {
    kind: FieldType,
    /// Bits of eight bytes that are not the field's.
    unused: u8,
    offset: u16,
}

/// The layouts of all classes of a file.
#[derive(Debug)]
pub(super) struct FileLayouts {
    id: IdSize,
    classes: Arc<[ClassLayout]>,
    places: Arc<ClassLookup>,
}

impl FileLayouts {
    /// The layouts of classes in the order of the file, each with its heap, its superclass and its own fields; of
    /// several with one address in a heap the last counts.
    pub(super) fn new(
        id: IdSize,
        of_file: impl Iterator<Item = (usize, Address, Address, Box<[FieldType]>)>,
    ) -> FileLayouts {
        let (mut classes, mut supers) = (Vec::<ClassLayout>::new(), Vec::new());
        let mut places = ClassLookup::default();
        for (heap, class, superclass, own) in of_file {
            if let Some(before) = places.last.insert(class, classes.len()) {
                places.before.push((class, classes[before].heap, before));
            }
            classes.push(ClassLayout { heap, own, all: None, superclass: None, bytes: None });
            supers.push(superclass);
        }
        places.before.sort_unstable();
        lay_out(&mut classes, &supers, &places, id);
        FileLayouts { id, classes: classes.into(), places: Arc::new(places) }
    }

    /// The layouts that a heap with this number of objects knows.
    pub(super) fn heap_layouts(&self, heap: usize, objects: u64) -> InstanceLayouts {
        // A file may have thousands of heaps with an object or two.
        let wanted = objects.min(self.classes.len() as u64) as usize;
        let slots = if wanted == 0 { 0 } else { wanted.next_power_of_two().clamp(2, RECENT) };
        InstanceLayouts {
            id: self.id,
            classes: Arc::clone(&self.classes),
            places: Arc::clone(&self.places),
            heap,
            recent: vec![Cell::new((Address::NULL, None)); slots].into(),
        }
    }
}

fn lay_out(classes: &mut [ClassLayout], supers: &[Address], places: &ClassLookup, id: IdSize) {
    // 0 unseen, 1 on the way, 2 done: a chain that comes back to itself has no length.
    let mut state = vec![0u8; supers.len()];
    for start in 0..supers.len() {
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|&at| state[at] == 0) {
            count_step();
            state[at] = 1;
            chain.push(at);
            // 0 is no class, even where a class has that identifier.
            let superclass = Some(supers[at]).filter(|superclass| !superclass.is_null());
            next = superclass.and_then(|superclass| places.find(superclass, classes[at].heap, classes));
            classes[at].superclass = next;
        }
        let mut inherited = match next {
            Some(known) if state[known] == 2 => classes[known].bytes,
            Some(_) => None,
            None => chain.last().is_none_or(|&top| supers[top].is_null()).then_some(0),
        };
        for &at in chain.iter().rev() {
            let own: u64 = classes[at].own.iter().map(|&kind| size_of(kind, id) as u64).sum();
            inherited = inherited.map(|bytes| bytes + own);
            classes[at].bytes = inherited;
            // An instance has the values of few classes, however many there are above it.
            if let Some(above) = classes[at].superclass.filter(|&above| classes[above].own.is_empty()) {
                classes[at].superclass = classes[above].superclass;
            }
            classes[at].all = flat_layout(classes, at, id);
            state[at] = 2;
        }
    }
}

fn flat_layout(classes: &[ClassLayout], at: usize, id: IdSize) -> Option<FlatLayout> {
    let layout = &classes[at];
    let bytes = layout.bytes?;
    let inherited: &[FieldLayout] = match layout.superclass {
        None => &[],
        Some(superclass) => &classes[superclass].all.as_ref()?.fields,
    };
    if layout.own.len() + inherited.len() > FLAT {
        return None;
    }
    let kinds = layout.own.iter().copied().chain(inherited.iter().map(|laid| laid.kind));
    let mut offset = 0;
    let laid = kinds.map(|kind| {
        let (size, at) = (size_of(kind, id) as u16, offset);
        offset += size;
        FieldLayout { kind, unused: 64 - 8 * size as u8, offset: at }
    });
    let fields: Box<[FieldLayout]> = laid.collect();
    let early = fields.partition_point(|laid| u64::from(laid.offset) + 8 <= bytes);
    Some(FlatLayout { fields, early })
}

impl InstanceLayouts {
    /// The layouts of the classes of one heap, each with its superclass and its own fields; of several with one
    /// address the last counts.
    pub fn new<'c>(
        id: IdSize,
        classes: impl Iterator<Item = (Address, Address, Box<[FieldType]>)> + 'c,
    ) -> InstanceLayouts {
        let of_file = classes.map(|(class, superclass, own)| (0, class, superclass, own));
        FileLayouts::new(id, of_file).heap_layouts(0, u64::MAX)
    }

    #[inline]
    fn place(&self, class: Address) -> Option<usize> {
        // Of no slots, the place is beyond the end.
        let shift = 64 - (self.recent.len() as u64).trailing_zeros();
        let slot = self.recent.get((class.0.wrapping_mul(SPREAD) >> shift) as usize);
        if let Some((known, place)) = slot.map(Cell::get)
            && known == class
            && place.is_some()
        {
            return place;
        }
        let place = self.places.find(class, self.heap, &self.classes);
        if let Some(slot) = slot {
            slot.set((class, place));
        }
        place
    }

    /// Bytes of an instance's fields, where the class and all its superclasses are known.
    #[inline]
    pub fn instance_bytes(&self, class: Address) -> Option<u64> {
        self.classes[self.place(class)?].bytes
    }

    /// Whether the class is known.
    pub fn knows(&self, class: Address) -> bool {
        self.places.find(class, self.heap, &self.classes).is_some()
    }

    /// Calls `visit` with every field value of an instance, in the order of the record; `false`, without a
    /// call, if the class's fields do not have as many bytes.
    #[inline]
    pub fn visit_values(&self, class: Address, values: &[u8], mut visit: impl FnMut(Value)) -> bool {
        let Some(class) = self.place(class) else { return false };
        let layout = &self.classes[class];
        if layout.bytes != Some(values.len() as u64) {
            return false;
        }
        if let (Some(all), Some(last)) = (&layout.all, values.len().checked_sub(8)) {
            // Eight bytes at once, whatever the field's size: sizes alternate, and a branch on them is mispredicted.
            // The last fields, which fewer bytes follow, come out of the last eight bytes.
            let (early, late) = all.fields.split_at(all.early);
            for laid in early {
                let Some(chunk) = values[usize::from(laid.offset)..].first_chunk() else { return false };
                visit(Value { kind: laid.kind, bits: u64::from_be_bytes(*chunk) >> laid.unused });
            }
            let Some(chunk) = values.last_chunk() else { return false };
            let chunk = u64::from_be_bytes(*chunk);
            for laid in late {
                let bits = chunk << (8 * (usize::from(laid.offset) - last)) >> laid.unused;
                visit(Value { kind: laid.kind, bits });
            }
            return true;
        }
        let mut rest = values;
        let mut next = Some(class);
        while let Some(at) = next {
            count_step();
            let layout = &self.classes[at];
            for &kind in &layout.own {
                let Some((field, after)) = rest.split_at_checked(size_of(kind, self.id)) else { return false };
                visit(Value { kind, bits: bits(field) });
                rest = after;
            }
            next = layout.superclass;
        }
        true
    }

    /// The places of an instance's classes among all classes of the file, from its own up to the root: its own, and of its
    /// superclasses those that declare fields.
    pub fn class_chain(&self, class: Address) -> impl Iterator<Item = usize> + '_ {
        let mut next = self.place(class).filter(|&at| self.classes[at].bytes.is_some());
        std::iter::from_fn(move || {
            let at = next?;
            next = self.classes[at].superclass;
            Some(at)
        })
    }

    /// The types of the fields that a class itself declares, by its place among those of the file.
    pub fn declared_types(&self, place: usize) -> &[FieldType] {
        &self.classes[place].own
    }
}

/// Classes that are kept at hand at most; a power of two.
pub(super) const RECENT: usize = 256;
/// Spreads addresses, which are multiples of 8, over their upper bits (2^64 divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Longest list of fields that is kept in one piece, so that memory stays that of the CLASS DUMPs.
const FLAT: usize = 64;

#[inline]
fn bits(field: &[u8]) -> u64 {
    match *field {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_be_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_be_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
        _ => field.iter().fold(0, |value, b| value << 8 | u64::from(*b)),
    }
}
