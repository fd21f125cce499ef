//! Work that several threads do, and whose results are used in order.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// Results of a thread that wait to be used.
const WAITING: usize = 2;

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
        let lines: Vec<Line<P, E>> = (0..threads - 1)
            .map(|first| {
                let (made, results) = sync_channel(WAITING);
                let (used, room) = channel();
                scope.spawn(move || work((first..parts).step_by(threads as usize), make, &made, &room));
                Line { results, used }
            })
            .collect();
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

/// To and from a thread.
struct Line<P, E> {
    results: Receiver<Result<P, E>>,
    used: Sender<P>,
}

/// Makes parts until all are made, one fails, or they are no longer taken.
fn work<P: Default, E>(
    numbers: impl Iterator<Item = u64>,
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
