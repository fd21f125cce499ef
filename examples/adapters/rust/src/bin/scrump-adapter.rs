//! An adapter for the library `scrump-format-hprof`, which finds what a dump holds to be searched and blotted out.
//!
//! It cuts a dump into its top-level records and looks into none but STRING, so that the texts are all that it tells.

use std::collections::HashSet;
use std::io;

use hprof_adapters::{Accepted, Failure, Parse, object, serve};
use scrump_core::{ChunkOrigin, Format, ScrumpError};
use scrump_format_hprof::Hprof;
use serde_json::json;

fn main() -> io::Result<()> {
    let hello = object(json!({
        "name": "scrump-format-hprof",
        "version": "0.2.0",
        "language": "Rust",
        "reads": ["hprof"],
        "levels": ["counts", "verdict"],
        "counts": ["strings"],
    }));
    serve(&hello, parse)
}

fn parse(question: &Parse) -> Result<Accepted, Failure> {
    let dump = Hprof::open_path(&question.path).map_err(|error| match error {
        ScrumpError::Io(error) => Failure::from(error),
        other => Failure::refused(other),
    })?;
    if question.level == "verdict" {
        return Ok(Accepted::new());
    }
    // The library hands out a STRING record whole, after its text; an empty text has nothing to search and is left out.
    let mut texts: HashSet<&[u8]> = HashSet::new();
    let mut told = false;
    for chunk in dump.chunks() {
        match chunk.origin {
            ChunkOrigin::StringTable(_) => {
                texts.insert(chunk.bytes);
                told = true;
            }
            ChunkOrigin::Section(name) if name == "hprof.HPROF_UTF8" => {
                if !told {
                    texts.insert(b"");
                }
                told = false;
            }
            _ => {}
        }
    }
    Ok(object(json!({ "counts": { "strings": texts.len() } })))
}
