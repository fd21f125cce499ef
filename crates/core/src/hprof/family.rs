//! HPROF among the families of dumps.

use std::cell::RefCell;
use std::io::Write;

use crate::annotation::{Annotation, Meanings, RecordStep};
use crate::compare::listing::{self, HeapPlaces};
use crate::compare::{Facet, RecordSpan};
use crate::draw::Draw;
use crate::error::{DecodeError, Error};
#[cfg(feature = "corpus")]
use crate::family::case::{FamilyCases, large};
use crate::family::edit::{NamedEdit, named_edits};
#[cfg(feature = "properties")]
use crate::family::property::{self, FormatProperties};
use crate::family::{
    DumpFamily, DumpOutline, FamilyFacts, FileSource, Format, Framing, GraphRules, JudgedDump, Lowering, Opener,
    Opening, PassedOver, Records, Reliance, Setting, SinglePassReader, StatedLength, VisitPlaced, WholeFile,
    WriteRequest, judge_dump, past_header,
};
use crate::findings::Findings;
use crate::input::{Input, InputStream};
use crate::model::{Address, Class, Dump, DumpSource, Heap, Object};
use crate::salvage::{SalvageOptions, SalvageReport};

#[cfg(feature = "corpus")]
use super::cases::{AMBIGUITIES, CASES, LARGE, WORLD};
use super::corrupt::{self, MappedDump};
use super::lift::{self, DumpIndex, DumpItem, HeapIndex, HprofDump, InstanceLayouts, ItemDetail, walk, walk_with};
use super::lower::{self, PROFILES, Profile};
use super::open::{Hprof, HprofOpener};
use super::rules::{self, DumpJudge};
use super::wire::MAGIC;
use super::{Decoder, LowerOptions, annotate, book, carries, frames, list, open, salvage};

pub use super::open::{FAMILY, FORMAT};

fn decoder(opener: &Opener) -> Result<Decoder<InputStream>, Error> {
    Ok(open(opener.open()?)?)
}

static FACTS: FamilyFacts = FamilyFacts {
    name: "hprof",
    title: "HPROF",
    suffix: "hprof",
    versions: &[0],
    start: "an HPROF dump (\"JAVA PROFILE \" and a version)",
    shortest: &[],
    book: &book::BOOK,
    tells_distances: false,
    carries: carries::FACETS,
    settings: &[Setting::IdSize, Setting::Segments],
    alias: Profile::alias,
    parts: annotate::parts,
};

impl DumpFamily for Hprof {
    fn facts(&self) -> &'static FamilyFacts {
        &FACTS
    }

    fn is_start(&self, start: &[u8]) -> bool {
        start.starts_with(MAGIC)
    }

    fn resembles(&self, start: &[u8]) -> bool {
        ["JAVA", "PROFILE"].iter().any(|word| start.windows(word.len()).any(|window| window == word.as_bytes()))
    }

    fn is_foreign(&self, error: &DecodeError) -> bool {
        error.rule() == book::HEADER_MAGIC
    }

    fn fields(&self, facet: Facet, is_array: bool) -> (&'static [&'static str], &'static str) {
        match facet {
            Facet::IdentifierSize => (&["size of identifiers"], "hprof.header.id-size"),
            Facet::HeaderVersion => (&["version"], "hprof.header.version"),
            Facet::TimeStamp => (&["time stamp, high word", "time stamp, low word"], "hprof.header.layout"),
            Facet::Address => (&["object id", "array object id", "class object id"], "hprof.id.unsigned"),
            Facet::Kind => (&["sub-record tag"], "hprof.sub-record.tag"),
            Facet::ClassName => (&["class object id"], "hprof.load-class.layout"),
            Facet::Superclass => (&["super class object id"], "hprof.class.layout"),
            Facet::Loader => (&["class loader object id"], "hprof.class.layout"),
            Facet::Signers => (&["signers object id"], "hprof.class.layout"),
            Facet::ProtectionDomain => (&["protection domain object id"], "hprof.class.layout"),
            Facet::InstanceSize => (&["instance size"], "hprof.class.instance-size-meaning"),
            Facet::Fields => {
                (&["number of instance fields", "field name string id", "type of field"], "hprof.class.values")
            }
            Facet::Statics => {
                (&["number of static fields", "static field name string id", "value of field"], "hprof.class.values")
            }
            Facet::ConstantPool => (
                &["size of constant pool", "constant pool index", "type of entry", "value of entry"],
                "hprof.class.values",
            ),
            Facet::ClassTrace | Facet::ObjectTrace => (&["stack trace serial number"], "hprof.trace.layout"),
            Facet::Class if is_array => (&["array class object id"], "hprof.object-array.class"),
            Facet::Class => (&["class object id"], "hprof.instance.layout"),
            Facet::ArrayLength => (&["number of elements"], "hprof.primitive-array.layout"),
            Facet::FieldValues => (&["field value", "field values"], "hprof.instance.field-order"),
            Facet::StringText => (&["field value", "field values"], "hprof.string.text"),
            Facet::Elements => (&["element", "elements"], "hprof.object-array.layout"),
            Facet::PrimitiveContents => (&["element", "elements"], "hprof.primitive-array.layout"),
            Facet::References | Facet::ReferenceOrder if is_array => {
                (&["element", "elements"], "hprof.object-array.layout")
            }
            Facet::References | Facet::ReferenceOrder => {
                (&["field value", "field values"], "hprof.instance.field-order")
            }
            Facet::RecordOrder => (&["sub-record tag"], "hprof.sub-record.order"),
            _ => (&[], ""),
        }
    }

    fn profiles(&self, _version: u8) -> Vec<&'static str> {
        PROFILES.iter().map(|profile| profile.name).collect()
    }

    fn lowering(&self, _version: u8, wishes: &WriteRequest) -> Result<Lowering, Error> {
        let options = LowerOptions::default();
        let options = wishes.profile.as_ref().map_or(Ok(options), |name| options.with_profile(name))?;
        let WriteRequest { id_size, segments, seed, .. } = *wishes;
        Ok(LowerOptions { id_size, segments, seed, ..options }.into())
    }

    fn random_widths(&self, wishes: WriteRequest, drawn: &WriteRequest) -> WriteRequest {
        // Some writers have identifiers of one size alone.
        let id_size = match wishes.profile.as_ref().and_then(|name| Profile::named(name)) {
            Some(profile) if profile.id_size.is_some() => None,
            _ => drawn.id_size,
        };
        WriteRequest { id_size, ..wishes }
    }

    fn format(&self, _opener: &Opener) -> Result<Format, Error> {
        Ok(FORMAT)
    }

    fn records(&self, opening: Opening) -> Result<Box<dyn Records>, DecodeError> {
        Ok(Box::new(list::HprofRecords(open(opening)?)))
    }

    fn source(&self, opener: &Opener) -> Result<FileSource, Error> {
        Ok(FileSource::new(HprofDump::with_spool(HprofOpener::new(opener), &opener.spool())?, None))
    }

    fn read(&self, opener: &Opener) -> Result<WholeFile, Error> {
        let (whole, ended) = lift::dump(|| decoder(opener))?;
        let place = |place: lift::ItemPlace| listing::RecordPlace { record: place.index, offset: Some(place.offset) };
        let all = |places: Vec<lift::ItemPlace>| places.into_iter().map(place).collect();
        let places = whole.places.into_iter();
        let places = places.map(|(classes, objects)| HeapPlaces { classes: all(classes), objects: all(objects) });
        Ok(WholeFile { dump: whole.dump, places: places.collect(), ended })
    }

    fn single_pass_reader(&self) -> Option<&'static SinglePassReader> {
        Some(&|opening, known, visitor| {
            let mut spool = opening.spool();
            let mut decoder = open(opening)?;
            let id = decoder.header().id_size;
            let fields = |class: &Class| class.fields.iter().flatten().map(|field| field.kind).collect();
            let layouts =
                known.iter().map(|class| (class.address, class.superclass.unwrap_or_default(), fields(class)));
            let layouts = InstanceLayouts::new(id, layouts);
            let visitor = RefCell::new(visitor);
            let mut pass = |bytes: &[u8]| visitor.borrow_mut().skip_known(bytes);
            let each = |object: Option<&Object>| object.map_or(Ok(()), |object| visitor.borrow_mut().object(object));
            let mut into = lift::ObjectBuffer::default();
            let (index, read) =
                DumpIndex::read_with(&mut decoder, Some(&mut spool), Some(&mut pass), |item| match item {
                    DumpItem::Object(found) => each(into.fill(found, id, &layouts)),
                    DumpItem::LongObject(found, contents) => {
                        each(lift::long_object(found, contents, id, &layouts)?.as_ref())
                    }
                    _ => Ok(()),
                });
            read?;
            let heap = |heap: HeapIndex| Heap {
                facts: index.facts.clone(),
                classes: heap.classes,
                objects: Vec::new(),
                surroundings: heap.surroundings,
            };
            Ok(Dump { heaps: index.heaps.into_iter().map(heap).collect(), tail: index.tail })
        })
    }

    fn outline(&self, opener: &Opener) -> Result<DumpOutline, Error> {
        let mut decoder = decoder(opener)?;
        let id = decoder.header().id_size;
        let (index, ended) = DumpIndex::read(&mut decoder);
        let place = |place: lift::ItemPlace| listing::RecordPlace { record: place.index, offset: Some(place.offset) };
        let (mut heaps, mut classes, mut layouts) = (Vec::new(), Vec::new(), Vec::new());
        for heap in index.heaps {
            let facts = index.facts.clone();
            let (surroundings, objects) = (heap.surroundings, Vec::new());
            heaps.push(Heap { facts, classes: heap.classes, objects, surroundings });
            classes.push(heap.places.into_iter().map(place).collect());
            layouts.push(heap.layouts);
        }
        let (opener, mut spool) = (opener.clone(), opener.spool());
        let objects = move |number: usize, visit: &mut VisitPlaced<'_>| {
            let Some(layouts) = layouts.get(number) else { return Ok(()) };
            let mut decoder = self::decoder(&opener)?;
            walk_with(&mut decoder, ItemDetail::Contents, Some(&mut spool), None, |at, item| {
                let object = match item {
                    DumpItem::Object(found) if at.heap == number => lift::object(found, id, layouts),
                    DumpItem::LongObject(found, long) if at.heap == number => {
                        lift::long_object(found, long, id, layouts)?
                    }
                    _ => None,
                };
                object.map_or(Ok(()), |object| visit(place(at), &object))
            })
        };
        Ok(DumpOutline::new(Dump { heaps, tail: index.tail }, classes, ended, objects))
    }

    fn recognise(&self, opener: &Opener, source: &mut FileSource) -> Result<Option<Lowering>, Error> {
        Ok(lower::recognise(source, || opener.bytes())?.map(Lowering::from))
    }

    fn lossless_lowering(&self, dump: &mut dyn DumpSource) -> Option<Lowering> {
        Some(lower::keeping_options(dump.heap(0).facts()).into())
    }

    fn places(&self, opener: &Opener, heap: usize, found: &mut dyn FnMut(Address, RecordSpan)) -> Result<(), Error> {
        // An error ends the search: what was found before it is sound.
        let _ended = walk::<_, DecodeError, _>(&mut decoder(opener)?, ItemDetail::Heads, |place, item| {
            let address = match item {
                _ if place.heap != heap => None,
                DumpItem::Class(class) => Some(class.id),
                DumpItem::Object(object) => object.address(),
                _ => None,
            };
            if let Some(address) = address {
                found(address, RecordSpan { record: place.index, offset: place.offset });
            }
            Ok(())
        });
        Ok(())
    }

    fn part(&self, field: &Annotation<'_>) -> Option<&'static str> {
        annotate::part(field)
    }

    fn map_bytes(
        &self,
        opener: &Opener,
        meanings: Meanings,
        each: &mut dyn FnMut(Annotation<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Names and layouts come from a first pass, as far as the dump is sound.
        let mut first = past_header(opener, decoder(opener), annotate::broken_header, each)?;
        let (index, _) = DumpIndex::read(&mut first);
        annotate::visit_with(&mut decoder(opener)?, Some(&index), meanings, each)
    }

    fn map_records(
        &self,
        opener: &Opener,
        each: &mut dyn FnMut(RecordStep<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        annotate::visit_wanted(&mut decoder(opener)?, each)
    }

    fn reliances(&self, opener: &Opener, found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
        rules::reliances(opener, found)
    }

    fn edits(&self) -> Vec<NamedEdit> {
        named_edits::<MappedDump>()
    }

    fn with_root_kind(&self, dump: &[u8], record: u64, kind: Option<&str>) -> Result<(Vec<u8>, &'static str), Error> {
        corrupt::with_root_kind(&MappedDump::from_bytes(dump.to_vec())?, record, kind)
    }

    #[cfg(feature = "properties")]
    fn properties(&self) -> FormatProperties {
        property::properties::<super::properties::HprofProperties>()
    }

    #[cfg(feature = "corpus")]
    fn corpus(&self) -> FamilyCases {
        FamilyCases {
            all: || CASES.all_cases::<MappedDump>(),
            damaged: |edit, base| CASES.damaged::<MappedDump>(edit, base),
            large: || large(FAMILY, &LARGE),
            ambiguities: AMBIGUITIES,
            world: WORLD,
        }
    }

    fn framing(&self) -> Option<&'static dyn Framing> {
        Some(&Hprof)
    }

    fn salvage(
        &self,
        input: &Input,
        options: &SalvageOptions,
        out: Option<&mut dyn Write>,
    ) -> Result<SalvageReport, Error> {
        salvage::salvage(input, options, out)
    }

    fn judge(
        &self,
        opener: &Opener,
        graph: GraphRules,
        findings: &mut Findings,
    ) -> Result<(JudgedDump, Option<FileSource>), Error> {
        let (judged, kept) = judge_dump::<DumpJudge>(opener, graph, findings)?;
        let source = kept.and_then(|kept| kept.index).map(|(header, index)| {
            FileSource::new(HprofDump::from_index(HprofOpener::new(opener), &opener.spool(), header, index), None)
        });
        Ok((judged, source))
    }
}

impl Framing for Hprof {
    fn lengths(&self, dump: &[u8]) -> Vec<StatedLength> {
        frames::lengths(dump)
    }

    fn passing_over(&self, dump: &[u8], rule: &str, offset: u64) -> Option<PassedOver> {
        if rule == rules::RECORD_LENGTH.0 { frames::drop_record(dump, offset) } else { None }
    }

    fn another_heap(&self, dump: &[u8], starts: &[usize], draw: &mut dyn Draw) -> Option<Vec<u8>> {
        frames::another_heap(dump, starts, draw)
    }

    fn join_heaps(&self, dump: &[u8]) -> Vec<u8> {
        frames::join_heaps(dump)
    }
}
