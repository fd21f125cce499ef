//! Batches of tasks, several of which run at a time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::check::subject::BATCH;
use crate::check::task::Task;
use heapsmith_core::error::Error;
use heapsmith_core::threads;

/// Batches with their numbers over all shards.
pub(in crate::check) type TaskBatches<'t> = Vec<(usize, &'t [Task])>;

/// The batches of a shard, or all of them.
pub(in crate::check) fn split_into_batches(tasks: &[Task], shard: Option<(u64, u64)>) -> TaskBatches<'_> {
    // A dump that is not held has limits of its own, and a process.
    let all = tasks.chunk_by(|a, b| !a.source.is_streamed() && !b.source.is_streamed());
    let mut batches: TaskBatches<'_> = all.flat_map(|tasks| tasks.chunks(BATCH)).enumerate().collect();
    if let Some((number, of)) = shard {
        batches.retain(|(index, _)| *index as u64 % of == number - 1);
    }
    batches
}

/// Counters of running batches, by the place of the batch.
pub(in crate::check) struct Counters(Vec<AtomicUsize>);

impl Counters {
    pub(in crate::check) fn new(batches: usize) -> Counters {
        Counters((0..batches).map(|_| AtomicUsize::new(0)).collect())
    }

    pub(in crate::check) fn add(&self, place: usize, more: usize) {
        self.0[place].fetch_add(more, Ordering::Relaxed);
    }

    /// The count so far in a batch and those before it. It never decreases.
    pub(in crate::check) fn sum_up_to(&self, place: usize) -> usize {
        self.0[..=place].iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }
}

/// A function that runs a batch, given its tasks and its place among all.
type RunBatch<'r, S> = dyn Fn(&[Task], usize) -> Result<Vec<S>, Error> + Sync + 'r;

/// Runs batches, several at a time: `run` has the tasks of one, and its place.
pub(in crate::check) fn run_side_by_side<S: Send>(
    batches: &TaskBatches<'_>,
    jobs: usize,
    run: &RunBatch<'_, S>,
) -> Result<Vec<Vec<S>>, Error> {
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let slots: Vec<Mutex<Vec<S>>> = batches.iter().map(|_| Mutex::default()).collect();
    let failed: Mutex<Option<Error>> = Mutex::default();
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, tasks)) = batches.get(place) else { return };
            match run(tasks, place) {
                Ok(told) => *slots[place].lock().unwrap_or_else(PoisonError::into_inner) = told,
                Err(error) => {
                    is_over.store(true, Ordering::Relaxed);
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        }
    };
    threads::side_by_side(jobs.min(batches.len()), work);
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()),
    }
}
