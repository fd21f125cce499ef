//! The order in which a writer goes through the roots of a heap.

use std::collections::HashMap;

use crate::model::{Address, Class, Root, RootKind, RootNumber, RootObjects, RootWriter, Serial};

use super::profiles::AGENT_UNKNOWN;

/// The roots that a dump of this writer has, in its order. `classes` are in the dump's order.
///
/// HotSpot and the serviceability agent go through the threads, and through the frames of each; then HotSpot has
/// monitors, JNI globals and sticky classes, the latter as it goes through the classes (from 11 on; up to 8 in an order
/// of its own). The hprof agent begins with a thread without an object, for roots whose thread it does not know; JNI
/// globals, sticky classes, monitors, threads, unknown roots and locals follow. (Dumps of 5, 8, 11, 17, 21 and 25, of
/// SA 17 and of agent 6.) ART's come as its parts of the virtual machine give them, and so as they are.
pub(super) fn order_roots(writer: RootWriter, roots: &[Root], objects: &RootObjects, classes: &[Class]) -> Vec<Root> {
    let mut told = writer.recorded_roots(roots, objects);
    let threads = RootThreads::from_roots(&told);
    match writer {
        RootWriter::Art => {}
        RootWriter::HotSpot8 => told.sort_by_key(|root| hotspot_key(root, &threads)),
        RootWriter::HotSpot | RootWriter::Sa => {
            let places: HashMap<Address, usize> =
                classes.iter().enumerate().map(|(at, class)| (class.address, at)).collect();
            let place = |root: &Root| places.get(&root.object).copied().filter(|_| root.kind == RootKind::StickyClass);
            told.sort_by_key(|root| (hotspot_key(root, &threads), place(root)));
        }
        RootWriter::Agent => {
            told.sort_by_key(|root| agent_key(root, &threads));
            told.insert(0, AGENT_UNKNOWN);
        }
    }
    told
}

/// The threads that are roots, in the order of their objects.
struct RootThreads(HashMap<Serial, usize>);

impl RootThreads {
    fn from_roots(roots: &[Root]) -> RootThreads {
        let mut threads = HashMap::new();
        for root in roots.iter().filter(|root| is_object(root)) {
            let next = threads.len();
            root.kind.thread().map(|thread| threads.entry(thread).or_insert(next));
        }
        RootThreads(threads)
    }

    /// Roots of a thread that is no root come last (the hprof agent's).
    fn place(&self, root: &Root) -> usize {
        root.kind.thread().and_then(|thread| self.0.get(&thread)).copied().unwrap_or(usize::MAX)
    }
}

fn is_object(root: &Root) -> bool {
    matches!(root.kind, RootKind::ThreadObject(..))
}

fn hotspot_key(root: &Root, threads: &RootThreads) -> (u8, usize, bool, i64) {
    match root.kind {
        RootKind::MonitorUsed => (1, 0, false, 0),
        RootKind::JniGlobal(_) => (2, 0, false, 0),
        RootKind::StickyClass => (3, 0, false, 0),
        _ => (0, threads.place(root), !is_object(root), frame_number(root)),
    }
}

fn agent_key(root: &Root, threads: &RootThreads) -> (u8, usize, bool) {
    match root.kind {
        RootKind::JniGlobal(_) => (0, 0, false),
        RootKind::StickyClass => (1, 0, false),
        RootKind::MonitorUsed => (2, 0, false),
        RootKind::ThreadObject(..) | RootKind::ThreadBlock(_) => (3, threads.place(root), !is_object(root)),
        RootKind::Unknown => (4, 0, false),
        _ => (5, 0, false),
    }
}

/// The number of a local's frame, -1 without one.
fn frame_number(root: &Root) -> i64 {
    let mut kind = root.kind;
    let frame = kind.numbers().find(|number| matches!(number, RootNumber::Frame(_)));
    frame.map_or(-1, |number| number.get() as i64)
}
