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
    /// By number, that of the entry through which it was reached; 0 for roots.
    pub(super) parents: Vec<u32>,
    /// How many entries are reached from roots: their numbers come first.
    pub(super) reached: u32,
    /// By number, how many references lead there from what roots reach; of what they reach alone.
    pub(super) from_reached: Vec<u32>,
    /// By entry, how many references lead there from all entries.
    pub(super) in_degrees: Vec<u32>,
    /// The entries, those of one component after each other; no entry refers to one of a later component.
    pub(super) by_component: Vec<u32>,
    /// Where components end in `by_component`.
    pub(super) ends: Ends,
    /// What was known of entries on the way: memory for what comes next.
    pub(super) states: Vec<State>,
}

impl Search {
    /// Walks from the roots, and then from what they do not reach (Tarjan, "Depth-first search and linear graph algorithms",
    /// 1972, without recursion).
    pub(super) fn of(graph: &Graph, roots: &[u32]) -> Search {
        let count = graph.len();
        let mut search = Search {
            entries: Vec::with_capacity(count + 1),
            numbers: Vec::new(),
            parents: Vec::with_capacity(count + 1),
            reached: 0,
            from_reached: Vec::new(),
            in_degrees: Vec::new(),
            by_component: Vec::with_capacity(count),
            ends: Ends::of(count),
            states: Vec::new(),
        };
        search.entries.push(0);
        search.parents.push(0);
        let state = |entry| State { left: graph.listed(entry).start, ..State::default() };
        // The dominators have as many, and one for the roots.
        let mut states = Vec::with_capacity(count + 1);
        states.extend((0..count as u32).map(state));
        let mut walk = Walk { search, states, pending: Vec::new(), way: Vec::new() };
        roots.iter().for_each(|root| walk.from(graph, *root));
        walk.search.reached = walk.search.entries.len() as u32 - 1;
        let reached = walk.search.entries[1..].iter().map(|entry| walk.states[*entry as usize].in_degree);
        walk.search.from_reached = [0].into_iter().chain(reached).collect();
        (0..count as u32).for_each(|entry| walk.from(graph, entry));
        let Walk { mut search, states, pending, way } = walk;
        (search.numbers, search.in_degrees) = (emptied(way), emptied(pending));
        search.numbers.extend(states.iter().map(|state| state.number));
        search.in_degrees.extend(states.iter().map(|state| state.in_degree));
        search.states = states;
        search
    }
}

/// The last places of runs, a bit for each place: there may be as many runs as places.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    words: Vec<u64>,
    places: usize,
}

impl Ends {
    /// Of a number of places, none of which is the last of a run yet.
    fn of(places: usize) -> Ends {
        Ends { words: vec![0; places.div_ceil(64)], places }
    }

    /// A run ends after this place.
    fn after(&mut self, place: usize) {
        self.words[place / 64] |= 1 << (place % 64);
    }

    fn is_last(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 != 0
    }

    /// The runs, from the first on.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = from;
            from = (start..self.places).find(|place| self.is_last(*place))? + 1;
            Some(start..from)
        })
    }

    /// The runs, from the last on.
    pub(super) fn runs_back(&self) -> impl Iterator<Item = Range<usize>> {
        let mut to = self.places;
        std::iter::from_fn(move || {
            let end = to;
            to = (0..end.checked_sub(1)?).rev().find(|place| self.is_last(*place)).map_or(0, |place| place + 1);
            Some(to..end)
        })
    }
}

struct Walk {
    search: Search,
    /// By entry. What is known of one stands together: it is looked up at random.
    states: Vec<State>,
    /// Entries whose component is not complete.
    pending: Vec<u32>,
    /// The way to the current entry, with the references that were not followed yet.
    way: Vec<Step>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// 0 for an entry that was not reached.
    number: u32,
    /// The least number that it leads back to, or [`DONE`] once its component is complete.
    lowest: u32,
    /// References to it that were met: each is met once.
    in_degree: u32,
    /// The place of its first reference: the graph has it, too, elsewhere in memory.
    left: u32,
}

const DONE: u32 = u32::MAX;

/// An entry on the way. There can be as many as there are entries, so that it is small.
struct Step {
    entry: u32,
    /// The place of the next reference, of those before `end`; the class comes after them, at `end` itself.
    next: u32,
    end: u32,
}

impl Step {
    /// The next entry to which this one refers.
    #[inline]
    fn next(&mut self, graph: &Graph) -> Option<u32> {
        let place = self.next;
        if place > self.end {
            return None;
        }
        self.next += 1;
        if place < self.end { Some(graph.target(place)) } else { graph.class_of(self.entry) }
    }
}

impl Walk {
    fn from(&mut self, graph: &Graph, root: u32) {
        if self.states[root as usize].number != 0 {
            return;
        }
        self.enter(graph, root, 0);
        while let Some(step) = self.way.last_mut() {
            let next = step.next(graph);
            let entry = step.entry;
            let Some(to) = next else {
                self.leave(entry);
                continue;
            };
            let state = &mut self.states[to as usize];
            state.in_degree += 1;
            let State { number, lowest, .. } = *state;
            if number == 0 {
                let parent = self.states[entry as usize].number;
                self.enter(graph, to, parent);
            } else if lowest != DONE {
                let lowest = &mut self.states[entry as usize].lowest;
                *lowest = number.min(*lowest);
            }
        }
    }

    fn enter(&mut self, graph: &Graph, entry: u32, parent: u32) {
        let number = self.search.entries.len() as u32;
        let state = &mut self.states[entry as usize];
        (state.number, state.lowest) = (number, number);
        let next = state.left;
        let end = self.states.get(entry as usize + 1).map_or_else(|| graph.listed(entry).end, |state| state.left);
        self.search.entries.push(entry);
        self.search.parents.push(parent);
        self.pending.push(entry);
        self.way.push(Step { entry, next, end });
    }

    fn leave(&mut self, entry: u32) {
        self.way.pop();
        let State { number, lowest, .. } = self.states[entry as usize];
        if lowest == number {
            while let Some(member) = self.pending.pop() {
                self.states[member as usize].lowest = DONE;
                self.search.by_component.push(member);
                if member == entry {
                    break;
                }
            }
            self.search.ends.after(self.search.by_component.len() - 1);
        }
        if let Some(above) = self.way.last() {
            let above = &mut self.states[above.entry as usize].lowest;
            *above = lowest.min(*above);
        }
    }
}
