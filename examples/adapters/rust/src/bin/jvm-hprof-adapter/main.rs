//! An adapter for the library `jvm-hprof`: a listing of all that it tells.
//!
//! The library has no notion of several heaps in one file, and gives no access to START THREAD, constant pools and the
//! records of statistics; so their facets are not declared. What it calls an error is a refusal. It panics on what it
//! does not know, which its documentation does not call an answer, and so the process ends.

mod lines;
mod tables;
mod text;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};

use hprof_adapters::{Accepted, Failure, Hello, Parse, object, serve};
use jvm_hprof::heap_dump::SubRecord;
use jvm_hprof::{Hprof, Record, parse_hprof};
use serde_json::{Value, json};

use tables::Tables;

fn main() -> io::Result<()> {
    serve(&hello(), parse)
}

fn hello() -> Hello {
    object(json!({
        "name": "jvm-hprof",
        "version": "0.1.0",
        "language": "Rust",
        "reads": ["hprof"],
        "levels": ["listing", "verdict"],
        "facets": [
            "identifier-size", "header-version", "time-stamp", "dump-times", "address", "kind", "class-name",
            "superclass", "loader", "signers", "protection-domain", "instance-size", "fields", "statics",
            "class-serial", "class-trace", "class", "array-length", "field-values", "elements", "primitive-contents",
            "object-trace", "roots", "stack-traces", "record-order", "root-order", "strings",
        ],
    }))
}

fn parse(question: &Parse) -> Result<Accepted, Failure> {
    let bytes = fs::read(&question.path)?;
    let dump = Dump::open(&bytes)?;
    let tables = Tables::read(&dump)?;
    if question.level == "verdict" {
        // A refusal may come only when values are asked for.
        write(&dump, &tables, io::sink())?;
    } else {
        write(&dump, &tables, BufWriter::new(File::create_new(&question.out)?))?;
    }
    Ok(Accepted::new())
}

/// A line for each fact, in the order of the file, which says so that `record-order` needs no numbers.
fn write(dump: &Dump<'_>, tables: &Tables<'_>, mut out: impl Write) -> Result<(), Failure> {
    let mut line = |value: Value| -> Result<(), Failure> {
        serde_json::to_writer(&mut out, &value).map_err(io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    };
    line(lines::head(dump, tables)?)?;
    for trace in tables.traces.values() {
        line(lines::trace(dump, tables, trace)?)?;
    }
    let mut after = 0_u64;
    let mut extent = tables::Extent::default();
    for record in dump.records() {
        let record = record?;
        extent.pass(record.tag());
        if let Some(text) = record.as_utf_8().filter(|_| !extent.is_over) {
            line(lines::text(&dump.checked(text)?, record.micros_since_header_ts(), after))?;
        }
        for sub_record in dump.sub_records(&record)? {
            match sub_record? {
                SubRecord::Class(class) => line(lines::class(dump, tables, &class)?)?,
                SubRecord::Instance(instance) => line(lines::instance(dump, tables, &instance)?)?,
                SubRecord::ObjectArray(array) => line(lines::object_array(dump, &array)?)?,
                SubRecord::PrimitiveArray(array) => line(lines::primitive_array(dump, &array)?)?,
                root => {
                    line(lines::root(&root, after))?;
                    continue;
                }
            }
            after += 1;
        }
    }
    Ok(out.flush()?)
}

/// The library's error.
type Error<'a> = nom::Err<(&'a [u8], nom::error::ErrorKind)>;

struct Dump<'a> {
    bytes: &'a [u8],
    hprof: Hprof<'a>,
}

impl<'a> Dump<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, Failure> {
        let hprof = parse_hprof(bytes).map_err(|error| refusal(bytes, error))?;
        Ok(Self { bytes, hprof })
    }

    fn checked<T>(&self, result: Result<T, Error<'_>>) -> Result<T, Failure> {
        result.map_err(|error| refusal(self.bytes, error))
    }

    fn records(&self) -> impl Iterator<Item = Result<Record<'a>, Failure>> {
        self.hprof.records_iter().map(|record| self.checked(record))
    }

    /// None, unless it is a record of a heap.
    fn sub_records<'r>(
        &'r self,
        record: &Record<'a>,
    ) -> Result<impl Iterator<Item = Result<SubRecord<'a>, Failure>> + use<'a, 'r>, Failure> {
        let segment = record.as_heap_dump_segment().map(|segment| self.checked(segment)).transpose()?;
        let sub_records = segment.map(|segment| segment.sub_records());
        // The iterator repeats an error for ever; a caller that gets one goes no further.
        Ok(sub_records.into_iter().flatten().map(|sub_record| self.checked(sub_record)))
    }
}

/// The error carries all bytes that were left; where they begin tells the offset.
fn refusal(bytes: &[u8], error: Error<'_>) -> Failure {
    match error {
        nom::Err::Incomplete(_) => Failure::refused("more bytes are needed"),
        nom::Err::Error((rest, kind)) | nom::Err::Failure((rest, kind)) => {
            let offset = rest.as_ptr().addr() - bytes.as_ptr().addr();
            Failure::Refused { message: format!("{kind:?}"), offset: Some(offset) }
        }
    }
}
