//! Addresses in ascending order, in bounded memory: sorted runs in a spool, and a merge of them each time they are read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Error;
use crate::model::Address;

use super::views::ChainedReaders;
use super::{Identifiers, ListEnd, PIECE, PieceReader, Pieces, Piecewise, SPOOLED, Spool};

/// Addresses of a run: 8 MiB.
const RUN: usize = 1 << 20;

pub(super) fn sorted(list: &Pieces<Address>) -> Result<Pieces<Address>, Error> {
    sorted_in_runs(list, RUN)
}

pub(super) fn sorted_in_runs(list: &Pieces<Address>, run: usize) -> Result<Pieces<Address>, Error> {
    let mut spool = Spool::new(0, SPOOLED);
    let mut sorted = SortedRuns { runs: Vec::new(), chained: true, count: list.count() };
    let mut last = Address::NULL;
    let mut store = |held: &mut Vec<Address>| {
        held.sort_unstable();
        sorted.chained &= held.first().is_none_or(|first| *first >= last);
        last = held.last().copied().unwrap_or(last);
        let failed = |e| Error::io("sorting references in a temporary file", e);
        let mut filling = spool.begin().map_err(failed)?;
        let mut bytes = Vec::with_capacity(PIECE);
        for piece in held.chunks(PIECE / 8) {
            bytes.clear();
            piece.iter().for_each(|address| bytes.extend_from_slice(&address.0.to_be_bytes()));
            spool.append(&mut filling, &bytes).map_err(failed)?;
        }
        sorted.runs.push(spool.finish(filling).spelled(Identifiers(8)));
        held.clear();
        Ok::<(), Error>(())
    };
    let mut held = Vec::with_capacity(run.min(usize::try_from(list.count()).unwrap_or(run)));
    list.visit(|mut piece| {
        while !piece.is_empty() {
            let (now, later) = piece.split_at(piece.len().min(run - held.len()));
            held.extend_from_slice(now);
            piece = later;
            if held.len() == run {
                store(&mut held)?;
            }
        }
        Ok::<(), Error>(())
    })?;
    store(&mut held)?;
    Ok(Pieces::new(sorted))
}

/// Sorted runs.
#[derive(Debug)]
struct SortedRuns {
    runs: Vec<Pieces<Address>>,
    /// Whether each run follows on the one before.
    chained: bool,
    count: u64,
}

impl Piecewise<Address> for SortedRuns {
    fn count(&self) -> u64 {
        self.count
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<Address> + '_> {
        let readers = self.runs.iter().map(|run| run.open(from));
        if self.chained {
            return Box::new(ChainedReaders(if from == ListEnd::Front {
                readers.collect()
            } else {
                readers.rev().collect()
            }));
        }
        let runs = readers.map(|reader| SortedRun { reader, piece: Vec::new(), taken: 0 }).collect();
        Box::new(RunMerge { runs, heads: None, from })
    }
}

struct RunMerge<'m> {
    runs: Vec<SortedRun<'m>>,
    /// The next address of each run, as a number that ascends in the order of reading; `None` before the first.
    heads: Option<BinaryHeap<Reverse<(u64, usize)>>>,
    from: ListEnd,
}

struct SortedRun<'m> {
    reader: Box<dyn PieceReader<Address> + 'm>,
    piece: Vec<Address>,
    taken: usize,
}

impl SortedRun<'_> {
    fn next(&mut self) -> Result<Option<Address>, Error> {
        if self.taken == self.piece.len() {
            self.taken = 0;
            if !self.reader.next(&mut self.piece)? {
                self.piece.clear();
                return Ok(None);
            }
        }
        self.taken += 1;
        Ok(Some(self.piece[self.taken - 1]))
    }
}

impl PieceReader<Address> for RunMerge<'_> {
    fn next(&mut self, piece: &mut Vec<Address>) -> Result<bool, Error> {
        let rank = |address: Address| if self.from == ListEnd::Front { address.0 } else { !address.0 };
        let heads = match &mut self.heads {
            Some(heads) => heads,
            None => {
                let mut heads = BinaryHeap::new();
                for (number, run) in self.runs.iter_mut().enumerate() {
                    heads.extend(run.next()?.map(|address| Reverse((rank(address), number))));
                }
                self.heads.insert(heads)
            }
        };
        piece.clear();
        while piece.len() < PIECE / 8
            && let Some(mut head) = heads.peek_mut()
        {
            let Reverse((ranked, number)) = *head;
            // The way from an address to its rank is the way back.
            piece.push(Address(rank(Address(ranked))));
            match self.runs[number].next()? {
                Some(address) => *head = Reverse((rank(address), number)),
                None => {
                    std::collections::binary_heap::PeekMut::pop(head);
                }
            }
        }
        Ok(!piece.is_empty())
    }
}
