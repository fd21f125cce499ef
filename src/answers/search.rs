//! One walk through the graph, depth first: the order in which entries are reached, and the strongly connected components.

use std::ops::Range;

use super::graph::Graph;
use super::reuse::emptied;

/// What a walk finds. Entries have *numbers* in the order in which they are reached, from 1 on; 0 stands for the roots.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// By number, the entry; the first is none.
    pub(super) entries: Vec<u32>,
    /// By entry, its number.
    pub(super) numbers: Vec<u32>,
    /// By number, that of the entry through which it was reached; 0 where the walk set out.
    pub(super) parents: Vec<u32>,
    /// By number, of what roots reach, the least one from which a reference leads there down the tree of the walk: one of those on the
    /// way to it. 0 for roots, and for that to which another reference leads that the walk met after it had set out from another root:
    /// then no entry is on every way there.
    pub(super) least: Vec<u32>,
    /// The other references from what roots reach, each by the number to which it leads and the one from which: that is higher.
    /// Those to entries of which `least` is 0 need not be among them.
    pub(super) across: Vec<[u32; 2]>,
    /// How many entries are reached from roots: their numbers come first.
    pub(super) reached: u32,
    /// By entry, how many references lead there from all entries.
    pub(super) in_degrees: Vec<u32>,
    /// The entries, those of one component after each other; no entry refers to one of a later component.
    pub(super) by_component: Vec<u32>,
    /// Where components end in `by_component`.
    pub(super) ends: Bits,
    /// What was known of entries on the way: memory for what comes next.
    pub(super) states: Vec<State>,
}

impl Search {
    /// Walks from the roots, and then from what they do not reach (Tarjan, "Depth-first search and linear graph algorithms", 1972; as
    /// by Nuutila and Soisalon-Soininen, "On finding the strongly connected components in a directed graph", 1994, an entry that is a
    /// component alone is never put aside; without recursion).
    pub(super) fn of(graph: &Graph, roots: &[u32]) -> Search {
        let count = graph.len();
        let search = Search {
            entries: Vec::with_capacity(count + 1),
            numbers: Vec::new(),
            parents: Vec::with_capacity(count + 1),
            least: Vec::with_capacity(count + 1),
            across: Vec::new(),
            reached: 0,
            in_degrees: Vec::new(),
            by_component: Vec::with_capacity(count),
            ends: Bits::of(count),
            states: Vec::new(),
        };
        let state = |entry| State {
            number: 0,
            in_degree: 0,
            left: graph.listed(entry).start,
            of_type: graph.type_number(entry),
        };
        // The dominators have as many, and one for the roots.
        let mut states = Vec::with_capacity(count + 1);
        states.extend((0..count as u32).map(state));
        let mut walk = Walk {
            graph,
            search,
            states,
            roots: Bits::of(count),
            undominated: Bits::of(count + 1),
            from: 0,
            complete: Bits::of(count + 1),
            pending: Vec::new(),
            way: Vec::new(),
        };
        walk.search.entries.push(0);
        walk.search.parents.push(0);
        walk.search.least.push(0);
        roots.iter().for_each(|root| walk.roots.set(*root as usize));
        roots.iter().for_each(|root| walk.from::<true>(*root));
        walk.search.reached = walk.search.entries.len() as u32 - 1;
        (0..count as u32).for_each(|entry| walk.from::<false>(entry));
        let Walk { mut search, states, pending, way, .. } = walk;
        (search.numbers, search.in_degrees) = (emptied(way), emptied(pending));
        search.numbers.extend(states.iter().map(|state| state.number));
        search.in_degrees.extend(states.iter().map(|state| state.in_degree));
        // The way may have taken several times as much.
        search.numbers.shrink_to_fit();
        search.in_degrees.shrink_to_fit();
        search.states = states;
        search
    }

    /// The components, from the first on, as places in `by_component`.
    pub(super) fn components(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = from;
            from = (start..self.by_component.len()).find(|place| self.ends.has(*place))? + 1;
            Some(start..from)
        })
    }

    /// The components, from the last on.
    pub(super) fn components_back(&self) -> impl Iterator<Item = Range<usize>> {
        let mut to = self.by_component.len();
        std::iter::from_fn(move || {
            let end = to;
            to = (0..end.checked_sub(1)?).rev().find(|place| self.ends.has(*place)).map_or(0, |place| place + 1);
            Some(to..end)
        })
    }
}

/// A set of places, a bit for each: so small that it stays in a cache.
#[derive(Clone, Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Of a number of places, none of which is in the set yet.
    fn of(places: usize) -> Bits {
        Bits(vec![0; places.div_ceil(64)])
    }

    fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }
}

struct Walk<'g> {
    graph: &'g Graph,
    search: Search,
    /// By entry. What is known of one stands together: it is looked up at random.
    states: Vec<State>,
    /// By entry, whether it is a root.
    roots: Bits,
    /// By number, whether it is already certain that no entry dominates it: so `least` is 0.
    undominated: Bits,
    /// The number of the entry from which the walk set out.
    from: u32,
    /// By number, whether the component is complete.
    complete: Bits,
    /// The numbers of entries that are done with, and whose component is not complete.
    pending: Vec<u32>,
    /// The way to the current entry, with the references that were not followed yet.
    way: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// 0 for an entry that was not reached.
    number: u32,
    /// References to it that were met: each is met once.
    in_degree: u32,
    /// The place of its first reference, and its type: the graph has them, too, elsewhere in memory.
    left: u32,
    of_type: u32,
}

/// An entry on the way. There can be as many as there are entries, so that it is small.
struct Step {
    number: u32,
    /// The place of the next reference, of those before `end`.
    next: u32,
    end: u32,
    /// The lowest number that is known to be in its component.
    lowest: u32,
}

impl Walk<'_> {
    fn from<const IS_REACHED: bool>(&mut self, root: u32) {
        if self.states[root as usize].number != 0 {
            return;
        }
        self.from = self.search.entries.len() as u32;
        self.enter::<IS_REACHED>(root, 0);
        while let Some(step) = self.way.last_mut() {
            let Step { number, next, end, lowest } = *step;
            if next < end {
                step.next += 1;
                self.meet::<IS_REACHED>(self.graph.target(next), number);
            } else {
                self.way.pop();
                self.leave(number, lowest);
            }
        }
    }

    /// A reference from a number to an entry.
    #[inline]
    fn meet<const IS_REACHED: bool>(&mut self, entry: u32, from: u32) {
        let state = &mut self.states[entry as usize];
        state.in_degree += 1;
        let number = state.number;
        if number == 0 {
            self.enter::<IS_REACHED>(entry, from);
            return;
        }
        if !self.complete.has(number as usize) {
            self.lower(number);
        }
        if IS_REACHED && from != number && !self.undominated.has(number as usize) {
            let least = &mut self.search.least[number as usize];
            if from < number {
                *least = from.min(*least);
            } else if number < self.from {
                // On the way from this root to there, all numbers are higher.
                *least = 0;
                self.undominated.set(number as usize);
            } else {
                self.search.across.push([number, from]);
            }
        }
    }

    fn enter<const IS_REACHED: bool>(&mut self, entry: u32, parent: u32) {
        let number = self.search.entries.len() as u32;
        let state = &mut self.states[entry as usize];
        state.number = number;
        let State { left: next, of_type, .. } = *state;
        let after = self.states.get(entry as usize + 1);
        let end = after.map_or_else(|| self.graph.listed(entry).end, |state| state.left);
        self.search.entries.push(entry);
        self.search.parents.push(parent);
        if IS_REACHED {
            let is_root = self.roots.has(entry as usize);
            self.search.least.push(if is_root { 0 } else { parent });
            if is_root {
                self.undominated.set(number as usize);
            }
        }
        let class = self.graph.types()[of_type as usize].class;
        if next == end && class.is_none() {
            // It leads nowhere.
            self.complete(number);
            self.search.ends.set(self.search.by_component.len() - 1);
            return;
        }
        self.way.push(Step { number, next, end, lowest: number });
        // Only objects have a class: this goes no deeper.
        if let Some(class) = class {
            self.meet::<IS_REACHED>(class, number);
        }
    }

    /// The last entry on the way is of the same component as one with this number.
    fn lower(&mut self, number: u32) {
        if let Some(step) = self.way.last_mut() {
            step.lowest = step.lowest.min(number);
        }
    }

    fn leave(&mut self, number: u32, lowest: u32) {
        if lowest < number {
            self.pending.push(number);
            self.lower(lowest);
            return;
        }
        while let Some(member) = self.pending.pop_if(|member| *member > number) {
            self.complete(member);
        }
        self.complete(number);
        self.search.ends.set(self.search.by_component.len() - 1);
    }

    /// The component of a number is complete.
    fn complete(&mut self, number: u32) {
        self.complete.set(number as usize);
        self.search.by_component.push(self.search.entries[number as usize]);
    }
}
