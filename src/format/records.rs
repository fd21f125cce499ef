//! The records of a dump that is read once, from its start to its end.

use std::io::Write;

use crate::bytes::ebcdic::Mapped;
use crate::error::{DecodeError, Error};
use crate::hprof::Reading;
use crate::input::Stream;
use crate::{classic, hprof, phd};

use super::{DumpFile, Family};

/// A dump at its start, in any format. Standard input is read as it comes.
#[derive(Debug)]
pub enum Records {
    /// A PHD.
    Phd(phd::Decoder<Stream>),
    /// An HPROF dump.
    Hprof(hprof::Decoder<Stream>),
    /// A classic heap dump.
    Classic(classic::Decoder<Stream>),
}

impl Records {
    /// A stream, told by its first bytes as [`DumpFile`] tells a file.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn new(mut stream: Stream, reading: Reading) -> Result<Records, Error> {
        let start = stream.peek(Family::START).map_err(|e| Error::io("reading the dump", e))?;
        Ok(match Family::of(&start).unwrap_or_else(|| Family::guess(&start)) {
            Family::Phd => Records::Phd(phd::Decoder::new(stream)?),
            Family::Hprof => Records::Hprof(hprof::Decoder::new(stream)?.with_reading(reading, None)),
            Family::Classic => Records::Classic(classic::Decoder::new(stream)?),
        })
    }

    /// Writes every record as it is spelled: the same bytes. Gives back the error of a missing end, which readers
    /// tolerate: what was there is written then.
    ///
    /// # Errors
    /// If the dump cannot be read, or writing fails.
    pub fn copy(self, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
        match self {
            Records::Phd(decoder) => copy_phd(decoder, out),
            Records::Hprof(decoder) => copy_hprof(decoder, out).map(|()| None),
            Records::Classic(decoder) => copy_classic(decoder, out),
        }
    }
}

impl DumpFile {
    /// The records, from the start.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn records(&self) -> Result<Records, Error> {
        Ok(match self.family() {
            Family::Phd => Records::Phd(self.phd()?),
            Family::Hprof => Records::Hprof(self.hprof()?),
            Family::Classic => Records::Classic(self.classic()?),
        })
    }
}

fn copy_phd(mut decoder: phd::Decoder<Stream>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
    let mut buffer = Vec::new();
    phd::encode::header(&mut buffer, decoder.header())?;
    let layout = decoder.layout();
    let ended = decoder.visit(|located| {
        phd::encode::record(&mut buffer, layout, located.record)?;
        flush_if_full(&mut buffer, out)
    });
    let missing = missing_end(ended.map(|_| phd::encode::end(&mut buffer)))?;
    out.write_all(&buffer).map_err(failed)?;
    decoder.visit_trailing(|piece| out.write_all(piece).map_err(failed))?;
    Ok(missing)
}

fn copy_hprof(mut decoder: hprof::Decoder<Stream>, out: &mut dyn Write) -> Result<(), Error> {
    use hprof::Step;

    let mut buffer = Vec::new();
    hprof::encode::header(&mut buffer, decoder.header());
    let id = decoder.header().id_size;
    decoder.visit(|step| {
        match step {
            Step::Record(at, record) => hprof::encode::record(&mut buffer, id, record, at.rest)?,
            Step::Segment(_, segment) => hprof::encode::segment(&mut buffer, &segment),
            Step::Sub(_, sub_record) => hprof::encode::sub_record(&mut buffer, id, sub_record)?,
            Step::More(at) => buffer.extend_from_slice(at.bytes),
            Step::SegmentEnd(_) => {}
        }
        flush_if_full(&mut buffer, out)
    })?;
    out.write_all(&buffer).map_err(failed)
}

fn copy_classic(mut decoder: classic::Decoder<Stream>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
    let mut buffer = Vec::new();
    let mut out = Mapped::new(out, decoder.encoding().inverse());
    let ended = decoder.visit(|step| {
        match step {
            classic::Step::Record(_, record) => classic::encode::record(&mut buffer, &record),
            classic::Step::More(_, references) => classic::encode::references(&mut buffer, &references),
        }
        flush_if_full(&mut buffer, &mut out)
    });
    let missing = missing_end(ended.map(|_| ()))?;
    out.write_all(&buffer).map_err(failed)?;
    Ok(missing)
}

fn missing_end(ended: Result<(), Error>) -> Result<Option<DecodeError>, Error> {
    match ended {
        Ok(()) => Ok(None),
        Err(Error::Decode(error)) if error.is_missing_end() => Ok(Some(error)),
        Err(error) => Err(error),
    }
}

fn flush_if_full(buffer: &mut Vec<u8>, out: &mut dyn Write) -> Result<(), Error> {
    if buffer.len() >= 1 << 16 {
        out.write_all(buffer).map_err(failed)?;
        buffer.clear();
    }
    Ok(())
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing the dump", error)
}
