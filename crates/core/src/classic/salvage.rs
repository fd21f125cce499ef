//! The sound part of a damaged classic heap dump: entries whose lines are whole.

use std::io::Write;
use std::ops::Range;

use crate::error::{DecodeError, Error};
use crate::input::Input;
use crate::model::{AddressSet, count_step};
use crate::salvage::bytes::DumpBytes;
use crate::salvage::{FaultKind, FoundDump, SalvageFault, SalvageOptions, SalvageReport};

use super::decode::Decoder;
use super::open::FORMAT;
use super::wire::{Charset, Encoding, START};

/// Bytes of a line that are looked at to tell what it is: an address, a size, a kind and the start of a name.
const TELLING: usize = 4096;
/// The fewest zeros that are a hole.
const HOLE: u64 = 64;

/// Finds what is wrong with a dump, and writes what is sound to `out`, if there is one.
///
/// # Errors
/// If the input cannot be read, is in EBCDIC, or writing fails.
pub(super) fn salvage(
    input: &Input,
    options: &SalvageOptions,
    out: Option<&mut dyn Write>,
) -> Result<SalvageReport, Error> {
    let mut bytes = DumpBytes::new(input)?;
    if Encoding::detect(bytes.at(0, START)?).is_none_or(|encoding| encoding.charset != Charset::Utf8) {
        let message = format!("{} is no classic heap dump in ASCII or UTF-8; only these are salvaged", input.name());
        return Err(Error::Usage(message));
    }
    let mut report =
        SalvageReport { schema: 1, format: FORMAT.to_string(), bytes: bytes.length(), ..SalvageReport::default() };
    report.part = options.part as u64;
    let mut plan = None;
    let mut from = 0;
    loop {
        let is_kept = report.dumps.len() == options.part;
        let lines = SoundLines::find(&mut bytes, from, if is_kept { Some(&mut report) } else { None })?;
        report.dumps.push(FoundDump { offset: from, bytes: lines.end - from });
        from = lines.end;
        if is_kept {
            plan = Some(lines);
        }
        if from >= bytes.length() {
            break;
        }
    }
    let Some(plan) = plan else {
        let (name, dumps) = (input.name(), report.dumps.len());
        return Err(Error::Usage(format!("{name} has {dumps} dumps; choose one from 0 to {}", dumps - 1)));
    };
    if plan.kept.is_empty() {
        return Err(Error::Usage(format!("{} has no line that could be kept", input.name())));
    }
    let is_whole = report.lost_bytes == 0 && report.duplicates == 0;
    if !is_whole && !plan.trailers.is_empty() {
        report.changes.push("the trailers are left out: their totals are those of the whole dump".to_owned());
    }
    if let Some(out) = out {
        for place in &plan.kept {
            let is_trailer = plan.trailers.contains(place);
            if is_whole || !is_trailer {
                copy(&mut bytes, place.clone(), out)?;
            }
        }
    }
    Ok(report)
}

fn copy(bytes: &mut DumpBytes, place: Range<u64>, out: &mut dyn Write) -> Result<(), Error> {
    let mut at = place.start;
    while at < place.end {
        let slice = bytes.at(at, (place.end - at).min(64 << 10) as usize)?;
        if slice.is_empty() {
            return Err(Error::Usage("the input has become shorter".to_owned()));
        }
        out.write_all(slice).map_err(|e| Error::io("writing the dump", e))?;
        at += slice.len() as u64;
    }
    Ok(())
}

/// A line by what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Version,
    Trailer,
    Comment,
    /// An object or a class, with its address.
    Entry {
        address: u64,
        is_class: bool,
    },
    /// References, or white space.
    References,
    Unsound,
}

/// The lines of a dump that are kept.
#[derive(Debug, Default)]
struct SoundLines {
    /// Stretches in their order. A trailer is one of its own.
    kept: Vec<Range<u64>>,
    trailers: Vec<Range<u64>>,
    /// The offset after the dump.
    end: u64,
}

/// An entry whose lines are not all seen yet.
#[derive(Clone, Copy, Debug)]
struct OpenEntry {
    start: u64,
    address: u64,
    is_class: bool,
    is_sound: bool,
    has_references: bool,
}

/// Takes lines together as entries.
struct LineSifter<'s> {
    lines: SoundLines,
    entry: Option<OpenEntry>,
    seen: AddressSet,
    /// Where lines that are left out begin.
    lost: Option<u64>,
    report: Option<&'s mut SalvageReport>,
}

impl SoundLines {
    fn find(bytes: &mut DumpBytes, from: u64, report: Option<&mut SalvageReport>) -> Result<SoundLines, Error> {
        let mut sifter =
            LineSifter { lines: SoundLines::default(), entry: None, seen: AddressSet::default(), lost: None, report };
        let (mut at, mut is_first, length) = (from, true, bytes.length());
        while at < length {
            count_step();
            let (next, kind, is_whole) = measure_line(bytes, at)?;
            if kind == LineKind::Version && !is_first {
                break;
            }
            is_first = is_first && matches!(kind, LineKind::References);
            sifter.record_line(bytes, at, next, kind, is_whole)?;
            at = next;
        }
        sifter.close_entry(bytes, at)?;
        sifter.close_gap(bytes, at)?;
        sifter.lines.end = at;
        Ok(sifter.lines)
    }
}

impl LineSifter<'_> {
    fn record_line(
        &mut self,
        bytes: &mut DumpBytes,
        at: u64,
        next: u64,
        kind: LineKind,
        is_whole: bool,
    ) -> Result<(), Error> {
        match kind {
            // The last line of a cut text: an entry has lost its references, or some of them.
            LineKind::References | LineKind::Unsound if !is_whole => {
                if let Some(entry) = &mut self.entry {
                    entry.is_sound = false;
                }
                self.close_entry(bytes, at)?;
                self.lost.get_or_insert(at);
            }
            _ if !is_whole => {
                self.close_entry(bytes, at)?;
                self.lost.get_or_insert(at);
            }
            LineKind::References => match &mut self.entry {
                Some(entry) => entry.has_references = true,
                // White space before the first entry; else references whose entry is lost.
                None if self.lost.is_none() && self.lines.kept.is_empty() => self.keep(at..next),
                None => _ = self.lost.get_or_insert(at),
            },
            LineKind::Unsound => match &mut self.entry {
                Some(entry) => entry.is_sound = false,
                None => {
                    self.close_entry(bytes, at)?;
                    self.lost.get_or_insert(at);
                }
            },
            LineKind::Entry { address, is_class } => {
                self.close_entry(bytes, at)?;
                self.entry = Some(OpenEntry { start: at, address, is_class, is_sound: true, has_references: false });
            }
            LineKind::Version | LineKind::Trailer | LineKind::Comment => {
                self.close_entry(bytes, at)?;
                self.close_gap(bytes, at)?;
                if kind == LineKind::Trailer {
                    self.lines.trailers.push(at..next);
                    self.lines.kept.push(at..next);
                } else {
                    self.keep(at..next);
                }
            }
        }
        Ok(())
    }

    /// Ends the entry that is open. The last one of a cut text may lack references.
    fn close_entry(&mut self, bytes: &mut DumpBytes, end: u64) -> Result<(), Error> {
        let Some(entry) = self.entry.take() else { return Ok(()) };
        // Every writer has a line of references, be it empty; one that is missing is lost.
        if !entry.is_sound || !entry.has_references {
            self.lost.get_or_insert(entry.start);
            return Ok(());
        }
        self.close_gap(bytes, entry.start)?;
        if !self.seen.insert(entry.address) {
            if let Some(report) = self.report.as_deref_mut() {
                report.duplicates += 1;
            }
            return Ok(());
        }
        if let Some(report) = self.report.as_deref_mut() {
            if entry.is_class { report.kept.classes += 1 } else { report.kept.objects += 1 }
        }
        self.keep(entry.start..end);
        Ok(())
    }

    fn close_gap(&mut self, bytes: &mut DumpBytes, end: u64) -> Result<(), Error> {
        let Some(offset) = self.lost.take() else { return Ok(()) };
        let Some(report) = self.report.as_deref_mut() else { return Ok(()) };
        let zeros = find_zeros(bytes, offset, end)?;
        let kind = match zeros {
            Some((from, to)) => FaultKind::Zeros { from, to },
            None if end == report.bytes => FaultKind::CutShort,
            None => FaultKind::Unreadable,
        };
        report.lost_bytes += end - offset;
        let rests_on = "the next line is that of an entry or a comment".to_owned();
        report.push(SalvageFault { offset, end, kind, rests_on });
        Ok(())
    }

    fn keep(&mut self, place: Range<u64>) {
        let is_trailer = |place: &Range<u64>| self.lines.trailers.contains(place);
        match self.lines.kept.last_mut() {
            Some(before) if before.end == place.start && !is_trailer(before) => before.end = place.end,
            _ => self.lines.kept.push(place),
        }
    }
}

/// The first hole of zeros between two offsets.
fn find_zeros(bytes: &mut DumpBytes, from: u64, to: u64) -> Result<Option<(u64, u64)>, Error> {
    let (mut at, mut start) = (from, None);
    while at < to {
        let slice = bytes.at(at, (to - at).min(4096) as usize)?;
        if slice.is_empty() {
            break;
        }
        for (index, byte) in slice.iter().enumerate() {
            let place = at + index as u64;
            match (byte, start) {
                (0, None) => start = Some(place),
                (0, Some(_)) => {}
                (_, Some(first)) if place - first >= HOLE => return Ok(Some((first, place))),
                _ => start = None,
            }
        }
        at += slice.len() as u64;
    }
    Ok(start.filter(|first| at - first >= HOLE).map(|first| (first, at)))
}

/// The offset after a line, what it is, and whether it has an end.
fn measure_line(bytes: &mut DumpBytes, at: u64) -> Result<(u64, LineKind, bool), Error> {
    let head = bytes.at(at, TELLING)?;
    let mut kind = kind_of(head.split(|byte| *byte == b'\n').next().unwrap_or_default());
    let mut end = at;
    let mut token = TokenState::Between;
    loop {
        let slice = bytes.at(end, 4096)?;
        let line_end = slice.iter().position(|byte| *byte == b'\n');
        let of_line = &slice[..line_end.unwrap_or(slice.len())];
        if kind == LineKind::References && !of_line.iter().all(|byte| token.accepts(*byte)) {
            kind = LineKind::Unsound;
        }
        match line_end {
            Some(line_end) => {
                if kind == LineKind::References && !token.accepts(b' ') {
                    kind = LineKind::Unsound;
                }
                return Ok((end + line_end as u64 + 1, kind, true));
            }
            None if slice.is_empty() => return Ok((end, kind, false)),
            None => end += slice.len() as u64,
        }
    }
}

/// The place in a token of a line of references: `0x` and up to 16 digits.
#[derive(Clone, Copy, Debug)]
enum TokenState {
    Between,
    Zero,
    Digits(u8),
}

impl TokenState {
    /// Takes the next character; whether it can stand there.
    fn accepts(&mut self, byte: u8) -> bool {
        *self = match (*self, byte) {
            (TokenState::Between, b' ' | b'\t' | b'\r') => TokenState::Between,
            (TokenState::Digits(1..), b' ' | b'\t' | b'\r') => TokenState::Between,
            (TokenState::Between, b'0') => TokenState::Zero,
            (TokenState::Zero, b'x' | b'X') => TokenState::Digits(0),
            (TokenState::Digits(digits), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') if digits < 16 => {
                TokenState::Digits(digits + 1)
            }
            _ => return false,
        };
        true
    }
}

fn kind_of(line: &[u8]) -> LineKind {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.starts_with(b"//") {
        let text = line[2..].trim_ascii_start();
        return match () {
            () if text.starts_with(b"Version") => LineKind::Version,
            () if text.starts_with(b"Breakdown") || text.starts_with(b"EOF") => {
                if is_readable(line) {
                    LineKind::Trailer
                } else {
                    LineKind::Unsound
                }
            }
            () => LineKind::Comment,
        };
    }
    if line.first() != Some(&b'0') {
        return match line.first() {
            None | Some(b' ' | b'\t' | b'\r') => LineKind::References,
            _ => LineKind::Unsound,
        };
    }
    entry(line).unwrap_or(if line.contains(&b'[') { LineKind::Unsound } else { LineKind::References })
}

/// Whether a line can be read by itself.
fn is_readable(line: &[u8]) -> bool {
    let line = [line, b"\n"].concat();
    let ended = Decoder::new(&line[..]).and_then(|mut decoder| decoder.visit::<DecodeError, _>(|_| Ok(())));
    ended.map_or_else(|error| error.is_missing_end(), |_| true)
}

/// `0x00436E90 [28] OBJ java/lang/String`.
fn entry(line: &[u8]) -> Option<LineKind> {
    let text = std::str::from_utf8(line).ok().map(str::trim_end)?;
    let mut words = text.splitn(4, [' ', '\t']).filter(|word| !word.is_empty());
    let (address, size, kind, name) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let digits = address.strip_prefix("0x").or_else(|| address.strip_prefix("0X"))?;
    let address = u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
    let size = size.strip_prefix('[')?.strip_suffix(']')?;
    let is_number = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()) && size.parse::<u64>().is_ok();
    let is_class = match kind {
        "OBJ" => false,
        "CLS" => true,
        _ => return None,
    };
    (is_number && !name.trim().is_empty()).then_some(LineKind::Entry { address, is_class })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lines_apart() {
        assert_eq!(kind_of(b"0x1F [28] OBJ a/B"), LineKind::Entry { address: 0x1f, is_class: false });
        assert_eq!(kind_of(b"0x10 [0] CLS a/B\r"), LineKind::Entry { address: 0x10, is_class: true });
        for unsound in [&b"0x1G [28] OBJ a"[..], b"0x1 [2x] OBJ a", b"0x1 [2] OBK a", b"0x1 [2] OBJ ", b"rubbish"] {
            assert_eq!(kind_of(unsound), LineKind::Unsound, "{}", String::from_utf8_lossy(unsound));
        }
        assert_eq!(kind_of(b"\t0x1 0x2 "), LineKind::References);
        assert_eq!(kind_of(b"// EOF:  Total 'Objects',Refs(null) : 1,2(3)"), LineKind::Trailer);
        let is_sound = |line: &str| {
            let mut token = TokenState::Between;
            line.bytes().chain([b' ']).all(|byte| token.accepts(byte))
        };
        assert!(is_sound("\t0x0 0xFFFFFFFFFFFFFFFF "));
        assert!(!is_sound("\t0x"));
        assert!(!is_sound("\t0x10000000000000000"));
        assert!(!is_sound("\t0x1,0x2"));
    }
}
