//! A damaged input, decompressed as far as it can be.

use std::io::{self, BufRead, BufReader, Read};

use crate::error::Error;
use crate::input::Input;

use super::{FaultKind, SalvageFault, SalvageReport};

/// A damaged input that can be read at any place.
#[derive(Debug)]
pub struct SalvageInput {
    /// The bytes: the input's own, or a copy of what could be decompressed.
    pub input: Input,
    /// The error at which decompression stopped.
    pub cut: Option<String>,
    /// The damage by a transfer as text that was undone, and what that rests on.
    pub text: Option<(FaultKind, String)>,
}

impl SalvageInput {
    /// Takes what was wrong with the file as a whole into the report on its dump.
    pub fn add_to(&self, report: &mut SalvageReport) {
        if let Some((kind, rests_on)) = &self.text {
            report.faults.insert(0, SalvageFault { offset: 0, end: 0, kind: kind.clone(), rests_on: rests_on.clone() });
            report.changes.insert(0, "the translation is undone; offsets are those of the result".to_owned());
        }
        if let Some(error) = &self.cut {
            let (offset, rests_on) = (report.bytes, error.clone());
            report.faults.push(SalvageFault { offset, end: offset, kind: FaultKind::Compression, rests_on });
        }
    }
}

/// A stream that ends at its first error, which is kept.
struct UpToError<'e, R> {
    source: R,
    error: &'e mut Option<String>,
}

impl<R: Read> Read for UpToError<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e)
                if e.kind() == io::ErrorKind::InvalidData
                    || e.kind() == io::ErrorKind::InvalidInput
                    || e.kind() == io::ErrorKind::UnexpectedEof =>
            {
                *self.error = Some(e.to_string());
                Ok(0)
            }
            other => other,
        }
    }
}

/// Opens an input of which the end of a compressed stream may be missing, or that was transferred as text. What is not read as
/// it stands is copied to a temporary file without a name.
///
/// # Errors
/// If the input cannot be read, or not be copied.
pub fn open_damaged(input: &Input) -> Result<SalvageInput, Error> {
    let mut cut = None;
    let mut plain = input.clone();
    if input.is_compressed() {
        let stream = UpToError { source: input.stream()?, error: &mut cut };
        plain = Input::spool_within_limit(input.name(), stream)?;
    }
    let text = text_damage(&plain)?;
    if let Some((kind, _)) = &text {
        let stream = BufReader::new(plain.stream()?);
        plain = match kind {
            FaultKind::LineEnds => Input::spool_within_limit(input.name(), LineFeeds { source: stream })?,
            _ => Input::spool_within_limit(input.name(), Characters { source: stream })?,
        };
    }
    Ok(SalvageInput { input: plain, cut, text })
}

/// A stream in which each carriage return before a line feed is taken out: exactly those that a translation of line ends put in,
/// since it put one before every line feed.
struct LineFeeds<R> {
    source: R,
}

impl<R: BufRead> Read for LineFeeds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        while count < buffer.len() {
            let Some(first) = next_byte(&mut self.source)? else { break };
            let is_put_in = first == b'\r' && self.source.fill_buf()?.first() == Some(&b'\n');
            if !is_put_in {
                buffer[count] = first;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// A stream of UTF-8 as the bytes that were taken for characters; one that was lost in this way is a zero.
struct Characters<R> {
    source: R,
}

impl<R: BufRead> Read for Characters<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        while count < buffer.len() {
            let Some(first) = next_byte(&mut self.source)? else { break };
            let following = match first {
                0..0xc0 => 0,
                0xc0..0xe0 => 1,
                0xe0..0xf0 => 2,
                0xf0.. => 3,
            };
            let mut value = u32::from(if following == 0 { first } else { first & (0x3f >> following) });
            for _ in 0..following {
                value = value << 6 | u32::from(next_byte(&mut self.source)?.unwrap_or_default() & 0x3f);
            }
            buffer[count] = u8::try_from(value).unwrap_or_default();
            count += 1;
        }
        Ok(count)
    }
}

fn next_byte(source: &mut impl BufRead) -> io::Result<Option<u8>> {
    let first = source.fill_buf()?.first().copied();
    source.consume(usize::from(first.is_some()));
    Ok(first)
}

/// Bytes from which damage by a transfer as text is told.
const SAMPLE: u64 = 4 << 20;
/// The fewest characters that tell it.
const TELLING: usize = 16;

/// Damage of a whole file by a transfer as text, by its first bytes: the kind, and what that rests on.
///
/// # Errors
/// If the input cannot be read.
fn text_damage(input: &Input) -> Result<Option<(FaultKind, String)>, Error> {
    let mut sample = Vec::new();
    let read = input.stream()?.take(SAMPLE).read_to_end(&mut sample);
    read.map_err(|e| Error::io(format!("reading {}", input.name()), e))?;
    let feeds: Vec<usize> = sample.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    let with_return = feeds.iter().filter(|at| **at > 0 && sample[**at - 1] == b'\r').count();
    let is_binary = sample.contains(&0);
    if is_binary && feeds.len() >= TELLING && with_return == feeds.len() {
        let rests_on = format!("each of {} line feeds follows a carriage return", feeds.len());
        return Ok(Some((FaultKind::LineEnds, rests_on)));
    }
    let high = sample.iter().filter(|byte| **byte >= 0x80).count();
    // The last character may be cut.
    let whole = &sample[..sample.len() - sample.len().min(3)];
    let is_text = match std::str::from_utf8(whole) {
        Ok(_) => true,
        Err(e) => e.valid_up_to() + 4 > whole.len(),
    };
    if is_binary && is_text && high >= 2 * TELLING {
        let rests_on = format!("all {high} bytes above 7f are characters of UTF-8");
        return Ok(Some((FaultKind::Recoded, rests_on)));
    }
    Ok(None)
}
