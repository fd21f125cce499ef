//! Work that several threads do, and whose results are used in order. Where no more threads are to be had, those that are there
//! do all of it, the one that asks among them.

use std::io;
use std::iter::StepBy;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Results of a thread that wait to be used.
const WAITING: usize = 2;

/// Starts a thread that may outlive the one that starts it.
///
/// # Errors
/// If the system has no more threads.
#[doc(hidden)]
pub fn start<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    let failed = |e: io::Error| {
        let message = format!(
            "no thread can be started: {e} (the limits are those of `ulimit -u`, `ulimit -v` and the cgroup's pids.max)"
        );
        io::Error::new(e.kind(), message)
    };
    thread::Builder::new().name(name.to_owned()).spawn(work).map_err(failed)
}

/// Does one piece of work in this number of threads, of which this one is the last.
#[doc(hidden)]
pub fn side_by_side(threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

/// The results of some items, in their order. Each is worked out in a thread of its own.
#[doc(hidden)]
pub fn map_side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::default()).collect();
    let next_item = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        items.get(number).zip(slots.get(number))
    };
    side_by_side(items.len(), || {
        while let Some((item, slot)) = next_item() {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(work(item));
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Makes parts, and takes each in the order of their numbers. Parts are made in that many threads, of which this one is the last,
/// and are taken in this one; a part is made in what is left of an earlier one.
///
/// # Errors
/// The first error in the order of the parts, of making or taking. No part after it is taken.
pub(crate) fn in_order<P, E>(
    threads: usize,
    parts: u64,
    make: impl Fn(u64, &mut P) -> Result<(), E> + Sync,
    mut take: impl FnMut(u64, &mut P) -> Result<(), E>,
) -> Result<(), E>
where
    P: Default + Send,
    E: Send,
{
    let threads = (threads as u64).min(parts);
    if threads <= 1 {
        let mut part = P::default();
        return (0..parts).try_for_each(|number| make(number, &mut part).and_then(|()| take(number, &mut part)));
    }
    let make = &make;
    thread::scope(|scope| {
        let mut lines: Vec<PartChannels<P, E>> = Vec::new();
        for _ in 1..threads {
            let (begin, begun) = channel();
            let (made, results) = sync_channel(WAITING);
            let (used, room) = channel();
            let worker = move || begun.recv().map(|numbers: PartNumbers| make_parts(numbers, make, &made, &room));
            if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
            lines.push(PartChannels { begin, results, used });
        }
        // Only now it is known how many they are.
        let threads = lines.len() as u64 + 1;
        for (first, line) in (0..).zip(&lines) {
            // A thread that is gone is seen where its parts are missing.
            let _ = line.begin.send((first..parts).step_by(threads as usize));
        }
        let mut own = P::default();
        for number in 0..parts {
            let Some(line) = lines.get((number % threads) as usize) else {
                make(number, &mut own)?;
                take(number, &mut own)?;
                continue;
            };
            // A thread that ends before its last part has panicked, which the scope passes on.
            let Ok(made) = line.results.recv() else { break };
            let mut part = made?;
            take(number, &mut part)?;
            // Its thread may have made all its parts.
            let _ = line.used.send(part);
        }
        Ok(())
    })
}

/// The numbers of the parts that a thread makes.
type PartNumbers = StepBy<Range<u64>>;

/// The channels to and from a thread.
struct PartChannels<P, E> {
    begin: Sender<PartNumbers>,
    results: Receiver<Result<P, E>>,
    used: Sender<P>,
}

/// Makes parts until all are made, one fails, or they are no longer taken.
fn make_parts<P: Default, E>(
    numbers: PartNumbers,
    make: &(impl Fn(u64, &mut P) -> Result<(), E> + Sync),
    made: &SyncSender<Result<P, E>>,
    room: &Receiver<P>,
) {
    for number in numbers {
        let mut part = room.try_recv().unwrap_or_default();
        let result = make(number, &mut part);
        let failed = result.is_err();
        if made.send(result.map(|()| part)).is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_their_items() {
        let items: Vec<u64> = (0..40).collect();
        let squares = map_side_by_side(&items, |item| item * item);
        assert_eq!(squares, (0..40).map(|item| item * item).collect::<Vec<_>>());
    }

    #[test]
    fn parts_are_taken_in_order_up_to_the_first_error() {
        for threads in 0..6 {
            for parts in [0, 1, 2, 5, 40] {
                for fails in [u64::MAX, 0, 3, 17] {
                    for in_making in [false, true] {
                        let mut taken = Vec::new();
                        let make = |number: u64, part: &mut Vec<u64>| {
                            part.clear();
                            part.push(number * number);
                            if in_making && number == fails { Err(number) } else { Ok(()) }
                        };
                        let result = in_order(threads, parts, make, |number, part| {
                            taken.extend_from_slice(part);
                            if number == fails { Err(number) } else { Ok(()) }
                        });
                        let until = parts.min(if in_making { fails } else { fails.saturating_add(1) });
                        assert_eq!(taken, (0..until).map(|number| number * number).collect::<Vec<_>>());
                        assert_eq!(result, if fails < parts { Err(fails) } else { Ok(()) });
                    }
                }
            }
        }
    }
}
