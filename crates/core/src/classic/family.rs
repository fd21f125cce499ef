//! Classic text among the families of dumps.

use std::io::Write;

use crate::annotation::{Annotation, Meanings, RecordStep};
use crate::compare::listing::{HeapPlaces, RecordPlace};
use crate::compare::{Facet, RecordSpan};
use crate::error::{DecodeError, Error};
#[cfg(feature = "corpus")]
use crate::family::case::{FamilyCases, large};
use crate::family::edit::{NamedEdit, named_edits};
#[cfg(feature = "properties")]
use crate::family::property::{self, FormatProperties};
use crate::family::{
    DumpFamily, DumpOutline, EditedField, FamilyFacts, FileSource, Format, GraphRules, JudgedDump, Lowering, Opener,
    Opening, Records, Reliance, Setting, SingleHeap, VisitPlaced, WholeFile, WriteRequest, judge_dump, past_header,
};
use crate::findings::Findings;
use crate::input::{Input, InputStream};
use crate::model::{Address, Dump, Heap};
use crate::salvage::{SalvageOptions, SalvageReport};

#[cfg(feature = "corpus")]
use super::cases::{AMBIGUITIES, CASES, LARGE, WORLD};
use super::corrupt::MappedDump;
use super::lift::{self, ClassicSource};
use super::lower::{self, PROFILES};
use super::open::{Classic, open};
use super::rules::{self, DumpJudge};
use super::{DecodeStep, Decoder, Encoding, LowerOptions, Record, annotate, book, carries, list, salvage};

pub use super::open::{FAMILY, FORMAT};

fn decoder(opener: &Opener) -> Result<Decoder<InputStream>, Error> {
    Ok(open(opener.open()?)?)
}

static FACTS: FamilyFacts = FamilyFacts {
    name: "classic",
    title: "Classic text",
    suffix: "txt",
    versions: &[0],
    start: "a classic heap dump (// or 0x, in ASCII or EBCDIC)",
    // An empty comment, in ASCII and in EBCDIC.
    shortest: &[b"//\n", b"\x61\x61\x15"],
    book: &book::BOOK,
    tells_distances: false,
    carries: carries::FACETS,
    settings: &[Setting::Word, Setting::Text],
    alias: |_| None,
    parts: || annotate::PARTS.to_vec(),
};

impl DumpFamily for Classic {
    fn facts(&self) -> &'static FamilyFacts {
        &FACTS
    }

    fn is_start(&self, start: &[u8]) -> bool {
        Encoding::detect(start).is_some()
    }

    fn resembles(&self, start: &[u8]) -> bool {
        ["] OBJ ", "] CLS ", "// "].iter().any(|word| start.windows(word.len()).any(|window| window == word.as_bytes()))
    }

    fn is_foreign(&self, _error: &DecodeError) -> bool {
        true
    }

    fn fields(&self, facet: Facet, is_array: bool) -> (&'static [&'static str], &'static str) {
        match facet {
            Facet::WordSize => (&["address"], "classic.number.word"),
            Facet::VersionText => (&["version"], "classic.header.layout"),
            Facet::Address => (&["address"], "classic.number.hexadecimal"),
            Facet::Kind => (&["record type", "type"], "classic.record.type"),
            Facet::ClassName => (&["type"], "classic.name.types"),
            Facet::InstanceSize | Facet::ObjectSize | Facet::ClassObjectSize => {
                (&["size"], "classic.number.size-meaning")
            }
            Facet::Class | Facet::ClassWord => (&["type"], "classic.reference.class-by-name"),
            Facet::References if is_array => (&["reference"], "classic.reference.class-block"),
            Facet::References => (&["reference"], "classic.record.layout"),
            Facet::ClassReferences => (&["reference"], "classic.class.native-references"),
            Facet::ReferenceOrder => (&["reference"], "classic.reference.array-order"),
            Facet::HeaderTotals => (&["totals", "breakdown"], "classic.trailer.counts"),
            Facet::NullReferences => (&["totals"], "classic.trailer.unlisted-nulls"),
            Facet::RecordOrder => (&["record type"], "classic.file.order"),
            _ => (&[], ""),
        }
    }

    fn profiles(&self, _version: u8) -> Vec<&'static str> {
        PROFILES.iter().map(|profile| profile.name).collect()
    }

    fn lowering(&self, _version: u8, wishes: &WriteRequest) -> Result<Lowering, Error> {
        let options = LowerOptions::default();
        let options = wishes.profile.as_ref().map_or(Ok(options), |name| options.with_profile(name))?;
        let encoding = lower::encoding(wishes)?.unwrap_or_default();
        Ok(LowerOptions { word: wishes.word, encoding, seed: wishes.seed, ..options }.into())
    }

    fn format(&self, _opener: &Opener) -> Result<Format, Error> {
        Ok(FORMAT)
    }

    fn records(&self, opening: Opening) -> Result<Box<dyn Records>, DecodeError> {
        Ok(Box::new(list::ClassicRecords(open(opening)?)))
    }

    fn source(&self, opener: &Opener) -> Result<FileSource, Error> {
        let (opener, spool) = (opener.clone(), opener.spool());
        let source = ClassicSource::with_spool(move || decoder(&opener), spool)?;
        let left_behind = source.left_behind().map(str::to_owned);
        Ok(FileSource::new(SingleHeap(source), left_behind.as_deref()))
    }

    fn read(&self, opener: &Opener) -> Result<WholeFile, Error> {
        let (heap, places, ended) = lift::heap(|| decoder(opener))?;
        let place = |(record, offset)| RecordPlace { record, offset: Some(offset) };
        let all = |places: Vec<(u64, u64)>| places.into_iter().map(place).collect();
        let places = HeapPlaces { classes: all(places.classes), objects: all(places.objects) };
        Ok(WholeFile { dump: Dump { heaps: vec![heap], tail: Vec::new() }, places: vec![places], ended })
    }

    fn outline(&self, opener: &Opener) -> Result<DumpOutline, Error> {
        let (index, ended) = lift::DumpIndex::read(&mut decoder(opener)?);
        let place = |(record, offset)| RecordPlace { record, offset: Some(offset) };
        let heap = Heap { facts: index.facts.clone(), classes: index.classes.clone(), ..Heap::default() };
        let classes = index.places.iter().copied().map(place).collect();
        let (opener, mut spool) = (opener.clone(), opener.spool());
        let objects = move |_, visit: &mut VisitPlaced<'_>| {
            index.visit_with(&mut decoder(&opener)?, Some(&mut spool), |at, item| match item {
                lift::DumpItem::Object(object) => visit(place(at), &object),
                lift::DumpItem::Class(_) => Ok(()),
            })
        };
        let dump = Dump { heaps: vec![heap], tail: Vec::new() };
        Ok(DumpOutline::new(dump, vec![classes], ended, objects))
    }

    fn recognise(&self, opener: &Opener, source: &mut FileSource) -> Result<Option<Lowering>, Error> {
        let encoding = decoder(opener)?.encoding();
        Ok(lower::recognise(source, encoding, || opener.bytes())?.map(Lowering::from))
    }

    fn places(&self, opener: &Opener, _heap: usize, found: &mut dyn FnMut(Address, RecordSpan)) -> Result<(), Error> {
        // An error ends the search: what was found before it is sound.
        let _ended = decoder(opener)?.visit::<DecodeError, _>(|step| {
            if let DecodeStep::Record(at, Record::Entry(entry)) = step {
                found(Address(entry.address.value), RecordSpan { record: at.index, offset: at.offset });
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
        let mut decoder = past_header(opener, decoder(opener), annotate::broken_header, each)?;
        annotate::visit_with(&mut decoder, meanings, each)
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

    fn with_value(&self, dump: &[u8], field: &EditedField, value: &str) -> Result<Vec<u8>, Error> {
        MappedDump::from_bytes(dump.to_vec())?.with_part(field, value).map_err(Error::Usage)
    }

    #[cfg(feature = "properties")]
    fn properties(&self) -> FormatProperties {
        property::properties::<super::properties::ClassicProperties>()
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
        judge_dump::<DumpJudge>(opener, graph, findings).map(|(judged, _)| (judged, None))
    }
}
