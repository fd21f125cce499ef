//! Totals that one pass over all entries counts.

use foldhash::HashMap;

use crate::compare::listing::{Hex, Text};
use crate::model::{Address, Name, ObjectKind};

use super::analysis::Analysis;
use super::graph::{EntryGraph, EntryType};
use super::output::{Amount, ClassRow, Degrees, EntryCounts, Retained};
use super::reach::RootKindSet;

pub(super) struct GraphCounts {
    pub(super) entries: EntryTotals,
    pub(super) references: u64,
    pub(super) from: Degrees,
    pub(super) to: Degrees,
    /// The entries that each combination of root kinds reaches.
    by_kinds: Vec<(RootKindSet, Amount)>,
}

/// How many classes and objects there are.
pub(super) struct EntryTotals {
    pub(super) counts: EntryCounts,
    /// The objects of each class name, by its place among [`EntryGraph::names`].
    pub(super) by_name: Vec<ObjectTotals>,
}

/// The objects whose class has one name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObjectTotals {
    pub(super) objects: u64,
    pub(super) bytes: u64,
    pub(super) unsized_objects: u64,
}

impl GraphCounts {
    pub(super) fn from_analysis(analysis: &Analysis) -> GraphCounts {
        let graph = analysis.graph();
        let mut by_type = vec![0_u64; graph.types().len()];
        let mut counts = GraphCounts {
            entries: EntryTotals::new(graph),
            references: 0,
            from: Degrees::default(),
            to: Degrees::default(),
            by_kinds: Vec::new(),
        };
        // Most entries are reached by the same kinds as the one before.
        let (mut last, mut places) = (0, HashMap::<RootKindSet, usize>::default());
        for (entry, kinds) in (0..).zip(analysis.root_kinds()) {
            let number = graph.type_number(entry) as usize;
            let of = &graph.types()[number];
            by_type[number] += 1;
            let degree = graph.reference_range(entry).len() as u64 + u64::from(of.class.is_some());
            counts.references += degree;
            counts.from.add(degree, || graph.address(entry));
            counts.to.add(analysis.in_degree(entry), || graph.address(entry));
            if counts.by_kinds.get(last).is_none_or(|(of, _)| *of != kinds) {
                last = *places.entry(kinds).or_insert_with(|| {
                    counts.by_kinds.push((kinds, Amount::default()));
                    counts.by_kinds.len() - 1
                });
            }
            let amount = &mut counts.by_kinds[last].1;
            amount.bytes = amount.bytes.saturating_add(of.size.unwrap_or(0));
            amount.classes += u64::from(of.kind.is_none());
            amount.objects += u64::from(of.kind.is_some());
        }
        graph.types().iter().zip(by_type).for_each(|(of, objects)| counts.entries.add_objects(of, objects));
        counts
    }

    /// The classes and objects whose root kinds satisfy a condition, together.
    pub(super) fn amount(&self, is_one: impl Fn(RootKindSet) -> bool) -> Amount {
        let all = self.by_kinds.iter().filter(|(kinds, _)| is_one(*kinds));
        all.fold(Amount::default(), |sum, (_, amount)| Amount {
            classes: sum.classes + amount.classes,
            objects: sum.objects + amount.objects,
            bytes: sum.bytes.saturating_add(amount.bytes),
        })
    }
}

impl EntryTotals {
    /// The totals of a graph's classes, without any objects.
    pub(super) fn new(graph: &EntryGraph) -> EntryTotals {
        EntryTotals {
            counts: EntryCounts { classes: graph.class_count() as u64, ..EntryCounts::default() },
            by_name: vec![ObjectTotals::default(); graph.names().len()],
        }
    }

    /// Adds objects of a type.
    pub(super) fn add_objects(&mut self, of: &EntryType, objects: u64) {
        let Some(kind) = of.kind else { return };
        *match kind {
            ObjectKind::Instance => &mut self.counts.instances,
            ObjectKind::ObjectArray => &mut self.counts.object_arrays,
            ObjectKind::PrimitiveArray(_) => &mut self.counts.primitive_arrays,
        } += objects;
        let Some(name) = of.name else { return };
        let row = &mut self.by_name[name as usize];
        row.objects += objects;
        match of.size {
            Some(size) => row.bytes = row.bytes.saturating_add(size.saturating_mul(objects)),
            None => row.unsized_objects += objects,
        }
    }

    /// A row for each class name of objects, in the order of the names; `retained` has what those of each name retain.
    pub(super) fn histogram(&self, names: &[Name], retained: Option<Vec<Retained>>) -> Vec<ClassRow> {
        let mut retained = retained.map(Vec::into_iter);
        let rows = names.iter().zip(&self.by_name).map(|(name, of)| ClassRow {
            class: Text::from(name),
            objects: of.objects,
            bytes: of.bytes,
            unsized_objects: of.unsized_objects,
            retained: retained.as_mut().and_then(Iterator::next).filter(|retained| retained.entries > 0),
        });
        let mut named: Vec<(&Name, ClassRow)> = names.iter().zip(rows).filter(|(_, row)| row.objects > 0).collect();
        named.sort_by_key(|(name, _)| *name);
        named.into_iter().map(|(_, row)| row).collect()
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
