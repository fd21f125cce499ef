//! What `convert` writes by default is faithful in the eyes of `check-conversion`, which recognises the writer: from every
//! format to every format, of dumps of the corpus and of real ones. Both list the same facets as lost.

use std::fs;
use std::path::{Path, PathBuf};

use heapsmith::compare::{Facet, MEMORY};
use heapsmith::convert::{
    CandidateWriters, Conversion, ConversionVerdict, ConvertOptions, FacetCount, WriterFound, convert, judge,
    omitted_by_writer,
};
use heapsmith::format::{Format, Lowering, OpenedHeap};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;

use crate::witnesses::witnesses;

/// Real dumps, and the heaps of them.
const REAL: [(&str, usize); 6] = [
    ("heapdump.20100112.141124.11580.0002.phd", 0),
    ("heapdump.20130429.083110.14261.0001.phd", 0),
    ("oracle_jdk8_05_x64.hprof", 0),
    ("sun_jdk5_13_x32.hprof", 0),
    ("sun_jdk6_31_hprofagent_compressedOops.hprof", 0),
    ("sun_jdk6_31_hprofagent_compressedOops.hprof", 1),
];

fn open(input: Input, heap: Option<usize>) -> OpenedHeap {
    OpenedHeap::open(input, heap, ReadOptions::default()).expect("a dump")
}

fn written(source: &mut OpenedHeap, to: Format) -> (Conversion, OpenedHeap) {
    let lowering = Lowering::new(to, &Default::default()).expect("a format has a default");
    let mut bytes = Vec::new();
    let report = convert(source.source(), &ConvertOptions::new(&lowering), &mut bytes).expect("convertible");
    (report, open(Input::from_memory("converted", bytes), None))
}

/// The verdict, as `check-conversion` comes to it, and what another writer could have recorded besides.
fn judged(source: &mut OpenedHeap, result: &mut OpenedHeap) -> (ConversionVerdict, Vec<FacetCount>) {
    let OpenedHeap::Dump { file, source: dump, .. } = &mut *result else { panic!("a listing") };
    let writers = CandidateWriters::from_dump(file, dump, source.format().expect("a header")).expect("readable");
    let judge = |target: &_| judge(source.source(), result.source(), target, MEMORY);
    let (writer, verdict) = writers.nearest(judge, ConversionVerdict::differing).expect("in memory");
    assert_eq!(writer, WriterFound::Recognised, "{}", verdict.to);
    let target = verdict.to.parse().expect("a target");
    let besides = omitted_by_writer(source.source(), result.source(), &target, &verdict, MEMORY).expect("in memory");
    (verdict, besides)
}

fn is_faithful_to_every_format(path: &Path, heap: Option<usize>) {
    for to in Format::all() {
        let mut source = open(Input::open(path).expect("a file"), heap);
        let (report, mut result) = written(&mut source, to);
        let (verdict, _) = judged(&mut source, &mut result);
        let what = format!("{} to {to}", path.display());
        assert!(verdict.faithful, "{what}: {:?} {:?}", verdict.changed, verdict.missing);
        assert_eq!((&verdict.lost, &verdict.by_rule), (&report.lost, &report.changed), "{what}");
        assert_eq!(verdict.to, report.to, "{what}");
    }
}

/// The dumps that show what each profile's dumps have, and those that are spelled by hand in other characters.
fn of_the_corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let golden = |family: &str| fs::read_dir(root.join(family).join("golden")).expect("a folder");
    let files = ["phd", "hprof", "classic"].into_iter().flat_map(golden).map(|entry| entry.expect("an entry").path());
    let is_dump =
        |path: &PathBuf| path.extension().is_some_and(|suffix| ["phd", "hprof", "txt"].iter().any(|s| suffix == *s));
    let has_one_heap = |path: &PathBuf| !path.display().to_string().contains("-of-2");
    let mut all: Vec<PathBuf> = files.filter(is_dump).filter(has_one_heap).collect();
    all.push(root.join("hprof/spelled/hprof-spelled-plain-utf-8.hprof"));
    all
}

#[test]
fn a_dump_of_the_corpus_is_converted_faithfully_to_every_format() {
    let dumps = of_the_corpus();
    assert!(dumps.len() > 30, "{}", dumps.len());
    dumps.iter().for_each(|path| is_faithful_to_every_format(path, None));
}

#[test]
fn a_real_dump_is_converted_faithfully_to_every_format() {
    let Some(folder) = witnesses() else { return };
    for (name, heap) in REAL {
        let path = folder.join("dumps").join(name);
        is_faithful_to_every_format(&path, Some(heap));
    }
}

/// J9 2.4 stores 16 bits of hash in every record, and J9 2.6 the same bits twice, where there are any. No array of version 4
/// says how long it is, but PHD could have said that of each of 555 arrays of references.
#[test]
fn distinguishes_facts_of_other_writers_from_lost_facts() {
    let Some(folder) = witnesses() else { return };
    let path = folder.join("dumps").join(REAL[0].0);
    for (to, expected) in [(Format::PHD5, (Facet::Hash16, 5269)), (Format::PHD4, (Facet::ArrayLength, 555))] {
        let mut source = open(Input::open(&path).expect("a file"), None);
        let (report, mut result) = written(&mut source, to);
        let (verdict, besides) = judged(&mut source, &mut result);
        assert_eq!((report.lost, verdict.lost), (vec![], vec![]));
        let besides: Vec<_> = besides.iter().map(|besides| (besides.facet, besides.count)).collect();
        assert_eq!(besides, [expected]);
    }
}
