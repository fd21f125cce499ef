//! The sound part of a damaged PHD.
//!
//! Every address is a distance from the one before, so nothing after a fault can be placed: what is kept is what stands before it.

use std::io::{self, Read, Write};

use crate::error::{DecodeError, Error, Problem};
use crate::input::Input;
use crate::model::{AddressSet, count_step};
use crate::salvage::{Fault, FaultKind, FoundDump, SalvageOptions, SalvageReport};

use super::encode;
use super::record::Record;
use super::{Decoder, Resolver};

/// Finds what is wrong with a dump, and writes what is sound to `out`, if there is one.
///
/// # Errors
/// If the input cannot be read, its header is damaged, or writing fails.
pub(super) fn salvage(
    input: &Input,
    options: &SalvageOptions,
    out: Option<&mut dyn Write>,
) -> Result<SalvageReport, Error> {
    let mut report = SalvageReport { schema: 1, bytes: input.length(), part: options.part as u64, ..SalvageReport::default() };
    let mut from = 0;
    let mut sound = None;
    loop {
        let stream = input.stream_at(from)?;
        let mut decoder = Decoder::new(stream)?;
        if report.format.is_empty() {
            report.format = super::open::format(decoder.header().version).to_string();
        }
        let is_kept = report.dumps.len() == options.part;
        let prefix = SoundPrefix::read(&mut decoder, from, if is_kept { Some(&mut report) } else { None })?;
        let next = prefix.end + 1;
        report.dumps.push(FoundDump { offset: from, bytes: next.min(input.length()) - from });
        if is_kept {
            sound = Some((from, prefix.clone()));
        }
        let mut start = [0; 20];
        let read = read_start(&mut input.stream_at(next)?, &mut start)?;
        if prefix.is_cut || !start[..read].starts_with(MAGIC) {
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

impl SoundPrefix {
    fn read<R: Read>(
        decoder: &mut Decoder<R>,
        from: u64,
        mut report: Option<&mut SalvageReport>,
    ) -> Result<SoundPrefix, Error> {
        let mut resolver = Resolver::new(decoder.layout());
        let (mut seen, mut repeated) = (AddressSet::default(), None);
        let ended = decoder.visit(|located| {
            count_step();
            let address = resolver.resolve(located.record).address;
            if !seen.insert(address.0) {
                repeated = Some(located.offset);
                return Err(Stop::Repeated);
            }
            if let Some(report) = report.as_deref_mut() {
                match located.record {
                    Record::Class(_) => report.kept.classes += 1,
                    _ => report.kept.objects += 1,
                }
            }
            Ok(())
        });
        let (end, fault) = match ended {
            Ok(ended) => return Ok(SoundPrefix { end: from + ended.end_tag, is_cut: false }),
            Err(Stop::Repeated) => {
                let end = from + repeated.unwrap_or_default();
                (end, Some((FaultKind::Unreadable, "an address that another object has".to_owned())))
            }
            Err(Stop::Decode(error)) if matches!(error.problem(), Problem::Io(_)) => return Err((*error).into()),
            Err(Stop::Decode(error)) => {
                let kind = if error.is_missing_end() || matches!(error.problem(), Problem::Truncated { .. }) {
                    FaultKind::CutShort
                } else {
                    FaultKind::Unreadable
                };
                (from + decoder.at_hand().0, Some((kind, error.to_string())))
            }
        };
        if let (Some(report), Some((kind, rests_on))) = (report, fault) {
            let length = report.bytes;
            report.lost_bytes += length.saturating_sub(end);
            report.push(Fault { offset: end, end: length.max(end), kind, rests_on });
            report.changes.push("the end tag is added".to_owned());
        }
        Ok(SoundPrefix { end, is_cut: true })
    }
}

/// The reason why reading stops.
enum Stop {
    Repeated,
    Decode(Box<DecodeError>),
}

impl From<DecodeError> for Stop {
    fn from(error: DecodeError) -> Stop {
        Stop::Decode(Box::new(error))
    }
}
