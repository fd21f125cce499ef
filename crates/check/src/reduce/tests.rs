use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use heapsmith_core::Format;
use heapsmith_core::bytes::gzip;
use heapsmith_core::generate::{GenerateOptions, from_seed};
use heapsmith_core::model::{Contents, Heap, Object, ObjectKind};

fn quiet(_: ReduceProgress<'_>) {}

fn formats() -> [Format; 3] {
    [Format::HPROF, "phd6".parse().expect("a format"), "classic".parse().expect("a format")]
}

fn has_array(heap: &Heap) -> bool {
    heap.objects.iter().any(|object| object.kind == ObjectKind::ObjectArray)
}

fn shows_array(dump: &[u8]) -> Result<bool, Error> {
    Ok(heapsmith_core::read(dump).is_ok_and(|heap| has_array(&heap)))
}

/// The sizes are those of a header, one array and an end: in HPROF 31 bytes of header, 9 of a record's and 17 of an array
/// without elements; in PHD 6 a header of 31 bytes and more with a version text, and an array of 19; in text one line.
#[test]
fn reduces_dump_to_one_object() {
    for (format, most) in formats().into_iter().zip([31 + 9 + 17, 60, 20]) {
        let dump = Heap::random(11).write(format).expect("it can be written").into_bytes();
        assert!(shows_array(&dump).expect("it can be read"), "{format}");
        let reduced = reduce(dump, &shows_array, &ReduceOptions::default(), &quiet).expect("it can be reduced");
        let left = heapsmith_core::read(&reduced.bytes).expect("it can be read");
        assert_eq!((left.objects.len(), has_array(&left)), (1, true), "{format}");
        assert!(reduced.bytes.len() <= most, "{format}: {} bytes", reduced.bytes.len());
        assert!(reduced.trials < 60, "{format}: {} trials", reduced.trials);
        assert_eq!((reduced.ended, reduced.flaky), (None, 0));
    }
}

/// A dump that is not held is reduced to no more than one that is held, by a sample or a part, and is itself tried
/// twice.
#[test]
fn samples_large_dump_first() {
    for (format, most) in formats().into_iter().zip([31 + 9 + 17, 60, 20]) {
        let dump = Heap::random(11).write(format).expect("it can be written").into_bytes();
        let input = Input::from_memory("dump", dump.clone());
        let (asked, longest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let whole = || Ok(asked.fetch_add(1, Ordering::Relaxed) < 2);
        let shows = |dump: &[u8]| {
            longest.fetch_max(dump.len(), Ordering::Relaxed);
            shows_array(dump)
        };
        let reduced =
            reduce_large(&input, &whole, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
        assert!(reduced.bytes.len() <= most, "{format}: {} bytes", reduced.bytes.len());
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        // The first object of each class is in every sample, so that none with all of them was needed.
        assert!(longest.load(Ordering::Relaxed) < dump.len(), "{format}");
        let refused = reduce_large(&input, &|| Ok(false), &shows, &ReduceOptions::default(), &quiet).expect_err("no");
        assert!(refused.to_string().contains("the dump does not show it"), "{refused}");
    }
}

/// A failure that only all objects show together needs the whole dump.
#[test]
fn reduces_whole_dump_if_no_part_shows_failure() {
    let heap = Heap::random(11);
    let dump = heap.write(Format::HPROF).expect("it can be written").into_bytes();
    let input = Input::from_memory("dump", [&dump[..], b"!"].concat());
    // No rewritten dump has the byte after the end.
    let shows = |dump: &[u8]| Ok(dump.ends_with(b"!"));
    let reduced =
        reduce_large(&input, &|| Ok(true), &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    assert!(reduced.bytes.ends_with(b"!") && reduced.bytes.len() < dump.len(), "{} bytes", reduced.bytes.len());
}

/// A reduced valid dump is valid, and two jobs give the result of one.
#[test]
fn result_is_valid_and_independent_of_jobs() {
    for format in formats() {
        let dump = Heap::random(3).write(format).expect("it can be written").into_bytes();
        let options = |jobs| ReduceOptions::default().jobs(NonZeroUsize::new(jobs).expect("more than 0"));
        let one = reduce(dump.clone(), &shows_array, &options(1), &quiet).expect("it can be reduced");
        let three = reduce(dump, &shows_array, &options(3), &quiet).expect("it can be reduced");
        assert_eq!(one.bytes, three.bytes, "{format}");
        assert!(heapsmith_core::validate(&one.bytes).valid, "{format}");
    }
}

/// A truncated dump cannot be written again: its records and bytes are removed.
#[test]
fn keeps_broken_rule_of_broken_dump() {
    for format in formats() {
        let whole = Heap::random(5).write(format).expect("it can be written").into_bytes();
        let cut = whole[..whole.len() * 2 / 3].to_vec();
        let is_cut = |dump: &[u8]| {
            let report = heapsmith_core::validate(dump);
            Ok(report.findings.iter().any(|finding| finding.rule.0.ends_with("file.truncated")))
        };
        if !is_cut(&cut).expect("it can be read") {
            continue;
        }
        let reduced = reduce(cut.clone(), &is_cut, &ReduceOptions::default(), &quiet).expect("it can be reduced");
        assert!(is_cut(&reduced.bytes).expect("it can be read"), "{format}");
        assert!(reduced.bytes.len() * 10 < cut.len(), "{format}: {} of {} bytes", reduced.bytes.len(), cut.len());
    }
}

#[test]
fn refuses_dump_that_does_not_show_failure() {
    let dump = Heap::random(3).write(Format::HPROF).expect("it can be written").into_bytes();
    let never = reduce(dump.clone(), &|_| Ok(false), &ReduceOptions::default(), &quiet).expect_err("refused");
    assert!(never.to_string().contains("the dump does not show it"), "{never}");
    // Yes, then no.
    let asked = AtomicUsize::new(0);
    let flaky = |_: &[u8]| Ok(asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(2));
    let refused = reduce(dump, &flaky, &ReduceOptions::default(), &quiet).expect_err("refused");
    assert!(refused.to_string().contains("only now and then"), "{refused}");
}

#[test]
fn a_run_ends_with_its_trials_and_goes_on_from_its_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    let dump = Heap::random(11).write(Format::HPROF).expect("it can be written").into_bytes();
    let whole = reduce(dump.clone(), &shows_array, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    let asked = AtomicUsize::new(0);
    let counted = |dump: &[u8]| {
        asked.fetch_add(1, Ordering::Relaxed);
        shows_array(dump)
    };
    let options = ReduceOptions::default().journal(journal.clone());
    let first = reduce(dump.clone(), &counted, &options.clone().trials(10), &quiet).expect("it can be reduced");
    assert_eq!((first.trials, first.ended), (10, Some(EndReason::Trials)));
    assert!(first.bytes.len() <= dump.len() && shows_array(&first.bytes).expect("it can be read"));
    // A line that a kill has cut says nothing.
    let mut text = std::fs::read_to_string(&journal).expect("a journal");
    text.push_str("yes 0123");
    std::fs::write(&journal, text).expect("writable");
    let second = reduce(dump, &counted, &options, &quiet).expect("it can be reduced");
    assert_eq!((&second.bytes, second.ended), (&whole.bytes, None));
    assert!(second.trials <= whole.trials - 10 + 1, "{} of {}", second.trials, whole.trials);
}

/// The answers of a journal are valid for one question only, and no other file is written into.
#[test]
fn refuses_journal_of_another_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let dump = Heap::random(11).write(Format::HPROF).expect("it can be written").into_bytes();
    let run = |question: &str| {
        let options = ReduceOptions::default().journal(path.clone()).question(question.to_owned()).trials(3);
        reduce(dump.clone(), &shows_array, &options, &quiet).map_err(|error| error.to_string())
    };
    for (text, reason) in [
        (&dump[..], "is not a journal of heapsmith reduce"),
        (b"yes 00\n", "is not a journal of heapsmith reduce"),
        (
            b"heapsmith reduce, journal 1: \"other\"\n",
            "is the journal of another command: expected \"arrays\", found \"other\"",
        ),
    ] {
        std::fs::write(&path, text).expect("writable");
        let error = run("arrays").expect_err("refused");
        assert!(error.contains(reason), "{error}");
        assert_eq!(std::fs::read(&path).expect("it is there"), text);
    }
    std::fs::write(&path, b"").expect("writable");
    assert_eq!(run("arrays").map(|reduced| reduced.trials), Ok(3));
    assert!(run("others").is_err());
    run("arrays").expect("its own");
}

/// A text with an unreadable line, and a reader that skips it: the failure needs that line, the last one, and no
/// truncated line. The lines after the broken one are removed as lines, which they are only once it is skipped.
#[test]
fn records_after_a_broken_place_are_left_out() {
    let format: Format = "classic".parse().expect("a format");
    let options = GenerateOptions::default().objects(300);
    let whole = from_seed(&options, 1).write(format).expect("it can be written").into_bytes();
    let whole = String::from_utf8(whole).expect("it is ASCII");
    let mut lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let place = lines.len() / 4;
    lines.insert(place, "0x10000000000000000 [16] OBJ A\n");
    let (broken, last) = (lines.concat(), lines[lines.len() - 1]);
    let shows = |dump: &[u8]| {
        let dump = String::from_utf8_lossy(dump).into_owned();
        let left: Vec<&str> = dump.split_inclusive('\n').collect();
        let is_whole = left.iter().all(|line| lines.contains(line));
        Ok(is_whole && left.contains(&"0x10000000000000000 [16] OBJ A\n") && left.last() == Some(&last))
    };
    assert!(broken.len() > 8192 && heapsmith_core::read(&broken).is_err());
    let reduced = reduce(broken.into(), &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    let text = String::from_utf8_lossy(&reduced.bytes).into_owned();
    assert!(reduced.bytes.len() < 160 && reduced.trials < 400, "{} trials: {text}", reduced.trials);
}

/// A failure that only a compressed dump shows, or only one in two gzip members, is reduced inside the members. RFC
/// 1952, 2.3.1: a member begins with 1f 8b 08, and its header has 10 bytes; a stored block (RFC 1951, 3.2.4) has 5
/// beside its contents, and 8 end the member.
#[test]
fn a_compressed_dump_is_reduced_inside_its_members() {
    for members in 1..=2 {
        let dump = Heap::random(11).write(Format::HPROF).expect("it can be written").into_bytes();
        let compressed = gzip::members(dump.chunks(dump.len().div_ceil(members)));
        let shows = |dump: &[u8]| {
            let begun = dump.windows(3).filter(|start| *start == [0x1f, 0x8b, 8]).count();
            Ok(begun == members && shows_array(dump)?)
        };
        let reduced = reduce(compressed, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
        assert!(shows(&reduced.bytes).expect("it can be read"));
        assert!(reduced.bytes.len() <= 31 + 9 + 17 + members * (10 + 5 + 5 + 8), "{} bytes", reduced.bytes.len());
    }
}

/// A failure with identifiers of any width is reduced to one with identifiers of 4 bytes (bytes 19 to 22 of the header
/// have the width), and a failure that needs identifiers of 2 bytes keeps them.
#[test]
fn changes_identifiers_to_usual_width_if_failure_remains() {
    let recipe = "heapsmith-2:objects=10,addresses=numbers,seed=3,format=hprof,id-size=2";
    let mut dump = Vec::new();
    heapsmith_core::recipe::Recipe::read(recipe).and_then(|recipe| recipe.write(&mut dump)).expect("it can be written");
    assert_eq!(dump[19..23], [0, 0, 0, 2]);
    let reduced = reduce(dump.clone(), &shows_array, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    assert_eq!(reduced.bytes[19..23], [0, 0, 0, 4]);
    let shows = |dump: &[u8]| Ok(dump[22] == 2 && shows_array(dump)?);
    let reduced = reduce(dump, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    assert_eq!(reduced.bytes[19..23], [0, 0, 0, 2]);
}

/// A header with an invalid identifier size (the last of the 4 bytes after the version's text and its zero) makes all
/// records unreadable; they are removed by their lengths. The header is left, of 31 bytes, and the record at which a
/// reader ends: its tag, and 8 bytes of time and length.
#[test]
fn records_after_a_broken_header_are_left_out() {
    let options = GenerateOptions::default().objects(300);
    let mut broken = from_seed(&options, 1).write(Format::HPROF).expect("it can be written").into_bytes();
    broken[22] = 3;
    let shows = |dump: &[u8]| {
        let mut at = 31;
        while at + 9 <= dump.len() {
            if dump[22] == 3 && dump[at] == 0x2c {
                return Ok(true);
            }
            at += 9 + u32::from_be_bytes([dump[at + 5], dump[at + 6], dump[at + 7], dump[at + 8]]) as usize;
        }
        Ok(false)
    };
    assert!(broken.len() > 8192 && heapsmith_core::read(&broken).is_err());
    let reduced = reduce(broken, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    assert_eq!(reduced.bytes.len(), 31 + 9, "{} trials", reduced.trials);
    assert!(reduced.trials < 200, "{} trials", reduced.trials);
}

/// A PHD whose records are known only by their lengths: a version text is optional, and has a length of two bytes.
#[test]
fn a_text_of_the_header_is_left_out_or_cut_with_its_length() {
    let head = b"\0\x12portable heap dump\0\0\0\x06\0\0\0\x04\x01";
    let dump = [&head[..], b"\x04\0\x05text!", b"\x02\x02\x03"].concat();
    let reduced = |shows: &FailureTest<'_>| {
        let options = ReduceOptions::default();
        let mut trials = Trials::new(dump.clone(), shows, &options, &quiet).expect("it shows it");
        bytes::reduce(&mut trials).expect("it is in memory");
        trials.finish().bytes
    };
    // Without its end, a body can be read as well.
    let is_read = |dump: &[u8]| Ok(dump.ends_with(&[3]) && heapsmith_core::read(dump).is_ok());
    assert_eq!(reduced(&is_read), [&head[..], b"\x02\x02\x03"].concat());
    let has_text = |dump: &[u8]| {
        Ok(is_read(dump)? && heapsmith_core::read(dump).is_ok_and(|heap| heap.facts.version_text.is_some()))
    };
    assert_eq!(reduced(&has_text), [&head[..], b"\x04\0\0", b"\x02\x02\x03"].concat());
}

/// One of several instances with values is left, of a class without a superclass that declares a byte. An INSTANCE DUMP
/// has 9 bytes and 2 identifiers before its values, a CLASS DUMP 15 bytes and 7 identifiers before its fields, and a
/// field an identifier and a byte (manual of the JDK, "HPROF Binary Format"); the header has 31 bytes here, and that of
/// a segment 9.
#[test]
fn shrinks_class_layouts_with_their_values() {
    let has_value = |heap: &Heap| {
        let mut contents = heap.objects.iter().map(|object| &object.contents);
        contents.any(|contents| matches!(contents, Contents::Fields(values) if !values.is_empty()))
    };
    let shows = |dump: &[u8]| Ok(heapsmith_core::read(dump).is_ok_and(|heap| has_value(&heap)));
    let dump = Heap::random(11).write(Format::HPROF).expect("it can be written").into_bytes();
    let depth =
        |heap: &Heap| heap.classes.iter().filter(|class| class.superclass.is_some_and(|to| !to.is_null())).count();
    assert!(heapsmith_core::read(&dump).is_ok_and(|heap| depth(&heap) > 2));
    let reduced = reduce(dump, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    let left = heapsmith_core::read(&reduced.bytes).expect("it can be read");
    assert_eq!((left.objects.len(), left.classes.len(), depth(&left)), (1, 1, 0));
    let width = u64::from(reduced.bytes[22]);
    assert_eq!(reduced.bytes.len() as u64, 31 + 9 + (9 + 2 * width) + (15 + 7 * width) + (width + 1) + 1);
}

/// The target of a reference cannot be removed; if the target does not matter, the reference leads to its own object
/// instead.
#[test]
fn redirects_references_to_own_object_if_failure_remains() {
    let refers =
        |object: &Object| matches!(&object.contents, Contents::Elements(list) if list.iter().any(|to| !to.is_null()));
    let shows = |dump: &[u8]| Ok(heapsmith_core::read(dump).is_ok_and(|heap| heap.objects.iter().any(refers)));
    let dump = Heap::random(11).write(Format::HPROF).expect("it can be written").into_bytes();
    let reduced = reduce(dump, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    let left = heapsmith_core::read(&reduced.bytes).expect("it can be read");
    assert_eq!(left.objects.len(), 1);
    let Contents::Elements(list) = &left.objects[0].contents else { panic!("an array of objects") };
    assert_eq!(list, &[left.objects[0].address]);
}

/// No writer writes a text of a comment alone, in any encoding.
#[test]
fn the_shortest_texts_are_tried() {
    let [.., classic] = formats();
    let heap = Heap::random(5).write(classic).expect("it can be written").into_bytes();
    let shows = |dump: &[u8]| Ok(heapsmith_core::validate(dump).valid);
    let reduced = reduce(heap, &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
    assert_eq!(reduced.bytes, b"//\n");
}
