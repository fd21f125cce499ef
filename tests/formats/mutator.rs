//! Dumps that are changed for fuzzing engines.

use heapsmith::format::{Family, Format};
use heapsmith::mutator::{
    Trimmer, cross_over, cross_over_into, dump_from_bytes, generate, is_dump, mutate, mutate_in_place,
};
use heapsmith::read_dump;

/// Dumps of each format, small and not so small, of a usual writer and in any spelling.
fn dumps() -> Vec<(Family, Vec<u8>)> {
    let mut dumps = Vec::new();
    for format in ["phd4", "phd5", "phd6", "hprof", "classic"] {
        for options in ["objects=5,seed=1", "objects=60,seed=2", "objects=40,seed=3,profile=any"] {
            let dump = generate(&format!("preset=tiny,{options},format={format}"), 1 << 20).expect("it is small");
            let family = Format::all().find(|known| known.to_string() == format).expect("a format").family();
            dumps.push((family, dump));
        }
    }
    dumps
}

/// Whether a dump can be read to its end, broken rules or not.
fn can_be_read(family: Family, dump: &[u8]) -> bool {
    let opener = heapsmith::family::Opener::from_memory("dump", dump);
    family.read(&opener).is_ok_and(|whole| whole.ended.is_ok())
}

#[test]
fn keeps_most_changed_dumps_readable() {
    let (mut readable, mut valid, mut all) = (0, 0, 0);
    for (family, dump) in dumps() {
        for seed in 0..400 {
            let mutant = mutate(&dump, seed, 1 << 20);
            assert_ne!(mutant, dump, "{family}, {seed}");
            assert_eq!(mutant, mutate(&dump, seed, 1 << 20), "{family}, {seed}");
            all += 1;
            readable += usize::from(can_be_read(family, &mutant));
            valid += usize::from(read_dump(&mutant).is_ok());
        }
    }
    println!("{readable} of {all} can be read, {valid} are valid");
    assert!(readable * 100 >= all * 90, "{readable} of {all}");
    assert!(valid < readable && valid * 100 >= all * 60, "{valid} of {all}");
}

#[test]
fn changes_no_more_bytes_than_fit() {
    for (family, dump) in dumps() {
        for seed in 0..100 {
            let most = seed as usize * dump.len() / 60;
            assert!(mutate(&dump, seed, most).len() <= most, "{family}, {seed}");
            assert!(cross_over(&dump, &dump, seed, most).len() <= most, "{family}, {seed}");
        }
    }
    for most in 0..200 {
        assert!(mutate(b"", most as u64, most).len() <= most);
        assert!(mutate(b"no dump", most as u64, most).len() <= most);
    }
}

#[test]
fn makes_dump_of_nothing_and_changes_other_bytes_plainly() {
    for seed in 0..50 {
        assert!(read_dump(mutate(b"", seed, 1 << 16)).is_ok(), "{seed}");
    }
    let bytes = b"no dump at all, but bytes of a fuzzer";
    let mutants: Vec<Vec<u8>> = (0..200).map(|seed| mutate(bytes, seed, 60)).collect();
    assert!(mutants.iter().all(|mutant| mutant.len().abs_diff(bytes.len()) <= 8));
    assert!(mutants.iter().filter(|mutant| **mutant != bytes).count() > 180);
}

/// The parts of an HPROF dump, spelled by hand: a header, a STRING and a HEAP DUMP with two roots.
const HEAD: &[u8] = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0";
const NAME: &[u8] = b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x01A";
const ROOTS: &[u8] = b"\x0c\0\0\0\0\0\0\0\x0a\xff\0\0\0\x20\x05\0\0\0\x21";

#[test]
fn adjusts_length_around_change() {
    let dump = [HEAD, NAME, ROOTS].concat();
    let mutants: Vec<Vec<u8>> = (0..20_000).map(|seed| mutate(&dump, seed, 200)).collect();
    let has = |what: &str, parts: &[&[u8]]| assert!(mutants.contains(&parts.concat()), "{what}");
    has("the string twice", &[HEAD, NAME, NAME, ROOTS]);
    has("no string", &[HEAD, ROOTS]);
    has("a root less", &[HEAD, NAME, b"\x0c\0\0\0\0\0\0\0\x05\xff\0\0\0\x20"]);
    has("a root more", &[HEAD, NAME, b"\x0c\0\0\0\0\0\0\0\x0f\xff\0\0\0\x20\x05\0\0\0\x21\x05\0\0\0\x21"]);
    has("the root of another object", &[HEAD, NAME, b"\x0c\0\0\0\0\0\0\0\x0a\xff\0\0\0\x21\x05\0\0\0\x21"]);
    has("a longer string", &[HEAD, b"\x01\0\0\0\0\0\0\0\x06\0\0\0\x01A.", ROOTS]);
}

#[test]
fn takes_records_over_from_other_dump() {
    let dump = [HEAD, NAME, ROOTS].concat();
    let other = [HEAD, b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x02B", b"\x0c\0\0\0\0\0\0\0\x05\xff\0\0\0\x30"].concat();
    let crossed: Vec<Vec<u8>> = (0..2_000).map(|seed| cross_over(&dump, &other, seed, 200)).collect();
    let has = |what: &str, parts: &[&[u8]]| assert!(crossed.contains(&parts.concat()), "{what}");
    let name = b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x02B";
    has("its string, too", &[HEAD, name, NAME, ROOTS]);
    has("its string alone", &[HEAD, name, ROOTS]);
    has("its root", &[HEAD, NAME, b"\x0c\0\0\0\0\0\0\0\x0a\xff\0\0\0\x30\x05\0\0\0\x21"]);
    // Of other formats, nothing is taken over.
    let text = b"// Version: V\n0x1000 [8] CLS A\n\t\n// EOF: Total 'Objects',Refs(null) : 0,0(0)\n";
    assert!(crossed.iter().all(|dump| is_dump(dump)));
    assert!((0..50).all(|seed| cross_over(&dump, text, seed, 200).starts_with(b"JAVA PROFILE ")));
}

#[test]
fn trims_dump_to_what_is_kept() {
    let dump = [HEAD, NAME, NAME, ROOTS].concat();
    let mut trimmer = Trimmer::new(dump);
    let most = trimmer.most_steps();
    while let Some(candidate) = trimmer.candidate() {
        let is_kept = candidate.windows(5).any(|bytes| bytes == b"\x05\0\0\0\x21");
        trimmer.judge(is_kept);
    }
    assert_eq!(trimmer.bytes(), [HEAD, b"\x0c\0\0\0\0\0\0\0\x05\x05\0\0\0\x21"].concat());
    assert!(trimmer.steps() <= most, "{} of {most}", trimmer.steps());
    assert_eq!(Trimmer::new(b"no dump".to_vec()).candidate(), None);
}

#[test]
fn makes_similar_dumps_of_similar_bytes() {
    let options = "preset=tiny,objects=30,seed=5,format=hprof";
    let own = generate(options, 1 << 20).expect("it is small");
    assert_eq!(dump_from_bytes(options, b"", 1 << 20).expect("it is small"), own);
    assert_eq!(dump_from_bytes(options, &[0, 0], 1 << 20).expect("it is small"), own);
    let (mut near, mut all) = (0, 0);
    for change in 0..100_u8 {
        let mut bytes = vec![0, 0];
        bytes.extend((0..24).map(|at| change.wrapping_mul(37).wrapping_add(at * 11)));
        let dump = dump_from_bytes(options, &bytes, 1 << 20).expect("it is small");
        // Another value in the last change.
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        let other = dump_from_bytes(options, &bytes, 1 << 20).expect("it is small");
        // Most pieces of one are in the other.
        let pieces: std::collections::BTreeSet<&[u8]> = dump.windows(12).collect();
        let known = other.windows(12).filter(|piece| pieces.contains(piece)).count();
        near += usize::from(known * 10 >= other.windows(12).count() * 9);
        all += 1;
    }
    assert!(near * 10 >= all * 7, "{near} of {all} are near");
    let error = dump_from_bytes("objects=100000", b"", 1000).expect_err("it is larger");
    assert!(error.to_string().contains("more than 1000 bytes"), "{error}");
}

#[test]
fn leaves_other_bytes_to_engine() {
    let mut data = [0; 80];
    data[..7].copy_from_slice(b"no dump");
    assert_eq!(mutate_in_place(&mut data, 7, 1), None);
    assert_eq!(cross_over_into(b"no dump", HEAD, &mut data, 1), None);
    let dump = [HEAD, NAME].concat();
    data[..dump.len()].copy_from_slice(&dump);
    let size = mutate_in_place(&mut data, dump.len(), 1).expect("it is changed");
    assert!(size <= 80 && data[..size] != dump[..]);
}
