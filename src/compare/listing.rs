//! The listing: a heap as JSON Lines, defined in `specs/listing.md`.
//!
//! The first line holds the dump's facts; then come classes and objects, sorted by address, with
//! their place in the file. Addresses are hexadecimal strings, hashes too.

use std::io::{BufRead, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Heap, IdentityHash, Name, Object, ObjectKind, PrimitiveType,
    Totals, WordSize,
};

use super::facet::Facet;

/// The first line of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// Version of the listing format: 1.
    pub listing: u32,
    /// Dump format (`phd4`, `phd5`, `phd6`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The writer profile that gives the dump's bytes again, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Word size in bits: 32 or 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word_size: Option<u32>,
    /// JVM version text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_text: Option<Text>,
    /// Whether every object has a 16-bit hash, or some a 32-bit one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashes: Option<Hashes>,
    /// Counts that the header states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<HeaderTotals>,
    /// The two random numbers of the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_randoms: Option<[Hex; 2]>,
    /// Number of classes in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// Number of objects in the listing, classes not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// Number of references of classes and objects together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<u64>,
    /// Facets that this decoder does not report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omits: Vec<Facet>,
}

/// A line of a listing after the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// What stands at the address.
    pub kind: LineKind,
    /// Address, in bytes.
    pub address: Hex,
    /// Index of the record in the body, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// Offset of the record in the decompressed file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Class name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// Superclass; `0x0` for none.
    #[serde(default, rename = "super", skip_serializing_if = "Option::is_none")]
    pub superclass: Option<Hex>,
    /// Size of the class's instances in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_size: Option<u64>,
    /// Class of an instance; class word of an object array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Hex>,
    /// Element type of a primitive array: `boolean`, `char`, `float`, `double`, `byte`, `short`, `int`
    /// or `long`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// Number of elements of an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Size of an array in bytes, header and padding included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// 16-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash16: Option<Hex>,
    /// 32-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash32: Option<Hex>,
    /// References in file order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs: Option<Vec<Hex>>,
}

/// Kinds of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LineKind {
    /// A class.
    Class,
    /// A plain instance.
    Object,
    /// An array of references.
    ObjectArray,
    /// An array of primitive values.
    PrimitiveArray,
}

/// Text, or its bytes in hexadecimal where they are not the modified UTF-8 of any text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Text {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes {
        /// The bytes, two hexadecimal digits each.
        bytes: String,
    },
}

/// How identity hashes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Hashes {
    /// Every object has a 16-bit hash.
    #[serde(rename = "every-16")]
    Every16,
    /// An object has a 32-bit hash where one was asked for.
    #[serde(rename = "where-used-32")]
    WhereUsed32,
}

/// Counts of PHD header record 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeaderTotals {
    /// Objects and classes.
    pub objects: u32,
    /// References.
    pub references: u32,
}

/// An unsigned number as a hexadecimal string with `0x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex(pub u64);

/// Where a class or object stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the record.
    pub record: u64,
    /// Offset in bytes.
    pub offset: Option<u64>,
}

/// A listing that was read.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The first line.
    pub head: Head,
    /// The heap, in file order where places are given, else by address.
    pub heap: Heap,
    /// Number of the first line of a class without a name; its name in the heap is empty.
    pub nameless: Option<u64>,
}

/// The facts of a heap as the first line of its listing.
pub fn head(heap: &Heap) -> Head {
    let class_references: usize = heap.classes.iter().flat_map(|c| &c.references).map(Vec::len).sum();
    let references: usize = heap.objects.iter().map(|o| o.references().count()).sum();
    Head {
        listing: 1,
        word_size: heap.facts.word_size.map(WordSize::bits),
        version_text: heap.facts.version_text.as_ref().map(text),
        hashes: heap.facts.hash_regime.map(|regime| match regime {
            HashRegime::Every16 => Hashes::Every16,
            HashRegime::WhereUsed32 => Hashes::WhereUsed32,
        }),
        totals: heap.facts.totals.map(|t| HeaderTotals { objects: t.objects, references: t.references }),
        hash_randoms: heap.facts.hash_randoms.map(|(a, b)| [Hex(a.into()), Hex(b.into())]),
        classes: Some(heap.classes.len() as u64),
        objects: Some(heap.objects.len() as u64),
        references: Some((class_references + references) as u64),
        ..Head::default()
    }
}

/// Writes a listing: the head, then classes and objects by address. `places` has the places of the
/// classes and of the objects, in the heap's order.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, head: &Head, heap: &Heap, places: &Places) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::io("writing the listing", e);
    let mut put = |line: serde_json::Result<String>| {
        let line = line.map_err(|e| failed(e.into()))?;
        out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(failed)
    };
    put(serde_json::to_string(head))?;
    let classes = heap.classes.iter().zip(&places.classes).map(|(c, p)| (c.address, *p, Ok(c)));
    let objects = heap.objects.iter().zip(&places.objects).map(|(o, p)| (o.address, *p, Err(o)));
    let mut entries: Vec<(Address, Place, Result<&Class, &Object>)> = classes.chain(objects).collect();
    entries.sort_by_key(|(address, place, _)| (*address, place.record));
    for (_, place, entry) in entries {
        let line = match entry {
            Ok(class) => class_line(class, place),
            Err(object) => object_line(object, place),
        };
        put(serde_json::to_string(&line))?;
    }
    Ok(())
}

/// The places of a heap's classes and objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Of each class.
    pub classes: Vec<Place>,
    /// Of each object.
    pub objects: Vec<Place>,
}

impl Places {
    /// Record indexes as they follow from the heap's own order, without offsets.
    pub fn of_order(heap: &Heap) -> Places {
        let objects = heap.objects.len() as u64;
        let mut order: Vec<usize> = (0..heap.classes.len()).collect();
        order.sort_by_key(|&index| heap.classes[index].after_objects.unwrap_or(u64::MAX));
        let mut places = Places { classes: vec![Place::default(); heap.classes.len()], objects: Vec::new() };
        let mut before = Vec::new();
        for (rank, index) in order.into_iter().enumerate() {
            let after = heap.classes[index].after_objects.unwrap_or(u64::MAX).min(objects);
            places.classes[index].record = after + rank as u64;
            before.push(after);
        }
        places.objects = (0..objects)
            .map(|index| Place { record: index + before.partition_point(|&after| after <= index) as u64, offset: None })
            .collect();
        places
    }
}

/// Reads a listing.
///
/// # Errors
/// With the line number, if it does not follow `specs/listing.md` or cannot be read.
pub fn read(input: impl BufRead) -> Result<Listing, Error> {
    let mut lines = input.lines().enumerate().map(|(index, line)| (index as u64 + 1, line));
    let bad = |line: u64, message: String| Error::Listing { line, message };
    let wanted = "expected a listing, whose first line has the dump's facts as JSON";
    let (_, first) = lines.next().ok_or_else(|| bad(1, format!("{wanted}; found nothing")))?;
    let first = first.map_err(|e| bad(1, format!("{wanted}; {e}")))?;
    let head: Head = serde_json::from_str(&first).map_err(|e| bad(1, format!("{wanted}; {e}")))?;
    if head.listing != 1 {
        return Err(bad(1, format!("expected listing version 1, found {}", head.listing)));
    }
    let mut heap = Heap { facts: facts(&head).map_err(|e| bad(1, e))?, ..Heap::default() };
    let mut entries = Vec::new();
    let (mut placed, mut unplaced, mut nameless) = (false, false, None);
    for (number, line) in lines {
        let line = line.map_err(|e| bad(number, e.to_string()))?;
        let line: Line = serde_json::from_str(&line).map_err(|e| bad(number, e.to_string()))?;
        placed |= line.record.is_some();
        unplaced |= line.record.is_none();
        if placed && unplaced {
            return Err(bad(number, "expected the key record in every line or in none".to_owned()));
        }
        if line.kind == LineKind::Class && line.name.is_none() {
            nameless = nameless.or(Some(number));
        }
        let place = line.record.unwrap_or(entries.len() as u64);
        entries.push((place, item(line, head.hashes).map_err(|e| bad(number, e))?));
    }
    entries.sort_by_key(|(place, _)| *place);
    if let Some(twice) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(bad(1, format!("expected each record once, found two lines for record {}", twice[0].0)));
    }
    for (_, entry) in entries {
        match entry {
            Entry::Class(class) => {
                heap.classes.push(Class { after_objects: Some(heap.objects.len() as u64), ..class });
            }
            Entry::Object(object) => heap.objects.push(object),
        }
    }
    let listed = self::head(&heap);
    for (what, stated, found) in [
        ("classes", head.classes, listed.classes),
        ("objects", head.objects, listed.objects),
        ("references", head.references, listed.references),
    ] {
        if stated.is_some() && stated != found {
            let (stated, found) = (stated.unwrap_or_default(), found.unwrap_or_default());
            return Err(bad(1, format!("expected {stated} {what}, as the first line states, found {found}")));
        }
    }
    Ok(Listing { head, heap, nameless })
}

enum Entry {
    Class(Class),
    Object(Object),
}

fn facts(head: &Head) -> Result<Facts, String> {
    Ok(Facts {
        word_size: match head.word_size {
            None => None,
            Some(32) => Some(WordSize::Bits32),
            Some(64) => Some(WordSize::Bits64),
            Some(other) => return Err(format!("expected a word size of 32 or 64, found {other}")),
        },
        version_text: head.version_text.clone().map(name).transpose()?,
        totals: head.totals.map(|t| Totals { objects: t.objects, references: t.references }),
        hash_randoms: match head.hash_randoms {
            None => None,
            Some([a, b]) => Some((narrow(a, "a random number")?, narrow(b, "a random number")?)),
        },
        hash_regime: head.hashes.map(|hashes| match hashes {
            Hashes::Every16 => HashRegime::Every16,
            Hashes::WhereUsed32 => HashRegime::WhereUsed32,
        }),
        ..Facts::default()
    })
}

fn item(line: Line, hashes: Option<Hashes>) -> Result<Entry, String> {
    let address = Address(line.address.0);
    let hash = match (line.hash16, line.hash32, hashes) {
        (Some(_), Some(_), _) => return Err("expected hash16 or hash32, found both".to_owned()),
        (Some(hash), None, _) => Some(IdentityHash::Bits16(narrow(hash, "hash16")?)),
        (None, Some(hash), _) => Some(IdentityHash::Bits32(narrow(hash, "hash32")?)),
        (None, None, _) => None,
    };
    let references: Option<Vec<Address>> = line.refs.map(|refs| refs.into_iter().map(|r| Address(r.0)).collect());
    let class = line.class.map(|c| Address(c.0));
    let contents = references.clone().map_or(Contents::Unknown, Contents::References);
    let object =
        |kind| Object { hash, length: line.length, size: line.size.map(ByteLen), ..Object::new(address, kind) };
    Ok(match line.kind {
        LineKind::Class => Entry::Class(Class {
            address,
            name: line.name.map(name).transpose()?.unwrap_or_default(),
            superclass: line.superclass.map(|s| Address(s.0)),
            instance_size: line.instance_size.map(ByteLen),
            hash,
            references,
            ..Class::default()
        }),
        LineKind::Object => {
            Entry::Object(Object { class, class_word: class, contents, ..object(ObjectKind::Instance) })
        }
        LineKind::ObjectArray => {
            Entry::Object(Object { class_word: class, contents, ..object(ObjectKind::ObjectArray) })
        }
        LineKind::PrimitiveArray if references.is_some() => {
            return Err("expected no refs in a primitive array, found some".to_owned());
        }
        LineKind::PrimitiveArray => {
            let element = line.element.as_deref().unwrap_or_default();
            let element = PrimitiveType::from_keyword(element)
                .ok_or_else(|| format!("expected the element type of an array, found {element:?}"))?;
            Entry::Object(object(ObjectKind::PrimitiveArray(element)))
        }
    })
}

fn class_line(class: &Class, place: Place) -> Line {
    let (hash16, hash32) = hashes(class.hash);
    Line {
        name: Some(text(&class.name)),
        superclass: class.superclass.map(hex),
        instance_size: class.instance_size.map(|s| s.0),
        hash16,
        hash32,
        refs: class.references.as_ref().map(|refs| refs.iter().copied().map(hex).collect()),
        ..line(LineKind::Class, class.address, place)
    }
}

fn object_line(object: &Object, place: Place) -> Line {
    let (hash16, hash32) = hashes(object.hash);
    let (kind, class, element) = match object.kind {
        ObjectKind::Instance => (LineKind::Object, object.class, None),
        ObjectKind::ObjectArray => (LineKind::ObjectArray, object.class_word, None),
        ObjectKind::PrimitiveArray(element) => (LineKind::PrimitiveArray, None, Some(element.keyword().to_owned())),
    };
    Line {
        class: class.map(hex),
        element,
        length: object.length,
        size: object.size.map(|s| s.0),
        hash16,
        hash32,
        refs: (element_free(object.kind)).then(|| object.references().map(hex).collect()),
        ..line(kind, object.address, place)
    }
}

fn element_free(kind: ObjectKind) -> bool {
    !matches!(kind, ObjectKind::PrimitiveArray(_))
}

fn line(kind: LineKind, address: Address, place: Place) -> Line {
    Line {
        kind,
        address: hex(address),
        record: Some(place.record),
        offset: place.offset,
        name: None,
        superclass: None,
        instance_size: None,
        class: None,
        element: None,
        length: None,
        size: None,
        hash16: None,
        hash32: None,
        refs: None,
    }
}

fn hashes(hash: Option<IdentityHash>) -> (Option<Hex>, Option<Hex>) {
    match hash {
        None => (None, None),
        Some(IdentityHash::Bits16(hash)) => (Some(Hex(hash.into())), None),
        Some(IdentityHash::Bits32(hash)) => (None, Some(Hex(hash.into()))),
    }
}

fn hex(address: Address) -> Hex {
    Hex(address.0)
}

fn narrow<T: TryFrom<u64>>(Hex(value): Hex, what: &str) -> Result<T, String> {
    T::try_from(value).map_err(|_| format!("{what} {value:#x} is too large"))
}

fn text(name: &Name) -> Text {
    match name.to_text() {
        Some(text) => Text::Text(text),
        None => Text::Bytes { bytes: name.as_bytes().iter().map(|b| format!("{b:02x}")).collect() },
    }
}

fn name(text: Text) -> Result<Name, String> {
    match text {
        Text::Text(text) => Ok(Name::from_text(&text)),
        Text::Bytes { bytes } => {
            let digits: Option<Vec<u8>> = bytes.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
            match digits {
                Some(digits) if digits.len() % 2 == 0 => {
                    Ok(Name::from_bytes(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect::<Vec<u8>>()))
                }
                _ => Err(format!("expected bytes of two hexadecimal digits, found {bytes:?}")),
            }
        }
    }
}

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        digits
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .map(Hex)
            .ok_or_else(|| serde::de::Error::custom(format!("expected a string like \"0x1f\", found {text:?}")))
    }
}

impl JsonSchema for Hex {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hex".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{1,16}$",
            "description": "an unsigned number in hexadecimal",
        })
    }
}
