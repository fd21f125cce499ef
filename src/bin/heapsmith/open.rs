//! Opening what the command line names.

use std::io::{BufReader, Read};
use std::path::Path;

use heapsmith::compare::listing::{self, Listing};
use heapsmith::error::{DecodeError, Error};
use heapsmith::input::{Input, Stream};
use heapsmith::model::Heap;
use heapsmith::phd::{Decoder, lift};

use crate::terminal;

/// A decoder at the start of an input, with a progress bar on long ones.
pub(crate) fn decoder(input: &Input) -> Result<Decoder<Stream>, Error> {
    let stream = stream(input)?;
    let length = stream.length();
    Ok(Decoder::with_length(stream, length)?)
}

/// A decoder that reads once, standard input as it comes.
pub(crate) fn decoder_once(path: &Path) -> Result<Decoder<Stream>, Error> {
    if path == Path::new("-") {
        return Ok(Decoder::new(Stream::stdin()?)?);
    }
    decoder(&Input::open(path)?)
}

fn stream(input: &Input) -> Result<Stream, Error> {
    let bar = terminal::progress(input.length(), input.name());
    input.stream_through(|raw| terminal::watched(bar, raw))
}

/// Says on standard error that the end tag is missing, or gives the error back.
pub(crate) fn tolerate_missing_end(name: &str, ended: Result<(), Error>) -> Result<(), Error> {
    match ended {
        Err(Error::Decode(e)) if e.is_missing_end() => {
            terminal::warning(&format!("{name}: {e}"));
            Ok(())
        }
        other => other,
    }
}

/// A whole heap, from a dump or from a listing.
pub(crate) fn heap(path: &Path) -> Result<Heap, Error> {
    let input = Input::open(path)?;
    let mut start = [0];
    let mut peek = stream(&input)?;
    let read = peek.read(&mut start).map_err(|e| Error::io(format!("reading {}", input.name()), e))?;
    if read == 1 && start == *b"{" {
        return listing(&input).map(|listing| listing.heap);
    }
    let (heap, ended) = lift::heap(&mut decoder(&input)?);
    tolerate_missing_end(input.name(), ended.map(|_| ()).map_err(named))?;
    Ok(heap)
}

/// A listing.
pub(crate) fn listing(input: &Input) -> Result<Listing, Error> {
    listing::read(BufReader::new(stream(input)?))
}

fn named(error: DecodeError) -> Error {
    error.into()
}
