//! The kinds of root that reach an entry, and its distance from the roots.

use crate::model::RootKind;

use super::graph::EntryGraph;
use super::search::DepthFirstSearch;

/// A set of root kinds: a bit for each, by its place in [`RootKind::FORMS`].
pub(super) type RootKindSet = u16;

const _: () = assert!(RootKind::FORMS.len() <= RootKindSet::BITS as usize);

/// The kinds of root that reach each entry.
pub(super) fn root_kinds(graph: &EntryGraph, search: &DepthFirstSearch) -> Vec<RootKindSet> {
    let mut kinds: Vec<RootKindSet> = vec![0; graph.len()];
    for root in graph.roots().into_iter().flatten().filter(|root| root.keeps()) {
        if let Some(entry) = root.entry {
            kinds[entry as usize] |= 1 << root.kind;
        }
    }
    // From those to which no other component refers: a component is complete before what it refers to is looked at.
    for run in search.components_reversed() {
        let members = &search.by_component[run];
        let all = members.iter().fold(0, |all, entry| all | kinds[*entry as usize]);
        for &entry in members.iter().rev() {
            kinds[entry as usize] = all;
            if all != 0 {
                graph.references(entry).for_each(|to| kinds[to as usize] |= all);
            }
        }
    }
    kinds
}

/// The distance and a shortest path from the nearest root for each entry.
#[derive(Clone, Debug)]
pub struct RootDistances {
    distances: Vec<u32>,
    /// The entry before each one on a shortest path; for roots, the entry itself.
    before: Vec<u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl RootDistances {
    /// Walks breadth first from the roots. Of several shortest paths the first one found is kept: entries of roots in
    /// the dump's order, and references in theirs.
    pub(super) fn from_roots(graph: &EntryGraph, roots: &[u32]) -> RootDistances {
        let mut distances = vec![UNREACHABLE; graph.len()];
        let mut before = vec![0; graph.len()];
        let mut reached = roots.to_vec();
        for root in roots {
            (distances[*root as usize], before[*root as usize]) = (0, *root);
        }
        let mut distance = 0;
        while !reached.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for entry in reached {
                for to in graph.references(entry) {
                    if distances[to as usize] == UNREACHABLE {
                        (distances[to as usize], before[to as usize]) = (distance, entry);
                        next.push(to);
                    }
                }
            }
            reached = next;
        }
        RootDistances { distances, before }
    }

    /// The length of a shortest path from a root, in references: 0 for the entry of a root. `None` for an unreachable
    /// entry.
    pub fn distance(&self, entry: u32) -> Option<u32> {
        Some(self.distances[entry as usize]).filter(|distance| *distance != UNREACHABLE)
    }

    /// A shortest path from a root, both ends included.
    pub fn path(&self, entry: u32) -> Option<Vec<u32>> {
        self.distance(entry)?;
        let mut path = vec![entry];
        let mut at = entry;
        while self.before[at as usize] != at {
            at = self.before[at as usize];
            path.push(at);
        }
        path.reverse();
        Some(path)
    }
}
