//! References of a PHD that lead nowhere, in one pass or two.

use std::collections::HashSet;

use heapsmith::draw::{Draw, SeedDraw};
use heapsmith::input::Input;
use heapsmith::validate::{ValidateOptions, validate};

use super::ahead::counted;

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

/// The dump is said to have exactly the references that lead nowhere that it has; and how often it was read.
fn told(name: &str, dump: &Dump) -> u64 {
    let (bytes, due) = dump.bytes();
    let (input, made) = counted(bytes);
    let report = validate(&input, ValidateOptions::default()).expect("readable");
    let of = "phd.graph.dangling-reference";
    let found = report.findings.iter().filter(|finding| finding.rule.0 == of);
    let found: Vec<Found> = found.map(|finding| (finding.offset, finding.record, finding.found.clone())).collect();
    assert_eq!(found, due[..found.len()], "{name}");
    assert!(found.len() == due.len() || found.len() >= 20, "{name}: {} of {}", found.len(), due.len());
    let count = report.counts.iter().find(|counts| counts.rule.0 == of).map_or(0, |counts| counts.count);
    assert_eq!(count, due.len() as u64, "{name}");
    made.load(std::sync::atomic::Ordering::Relaxed)
}

#[test]
fn what_leads_back_to_nowhere_is_told_in_the_first_pass() {
    let mut draw = SeedDraw::numbered(1, 1);
    for class_last in [false, true] {
        let sound = Dump::drawn(&mut draw, 5_000, class_last);
        let once = told("sound", &sound);
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
            assert_eq!(told(&format!("{seed}, {class_last}"), &dump), once, "{seed}, {class_last}");
        }
    }
}

/// A record whose references are noted in parts, with some that lead nowhere in several of them; null is none of them.
#[test]
fn what_leads_nowhere_from_a_record_of_many_references_is_told() {
    let mut draw = SeedDraw::numbered(1, 2);
    let mut dump = Dump::drawn(&mut draw, 3_000, true);
    let once = told("sound", &dump);
    for at in [10, 2_000, 2_001, 2_999] {
        let targets = (0..3_000).map(|n| if n % 1_000 == 7 { FIRST - 8 * n } else { FIRST + 24 * n });
        dump.objects[at].1 = targets.map(|target| if target % 7 == 0 { 0 } else { target }).collect();
    }
    assert_eq!(told("many", &dump), once);
}

/// Where a reference leads ahead, or where there are too many for the memory of the first pass, a second one tells of all.
#[test]
fn what_else_leads_nowhere_is_told_in_a_second_pass() {
    let mut draw = SeedDraw::numbered(1, 3);
    let back = |dump: &mut Dump, step: usize| {
        dump.objects.iter_mut().step_by(step).for_each(|(_, references)| references.push(FIRST - 0x400));
    };
    let mut dump = Dump::drawn(&mut draw, 20_000, true);
    let once = told("sound", &dump);
    back(&mut dump, 50);
    assert_eq!(told("some back", &dump), once);
    dump.objects[7].1.push(FIRST + 24 * 15_000 + 4);
    assert_eq!(told("one ahead, into an object", &dump), once + 1);
    dump.objects[7].1 = vec![FIRST + 24 * 30_000];
    assert_eq!(told("one ahead, above all", &dump), once + 1);
    let mut dump = Dump::drawn(&mut draw, 20_000, true);
    back(&mut dump, 2);
    assert_eq!(told("many back", &dump), once + 1);
}

/// A class to which references lead before an object names it, and whose record is the last one, leads somewhere.
#[test]
fn a_class_that_is_named_later_is_no_mistake() {
    let mut draw = SeedDraw::numbered(1, 4);
    let mut dump = Dump::drawn(&mut draw, 1_000, true);
    let once = told("sound", &dump);
    dump.objects[0].1 = vec![CLASS, FIRST - 0x400, CLASS];
    dump.objects[999].1 = vec![CLASS, FIRST - 0x400];
    assert_eq!(told("and two that lead nowhere", &dump), once);
}

/// An address that two records have is told of in a second pass, and all that leads nowhere with it, once.
#[test]
fn what_leads_nowhere_is_told_once_beside_an_address_that_is_there_twice() {
    let mut draw = SeedDraw::numbered(1, 5);
    let mut dump = Dump::drawn(&mut draw, 1_000, true);
    let once = told("sound", &dump);
    dump.objects[500].1.push(FIRST - 0x400);
    assert_eq!(told("nowhere", &dump), once);
    let again = dump.objects[600].clone();
    dump.objects.insert(601, again);
    assert_eq!(told("nowhere, and twice", &dump), once + 1);
}

/// A record whose references are too many to be held.
#[test]
fn what_leads_nowhere_from_a_record_that_is_not_held_is_told() {
    let mut draw = SeedDraw::numbered(1, 6);
    let mut dump = Dump::drawn(&mut draw, 1_000, true);
    let targets =
        |wrong: u32| (0..400_000).map(move |n| if n % 200_000 == wrong { 0x800 } else { FIRST + 24 * (n % 1_000) });
    dump.objects[300].1 = targets(u32::MAX).collect();
    let once = told("sound", &dump);
    dump.objects[300].1 = targets(7).collect();
    assert_eq!(told("two of very many", &dump), once);
}

/// Of a dump that is cut short, the first pass knows of no record what it refers to in the part that is missing: the second one tells.
#[test]
fn what_leads_nowhere_in_a_dump_that_is_cut_short_is_told_as_far_as_it_goes() {
    let mut draw = SeedDraw::numbered(1, 7);
    let mut dump = Dump::drawn(&mut draw, 300, false);
    // To those before it alone.
    for (address, references) in &mut dump.objects {
        references.iter_mut().for_each(|target| *target = if *target > *address { *address } else { *target });
    }
    dump.objects[100].1.push(FIRST - 0x400);
    let (mut bytes, due) = dump.bytes();
    bytes.truncate(bytes.len() - 2);
    let report = validate(&Input::memory("cut short", bytes), ValidateOptions::default()).expect("readable");
    let found: Vec<&str> = report.findings.iter().map(|finding| finding.rule.0).collect();
    assert!(!report.valid && due.len() == 1);
    assert_eq!(found.iter().filter(|rule| **rule == "phd.graph.dangling-reference").count(), 1, "{found:?}");
}
