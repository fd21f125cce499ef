//! One walk through the graph, depth first: the order in which entries are reached, and the strongly connected components.

use super::graph::Graph;

/// What a walk finds. Entries have *numbers* in the order in which they are reached, from 1 on; 0 stands for the roots.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// By number, the entry; the first is none.
    pub(super) entries: Vec<u32>,
    /// By entry, its number.
    pub(super) numbers: Vec<u32>,
    /// By number, that of the entry through which it was reached; 0 for roots.
    pub(super) parents: Vec<u32>,
    /// How many entries are reached from roots: their numbers come first.
    pub(super) reached: u32,
    /// The entries, those of one component after each other; no entry refers to one of a later component.
    pub(super) by_component: Vec<u32>,
    /// Where each component ends in `by_component`.
    pub(super) ends: Vec<u32>,
}

impl Search {
    /// Walks from the roots, and then from what they do not reach (Tarjan, "Depth-first search and linear graph algorithms",
    /// 1972, without recursion).
    pub(super) fn of(graph: &Graph, roots: &[u32]) -> Search {
        let count = graph.len();
        let mut search = Search {
            entries: Vec::with_capacity(count + 1),
            numbers: vec![0; count],
            parents: Vec::with_capacity(count + 1),
            reached: 0,
            by_component: Vec::with_capacity(count),
            ends: Vec::new(),
        };
        search.entries.push(0);
        search.parents.push(0);
        let mut walk = Walk { search, lowest: vec![0; count], pending: Vec::new(), way: Vec::new() };
        roots.iter().for_each(|root| walk.from(graph, *root));
        walk.search.reached = walk.search.entries.len() as u32 - 1;
        (0..count as u32).for_each(|entry| walk.from(graph, entry));
        walk.search
    }
}

struct Walk {
    search: Search,
    /// By entry, the least number that it leads back to, or [`DONE`] once its component is complete.
    lowest: Vec<u32>,
    /// Entries whose component is not complete.
    pending: Vec<u32>,
    /// The way to the current entry, and how many references of each were followed.
    way: Vec<(u32, u32)>,
}

const DONE: u32 = u32::MAX;

impl Walk {
    fn from(&mut self, graph: &Graph, root: u32) {
        if self.search.numbers[root as usize] != 0 {
            return;
        }
        self.enter(root, 0);
        while let Some((entry, followed)) = self.way.last_mut() {
            let entry = *entry;
            let Some(to) = graph.reference(entry, *followed) else {
                self.leave(entry);
                continue;
            };
            *followed += 1;
            let number = self.search.numbers[to as usize];
            if number == 0 {
                let parent = self.search.numbers[entry as usize];
                self.enter(to, parent);
            } else if self.lowest[to as usize] != DONE {
                let lowest = &mut self.lowest[entry as usize];
                *lowest = number.min(*lowest);
            }
        }
    }

    fn enter(&mut self, entry: u32, parent: u32) {
        let number = self.search.entries.len() as u32;
        self.search.numbers[entry as usize] = number;
        self.lowest[entry as usize] = number;
        self.search.entries.push(entry);
        self.search.parents.push(parent);
        self.pending.push(entry);
        self.way.push((entry, 0));
    }

    fn leave(&mut self, entry: u32) {
        self.way.pop();
        let lowest = self.lowest[entry as usize];
        if lowest == self.search.numbers[entry as usize] {
            while let Some(member) = self.pending.pop() {
                self.lowest[member as usize] = DONE;
                self.search.by_component.push(member);
                if member == entry {
                    break;
                }
            }
            self.search.ends.push(self.search.by_component.len() as u32);
        }
        if let Some((above, _)) = self.way.last() {
            let above = &mut self.lowest[*above as usize];
            *above = lowest.min(*above);
        }
    }
}
