//! Comparison of the facts of classes and objects, and of the whole heap.

use crate::compare::carriage::Carriage;
use crate::compare::facet::Facet;
use crate::compare::facts::{Described, EntryReferences, Fact, FactWalk, GetFact};
use crate::model::{Address, IdentityHash, Name, Object};

use super::{HeapDiff, HeapSide, long, show};

/// An entry that both heaps have.
struct EntryPair<'p, 'd, 'f, E> {
    diff: &'d mut HeapDiff<'f>,
    at: Option<Address>,
    left: &'p E,
    right: &'p E,
    /// The class's name on each side, where the entry itself does not have it and the other side's does.
    names: [Option<Name>; 2],
    /// Whether field values or elements were compared.
    inside: bool,
}

impl<E> FactWalk<E> for EntryPair<'_, '_, '_, E> {
    fn unkeyed_fact(&mut self, facet: Facet, get: impl GetFact<E>) {
        if facet == Facet::Kind {
            return; // Facts of two kinds are not compared.
        }
        let (mut left, mut right) = (get(self.left), get(self.right));
        if facet == Facet::ClassName {
            let [of_left, of_right] = &self.names;
            (left, right) = (left.or(of_left.as_ref().map(Fact::Name)), right.or(of_right.as_ref().map(Fact::Name)));
        }
        if let Some((left, right)) = self.diff.both_recorded(facet, left, right) {
            self.inside |= matches!(facet, Facet::FieldValues | Facet::Elements);
            match left.equals(right) {
                Ok(true) => {}
                Ok(false) => match show::facts(facet, left, right) {
                    Ok(shown) => self.diff.report_difference(facet, self.at, || shown),
                    Err(error) => self.diff.read = Err(error),
                },
                Err(error) => self.diff.read = Err(error),
            }
        }
    }

    fn hash(&mut self, get: impl Fn(&E) -> Option<IdentityHash>) {
        self.diff.compare_hashes(self.at, get(self.left), get(self.right));
    }

    fn references(&mut self, facet: Facet, get: impl for<'e> Fn(&'e E) -> Option<EntryReferences<'e>>) {
        // How many are null and in which order they are is compared with them.
        if !self.inside && !matches!(facet, Facet::NullReferences | Facet::ReferenceOrder) {
            let sides = [get(self.left), get(self.right)];
            match long::reference_pieces(sides) {
                Ok(None) => {
                    let [left, right] = sides.map(|side| side.map(|all| all.iter().collect()));
                    self.diff.compare_references(facet, self.at, left, right);
                }
                compared => {
                    let compared = compared.and_then(|long| {
                        long.map_or(Ok(()), |[left, right]| {
                            self.diff.compare_long_references(facet, self.at, left, right)
                        })
                    });
                    if compared.is_err() {
                        self.diff.read = compared;
                    }
                }
            }
        }
    }
}

impl HeapDiff<'_> {
    /// Compares every fact of an entry, or of the whole heap.
    pub(super) fn compare_facts<E: Described>(
        &mut self,
        at: Option<Address>,
        left: &E,
        right: &E,
        names: [Option<Name>; 2],
    ) {
        E::walk(&mut EntryPair { diff: self, at, left, right, names, inside: false });
    }

    pub(super) fn compare_objects(&mut self, at: Address, l: &Object, r: &Object) {
        let names = match (&l.class_name, &r.class_name) {
            (None, None) => [None, None],
            // Where a record names the class, the other side's table of classes does as well.
            _ => [self.left.class_name(l).cloned(), self.right.class_name(r).cloned()],
        };
        self.compare_facts(Some(at), l, r, names);
    }

    /// Compares identity hashes. A missing hash of 32 bits is a fact in itself in a heap that records such hashes: the
    /// object was never asked for it.
    fn compare_hashes(&mut self, at: Option<Address>, l: Option<IdentityHash>, r: Option<IdentityHash>) {
        let bits32 = |side: &HeapSide, hash| match hash {
            Some(IdentityHash::Bits32(bits)) => Some(Some(bits)),
            None if side.habits.hashes => Some(None),
            _ => None,
        };
        let bits16 = |hash| match hash {
            Some(IdentityHash::Bits16(bits)) => Some(bits),
            _ => None,
        };
        self.compare_fact(Facet::Hash16, at, bits16(l), bits16(r), |bits| format!("{bits:#06x}"));
        let (l, r) = (bits32(&self.left, l), bits32(&self.right, r));
        self.compare_fact(Facet::Hash32, at, l, r, |hash| {
            hash.map_or("no hash".to_owned(), |bits| format!("{bits:#010x}"))
        });
    }

    fn compare_references(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        l: Option<Vec<Address>>,
        r: Option<Vec<Address>>,
    ) {
        let sorted = |references: &Vec<Address>| {
            let mut sorted = references.clone();
            sorted.sort_unstable();
            sorted
        };
        let show = |references: &Vec<Address>| show::references(references);
        let (mut l, mut r) = (l, r);
        if self.carried.is_some_and(|column| column.carriage(Facet::NullReferences) == Carriage::None) {
            // Objects that a dump pads with nulls, or takes them from, have the same references.
            [&mut l, &mut r].into_iter().flatten().for_each(|listed| listed.retain(|reference| !reference.is_null()));
        }
        let lists = |side: &HeapSide, listed: &Option<Vec<Address>>| {
            side.habits.nulls || listed.iter().flatten().any(|reference| reference.is_null())
        };
        let (left_lists, right_lists) = (lists(&self.left, &l), lists(&self.right, &r));
        if left_lists != right_lists
            && let (Some(l), Some(r)) = (&mut l, &mut r)
        {
            // Only one of the two dumps lists null references.
            let count = |lists: bool, listed: &[Address]| {
                lists.then(|| listed.iter().filter(|reference| reference.is_null()).count())
            };
            let nulls = (count(left_lists, l), count(right_lists, r));
            if nulls.0.or(nulls.1) != Some(0) {
                self.compare_fact(Facet::NullReferences, at, nulls.0, nulls.1, usize::to_string);
            }
            [l, r].into_iter().for_each(|listed| listed.retain(|reference| !reference.is_null()));
        }
        let (ls, rs) = (l.as_ref().map(sorted), r.as_ref().map(sorted));
        let same = ls == rs;
        self.compare_fact(facet, at, ls, rs, show);
        if same {
            self.compare_fact(Facet::ReferenceOrder, at, l, r, show);
        }
    }
}
