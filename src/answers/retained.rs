//! What would become unreachable without an entry, or without one or another object of a class.

use super::graph::Graph;
use super::search::Search;

/// How much is dominated, by numbers of a [`Search`].
#[derive(Clone, Debug)]
pub(super) struct Retained {
    /// How many entries an entry dominates, itself included.
    pub(super) entries: Vec<u32>,
    /// The bytes of those whose size the dump records.
    pub(super) bytes: Vec<u64>,
}

impl Retained {
    /// Adds up along the tree of dominators, in which those of higher numbers stand below those of lower ones. `entries` is memory.
    pub(super) fn of(graph: &Graph, search: &Search, dominators: &[u32], mut entries: Vec<u32>) -> Retained {
        let size = |number: usize| graph.size(search.entries[number]).unwrap_or(0);
        entries.clear();
        entries.resize(dominators.len(), 1);
        for number in (1..dominators.len()).rev() {
            entries[dominators[number] as usize] += entries[number];
        }
        entries[0] -= 1;
        Retained { entries, bytes: sums(dominators, size) }
    }
}

/// By number, the sum of sizes over what is dominated, itself included.
pub(super) fn sums(dominators: &[u32], size: impl Fn(usize) -> u64) -> Vec<u64> {
    let mut sums = vec![0_u64; dominators.len()];
    for number in (1..dominators.len()).rev() {
        let above = dominators[number] as usize;
        sums[number] = sums[number].saturating_add(size(number));
        sums[above] = sums[above].saturating_add(sums[number]);
    }
    sums
}

/// What one or another object of each name of a class retains, by the names of [`Graph::names`]: entries and bytes. What
/// several of them hold and none alone is not among it; class objects are no objects of the class that they are.
pub(super) fn by_name(
    graph: &Graph,
    entries: &[u32],
    dominators: &[u32],
    tree: &Tree,
    retained: &Retained,
) -> Vec<(u64, u64)> {
    let mut sums = vec![(0_u64, 0_u64); graph.names().len()];
    let mut above = vec![0_u32; graph.names().len()];
    let name_of = |number: u32| {
        let entry = entries[number as usize];
        graph.kind(entry).and(graph.name(entry)).map(|name| name as usize)
    };
    let mut at = 0;
    loop {
        if at != 0
            && let Some(name) = name_of(at)
        {
            if above[name] == 0 {
                sums[name].0 += u64::from(retained.entries[at as usize]);
                sums[name].1 = sums[name].1.saturating_add(retained.bytes[at as usize]);
            }
            above[name] += 1;
        }
        let mut next = tree.nodes[at as usize].first;
        while next == 0 {
            if at == 0 {
                return sums;
            }
            if let Some(name) = name_of(at) {
                above[name] -= 1;
            }
            next = tree.nodes[at as usize].next;
            if next == 0 {
                at = dominators[at as usize];
            }
        }
        at = next;
    }
}

/// The tree of dominators from the roots down.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// By number.
    nodes: Vec<Node>,
}

/// Where the tree goes on; 0 is no entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    /// The first one that is dominated immediately.
    first: u32,
    /// The next one with the same dominator.
    next: u32,
}

impl Tree {
    /// `nodes` is memory.
    pub(super) fn of(dominators: &[u32], mut nodes: Vec<Node>) -> Tree {
        nodes.clear();
        nodes.resize(dominators.len(), Node::default());
        for number in (1..dominators.len()).rev() {
            let above = &mut nodes[dominators[number] as usize].first;
            let next = std::mem::replace(above, number as u32);
            nodes[number].next = next;
        }
        Tree { nodes }
    }

    /// Those that are dominated immediately, in ascending order.
    pub(super) fn below(&self, number: u32) -> impl Iterator<Item = u32> {
        let mut next = self.nodes[number as usize].first;
        std::iter::from_fn(move || {
            let at = next;
            (at != 0).then(|| next = self.nodes[at as usize].next)?;
            Some(at)
        })
    }
}
