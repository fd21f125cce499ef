//! Damaged classic text.

use std::fs;
use std::path::PathBuf;

use heapsmith::bytes::ebcdic::CodePage;
use heapsmith::classic::lower::{self, LowerOptions};
use heapsmith::classic::{Charset, DecodeStep, Decoder, Encoding, Newline, PROFILES, lift, rules};
use heapsmith::error::{DecodeError, Problem};
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, Heap, Object, ObjectKind, PrimitiveType, Value, WordSize,
};
use pretty_assertions::assert_eq;

/// Two classes and three objects, in each dialect and encoding.
fn dumps() -> Vec<(String, Vec<u8>)> {
    let at = |n: u64| Address(0x1000 + n);
    let class = |n, name: &str, superclass| Class {
        address: at(n),
        name: name.into(),
        superclass: Some(superclass),
        class_object_size: Some(ByteLen(64)),
        interfaces: Some(Vec::new()),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    };
    let object = |n, class: u64, kind, contents| Object {
        class: Some(at(class)),
        size: Some(ByteLen(16)),
        contents,
        ..Object::new(at(n), kind)
    };
    let heap = Heap {
        facts: Facts { word_size: Some(WordSize::Bits32), version_text: Some("J9".into()), ..Facts::default() },
        classes: vec![class(0x100, "A", Address::NULL), class(0x140, "[LA;", at(0x100)), class(0x180, "[I", at(0x100))],
        objects: vec![
            object(0, 0x100, ObjectKind::Instance, Contents::Fields(vec![Value::reference(at(0x10))])),
            object(0x10, 0x140, ObjectKind::ObjectArray, Contents::Elements(vec![at(0), Address::NULL, at(0x20)])),
            object(0x20, 0x180, ObjectKind::PrimitiveArray(PrimitiveType::Int), Contents::Unknown),
        ],
        ..Heap::default()
    };
    let ebcdic = |page, newline| Encoding { charset: Charset::Ebcdic(page), newline };
    let encodings = [
        ("utf-8", Encoding::default()),
        ("ibm-1047", ebcdic(CodePage::Ibm1047, Newline::Nel)),
        ("ibm-037-crlf", ebcdic(CodePage::Ibm037, Newline::CrLf)),
    ];
    let named = PROFILES.iter().filter(|profile| !profile.is_seeded());
    let every = named.flat_map(|profile| encodings.iter().map(move |encoding| (profile, encoding)));
    every
        .map(|(profile, (name, encoding))| {
            let options = LowerOptions::default().profile(profile).encoding(*encoding);
            (format!("{}-{name}", profile.name), lower::to_bytes(&heap, &options).expect("writable"))
        })
        .collect()
}

/// The heap up to the error.
fn read(bytes: &[u8]) -> (Heap, Option<DecodeError>) {
    match lift::heap(|| Ok(Decoder::new(bytes)?)) {
        Ok((heap, _, ended)) => (heap, ended.err()),
        Err(heapsmith::error::Error::Decode(error)) => (Heap::default(), Some(error)),
        Err(e) => panic!("memory can be read: {e}"),
    }
}

/// Where each record ends.
fn ends(whole: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let ended = Decoder::new(whole).expect("valid").visit::<DecodeError, _>(|step| {
        let DecodeStep::Record(at, _) = step else { panic!("records are short") };
        ends.push(at.offset as usize + at.bytes.len());
        Ok(())
    });
    ended.expect("valid");
    ends
}

#[test]
fn every_strict_prefix_gives_an_error_within_it_and_exactly_the_records_that_end_before_it() {
    for (name, whole) in dumps() {
        let (ends, (heap, _)) = (ends(&whole), read(&whole));
        for length in 0..whole.len() {
            let (found, error) = read(&whole[..length]);
            let mut records = 0;
            let _ = Decoder::new(&whole[..length]).map(|mut d| {
                d.visit::<DecodeError, _>(|_| {
                    records += 1;
                    Ok(())
                })
            });
            let due = ends.iter().filter(|end| **end <= length).count();
            let Some(error) = error else {
                // The last line alone may lack its end.
                let end = if name.ends_with("crlf") { 2 } else { 1 };
                assert!(length >= whole.len() - end, "{name} cut at {length}");
                assert_eq!(found, heap);
                continue;
            };
            assert!(error.offset() <= length as u64, "{name} cut at {length}: {error}");
            assert!(error.position().is_some(), "{name} cut at {length}: {error}");
            assert_eq!(records, due, "{name} cut at {length}: {error}");
            // What class an object is of, the classes after it tell.
            let told = |heap: &Heap, count| -> Vec<_> {
                heap.objects[..count].iter().map(|o| (o.address, o.size, o.class_name.clone())).collect()
            };
            let count = found.objects.len();
            assert_eq!(told(&found, count), told(&heap, count), "{name} cut at {length}");
            assert_eq!(found.classes.len() + found.objects.len(), due.saturating_sub(1).min(6), "{name} {length}");
            let between = due > 0 && ends[due - 1] == length;
            assert_eq!(error.is_missing_end(), between, "{name} cut at {length}: {error}");
        }
    }
}

/// The committed outcome of every flip: `tests/formats/hostile/flips-classic-*.txt`. To write it anew after a change that was
/// meant, run the test with HEAPSMITH_BLESS set, and review the difference.
#[test]
fn every_single_bit_flip_has_the_outcome_that_the_table_states() {
    for (name, whole) in dumps() {
        let table = table_of_flips(&whole);
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/formats/hostile/flips-classic-{name}.txt"));
        if std::env::var_os("HEAPSMITH_BLESS").is_some() {
            fs::write(&path, &table).expect("writable");
        }
        let committed = fs::read_to_string(&path).expect("the table is committed");
        assert_eq!(committed, table, "{}", path.display());
    }
}

const LEGEND: &str = "\
# Outcome of flipping each bit of a small dump, as reading it goes. A row is a part of the text: offset, part, and a
# letter for each bit, from the highest bit of its first byte to the lowest of its last.
#   .  the same heap   h  another heap   M  the trailer is no trailer any more, and missing
# Reading stops, by rule:
#   S  file.start      R  record.start   K  record.type    X  number.hexadecimal   Z  number.size
#   W  reference.without-record          Y  trailer.syntax   T  file.truncated
";

fn table_of_flips(whole: &[u8]) -> String {
    let (original, error) = read(whole);
    assert!(error.is_none());
    let mut table = LEGEND.to_owned();
    let mut fields = Vec::new();
    let ended =
        heapsmith::classic::annotate::visit::<_, DecodeError, _>(&mut Decoder::new(whole).expect("valid"), |field| {
            fields.push((field.offset as usize, field.bytes.len(), field.name));
            Ok(())
        });
    ended.expect("valid");
    for (offset, length, name) in fields {
        let mut outcomes = Vec::new();
        for at in offset..offset + length {
            let bits = (0..8).rev().map(|bit| {
                let mut flipped = whole.to_vec();
                flipped[at] ^= 1 << bit;
                outcome(&flipped, &original)
            });
            outcomes.push(bits.collect::<String>());
        }
        table += &format!("{offset:04x} {name:<12} {}\n", outcomes.join(" "));
    }
    table
}

fn outcome(bytes: &[u8], original: &Heap) -> char {
    let (heap, error) = read(bytes);
    let Some(error) = error else { return if heap == *original { '.' } else { 'h' } };
    assert!(error.position().is_some() && error.offset() <= bytes.len() as u64, "{error}");
    match error.rule() {
        rules::TRAILER_MISSING => 'M',
        rules::FILE_START => 'S',
        rules::RECORD_START => 'R',
        rules::RECORD_TYPE => 'K',
        rules::NUMBER_HEXADECIMAL => 'X',
        rules::NUMBER_SIZE => 'Z',
        rules::REFERENCE_WITHOUT_RECORD => 'W',
        rules::TRAILER_SYNTAX => 'Y',
        rules::FILE_TRUNCATED => 'T',
        other => panic!("a flip stops reading at {other}, which has no letter"),
    }
}

#[test]
fn distinguishes_shrinking_file_from_truncated_one() {
    let (_, whole) = dumps().swap_remove(0);
    let mut shrunk = 0;
    for length in 2..whole.len() {
        let declared = Some(whole.len() as u64);
        let error = Decoder::with_length(&whole[..length], declared)
            .and_then(|mut decoder| decoder.visit::<DecodeError, _>(|_| Ok(())))
            .expect_err("the rest is gone");
        if matches!(error.problem(), Problem::Shrunk { opened } if Some(*opened) == declared) {
            assert_eq!(error.offset(), length as u64);
            shrunk += 1;
        }
    }
    assert_eq!(shrunk, whole.len() - 2);
}

/// Gives a dump's first bytes, and fails.
struct Failing<'a>(&'a [u8]);

impl std::io::Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0.is_empty() {
            return Err(std::io::Error::other("the disk is on fire"));
        }
        let count = self.0.len().min(buffer.len()).min(16);
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn reports_offset_of_failing_read_after_sound_records() {
    let (_, whole) = dumps().swap_remove(0);
    let ends = ends(&whole);
    for length in [2, 30, 115, 200] {
        let mut records = 0;
        let mut decoder = Decoder::new(Failing(&whole[..length])).expect("enough to tell the format");
        let error = decoder.visit::<DecodeError, _>(|_| {
            records += 1;
            Ok(())
        });
        let error = error.expect_err("reading fails");
        assert_eq!(error.offset(), length as u64);
        assert!(error.to_string().contains("the disk is on fire"), "{error}");
        // A record ends where the next one begins, which its size tells.
        let due = ends.iter().filter(|end| **end < length).count();
        assert_eq!(records, due, "{error}");
    }
}
