//! PHD among the families of dumps.

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
    DumpFamily, DumpOutline, FamilyFacts, FileSource, Format, GraphRules, JudgedDump, Lowering, Opener, Opening,
    Records, Reliance, Setting, SingleHeap, SinglePassReader, VisitPlaced, WholeFile, WriteRequest, judge_dump,
    past_header,
};
use crate::findings::Findings;
use crate::input::{Input, InputStream};
use crate::model::{Address, Dump, Heap};
use crate::salvage::{SalvageOptions, SalvageReport};

#[cfg(feature = "corpus")]
use super::cases::{AMBIGUITIES, CASES, LARGE, WORLD};
use super::corrupt::MappedDump;
use super::decode::LocatedRecord;
use super::lift::{self, ClassTable, DumpItem, PhdSource};
use super::lower::{self, PROFILES};
use super::open::{Phd, open};
use super::rules::{self, DumpJudge};
use super::wire::MAGIC;
use super::{Decoder, LowerOptions, Version, annotate, book, carries, list, salvage};

pub use super::open::{FAMILY, format};

const NUMBERS: [u8; Version::ALL.len()] = {
    let mut numbers = [0; Version::ALL.len()];
    let mut index = 0;
    while index < numbers.len() {
        numbers[index] = Version::ALL[index].number() as u8;
        index += 1;
    }
    numbers
};

fn decoder(opener: &Opener) -> Result<Decoder<InputStream>, Error> {
    Ok(open(opener.open()?)?)
}

/// The one heap of a dump.
fn single_heap<O>(source: PhdSource<O>) -> FileSource
where
    O: FnMut() -> Result<Decoder<InputStream>, Error> + Send + 'static,
{
    let left_behind = source.left_behind().map(str::to_owned);
    FileSource::new(SingleHeap(source), left_behind.as_deref())
}

static FACTS: FamilyFacts = FamilyFacts {
    name: "phd",
    title: "PHD",
    suffix: "phd",
    versions: &NUMBERS,
    start: "a PHD (00 12 and \"portable heap dump\")",
    shortest: &[],
    book: &book::BOOK,
    tells_distances: true,
    carries: carries::FACETS,
    settings: &[Setting::Word],
    alias: |_| None,
    parts: || annotate::PARTS.to_vec(),
};

impl DumpFamily for Phd {
    fn facts(&self) -> &'static FamilyFacts {
        &FACTS
    }

    fn is_start(&self, start: &[u8]) -> bool {
        start.get(2..).is_some_and(|rest| rest.starts_with(MAGIC))
    }

    fn resembles(&self, _start: &[u8]) -> bool {
        false
    }

    fn is_foreign(&self, error: &DecodeError) -> bool {
        error.rule() == book::HEADER_MAGIC
    }

    fn fields(&self, facet: Facet, is_array: bool) -> (&'static [&'static str], &'static str) {
        match facet {
            Facet::WordSize => (&["flags"], "phd.words.word"),
            Facet::VersionText => (&["version text"], "phd.header.version-text-encoding"),
            Facet::HeaderTotals => (&["total objects", "total references"], "phd.header.totals"),
            Facet::HashRandoms => (&["hash code random 1", "hash code random 2"], "phd.header.record-payloads"),
            Facet::Address => (&["gap"], "phd.gap.base"),
            Facet::Kind => (&["tag"], "phd.record.tag"),
            Facet::ClassName => (&["name length", "name"], "phd.class.name"),
            Facet::Superclass => (&["superclass word"], "phd.class.layout"),
            Facet::InstanceSize => (&["instance size"], "phd.class.instance-size"),
            Facet::Class if is_array => (&["class word"], "phd.object-array.class-word"),
            Facet::Class => (&["class word", "tag"], "phd.class-cache.round-robin"),
            Facet::ClassWord => (&["class word"], "phd.object-array.class-word"),
            Facet::ArrayLength => (&["length", "true length"], "phd.array.length-unsigned"),
            Facet::ObjectSize => (&["instance size / 4"], "phd.array.instance-size"),
            Facet::Hash16 => (&["hash"], "phd.hash.every-record"),
            Facet::Hash32 => (&["hash"], "phd.hash.where-used"),
            Facet::References => (&["reference"], "phd.references.base"),
            Facet::ClassReferences => (&["reference"], "phd.class.references"),
            Facet::ReferenceOrder => (&["reference"], "phd.object-array.reference-order"),
            Facet::RecordOrder => (&["tag"], ""),
            _ => (&[], ""),
        }
    }

    fn profiles(&self, version: u8) -> Vec<&'static str> {
        let Some(version) = Version::from_number(version.into()) else { return Vec::new() };
        PROFILES.iter().filter(|profile| profile.versions.contains(&version)).map(|profile| profile.name).collect()
    }

    fn lowering(&self, version: u8, wishes: &WriteRequest) -> Result<Lowering, Error> {
        let none = || Error::Usage(format!("PHD has no version {version}"));
        let options = LowerOptions::new(Version::from_number(version.into()).ok_or_else(none)?);
        let options = wishes.profile.as_ref().map_or(Ok(options), |name| options.with_profile(name))?;
        Ok(LowerOptions { word: wishes.word, seed: wishes.seed, ..options }.into())
    }

    fn format(&self, opener: &Opener) -> Result<Format, Error> {
        Ok(format(decoder(opener)?.header().version))
    }

    fn records(&self, opening: Opening) -> Result<Box<dyn Records>, DecodeError> {
        Ok(Box::new(list::PhdRecords(open(opening)?)))
    }

    fn source(&self, opener: &Opener) -> Result<FileSource, Error> {
        let (opener, spool) = (opener.clone(), opener.spool());
        Ok(single_heap(PhdSource::with_spool(move || decoder(&opener), spool)?))
    }

    fn read(&self, opener: &Opener) -> Result<WholeFile, Error> {
        let mut decoder = decoder(opener)?;
        let mut heap = Heap { facts: lift::facts(decoder.header()), ..Heap::default() };
        let (mut places, mut table) = (HeapPlaces::default(), ClassTable::new(&decoder));
        let ended = lift::visit(&mut decoder, |located, item| {
            let place = RecordPlace { record: located.index, offset: Some(located.offset) };
            match item {
                DumpItem::Class(class) => {
                    heap.classes.push(table.class(located, class)?);
                    places.classes.push(place);
                }
                DumpItem::Object(object) => {
                    heap.objects.push(table.object(located, object)?);
                    places.objects.push(place);
                }
            }
            Ok(())
        });
        let dump = Dump { heaps: vec![heap], tail: Vec::new() };
        Ok(WholeFile { dump, places: vec![places], ended: ended.map(|_| ()) })
    }

    fn single_pass_reader(&self) -> Option<&'static SinglePassReader> {
        Some(&|opening, _, visitor| {
            let mut spool = opening.spool();
            let mut decoder = open(opening)?;
            let mut heap = Heap { facts: lift::facts(decoder.header()), ..Heap::default() };
            let mut table = ClassTable::new(&decoder);
            lift::visit_with::<_, Error, _>(&mut decoder, Some(&mut spool), |located, item| match item {
                DumpItem::Class(class) => {
                    heap.classes.push(table.class(located, class)?);
                    Ok(())
                }
                DumpItem::Object(object) => visitor.object(&object),
            })?;
            Ok(Dump { heaps: vec![heap], tail: Vec::new() })
        })
    }

    fn outline(&self, opener: &Opener) -> Result<DumpOutline, Error> {
        let (mut decoder, mut spool) = (decoder(opener)?, opener.spool());
        let mut heap = Heap { facts: lift::facts(decoder.header()), ..Heap::default() };
        let place =
            |located: LocatedRecord<'_, '_>| RecordPlace { record: located.index, offset: Some(located.offset) };
        let (mut classes, mut table) = (Vec::new(), ClassTable::new(&decoder));
        let ended = lift::visit_with(&mut decoder, Some(&mut spool), |located, item| {
            if let DumpItem::Class(class) = item {
                heap.classes.push(table.class(located, class)?);
                classes.push(place(located));
            }
            Ok(())
        });
        let opener = opener.clone();
        let objects = move |_, visit: &mut VisitPlaced<'_>| {
            lift::visit_with(&mut self::decoder(&opener)?, Some(&mut spool), |located, item| match item {
                DumpItem::Object(object) => visit(place(located), &object),
                DumpItem::Class(_) => Ok(()),
            })
            .map(|_| ())
        };
        let dump = Dump { heaps: vec![heap], tail: Vec::new() };
        Ok(DumpOutline::new(dump, vec![classes], ended.map(|_| ()), objects))
    }

    fn recognise(&self, opener: &Opener, source: &mut FileSource) -> Result<Option<Lowering>, Error> {
        let version = decoder(opener)?.header().version;
        Ok(lower::recognise(source, version, || opener.bytes())?.map(Lowering::from))
    }

    fn places(&self, opener: &Opener, _heap: usize, found: &mut dyn FnMut(Address, RecordSpan)) -> Result<(), Error> {
        // An error ends the search: what was found before it is sound.
        let _ended = lift::visit::<_, DecodeError, _>(&mut decoder(opener)?, |located, item| {
            let address = match item {
                DumpItem::Class(class) => class.address,
                DumpItem::Object(object) => object.address,
            };
            found(address, RecordSpan { record: located.index, offset: located.offset });
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

    #[cfg(feature = "properties")]
    fn properties(&self) -> FormatProperties {
        property::properties::<super::properties::PhdProperties>()
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
        let (judged, kept) = judge_dump::<DumpJudge>(opener, graph, findings)?;
        let (opener, spool) = (opener.clone(), opener.spool());
        let summary = kept.and_then(|kept| kept.summary);
        let source =
            summary.map(|summary| single_heap(PhdSource::from_summary(move || decoder(&opener), spool, summary)));
        Ok((judged, source))
    }
}
