//! What one pass over all entries counts.

use crate::compare::listing::Hex;
use crate::model::{Address, ObjectKind};

use super::analysis::Analysis;
use super::reach::Kinds;
use super::told::{Amount, Degrees, Entries};

pub(super) struct Counts {
    pub(super) entries: Entries,
    pub(super) references: u64,
    pub(super) from: Degrees,
    pub(super) to: Degrees,
    /// By the name of their class, its place among [`Graph::names`].
    pub(super) by_name: Vec<Objects>,
    /// By the kinds of root that reach them, of which there are few combinations.
    by_kinds: Vec<(Kinds, Amount)>,
}

/// Objects of classes of one name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Objects {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    pub(super) unsized_objects: u64,
}

impl Counts {
    pub(super) fn of(analysis: &Analysis) -> Counts {
        let graph = analysis.graph();
        let mut by_type = vec![Objects::default(); graph.types().count()];
        let mut counts = Counts {
            entries: Entries { classes: graph.classes() as u64, ..Entries::default() },
            references: 0,
            from: Degrees::default(),
            to: Degrees::default(),
            by_name: vec![Objects::default(); graph.names().len()],
            by_kinds: Vec::new(),
        };
        // Most entries are reached by the same kinds as the one before.
        let mut last = 0;
        for (entry, kinds) in (0..).zip(analysis.root_kinds()) {
            let degree = graph.degree(entry);
            counts.references += degree;
            counts.from.add(degree, || graph.address(entry));
            counts.to.add(analysis.in_degree(entry), || graph.address(entry));
            let size = graph.size(entry);
            if counts.by_kinds.get(last).is_none_or(|(of, _)| *of != kinds) {
                last = counts.by_kinds.iter().position(|(of, _)| *of == kinds).unwrap_or_else(|| {
                    counts.by_kinds.push((kinds, Amount::default()));
                    counts.by_kinds.len() - 1
                });
            }
            let amount = &mut counts.by_kinds[last].1;
            amount.bytes = amount.bytes.saturating_add(size.unwrap_or(0));
            match graph.type_number(entry) {
                None => amount.classes += 1,
                Some(number) => {
                    amount.objects += 1;
                    by_type[number as usize].add(size);
                }
            }
        }
        graph.types().zip(by_type).for_each(|((kind, name), of)| counts.objects(kind, name, of));
        counts
    }

    /// Takes in objects of a type.
    fn objects(&mut self, kind: ObjectKind, name: Option<u32>, of: Objects) {
        *match kind {
            ObjectKind::Instance => &mut self.entries.instances,
            ObjectKind::ObjectArray => &mut self.entries.object_arrays,
            ObjectKind::PrimitiveArray(_) => &mut self.entries.primitive_arrays,
        } += of.objects;
        let Some(name) = name else { return };
        let row = &mut self.by_name[name as usize];
        row.objects += of.objects;
        row.bytes = row.bytes.saturating_add(of.bytes);
        row.unsized_objects += of.unsized_objects;
    }

    /// Classes and objects that are reached by kinds of root like these, together.
    pub(super) fn amount(&self, is_one: impl Fn(Kinds) -> bool) -> Amount {
        let all = self.by_kinds.iter().filter(|(kinds, _)| is_one(*kinds));
        all.fold(Amount::default(), |sum, (_, amount)| Amount {
            classes: sum.classes + amount.classes,
            objects: sum.objects + amount.objects,
            bytes: sum.bytes.saturating_add(amount.bytes),
        })
    }
}

impl Objects {
    fn add(&mut self, size: Option<u64>) {
        self.objects += 1;
        match size {
            Some(size) => self.bytes = self.bytes.saturating_add(size),
            None => self.unsized_objects += 1,
        }
    }
}

impl Degrees {
    fn add(&mut self, degree: u64, address: impl FnOnce() -> Address) {
        let place = (u64::BITS - degree.leading_zeros()) as usize;
        if self.distribution.len() <= place {
            self.distribution.resize(place + 1, 0);
        }
        self.distribution[place] += 1;
        if degree > self.most {
            (self.most, self.address) = (degree, Some(Hex(address().0)));
        }
    }
}
