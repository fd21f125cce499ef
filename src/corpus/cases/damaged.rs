//! Damaged dumps: every named edit, made in the first golden dump that has a place for it.

use crate::corrupt::{EDITS, Edit, Edited, Map};
use crate::error::Error;
use crate::model::{Address, ByteLen, Contents, Heap, Name, Totals, WordSize};
use crate::phd::Version;
use crate::validate::{Scope, Severity, rule, severity};

use super::golden::base;
use super::{Answer, Case, Verdict};

pub(super) fn cases() -> Result<Vec<Case>, Error> {
    let bases = [
        (Version::V6, "openj9", WordSize::Bits64),
        (Version::V6, "openj9", WordSize::Bits32),
        (Version::V5, "j9-2.6", WordSize::Bits64),
    ];
    let mut made = Vec::new();
    for edit in EDITS {
        // Without its J9 flag a version 6 dump would be ambiguous in its address unit as well.
        let bases = if edit.name == "claim-hashes-without-j9" { &bases[2..] } else { &bases[..] };
        for &(version, profile, word) in bases {
            let (bytes, heap) = base(version, profile, word)?;
            let map = Map::of(bytes)?;
            if let Some(edited) = edit.apply(&map) {
                let from = format!("phd{}-{profile}-{}", version.number(), word.bits());
                made.push(case(edit, &map, edited, heap, version, &from));
                break;
            }
        }
    }
    Ok(made)
}

fn case(edit: &'static Edit, map: &Map, edited: Edited, heap: Heap, version: Version, from: &str) -> Case {
    let (verdict, answers) = match severity(edit.rule) {
        Severity::Error if is_graph(edit) => {
            let read = expected(edit, map, &edited, heap);
            let answers = vec![Answer::Refuses(REFUSED), Answer::Reads(UNCHECKED, Box::new(read))];
            (Verdict::Ambiguous, answers)
        }
        Severity::Error => (Verdict::Invalid, vec![Answer::Refuses(REFUSED)]),
        Severity::Warning => {
            let read = expected(edit, map, &edited, heap);
            let without_nulls = (edit.name == "refer-to-null").then(|| Box::new(dropping_nulls(read.clone())));
            let mut answers =
                vec![Answer::Reads("tolerated, as the DTFJ reader does", Box::new(read)), Answer::Refuses(STRICT)];
            answers.extend(without_nulls.map(|heap| Answer::Reads("null references are left out", heap)));
            (Verdict::Ambiguous, answers)
        }
        Severity::Note => {
            let read = expected(edit, map, &edited, heap.clone());
            let mut answers = vec![Answer::Reads(FIRST, Box::new(read))];
            answers.extend(other_reading(edit, map, &edited, heap));
            (if answers.len() == 1 { Verdict::Valid } else { Verdict::Ambiguous }, answers)
        }
    };
    Case {
        id: format!("phd-{}", edit.name),
        summary: format!("{} ({from})", edit.summary),
        format: crate::phd::family::format(version),
        heap: None,
        recipe: format!("the edit {} in {from}", edit.name),
        bytes: edited.bytes,
        verdict,
        keeps: Vec::new(),
        breaks: Some((edit.rule.0, edited.offset)),
        shows: Vec::new(),
        records_due: edited.records_due,
        answers,
    }
}

const UNCHECKED: &str = "read by a decoder that does not check the whole graph";
const REFUSED: &str = "the rule is broken";
const STRICT: &str = "refused by a reader that is stricter than the known ones";
const FIRST: &str = "as the DTFJ reader lays out the bytes";

fn is_graph(edit: &Edit) -> bool {
    rule(edit.rule.0).is_some_and(|rule| rule.scope == Scope::Graph)
}

/// The heap that a tolerant reader finds after an edit, worked out from the heap before it.
fn expected(edit: &Edit, map: &Map, edited: &Edited, mut heap: Heap) -> Heap {
    let damaged = map.records.iter().find(|r| r.offset as u64 == edited.offset);
    let address = damaged.map(|r| r.address).unwrap_or_default();
    let object = heap.objects.iter().position(|o| o.address == address);
    let class = heap.classes.iter().position(|c| c.address == address);
    match edit.name {
        "misstate-the-totals" => heap.facts.totals = Some(Totals { objects: 9999, references: 9999 }),
        "break-the-version-text" => heap.facts.version_text = heap.facts.version_text.map(spoiled),
        "break-a-class-name" => {
            if let Some(class) = class {
                heap.classes[class].name = spoiled(heap.classes[class].name.clone());
            }
        }
        "close-the-superclass-chain" => {
            if let Some(class) = class {
                heap.classes[class].superclass = Some(address);
            }
        }
        // The last record of the base is a class.
        "repeat-a-record" => heap.classes.extend(heap.classes.last().cloned()),
        "break-a-superclass-word" => {
            if let Some(class) = class {
                heap.classes[class].superclass = heap.classes[class].superclass.map(|a| Address(a.0 ^ 4));
            }
        }
        "break-a-class-word" => {
            if let Some(object) = object {
                heap.objects[object].class_word = heap.objects[object].class_word.map(|a| Address(a.0 ^ 4));
            }
        }
        "name-an-empty-slot" => {
            if let Some(object) = object {
                heap.objects[object].class = Some(Address::NULL);
                heap.objects[object].class_word = Some(Address::NULL);
            }
        }
        "refer-to-null" => redirect(&mut heap, object, map, edited, |_| Address::NULL),
        "refer-to-the-class-first" => {
            let word = damaged.and_then(|r| r.class_word).unwrap_or_default();
            redirect(&mut heap, object, map, edited, |_| word);
        }
        "let-a-reference-dangle" => {
            let taken = |a: Address| map.records.iter().any(|r| r.address == a);
            redirect(&mut heap, object, map, edited, |own| {
                (1..16).map(|n| Address(own.0 + 4 * n)).find(|&a| !taken(a)).unwrap_or_default()
            });
        }
        "put-the-size-first" => {
            if let Some(object) = object.map(|n| &mut heap.objects[n])
                && let (Some(length), Some(ByteLen(size))) = (object.length, object.size)
            {
                object.length = Some(size / 4);
                object.size = Some(ByteLen(length * 4));
            }
        }
        // Units of 8 bytes for what was written in units of 4: every address twice as far from 0.
        "drop-the-j9-flag" => double(&mut heap),
        _ => {}
    }
    heap
}

/// The other reading of a dump that bytes do not decide, if there is one.
fn other_reading(edit: &Edit, map: &Map, edited: &Edited, heap: Heap) -> Option<Answer> {
    match edit.name {
        "drop-the-j9-flag" => Some(Answer::Reads("S0: an address unit of 4 bytes", Box::new(heap))),
        "put-the-size-first" => {
            Some(Answer::Reads("S0: in this array the instance size stands before the length", Box::new(heap)))
        }
        "refer-to-the-class-first" => {
            let mut dropped = expected(edit, map, edited, heap);
            let address = map.records.iter().find(|r| r.offset as u64 == edited.offset)?.address;
            let object = dropped.objects.iter_mut().find(|o| o.address == address)?;
            if let Contents::References(references) = &mut object.contents {
                references.remove(0);
            }
            // The DTFJ reader drops a genuine reference 0 wherever it equals the class word.
            for object in &mut dropped.objects {
                if let Contents::References(references) = &mut object.contents
                    && references.first().is_some_and(|&first| Some(first) == object.class_word)
                {
                    references.remove(0);
                }
            }
            Some(Answer::Reads("DTFJ reader: reference 0 is dropped where it equals the class word", Box::new(dropped)))
        }
        _ => None,
    }
}

/// Points the reference that an edit changed somewhere else.
fn redirect(heap: &mut Heap, object: Option<usize>, map: &Map, edited: &Edited, target: impl Fn(Address) -> Address) {
    let changed = (0..map.bytes.len()).find(|&n| map.bytes[n] != edited.bytes[n]).unwrap_or_default();
    let fields = map.fields.iter().filter(|f| f.name == "reference");
    let hit = fields.clone().find(|f| f.offset <= changed && changed < f.offset + f.length);
    let (Some(hit), Some(object)) = (hit, object.map(|n| &mut heap.objects[n])) else { return };
    let place = fields.take_while(|f| f.offset < hit.offset).filter(|f| f.record == hit.record).count();
    if let Contents::References(references) = &mut object.contents {
        references[place] = target(object.address);
    }
}

fn dropping_nulls(mut heap: Heap) -> Heap {
    for object in &mut heap.objects {
        if let Contents::References(references) = &mut object.contents {
            references.retain(|reference| !reference.is_null());
        }
    }
    heap
}

fn spoiled(name: Name) -> Name {
    let mut bytes = name.as_bytes().to_vec();
    bytes[0] = 0xff;
    Name::from_bytes(bytes)
}

fn double(heap: &mut Heap) {
    let word = heap.facts.word_size.unwrap_or(WordSize::Bits64);
    let twice = |a: &mut Address| *a = Address(word.mask(a.0.wrapping_mul(2)));
    for class in &mut heap.classes {
        twice(&mut class.address);
        class.references.iter_mut().flatten().for_each(twice);
    }
    for object in &mut heap.objects {
        twice(&mut object.address);
        if let Contents::References(references) = &mut object.contents {
            references.iter_mut().for_each(twice);
        }
    }
}
