//! Sweeps against a look-up of every reference.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::draw::{Draw, SeedDraw};

/// A record: where it is, whether it comes in order with others, and where its references lead.
type Record = (u64, bool, Vec<u64>);

const MANY_BYTES: u64 = 1 << 30;

/// How many references are told of at most.
const MANY_TOLD: usize = 1 << 20;

/// What a sweep found.
#[derive(Debug, PartialEq)]
struct Swept {
    had_room: bool,
    /// Whether all references lead to records, by looking each up.
    leads: bool,
    /// Whether the sweep knows that of each.
    is_known: bool,
}

const NO_ROOM: Swept = Swept { had_room: false, leads: true, is_known: false };
const SOUND: Swept = Swept { had_room: true, leads: true, is_known: true };

/// Whether all references lead to records, by the sweep and then by looking each up; and the addresses that are there by both. Records
/// for which there is no room go into the set that takes over, as do those after them. References are told of until they are too many.
fn swept(name: &str, records: &[Record], most: u64, most_told: usize) -> Swept {
    let (mut told, mut is_whole) = (Vec::new(), true);
    let (mut sweep, mut set, mut there) = (Some(Sweep::new(most)), AddressSet::default(), BTreeSet::new());
    for (address, in_order, references) in records {
        let is_new = there.insert(*address);
        let mut entered = match &mut sweep {
            Some(sweep) if *in_order => sweep.enter(*address),
            Some(sweep) => sweep.enter_aside(*address),
            None => Entered::NoRoom,
        };
        if entered == Entered::NoRoom {
            if let Some(sweep) = sweep.take() {
                set = sweep.into_set();
            }
            entered = if set.insert(*address) { Entered::New } else { Entered::Again };
        }
        assert_eq!(entered, if is_new { Entered::New } else { Entered::Again }, "{name}: {address:#x}");
        if let Some(sweep) = &mut sweep {
            sweep.refer(references, |at| {
                is_whole &= told.len() < most_told;
                told.push(references[at]);
                is_whole
            });
        }
    }
    let is_known = sweep.as_ref().is_some_and(|sweep| sweep.is_closed() && (is_whole || !sweep.awaits()));
    told.retain(|target| sweep.as_ref().is_some_and(|sweep| sweep.is_awaited(*target)));
    let had_room = sweep.as_ref().is_some_and(|sweep| !sweep.is_full);
    if let Some(sweep) = sweep {
        set = sweep.into_set();
    }
    set.seal();
    let targets = records.iter().flat_map(|(address, _, references)| references.iter().chain([address]));
    for &target in targets {
        for other in [target, target ^ 8, target ^ 1, target ^ 1 << 19, target ^ 1 << 40] {
            assert_eq!(set.has(other), there.contains(&other), "{name}: {other:#x}");
        }
    }
    let all = records.iter().flat_map(|(.., references)| references);
    let dangling: Vec<u64> = all.filter(|target| !there.contains(target)).copied().collect();
    let leads = dangling.is_empty();
    if is_known {
        assert_eq!(told, dangling, "{name}");
    }
    assert!(is_known || !leads || !had_room, "{name}");
    // It is a set like any other: what comes next is taken in once.
    for address in [0, 8, 0x7fff_fff8, u64::MAX, u64::MAX - 7] {
        assert_eq!(set.insert(address), there.insert(address), "{name}: {address:#x}");
    }
    Swept { had_room, leads, is_known }
}

/// Records at these addresses, in this order, each with some references to any of them.
fn referring(draw: &mut SeedDraw, addresses: &[u64], aside: impl Fn(u64) -> bool) -> Vec<Record> {
    let any = |draw: &mut SeedDraw| addresses[draw.below(addresses.len() as u64) as usize];
    let record = |address: &u64| {
        let references = (0..draw.below(4)).map(|_| any(draw)).collect();
        (*address, !aside(*address), references)
    };
    addresses.iter().map(record).collect()
}

/// Heaps as formats and writers order them, with and without references that lead nowhere, ahead, back or between.
#[test]
fn it_knows_whether_all_references_lead_to_records() {
    let mut draw = SeedDraw::numbered(1, 1);
    let ascending = |count: u64, from: u64, step: u64| (0..count).map(move |n| from + n * step);
    let with_aside = |aside: Vec<u64>, first: bool, objects: Vec<u64>| match first {
        true => [aside, objects].concat(),
        false => [objects, aside].concat(),
    };
    let objects: Vec<u64> = ascending(20_000, 0x10_0000, 24).collect();
    let below: Vec<u64> = ascending(300, 0x8000, 64).collect();
    let above: Vec<u64> = ascending(300, 0x7f00_0000_0000, 64).collect();
    // Multiples of 8 that are not those of 24 from there.
    let among: Vec<u64> = ascending(300, 0x10_0008, 24 * 60).collect();
    let mut heaps: BTreeMap<&str, (Vec<u64>, BTreeSet<u64>)> = BTreeMap::new();
    for (name, aside) in [("classes below", below), ("classes above", above), ("classes among", among)] {
        let is_aside: BTreeSet<u64> = aside.iter().copied().collect();
        heaps.insert(name, (with_aside(aside.clone(), true, objects.clone()), is_aside.clone()));
        let last = with_aside(aside, false, objects.clone());
        let name: &str = Box::leak(format!("{name}, last").into_boxed_str());
        heaps.insert(name, (last, is_aside));
    }
    let plain = |addresses: Vec<u64>| (addresses, BTreeSet::new());
    heaps.insert("from 0", plain(ascending(5_000, 0, 8).collect()));
    heaps.insert("some lower", plain(objects.iter().map(|a| if a % 7 == 0 { a ^ 16 } else { *a }).collect()));
    heaps.insert("two ranges", plain(ascending(9_000, 1 << 20, 32).chain(ascending(9_000, 1 << 42, 16)).collect()));
    heaps.insert("across windows", plain(ascending(9_000, (1 << 34) - 40_000, 16).collect()));
    heaps.insert("at the end", plain(ascending(9_000, u64::MAX - 8 * 9_000 + 1, 8).collect()));
    let mut told = 0;
    for (name, (addresses, aside)) in &heaps {
        let records = referring(&mut draw, addresses, |address| aside.contains(&address));
        for most_told in [0, 5, MANY_TOLD] {
            assert_eq!(swept(name, &records, MANY_BYTES, most_told), SOUND, "{name}: {most_told}");
        }
        for turn in 0..6 {
            let mut broken = records.clone();
            let known = addresses[draw.below(addresses.len() as u64) as usize];
            let target = [known + 4, known ^ 1 << 30, known + 1, known ^ 1 << 21][turn % 4];
            let at = draw.below(records.len() as u64) as usize;
            broken[at].2.push(target);
            let leads = addresses.contains(&target);
            for most_told in [turn / 2, MANY_TOLD] {
                let found = swept(name, &broken, MANY_BYTES, most_told);
                assert_eq!(found.leads, leads, "{name}: {target:#x} from {at}");
                told += u64::from(!leads && found.is_known);
            }
            // Without a record to which others lead.
            let mut broken = records.clone();
            let (gone, ..) = broken.remove(at);
            let leads = broken.iter().all(|(.., references)| !references.contains(&gone));
            let found = swept(name, &broken, MANY_BYTES, MANY_TOLD);
            assert_eq!(found.leads, leads, "{name}: without {gone:#x}");
            told += u64::from(!leads && found.is_known);
        }
        // One of them twice, at once and later.
        for again in [0, addresses.len() / 2, addresses.len() - 1] {
            let mut twice = records.clone();
            twice.insert(again, records[again].clone());
            twice.push(records[again].clone());
            twice.push((records[again].0, false, Vec::new()));
            assert_eq!(swept(name, &twice, MANY_BYTES, MANY_TOLD), SOUND, "{name}: {again} twice");
        }
    }
    assert!(told > 20, "{told} dumps whose references that lead nowhere are all known");
}

/// A lower range of records comes after a higher one whose references lead there; some of its records come before, and twice.
#[test]
fn a_lower_range_may_come_later() {
    let mut draw = SeedDraw::numbered(3, 1);
    let range = |count: u64, from: u64| (0..count).map(move |n| from + n * 24);
    let (upper, lower) = (0x7f00_0000_0000, 0x7e00_0000_0000);
    let all: Vec<u64> = range(100_000, upper).chain(range(100_000, lower)).collect();
    let aside = [all[150_000], all[199_999], all[100_000], all[150_001], all[150_001]];
    let mut records = referring(&mut draw, &all, |_| false);
    for (at, address) in (50_000..).zip(aside) {
        records.insert(at, (address, false, vec![all[0]]));
    }
    for most_told in [0, 5, MANY_TOLD] {
        assert_eq!(swept("half lead there", &records, MANY_BYTES, most_told), SOUND, "{most_told}");
    }
    let stays = |address: u64| move |target: &mut u64| *target = if *target < upper { address } else { *target };
    records.iter_mut().filter(|of| of.0 >= upper).for_each(|of| of.2.iter_mut().for_each(stays(of.0)));
    records[60_000].2 = vec![all[100_000], all[150_000], all[170_000]];
    for most_told in [0, 5, MANY_TOLD] {
        assert_eq!(swept("three lead there", &records, MANY_BYTES, most_told), SOUND, "{most_told}");
    }
    records[60_000].2.push(lower - 24);
    let known = Swept { leads: false, ..SOUND };
    assert_eq!(swept("and one below", &records, MANY_BYTES, MANY_TOLD), known);
    records[60_000].2.push(lower + 12);
    assert!(!swept("and one between", &records, MANY_BYTES, MANY_TOLD).is_known);
}

/// Where there is no room, a set takes over with all that was there.
#[test]
fn a_set_takes_over_where_there_is_no_room() {
    let mut draw = SeedDraw::numbered(2, 1);
    let apart: Vec<u64> = (0..20_000).map(|n| 0x10_0000 + n * 15_000).collect();
    let downwards: Vec<u64> = (0..400_000).map(|n| 0x7fff_0000_0000 - n * 16).collect();
    let scattered: Vec<u64> = (0..20).map(|n| n << 50).collect();
    let ascending: Vec<u64> = (0..100_000).map(|n| 0x10_0000 + n * 24).collect();
    let far: Vec<u64> = (0..2_000).map(|n| 0x10_0000 + n * 24 + ((n / 100) << 22)).collect();
    for (name, addresses, most) in [
        ("objects apart", &apart, MANY_BYTES),
        ("downwards", &downwards, MANY_BYTES),
        ("scattered", &scattered, MANY_BYTES),
        ("few bytes", &ascending, 20_000),
        ("few bytes, apart", &far, 5_000),
    ] {
        let records = referring(&mut draw, addresses, |_| false);
        assert_eq!(swept(name, &records, most, MANY_TOLD), NO_ROOM, "{name}");
    }
    let one = referring(&mut draw, &[0x1000], |_| true);
    assert_eq!(swept("nothing at all", &one, 0, MANY_TOLD), NO_ROOM);
}

/// References below the first range of a heap, and back into it, are all told of; those ahead are not.
#[test]
fn what_leads_back_to_nowhere_is_told_of() {
    let ascending = |count: u64, from: u64| (0..count).map(move |n| (from + n * 24, true, Vec::new()));
    let mut records: Vec<Record> = ascending(5_000, 0x7f00_0000_0000).collect();
    records[100].2 = vec![0x600, records[3].0, 0x600, 0x8_0000_0000];
    records[4_000].2 = vec![0x600, 0x7f00_0000_0008];
    let known = Swept { had_room: true, leads: false, is_known: true };
    assert_eq!(swept("back", &records, MANY_BYTES, MANY_TOLD), known);
    assert_eq!(swept("back, and too many", &records, MANY_BYTES, 3), Swept { is_known: false, ..known });
    records[4_001].2 = vec![0x7fff_0000_0000];
    assert_eq!(swept("ahead", &records, MANY_BYTES, MANY_TOLD), Swept { is_known: false, ..known });
}
