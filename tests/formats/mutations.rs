//! Dumps that are changed by chance.

use heapsmith::corrupt::mutated;
use heapsmith::format::Format;
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
fn what_counts_bytes_counts_those_that_are_added() {
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
