//! The answers in few words.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::compare::listing::{Hex, Text};
use crate::error::Error;
use crate::model::{Address, HeapSource, Name, ObjectKind, RootKind};

use super::analysis::{Analysis, FromRoots};
use super::graph::Graph;
use super::strings;
use super::told::{
    Amount, Answers, ClassRow, Components, Degrees, Duplicate, Entries, Holder, References, Retained, RootRow, Strings,
};

/// How many texts of several strings are listed.
pub const MOST_TEXTS: usize = 10;

/// How many entries that hold much are listed.
pub const MOST_HOLDERS: usize = 10;

/// The answers about a heap whose analysis this is. Its objects are visited again for the texts that are shown.
///
/// # Errors
/// What reading the objects runs into.
pub fn answers(source: &mut dyn HeapSource, analysis: &Analysis) -> Result<Answers, Error> {
    let graph = analysis.graph();
    let reached = analysis.reached();
    let strings = said_of_strings(source, graph)?;
    let (reachable, unreachable) = reached.map(|reached| amounts(graph, reached)).unzip();
    Ok(Answers {
        schema: super::SCHEMA,
        referents: graph.edges().referents,
        classes_of_objects: graph.edges().classes,
        locals_of_threads: graph.edges().locals,
        entries: entries(graph),
        references: references(analysis),
        histogram: histogram(analysis),
        roots: graph.roots().map(|_| roots(analysis)),
        reachable,
        unreachable,
        components: components(analysis),
        strings,
        holders: reached.map(|reached| holders(analysis, reached)),
    })
}

fn entries(graph: &Graph) -> Entries {
    let mut entries = Entries { classes: graph.classes() as u64, ..Entries::default() };
    for entry in graph.classes() as u32..graph.len() as u32 {
        match graph.kind(entry) {
            Some(ObjectKind::Instance) => entries.instances += 1,
            Some(ObjectKind::ObjectArray) => entries.object_arrays += 1,
            Some(ObjectKind::PrimitiveArray(_)) => entries.primitive_arrays += 1,
            None => {}
        }
    }
    entries
}

fn references(analysis: &Analysis) -> References {
    let graph = analysis.graph();
    let mut references = 0;
    let from = degrees(graph, |entry| {
        let degree = graph.degree(entry);
        references += degree;
        degree
    });
    References { references, dangling: graph.dangling(), from, to: degrees(graph, |entry| analysis.in_degree(entry)) }
}

fn degrees(graph: &Graph, mut of: impl FnMut(u32) -> u64) -> Degrees {
    let mut degrees = Degrees::default();
    for entry in 0..graph.len() as u32 {
        let degree = of(entry);
        let place = (u64::BITS - degree.leading_zeros()) as usize;
        if degrees.distribution.len() <= place {
            degrees.distribution.resize(place + 1, 0);
        }
        degrees.distribution[place] += 1;
        if degree > degrees.most {
            (degrees.most, degrees.address) = (degree, Some(Hex(graph.address(entry).0)));
        }
    }
    degrees
}

fn histogram(analysis: &Analysis) -> Vec<ClassRow> {
    let graph = analysis.graph();
    let retained = analysis.retained_by_name();
    let mut rows: Vec<ClassRow> = graph.names().iter().map(row_of).collect();
    for entry in graph.classes() as u32..graph.len() as u32 {
        let Some(number) = graph.name(entry) else { continue };
        let row = &mut rows[number as usize];
        row.objects += 1;
        match graph.size(entry) {
            Some(size) => row.bytes = row.bytes.saturating_add(size),
            None => row.unsized_objects += 1,
        }
    }
    for (row, retained) in rows.iter_mut().zip(retained.into_iter().flatten()) {
        row.retained = Some(retained).filter(|retained| retained.entries > 0);
    }
    let mut named: Vec<(&Name, ClassRow)> = graph.names().iter().zip(rows).filter(|(_, row)| row.objects > 0).collect();
    named.sort_by_key(|(name, _)| *name);
    named.into_iter().map(|(_, row)| row).collect()
}

/// A row without objects.
fn row_of(name: &Name) -> ClassRow {
    ClassRow { class: Text::from(name), objects: 0, bytes: 0, unsized_objects: 0, retained: None }
}

/// What is reachable, and what is not.
fn amounts(graph: &Graph, reached: &FromRoots) -> (Amount, Amount) {
    let (mut reachable, mut unreachable) = Default::default();
    for entry in 0..graph.len() as u32 {
        let amount: &mut Amount = if reached.is_reachable(entry) { &mut reachable } else { &mut unreachable };
        amount.add(graph, entry);
    }
    (reachable, unreachable)
}

impl Amount {
    fn add(&mut self, graph: &Graph, entry: u32) {
        let count = if graph.kind(entry).is_none() { &mut self.classes } else { &mut self.objects };
        *count += 1;
        self.bytes = self.bytes.saturating_add(graph.size(entry).unwrap_or(0));
    }
}

/// A row for each kind of which there are roots, in the order of their tags' table.
fn roots(analysis: &Analysis) -> Vec<RootRow> {
    let graph = analysis.graph();
    let mut reachable = RootKind::FORMS.map(|_| Amount::default());
    for (entry, mut kinds) in (0..).zip(analysis.root_kinds()) {
        while kinds != 0 {
            reachable[kinds.trailing_zeros() as usize].add(graph, entry);
            kinds &= kinds - 1;
        }
    }
    let rows = RootKind::FORMS.iter().zip(reachable).enumerate().map(|(kind, (form, reachable))| {
        let roots = graph.roots().into_iter().flatten().filter(|root| root.kind == kind);
        let mut kept: Vec<Option<u32>> = roots.map(|root| root.entry).collect();
        let (roots, dangling) = (kept.len() as u64, kept.iter().filter(|entry| entry.is_none()).count() as u64);
        kept.sort_unstable();
        kept.dedup();
        RootRow { kind: form.name, roots, entries: kept.iter().flatten().count() as u64, dangling, reachable }
    });
    rows.filter(|row| row.roots > 0).collect()
}

fn components(analysis: &Analysis) -> Components {
    let graph = analysis.graph();
    let mut found = Components::default();
    let mut first = None;
    for component in analysis.components() {
        let size = component.len() as u64;
        found.components += 1;
        if size > 1 {
            found.cycles += 1;
            found.in_cycles += size;
        }
        if size < found.largest {
            continue;
        }
        let lowest = component.iter().map(|entry| graph.address(*entry)).min();
        if size > found.largest || lowest.zip(first).is_none_or(|(lowest, first)| lowest < first) {
            (found.largest, first) = (size, lowest);
        }
    }
    found.address = first.map(|address| Hex(address.0));
    found
}

fn said_of_strings(source: &mut dyn HeapSource, graph: &Graph) -> Result<Option<Strings>, Error> {
    let Some(found) = strings::Strings::of(graph) else { return Ok(None) };
    let wasted = |text: &strings::Text| text.bytes.saturating_mul(text.count - 1);
    let mut repeated: Vec<&strings::Text> = found.texts.iter().filter(|text| text.count > 1).collect();
    repeated.sort_by_key(|text| (Reverse(wasted(text)), Reverse(text.count), graph.address(text.first)));
    let duplicate_bytes = repeated.iter().fold(0, |sum: u64, text| sum.saturating_add(wasted(text)));
    repeated.truncate(MOST_TEXTS);
    let shown: Vec<u32> = repeated.iter().filter(|text| text.is_plain).map(|text| text.array).collect();
    let mut texts = if shown.is_empty() { Default::default() } else { strings::texts(source, graph, &shown)? };
    let most = repeated.into_iter().map(|text| Duplicate {
        text: texts.remove(&text.array),
        strings: text.count,
        bytes: text.bytes,
        address: Hex(graph.address(text.first).0),
    });
    let most = most.collect();
    Ok(Some(Strings { strings: found.strings, texts: found.texts.len() as u64, duplicate_bytes, most }))
}

/// The place of an entry among those that hold most: its bytes, its entries, its address; and itself.
type Place = (Reverse<u64>, Reverse<u64>, Address, u32);

fn holders(analysis: &Analysis, reached: &FromRoots) -> Vec<Holder> {
    let graph = analysis.graph();
    // The first ones in order so far, the last of them on top.
    let mut first: BinaryHeap<Place> = BinaryHeap::new();
    for (entry, retained) in reached.tops() {
        let bytes = Reverse(retained.bytes);
        if first.len() == MOST_HOLDERS && first.peek().is_some_and(|(last, ..)| *last < bytes) {
            continue;
        }
        first.push((bytes, Reverse(retained.entries), graph.address(entry), entry));
        if first.len() > MOST_HOLDERS {
            first.pop();
        }
    }
    let holder = |(bytes, entries, address, entry): Place| Holder {
        address: Hex(address.0),
        class: analysis.class_of(entry).map(Text::from),
        is_class: graph.kind(entry).is_none(),
        retained: Retained { entries: entries.0, bytes: bytes.0 },
        through: reached.through(entry).into_iter().map(|entry| Hex(graph.address(entry).0)).collect(),
    };
    first.into_sorted_vec().into_iter().map(holder).collect()
}
