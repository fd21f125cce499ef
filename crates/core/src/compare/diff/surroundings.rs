//! Comparison of roots, threads and everything else besides classes and objects.

use std::collections::BTreeSet;

use crate::compare::facet::Facet;
use crate::compare::listing::{EventItem, EventLine, Keyed, RootLine};
use crate::compare::recorded;
use crate::model::{Event, EventKind, Name, Root, StackTrace, Surroundings, Thread};

use super::{HeapDiff, show};

impl HeapDiff<'_> {
    pub(super) fn compare_surroundings(&mut self, l: &Surroundings, r: &Surroundings) {
        self.compare_roots(l.roots.as_deref(), r.roots.as_deref());
        self.compare_threads(l.threads.as_deref(), r.threads.as_deref());
        self.compare_traces(l.traces.as_deref(), r.traces.as_deref());
        let region = ("region", |region: &_| show::line(&Keyed::without_place(region)));
        self.compare_sequences(Facet::Regions, None, l.regions.as_deref(), r.regions.as_deref(), region);
        self.compare_events(l.events.as_deref(), r.events.as_deref());
    }

    /// Compares the facts of the log; if they are equal, the log itself.
    fn compare_events(&mut self, l: Option<&[Event]>, r: Option<&[Event]>) {
        let texts = |events: &[Event]| -> BTreeSet<Name> {
            let text = |event: &Event| match &event.kind {
                EventKind::Text(_, text) => Some(text.clone()),
                _ => None,
            };
            events.iter().filter_map(text).collect()
        };
        let (lt, rt) = (l.map(texts), r.map(texts));
        let mut same = lt == rt;
        if let Some((lt, rt)) = self.both_recorded(Facet::Strings, lt, rt) {
            let show = |text: Option<&Name>| text.map(|text| format!("{text:?}"));
            for (l, r) in pair_by_key(&lt.iter().collect::<Vec<_>>(), &rt.iter().collect::<Vec<_>>(), Name::clone) {
                if l.is_none() || r.is_none() {
                    self.report_one_sided(Facet::Strings, None, show(l), show(r));
                }
            }
        }
        for facet in Facet::OF_THE_LOG.into_iter().filter(|facet| *facet != Facet::Strings) {
            let of = |events: &[Event]| {
                let of_facet = events.iter().filter(|event| recorded::event_facet(event) == facet);
                repeated_events(of_facet.map(|event| (Event::new(0, 0, event.kind.clone()), event.times())))
            };
            let (l, r) = (l.map(of), r.map(of));
            if l.is_none() && r.as_ref().is_none_or(Vec::is_empty)
                || r.is_none() && l.as_ref().is_none_or(Vec::is_empty)
            {
                continue; // one side has no log, and in the other's there is nothing of it
            }
            same &= l == r;
            let entry = ("entry", |event: &Event| show::line(&EventItem::from(&event.kind)));
            self.compare_runs(facet, l, r, entry);
        }
        if same || l.is_none() || r.is_none() {
            let event = ("event", |event: &Event| show::line(&EventLine::from(event)));
            let of = |events: &[Event]| repeated_events(events.iter().map(|event| (event.clone(), event.times())));
            self.compare_runs(Facet::Events, l.map(of), r.map(of), event);
        }
    }

    /// Compares two lists of events, as runs.
    fn compare_runs(
        &mut self,
        facet: Facet,
        l: Option<Vec<Event>>,
        r: Option<Vec<Event>>,
        show: (&str, impl Fn(&Event) -> String),
    ) {
        if let Some((l, r)) = self.both_recorded(facet, l, r)
            && l != r
        {
            let same = l.iter().zip(&r).take_while(|(l, r)| l == r).count();
            // Of two runs of the same, the longer one goes on where the other list has something else.
            let (begun, in_both) = match (l.get(same), r.get(same)) {
                (Some(l), Some(r)) if Event { repeats: 0, ..l.clone() } == Event { repeats: 0, ..r.clone() } => {
                    (true, l.times().min(r.times()))
                }
                _ => (false, 0),
            };
            let place = l[..same].iter().map(Event::times).sum::<u64>() + in_both;
            let describe = |list: &[Event]| {
                let all: u64 = list.iter().map(Event::times).sum();
                let item = list.get(same).filter(|event| !begun || event.times() > in_both);
                match item.or_else(|| list.get(same + 1)) {
                    Some(event) if place < all => format!("{} {place} of {all}: {}", show.0, show.1(event)),
                    _ => format!("no {} {place}, only {all}", show.0),
                }
            };
            self.report_difference(facet, None, || (describe(&l), describe(&r)));
        }
    }

    /// Compares roots as a multiset, or where that is left out their kinds and objects; if roots are equal, their order
    /// and places.
    fn compare_roots(&mut self, l: Option<&[Root]>, r: Option<&[Root]>) {
        let [of_roots, of_kinds] = [Facet::Roots, Facet::RootObjects].map(|facet| self.left_out.contains(&facet));
        if of_roots
            && !of_kinds
            && let Some((l, r)) = self.both_recorded(Facet::RootObjects, l, r)
        {
            let kept = |root: &Root| (root.object, root.kind.index());
            let show =
                |root: Option<&Root>| root.map(|root| format!("{} root of {}", root.kind.form().name, root.object));
            let (l, r) = unpaired(l, r, kept);
            for (l, r) in pair_by_key(&l, &r, |root| root.object) {
                self.report_one_sided(Facet::RootObjects, l.or(r).map(|root| root.object), show(l), show(r));
            }
        }
        let show = |root: Option<&Root>| root.map(|root| show::line(&RootLine::from(&Root { after: None, ..*root })));
        let alone = l.zip(r).map(|(l, r)| unpaired(l, r, root_key));
        let same = alone.as_ref().is_some_and(|(l, r)| l.is_empty() && r.is_empty());
        if self.both_recorded(Facet::Roots, l, r).is_some()
            && let Some((l, r)) = alone
        {
            for (l, r) in pair_by_key(&l, &r, |root| root.object) {
                let at = l.or(r).map(|root| root.object);
                self.report_one_sided(Facet::Roots, at, show(l), show(r));
            }
        }
        if l.is_none() || r.is_none() {
            _ = self.both_recorded(Facet::RootOrder, l, r);
        }
        if same {
            // One side may not record where its roots stand.
            let placed = |roots: &[Root]| roots.iter().all(|root| root.after.is_some());
            let neither = !l.is_some_and(placed) && !r.is_some_and(placed);
            let (l, r) = (l.filter(|roots| neither || placed(roots)), r.filter(|roots| neither || placed(roots)));
            let root = ("root", |root: &Root| show::line(&RootLine::from(root)));
            self.compare_sequences(Facet::RootOrder, None, l, r, root);
        }
    }

    fn compare_threads(&mut self, l: Option<&[Thread]>, r: Option<&[Thread]>) {
        let Some((l, r)) = self.both_recorded(Facet::Threads, l, r) else { return };
        let by_serial = |thread: &Thread| thread.serial;
        let show = |thread: Option<&Thread>| thread.map(|thread| show::line(&Keyed::without_place(thread)));
        for (l, r) in pair_by_key(&sorted_by_key(l, by_serial), &sorted_by_key(r, by_serial), by_serial) {
            if l != r {
                self.report_one_sided(Facet::Threads, None, show(l), show(r));
            }
        }
    }

    fn compare_traces(&mut self, l: Option<&[StackTrace]>, r: Option<&[StackTrace]>) {
        let Some((l, r)) = self.both_recorded(Facet::StackTraces, l, r) else { return };
        let by_serial = |trace: &StackTrace| trace.serial;
        let name = |trace: &StackTrace| format!("stack trace {} of thread {}", trace.serial.0, trace.thread.0);
        for pair in pair_by_key(&sorted_by_key(l, by_serial), &sorted_by_key(r, by_serial), by_serial) {
            let shown = match pair {
                (Some(l), Some(r)) if l == r => continue,
                (Some(l), Some(r)) if l.thread == r.thread => {
                    let frame = |frame: &_| show::line(&Keyed::without_place(frame));
                    let (of_l, of_r) = show::first_difference(&l.frames, &r.frames, "frame", frame);
                    (Some(format!("{}, {of_l}", name(l))), Some(format!("{}, {of_r}", name(r))))
                }
                (l, r) => (l.map(name), r.map(name)),
            };
            self.report_one_sided(Facet::StackTraces, None, shown.0, shown.1);
        }
    }
}

/// The distinct events, each with the number of its occurrences.
fn repeated_events(events: impl Iterator<Item = (Event, u64)>) -> Vec<Event> {
    let mut runs = Vec::new();
    events.for_each(|(event, times)| Event { repeats: times - 1, ..event }.append_to(&mut runs));
    runs
}

/// The order of roots by everything but their places.
fn root_key(root: &Root) -> impl Ord + use<> {
    let RootLine { root, object, reference, thread, frame, trace, after: _ } = RootLine::from(root);
    (object, root, reference, thread, frame, trace)
}

fn sorted_by_key<T, K: Ord>(items: &[T], key: impl Fn(&T) -> K) -> Vec<&T> {
    let mut sorted: Vec<&T> = items.iter().collect();
    sorted.sort_by_key(|item| key(item));
    sorted
}

/// The items of two lists that the other one does not have, sorted; each of several equal items has one partner.
fn unpaired<'t, T, K: Ord>(left: &'t [T], right: &'t [T], key: impl Fn(&T) -> K) -> (Vec<&'t T>, Vec<&'t T>) {
    let pairs = pair_by_key(&sorted_by_key(left, &key), &sorted_by_key(right, &key), &key);
    let (left, right): (Vec<_>, Vec<_>) = pairs.into_iter().filter(|(l, r)| l.is_none() || r.is_none()).unzip();
    (left.into_iter().flatten().collect(), right.into_iter().flatten().collect())
}

/// Merges two sorted lists: items with one key as pairs, and items without a partner alone.
fn pair_by_key<'t, T, K: Ord>(
    mut left: &[&'t T],
    mut right: &[&'t T],
    key: impl Fn(&T) -> K,
) -> Vec<(Option<&'t T>, Option<&'t T>)> {
    let mut pairs = Vec::new();
    loop {
        let order = match (left, right) {
            ([], []) => return pairs,
            ([l, ..], [r, ..]) => key(l).cmp(&key(r)),
            ([_, ..], []) => std::cmp::Ordering::Less,
            ([], [_, ..]) => std::cmp::Ordering::Greater,
        };
        let l = left.first().copied().filter(|_| order.is_le());
        let r = right.first().copied().filter(|_| order.is_ge());
        left = &left[usize::from(l.is_some())..];
        right = &right[usize::from(r.is_some())..];
        pairs.push((l, r));
    }
}
