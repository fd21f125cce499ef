//! Every ordered pair of kinds of dump.

use std::collections::{BTreeMap, BTreeSet};

use heapsmith::compare::carriage::{Carriage, CarriageColumn};
use heapsmith::compare::{CompareOptions, Comparison, Facet, MEMORY, NotComparedReason, compare_sources};
use heapsmith::convert::{Addresses, ConversionVerdict, judge};
use heapsmith::format::DumpTarget;
use heapsmith::model::Heap;

use super::sample::{converted, converted_and_told, heaps, lowering};

fn writers() -> Vec<DumpTarget> {
    DumpTarget::all().into_iter().filter(|target| target.profile.is_some()).collect()
}

/// Facets in which the second heap differs from the first one, or is silent.
fn lost(left: &Heap, right: &Heap, carried: Option<&CarriageColumn>) -> BTreeSet<Facet> {
    let options = CompareOptions::default().carried(carried);
    let Comparison { differences, not_compared, .. } =
        compare_sources(&mut left.clone(), &mut right.clone(), &options).expect("in memory");
    let silent = not_compared.iter().filter(|n| n.why == NotComparedReason::UnknownRight).map(|n| n.facet);
    differences.iter().map(|d| d.facet).chain(silent).collect()
}

/// What went wrong, by kind of dump and facet, how often, and the first time.
#[derive(Default)]
struct Wrong(BTreeMap<(String, Facet), (usize, String)>);

impl Wrong {
    fn note(&mut self, what: String, facet: Facet, example: impl FnOnce() -> String) {
        self.0.entry((what, facet)).or_insert_with(|| (0, example())).0 += 1;
    }

    fn judge(&mut self, what: &str, verdict: &ConversionVerdict, example: &str) {
        for d in &verdict.changed {
            self.note(what.to_owned(), d.facet, || format!("{example}: {:?}: {} | {}", d.address, d.left, d.right));
        }
        for missing in &verdict.missing {
            self.note(format!("{what}, missing"), missing.facet, || format!("{example}: {} times", missing.count));
        }
    }

    fn assert_nothing(&self) {
        let lines =
            self.0.iter().map(|((what, facet), (count, example))| format!("{what}: {facet} {count}: {example}"));
        let lines: Vec<String> = lines.map(|line| line.chars().take(260).collect()).collect();
        assert!(lines.is_empty(), "{} wrong:\n{}", lines.len(), lines[..lines.len().min(70)].join("\n"));
    }
}

#[test]
fn conversions_keep_and_lose_what_carries_table_states() {
    let writers = writers();
    let mut wrong = Wrong::default();
    // For each facet of each kind of dump that was told before, whether a conversion changed or lost it.
    let mut shown: BTreeMap<(String, Facet), bool> = BTreeMap::new();
    for from in &writers {
        let from_column = from.column();
        let heaps: Vec<Heap> = heaps(&lowering(from, 0))
            .iter_mut()
            .zip(0..)
            .map(|(heap, number)| converted(heap, &lowering(from, number)))
            .collect();
        for to in &writers {
            let both = to.column().followed_by(&from_column);
            for (number, heap) in (0..).zip(&heaps) {
                let (writer, target) = (lowering(from, number), lowering(to, number));
                let example = format!("{from} to {to}, heap {number}");
                let (mut there, report) = converted_and_told(&mut heap.clone(), &target);
                let verdict = judge(&mut heap.clone(), &mut there, to, MEMORY).expect("in memory");
                wrong.judge(&format!("to {to}"), &verdict, &example);
                // What `convert` says that it costs is what is found to be lost.
                assert_eq!((report.lost, report.changed), (verdict.lost, verdict.by_rule), "{example}");
                let back = converted(&mut there, &writer);
                let verdict_back = judge(&mut there, &mut back.clone(), from, MEMORY).expect("in memory");
                wrong.judge(&format!("to {from}"), &verdict_back, &format!("back from {example}"));
                if verdict.addresses == Addresses::Kept && verdict_back.addresses == Addresses::Kept {
                    // The class of a primitive type that was synthesised on the way comes back as HotSpot has it: an object.
                    let known = |address| heap.objects.iter().any(|object| object.address == address);
                    let is_class = |address| there.classes.iter().any(|class| class.address == address);
                    let mut back = back;
                    back.objects.retain(|object| known(object.address) || !is_class(object.address));
                    for facet in lost(heap, &back, Some(&both)) {
                        wrong.note(format!("through {to}"), facet, || example.clone());
                    }
                    let mut gone = lost(heap, &there, None);
                    // Order is compared where the facts are equal.
                    if gone.contains(&Facet::Roots) {
                        gone.insert(Facet::RootOrder);
                    }
                    if Facet::OF_THE_LOG.iter().any(|facet| gone.contains(facet)) {
                        gone.insert(Facet::Events);
                    }
                    gone.into_iter().for_each(|facet| _ = shown.insert((to.to_string(), facet), true));
                    tell(heap, &mut |facet| _ = shown.entry((to.to_string(), facet)).or_default());
                }
            }
        }
    }
    for to in &writers {
        let column = to.column();
        for facet in Facet::ALL.into_iter().filter(|facet| *facet != Facet::Address) {
            if let (Carriage::None | Carriage::Changed(_), Some(false)) =
                (column.carriage(facet), shown.get(&(to.to_string(), facet)))
            {
                wrong.note(format!("{to}, but the table says {}", column.carriage(facet)), facet, String::new);
            }
        }
    }
    wrong.assert_nothing();
}

fn tell(heap: &Heap, tell: &mut dyn FnMut(Facet)) {
    use heapsmith::compare::recorded;
    recorded::header_facets(&heap.facts, tell);
    heap.classes.iter().for_each(|class| recorded::class_facets(class, tell));
    heap.objects.iter().for_each(|object| recorded::object_facets(object, tell).expect("in memory"));
    recorded::surroundings_facets(&heap.surroundings, tell);
}
