//! Classic texts spelled by hand, with their heaps worked out by hand.
//!
//! Most have 32 bits and hold the class A at 2000, whose record stands here once.

mod broken;
mod encodings;
mod names;
mod numbers;
mod records;
mod references;
mod trailers;

use crate::format::Format;
use crate::model::{Address, ByteLen, Class, Contents, Facts, Heap, Name, Object, ObjectKind, PrimitiveType, WordSize};

use super::{Answer, Case, Verdict};

/// The version line: 17 bytes.
const HEAD: &str = "// Version: test\n";
/// An object without references: 24 bytes.
const OBJECT: &str = "0x00001000 [16] OBJ A\n\t\n";
/// The class A: 24 bytes.
const CLASS_A: &str = "0x00002000 [64] CLS A\n\t\n";
/// The trailers of the native writer for one object and one class without references.
const END: &str = "\
// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0
// EOF:  Total 'Objects',Refs(null) : 2,0(0)
";

pub(super) fn cases() -> Vec<Case> {
    [
        records::cases(),
        numbers::cases(),
        names::cases(),
        references::cases(),
        trailers::cases(),
        encodings::cases(),
        broken::cases(),
    ]
    .concat()
}

/// A valid case from its text, with its number of records.
fn valid(id: &str, summary: &str, text: &[&str], records: u64, told: Told) -> Case {
    of_bytes(id, summary, text.concat().into_bytes(), records, told)
}

fn of_bytes(id: &str, summary: &str, bytes: Vec<u8>, records: u64, told: Told) -> Case {
    Case {
        id: format!("classic-spelled-{id}"),
        summary: summary.to_owned(),
        format: Format::CLASSIC,
        heap: None,
        recipe: "spelled by hand".to_owned(),
        bytes,
        verdict: Verdict::Valid,
        keeps: Vec::new(),
        breaks: None,
        shows: Vec::new(),
        records_due: records,
        answers: vec![Answer::Reads("as written", Box::new(told.0))],
    }
}

/// A text that breaks a rule at an offset, behind so many sound records.
fn refused(id: &str, summary: &str, text: &[&str], records: u64, rule: &'static str, offset: u64) -> Case {
    Case {
        verdict: Verdict::Invalid,
        breaks: Some((rule, offset)),
        answers: vec![Answer::Refuses("the rule is broken")],
        ..valid(id, summary, text, records, told())
    }
}

/// The length of texts that stand in front of a place.
fn behind(text: &[&str]) -> u64 {
    text.iter().map(|part| part.len() as u64).sum()
}

/// A heap that is told record by record, in the order of the text.
#[derive(Clone, Debug)]
struct Told(Heap);

/// Nothing yet, in a text of 32 bits with the version line [`HEAD`] and no nulls stated.
fn told() -> Told {
    Told(Heap {
        facts: Facts {
            word_size: Some(WordSize::Bits32),
            version_text: Some("test".into()),
            null_references: Some(0),
            ..Facts::default()
        },
        ..Heap::default()
    })
}

/// [`OBJECT`] and [`CLASS_A`].
fn told_one() -> Told {
    told().instance(0x1000, "A", Some(0x2000), 16, &[]).class(0x2000, "A", 64, &[])
}

impl Told {
    fn but(mut self, change: impl FnOnce(&mut Facts)) -> Told {
        change(&mut self.0.facts);
        self
    }

    fn wide(self) -> Told {
        self.but(|facts| facts.word_size = Some(WordSize::Bits64))
    }

    /// The nulls that trailer 2 states and the text does not list; `None` where it lists some, or states nothing.
    fn nulls(self, unlisted: Option<u64>) -> Told {
        self.but(|facts| facts.null_references = unlisted)
    }

    fn class(mut self, address: u64, name: impl Into<Name>, size: u64, references: &[u64]) -> Told {
        self.0.classes.push(Class {
            address: Address(address),
            name: name.into(),
            class_object_size: Some(ByteLen(size)),
            references: Some(addresses(references)),
            after_objects: Some(self.0.objects.len() as u64),
            ..Class::default()
        });
        self
    }

    fn instance(self, at: u64, name: impl Into<Name>, class: Option<u64>, size: u64, to: &[u64]) -> Told {
        self.object(at, ObjectKind::Instance, name, class, size, Contents::References(addresses(to)))
    }

    fn array(self, at: u64, name: impl Into<Name>, class: Option<u64>, size: u64, to: &[u64]) -> Told {
        self.object(at, ObjectKind::ObjectArray, name, class, size, Contents::References(addresses(to)))
    }

    /// An `int[]`, whose class has the name of its signature.
    fn ints(self, at: u64, class: Option<u64>, size: u64) -> Told {
        self.object(at, ObjectKind::PrimitiveArray(PrimitiveType::Int), "[I", class, size, Contents::Unknown)
    }

    fn object(
        mut self,
        at: u64,
        kind: ObjectKind,
        name: impl Into<Name>,
        class: Option<u64>,
        size: u64,
        contents: Contents,
    ) -> Told {
        self.0.objects.push(Object {
            class: class.map(Address),
            class_name: Some(name.into()),
            size: Some(ByteLen(size)),
            contents,
            ..Object::new(Address(at), kind)
        });
        self
    }

    /// Every object so far has its class as its class block.
    fn blocks(mut self) -> Told {
        for object in &mut self.0.objects {
            object.class_word = object.class;
        }
        self
    }
}

fn addresses(numbers: &[u64]) -> Vec<Address> {
    numbers.iter().map(|&number| Address(number)).collect()
}
