//! Immediate dominators: the one entry through which every way from the roots to another leads last.
//!
//! Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the simple version: in the worst case
//! proportional to references times the logarithm of entries. It works on the numbers of a [`Search`], in 24 bytes an entry and 4 a
//! reference beside those.

use super::graph::Graph;
use super::search::Search;

/// By number, that of the immediate dominator; 0 stands for the roots together, which have none.
pub(super) fn dominators(graph: &Graph, search: &Search, roots: &[u32]) -> Vec<u32> {
    let count = search.reached as usize + 1;
    let mut forest = Forest::new(&search.parents[..count]);
    // Until an entry has its dominator, its place in `dominators` leads to the next one of the same bucket.
    let mut dominators = vec![0_u32; count];
    let mut buckets = vec![0_u32; count];
    let mut is_root = vec![false; count];
    roots.iter().for_each(|root| is_root[search.numbers[*root as usize] as usize] = true);
    // In the order of the dump, in which most references come from what is near.
    let referring: Vec<u32> = graph.all_referring().iter().map(|from| search.numbers[*from as usize]).collect();
    for number in (1..count as u32).rev() {
        let mut semi = if is_root[number as usize] { 0 } else { number };
        for &from in &referring[graph.places_of_referring(search.entries[number as usize])] {
            if semi == 0 {
                break;
            }
            if from <= search.reached {
                semi = semi.min(forest.lowest(from, number + 1).1);
            }
        }
        forest.set(number, semi);
        dominators[number as usize] = std::mem::replace(&mut buckets[semi as usize], number);
        // From here on the entry counts as linked to its parent.
        let parent = search.parents[number as usize];
        let mut next = std::mem::take(&mut buckets[parent as usize]);
        while next != 0 {
            let (lowest, semi) = forest.lowest(next, number);
            let is_lower = semi < forest.links[next as usize].semi;
            next = std::mem::replace(&mut dominators[next as usize], if is_lower { lowest } else { parent });
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

/// The part of the tree of the walk that has been linked, with paths that are shortened as they are followed.
struct Forest {
    /// By number. What is known of one stands together: it is looked up at random.
    links: Vec<Link>,
    chain: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    /// The parent, or an entry further up once the path was followed.
    above: u32,
    /// Its semidominator.
    semi: u32,
    /// The entry with the lowest semidominator between it and `above`, and that.
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

    /// Of the entries from this one up to the end of what is linked, that with the lowest semidominator, and that. Linked are all
    /// from the number `linked` on.
    #[inline]
    fn lowest(&mut self, number: u32, linked: u32) -> (u32, u32) {
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
