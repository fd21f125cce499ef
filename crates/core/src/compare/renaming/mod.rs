//! Comparison of heaps as graphs, whatever their addresses.
//!
//! Both heaps become one graph whose nodes are classes, objects and addresses without an entry. Nodes are told apart by
//! their facts, then by their neighbours in both directions, until nothing more changes (colour refinement). Nodes that
//! are still alike are paired one after the other, with backtracking where a pair turns out wrong (individualisation
//! and refinement). Refinement compares 64-bit hashes, so nodes that are found different are different; a mapping that
//! is found is verified fact by fact before it is returned.

mod graph;
mod node_facets;
mod partition;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::error::Error;
use crate::model::{Address, Heap, Name, NamePool, RootObjects, visit};

use super::Facet;
use super::carriage::{CarriageColumn, ClassFirst};
use super::diff::{Comparison, compare};

use graph::{CellSplit, RenamingGraph};
use node_facets::NodeFacets;
use partition::Partition;

/// The answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Renaming {
    /// The same graph. The mapping is the witness.
    Equal {
        /// The address in the second heap of each address of the first.
        mapping: BTreeMap<String, String>,
        /// The comparison of the first heap, with the second one's addresses, and the second.
        comparison: Box<Comparison>,
    },
    /// Different graphs.
    Different {
        /// What there is in another number on the two sides, or the object that has no counterpart.
        invariant: String,
        /// How often it occurs in the first heap.
        left: u64,
        /// How often it occurs in the second heap.
        right: u64,
    },
    /// Not decided: the graph is too regular for the budget.
    Undecided {
        /// Steps taken.
        steps: u64,
        /// Objects of the first heap that have more than one possible counterpart, or facts of the whole graph that the
        /// mapping which was found does not have right.
        ambiguous: u64,
    },
}

/// The default limit of steps: edges that are visited.
pub const BUDGET: u64 = 200_000_000;

/// Facets of the file rather than of the graph: its orders, its header and the identifiers of its log.
pub const BY_FILE: [Facet; 9] = [
    Facet::RecordOrder,
    Facet::RootOrder,
    Facet::ReferenceOrder,
    Facet::Events,
    Facet::TimeStamp,
    Facet::DumpTimes,
    Facet::HeaderVersion,
    Facet::IdentifierSize,
    Facet::HashRandoms,
];

/// Whether a facet holds no address and is recorded once for a heap.
fn is_heap_wide(facet: Facet) -> bool {
    matches!(facet, Facet::WordSize | Facet::VersionText | Facet::HeaderTotals | Facet::Regions)
        || Facet::OF_THE_LOG.contains(&facet)
}

/// Compares two heaps up to their addresses, in at most this number of steps. Both are held in memory, with some 60 bytes a
/// reference.
pub fn up_to_renaming(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>, budget: u64) -> Renaming {
    let mut left_out = left_out.clone();
    if left.facts.identifier_size != right.facts.identifier_size {
        // It counts identifiers.
        left_out.insert(Facet::InstanceSize);
    }
    let (by_all, by_some) =
        (NodeFacets::recorded_by_all(left, right, &left_out), NodeFacets::recorded_by_some(left, right, &left_out));
    // Facts that only some nodes record may still show which nodes correspond. Without a mapping by them nothing follows:
    // other nodes may record them in the two heaps.
    if by_some.exceeds(&by_all)
        && let equal @ Renaming::Equal { .. } = compare_by(&by_some, (left, right), &left_out, budget)
    {
        return equal;
    }
    compare_by(&by_all, (left, right), &left_out, budget)
}

/// Compares by these facts.
fn compare_by(used: &NodeFacets, heaps: (&Heap, &Heap), left_out: &BTreeSet<Facet>, budget: u64) -> Renaming {
    let graph = RenamingGraph::new(heaps.0, heaps.1, used);
    let mut partition = match Partition::new(&graph) {
        Ok(partition) => partition,
        Err(split) => return graph.to_renaming(&split),
    };
    match search(&graph, &mut partition, budget) {
        PairingResult::Mapping => verify(&graph, &partition, heaps, left_out),
        PairingResult::Nothing(split) => graph.to_renaming(&split),
        PairingResult::TooMany => {
            Renaming::Undecided { steps: partition.steps, ambiguous: partition.count_ambiguous() }
        }
    }
}

/// Compares a heap with its conversion by a converter that gives addresses of its own, on what the target carries,
/// after the target's rules were applied to both.
///
/// # Errors
/// If contents that are not held cannot be read.
pub fn after_conversion(left: &Heap, right: &Heap, carried: &CarriageColumn, budget: u64) -> Result<Renaming, Error> {
    let column = carried.for_headers(&left.facts, &right.facts);
    let silent = Facet::ALL.into_iter().filter(|facet| column.is_silent_on(*facet)).collect();
    let changed = |heap: &Heap| {
        let names = column.changed_names(&heap.classes);
        let mut class_first = ClassFirst::default();
        heap.objects.iter().try_for_each(|object| class_first.observe(object, &names))?;
        let mut heap = heap.clone();
        remove_primitive_class_objects(&mut heap, &column);
        let mut shared = NamePool::default();
        heap.classes.iter_mut().for_each(|class| {
            column.change_class(class);
            class.name = shared.share(std::mem::take(&mut class.name));
        });
        heap.objects.iter_mut().try_for_each(|object| column.change_object(object, &names, class_first.holds()))?;
        let mut of_roots =
            RootObjects::from_classes(&heap.classes, heap.surroundings.roots.as_deref().unwrap_or_default());
        heap.objects.iter().for_each(|object| of_roots.record_object(object));
        column.change_surroundings(&mut heap.surroundings, &of_roots);
        Ok::<Heap, Error>(heap)
    };
    Ok(up_to_renaming(&changed(left)?, &changed(right)?, &silent, budget))
}

/// Removes the class objects of primitive types, which dumps have in two forms: classes in one heap, and plain
/// instances of `java/lang/Class` in the other, at other addresses. No other object is an instance of that class.
pub fn remove_primitive_class_objects(heap: &mut Heap, carried: &CarriageColumn) {
    if !carried.leaves_out_primitives() {
        return;
    }
    let is_class = |name: &Name| matches!(name.as_bytes(), b"java/lang/Class" | b"java.lang.Class");
    let class = heap.classes.iter().find(|class| is_class(&class.name)).map(|class| class.address);
    heap.objects.retain(|object| object.class.is_none() || object.class != class);
    heap.classes.retain(|class| !class.is_primitive());
}

/// A heap with other addresses.
pub fn renamed(heap: &Heap, new: impl Fn(Address) -> Address) -> Heap {
    let mut heap = heap.clone();
    let mut rename = |address: &mut Address| *address = new(*address);
    heap.classes.iter_mut().for_each(|class| visit::class(class, &mut rename));
    heap.objects.iter_mut().for_each(|object| visit::object(object, &mut rename));
    visit::surroundings(&mut heap.surroundings, &mut rename);
    heap
}

enum PairingResult {
    Mapping,
    Nothing(CellSplit),
    TooMany,
}

/// A node, and the counterparts that were tried.
struct PairChoice {
    /// The node of the first heap.
    node: u32,
    /// Nodes of the second heap that were tried.
    tried: Vec<u32>,
    /// The length of the partition's history before the choice.
    mark: usize,
    /// The cell from which the search continues.
    cell: usize,
}

fn search(graph: &RenamingGraph, partition: &mut Partition, budget: u64) -> PairingResult {
    let mut choices: Vec<PairChoice> = Vec::new();
    let mut from = 0;
    loop {
        let Some((cell, node)) = partition.next_ambiguous(from) else { return PairingResult::Mapping };
        let mut choice = PairChoice { node, tried: Vec::new(), mark: partition.history_mark(), cell };
        loop {
            if partition.steps > budget {
                return PairingResult::TooMany;
            }
            let Some(other) = partition.counterpart(choice.node, &choice.tried) else {
                // None of them: the pair before was wrong, or there is no mapping.
                match choices.pop() {
                    None => {
                        return PairingResult::Nothing(CellSplit {
                            node: choice.node,
                            left: 1,
                            right: 0,
                            missing: true,
                        });
                    }
                    Some(before) => choice = before,
                }
                partition.undo(choice.mark);
                continue;
            };
            choice.tried.push(other);
            match partition.pair_nodes(graph, choice.node, other) {
                Ok(()) => break,
                Err(_) => partition.undo(choice.mark),
            }
        }
        from = choice.cell;
        choices.push(choice);
    }
}

/// Gives the first heap the addresses that were found and compares both fact by fact.
fn verify(graph: &RenamingGraph, partition: &Partition, heaps: (&Heap, &Heap), left_out: &BTreeSet<Facet>) -> Renaming {
    let pairs = partition.pairs();
    let map: HashMap<Address, Address> =
        pairs.iter().map(|&(left, right)| (graph.address(left), graph.address(right))).collect();
    let mut renamed = renamed(heaps.0, |address| map.get(&address).copied().unwrap_or(address));
    let mut other = heaps.1.clone();
    for heap in [&mut renamed, &mut other] {
        // The identifier of a JNI reference is no address of the heap.
        for root in heap.surroundings.roots.iter_mut().flatten() {
            root.kind.reference().into_iter().for_each(|id| *id = Address::NULL);
        }
    }
    let left_out: BTreeSet<Facet> = left_out.iter().copied().chain(BY_FILE).collect();
    let comparison = compare(&renamed, &other, &left_out);
    match comparison.differences.first() {
        None => {
            let text = |(left, right): (&Address, &Address)| (left.to_string(), right.to_string());
            Renaming::Equal { mapping: map.iter().map(text).collect(), comparison: Box::new(comparison) }
        }
        Some(_) if comparison.differences.iter().any(|d| !is_heap_wide(d.facet)) => {
            // A fact that not every node records: another mapping may have it right.
            Renaming::Undecided {
                steps: partition.steps,
                ambiguous: comparison.differences.iter().map(|d| d.count).sum(),
            }
        }
        // Whatever the mapping, the dumps say something else of the process.
        Some(difference) => Renaming::Different {
            invariant: format!("{}: {} against {}", difference.facet, difference.left, difference.right),
            left: difference.count,
            right: difference.count,
        },
    }
}

#[cfg(test)]
mod tests;
