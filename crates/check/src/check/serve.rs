//! heapsmith's own decoder, converter and writer, which answer the protocol of specs/adapter.md.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde_json::Value;

use crate::check::declarations::{READINGS, ambiguities};
use crate::check::judge::{ClassTally, ObjectTally, strings};
use crate::check::process::LONGEST_LINE;
use crate::check::protocol::{
    Accepted, AdapterAnswer, AnswerPart, AnswerStatus, ClassCount, CountKind, DeclaredConversion, DeclaredWriter,
    EntryAnswer, Hello, KnownNames, Level, ObjectCounts, Request, RequestedOperation, RetainedAnswer, VERSIONS,
};
use heapsmith_core::answers::{Analysis, EdgeOptions, EntryGraph};
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::{self, Hex};
use heapsmith_core::convert;
use heapsmith_core::digest::{self, FacetSelection};
use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::format::{DumpFile, DumpTarget, Format, Lowering};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::model::{Address, DumpSource, Heap, HeapSource, Name};
use heapsmith_core::validate::unsound;

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
        let text = answer_line(&line).map_err(|e| Error::io("writing an answer", e.into()))?;
        let mut write = || {
            answers.write_all(text.as_bytes())?;
            answers.write_all(b"\n")?;
            answers.flush()
        };
        write().map_err(|e| Error::io("writing answers", e))?;
    }
}

fn answer_line(line: &[u8]) -> serde_json::Result<String> {
    let status = match serde_json::from_slice::<Request>(line) {
        Ok(Request { id, op: RequestedOperation::Hello { protocols, .. } }) => {
            if let Some(protocol) = VERSIONS.into_iter().rev().find(|version| protocols.contains(version)) {
                return serde_json::to_string(&hello_answer(id, protocol));
            }
            let [old, new] = VERSIONS;
            let message = format!("this speaks versions {old} and {new} of the protocol, not one of {protocols:?}");
            AdapterAnswer { id, status: AnswerStatus::Error { message } }
        }
        Ok(Request { id, op }) => AdapterAnswer { id, status: execute(&op) },
        Err(e) => {
            // The request's number may be there all the same.
            let id = serde_json::from_slice::<Value>(line).ok().and_then(|value| value["id"].as_u64());
            let message = format!("not a request: {e}");
            AdapterAnswer { id: id.unwrap_or_default(), status: AnswerStatus::Error { message } }
        }
    };
    serde_json::to_string(&status)
}

fn hello_answer(id: u64, protocol: u32) -> Hello {
    let names = || Format::all().map(|format| format.to_string());
    // What version 1 had.
    let is_known = |level: &Level| protocol >= 2 || *level != Level::Answers;
    let levels = [Level::Verdict, Level::Counts, Level::Answers, Level::Digest, Level::Listing];
    let counts = CountKind::ALL.into_iter().filter(|count| protocol >= 2 || *count != CountKind::HistogramBytes);
    let is_new = |facet: &Facet| matches!(facet, Facet::RootObjects | Facet::StringText);
    let facets = Facet::ALL.into_iter().filter(|facet| protocol >= 2 || !is_new(facet));
    let answers = AnswerPart::ALL.into_iter().filter(|part| protocol >= 2 && *part != AnswerPart::AnyPaths);
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
        readings: default_readings(protocol),
        omits: KnownNames::default(),
        heaps: true,
        converts: names()
            .flat_map(|from| {
                default_writers().map(move |to| DeclaredConversion {
                    from: from.clone(),
                    to,
                    loses: KnownNames::default(),
                    declares: Default::default(),
                })
            })
            .collect(),
        writes: default_writers().map(DeclaredWriter::from).collect(),
    }
}

/// The first choice of each reading, which this decoder follows; empty where readings cannot be declared.
fn default_readings(protocol: u32) -> BTreeMap<String, String> {
    let all = ambiguities().into_iter().filter(|_| protocol >= 2);
    let all = all.filter(|ambiguity| !READINGS.contains(&ambiguity.name));
    all.map(|ambiguity| (ambiguity.name.to_owned(), ambiguity.choices[0].name.to_owned())).collect()
}

/// Each format with its default writer.
fn default_writers() -> impl Iterator<Item = String> {
    let named =
        |format: Format| Some(format!("{format}/{}", Lowering::new(format, &WriteRequest::default()).ok()?.profile()));
    Format::all().filter_map(named)
}

/// The lowering of a format, or of a format and a profile.
fn parse_lowering(name: &str) -> Result<Lowering, Error> {
    let DumpTarget { format, profile } = name.parse()?;
    Lowering::new(format, &WriteRequest { profile, ..WriteRequest::default() })
}

fn execute(op: &RequestedOperation) -> AnswerStatus {
    let told = match op {
        RequestedOperation::Hello { .. } => Ok(Accepted::default()),
        RequestedOperation::Parse { path, heap, level, out, facets, buckets, bucket, .. } => {
            let wanted =
                facets.as_deref().map_or_else(FacetSelection::unordered, |facets| facets.iter().copied().collect());
            let wanted = ParseRequest {
                level: *level,
                out: out.as_deref(),
                facets: wanted.and(FacetSelection::unordered_with_texts()),
                buckets: buckets.unwrap_or_default(),
                bucket: *bucket,
            };
            parse(Path::new(path), *heap, &wanted)
        }
        RequestedOperation::Convert { path, to, out, .. } => convert(Path::new(path), to, Path::new(out)),
        RequestedOperation::Encode { path, format, out } => encode(Path::new(path), format, Path::new(out)),
    };
    match told {
        Ok(accepted) => AnswerStatus::Accept(Box::new(accepted)),
        Err(Error::Decode(e)) if !e.is_machine_fault() => {
            AnswerStatus::Reject { offset: Some(e.offset()), message: e.to_string() }
        }
        Err(e @ (Error::Lower(_) | Error::Listing(_))) => AnswerStatus::Reject { message: e.to_string(), offset: None },
        Err(e) => AnswerStatus::Error { message: e.to_string() },
    }
}

struct ParseRequest<'w> {
    level: Level,
    out: Option<&'w str>,
    facets: FacetSelection,
    buckets: bool,
    bucket: Option<u8>,
}

fn parse(path: &Path, heap: Option<u64>, wanted: &ParseRequest<'_>) -> Result<Accepted, Error> {
    let file = open_readable(path)?;
    if wanted.level == Level::Answers {
        let mut source = file.source()?;
        let number = select_heap(heap, source.heaps())?;
        let out = wanted.out.ok_or_else(|| missing_out(wanted.level))?;
        return write_answers(source.heap(number), Path::new(out));
    }
    if wanted.level != Level::Listing {
        // Nothing but the class table is held.
        let mut source = file.source()?;
        let number = select_heap(heap, source.heaps())?;
        if wanted.level != Level::Digest {
            return count_heap(&mut source, number, wanted.level);
        }
        let options = digest::DigestOptions::default().facets(wanted.facets).by_facet(true).bucket(wanted.bucket);
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
    let number = select_heap(heap, whole.dump.heaps.len())?;
    let heap = &whole.dump.heaps[number];
    let out = wanted.out.ok_or_else(|| missing_out(wanted.level))?;
    let mut head = listing::head(heap);
    head.format = Some(file.format()?.to_string());
    head.heap = (whole.dump.heaps.len() > 1).then_some(number as u64);
    write_file(Path::new(out), |output| listing::write(output, &head, heap, &whole.places[number]))?;
    Ok(Accepted::default())
}

fn missing_out(level: Level) -> Error {
    Error::Usage(format!("the level `{level}` requires `out`, the path of the file to write"))
}

/// Writes what follows from the references of a heap.
fn write_answers(source: &mut dyn HeapSource, out: &Path) -> Result<Accepted, Error> {
    let analysis = Analysis::new(EntryGraph::from_source(source, EdgeOptions::default())?);
    let (graph, distances) = (analysis.graph(), analysis.distances());
    let failed = |e: std::io::Error| Error::io(format!("writing {}", out.display()), e);
    write_file(out, |output| {
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
fn count_heap(source: &mut dyn DumpSource, number: usize, level: Level) -> Result<Accepted, Error> {
    let tally = ObjectTally::from_heap(source.heap(number))?;
    if level == Level::Verdict {
        return Ok(Accepted::default());
    }
    let strings = strings(source);
    let heap = &*source.heap(number);
    let histogram = tally.histogram(heap).into_iter();
    let of_class = |(class, of): (Name, ClassTally)| ClassCount {
        class: (&class).into(),
        objects: of.objects,
        bytes: (of.unsized_objects == 0).then_some(of.bytes),
    };
    Ok(Accepted {
        counts: Some(ObjectCounts { strings, ..tally.counts(heap) }),
        histogram: Some(histogram.map(of_class).collect()),
        ..Accepted::default()
    })
}

fn convert(path: &Path, to: &str, out: &Path) -> Result<Accepted, Error> {
    let lowering = parse_lowering(to)?;
    let file = open_readable(path)?;
    let mut source = file.source()?;
    let number = select_heap(None, source.heaps())?;
    let options = convert::ConvertOptions::new(&lowering);
    write_file(out, |output| convert::convert(source.heap(number), &options, output).map(|_| ()))?;
    Ok(Accepted::default())
}

fn encode(path: &Path, format: &str, out: &Path) -> Result<Accepted, Error> {
    let lowering = parse_lowering(format)?;
    let file = File::open(path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
    let mut heap: Heap = listing::read(BufReader::new(file))?.heap;
    write_file(out, |output| lowering.write(&mut (&mut heap as &mut dyn HeapSource), output))?;
    Ok(Accepted::default())
}

/// Opens a dump that is valid, or has only flaws that every known reader tolerates.
fn open_readable(path: &Path) -> Result<DumpFile, Error> {
    let input = Input::open(path)?;
    if let Some(error) = unsound(&input, ReadOptions::default())? {
        return Err(error.into());
    }
    DumpFile::new(input, ReadOptions::default())
}

fn select_heap(asked: Option<u64>, heaps: usize) -> Result<usize, Error> {
    match asked {
        Some(number) if number < heaps as u64 => Ok(number as usize),
        None if heaps == 1 => Ok(0),
        _ => Err(Error::Usage(format!("the dump has {heaps} heaps, and `heap` names none of them"))),
    }
}

fn write_file(out: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<(), Error> {
    let failed = |e| Error::io(format!("writing {}", out.display()), e);
    let mut output = BufWriter::new(File::create(out).map_err(failed)?);
    write(&mut output)?;
    output.flush().map_err(failed)
}
