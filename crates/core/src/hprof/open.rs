//! The family HPROF by its name, its format, and opening an input, with a second look at it where the bytes at hand do not decide.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{DecodeError, Error};
use crate::family::{Family, Format, Opener, Opening};
use crate::input::{Input, InputStream};
use crate::model::count_step;
use crate::model::long::ReadAt;

use super::decode::{Decoder, Lookahead, ResumePoint};
use super::lift::Reopen;
use super::wire::{HEAD, Header};

/// The family.
pub const FAMILY: Family = Family::new(&Hprof);

/// The format. The version in a header is its writer's choice.
pub const FORMAT: Format = Format::new(FAMILY, 0);

/// The type that stands for the family.
pub(super) struct Hprof;

/// A decoder at the start of a dump.
///
/// # Errors
/// If the stream does not begin with an HPROF header, or cannot be read.
pub fn open(opening: Opening) -> Result<Decoder<InputStream>, DecodeError> {
    let look = opening.input.clone().map(|input| InputLookahead::new(input, opening.stream.length()));
    open_with(opening, look.map(|look| Box::new(look) as Box<dyn Lookahead>))
}

fn open_with(opening: Opening, look: Option<Box<dyn Lookahead>>) -> Result<Decoder<InputStream>, DecodeError> {
    let (allowed, reading, length) = (opening.allowed(), opening.reading, opening.stream.length());
    Ok(Decoder::with_length(opening.stream, length)?.with_reading(reading, look).allowing(allowed))
}

/// Opens the dump of an input any number of times. What was found out about it is shared by all.
#[derive(Clone, Debug)]
pub(super) struct HprofOpener {
    opener: Opener,
    look: SharedLookahead,
}

impl HprofOpener {
    pub(super) fn new(opener: &Opener) -> HprofOpener {
        let length = (!opener.input.is_compressed() && !opener.input.is_generated()).then(|| opener.input.length());
        let look = InputLookahead::new(opener.input.clone(), length);
        HprofOpener { opener: opener.clone(), look: SharedLookahead(Arc::new(Mutex::new(look))) }
    }
}

impl Reopen for HprofOpener {
    type DumpReader = InputStream;

    fn open_start(&mut self) -> Result<Decoder<InputStream>, Error> {
        Ok(open_with(self.opener.open()?, Some(Box::new(self.look.clone())))?)
    }

    fn open_at(&mut self, header: &Header, place: ResumePoint) -> Result<Option<Decoder<InputStream>>, Error> {
        let failed = |e| Error::io(format!("reading {}", self.opener.input.name()), e);
        let Some(plain) = self.look.lock().plain_input().map_err(failed)? else { return Ok(None) };
        let Opener { input, reading } = &self.opener;
        let decoder = Decoder::resume(plain.stream_at(place.offset)?, *header, place);
        let decoder = decoder.with_reading(*reading, Some(Box::new(self.look.clone())));
        Ok(Some(decoder.allowing(reading.allowed(Some(input)))))
    }
}

/// A second look for several decoders.
#[derive(Clone, Debug)]
struct SharedLookahead(Arc<Mutex<InputLookahead>>);

impl SharedLookahead {
    fn lock(&self) -> MutexGuard<'_, InputLookahead> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lookahead for SharedLookahead {
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>> {
        self.lock().length(at_least)
    }

    fn chains(&mut self, offset: u64) -> io::Result<bool> {
        self.lock().chains(offset)
    }
}

/// Looks further ahead in an input. A file may ask for that at each of its records, so what was found out is kept: a look ends
/// where it meets the way of an earlier one.
#[derive(Debug)]
struct InputLookahead {
    input: Input,
    length: Option<u64>,
    /// The input where it is a plain file, else a copy of it, once there were some looks.
    plain: Option<Input>,
    heads: Option<RecordHeads>,
    looks: u32,
    /// Every 64th record on the ways that do not end where the file does.
    astray: HashSet<u64>,
}

impl InputLookahead {
    fn new(input: Input, length: Option<u64>) -> InputLookahead {
        InputLookahead { input, length, plain: None, heads: None, looks: 0, astray: HashSet::new() }
    }

    fn measure_length(&mut self) -> io::Result<u64> {
        match self.length {
            Some(length) => Ok(length),
            None => {
                let mut stream = self.input.stream().map_err(io::Error::other)?;
                let length = io::copy(&mut stream, &mut io::sink())?;
                self.length = Some(length);
                Ok(length)
            }
        }
    }

    /// The bytes as a plain file: of another input only after some looks, since that takes a copy.
    fn plain_input(&mut self) -> io::Result<Option<Input>> {
        self.looks = self.looks.saturating_add(1);
        if self.plain.is_none() {
            if self.input.original().is_some() {
                self.plain = Some(self.input.clone());
            } else if self.looks > LOOKS {
                let mut stream = self.input.stream().map_err(io::Error::other)?;
                self.plain = Some(Input::spool(self.input.name(), &mut stream).map_err(io::Error::other)?);
            }
        }
        Ok(self.plain.clone())
    }

    /// Heads of records at any place, where there is a plain file.
    fn heads(&mut self) -> io::Result<Option<&mut RecordHeads>> {
        if self.heads.is_none() {
            let original = self.plain_input()?.and_then(|plain| plain.original());
            self.heads = original.map(|original| RecordHeads { original, at: 0, bytes: Vec::new() });
        }
        Ok(self.heads.as_mut())
    }
}

impl Lookahead for InputLookahead {
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>> {
        // Decompressing everything is worth it only where the result could matter.
        let possible = self.input.length().saturating_mul(MAX_EXPANSION);
        if self.length.is_none() && possible < at_least { Ok(None) } else { self.measure_length().map(Some) }
    }

    fn chains(&mut self, offset: u64) -> io::Result<bool> {
        let length = self.measure_length()?;
        let mut stream = match self.heads()? {
            Some(_) => None,
            None => Some(self.input.stream_from(offset)?),
        };
        let (mut at, mut hops, mut way) = (offset, 0_u64, Vec::new());
        while at < length && length - at >= HEAD as u64 && !self.astray.contains(&at) {
            if hops.is_multiple_of(64) {
                way.push(at);
            }
            let head = match (&mut stream, &mut self.heads) {
                (None, Some(heads)) => heads.head_at(at)?,
                (Some(stream), _) => {
                    let mut head = [0; HEAD];
                    stream.read_exact(&mut head)?;
                    head
                }
                (None, None) => return Ok(false),
            };
            count_step();
            let [.., a, b, c, d] = head;
            let body = u64::from(u32::from_be_bytes([a, b, c, d]));
            at += HEAD as u64 + body;
            hops += 1;
            if let Some(stream) = stream.as_mut().filter(|_| at < length) {
                stream.skip(body)?;
            }
        }
        if at != length {
            self.astray.extend(way);
        }
        Ok(at == length)
    }
}

/// The heads of records, for looks that go forward.
#[derive(Debug)]
struct RecordHeads {
    original: Arc<dyn ReadAt>,
    /// The place of the bytes at hand.
    at: u64,
    bytes: Vec<u8>,
}

impl RecordHeads {
    fn head_at(&mut self, offset: u64) -> io::Result<[u8; HEAD]> {
        let at_hand = |heads: &RecordHeads| -> Option<[u8; HEAD]> {
            let from = usize::try_from(offset.checked_sub(heads.at)?).ok()?;
            heads.bytes.get(from..)?.first_chunk().copied()
        };
        if let Some(head) = at_hand(self) {
            return Ok(head);
        }
        self.at = offset;
        self.bytes.resize(AT_HAND, 0);
        let mut have = 0;
        while have < HEAD {
            match self.original.read_at(&mut self.bytes[have..], offset + have as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => have += count,
            }
        }
        self.bytes.truncate(have);
        at_hand(self).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Bytes of an input that are read at once for the heads in them.
const AT_HAND: usize = 16 * 1024;
/// Looks for which a dump that is no plain file is read again.
const LOOKS: u32 = 4;

/// Deflate makes at most 1032 bytes of one (a match of 258 bytes in 2 bits), and some for the frame.
const MAX_EXPANSION: u64 = 1040;
