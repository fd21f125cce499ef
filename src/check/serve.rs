//! heapsmith's own decoder, converter and writer, which answer the protocol of specs/adapter.md.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde_json::Value;

use crate::answers::{Analysis, Edges, Graph};
use crate::check::declarations::{READINGS, all_ambiguities};
use crate::check::judge::{OfClass, Tally, strings};
use crate::check::process::LONGEST_LINE;
use crate::check::protocol::{
    Accepted, Answer, ClassCount, Count, Counts, EntryAnswer, Hello, Known, Level, Operation, Pair, Part, Request,
    RetainedAnswer, Status, VERSIONS, Writer,
};
use crate::compare::Facet;
use crate::compare::listing::{self, Hex};
use crate::convert;
use crate::digest::{self, Selection};
use crate::error::Error;
use crate::family::Wishes;
use crate::format::{DumpFile, Format, Lowering, Target};
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::{Address, DumpSource, Heap, HeapSource, Name};
use crate::validate::unsound;

/// Answers requests until there are no more.
///
/// # Errors
/// If requests cannot be read or answers not written. A request that is none is answered as an error.
pub fn serve(mut requests: impl BufRead, mut answers: impl Write) -> Result<(), Error> {
    let mut line = Vec::new();
    loop {
        line.clear();
        // With its end.
        let most = LONGEST_LINE as u64 + 1;
        let read = requests.by_ref().take(most).read_until(b'\n', &mut line);
        if read.map_err(|e| Error::io("reading requests", e))? == 0 {
            return Ok(());
        }
        if line.pop_if(|last| *last == b'\n').is_none() && line.len() > LONGEST_LINE {
            let mib = LONGEST_LINE >> 20;
            return Err(Error::Usage(format!("reading requests: expected a line of at most {mib} MiB, found more")));
        }
        let text = answer(&line).map_err(|e| Error::io("writing an answer", e.into()))?;
        let mut write = || {
            answers.write_all(text.as_bytes())?;
            answers.write_all(b"\n")?;
            answers.flush()
        };
        write().map_err(|e| Error::io("writing answers", e))?;
    }
}

fn answer(line: &[u8]) -> serde_json::Result<String> {
    let status = match serde_json::from_slice::<Request>(line) {
        Ok(Request { id, op: Operation::Hello { protocols, .. } }) => {
            if let Some(protocol) = VERSIONS.into_iter().rev().find(|version| protocols.contains(version)) {
                return serde_json::to_string(&hello(id, protocol));
            }
            let [old, new] = VERSIONS;
            let message = format!("this speaks versions {old} and {new} of the protocol, not one of {protocols:?}");
            Answer { id, status: Status::Error { message } }
        }
        Ok(Request { id, op }) => Answer { id, status: carry_out(&op) },
        Err(e) => {
            // The request's number may be there all the same.
            let id = serde_json::from_slice::<Value>(line).ok().and_then(|value| value["id"].as_u64());
            let message = format!("not a request: {e}");
            Answer { id: id.unwrap_or_default(), status: Status::Error { message } }
        }
    };
    serde_json::to_string(&status)
}

fn hello(id: u64, protocol: u32) -> Hello {
    let names = || Format::all().map(|format| format.to_string());
    // What version 1 had.
    let is_known = |level: &Level| protocol >= 2 || *level != Level::Answers;
    let levels = [Level::Verdict, Level::Counts, Level::Answers, Level::Digest, Level::Listing];
    let counts = Count::ALL.into_iter().filter(|count| protocol >= 2 || *count != Count::HistogramBytes);
    let facets = Facet::ALL.into_iter().filter(|facet| protocol >= 2 || *facet != Facet::RootObjects);
    let answers = Part::ALL.into_iter().filter(|part| protocol >= 2 && *part != Part::AnyPaths);
    Hello {
        id,
        protocol,
        name: "heapsmith".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        language: "Rust".to_owned(),
        reads: names().collect(),
        levels: levels.into_iter().filter(is_known).collect::<Vec<_>>().into(),
        facets: facets.collect::<Vec<_>>().into(),
        counts: counts.collect::<Vec<_>>().into(),
        answers: answers.collect::<Vec<_>>().into(),
        declares: Default::default(),
        readings: defaults(protocol),
        heaps: true,
        converts: names()
            .flat_map(|from| {
                writers().map(move |to| Pair {
                    from: from.clone(),
                    to,
                    loses: Known::default(),
                    declares: Default::default(),
                })
            })
            .collect(),
        writes: writers().map(Writer::from).collect(),
    }
}

/// The first choice of each reading, which this decoder follows; empty where readings cannot be declared.
fn defaults(protocol: u32) -> BTreeMap<String, String> {
    let all = all_ambiguities().into_iter().filter(|_| protocol >= 2);
    let all = all.filter(|ambiguity| !READINGS.contains(&ambiguity.name));
    all.map(|ambiguity| (ambiguity.name.to_owned(), ambiguity.choices[0].name.to_owned())).collect()
}

/// Each format with its default writer.
fn writers() -> impl Iterator<Item = String> {
    let named =
        |format: Format| Some(format!("{format}/{}", Lowering::new(format, &Wishes::default()).ok()?.profile()));
    Format::all().filter_map(named)
}

/// The lowering of a format, or of a format and a profile.
fn lowering(name: &str) -> Result<Lowering, Error> {
    let Target { format, profile } = name.parse()?;
    Lowering::new(format, &Wishes { profile, ..Wishes::default() })
}

fn carry_out(op: &Operation) -> Status {
    let told = match op {
        Operation::Hello { .. } => Ok(Accepted::default()),
        Operation::Parse { path, heap, level, out, facets, buckets, bucket, .. } => {
            let wanted = facets.as_deref().map_or_else(Selection::unordered, |facets| facets.iter().copied().collect());
            let wanted = Wanted {
                level: *level,
                out: out.as_deref(),
                facets: wanted.and(Selection::unordered()),
                buckets: buckets.unwrap_or_default(),
                bucket: *bucket,
            };
            parse(Path::new(path), *heap, &wanted)
        }
        Operation::Convert { path, to, out, .. } => convert(Path::new(path), to, Path::new(out)),
        Operation::Encode { path, format, out } => encode(Path::new(path), format, Path::new(out)),
    };
    match told {
        Ok(accepted) => Status::Accept(Box::new(accepted)),
        Err(Error::Decode(e)) if !e.is_the_machines() => {
            Status::Reject { offset: Some(e.offset()), message: e.to_string() }
        }
        Err(e @ (Error::Lower(_) | Error::Listing { .. })) => Status::Reject { message: e.to_string(), offset: None },
        Err(e) => Status::Error { message: e.to_string() },
    }
}

struct Wanted<'w> {
    level: Level,
    out: Option<&'w str>,
    facets: Selection,
    buckets: bool,
    bucket: Option<u8>,
}

fn parse(path: &Path, heap: Option<u64>, wanted: &Wanted<'_>) -> Result<Accepted, Error> {
    let file = open(path)?;
    if wanted.level == Level::Answers {
        let mut source = file.source()?;
        let number = heap_of(heap, source.heaps())?;
        let out = wanted.out.ok_or_else(|| without_out(wanted.level))?;
        return answered(source.heap(number), Path::new(out));
    }
    if wanted.level != Level::Listing {
        // Nothing but the class table is held.
        let mut source = file.source()?;
        let number = heap_of(heap, source.heaps())?;
        if wanted.level != Level::Digest {
            return counted(&mut source, number, wanted.level);
        }
        let options = digest::Options { facets: wanted.facets, by_facet: true, bucket: wanted.bucket };
        let mut digest = digest::digest(source.heap(number), &options)?;
        digest.buckets = digest.buckets.filter(|_| wanted.buckets);
        return Ok(Accepted { digest: Some(digest), ..Accepted::default() });
    }
    let whole = file.read()?;
    if let Err(e) = whole.ended
        && !e.is_missing_end()
    {
        return Err(e.into());
    }
    let number = heap_of(heap, whole.dump.heaps.len())?;
    let heap = &whole.dump.heaps[number];
    let out = wanted.out.ok_or_else(|| without_out(wanted.level))?;
    let mut head = listing::head(heap);
    head.format = Some(file.format()?.to_string());
    head.heap = (whole.dump.heaps.len() > 1).then_some(number as u64);
    create(Path::new(out), |output| listing::write(output, &head, heap, &whole.places[number]))?;
    Ok(Accepted::default())
}

fn without_out(level: Level) -> Error {
    Error::Usage(format!("the level `{level}` requires `out`, the path of the file to write"))
}

/// Writes what follows from the references of a heap.
fn answered(source: &mut dyn HeapSource, out: &Path) -> Result<Accepted, Error> {
    let analysis = Analysis::of(Graph::of(source, Edges::default())?);
    let (graph, distances) = (analysis.graph(), analysis.distances());
    let failed = |e: std::io::Error| Error::io(format!("writing {}", out.display()), e);
    create(out, |output| {
        let mut number = 0;
        analysis.visit_entries(|entry| {
            number += 1;
            // Of several entries with one address, references lead to one.
            let found = graph.find(Address(entry.address.0)).filter(|found| *found == number - 1);
            let (Some(reached), Some(found)) = (entry.reached, found) else { return Ok(()) };
            let path = distances.as_ref().and_then(|distances| distances.path(found));
            let line = EntryAnswer {
                address: entry.address,
                reachable: reached.reachable,
                distance: reached.distance.map(u64::from),
                dominator: reached.dominator,
                retained: reached
                    .retained
                    .map(|retained| RetainedAnswer { entries: Some(retained.entries), bytes: Some(retained.bytes) }),
                bytes: entry.bytes,
                path: path.map(|path| path.into_iter().map(|entry| Hex(graph.address(entry).0)).collect()),
            };
            serde_json::to_writer(&mut *output, &line).map_err(|e| failed(e.into()))?;
            output.write_all(b"\n").map_err(failed)
        })
    })?;
    Ok(Accepted::default())
}

/// Reads a heap to its end, and counts what is in it if that is asked for.
fn counted(source: &mut dyn DumpSource, number: usize, level: Level) -> Result<Accepted, Error> {
    let tally = Tally::of(source.heap(number))?;
    if level == Level::Verdict {
        return Ok(Accepted::default());
    }
    let strings = strings(source);
    let heap = &*source.heap(number);
    let histogram = tally.histogram(heap).into_iter();
    let of_class = |(class, of): (Name, OfClass)| ClassCount {
        class: (&class).into(),
        objects: of.objects,
        bytes: (of.unsized_objects == 0).then_some(of.bytes),
    };
    Ok(Accepted {
        counts: Some(Counts { strings, ..tally.counts(heap) }),
        histogram: Some(histogram.map(of_class).collect()),
        ..Accepted::default()
    })
}

fn convert(path: &Path, to: &str, out: &Path) -> Result<Accepted, Error> {
    let lowering = lowering(to)?;
    let file = open(path)?;
    let mut source = file.source()?;
    let number = heap_of(None, source.heaps())?;
    let options = convert::Options::new(&lowering);
    create(out, |output| convert::convert(source.heap(number), &options, output).map(|_| ()))?;
    Ok(Accepted::default())
}

fn encode(path: &Path, format: &str, out: &Path) -> Result<Accepted, Error> {
    let lowering = lowering(format)?;
    let file = File::open(path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
    let mut heap: Heap = listing::read(BufReader::new(file))?.heap;
    create(out, |output| lowering.write(&mut (&mut heap as &mut dyn HeapSource), output))?;
    Ok(Accepted::default())
}

/// Opens a dump that is valid, or has only flaws that every known reader tolerates.
fn open(path: &Path) -> Result<DumpFile, Error> {
    let input = Input::open(path)?;
    if let Some(error) = unsound(&input, Reading::default())? {
        return Err(error.into());
    }
    DumpFile::new(input, Reading::default())
}

fn heap_of(asked: Option<u64>, heaps: usize) -> Result<usize, Error> {
    match asked {
        Some(number) if number < heaps as u64 => Ok(number as usize),
        None if heaps == 1 => Ok(0),
        _ => Err(Error::Usage(format!("the dump has {heaps} heaps, and `heap` names none of them"))),
    }
}

fn create(out: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<(), Error> {
    let failed = |e| Error::io(format!("writing {}", out.display()), e);
    let mut output = BufWriter::new(File::create(out).map_err(failed)?);
    write(&mut output)?;
    output.flush().map_err(failed)
}
