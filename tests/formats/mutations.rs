//! Dumps that are changed by chance.

use heapsmith::corrupt::{REARRANGED, RELATED, THINNED, mutated};
use heapsmith::format::Format;
use heapsmith::model::Heap;
use heapsmith::recipe::Recipe;
use heapsmith::validate;

fn dump(recipe: &str) -> (Format, Vec<u8>) {
    let recipe = Recipe::read(recipe).expect("a recipe");
    let mut bytes = Vec::new();
    recipe.write(&mut bytes).expect("it is written");
    (recipe.format, bytes)
}

/// What becomes of a dump in many mutations: longer, shorter, of the same length; still valid, or not.
#[test]
fn mutations_change_numbers_texts_records_and_the_end_of_a_dump() {
    for format in ["phd4", "phd6", "hprof", "classic"] {
        let (format, bytes) = dump(&format!("heapsmith-2:objects=20,seed=5,format={format}"));
        let (mut same, mut longer, mut shorter, mut valid, mut invalid, mut chains) = (0, 0, 0, 0, 0, 0);
        for seed in 0..400 {
            let made = mutated(format.family(), &bytes, seed).expect("it is in memory");
            assert_eq!(made, mutated(format.family(), &bytes, seed).expect("it is in memory"), "{format}, {seed}");
            let Some(mutant) = made else { continue };
            assert_ne!(mutant, bytes, "{format}, {seed}");
            match mutant.len().cmp(&bytes.len()) {
                std::cmp::Ordering::Less => shorter += 1,
                std::cmp::Ordering::Equal => same += 1,
                std::cmp::Ordering::Greater => longer += 1,
            }
            chains += usize::from(mutant.starts_with(b"\x1f\x8b"));
            match validate(&mutant).valid {
                true => valid += 1,
                false => invalid += 1,
            }
        }
        let all = same + longer + shorter;
        println!("{format}: {same} {longer} {shorter}, {valid} valid, {invalid} not, {chains} chains of members");
        assert!(all >= 340, "{format}: {all} of 400 change something");
        for (what, count) in [("longer", longer), ("shorter", shorter), ("valid", valid), ("invalid", invalid)] {
            assert!(count >= 20, "{format}: {count} are {what}");
        }
        assert!(chains > 0 && (format.to_string() == "classic" || same >= 60), "{format}: {chains} {same}");
    }
}

/// A record whose contents get longer or shorter mostly says so, and sometimes not; and records are repeated, removed and swapped.
#[test]
fn adjusts_length_fields_to_added_bytes() {
    // The header, a STRING "A" with the identifier 1, and the end of the heap: by hand.
    let text = [
        &b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0"[..],
        b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x01A",
        b"\x2c\0\0\0\0\0\0\0\0",
    ];
    let dump = text.concat();
    let family = Format::HPROF.family();
    let mutants: Vec<Vec<u8>> =
        (0..2_000).filter_map(|seed| mutated(family, &dump, seed).expect("in memory")).collect();
    // Of those whose STRING has other contents and that are the same otherwise, most say its length, and some do not.
    let (start, tag, time) = (text[0].len(), 1, [0; 4]);
    let (mut said, mut unsaid) = (0, 0);
    for mutant in mutants.iter().filter(|mutant| mutant.starts_with(text[0]) && mutant.ends_with(text[2])) {
        let record = &mutant[start..mutant.len() - text[2].len()];
        if record.len() < 13 || record[0] != tag || record[1..5] != time || record.len() == text[1].len() {
            continue;
        }
        let length = u32::from_be_bytes(record[5..9].try_into().expect("four bytes"));
        match length as usize == record.len() - 9 {
            true => said += 1,
            false => unsaid += 1,
        }
    }
    assert!(said >= 40 && unsaid >= 4 && said > unsaid, "{said} say it, {unsaid} do not");
    // A record twice, and one that is gone.
    assert!(mutants.contains(&[text[0], text[1], text[1], text[2]].concat()));
    assert!(mutants.contains(&[text[0], text[2]].concat()));
    assert!(mutants.contains(&[text[0], text[2], text[1]].concat()));
}

/// The tags of the records of an HPROF dump, each found by the length of the one before, if the last one ends the dump.
fn tags(dump: &[u8]) -> Option<Vec<u8>> {
    let mut at = dump.iter().position(|byte| *byte == 0)? + 1 + 4 + 8;
    let mut tags = Vec::new();
    while at < dump.len() {
        tags.push(dump[at]);
        at += 9 + u32::from_be_bytes(dump.get(at + 5..at + 9)?.try_into().ok()?) as usize;
    }
    (at == dump.len()).then_some(tags)
}

/// What is left out is all of a kind, such as STRING (01) and LOAD CLASS (02), and dump records count what is left of them.
#[test]
fn removes_all_records_of_a_kind() {
    let dump = Heap::random(5).write(Format::HPROF).expect("it can be written");
    let all = tags(&dump).expect("it is whole");
    let (mut strings, mut classes, mut whole) = (0, 0, 0);
    for seed in THINNED..THINNED + 300 {
        let Some(thinned) = mutated(Format::HPROF.family(), &dump, seed).expect("it is in memory") else { continue };
        assert_eq!(Some(&thinned), mutated(Format::HPROF.family(), &dump, seed).expect("it is in memory").as_ref());
        assert!(thinned.len() < dump.len() && thinned.starts_with(&dump[..31]), "{seed}");
        // Without the head of a dump record, its sub-records stand where records do.
        let Some(left) = tags(&thinned).filter(|left| left.iter().all(|tag| all.contains(tag))) else { continue };
        let count = |of: &[u8], tag: u8| of.iter().filter(|one| **one == tag).count();
        assert!([1, 2].into_iter().all(|tag| [0, count(&all, tag)].contains(&count(&left, tag))), "{seed}");
        whole += 1;
        strings += usize::from(!left.contains(&1));
        classes += usize::from(!left.contains(&2));
    }
    assert!(
        whole > 100 && strings > 10 && classes > 10,
        "{whole} whole, {strings} without strings, {classes} without classes"
    );
}

/// Holds that parts of a dump are what some mutation of an HPROF makes, of 3,000 seeds from one on.
fn among_mutants(dump: &[u8], first: u64) -> impl Fn(&str, &[&[u8]]) {
    let mutant = |seed| mutated(Format::HPROF.family(), dump, seed).expect("it is in memory");
    let mutants: Vec<Vec<u8>> = (first..first + 3_000).filter_map(mutant).collect();
    move |what, parts| assert!(mutants.contains(&parts.concat()), "{what}")
}

/// A dump, spelled by hand, after changes that concern it as a whole: a heap more before and after the one that it has, records in
/// each other's place, and 0 in the place of an identifier wherever that stands.
#[test]
fn adds_heaps_moves_records_and_changes_numbers_everywhere() {
    let head = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0";
    let name = b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x01A";
    let load = b"\x02\0\0\0\0\0\0\0\x10\0\0\0\x01\0\0\0\x20\0\0\0\0\0\0\0\x01";
    // ROOT UNKNOWN and ROOT STICKY CLASS.
    let heap = b"\x0c\0\0\0\0\0\0\0\x0a\xff\0\0\0\x20\x05\0\0\0\x20";
    let dump = [&head[..], name, load, heap].concat();
    let has = among_mutants(&dump, REARRANGED);
    has("a whole heap after it", &[head, name, load, heap, heap]);
    let first = b"\x0c\0\0\0\0\0\0\0\x05\xff\0\0\0\x20";
    has("a part of the heap before it", &[head, name, load, first, heap]);
    let segment = b"\x1c\0\0\0\0\0\0\0\x05\xff\0\0\0\x20\x2c\0\0\0\0\0\0\0\0";
    has("a part of it after it, as a segment", &[head, name, load, heap, segment]);
    has("the name last", &[head, load, heap, name]);
    has("the class first", &[head, load, name, heap]);
    has("the roots in the other order", &[head, name, load, b"\x0c\0\0\0\0\0\0\0\x0a\x05\0\0\0\x20\xff\0\0\0\x20"]);
    let load_0 = b"\x02\0\0\0\0\0\0\0\x10\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01";
    has("no class", &[head, name, load_0, b"\x0c\0\0\0\0\0\0\0\x0a\xff\0\0\0\0\x05\0\0\0\0"]);
}

/// A dump, spelled by hand: a class becomes its own superclass, or few of the records are left, with the HEAP DUMP around its own.
#[test]
fn breaks_up_related_records() {
    let head = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0";
    let name = b"\x01\0\0\0\0\0\0\0\x05\0\0\x10\x01A";
    let load = b"\x02\0\0\0\0\0\0\0\x10\0\0\0\x01\0\0\x20\x20\0\0\0\0\0\0\x10\x01";
    let class = |superclass: &[u8]| [b"\x20\0\0\x20\x20\0\0\0\0", superclass, &[0; 30]].concat();
    let instance = b"\x21\0\0\x30\x30\0\0\0\0\0\0\x20\x20\0\0\0\0";
    let array = b"\x23\0\0\x40\x40\0\0\0\0\0\0\0\0\x0a";
    let heap = |records: &[&[u8]]| {
        let body = records.concat();
        [&b"\x0c\0\0\0\0\0\0\0"[..], &[body.len() as u8], &body].concat()
    };
    let none = class(&[0; 4]);
    let dump = [&head[..], name, load, &heap(&[&none, instance, array])].concat();
    let has = among_mutants(&dump, RELATED);
    let own = class(b"\0\0\x20\x20");
    has("a class that is its own superclass", &[head, name, load, &heap(&[&own, instance, array])]);
    has("an array alone", &[head, &heap(&[array])]);
    has("an instance and its class", &[head, &heap(&[&none, instance])]);
    has("a class and its name", &[head, name, load, &heap(&[&none])]);
    has("a name alone", &[head, name]);
}

/// Of formats without several heaps, records are moved, and addresses are changed wherever they stand.
#[test]
fn changes_every_occurrence_of_address_in_text() {
    let dump = b"// Version: V\n0x1000 [8] CLS A\n\t\n0x2000 [16] OBJ A\n\t0x1000 \n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n";
    let mutants: Vec<String> = (REARRANGED..REARRANGED + 2_000)
        .filter_map(|seed| mutated(Format::CLASSIC.family(), dump, seed).expect("it is in memory"))
        .map(|mutant| String::from_utf8(mutant).expect("of ASCII"))
        .collect();
    let swapped = "// Version: V\n0x2000 [16] OBJ A\n\t0x1000 \n0x1000 [8] CLS A\n\t\n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n";
    assert!(mutants.iter().any(|mutant| mutant == swapped), "{mutants:?}");
    let other = "// Version: V\n0x2000 [8] CLS A\n\t\n0x2000 [16] OBJ A\n\t0x2000 \n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n";
    assert!(mutants.iter().any(|mutant| mutant == other), "{mutants:?}");
}
