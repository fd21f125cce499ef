//! Per-entry answers that follow from a graph: reachability, dominators, retained sizes, components.

use crate::compare::listing::{Hex, Text};
use crate::model::Name;

use super::dominators::dominators;
use super::graph::EntryGraph;
use super::output::{EntryFacts, EntryReachability, Retained};
use super::reach::{RootDistances, RootKindSet, root_kinds};
use super::retained::{self, DominatorTree};
use super::search::DepthFirstSearch;

/// A graph with its strongly connected components and what its roots reach.
#[derive(Clone, Debug)]
pub struct Analysis {
    graph: EntryGraph,
    search: DepthFirstSearch,
    from_roots: Option<RootAnalysis>,
}

/// Reachability, immediate dominators and retained sizes, as seen from the roots of a heap.
#[derive(Clone, Debug)]
pub struct RootAnalysis {
    /// The immediate dominator of each number of the search.
    dominators: Vec<u32>,
    tree: DominatorTree,
    /// The search's number of each entry.
    numbers: Vec<u32>,
    /// The entry of each number.
    entries: Vec<u32>,
}

impl Analysis {
    /// Computes everything. It takes some 70 bytes of memory for each class and object and 4 for each reference, the
    /// graph included, and up to half as much again while it runs.
    pub fn new(graph: EntryGraph) -> Analysis {
        let roots = graph.root_entries();
        let mut search = DepthFirstSearch::new(&graph, roots.as_deref().unwrap_or_default());
        let from_roots = roots.map(|_| {
            let dominators = dominators(&mut search);
            search.parents = Vec::new();
            let tree = DominatorTree::new(&graph, &search, &dominators);
            search.entries.truncate(search.reached as usize + 1);
            RootAnalysis {
                dominators,
                tree,
                numbers: std::mem::take(&mut search.numbers),
                entries: std::mem::take(&mut search.entries),
            }
        });
        Analysis { graph, search, from_roots }
    }

    /// The graph.
    pub fn graph(&self) -> &EntryGraph {
        &self.graph
    }

    /// The entries that roots reach; `None` where the dump records no roots.
    pub fn reached(&self) -> Option<&RootAnalysis> {
        self.from_roots.as_ref()
    }

    /// The distances of entries from the roots.
    pub fn distances(&self) -> Option<RootDistances> {
        Some(RootDistances::from_roots(&self.graph, &self.graph.root_entries()?))
    }

    /// The number of references to an entry, from all entries.
    pub fn in_degree(&self, entry: u32) -> u64 {
        self.search.in_degrees[entry as usize].into()
    }

    /// The strongly connected components, each with its entries: no entry refers to one of a later component.
    pub fn components(&self) -> impl Iterator<Item = &[u32]> {
        self.search.components().map(|run| &self.search.by_component[run])
    }

    /// The kinds of root that reach each entry: a bit for each kind, by its place in
    /// [`RootKind::FORMS`](crate::model::RootKind::FORMS).
    pub fn root_kinds(&self) -> Vec<u16> {
        let kinds: Vec<RootKindSet> = root_kinds(&self.graph, &self.search);
        kinds
    }

    /// The entries and bytes that single objects of each class name retain, by the names of [`EntryGraph::names`]. Entries
    /// that several such objects keep alive together, and none alone, are not counted.
    pub fn retained_by_name(&self) -> Option<Vec<Retained>> {
        let reached = self.from_roots.as_ref()?;
        Some(reached.tree.retained_by_name(&reached.dominators, self.graph.names().len()))
    }

    /// Calls `each` with the answers about each entry, in the order of the dump.
    ///
    /// # Errors
    /// If `each` fails.
    pub fn visit_entries<E>(&self, mut each: impl FnMut(EntryFacts) -> Result<(), E>) -> Result<(), E> {
        let graph = &self.graph;
        let distances = self.distances();
        let mut lowest: Vec<u32> = (0..graph.len() as u32).collect();
        for component in self.components().filter(|component| component.len() > 1) {
            let least = component.iter().copied().min_by_key(|entry| graph.address(*entry)).unwrap_or_default();
            // Marked by an entry that is not its own: the lowest one is by another of the component.
            component.iter().for_each(|entry| lowest[*entry as usize] = least);
            lowest[least as usize] = component.iter().copied().find(|entry| *entry != least).unwrap_or(least);
        }
        for entry in 0..graph.len() as u32 {
            let in_component = lowest[entry as usize];
            let component = (in_component != entry).then(|| graph.address(in_component).min(graph.address(entry)));
            let reached =
                self.from_roots.as_ref().map(|reached| reached.reached_facts(graph, entry, distances.as_ref()));
            each(EntryFacts {
                address: Hex(graph.address(entry).0),
                class: self.class_of(entry).map(Text::from),
                is_class: graph.kind(entry).is_none(),
                bytes: graph.size(entry),
                reached,
                component: component.map(|address| Hex(address.0)),
            })?;
        }
        Ok(())
    }

    /// The name of an entry's class, or its own, if it is a class, in the form of Java source.
    pub fn class_of(&self, entry: u32) -> Option<&Name> {
        Some(&self.graph.names()[self.graph.name(entry)? as usize])
    }
}

impl RootAnalysis {
    /// Whether an entry is reachable.
    pub fn is_reachable(&self, entry: u32) -> bool {
        self.number(entry).is_some()
    }

    /// The number of reachable entries.
    pub fn count(&self) -> usize {
        self.entries.len() - 1
    }

    /// The immediate dominator of an entry: the last of the entries that are on every path to it. `None` where only the
    /// roots dominate it, and where the entry is not reachable.
    pub fn dominator(&self, entry: u32) -> Option<u32> {
        match self.dominators[self.number(entry)? as usize] {
            0 => None,
            number => Some(self.entries[number as usize]),
        }
    }

    /// The entries and bytes that would not be reachable without an entry; `None` where it is not reachable itself.
    pub fn retained(&self, entry: u32) -> Option<Retained> {
        Some(self.tree.retained(self.number(entry)?))
    }

    /// The retained size of each entry, computed from `size` and not from the dump's sizes. 0 for an unreachable entry.
    pub fn retained_sizes(&self, size: impl Fn(u32) -> u64) -> Vec<u64> {
        let sums = retained::dominated_sums(&self.dominators, |number| size(self.entries[number]));
        let mut sizes = vec![0; self.numbers.len()];
        for (entry, sum) in self.entries.iter().zip(sums).skip(1) {
            sizes[*entry as usize] = sum;
        }
        sizes
    }

    /// The entries that only roots dominate, with what each retains, in no particular order.
    pub fn undominated(&self) -> impl Iterator<Item = (u32, Retained)> {
        let all = (1..self.dominators.len() as u32).filter(|number| self.dominators[*number as usize] == 0);
        all.map(|number| (self.entries[number as usize], self.tree.retained(number)))
    }

    /// The chain from an entry to the dominated entry that retains most bytes, and so on, as long as that is more than
    /// half.
    pub(super) fn retention_path(&self, entry: u32) -> impl Iterator<Item = u32> {
        let mut at = self.number(entry);
        std::iter::from_fn(move || {
            let number = at.take()?;
            let below = self.tree.children(number);
            let most = below.max_by_key(|below| (self.tree.retained(*below).bytes, std::cmp::Reverse(*below)))?;
            let all = self.tree.retained(number).bytes;
            at = Some(most).filter(|most| self.tree.retained(*most).bytes > all / 2);
            Some(self.entries[at? as usize])
        })
    }

    fn number(&self, entry: u32) -> Option<u32> {
        Some(self.numbers[entry as usize]).filter(|number| (*number as usize) < self.entries.len())
    }

    fn reached_facts(&self, graph: &EntryGraph, entry: u32, distances: Option<&RootDistances>) -> EntryReachability {
        EntryReachability {
            reachable: self.is_reachable(entry),
            distance: distances.and_then(|distances| distances.distance(entry)),
            dominator: self.dominator(entry).map(|dominator| Hex(graph.address(dominator).0)),
            retained: self.retained(entry),
        }
    }
}
