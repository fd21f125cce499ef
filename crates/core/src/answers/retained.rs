//! Retained sets: the entries that would become unreachable without one entry, or without single objects of a class.

use super::graph::EntryGraph;
use super::output::Retained;
use super::search::DepthFirstSearch;

/// The dominator tree by numbers of a [`DepthFirstSearch`], with the size of each subtree.
#[derive(Clone, Debug)]
pub(super) struct DominatorTree {
    nodes: Vec<DominatorNode>,
    /// The bytes that each entry dominates, its own included, as far as the dump records sizes.
    bytes: Vec<u64>,
}

/// A node of the dominator tree; 0 is no node. Its fields stand together since nodes are looked up at random.
#[derive(Clone, Copy, Debug)]
struct DominatorNode {
    /// The first immediately dominated node.
    first: u32,
    /// The next node with the same dominator.
    next: u32,
    /// The number of dominated entries, this one included.
    entries: u32,
    /// The class name of an object by [`EntryGraph::names`]; [`NAMELESS`] for other entries.
    name: u32,
}

const NAMELESS: u32 = u32::MAX;

impl DominatorTree {
    /// Adds up subtrees; nodes of higher numbers stand below those of lower ones.
    pub(super) fn new(graph: &EntryGraph, search: &DepthFirstSearch, dominators: &[u32]) -> DominatorTree {
        let (mut nodes, mut bytes) = (Vec::with_capacity(dominators.len()), Vec::with_capacity(dominators.len()));
        nodes.push(DominatorNode { first: 0, next: 0, entries: 1, name: NAMELESS });
        bytes.push(0_u64);
        for entry in &search.entries[1..dominators.len()] {
            let of = &graph.types()[graph.type_number(*entry) as usize];
            let name = of.kind.and(of.name).unwrap_or(NAMELESS);
            nodes.push(DominatorNode { first: 0, next: 0, entries: 1, name });
            bytes.push(of.size.unwrap_or(0));
        }
        for number in (1..dominators.len()).rev() {
            let above = dominators[number] as usize;
            bytes[above] = bytes[above].saturating_add(bytes[number]);
            let entries = nodes[number].entries;
            nodes[above].entries += entries;
            nodes[number].next = std::mem::replace(&mut nodes[above].first, number as u32);
        }
        nodes[0].entries -= 1;
        DominatorTree { nodes, bytes }
    }

    /// The entries and bytes that an entry retains.
    pub(super) fn retained(&self, number: u32) -> Retained {
        Retained { entries: self.nodes[number as usize].entries.into(), bytes: self.bytes[number as usize] }
    }

    /// The immediately dominated numbers, in ascending order.
    pub(super) fn children(&self, number: u32) -> impl Iterator<Item = u32> {
        let mut next = self.nodes[number as usize].first;
        std::iter::from_fn(move || {
            let at = next;
            (at != 0).then(|| next = self.nodes[at as usize].next)?;
            Some(at)
        })
    }

    /// The entries and bytes that single objects of each class name retain. Entries that several objects keep alive
    /// together, and none alone, are not counted; class objects do not count as objects of their class.
    pub(super) fn retained_by_name(&self, dominators: &[u32], names: usize) -> Vec<Retained> {
        let mut sums = vec![Retained::default(); names];
        // How many objects of each name stand above.
        let mut above = vec![0_u32; names];
        let mut at = 0;
        loop {
            let node = self.nodes[at as usize];
            if at != 0
                && let Some(above) = above.get_mut(node.name as usize)
            {
                if *above == 0 {
                    let (sum, retained) = (&mut sums[node.name as usize], self.retained(at));
                    sum.entries += retained.entries;
                    sum.bytes = sum.bytes.saturating_add(retained.bytes);
                }
                *above += 1;
            }
            let mut next = node.first;
            while next == 0 {
                if at == 0 {
                    return sums;
                }
                let node = self.nodes[at as usize];
                if let Some(above) = above.get_mut(node.name as usize) {
                    *above -= 1;
                }
                next = node.next;
                if next == 0 {
                    at = dominators[at as usize];
                }
            }
            at = next;
        }
    }
}

/// The sum of `size` over what each number dominates, itself included.
pub(super) fn dominated_sums(dominators: &[u32], size: impl Fn(usize) -> u64) -> Vec<u64> {
    let mut sums = vec![0_u64; dominators.len()];
    for number in (1..dominators.len()).rev() {
        let above = dominators[number] as usize;
        sums[number] = sums[number].saturating_add(size(number));
        sums[above] = sums[above].saturating_add(sums[number]);
    }
    sums
}
