//! Damaged dumps: what is kept of them is a valid dump, has nothing that the sound dump has not, and lacks little more than what
//! is damaged; and the cause is named.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;

use flate2::Compression;
use flate2::write::GzEncoder;
use heapsmith::format::{Family, damaged_family};
use heapsmith::input::Input;
use heapsmith::model::{Address, Object};
use heapsmith::mutator::generate;
use heapsmith::salvage::{FaultKind, SalvageOptions, SalvageReport, open_damaged};
use heapsmith::{read_dump, validate};

fn made(options: &str) -> Vec<u8> {
    generate(options, 64 << 20).expect("a dump")
}

/// What the salvager makes of damaged bytes, and its report; `None` where it refuses.
fn salvaged(damaged: &[u8], part: usize) -> Option<(Vec<u8>, SalvageReport)> {
    let opened = open_damaged(&Input::from_memory("damaged", damaged.to_vec())).expect("memory can be read");
    let family = damaged_family(&opened.input).expect("memory can be read");
    let mut kept = Vec::new();
    let options = SalvageOptions::default().part(part);
    let report = family.salvage(&opened.input, &options, Some(&mut kept)).ok()?;
    Some((kept, report))
}

/// Objects by address.
fn objects(dump: &[u8]) -> HashMap<Address, Object> {
    let read = read_dump(dump).unwrap_or_else(|error| panic!("what is kept can be read: {error}"));
    read.heaps.into_iter().flat_map(|heap| heap.objects).map(|object| (object.address, object)).collect()
}

/// The share of the sound dump's objects that were kept, in percent, once it is sure that nothing else was.
fn kept_share(sound: &[u8], kept: &[u8], what: &str) -> usize {
    let report = validate(kept);
    assert!(report.valid, "{what}: {:#?}", report.findings);
    let (before, after) = (objects(sound), objects(kept));
    for (address, object) in &after {
        let own = before.get(address).unwrap_or_else(|| panic!("{what}: {address} is not in the sound dump"));
        assert_eq!((own.kind, own.length), (object.kind, object.length), "{what}: {address}");
        // In classic text, a class that is lost is none.
        assert!(object.class == own.class || object.class.is_none(), "{what}: {address} has another class");
    }
    100 * after.len() / before.len()
}

fn kinds(report: &SalvageReport) -> Vec<&FaultKind> {
    report.faults.iter().map(|fault| &fault.kind).collect()
}

const HPROF: [&str; 4] = [
    "preset=plain,objects=2000,seed=1,format=hprof,profile=hotspot-25",
    "preset=plain,objects=2000,seed=2,format=hprof,profile=hotspot-8,word=32",
    "preset=plain,objects=2000,seed=3,format=hprof,profile=art,word=32",
    "preset=plain,objects=2000,seed=4,format=hprof,profile=agent,word=32",
];

/// A place of the file that lies in the heap.
fn in_the_heap(dump: &[u8]) -> usize {
    dump.len() * 6 / 10
}

fn without(dump: &[u8], place: Range<usize>) -> Vec<u8> {
    [&dump[..place.start], &dump[place.end..]].concat()
}

#[test]
fn sound_dumps_come_back_byte_for_byte() {
    for options in HPROF.iter().copied().chain([
        "preset=plain,objects=300,seed=1,format=phd6",
        "preset=plain,objects=300,seed=1,format=phd4,word=32",
        "preset=plain,objects=300,seed=1,format=classic",
    ]) {
        let sound = made(options);
        let (kept, report) = salvaged(&sound, 0).expect("a sound dump");
        assert!(report.is_sound(), "{options}: {report:#?}");
        assert!(kept == sound, "{options}");
    }
}

#[test]
fn a_hole_of_zeros_costs_what_lies_in_it() {
    for options in HPROF {
        let sound = made(options);
        let at = in_the_heap(&sound);
        let mut damaged = sound.clone();
        damaged[at..at + 4096].fill(0);
        let (kept, report) = salvaged(&damaged, 0).expect("records are left");
        assert!(kinds(&report).iter().any(|kind| matches!(kind, FaultKind::Zeros { .. })), "{options}: {report:#?}");
        assert!(kept_share(&sound, &kept, options) >= 80, "{options}");
    }
}

#[test]
fn bytes_that_are_missing_or_added_are_told_with_their_number() {
    for options in HPROF {
        let sound = made(options);
        let at = in_the_heap(&sound);
        for count in [1, 100, 2000] {
            let (kept, report) = salvaged(&without(&sound, at..at + count), 0).expect("records are left");
            let what = format!("{options}, {count} bytes are missing");
            assert!(!report.faults.is_empty(), "{what}");
            assert!(kept_share(&sound, &kept, &what) >= 80, "{what}");
        }
        let added = [&sound[..at], &[0xa5; 77], &sound[at..]].concat();
        let (kept, report) = salvaged(&added, 0).expect("records are left");
        assert!(!report.faults.is_empty(), "{options}");
        assert!(kept_share(&sound, &kept, options) >= 90, "{options}");
    }
}

#[test]
fn a_length_that_was_never_filled_in_costs_nothing() {
    for options in HPROF {
        let sound = made(options);
        let mut damaged = sound.clone();
        // The first dump record: every record before it is hopped over.
        let mut at = sound.iter().position(|byte| *byte == 0).expect("the header's end") + 13;
        while ![0x0c, 0x1c].contains(&sound[at]) {
            at += 9 + u32::from_be_bytes(sound[at + 5..at + 9].try_into().expect("four")) as usize;
        }
        damaged[at + 5..at + 9].fill(0);
        let (kept, report) = salvaged(&damaged, 0).expect("records are left");
        assert_eq!(kept_share(&sound, &kept, options), 100, "{options}: {report:#?}");
        let long = u32::from_be_bytes(sound[at + 5..at + 9].try_into().expect("four"));
        for stated in [long - 5, long + 7, 0x9fff_0000] {
            damaged[at + 5..at + 9].copy_from_slice(&stated.to_be_bytes());
            let (kept, report) = salvaged(&damaged, 0).expect("records are left");
            let what = format!("{options}, {stated} instead of {long}");
            assert!(kept_share(&sound, &kept, &what) >= 99, "{what}: {report:#?}");
        }
    }
}

#[test]
fn two_dumps_in_a_file_are_taken_apart() {
    for options in
        ["objects=50,seed=1,format=hprof", "objects=50,seed=1,format=phd6", "objects=50,seed=1,format=classic"]
    {
        let (first, second) = (made(options), made(&options.replace("seed=1", "seed=2")));
        let both = [&first[..], &second[..]].concat();
        for (part, sound) in [(0, &first), (1, &second)] {
            let (kept, report) = salvaged(&both, part).expect("two dumps");
            assert_eq!(report.dumps.len(), 2, "{options}: {report:#?}");
            assert_eq!(report.dumps[1].offset, first.len() as u64, "{options}");
            assert_eq!(kept_share(sound, &kept, options), 100, "{options}: {report:#?}");
        }
        assert!(salvaged(&both, 2).is_none(), "{options}");
    }
}

#[test]
fn a_cut_keeps_all_before_it() {
    for options in HPROF.iter().copied().chain(["objects=600,seed=1,format=phd6", "objects=600,seed=1,format=classic"])
    {
        let sound = made(options);
        let cut = &sound[..in_the_heap(&sound)];
        let (kept, report) = salvaged(cut, 0).expect("records are left");
        assert!(kinds(&report).contains(&&FaultKind::CutShort), "{options}: {report:#?}");
        assert!(kept_share(&sound, &kept, options) > 20, "{options}");
    }
}

#[test]
fn a_compressed_dump_is_kept_up_to_where_it_breaks_off() {
    let sound = made(HPROF[0]);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&sound).expect("memory");
    let compressed = encoder.finish().expect("memory");
    let opened = open_damaged(&Input::from_memory("cut", compressed[..compressed.len() / 2].to_vec())).expect("memory");
    assert!(opened.cut.is_some());
    let (kept, _) = salvaged(&compressed[..compressed.len() / 2], 0).expect("records are left");
    assert!(kept_share(&sound, &kept, "half of it") > 5);
}

#[test]
fn a_damaged_header_is_made_anew() {
    for options in HPROF {
        let sound = made(options);
        let zero = sound.iter().position(|byte| *byte == 0).expect("the header's end");
        let mut damaged = sound.clone();
        damaged[0] = b'K';
        let mut other_size = sound.clone();
        other_size[zero + 4] = if sound[zero + 4] == 8 { 4 } else { 8 };
        for damaged in [damaged, other_size, sound[zero + 13..].to_vec()] {
            let (kept, report) = salvaged(&damaged, 0).expect("records are left");
            assert!(kinds(&report).contains(&&FaultKind::Header), "{options}: {report:#?}");
            assert_eq!(kept_share(&sound, &kept, options), 100, "{options}");
        }
    }
}

#[test]
fn transfers_as_text_are_undone() {
    let sound = made(HPROF[0]);
    let mut with_returns = Vec::new();
    for byte in &sound {
        with_returns.extend_from_slice(if *byte == b'\n' { b"\r\n" } else { std::slice::from_ref(byte) });
    }
    let recoded: String = sound.iter().map(|byte| char::from(*byte)).collect();
    for (bytes, kind) in [(&with_returns[..], FaultKind::LineEnds), (recoded.as_bytes(), FaultKind::Recoded)] {
        let opened = open_damaged(&Input::from_memory("text", bytes.to_vec())).expect("memory");
        assert_eq!(opened.text.as_ref().map(|(kind, _)| kind), Some(&kind));
        // Nothing is lost by either.
        let (kept, _) = salvaged(bytes, 0).expect("records are left");
        assert!(kept == sound, "{kind}");
    }
    assert!(open_damaged(&Input::from_memory("sound", sound)).expect("memory").text.is_none());
}

/// Random damage of small dumps: no panic, and what comes out is valid or refused. HEAPSMITH_DAMAGES sets the number of tries.
#[test]
fn random_damage_leaves_a_valid_dump_or_a_refusal() {
    let tries: u64 = std::env::var("HEAPSMITH_DAMAGES").ok().and_then(|told| told.parse().ok()).unwrap_or(400);
    let sources = [
        "format=hprof",
        "format=hprof,profile=art,word=32",
        "format=hprof,profile=any",
        "format=phd6",
        "format=classic",
    ];
    let (mut kept, mut refused) = (0, 0);
    for options in sources {
        let sound = made(&format!("preset=tiny,objects=40,seed=5,{options}"));
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below.max(1)
        };
        for number in 0..tries / sources.len() as u64 {
            let mut damaged = sound.clone();
            for _ in 0..=next(3) {
                if damaged.is_empty() {
                    break;
                }
                let (at, count) = (next(damaged.len()), 1 + next(64));
                let end = (at + count).min(damaged.len());
                match next(5) {
                    0 => damaged[at..end].fill(0),
                    1 => _ = damaged.drain(at..end),
                    2 => _ = damaged.splice(at..at, (0..count).map(|byte| byte as u8)),
                    3 => damaged[at] ^= 1 << next(8),
                    _ => damaged.truncate(at),
                }
            }
            match salvaged(&damaged, 0) {
                None => refused += 1,
                Some((dump, _)) => {
                    let report = validate(&dump);
                    assert!(report.valid, "{options}, {number}: {:#?}", report.findings);
                    kept += 1;
                }
            }
        }
    }
    println!("{kept} kept, {refused} refused");
    assert!(kept > refused, "{kept} kept, {refused} refused");
}

// Steps are counted where debug assertions are on.
#[cfg(debug_assertions)]
#[test]
fn work_grows_as_the_file_does() {
    let steps = |objects: u64| {
        let mut damaged = made(&format!("preset=plain,objects={objects},seed=1,format=hprof"));
        let at = in_the_heap(&damaged);
        damaged[at..at + 4096].fill(0);
        (heapsmith::model::steps_of(|| _ = salvaged(&damaged, 0)), damaged.len() as u64)
    };
    let ((once, short), (twice, long)) = (steps(4_000), steps(8_000));
    assert!(twice * short <= once * long * 3 / 2, "{once} steps for {short} bytes, {twice} for {long}");
}

#[test]
fn every_format_has_a_salvager() {
    for family in Family::ALL {
        let format = family.formats().last().expect("a version");
        let sound = made(&format!("objects=20,seed=1,format={format}"));
        assert_eq!(damaged_family(&Input::from_memory("sound", sound)).expect("memory"), family);
    }
}
