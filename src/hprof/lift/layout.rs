//! How the fields of instances are laid out.

use std::cell::Cell;
use std::collections::HashMap;

use crate::model::{Address, FieldType, Value};

use super::super::wire::{IdSize, size_of};

/// The instance layouts of a heap's classes.
///
/// A class keeps only its own fields and where its superclass is, so memory is that of the CLASS DUMPs.
#[derive(Clone, Debug)]
pub struct Layouts {
    id: IdSize,
    by_class: HashMap<Address, usize>,
    classes: Vec<ClassLayout>,
    /// The classes asked for lately, each at a place that its address gives: most instances come in runs of a few
    /// classes, and hashing costs more than reading their fields.
    recent: Box<[Slot]>,
}

/// A class and its place in the table.
type Slot = Cell<(Address, Option<usize>)>;

#[derive(Clone, Debug)]
struct ClassLayout {
    address: Address,
    own: Box<[FieldType]>,
    /// The fields of the class and all its superclasses in one list, where it is not long.
    all: Option<Box<[Laid]>>,
    superclass: Option<usize>,
    /// Bytes of an instance; `None` if a superclass is missing or the chain of them never ends.
    bytes: Option<u64>,
}

/// Where a field stands among an instance's bytes.
#[derive(Clone, Copy, Debug)]
struct Laid {
    kind: FieldType,
    /// Bits of eight bytes that are not the field's.
    unused: u8,
    offset: u16,
}

impl Layouts {
    /// The layouts of classes, each with its superclass and its own fields; of several with one address the
    /// last counts.
    pub fn new<'c>(id: IdSize, classes: impl Iterator<Item = (Address, Address, Box<[FieldType]>)> + 'c) -> Layouts {
        let mut layouts = Layouts { id, by_class: HashMap::new(), classes: Vec::new(), recent: Box::default() };
        let mut supers = Vec::new();
        for (class, superclass, own) in classes {
            layouts.by_class.insert(class, layouts.classes.len());
            layouts.classes.push(ClassLayout { address: class, own, all: None, superclass: None, bytes: None });
            supers.push(superclass);
        }
        // 0 unseen, 1 on the way, 2 done: a chain that comes back to itself has no length.
        let mut state = vec![0u8; supers.len()];
        for start in 0..supers.len() {
            let mut chain = Vec::new();
            let mut next = Some(start);
            while let Some(at) = next.filter(|&at| state[at] == 0) {
                state[at] = 1;
                chain.push(at);
                // 0 is no class, even where a class has that identifier.
                layouts.classes[at].superclass =
                    layouts.by_class.get(&supers[at]).copied().filter(|_| !supers[at].is_null());
                next = layouts.classes[at].superclass;
            }
            let mut inherited = match next {
                Some(known) if state[known] == 2 => layouts.classes[known].bytes,
                Some(_) => None,
                None => chain.last().is_none_or(|&top| supers[top].is_null()).then_some(0),
            };
            for &at in chain.iter().rev() {
                let own: u64 = layouts.classes[at].own.iter().map(|&kind| size_of(kind, id) as u64).sum();
                inherited = inherited.map(|bytes| bytes + own);
                layouts.classes[at].bytes = inherited;
                layouts.classes[at].all = layouts.flat(at);
                state[at] = 2;
            }
        }
        // A file may have thousands of heaps with a class or two.
        let slots = layouts.classes.len().next_power_of_two().clamp(2, RECENT);
        layouts.recent = vec![Cell::new((Address::NULL, None)); slots].into();
        layouts
    }

    fn flat(&self, at: usize) -> Option<Box<[Laid]>> {
        let layout = &self.classes[at];
        layout.bytes?;
        let inherited: &[Laid] = match layout.superclass {
            None => &[],
            Some(superclass) => self.classes[superclass].all.as_deref()?,
        };
        if layout.own.len() + inherited.len() > FLAT {
            return None;
        }
        let kinds = layout.own.iter().copied().chain(inherited.iter().map(|laid| laid.kind));
        let mut offset = 0;
        let laid = kinds.map(|kind| {
            let (size, at) = (size_of(kind, self.id) as u16, offset);
            offset += size;
            Laid { kind, unused: 64 - 8 * size as u8, offset: at }
        });
        Some(laid.collect())
    }

    #[inline]
    fn place(&self, class: Address) -> Option<usize> {
        let slot = &self.recent[(class.0.wrapping_mul(SPREAD) >> (64 - self.recent.len().ilog2())) as usize];
        let (known, place) = slot.get();
        if known == class && place.is_some() {
            return place;
        }
        let place = self.by_class.get(&class).copied();
        slot.set((class, place));
        place
    }

    /// Bytes of an instance's fields, where the class and all its superclasses are known.
    #[inline]
    pub fn bytes_of(&self, class: Address) -> Option<u64> {
        self.classes[self.place(class)?].bytes
    }

    /// Whether the class is known.
    pub fn knows(&self, class: Address) -> bool {
        self.by_class.contains_key(&class)
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
            // The last fields, behind which there are not so many, come out of the last eight bytes.
            let early = all.partition_point(|laid| usize::from(laid.offset) <= last);
            for laid in &all[..early] {
                let Some(chunk) = values[usize::from(laid.offset)..].first_chunk() else { return false };
                visit(Value { kind: laid.kind, bits: u64::from_be_bytes(*chunk) >> laid.unused });
            }
            let Some(chunk) = values.last_chunk() else { return false };
            let chunk = u64::from_be_bytes(*chunk);
            for laid in &all[early..] {
                let bits = chunk << (8 * (usize::from(laid.offset) - last)) >> laid.unused;
                visit(Value { kind: laid.kind, bits });
            }
            return true;
        }
        let mut rest = values;
        let mut next = Some(class);
        while let Some(at) = next {
            let layout = &self.classes[at];
            for &kind in &layout.own {
                let Some((field, behind)) = rest.split_at_checked(size_of(kind, self.id)) else { return false };
                visit(Value { kind, bits: bits(field) });
                rest = behind;
            }
            next = layout.superclass;
        }
        true
    }

    /// The places in the table of an instance's classes, from its own up to the root.
    pub fn chain(&self, class: Address) -> impl Iterator<Item = usize> + '_ {
        let mut next = self.place(class).filter(|&at| self.classes[at].bytes.is_some());
        std::iter::from_fn(move || {
            let at = next?;
            next = self.classes[at].superclass;
            Some(at)
        })
    }

    /// The address of a class, by its place in the table.
    pub fn address(&self, place: usize) -> Address {
        self.classes[place].address
    }

    /// The types of the fields that a class itself declares, by its place in the table.
    pub fn own(&self, place: usize) -> &[FieldType] {
        &self.classes[place].own
    }
}

/// Classes that are kept at hand at most; a power of two.
const RECENT: usize = 256;
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
