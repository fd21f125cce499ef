//! The summary of the answers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::compare::listing::{Hex, Text};
use crate::error::Error;
use crate::model::{Address, HeapSource, RootKind};

use super::analysis::{Analysis, RootAnalysis};
use super::counts::GraphCounts;
use super::graph::EntryGraph;
use super::output::{Answers, Components, Duplicate, Holder, ReferenceCounts, Retained, RootRow, StringCounts};
use super::reach::RootKindSet;
use super::strings;

/// The most texts of several strings that are listed.
pub const MOST_TEXTS: usize = 10;

/// The most holders that are listed.
pub const MOST_HOLDERS: usize = 10;

/// The most entries on the path from a holder that are listed.
pub const MOST_STEPS: usize = 100;

/// The answers about a heap with this analysis. Its objects are visited again for the texts that are shown.
///
/// # Errors
/// If reading the objects fails.
pub fn answers(source: &mut dyn HeapSource, analysis: &Analysis) -> Result<Answers, Error> {
    let graph = analysis.graph();
    let reached = analysis.reached();
    let strings = string_answers(source, graph)?;
    let counts = GraphCounts::from_analysis(analysis);
    let histogram = counts.entries.histogram(graph.names(), analysis.retained_by_name());
    let roots = graph.roots().map(|_| roots(graph, &counts));
    let amount = |is_one: fn(RootKindSet) -> bool| reached.map(|_| counts.amount(is_one));
    Ok(Answers {
        schema: super::SCHEMA,
        referents: graph.edges().referents || lacks_field_names(source),
        classes_of_objects: graph.edges().classes,
        locals_of_threads: graph.edges().locals,
        reachable: amount(|kinds| kinds != 0),
        unreachable: amount(|kinds| kinds == 0),
        entries: counts.entries.counts,
        references: ReferenceCounts {
            references: counts.references,
            dangling: graph.dangling(),
            from: counts.from,
            to: counts.to,
        },
        histogram,
        roots,
        components: components(analysis),
        strings,
        holders: reached.map(|reached| holders(analysis, reached)),
    })
}

/// Whether classes do not declare their fields, as in PHD and classic text.
fn lacks_field_names(source: &dyn HeapSource) -> bool {
    let classes = source.classes();
    !classes.is_empty() && classes.iter().all(|class| class.fields.is_none())
}

/// A row for each kind of root that occurs, in the order of their tags' table.
fn roots(graph: &EntryGraph, counts: &GraphCounts) -> Vec<RootRow> {
    let rows = RootKind::FORMS.iter().enumerate().map(|(kind, form)| {
        let roots = graph.roots().into_iter().flatten().filter(|root| root.kind == kind);
        let mut kept: Vec<Option<u32>> = roots.map(|root| root.entry).collect();
        let (roots, dangling) = (kept.len() as u64, kept.iter().filter(|entry| entry.is_none()).count() as u64);
        kept.sort_unstable();
        kept.dedup();
        let reachable = counts.amount(|kinds| kinds & 1 << kind != 0);
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
        if size == 1 {
            continue;
        }
        found.cycles += 1;
        found.in_cycles += size;
        if size < found.largest {
            continue;
        }
        let lowest = component.iter().map(|entry| graph.address(*entry)).min();
        if size > found.largest || lowest.zip(first).is_none_or(|(lowest, first)| lowest < first) {
            (found.largest, first) = (size, lowest);
        }
    }
    if found.components > 0 && found.cycles == 0 {
        // Each entry is one.
        found.largest = 1;
        first = (0..graph.len() as u32).map(|entry| graph.address(entry)).min();
    }
    found.address = first.map(|address| Hex(address.0));
    found
}

fn string_answers(source: &mut dyn HeapSource, graph: &EntryGraph) -> Result<Option<StringCounts>, Error> {
    let Some(found) = strings::StringGroups::from_graph(graph) else { return Ok(None) };
    let wasted = |text: &strings::StringGroup| found.bytes(text).saturating_mul(u64::from(text.count) - 1);
    let mut repeated: Vec<&strings::StringGroup> = found.texts.iter().filter(|text| text.count > 1).collect();
    repeated.sort_by_key(|text| (Reverse(wasted(text)), Reverse(text.count), graph.address(found.first(text))));
    let duplicate_bytes = repeated.iter().fold(0, |sum: u64, text| sum.saturating_add(wasted(text)));
    repeated.truncate(MOST_TEXTS);
    let texts = match repeated.is_empty() {
        true => Default::default(),
        false => strings::read_texts(source, &found, graph.class_count() as u32, &repeated)?,
    };
    let most = repeated.into_iter().map(|text| Duplicate {
        text: texts.get(&text.string).cloned(),
        strings: text.count.into(),
        bytes: found.bytes(text),
        address: Hex(graph.address(found.first(text)).0),
    });
    let most = most.collect();
    Ok(Some(StringCounts { strings: found.strings, texts: found.texts.len() as u64, duplicate_bytes, most }))
}

/// The rank of an entry among holders: its bytes, its entries, its address; and the entry itself.
type HolderRank = (Reverse<u64>, Reverse<u64>, Address, u32);

fn holders(analysis: &Analysis, reached: &RootAnalysis) -> Vec<Holder> {
    let graph = analysis.graph();
    // The first ones in order so far, the last of them on top.
    let mut first: BinaryHeap<HolderRank> = BinaryHeap::new();
    for (entry, retained) in reached.undominated() {
        let bytes = Reverse(retained.bytes);
        if first.len() == MOST_HOLDERS && first.peek().is_some_and(|(last, ..)| *last < bytes) {
            continue;
        }
        first.push((bytes, Reverse(retained.entries), graph.address(entry), entry));
        if first.len() > MOST_HOLDERS {
            first.pop();
        }
    }
    let holder = |(bytes, entries, address, entry): HolderRank| {
        let (mut through, mut steps, mut to) = (Vec::new(), 0, None);
        for entry in reached.retention_path(entry) {
            let address = Hex(graph.address(entry).0);
            if through.len() < MOST_STEPS {
                through.push(address);
            }
            (steps, to) = (steps + 1, Some(address));
        }
        Holder {
            address: Hex(address.0),
            class: analysis.class_of(entry).map(Text::from),
            is_class: graph.kind(entry).is_none(),
            retained: Retained { entries: entries.0, bytes: bytes.0 },
            through,
            steps,
            to,
        }
    };
    first.into_sorted_vec().into_iter().map(holder).collect()
}
