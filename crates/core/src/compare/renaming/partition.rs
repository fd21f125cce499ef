//! A partition of nodes into cells of nodes that nothing has told apart yet.

use std::collections::{BTreeMap, VecDeque};

use super::graph::{CellSplit, RenamingGraph, stable_hash};

/// A cell: nodes of the first heap and of the second, in no order.
#[derive(Clone, Debug, Default)]
struct NodeCell {
    sides: [Vec<u32>; 2],
}

impl NodeCell {
    fn len(&self) -> usize {
        self.sides[0].len() + self.sides[1].len()
    }

    fn check_balance(&self) -> Result<(), CellSplit> {
        let [left, right] = &self.sides;
        match left.first().or(right.first()) {
            Some(&node) if left.len() != right.len() => {
                Err(CellSplit { node, left: left.len() as u64, right: right.len() as u64, missing: false })
            }
            _ => Ok(()),
        }
    }
}

/// The nodes of both heaps in cells; every cell has as many of the first as of the second.
pub(super) struct Partition {
    /// The number of nodes of the first heap.
    left: u32,
    cells: Vec<NodeCell>,
    cell_of: Vec<u32>,
    /// The index of each node in its side of its cell.
    place_of: Vec<u32>,
    /// The moves so far, each with the cell that the node came from.
    history: Vec<(u32, u32)>,
    /// Cells that are still to be used as splitters.
    due: VecDeque<u32>,
    /// The edges visited and nodes moved so far.
    pub(super) steps: u64,
}

impl Partition {
    /// The coarsest partition that labels and edges allow.
    pub(super) fn new(graph: &RenamingGraph) -> Result<Partition, CellSplit> {
        let count = graph.labels.len();
        let mut by_label: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (node, label) in (0..).zip(&graph.labels) {
            by_label.entry(*label).or_default().push(node);
        }
        let mut partition = Partition {
            left: graph.left,
            cells: Vec::new(),
            cell_of: vec![0; count],
            place_of: vec![0; count],
            history: Vec::new(),
            due: VecDeque::new(),
            steps: 0,
        };
        for nodes in by_label.into_values() {
            let cell = partition.cells.len() as u32;
            partition.cells.push(NodeCell::default());
            nodes.into_iter().for_each(|node| partition.insert(node, cell));
            partition.due.push_back(cell);
        }
        partition.cells.iter().try_for_each(NodeCell::check_balance)?;
        partition.refine(graph)?;
        partition.history.clear();
        Ok(partition)
    }

    fn side(&self, node: u32) -> usize {
        usize::from(node >= self.left)
    }

    fn insert(&mut self, node: u32, cell: u32) {
        let side = self.side(node);
        let nodes = &mut self.cells[cell as usize].sides[side];
        (self.cell_of[node as usize], self.place_of[node as usize]) = (cell, nodes.len() as u32);
        nodes.push(node);
    }

    fn remove(&mut self, node: u32) {
        let side = self.side(node);
        let place = self.place_of[node as usize];
        let nodes = &mut self.cells[self.cell_of[node as usize] as usize].sides[side];
        nodes.swap_remove(place as usize);
        if let Some(&moved) = nodes.get(place as usize) {
            self.place_of[moved as usize] = place;
        }
    }

    /// Splits cells until all nodes of a cell have the same edges to each cell.
    fn refine(&mut self, graph: &RenamingGraph) -> Result<(), CellSplit> {
        // What each node has of edges to the splitter: a sum of hashes, so that their order does not matter.
        let mut seen: Vec<(u32, u64)> = Vec::new();
        while let Some(splitter) = self.due.pop_front() {
            seen.clear();
            for &node in self.cells[splitter as usize].sides.iter().flatten() {
                for edges in [graph.back.neighbours(node), graph.out.neighbours(node)] {
                    self.steps += 1 + edges.len() as u64;
                    seen.extend(edges.iter().map(|&(other, role)| (other, stable_hash(role))));
                }
            }
            seen.sort_unstable_by_key(|(node, _)| *node);
            let mut sums: Vec<(u32, u64, u32)> = seen
                .chunk_by(|a, b| a.0 == b.0)
                .map(|edges| {
                    let sum = edges.iter().fold(0_u64, |sum, (_, role)| sum.wrapping_add(*role));
                    (self.cell_of[edges[0].0 as usize], sum, edges[0].0)
                })
                .collect();
            sums.sort_unstable();
            for touched in sums.chunk_by(|a, b| a.0 == b.0) {
                if let Err(split) = self.split(touched[0].0, touched) {
                    self.due.clear();
                    return Err(split);
                }
            }
        }
        Ok(())
    }

    /// Splits a cell by the sums of its touched nodes' edges. One part stays in place: the others suffice as splitters.
    fn split(&mut self, cell: u32, touched: &[(u32, u64, u32)]) -> Result<(), CellSplit> {
        let groups = touched.chunk_by(|a, b| a.1 == b.1);
        let stays = if self.cells[cell as usize].len() > touched.len() {
            None
        } else {
            let largest = touched.chunk_by(|a, b| a.1 == b.1).max_by_key(|group| (group.len(), group[0].1));
            largest.map(|group| group[0].1)
        };
        for group in groups.filter(|group| Some(group[0].1) != stays) {
            self.split_off(cell, group.iter().map(|(.., node)| *node))?;
        }
        self.cells[cell as usize].check_balance()
    }

    /// Moves nodes into a cell of their own.
    fn split_off(&mut self, from: u32, nodes: impl Iterator<Item = u32>) -> Result<(), CellSplit> {
        let new = self.cells.len() as u32;
        self.cells.push(NodeCell::default());
        for node in nodes {
            self.history.push((node, from));
            self.remove(node);
            self.insert(node, new);
            self.steps += 1;
        }
        self.due.push_back(new);
        self.cells[new as usize].check_balance()
    }

    /// Pairs a node of each side as counterparts.
    pub(super) fn pair_nodes(&mut self, graph: &RenamingGraph, left: u32, right: u32) -> Result<(), CellSplit> {
        self.split_off(self.cell_of[left as usize], [left, right].into_iter())?;
        self.refine(graph)
    }

    pub(super) fn history_mark(&self) -> usize {
        self.history.len()
    }

    /// Restores an earlier partition.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.history.len() > mark {
            if let Some((node, cell)) = self.history.pop() {
                self.remove(node);
                self.insert(node, cell);
                self.steps += 1;
            }
        }
        while self.cells.last().is_some_and(|cell| cell.len() == 0) {
            self.cells.pop();
        }
    }

    /// The first cell from this one on with more than one node of each side, and a node of the first heap in it.
    pub(super) fn next_ambiguous(&self, from: usize) -> Option<(usize, u32)> {
        let cell = (from..self.cells.len()).find(|&cell| self.cells[cell].len() > 2)?;
        Some((cell, *self.cells[cell].sides[0].last()?))
    }

    /// A node of the second heap in the same cell that was not tried yet.
    pub(super) fn counterpart(&self, node: u32, tried: &[u32]) -> Option<u32> {
        let cell = &self.cells[self.cell_of[node as usize] as usize];
        cell.sides[1].iter().rev().copied().find(|other| !tried.contains(other))
    }

    /// The number of nodes of the first heap with more than one possible counterpart.
    pub(super) fn count_ambiguous(&self) -> u64 {
        self.cells.iter().filter(|cell| cell.len() > 2).map(|cell| cell.sides[0].len() as u64).sum()
    }

    /// The pairs of counterparts, once every cell has one node of each side.
    pub(super) fn pairs(&self) -> Vec<(u32, u32)> {
        let pair = |cell: &NodeCell| Some((*cell.sides[0].first()?, *cell.sides[1].first()?));
        self.cells.iter().filter_map(pair).collect()
    }
}
