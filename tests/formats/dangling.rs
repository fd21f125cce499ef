//! References of a PHD that lead nowhere.

use std::collections::HashSet;

use heapsmith::draw::{Draw, SeedDraw};
use heapsmith::input::Input;
use heapsmith::validate::{ValidateOptions, validate};

const CLASS: u32 = 0x2000;
const FIRST: u32 = 0x10_0000;

/// What stands in a dump: long objects, by their addresses and where they refer to, and the class of all of them.
struct Dump {
    objects: Vec<(u32, Vec<u32>)>,
    class_last: bool,
}

/// A record with references that lead nowhere: its offset and index, and what is said of it.
type Found = (u64, Option<u64>, String);

impl Dump {
    /// Objects side by side, each with up to three references to any of them or to the class.
    fn drawn(draw: &mut SeedDraw, count: u32, class_last: bool) -> Dump {
        let address = |number: u32| FIRST + 24 * number;
        let target = |draw: &mut SeedDraw| match draw.below(20) {
            0 => CLASS,
            _ => address(draw.below(u64::from(count)) as u32),
        };
        let object = |number| (address(number), (0..draw.below(4)).map(|_| target(draw)).collect());
        Dump { objects: (0..count).map(object).collect(), class_last }
    }

    /// A PHD 5 of 32 bits, with gaps and distances of 4 bytes, in units of 4 (IBM, "Portable Heap Dump (PHD) file format"); and what of it
    /// leads nowhere.
    fn bytes(&self) -> (Vec<u8>, Vec<Found>) {
        let there: HashSet<u32> = self.objects.iter().map(|(address, _)| *address).chain([CLASS, 0]).collect();
        let mut bytes = b"\0\x12portable heap dump\0\0\0\x05\0\0\0\x04\x01\x02\x02".to_vec();
        let (mut found, mut last) = (Vec::new(), 0);
        let distance = |from: u32, to: u32| ((i64::from(to) - i64::from(from)) as i32 / 4).to_be_bytes();
        let class = |from| [&b"\x06\x80"[..], &distance(from, CLASS), b"\0\0\0\0\0\0\0\0\0\x01A\0\0\0\0"].concat();
        if !self.class_last {
            bytes.extend(class(0));
            last = CLASS;
        }
        for (index, (address, references)) in (u64::from(!self.class_last)..).zip(&self.objects) {
            let dangling: Vec<&u32> = references.iter().filter(|target| !there.contains(target)).collect();
            if let Some(first) = dangling.first() {
                let (of, count) = (dangling.len(), references.len());
                let text = format!("{of} of {count} dangle; first dangling reference: {first:#x}");
                found.push((bytes.len() as u64, Some(index), text));
            }
            bytes.extend(b"\x04\xa0");
            bytes.extend(distance(last, *address));
            bytes.extend(CLASS.to_be_bytes());
            bytes.extend((references.len() as u32).to_be_bytes());
            bytes.extend(references.iter().flat_map(|target| distance(*address, *target)));
            last = *address;
        }
        if self.class_last {
            bytes.extend(class(last));
        }
        bytes.push(0x03);
        (bytes, found)
    }
}

/// The dump is said to have exactly the references that lead nowhere that it has.
fn check(name: &str, dump: &Dump) {
    let (bytes, due) = dump.bytes();
    let input = Input::from_memory("dangling", bytes);
    let report = validate(&input, ValidateOptions::default()).expect("readable");
    let of = "phd.graph.dangling-reference";
    let found = report.findings.iter().filter(|finding| finding.rule.0 == of);
    let found: Vec<Found> = found.map(|finding| (finding.offset, finding.record, finding.found.clone())).collect();
    assert_eq!(found, due[..found.len()], "{name}");
    assert!(found.len() == due.len() || found.len() >= 20, "{name}: {} of {}", found.len(), due.len());
    let count = report.counts.iter().find(|counts| counts.rule.0 == of).map_or(0, |counts| counts.count);
    assert_eq!(count, due.len() as u64, "{name}");
}

#[test]
fn reports_references_back_to_nowhere() {
    let mut draw = SeedDraw::with_number(1, 1);
    for class_last in [false, true] {
        check("sound", &Dump::drawn(&mut draw, 5_000, class_last));
        for seed in 0..8 {
            let mut dump = Dump::drawn(&mut draw, 5_000, class_last);
            for _ in 0..1 + seed * seed {
                let number = draw.below(dump.objects.len() as u64) as usize;
                let (address, references) = &mut dump.objects[number];
                // To below the heap, and to the middle of an object before this one.
                let targets = [FIRST - 0x400, *address - 24 * draw.below(1 + number as u64) as u32 - 8];
                let target = targets[draw.below(2) as usize];
                references.insert(draw.below(1 + references.len() as u64) as usize, target);
            }
            check(&format!("{seed}, {class_last}"), &dump);
        }
    }
}

/// Null is none of them.
#[test]
fn reports_references_to_nowhere_among_many_of_a_record() {
    let mut draw = SeedDraw::with_number(1, 2);
    let mut dump = Dump::drawn(&mut draw, 3_000, true);
    for at in [10, 2_000, 2_001, 2_999] {
        let targets = (0..3_000).map(|n| if n % 1_000 == 7 { FIRST - 8 * n } else { FIRST + 24 * n });
        dump.objects[at].1 = targets.map(|target| if target % 7 == 0 { 0 } else { target }).collect();
    }
    check("many", &dump);
}

#[test]
fn reports_references_ahead_to_nowhere() {
    let mut draw = SeedDraw::with_number(1, 3);
    let back = |dump: &mut Dump, step: usize| {
        dump.objects.iter_mut().step_by(step).for_each(|(_, references)| references.push(FIRST - 0x400));
    };
    let mut dump = Dump::drawn(&mut draw, 20_000, true);
    back(&mut dump, 50);
    check("some back", &dump);
    dump.objects[7].1.push(FIRST + 24 * 15_000 + 4);
    check("one ahead, into an object", &dump);
    dump.objects[7].1 = vec![FIRST + 24 * 30_000];
    check("one ahead, above all", &dump);
    let mut dump = Dump::drawn(&mut draw, 20_000, true);
    back(&mut dump, 2);
    check("many back", &dump);
}

/// References lead to the class before an object names it, and its record is the last one.
#[test]
fn accepts_references_to_a_class_that_comes_last() {
    let mut draw = SeedDraw::with_number(1, 4);
    let mut dump = Dump::drawn(&mut draw, 1_000, true);
    dump.objects[0].1 = vec![CLASS, FIRST - 0x400, CLASS];
    dump.objects[999].1 = vec![CLASS, FIRST - 0x400];
    check("and two that lead nowhere", &dump);
}

#[test]
fn reports_a_reference_to_nowhere_once_beside_a_duplicate_address() {
    let mut draw = SeedDraw::with_number(1, 5);
    let mut dump = Dump::drawn(&mut draw, 1_000, true);
    dump.objects[500].1.push(FIRST - 0x400);
    check("nowhere", &dump);
    let again = dump.objects[600].clone();
    dump.objects.insert(601, again);
    check("nowhere, and twice", &dump);
}

/// Objects in groups with gaps between them, in a heap so large that its addresses are in many entries of a set.
#[test]
fn reports_references_to_nowhere_of_a_large_heap() {
    let mut draw = SeedDraw::with_number(1, 8);
    let (mut objects, mut address) = (Vec::new(), FIRST);
    for number in 0..60_000_u32 {
        address +=
            if number % 20 == 0 { 0x4000 + 8 * draw.below(1 << 10) as u32 } else { 16 + 8 * draw.below(12) as u32 };
        objects.push((address, Vec::new()));
    }
    let all: Vec<u32> = objects.iter().map(|(address, _)| *address).collect();
    for (index, (address, references)) in objects.iter_mut().enumerate() {
        let count = if index % 9_999 == 5 { 3_000 } else { 3 };
        references.extend((0..count).map(|_| match draw.below(100) {
            0 => *address + 8 * draw.below(1 << 16) as u32,
            1 => all[0] + 4,
            2..20 => all[draw.below(all.len() as u64) as usize],
            20..30 => 0,
            _ => all[index.saturating_sub(draw.below(50) as usize)],
        }));
    }
    let dump = Dump { objects, class_last: false };
    assert!(dump.bytes().1.len() > 1000);
    check("large", &dump);
}

/// A record whose references are too many to be held.
#[test]
fn reports_references_to_nowhere_of_a_record_that_is_not_held() {
    let mut draw = SeedDraw::with_number(1, 6);
    let mut dump = Dump::drawn(&mut draw, 1_000, true);
    let targets =
        |wrong: u32| (0..400_000).map(move |n| if n % 200_000 == wrong { 0x800 } else { FIRST + 24 * (n % 1_000) });
    dump.objects[300].1 = targets(u32::MAX).collect();
    check("sound", &dump);
    dump.objects[300].1 = targets(7).collect();
    check("two of very many", &dump);
}

#[test]
fn reports_references_to_nowhere_of_a_dump_that_is_cut_short() {
    let mut draw = SeedDraw::with_number(1, 7);
    let mut dump = Dump::drawn(&mut draw, 300, false);
    // To those before it alone.
    for (address, references) in &mut dump.objects {
        references.iter_mut().for_each(|target| *target = if *target > *address { *address } else { *target });
    }
    dump.objects[100].1.push(FIRST - 0x400);
    let (mut bytes, due) = dump.bytes();
    bytes.truncate(bytes.len() - 2);
    let report = validate(&Input::from_memory("cut short", bytes), ValidateOptions::default()).expect("readable");
    let found: Vec<&str> = report.findings.iter().map(|finding| finding.rule.0).collect();
    assert!(!report.valid && due.len() == 1);
    assert_eq!(found.iter().filter(|rule| **rule == "phd.graph.dangling-reference").count(), 1, "{found:?}");
}
