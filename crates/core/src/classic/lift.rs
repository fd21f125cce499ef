//! Records to the model: types to classes, and which references are class blocks.

use std::io::{self, Read};

use foldhash::{HashMap, HashMapExt};

use crate::error::{DecodeError, Error, Problem};
use crate::family::ClassBlocks;
use crate::model::long::{Identifiers, Spool, SpoolEntry};
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, Heap, HeapSource, Name, NamePool, Object, ObjectKind, PiecewiseContents,
    Surroundings, VisitObjects, WordSize,
};

use super::book;
use super::decode::{DecodeStep, Decoder, RecordSlice};
use super::record::{EntryRecord, Record};
use super::wire::{Charset, EntryRecordKind};

mod blocks;

pub(super) use blocks::FirstReferences;

/// The facts of a dump that are needed before its objects can be read: the classes come last.
#[derive(Clone, Debug, Default)]
pub struct DumpIndex {
    /// Facts of the header and the trailers.
    pub facts: Facts,
    /// The class table, in file order.
    pub classes: Vec<Class>,
    /// The place of each class: record index and offset.
    pub places: Vec<(u64, u64)>,
    /// Whether the first reference of every object is its class block (J9 2.3 to 2.5; S2, Object records).
    pub class_blocks: bool,
    /// Number of objects.
    pub objects: u64,
    /// Classes by name: the address where there is only one of that name.
    by_name: HashMap<Name, Option<Address>>,
}

/// Memory that a name takes in tables that grow, without its bytes.
const IN_TABLE: u64 = 128;

/// A type of objects: its name, and its class if there is only one of that name.
type ObjectType = (Name, Option<Address>);

/// One entry of a heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpItem {
    /// A class record.
    Class(Class),
    /// An object record.
    Object(Object),
}

/// A name as the model keeps it: modified UTF-8.
///
/// The native writer copies the JVM's bytes, jdmpview writes standard UTF-8, in which a supplementary character has four
/// bytes and NUL one. What is neither stays as it is.
pub fn name(text: &[u8], charset: Charset) -> Name {
    if text.iter().all(|byte| matches!(byte, 1..=0x7f)) {
        return Name::from_bytes(text);
    }
    match charset {
        Charset::Utf8 => match std::str::from_utf8(text) {
            Ok(standard) => Name::from_text(standard),
            Err(_) => Name::from_bytes(text),
        },
        Charset::Ebcdic(_) => Name::from_text(&text.iter().map(|&byte| char::from(byte)).collect::<String>()),
    }
}

/// The word size that an address's spelling shows: writers pad to 8 or 16 digits.
pub fn word_size(address: &[u8]) -> Option<WordSize> {
    match address.len() {
        10 => Some(WordSize::Bits32),
        18 => Some(WordSize::Bits64),
        _ => None,
    }
}

/// Classes by name: the address where there is only one of that name.
pub(super) fn classes_by_name(classes: &[Class]) -> HashMap<Name, Option<Address>> {
    let mut by_name = HashMap::new();
    for class in classes {
        let unique = by_name.entry(class.name.clone()).or_insert(Some(class.address));
        *unique = unique.filter(|address| *address == class.address);
    }
    by_name
}

impl DumpIndex {
    /// Reads a dump to its end. After an error the index holds everything before it.
    pub fn read<R: Read>(decoder: &mut Decoder<R>) -> (DumpIndex, Result<(), DecodeError>) {
        let charset = decoder.encoding().charset;
        let mut index = DumpIndex::default();
        let mut firsts = FirstReferences::default();
        let (mut nulls, mut stated) = (0_u64, None);
        let (mut in_class, mut names) = (false, NamePool::default());
        let mut allowance = decoder.allowance();
        let read = decoder.visit::<DecodeError, _>(|step| {
            let references = match step {
                DecodeStep::Record(at, Record::Entry(entry)) => {
                    if index.facts.word_size.is_none() && index.objects == 0 && index.classes.is_empty() {
                        index.facts.word_size = word_size(entry.address.text);
                    }
                    in_class = entry.kind == EntryRecordKind::Class;
                    match entry.kind {
                        EntryRecordKind::Class => {
                            let class = class(&entry, charset);
                            let (name, bytes) = names.share_counted(class.name.clone());
                            // The name stands in the table of names, too.
                            let held = class.memory_size() + bytes + IN_TABLE;
                            allowance.charge(held, at.offset, at.index)?;
                            index.classes.push(Class { name, after_objects: Some(index.objects), ..class });
                            index.places.push((at.index, at.offset));
                        }
                        EntryRecordKind::Object => {
                            index.objects += 1;
                            if matches!(firsts, FirstReferences::Known(..)) {
                                let first = entry.references.values.first().copied().map(Address);
                                let held = firsts.insert(&name(entry.name, charset), first);
                                allowance.charge(held, at.offset, at.index)?;
                            }
                        }
                    }
                    entry.references.values
                }
                DecodeStep::More(at, references) => {
                    if in_class {
                        let held = size_of_val(references.values) as u64;
                        allowance.charge(held, at.offset, at.index)?;
                    }
                    if let Some(listed) = index.classes.last_mut().filter(|_| in_class).map(|c| &mut c.references) {
                        listed.get_or_insert_default().extend(references.values.iter().map(|&r| Address(r)));
                    }
                    references.values
                }
                DecodeStep::Record(_, Record::Version(line)) => {
                    index.facts.version_text.get_or_insert_with(|| name(line.version(), charset));
                    &[]
                }
                DecodeStep::Record(_, Record::Eof(_, totals)) => {
                    stated.get_or_insert(totals.nulls);
                    &[]
                }
                DecodeStep::Record(..) => &[],
            };
            nulls += references.iter().filter(|r| **r == 0).count() as u64;
            Ok(())
        });
        index.facts.null_references = stated.filter(|_| nulls == 0);
        let may_be_blocks = decoder.reading().class_blocks == ClassBlocks::Removed;
        index.class_blocks = may_be_blocks && firsts.are_blocks(&index.classes);
        index.by_name = classes_by_name(&index.classes);
        (index, read.map(|_| ()))
    }

    /// The class of a name, if there is only one of that name; `None` outside, if there is none.
    pub(super) fn class_named(&self, name: &Name) -> Option<Option<Address>> {
        self.by_name.get(name).copied()
    }

    /// Calls `visit` with every class and object in file order, and where each stands.
    ///
    /// # Errors
    /// An error of `visit`, or one of decoding; the items before it are sound.
    pub fn visit<R, E, F>(&self, decoder: &mut Decoder<R>, visit: F) -> Result<(), E>
    where
        R: Read,
        E: From<DecodeError>,
        F: FnMut((u64, u64), DumpItem) -> Result<(), E>,
    {
        self.visit_with(decoder, None, visit)
    }

    /// Like [`DumpIndex::visit`]; references that are too many to be held go into a spool, if there is one.
    ///
    /// # Errors
    /// Like [`DumpIndex::visit`].
    pub fn visit_with<R, E, F>(
        &self,
        decoder: &mut Decoder<R>,
        mut spool: Option<&mut Spool>,
        mut visit: F,
    ) -> Result<(), E>
    where
        R: Read,
        E: From<DecodeError>,
        F: FnMut((u64, u64), DumpItem) -> Result<(), E>,
    {
        let charset = decoder.encoding().charset;
        let mut types: HashMap<Box<[u8]>, ObjectType> = HashMap::new();
        let mut allowance = decoder.allowance();
        let mut classes = 0;
        let mut open: Option<((u64, u64), DumpItem)> = None;
        let mut long: Option<SpoolEntry> = None;
        let place = |at: &RecordSlice<'_>| (at.index, at.offset);
        decoder.visit(|step| match step {
            DecodeStep::Record(at, Record::Entry(entry)) => {
                let mut item = match entry.kind {
                    EntryRecordKind::Class => {
                        // As the index has it, with all its references.
                        let known = self.classes.get(classes).cloned();
                        classes += 1;
                        DumpItem::Class(known.unwrap_or_else(|| class(&entry, charset)))
                    }
                    EntryRecordKind::Object => {
                        if !types.contains_key(entry.name) {
                            allowance.charge(2 * entry.name.len() as u64 + IN_TABLE, at.offset, at.index)?;
                            let name = name(entry.name, charset);
                            let class = self.by_name.get(&name).copied().flatten();
                            types.insert(entry.name.into(), (name, class));
                        }
                        let (name, class) = &types[entry.name];
                        DumpItem::Object(self.object(&entry, name.clone(), *class))
                    }
                };
                if at.open {
                    open = Some((place(&at), item));
                    return Ok(());
                }
                if let (Some(spool), DumpItem::Object(object)) = (spool.as_deref_mut(), &mut item)
                    && let Contents::References(listed) = &mut object.contents
                    && listed.len() > spool.held() / 8
                {
                    spool_references(spool, &mut long, listed).map_err(|e| failed(at.offset, e))?;
                    finish_spooled(spool, &mut long, &mut object.contents);
                }
                visit(place(&at), item)
            }
            DecodeStep::More(at, references) => {
                if let Some((_, DumpItem::Object(object))) = &mut open {
                    let more = references.values.iter().map(|&r| Address(r));
                    match &mut object.contents {
                        Contents::References(listed) => listed.extend(more),
                        contents => *contents = Contents::References(more.collect()),
                    }
                    if let (Some(spool), Contents::References(listed)) = (spool.as_deref_mut(), &mut object.contents) {
                        spool_references(spool, &mut long, listed).map_err(|e| failed(at.offset, e))?;
                    }
                }
                match (open.take_if(|_| !at.open), &mut spool) {
                    (Some((place, DumpItem::Object(mut object))), Some(spool)) => {
                        finish_spooled(spool, &mut long, &mut object.contents);
                        visit(place, DumpItem::Object(object))
                    }
                    (Some((place, item)), _) => visit(place, item),
                    (None, _) => Ok(()),
                }
            }
            DecodeStep::Record(..) => Ok(()),
        })?;
        Ok(())
    }

    fn object(&self, entry: &EntryRecord<'_>, name: Name, class: Option<Address>) -> Object {
        let kind = ObjectKind::from_class_name(name.as_bytes());
        let mut listed = entry.references.values;
        // The class block is the object's own class; PHD's class word of an array is another.
        let mut block = None;
        if let (true, Some((first, rest))) = (self.class_blocks, listed.split_first()) {
            (block, listed) = (Some(Address(*first)), rest);
        }
        let is_primitive = matches!(kind, ObjectKind::PrimitiveArray(_));
        let references = || Contents::References(listed.iter().map(|&r| Address(r)).collect());
        Object {
            class: block.or(class),
            class_name: Some(name),
            size: Some(ByteLen(entry.size.value)),
            contents: if is_primitive && listed.is_empty() { Contents::Unknown } else { references() },
            ..Object::new(Address(entry.address.value), kind)
        }
    }
}

/// Moves references into the spool once there are too many of them to be held.
fn spool_references(spool: &mut Spool, long: &mut Option<SpoolEntry>, listed: &mut Vec<Address>) -> io::Result<()> {
    if long.is_none() && listed.len() <= spool.held() / 8 {
        return Ok(());
    }
    let filling = match long {
        Some(filling) => filling,
        None => long.insert(spool.begin()?),
    };
    let bytes: Vec<u8> = listed.iter().flat_map(|reference| reference.0.to_be_bytes()).collect();
    listed.clear();
    spool.append(filling, &bytes)
}

/// The references of an object whose record has ended, if they went into the spool.
fn finish_spooled(spool: &mut Spool, long: &mut Option<SpoolEntry>, contents: &mut Contents) {
    if let Some(filling) = long.take() {
        *contents = Contents::Long(PiecewiseContents::References(spool.finish(filling).spelled(Identifiers(8))));
    }
}

fn failed(offset: u64, error: io::Error) -> DecodeError {
    DecodeError::new(book::FILE_TRUNCATED, offset, "references", Problem::Io(error))
}

fn class(entry: &EntryRecord<'_>, charset: Charset) -> Class {
    Class {
        address: Address(entry.address.value),
        name: name(entry.name, charset),
        class_object_size: Some(ByteLen(entry.size.value)),
        references: Some(entry.references.values.iter().map(|&r| Address(r)).collect()),
        ..Class::default()
    }
}

/// Reads a whole heap into memory. After an error the heap holds everything before it. `open` gives a decoder at the
/// start of the same dump every time.
///
/// # Errors
/// If the dump cannot be opened.
pub fn heap<R: Read>(
    mut open: impl FnMut() -> Result<Decoder<R>, Error>,
) -> Result<(Heap, EntryPlaces, Result<(), DecodeError>), Error> {
    let (index, read) = DumpIndex::read(&mut open()?);
    // What is wrong with the text ends the second reading as well; what takes too much memory might not.
    if read.as_ref().is_err_and(DecodeError::is_machine_fault) {
        return Ok((Heap::default(), EntryPlaces::default(), read));
    }
    let mut heap = Heap { facts: index.facts.clone(), ..Heap::default() };
    let (mut places, mut names) = (EntryPlaces::default(), NamePool::default());
    let mut decoder = open()?;
    let mut allowance = decoder.allowance();
    let ended = index.visit(&mut decoder, |place, item| {
        match item {
            DumpItem::Class(class) => {
                heap.classes.push(Class { name: names.share(class.name.clone()), ..class });
                places.classes.push(place);
            }
            DumpItem::Object(object) => {
                allowance.charge(object.memory_size(), place.1, place.0)?;
                heap.objects.push(object);
                places.objects.push(place);
            }
        }
        Ok(())
    });
    Ok((heap, places, ended))
}

/// Record index and offset of each class and object, in file order.
#[derive(Clone, Debug, Default)]
pub struct EntryPlaces {
    /// The places of the classes.
    pub classes: Vec<(u64, u64)>,
    /// The places of the objects.
    pub objects: Vec<(u64, u64)>,
}

/// A dump as a [`HeapSource`]: the class table in memory, the objects read from the dump each time.
#[derive(Debug)]
pub struct ClassicSource<O> {
    open: O,
    index: DumpIndex,
    surroundings: Surroundings,
    left_behind: Option<String>,
    spool: Spool,
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> ClassicSource<O> {
    /// Reads the class table. `open` gives a decoder at the start of the same dump every time.
    ///
    /// # Errors
    /// An error of opening or decoding; missing trailers are tolerated.
    pub fn new(open: O) -> Result<ClassicSource<O>, Error> {
        ClassicSource::with_spool(open, Spool::default())
    }

    /// Like [`ClassicSource::new`]; references that are too many to be held go into this spool.
    ///
    /// # Errors
    /// Like [`ClassicSource::new`].
    pub fn with_spool(mut open: O, spool: Spool) -> Result<ClassicSource<O>, Error> {
        let (index, read) = DumpIndex::read(&mut open()?);
        let left_behind = match read {
            Ok(()) => None,
            Err(e) if e.is_missing_end() => Some(e.to_string()),
            Err(e) => return Err(e.into()),
        };
        Ok(ClassicSource { open, index, surroundings: Surroundings::default(), left_behind, spool })
    }

    /// The part that the dump lacks and the heap does not record.
    pub fn left_behind(&self) -> Option<&str> {
        self.left_behind.as_deref()
    }
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> HeapSource for ClassicSource<O> {
    fn facts(&self) -> &Facts {
        &self.index.facts
    }

    fn classes(&self) -> &[Class] {
        &self.index.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    fn visit_objects(&mut self, visit_object: &mut VisitObjects<'_>) -> Result<(), Error> {
        let mut decoder = (self.open)()?;
        let ended = self.index.visit_with(&mut decoder, Some(&mut self.spool), |_, item| match item {
            DumpItem::Object(object) => visit_object(&object),
            DumpItem::Class(_) => Ok(()),
        });
        match ended {
            Err(Error::Decode(e)) if e.is_missing_end() => Ok(()),
            other => other,
        }
    }
}
