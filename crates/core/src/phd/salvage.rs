//! The sound part of a damaged PHD.
//!
//! Every address is a distance from the one before, so nothing after a fault can be placed: what is kept is what stands before it.
//! Records have no marks by which they could be told from other bytes. So the last one before a fault goes, and with it those before
//! it whose class no earlier object has, or whose address is a later one's.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use foldhash::HashMap;

use crate::error::{DecodeError, Error, Problem};
use crate::input::Input;
use crate::model::{Address, AddressSet, count_step};
use crate::salvage::{FaultKind, FoundDump, SalvageCounts, SalvageFault, SalvageOptions, SalvageReport};

use super::encode;
use super::record::{LongPrimitiveArray, PrimitiveArray, Record};
use super::{Decoder, LocatedRecord, Resolver};

/// Finds what is wrong with a dump, and writes what is sound to `out`, if there is one.
///
/// # Errors
/// If the input cannot be read, its header is damaged, or writing fails.
pub(super) fn salvage(
    input: &Input,
    options: &SalvageOptions,
    out: Option<&mut dyn Write>,
) -> Result<SalvageReport, Error> {
    let mut report =
        SalvageReport { schema: 1, bytes: input.length(), part: options.part as u64, ..SalvageReport::default() };
    let mut from = 0;
    let mut sound = None;
    loop {
        let stream = input.stream_at(from)?;
        let mut decoder = Decoder::new(stream)?;
        if report.format.is_empty() {
            report.format = super::open::format(decoder.header().version).to_string();
        }
        let is_kept = report.dumps.len() == options.part;
        let prefix = SoundPrefix::read(input, &mut decoder, from, if is_kept { Some(&mut report) } else { None })?;
        let next = prefix.end + 1;
        report.dumps.push(FoundDump { offset: from, bytes: next.min(input.length()) - from });
        if is_kept {
            sound = Some((from, prefix.clone()));
        }
        let mut start = [0; 20];
        let read = read_start(&mut input.stream_at(next)?, &mut start)?;
        if prefix.is_cut || !start[..read].starts_with(MAGIC) {
            if !prefix.is_cut && read > 0 && is_kept {
                let (offset, end) = (next, input.length());
                let kind =
                    zeros_near(input, next)?.map_or(FaultKind::Unreadable, |(from, to)| FaultKind::Zeros { from, to });
                report.lost_bytes += end - offset;
                report.push(SalvageFault { offset, end, kind, rests_on: "the end tag stands before it".to_owned() });
            }
            break;
        }
        from = next;
    }
    let Some((from, prefix)) = sound else {
        let (name, dumps) = (input.name(), report.dumps.len());
        return Err(Error::Usage(format!("{name} has {dumps} dumps; choose one from 0 to {}", dumps - 1)));
    };
    if let Some(out) = out {
        let failed = |e| Error::io("writing the dump", e);
        io::copy(&mut input.stream_at(from)?.take(prefix.end - from), out).map_err(failed)?;
        let mut end = Vec::new();
        encode::end_tag(&mut end);
        out.write_all(&end).map_err(failed)?;
    }
    Ok(report)
}

/// The length and the text with which every PHD begins.
const MAGIC: &[u8; 20] = b"\x00\x12portable heap dump";

fn read_start(stream: &mut impl Read, start: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < start.len() {
        match stream.read(&mut start[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) => return Err(Error::io("reading the dump", e)),
        }
    }
    Ok(filled)
}

/// The records before the first fault.
#[derive(Clone, Debug)]
struct SoundPrefix {
    /// The offset after the last of them.
    end: u64,
    is_cut: bool,
}

/// Records that wait until it is known whether a fault follows: after one, they may be chance.
const WAITING: usize = 64;
/// The fewest zeros that are a hole.
const HOLE: usize = 64;

/// A record that is sound as far as it goes.
#[derive(Clone, Copy, Debug)]
struct WaitingRecord {
    offset: u64,
    address: Address,
    is_class: bool,
    /// Whether nothing before it speaks for it: its class was not seen before.
    is_doubtful: bool,
}

/// Goes through the records up to the first fault.
#[derive(Default)]
struct PrefixReader {
    addresses: AddressSet,
    class_words: AddressSet,
    /// The superclass of each class.
    supers: HashMap<u64, u64>,
    waiting: VecDeque<WaitingRecord>,
    kept: SalvageCounts,
    /// Bytes of the longest record.
    longest: u64,
    /// The offset of the record at which reading stops, and the reason.
    stopped: Option<(u64, &'static str)>,
}

impl PrefixReader {
    fn record(&mut self, resolver: &mut Resolver, located: LocatedRecord<'_, '_>) -> Result<(), Stop> {
        count_step();
        let resolved = resolver.resolve(located.record);
        let why = match located.record {
            _ if !self.addresses.insert(resolved.address.0) => Some("it has the address of another object"),
            Record::PrimitiveArray(PrimitiveArray { length, .. })
            | Record::LongPrimitiveArray(LongPrimitiveArray { length, .. })
                if *length > MOST_ELEMENTS =>
            {
                Some("it has more elements than an array can have")
            }
            Record::ObjectArray(array) => {
                let (length, count) = (array.length.map(u64::from), located.count(&array.references));
                let is_wrong = length.is_some_and(|length| length > MOST_ELEMENTS || length < count);
                is_wrong.then_some("its length is not that of an array with these references")
            }
            Record::Class(class) => {
                self.supers.insert(resolved.address.0, class.superclass);
                self.is_on_a_cycle(resolved.address.0).then_some("its superclasses lead back to it")
            }
            _ => None,
        };
        if let Some(why) = why {
            self.stopped = Some((located.offset, why));
            return Err(Stop::Unsound);
        }
        self.longest = self.longest.max(located.bytes.len() as u64);
        let is_class = matches!(located.record, Record::Class(_));
        let is_doubtful = resolved.class_word.is_some_and(|word| self.class_words.insert(word.0));
        self.waiting.push_back(WaitingRecord {
            offset: located.offset,
            address: resolved.address,
            is_class,
            is_doubtful,
        });
        if self.waiting.len() > WAITING {
            self.keep_first();
        }
        Ok(())
    }

    /// Whether the superclasses of a class lead back to it.
    fn is_on_a_cycle(&self, class: u64) -> bool {
        let mut at = class;
        for _ in 0..self.supers.len().min(DEEPEST) {
            count_step();
            let Some(next) = self.supers.get(&at).filter(|next| **next != 0) else { return false };
            if *next == class {
                return true;
            }
            at = *next;
        }
        false
    }

    fn keep_first(&mut self) {
        if let Some(record) = self.waiting.pop_front() {
            if record.is_class { self.kept.classes += 1 } else { self.kept.objects += 1 }
        }
    }

    fn keep_rest(&mut self) {
        while !self.waiting.is_empty() {
            self.keep_first();
        }
    }

    /// Drops the last record, whose end is that of nothing sound, and those before it for which nothing speaks. The offset of the
    /// first.
    fn drop_doubtful(&mut self) -> Option<u64> {
        let mut first = self.waiting.pop_back().map(|record| record.offset);
        let mut last = self.waiting.back().map(|record| record.address);
        while let Some(record) = self.waiting.back().filter(|record| record.is_doubtful || Some(record.address) < last)
        {
            (first, last) = (Some(record.offset), Some(record.address));
            self.waiting.pop_back();
        }
        first
    }
}

/// Superclasses that are followed: no real class has as many.
const DEEPEST: usize = 1 << 12;
/// The most elements of an array.
const MOST_ELEMENTS: u64 = (1 << 31) - 1;

impl SoundPrefix {
    fn read<R: Read>(
        input: &Input,
        decoder: &mut Decoder<R>,
        from: u64,
        report: Option<&mut SalvageReport>,
    ) -> Result<SoundPrefix, Error> {
        let mut resolver = Resolver::new(decoder.layout());
        let mut reader = PrefixReader::default();
        let ended = decoder.visit(|located| reader.record(&mut resolver, located));
        let length = input.length();
        let (at, rests_on, is_cut) = match ended {
            Ok(ended) => {
                reader.keep_rest();
                if let Some(report) = report {
                    report.kept = reader.kept;
                }
                return Ok(SoundPrefix { end: from + ended.end_tag, is_cut: false });
            }
            Err(Stop::Unsound) => {
                let (offset, why) = reader.stopped.unwrap_or_default();
                (from + offset, format!("the record there is none: {why}"), false)
            }
            Err(Stop::Decode(error)) if matches!(error.problem(), Problem::Io(_)) => return Err((*error).into()),
            Err(Stop::Decode(error)) => {
                let at = from + decoder.at_hand().0;
                // A record that runs over the end from far away has a wrong length.
                let ends = error.is_missing_end() || matches!(error.problem(), Problem::Truncated { .. });
                (at, error.to_string(), ends && length - at.min(length) <= 2 * reader.longest + SHORT)
            }
        };
        let zeros = zeros_near(input, at)?;
        let end = match zeros {
            _ if is_cut => at,
            Some((first, _)) if first >= at => at,
            _ => reader.drop_doubtful().map_or(at, |offset| from + offset),
        };
        reader.keep_rest();
        if let Some(report) = report {
            report.kept = reader.kept;
            report.lost_bytes += length.saturating_sub(end);
            let kind = match zeros {
                Some((from, to)) => FaultKind::Zeros { from, to },
                None if is_cut => FaultKind::CutShort,
                None => FaultKind::Unreadable,
            };
            report.push(SalvageFault { offset: end, end: length.max(end), kind, rests_on });
            report.changes.push("the end tag is added".to_owned());
        }
        Ok(SoundPrefix { end, is_cut: true })
    }
}

/// Bytes that the last record of a cut dump may have beside twice those of the longest: more are those of a length that is wrong.
const SHORT: u64 = 64;

/// The hole of zeros around an offset, or in the bytes after it.
fn zeros_near(input: &Input, at: u64) -> Result<Option<(u64, u64)>, Error> {
    let first = at.saturating_sub(4096);
    let mut bytes = Vec::new();
    let read = input.stream_at(first)?.take(8192).read_to_end(&mut bytes);
    read.map_err(|e| Error::io(format!("reading {}", input.name()), e))?;
    let place = (at - first) as usize;
    let mut start = place;
    while start < bytes.len().min(place + HOLE) && bytes[start] != 0 {
        start += 1;
    }
    let before = bytes[..start.min(bytes.len())].iter().rev().take_while(|byte| **byte == 0).count();
    let after = bytes[start.min(bytes.len())..].iter().take_while(|byte| **byte == 0).count();
    let zeros = (first + (start - before) as u64, first + (start + after) as u64);
    Ok((before + after >= HOLE).then_some(zeros))
}

/// The reason why reading stops.
enum Stop {
    Unsound,
    Decode(Box<DecodeError>),
}

impl From<DecodeError> for Stop {
    fn from(error: DecodeError) -> Stop {
        Stop::Decode(Box::new(error))
    }
}
