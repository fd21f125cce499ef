//! The way through a damaged dump, from sound record to sound record.
//!
//! After bytes that are no record, the next sound one is where a *chain* begins: records that follow each other, as far as it
//! takes until chance can hardly have made them ([`NEEDED`]), or up to the end of the segment or dump. One plausible tag is
//! none.

use std::collections::VecDeque;

use crate::bytes::{Cursor, NoTrace};
use crate::error::Error;
use crate::hprof::decode;
use crate::hprof::tags::{RecordTag, SubRecordTag};
use crate::hprof::wire::{HEAD, Header, IdSize, MAGIC};
use crate::model::{Address, count_step};
use crate::salvage::bytes::DumpBytes;
use crate::salvage::{FaultKind, SalvageFault};

use super::measure::{
    KnownHeap, LONGEST_CLASS, LOOKED_AT, Measured, MeasuredKind, SegmentHead, Unsound, measure_record,
    measure_sub_record,
};

/// Bits of evidence after which a chain is one: some 10^19 tries would have to be made to find one by chance.
const NEEDED: u32 = 64;
/// Records of a chain at most. What is a chain has its evidence sooner.
const LONGEST_CHAIN: u32 = 64;
/// Bits that the end of the dump or of a segment adds, where a chain ends exactly there.
const AT_THE_END: u32 = 32;
/// Bits of evidence below which a sub-record before a fault may be chance.
const DOUBTFUL: u32 = 8;
/// Records that wait until what follows them is sound, too.
const WAITING: usize = 1024;
/// Bytes from the place where reading stops up to a hole of zeros that stopped it.
const NEAR: u64 = 256;
/// The fewest zeros that are a hole: as many stand in sound records.
const HOLE: u64 = 64;

/// A step through a damaged dump. Places are offsets of first bytes, and after last ones.
#[derive(Debug)]
pub(super) enum WalkStep<'m> {
    /// A record outside of the heap.
    Record(u64, &'m Measured),
    /// A segment begins; the head of one may be lost.
    Segment(Option<SegmentHead>),
    /// A sub-record.
    SubRecord(u64, &'m Measured),
    /// A segment ends.
    SegmentEnd,
    /// Bytes that are left out.
    Fault(SalvageFault),
}

/// Whether a record or a sub-record is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Top,
    /// In a segment. Its end is known as long as nothing speaks against the length that it states.
    Heap {
        end: Option<u64>,
    },
}

/// The place at which reading goes on.
#[derive(Clone, Copy, Debug)]
enum NextPlace {
    /// A chain of records or sub-records.
    Chain(u64, Place),
    /// Another dump begins.
    Dump(u64),
}

/// What was measured. It waits until what follows it is sound, too.
#[derive(Debug)]
struct Pending {
    start: u64,
    step: PendingStep,
}

#[derive(Debug)]
enum PendingStep {
    Record(Measured),
    Segment(SegmentHead),
    SubRecord(Measured),
}

/// Goes through the dump at one place of a file.
pub(super) struct Walker<'w> {
    near: DumpBytes,
    far: DumpBytes,
    id: IdSize,
    end: u64,
    heap: Option<&'w KnownHeap>,
    /// What was measured last, the latest at the end.
    pending: VecDeque<Pending>,
    /// A fault of the open segment whose kind its end may tell, and the number of its faults.
    held: Option<SalvageFault>,
    faults: u32,
    place: Place,
    /// The length and the place of the open segment's end, as its head states them, and bytes that were left out since.
    stated: Option<(u32, u64)>,
}

type VisitStep<'v> = dyn FnMut(WalkStep<'_>) -> Result<(), Error> + 'v;

impl<'w> Walker<'w> {
    /// A walker in a dump with identifiers of this size, up to `end`.
    pub(super) fn new(bytes: &DumpBytes, id: IdSize, end: u64, heap: Option<&'w KnownHeap>) -> Walker<'w> {
        Walker {
            near: bytes.clone(),
            far: bytes.clone(),
            id,
            end,
            heap,
            pending: VecDeque::new(),
            held: None,
            faults: 0,
            place: Place::Top,
            stated: None,
        }
    }

    /// The walker with identifiers of another size.
    pub(super) fn with_id_size(self, id: IdSize) -> Walker<'w> {
        Walker { id, ..self }
    }

    /// Whether a chain of records begins at an offset: so this is the size of identifiers.
    pub(super) fn begins_at(&mut self, offset: u64) -> Result<bool, Error> {
        self.is_chain(offset, Place::Top)
    }

    /// Calls `visit` with every step from an offset on, and gives the end: of the file, or where another dump begins.
    pub(super) fn walk(&mut self, from: u64, visit: &mut VisitStep<'_>) -> Result<u64, Error> {
        let mut at = from;
        while at < self.end {
            count_step();
            if let Some(next) = self.leave_segment(at, visit)? {
                self.place = next;
                continue;
            }
            match self.measure_here(at)? {
                Ok(measured) => {
                    at = self.accept(at, measured);
                    while self.pending.len() > WAITING {
                        self.flush_first(visit)?;
                    }
                }
                Err(unsound) => at = self.resume_after(at, &unsound, visit)?,
            }
        }
        self.flush(visit)?;
        if self.place != Place::Top {
            if self.stated.is_some_and(|(stated, _)| stated == 0) {
                self.tell_length(at, visit)?;
            }
            self.release(visit)?;
            visit(WalkStep::SegmentEnd)?;
        }
        Ok(self.end)
    }

    /// Takes in what was measured, and gives the place after it.
    fn accept(&mut self, at: u64, measured: Measured) -> u64 {
        let next = at + measured.length;
        let (step, place) = match (&measured.kind, self.place) {
            (&MeasuredKind::Segment(head), _) => {
                let stated = head.stated;
                let end = next + u64::from(stated);
                self.stated = Some((stated, end));
                // A length that was never filled in, or that leads beyond the dump, says nothing.
                let end = (stated > 0 && end <= self.end).then_some(end);
                (PendingStep::Segment(head), Place::Heap { end })
            }
            (_, Place::Top) => (PendingStep::Record(measured), Place::Top),
            (_, heap) => (PendingStep::SubRecord(measured), heap),
        };
        self.place = place;
        self.pending.push_back(Pending { start: at, step });
        next
    }

    fn flush(&mut self, visit: &mut VisitStep<'_>) -> Result<(), Error> {
        while !self.pending.is_empty() {
            self.flush_first(visit)?;
        }
        Ok(())
    }

    fn flush_first(&mut self, visit: &mut VisitStep<'_>) -> Result<(), Error> {
        let Some(Pending { start, step }) = self.pending.pop_front() else { return Ok(()) };
        match step {
            PendingStep::Record(measured) => visit(WalkStep::Record(start, &measured)),
            PendingStep::Segment(head) => visit(WalkStep::Segment(Some(head))),
            PendingStep::SubRecord(measured) => visit(WalkStep::SubRecord(start, &measured)),
        }
    }

    /// The place after the end of a segment, if the open one ends here.
    fn leave_segment(&mut self, at: u64, visit: &mut VisitStep<'_>) -> Result<Option<Place>, Error> {
        let Place::Heap { end } = self.place else { return Ok(None) };
        if end == Some(at) {
            if self.is_record_head(at)? || self.is_chain(at, Place::Top)? {
                return self.end_segment(visit);
            }
            // What follows is no record: the length may be wrong, and the segment go on.
            if self.is_chain(at, Place::Heap { end: None })? {
                return Ok(Some(Place::Heap { end: None }));
            }
            return self.end_segment(visit);
        }
        if end.is_some_and(|end| end > at) || !self.is_record_head(at)? {
            return Ok(None);
        }
        // Tags of both kinds have the same numbers: what goes on for longer counts.
        if self.is_chain(at, Place::Top)? && !self.is_strong_sub_record(at)? {
            self.flush(visit)?;
            self.tell_length(at, visit)?;
            return self.end_segment(visit);
        }
        Ok(None)
    }

    /// Tells what is wrong with the length of the segment that ends here, if it states another end.
    fn tell_length(&mut self, at: u64, visit: &mut VisitStep<'_>) -> Result<(), Error> {
        let Some((stated, end)) = self.stated.filter(|(stated, end)| *stated == 0 || *end != at) else { return Ok(()) };
        if let Some(fault) = self.held.take() {
            // With one fault in the segment, the length tells how many bytes are missing or were added there.
            // An end inside the gap is that of a segment whose successor began there.
            let tells = self.faults == 1 && stated > 0 && !(fault.offset..=fault.end).contains(&end);
            let kind = match fault.kind {
                kind if !tells => kind,
                _ if end > at => FaultKind::BytesMissing { count: end - at },
                // What was added lies in the gap; more would be that of the next segment, whose head is lost.
                _ if at - end <= fault.end - fault.offset => FaultKind::BytesAdded { count: at - end },
                kind => kind,
            };
            return visit(WalkStep::Fault(SalvageFault { kind, ..fault }));
        }
        if self.faults > 0 {
            return Ok(());
        }
        let found = (at + u64::from(stated)).saturating_sub(end);
        let kind = match stated {
            0 => FaultKind::UnpatchedLength,
            _ => FaultKind::WrongLength { stated: stated.into(), found },
        };
        let rests_on = "records follow where the sub-records end".to_owned();
        visit(WalkStep::Fault(SalvageFault { offset: at, end: at, kind, rests_on }))
    }

    /// Tells a fault: one of unknown kind inside a segment when that ends.
    fn tell(&mut self, fault: SalvageFault, visit: &mut VisitStep<'_>) -> Result<(), Error> {
        self.release(visit)?;
        if matches!(self.place, Place::Heap { .. }) {
            self.faults += 1;
            if matches!(fault.kind, FaultKind::Unreadable | FaultKind::WrongTag) {
                self.held = Some(fault);
                return Ok(());
            }
        }
        visit(WalkStep::Fault(fault))
    }

    fn release(&mut self, visit: &mut VisitStep<'_>) -> Result<(), Error> {
        self.held.take().map_or(Ok(()), |fault| visit(WalkStep::Fault(fault)))
    }

    fn end_segment(&mut self, visit: &mut VisitStep<'_>) -> Result<Option<Place>, Error> {
        self.flush(visit)?;
        self.release(visit)?;
        (self.stated, self.faults) = (None, 0);
        visit(WalkStep::SegmentEnd)?;
        Ok(Some(Place::Top))
    }

    /// Whether the bytes at an offset are the end of the dump or the head of a record that a document lists.
    fn is_record_head(&mut self, at: u64) -> Result<bool, Error> {
        if at == self.end {
            return Ok(true);
        }
        let left = self.end - at;
        let head = self.near.at(at, HEAD)?;
        let [tag, _, _, _, _, a, b, c, d] = *head else { return Ok(false) };
        let length = u64::from(u32::from_be_bytes([a, b, c, d]));
        let tag = RecordTag(tag);
        Ok(tag.form().is_some() && (HEAD as u64 + length <= left || tag.is_dump()) && self.is_sound_record(at)?)
    }

    fn is_sound_record(&mut self, at: u64) -> Result<bool, Error> {
        Ok(matches!(self.measure_near(at, Place::Top)?, Ok(measured) if measured.weight > 0))
    }

    fn is_strong_sub_record(&mut self, at: u64) -> Result<bool, Error> {
        Ok(matches!(self.measure_near(at, Place::Heap { end: None })?, Ok(measured) if measured.weight >= 24))
    }

    /// Measures what is due here.
    fn measure_here(&mut self, at: u64) -> Result<Result<Measured, Unsound>, Error> {
        let measured = self.measure_near(at, self.place)?;
        let is_unknown = |measured: &Measured| {
            self.place == Place::Top && matches!(measured.kind, MeasuredKind::Record(tag) if tag.form().is_none())
        };
        match measured {
            // A reader passes over a record that it does not know, but damage looks like one, too.
            Ok(measured) if is_unknown(&measured) => {
                let after = at + measured.length;
                if self.is_record_head(after)? && self.is_chain(after, Place::Top)? {
                    Ok(Ok(measured))
                } else {
                    Ok(Err(Unsound::Tag))
                }
            }
            other => Ok(other),
        }
    }

    fn measure_near(&mut self, at: u64, place: Place) -> Result<Result<Measured, Unsound>, Error> {
        measure(&mut self.near, self.id, self.heap, self.end, at, place)
    }

    /// Whether a chain begins at an offset, with a record or sub-record as the place has it. A segment ends where a record
    /// follows.
    fn is_chain(&mut self, from: u64, mut place: Place) -> Result<bool, Error> {
        let (mut at, mut bits) = (from, 0);
        for _ in 0..LONGEST_CHAIN {
            count_step();
            let is_end = at == self.end || matches!(place, Place::Heap { end: Some(end) } if end == at);
            if is_end {
                return Ok(at > from && bits + AT_THE_END >= NEEDED || at == self.end && at == from);
            }
            if bits >= NEEDED {
                return Ok(true);
            }
            let measured = match measure(&mut self.far, self.id, self.heap, self.end, at, place)? {
                Ok(measured) => measured,
                Err(_) if place != Place::Top => {
                    place = Place::Top;
                    match measure(&mut self.far, self.id, self.heap, self.end, at, place)? {
                        Ok(measured) if measured.weight > 0 => measured,
                        _ => return Ok(false),
                    }
                }
                Err(_) => return Ok(false),
            };
            // What leads far away has to be likely by itself, so that a search stays near.
            if measured.length > FAR && measured.weight < 24 && bits < 16 {
                return Ok(false);
            }
            if matches!(measured.kind, MeasuredKind::Segment(..)) {
                place = Place::Heap { end: None };
            }
            bits += measured.weight;
            at += measured.length;
        }
        Ok(false)
    }

    /// Goes on after bytes that are no record: tells the fault, and gives the place of the next sound record.
    fn resume_after(&mut self, at: u64, unsound: &Unsound, visit: &mut VisitStep<'_>) -> Result<u64, Error> {
        if self.outlives_its_length(at, unsound)? {
            return Ok(at);
        }
        let first_doubtful = self.drop_doubtful();
        let before = self.pending.back().map_or(first_doubtful.unwrap_or(at), |pending| pending.start);
        // An end that a record follows bounds the search.
        let bound = match self.place {
            Place::Heap { end: Some(end) } if end > at && end < self.end => {
                (self.is_record_head(end)? && self.is_chain(end, Place::Top)?).then_some(end)
            }
            Place::Heap { end: Some(end) } if end == self.end => Some(end),
            _ => None,
        };
        let (next, place) = match (self.find_chain(before + 1, bound)?, bound) {
            (Some(NextPlace::Chain(next, place)), _) => (next, place),
            (Some(NextPlace::Dump(next)), _) => {
                self.end = next;
                if next == at {
                    return Ok(next);
                }
                return self.give_up(first_doubtful.unwrap_or(at), unsound, visit);
            }
            (None, Some(end)) if end < self.end => (end, Place::Top),
            (None, _) => return self.give_up(first_doubtful.unwrap_or(at), unsound, visit),
        };
        let zeros = self.zeros_around(at, before, next)?;
        let kind = self.kind_of(at, next, zeros, unsound)?;
        let certain = first_doubtful.is_none() && next >= at && self.is_certain(at, next, zeros, &kind)?;
        let is_kept = certain || first_doubtful.is_some_and(|first| next >= first) && self.has_fixed_length();
        let offset = if is_kept { first_doubtful.unwrap_or(at) } else { before };
        if !is_kept {
            self.pending.pop_back();
        }
        self.flush(visit)?;
        let rests_on = match place {
            Place::Top => "records chain from there on".to_owned(),
            Place::Heap { .. } => "sub-records chain from there on".to_owned(),
        };
        let was = self.place;
        self.tell(SalvageFault { offset, end: next, kind, rests_on }, visit)?;
        match (was, place) {
            (Place::Top, Place::Heap { .. }) => visit(WalkStep::Segment(None))?,
            (Place::Heap { .. }, Place::Top) => {
                self.tell_length(next, visit)?;
                self.release(visit)?;
                (self.stated, self.faults) = (None, 0);
                visit(WalkStep::SegmentEnd)?;
            }
            _ => {}
        }
        self.place = match (place, bound) {
            (Place::Heap { .. }, bound) => Place::Heap { end: bound.filter(|_| matches!(was, Place::Heap { .. })) },
            (Place::Top, _) => Place::Top,
        };
        Ok(next)
    }

    /// Drops what was measured last as far as little speaks for it: after a fault it may be chance. The offset of the first.
    fn drop_doubtful(&mut self) -> Option<u64> {
        let mut first = None;
        while let Some(Pending { start, step: PendingStep::SubRecord(Measured { weight: 0..DOUBTFUL, .. }) }) =
            self.pending.back()
        {
            first = Some(*start);
            self.pending.pop_back();
        }
        first
    }

    /// Whether the sub-records of a segment go on over the end that its length states, where no record follows.
    fn outlives_its_length(&mut self, at: u64, unsound: &Unsound) -> Result<bool, Error> {
        let Place::Heap { end: Some(end) } = self.place else { return Ok(false) };
        let goes_on = matches!(unsound, Unsound::Overrun)
            && !self.is_record_head(end)?
            && self.is_chain(at, Place::Heap { end: None })?;
        if goes_on {
            self.place = Place::Heap { end: None };
        }
        Ok(goes_on)
    }

    /// The dump ends without another sound record.
    fn give_up(&mut self, at: u64, unsound: &Unsound, visit: &mut VisitStep<'_>) -> Result<u64, Error> {
        let before = self.pending.back().map_or(at, |pending| pending.start);
        let zeros = self.zeros_around(at, before, self.end)?;
        let kind = match (zeros, unsound) {
            (Some((from, to)), _) => FaultKind::Zeros { from, to },
            (None, Unsound::Overrun | Unsound::Incomplete(_)) => FaultKind::CutShort,
            (None, _) => FaultKind::Unreadable,
        };
        // What runs into a hole has lost its end; a cut leaves all before it as it was.
        let is_sound = match &kind {
            FaultKind::CutShort => true,
            FaultKind::Zeros { from, .. } => *from >= at,
            _ => self.has_fixed_length(),
        };
        let offset = if is_sound { at } else { before };
        if !is_sound {
            self.pending.pop_back();
        }
        self.flush(visit)?;
        self.release(visit)?;
        let rests_on = "no records chain up to the end of the dump".to_owned();
        visit(WalkStep::Fault(SalvageFault { offset, end: self.end, kind, rests_on }))?;
        Ok(self.end)
    }

    /// The first chain from an offset on, and whether it begins with a record or a sub-record; up to a bound only the latter.
    fn find_chain(&mut self, from: u64, bound: Option<u64>) -> Result<Option<NextPlace>, Error> {
        let last = bound.unwrap_or(self.end);
        let heap = Place::Heap { end: bound };
        let mut at = from;
        while at < last {
            count_step();
            let slice = self.near.at(at, 4096)?;
            let begins = |byte: u8| byte == MAGIC[0] || RecordTag(byte).form().is_some();
            let wanted = |byte: &u8| is_sub_record_tag(*byte) || bound.is_none() && begins(*byte);
            let Some(skipped) = slice.iter().position(wanted) else {
                at += slice.len().max(1) as u64;
                continue;
            };
            let tag = slice[skipped];
            at += skipped as u64;
            if at >= last {
                break;
            }
            if tag == MAGIC[0] && find_header(&mut self.near, at)?.is_some() {
                return Ok(Some(NextPlace::Dump(at)));
            }
            if bound.is_none() && RecordTag(tag).form().is_some() && self.is_chain(at, Place::Top)? {
                return Ok(Some(NextPlace::Chain(at, Place::Top)));
            }
            if is_sub_record_tag(tag) && self.is_chain(at, heap)? {
                return Ok(Some(NextPlace::Chain(at, heap)));
            }
            at += 1;
        }
        Ok(None)
    }

    /// The hole of zeros in which an offset lies, between two others.
    fn zeros_around(&mut self, at: u64, from: u64, to: u64) -> Result<Option<(u64, u64)>, Error> {
        // Where reading stops, the hole may be some bytes further on: after the head of a record that runs into it.
        let (mut start, mut end) = (at.min(to), at.min(to));
        while end - start < HOLE && start < to.min(at + NEAR) {
            start = end;
            while start < to && self.near.at(start, 1)? != [0] {
                start += 1;
            }
            end = start;
            while end < to {
                let slice = self.near.at(end, 4096)?;
                let zeros = slice.iter().take_while(|byte| **byte == 0).count();
                end += zeros as u64;
                if zeros == 0 || zeros < slice.len() {
                    break;
                }
            }
        }
        while start > from && self.near.at(start - 1, 1)? == [0] {
            start -= 1;
        }
        let (end, gap) = (end.min(to), to.saturating_sub(at));
        let zeros = end.saturating_sub(start);
        // Some zeros stand in sound records, too: a hole is most of what cannot be read.
        Ok((zeros >= HOLE && zeros * 2 >= gap).then_some((start, end)))
    }

    /// Whether what was measured last has a length that no field states.
    fn has_fixed_length(&self) -> bool {
        match self.pending.back().map(|pending| &pending.step) {
            None | Some(PendingStep::Segment(..)) => true,
            Some(PendingStep::SubRecord(measured)) => measured.head == measured.length,
            Some(PendingStep::Record(Measured { kind: MeasuredKind::Record(tag), .. })) => {
                *tag != RecordTag::STRING_IN_UTF8 && tag.form().is_some()
            }
            Some(PendingStep::Record(_)) => false,
        }
    }

    /// The kind of the fault between two offsets.
    fn kind_of(
        &mut self,
        at: u64,
        next: u64,
        zeros: Option<(u64, u64)>,
        unsound: &Unsound,
    ) -> Result<FaultKind, Error> {
        if let Some((from, to)) = zeros {
            return Ok(FaultKind::Zeros { from, to });
        }
        let heads = [self.pending.back().and_then(|pending| match &pending.step {
            PendingStep::SubRecord(measured) if measured.head < measured.length => Some(pending.start + measured.head),
            _ => None,
        })];
        if heads.contains(&Some(next)) || self.array_head(at)?.is_some_and(|head| at + head == next) {
            return Ok(FaultKind::ContentsMissing);
        }
        if matches!(unsound, Unsound::Tag) && next > at && self.fits_with_another_tag(at, next)? {
            return Ok(FaultKind::WrongTag);
        }
        Ok(FaultKind::Unreadable)
    }

    /// Bytes before the contents of an array at an offset, whose contents lead beyond its segment.
    fn array_head(&mut self, at: u64) -> Result<Option<u64>, Error> {
        let width = self.id.bytes() as u64;
        Ok(match SubRecordTag(self.near.at(at, 1)?.first().copied().unwrap_or_default()) {
            SubRecordTag::OBJECT_ARRAY_DUMP => Some(9 + 2 * width),
            SubRecordTag::PRIMITIVE_ARRAY_DUMP => Some(10 + width),
            _ => None,
        })
    }

    /// Whether the bytes between two offsets are one record or sub-record but for the tag.
    fn fits_with_another_tag(&mut self, at: u64, next: u64) -> Result<bool, Error> {
        let wanted = usize::try_from(next - at).unwrap_or(usize::MAX).min(LOOKED_AT);
        let mut bytes = self.near.at(at, wanted)?.to_vec();
        let Some(first) = bytes.first().copied() else { return Ok(false) };
        let (place, left) = (self.place, next - at);
        let tags = (0..=u8::MAX).filter(|tag| *tag != first);
        let fits = |tag: u8, bytes: &mut [u8]| {
            bytes[0] = tag;
            let measured = match place {
                Place::Top if RecordTag(tag).form().is_some() => measure_record(bytes, self.id, left),
                Place::Heap { .. } if is_sub_record_tag(tag) => measure_sub_record(bytes, self.id, left, self.heap),
                _ => return false,
            };
            matches!(measured, Ok(measured) if measured.length == left)
        };
        Ok(tags.into_iter().any(|tag| fits(tag, &mut bytes)))
    }

    /// Whether what was measured before a fault is sound all the same.
    fn is_certain(&mut self, at: u64, next: u64, zeros: Option<(u64, u64)>, kind: &FaultKind) -> Result<bool, Error> {
        if self.has_fixed_length() || *kind == FaultKind::WrongTag {
            return Ok(true);
        }
        if let Some((from, _)) = zeros {
            return Ok(from >= at);
        }
        // What has lost its end hardly ends where records chain.
        if next == at {
            return Ok(true);
        }
        // A head that is sound but for its length: the fault is its own.
        let slice = self.near.at(at, 64)?;
        let width = self.id.bytes();
        let class = match (self.place, slice.first().copied().map(SubRecordTag)) {
            (Place::Heap { .. }, Some(SubRecordTag::INSTANCE_DUMP)) => slice.get(5 + width..5 + 2 * width),
            (Place::Heap { .. }, Some(SubRecordTag::OBJECT_ARRAY_DUMP)) => slice.get(9 + width..9 + 2 * width),
            _ => None,
        };
        let class = class.map(|bytes| bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)));
        Ok(class.zip(self.heap).is_some_and(|(class, heap)| heap.layouts.knows(Address(class))))
    }
}

/// Bytes that a record of little evidence may lead away in a search.
const FAR: u64 = 64 << 10;

fn is_sub_record_tag(tag: u8) -> bool {
    SubRecordTag(tag).form().is_some()
}

/// Measures a record or sub-record at an offset, with as many bytes as it takes.
fn measure(
    bytes: &mut DumpBytes,
    id: IdSize,
    heap: Option<&KnownHeap>,
    end: u64,
    at: u64,
    place: Place,
) -> Result<Result<Measured, Unsound>, Error> {
    let left = match place {
        Place::Heap { end: Some(end) } if end > at => end - at,
        _ => end - at,
    };
    let mut wanted = 64;
    loop {
        let slice = bytes.at(at, wanted)?;
        let slice = &slice[..slice.len().min(usize::try_from(end - at).unwrap_or(usize::MAX))];
        let measured = match place {
            Place::Top => measure_record(slice, id, left),
            Place::Heap { .. } => measure_sub_record(slice, id, left, heap),
        };
        match measured {
            Err(Unsound::Incomplete(_)) if slice.len() < wanted => return Ok(Err(Unsound::Overrun)),
            Err(Unsound::Incomplete(needed)) => {
                let more = usize::try_from(needed).unwrap_or(usize::MAX).max(2 * wanted);
                if wanted >= LONGEST_CLASS.max(LOOKED_AT) {
                    return Ok(Err(Unsound::Overrun));
                }
                wanted = more.min(LONGEST_CLASS.max(LOOKED_AT));
            }
            other => return Ok(other),
        }
    }
}

/// The header at an offset, if there is one, and the offset after it.
pub(super) fn find_header(bytes: &mut DumpBytes, at: u64) -> Result<Option<(Header, u64)>, Error> {
    let slice = bytes.at(at, 64)?;
    let mut cursor = Cursor::new(slice, NoTrace);
    Ok(decode::header(&mut cursor).ok().map(|header| (header, at + cursor.position() as u64)))
}
