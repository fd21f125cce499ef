//! Immediate dominators: the last entry that every path from the roots to another entry goes through.
//!
//! Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the simple version: in the worst case
//! proportional to references times the logarithm of entries. It works on the numbers of a [`DepthFirstSearch`], in 24 to 28 bytes an entry and 4
//! to 12 for each reference across: in at most 40 an entry, as long as an entry has no more than 2.6 of those.

use std::mem;

use super::search::DepthFirstSearch;

/// The immediate dominators of all entries that a search reached from the roots, by number; 0 stands for the roots together, which
/// have none.
pub(super) fn dominators(search: &mut DepthFirstSearch) -> Vec<u32> {
    let DepthFirstSearch { parents, least, across, reached, .. } = search;
    let count = *reached as usize + 1;
    let IncomingEdges { starts, numbers } = IncomingEdges::new(count, mem::take(across));
    let mut forest = Forest::new(&parents[..count]);
    // Until an entry has its dominator, its place leads to the next one of the same bucket; before it is looked at, it has the least
    // number that leads there.
    let mut dominators = mem::take(least);
    let mut buckets = vec![0; count];
    for number in (1..count).rev() {
        let parent = parents[number];
        let mut semi = dominators[number];
        for &from in &numbers[starts[number] as usize..starts[number + 1] as usize] {
            if semi == 0 {
                break;
            }
            semi = semi.min(forest.lowest_semidominator(from, number as u32 + 1).1);
        }
        let number = number as u32;
        forest.set(number, semi);
        // From here on the entry counts as linked to its parent. Where that is its semidominator, it is its dominator. So are the
        // roots together, where they are its semidominator: nothing on the path can have a lower one.
        dominators[number as usize] =
            if semi == parent || semi == 0 { semi } else { mem::replace(&mut buckets[semi as usize], number) };
        let mut next = mem::take(&mut buckets[parent as usize]);
        while next != 0 {
            let (lowest, semi) = forest.lowest_semidominator(next, number);
            let is_lower = semi < forest.links[next as usize].semi;
            next = mem::replace(&mut dominators[next as usize], if is_lower { lowest } else { parent });
        }
    }
    for number in 1..count {
        if dominators[number] != forest.links[number].semi {
            dominators[number] = dominators[dominators[number] as usize];
        }
    }
    dominators[0] = 0;
    dominators
}

/// The sources of references from higher numbers, by target; both are numbers of the search.
struct IncomingEdges {
    /// The first source of each target in `numbers`, and the end of the last one's.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl IncomingEdges {
    /// Sorts references by target; each is the number of its target and of its source.
    fn new(count: usize, across: Vec<[u32; 2]>) -> IncomingEdges {
        let mut starts = vec![0_u32; count + 1];
        across.iter().for_each(|[to, _]| starts[*to as usize] += 1);
        let mut sum = 0;
        for end in &mut starts {
            sum += *end;
            *end = sum;
        }
        let mut numbers = vec![0_u32; across.len()];
        // From the ends: so each end becomes a start.
        for [to, from] in across.iter().rev() {
            let end = &mut starts[*to as usize];
            *end -= 1;
            numbers[*end as usize] = *from;
        }
        IncomingEdges { starts, numbers }
    }
}

/// The part of the tree of the walk that has been linked, with paths that are shortened as they are followed.
struct Forest {
    /// A link for each number. Its fields stand together since links are looked up at random.
    links: Vec<Link>,
    chain: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    /// The parent, or a higher ancestor once the path was compressed.
    above: u32,
    /// The number of the semidominator.
    semi: u32,
    /// The entry with the lowest semidominator between this one and `above`, and that semidominator.
    lowest: (u32, u32),
}

impl Forest {
    fn new(parents: &[u32]) -> Forest {
        let link = |(number, above): (u32, &u32)| Link { above: *above, semi: number, lowest: (number, number) };
        Forest { links: (0..).zip(parents).map(link).collect(), chain: Vec::new() }
    }

    fn set(&mut self, number: u32, semi: u32) {
        let link = &mut self.links[number as usize];
        (link.semi, link.lowest) = (semi, (number, semi));
    }

    /// The entry with the lowest semidominator between a number and the root of its linked tree, and that
    /// semidominator. All numbers from `linked` on are linked.
    #[inline]
    fn lowest_semidominator(&mut self, number: u32, linked: u32) -> (u32, u32) {
        if number < linked {
            return (number, number);
        }
        let mut at = number;
        loop {
            let above = self.links[at as usize].above;
            if above < linked {
                break;
            }
            self.chain.push(at);
            at = above;
        }
        let mut above = self.links[at as usize];
        while let Some(lower) = self.chain.pop() {
            let link = &mut self.links[lower as usize];
            if above.lowest.1 < link.lowest.1 {
                link.lowest = above.lowest;
            }
            link.above = above.above;
            above = *link;
        }
        above.lowest
    }
}
