//! A depth-first search of the graph: the order in which entries are reached, and the strongly connected components.

use std::ops::Range;

use super::graph::EntryGraph;

/// The result of the search. Entries have *numbers* in the order in which they are reached, from 1 on; 0 stands for the
/// roots.
#[derive(Clone, Debug)]
pub(super) struct DepthFirstSearch {
    /// The entry of each number; the first one is unused.
    pub(super) entries: Vec<u32>,
    /// The number of each entry.
    pub(super) numbers: Vec<u32>,
    /// The parent of each number in the tree of the search; 0 where the walk started.
    pub(super) parents: Vec<u32>,
    /// The lowest ancestor of each number that refers to it directly, of those that roots reach. 0 for roots, and for
    /// an entry that is also reached from a later root by another reference: then no entry dominates it.
    pub(super) least: Vec<u32>,
    /// The other references from reachable entries, each as the numbers of its target and of its source, which is
    /// higher. References to entries whose `least` is 0 may be missing.
    pub(super) across: Vec<[u32; 2]>,
    /// The number of reachable entries, whose numbers come first.
    pub(super) reached: u32,
    /// The number of references to each entry, from all entries.
    pub(super) in_degrees: Vec<u32>,
    /// The entries, component by component; no entry refers to one of a later component.
    pub(super) by_component: Vec<u32>,
    /// The ends of components in `by_component`.
    pub(super) ends: PlaceSet,
}

impl DepthFirstSearch {
    /// Walks from the roots, and then from the entries that these do not reach (Tarjan, "Depth-first search and linear
    /// graph algorithms", 1972; as by Nuutila and Soisalon-Soininen, "On finding the strongly connected components in a
    /// directed graph", 1994, an entry that is a component alone is never put aside; without recursion).
    pub(super) fn new(graph: &EntryGraph, roots: &[u32]) -> DepthFirstSearch {
        let count = graph.len();
        let search = DepthFirstSearch {
            entries: Vec::with_capacity(count + 1),
            numbers: Vec::new(),
            parents: Vec::with_capacity(count + 1),
            least: Vec::with_capacity(count + 1),
            across: Vec::new(),
            reached: 0,
            in_degrees: Vec::new(),
            by_component: Vec::with_capacity(count),
            ends: PlaceSet::with_capacity(count),
        };
        let state = |entry| EntryState {
            number: 0,
            in_degree: 0,
            left: graph.reference_range(entry).start,
            of_type: graph.type_number(entry),
        };
        let states = (0..count as u32).map(state).collect();
        let mut walk = DepthFirstWalk {
            graph,
            search,
            states,
            roots: PlaceSet::with_capacity(count),
            undominated: PlaceSet::with_capacity(count + 1),
            from: 0,
            complete: PlaceSet::with_capacity(count + 1),
            pending: Vec::new(),
            way: Vec::new(),
        };
        walk.search.entries.push(0);
        walk.search.parents.push(0);
        walk.search.least.push(0);
        roots.iter().for_each(|root| walk.roots.set(*root as usize));
        roots.iter().for_each(|root| walk.walk_from::<true>(*root));
        walk.search.reached = walk.search.entries.len() as u32 - 1;
        (0..count as u32).for_each(|entry| walk.walk_from::<false>(entry));
        let DepthFirstWalk { mut search, states, way, pending, .. } = walk;
        // They may have taken several times as much as what follows.
        drop((way, pending));
        search.numbers = states.iter().map(|state| state.number).collect();
        search.in_degrees = states.iter().map(|state| state.in_degree).collect();
        search
    }

    /// The components, first to last, as ranges of `by_component`.
    pub(super) fn components(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = from;
            from = (start..self.by_component.len()).find(|place| self.ends.has(*place))? + 1;
            Some(start..from)
        })
    }

    /// The components, last to first.
    pub(super) fn components_reversed(&self) -> impl Iterator<Item = Range<usize>> {
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
pub(super) struct PlaceSet(Vec<u64>);

impl PlaceSet {
    /// An empty set of this capacity.
    fn with_capacity(places: usize) -> PlaceSet {
        PlaceSet(vec![0; places.div_ceil(64)])
    }

    fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }
}

struct DepthFirstWalk<'g> {
    graph: &'g EntryGraph,
    search: DepthFirstSearch,
    /// The state of each entry. Its fields stand together since states are looked up at random.
    states: Vec<EntryState>,
    /// The entries that are roots.
    roots: PlaceSet,
    /// The numbers that certainly no entry dominates, so that their `least` is 0.
    undominated: PlaceSet,
    /// The number of the entry at which the walk started.
    from: u32,
    /// The numbers whose component is complete.
    complete: PlaceSet,
    /// The numbers of finished entries whose component is not complete.
    pending: Vec<u32>,
    /// The path to the current entry, with the references that were not followed yet.
    way: Vec<SearchStep>,
}

#[derive(Clone, Copy, Debug)]
struct EntryState {
    /// The entry's number; 0 before it is reached.
    number: u32,
    /// The references to it that were followed: each is followed once.
    in_degree: u32,
    /// The place of its first reference, and its type: copied from the graph for locality.
    left: u32,
    of_type: u32,
}

/// An entry on the path. There can be as many as entries, so that it is small.
struct SearchStep {
    number: u32,
    /// The place of the next reference, of those before `end`.
    next: u32,
    end: u32,
    /// The lowest number that is known to be in its component.
    lowest: u32,
}

impl DepthFirstWalk<'_> {
    fn walk_from<const IS_REACHED: bool>(&mut self, root: u32) {
        if self.states[root as usize].number != 0 {
            return;
        }
        self.from = self.search.entries.len() as u32;
        self.discover::<IS_REACHED>(root, 0);
        while let Some(step) = self.way.last_mut() {
            let SearchStep { number, next, end, lowest } = *step;
            if next < end {
                step.next += 1;
                self.follow_reference::<IS_REACHED>(self.graph.target(next), number);
            } else {
                self.way.pop();
                self.finish_entry(number, lowest);
            }
        }
    }

    /// Follows a reference from a number to an entry.
    #[inline]
    fn follow_reference<const IS_REACHED: bool>(&mut self, entry: u32, from: u32) {
        let state = &mut self.states[entry as usize];
        state.in_degree += 1;
        let number = state.number;
        if number == 0 {
            self.discover::<IS_REACHED>(entry, from);
            return;
        }
        if !self.complete.has(number as usize) {
            self.lower_lowlink(number);
        }
        if IS_REACHED && from != number && !self.undominated.has(number as usize) {
            let least = &mut self.search.least[number as usize];
            if from < number {
                *least = from.min(*least);
            } else if number < self.from {
                // On the path from this root to there, all numbers are higher.
                *least = 0;
                self.undominated.set(number as usize);
            } else {
                self.search.across.push([number, from]);
            }
        }
    }

    fn discover<const IS_REACHED: bool>(&mut self, entry: u32, parent: u32) {
        let number = self.search.entries.len() as u32;
        let state = &mut self.states[entry as usize];
        state.number = number;
        let EntryState { left: next, of_type, .. } = *state;
        let after = self.states.get(entry as usize + 1);
        let end = after.map_or_else(|| self.graph.reference_range(entry).end, |state| state.left);
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
            self.complete_component(number);
            self.search.ends.set(self.search.by_component.len() - 1);
            return;
        }
        self.way.push(SearchStep { number, next, end, lowest: number });
        // Only objects have a class: this goes no deeper.
        if let Some(class) = class {
            self.follow_reference::<IS_REACHED>(class, number);
        }
    }

    /// Notes that the last entry on the path is in the component of a number.
    fn lower_lowlink(&mut self, number: u32) {
        if let Some(step) = self.way.last_mut() {
            step.lowest = step.lowest.min(number);
        }
    }

    fn finish_entry(&mut self, number: u32, lowest: u32) {
        if lowest < number {
            self.pending.push(number);
            self.lower_lowlink(lowest);
            return;
        }
        while let Some(member) = self.pending.pop_if(|member| *member > number) {
            self.complete_component(member);
        }
        self.complete_component(number);
        self.search.ends.set(self.search.by_component.len() - 1);
    }

    /// Completes the component of a number.
    fn complete_component(&mut self, number: u32) {
        self.complete.set(number as usize);
        self.search.by_component.push(self.search.entries[number as usize]);
    }
}
