//! When addresses are renumbered.

use heapsmith::compare::{Facet, MEMORY};
use heapsmith::convert::{Addresses, ConversionVerdict, judge};
use heapsmith::format::DumpTarget;
use heapsmith::model::{Address, Heap, Root, RootKind, visit};

use super::sample::{converted, heaps, lowering};

fn target(name: &str) -> DumpTarget {
    name.parse().expect("a target of the table")
}

fn verdict(heap: &Heap, to: &str, judged_as: &str) -> ConversionVerdict {
    let mut there = converted(&mut heap.clone(), &lowering(&target(to), 0));
    judge(&mut heap.clone(), &mut there, &target(judged_as), MEMORY).expect("in memory")
}

/// A heap of 32-bit words.
fn heap() -> Heap {
    heaps(&lowering(&target("hprof/hotspot-8"), 0)).swap_remove(3)
}

#[test]
fn identifiers_that_the_target_does_not_carry_need_not_fit_it() {
    let mut heap = heap();
    let object = heap.objects[0].address;
    let kind = RootKind::JniGlobal(Address(0x7777_7777_7773));
    heap.surroundings.roots.get_or_insert_default().push(Root { object, kind, after: None });
    for to in ["phd4/sovereign", "phd5/j9-2.6", "phd6/openj9", "classic/openj9"] {
        let verdict = verdict(&heap, to, to);
        assert_eq!(verdict.addresses, Addresses::Kept, "{to}");
        assert!(verdict.faithful, "{to}: {:?}", verdict.changed);
    }
}

#[test]
fn accepts_numbering_of_any_writer_without_profile() {
    let mut heap = heap();
    let mut map = |address: &mut Address| address.0 += if address.is_null() { 0 } else { 4 };
    heap.classes.iter_mut().for_each(|class| visit::class(class, &mut map));
    heap.objects.iter_mut().for_each(|object| visit::object(object, &mut map));
    visit::surroundings(&mut heap.surroundings, &mut map);
    // Multiples of 8 alone; others of this version hold multiples of 4.
    for (to, numbered) in [("phd4/sovereign", true), ("phd4/j9-2.3", false)] {
        let verdict = verdict(&heap, to, "phd4");
        assert_eq!(verdict.addresses != Addresses::Kept, numbered, "{to}");
        let gone = verdict.changed.iter().find(|changed| changed.facet == Facet::Address);
        assert!(gone.is_none(), "{to}: {gone:?}");
    }
}
