//! The sound parts of a damaged HPROF dump.
//!
//! Three ways through the file: the first finds the classes, and with them the lengths of instances; the second knows these, so
//! that a chain of sub-records is sure, and finds the faults and the sound stretches; the third writes them as they are, with
//! new lengths of segments.

mod measure;
mod walk;

use std::io::{self, Write};
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::error::Error;
use crate::hprof::lift::InstanceLayouts;
use crate::hprof::tags::RecordTag;
use crate::hprof::wire::{HEAD, Header, IdSize, MAGIC, Version};
use crate::hprof::{encode, open::FORMAT};
use crate::input::{Input, name_foreign};
use crate::model::{Address, AddressSet, FieldType, count_step};
use crate::salvage::bytes::DumpBytes;
use crate::salvage::{FaultKind, FoundDump, SalvageFault, SalvageOptions, SalvageReport};

use measure::{KnownHeap, Measured, MeasuredClass, MeasuredKind, SegmentHead, measure_sub_record};
use walk::{WalkStep, Walker, find_header};

/// Longest segment that is written where a HEAP DUMP is too long for its length.
const LONGEST_SEGMENT: u64 = 1 << 30;
/// Bytes at the front of a file among which a damaged header's records may begin.
const HEADER_ROOM: u64 = 4096;

/// Finds what is wrong with a dump, and writes what is sound to `out`, if there is one.
///
/// # Errors
/// If the input cannot be read, has nothing that is an HPROF dump, or writing fails.
pub(super) fn salvage(
    input: &Input,
    options: &SalvageOptions,
    out: Option<&mut dyn Write>,
) -> Result<SalvageReport, Error> {
    let mut bytes = DumpBytes::new(input)?;
    let mut report =
        SalvageReport { schema: 1, format: FORMAT.to_string(), bytes: bytes.length(), ..SalvageReport::default() };
    report.part = options.part as u64;
    let mut start = DumpStart::find(&mut bytes, input)?;
    let mut plan = None;
    loop {
        let wanted = report.dumps.len() == options.part;
        let end = if wanted {
            let made = SalvagePlan::make(&bytes, &start, &mut report)?;
            let end = made.end;
            plan = Some((start.clone(), made));
            end
        } else {
            Walker::new(&bytes, start.header.id_size, bytes.length(), None).walk(start.body, &mut |_| Ok(()))?
        };
        report.dumps.push(FoundDump { offset: start.offset, bytes: end - start.offset });
        match find_header(&mut bytes, end)? {
            Some((header, body)) if end < bytes.length() => {
                start = DumpStart { header, offset: end, body, is_changed: false }
            }
            _ => break,
        }
    }
    let Some((start, plan)) = plan else {
        let message = format!(
            "{} has {} dumps; choose one from 0 to {}",
            input.name(),
            report.dumps.len(),
            report.dumps.len() - 1
        );
        return Err(Error::Usage(message));
    };
    // The report is the same whether the dump is written or not.
    let mut nowhere = io::sink();
    let out = out.unwrap_or(&mut nowhere);
    SalvageWriter { bytes, start: &start, plan: &plan, report: &mut report }.write(out)?;
    Ok(report)
}

/// The start of a dump in a file.
#[derive(Clone, Debug)]
struct DumpStart {
    header: Header,
    offset: u64,
    /// The offset of its first record.
    body: u64,
    /// Whether the header is another one than the file's.
    is_changed: bool,
}

impl DumpStart {
    /// The header at the front; where it is damaged, one that fits the records.
    fn find(bytes: &mut DumpBytes, input: &Input) -> Result<DumpStart, Error> {
        if let Some((header, body)) = find_header(bytes, 0)? {
            // A size may be legal and wrong all the same.
            let id_size = id_size_of_loads(bytes, body)?.unwrap_or(header.id_size);
            let is_changed = id_size != header.id_size;
            return Ok(DumpStart { header: Header { id_size, ..header }, offset: 0, body, is_changed });
        }
        let length = bytes.length();
        let mut walker = Walker::new(bytes, IdSize::Eight, length, None);
        for body in 0..HEADER_ROOM.min(length) {
            // Heads of records are the same for all sizes of identifiers.
            let Some(id_size) = id_size_of_loads(bytes, body)? else { continue };
            walker = walker.with_id_size(id_size);
            if walker.begins_at(body)? {
                let text = String::from_utf8_lossy(bytes.at(0, 64)?).into_owned();
                let version = Version::ALL.into_iter().find(|version| text.contains(version.text()));
                let header = Header { version: version.unwrap_or(Version::V1_0_2), id_size, timestamp: 0 };
                return Ok(DumpStart { header, offset: 0, body, is_changed: true });
            }
        }
        let message = match name_foreign(bytes.at(0, 4096)?) {
            Some(named) => format!("{} is no dump: {named}", input.name()),
            None => format!("{} has no records of a dump that could be kept", input.name()),
        };
        Err(Error::Usage(message))
    }

    fn spell(&self) -> Vec<u8> {
        let mut spelled = Vec::new();
        encode::header(&mut spelled, &self.header);
        spelled
    }
}

/// Records that are looked at for one that tells the size of identifiers.
const LOADS_WITHIN: u32 = 1 << 20;

/// The size of identifiers by the length of the first LOAD CLASS: two of them, and two serial numbers.
fn id_size_of_loads(bytes: &mut DumpBytes, body: u64) -> Result<Option<IdSize>, Error> {
    let mut at = body;
    for _ in 0..LOADS_WITHIN {
        let &[tag, _, _, _, _, a, b, c, d] = bytes.at(at, HEAD)? else { break };
        let length = u64::from(u32::from_be_bytes([a, b, c, d]));
        match RecordTag(tag) {
            RecordTag::LOAD_CLASS => return Ok(length.checked_sub(8).and_then(|ids| IdSize::from_bytes(ids / 2))),
            tag if tag.form().is_none() || tag.is_dump() => break,
            _ => at += HEAD as u64 + length,
        }
    }
    Ok(None)
}

/// The sound stretches of a dump.
#[derive(Debug, Default)]
struct SalvagePlan {
    blocks: Vec<SalvageBlock>,
    /// Classes and objects that are kept, of each heap.
    kept: Vec<AddressSet>,
    /// Whether the next segment begins another heap.
    is_ended: bool,
    /// Classes whose instances speak against their fields.
    unsound: HashSet<Address>,
    end: u64,
    /// Whether some roots or repeated objects are to be left out.
    is_sifted: bool,
}

#[derive(Debug)]
enum SalvageBlock {
    /// Records outside of the heap.
    Records(Range<u64>),
    /// A segment, with the stretches of its body.
    Segment { heap: usize, head: SegmentHead, body: Vec<Range<u64>> },
}

impl SalvagePlan {
    fn make(bytes: &DumpBytes, start: &DumpStart, report: &mut SalvageReport) -> Result<SalvagePlan, Error> {
        let id = start.header.id_size;
        let mut found = FoundClasses::default();
        Walker::new(bytes, id, bytes.length(), None).walk(start.body, &mut |step| {
            if let WalkStep::SubRecord(_, measured) = step {
                found.record(measured, id);
            }
            Ok(())
        })?;
        let (heap, unsound) = found.known(id);
        let mut plan = SalvagePlan { unsound, ..SalvagePlan::default() };
        if start.is_changed {
            let kind = FaultKind::Header;
            let rests_on = format!("records with identifiers of {} bytes chain from there on", id.bytes());
            report.push(SalvageFault { offset: start.offset, end: start.body, kind, rests_on });
            report.changes.push(format!(
                "the header is a new one: {}",
                String::from_utf8_lossy(&start.spell()[..MAGIC.len() + 5])
            ));
        }
        plan.end = Walker::new(bytes, id, bytes.length(), Some(&heap)).walk(start.body, &mut |step| {
            plan.record_step(step, report);
            Ok(())
        })?;
        plan.is_sifted = report.duplicates > 0 || !plan.unsound.is_empty() || report.lost_bytes > 0;
        Ok(plan)
    }

    fn record_step(&mut self, step: WalkStep<'_>, report: &mut SalvageReport) {
        match step {
            WalkStep::Record(at, measured) => {
                let place = at..at + measured.length;
                report.kept.records += 1;
                self.is_ended |= matches!(measured.kind, MeasuredKind::Record(RecordTag::HEAP_DUMP_END));
                match self.blocks.last_mut() {
                    Some(SalvageBlock::Records(before)) if before.end == at => before.end = place.end,
                    _ => self.blocks.push(SalvageBlock::Records(place)),
                }
            }
            WalkStep::Segment(head) => {
                // Without a head, what follows goes on with the segment before, if that is the last thing.
                if head.is_none() && matches!(self.blocks.last(), Some(SalvageBlock::Segment { .. })) {
                    return;
                }
                let is_lost = head.is_none();
                let head = head.unwrap_or(SegmentHead { tag: RecordTag::HEAP_DUMP_SEGMENT, time: 0, stated: 0 });
                if is_lost {
                    report.changes.push("a segment whose head is lost has a new one".to_owned());
                }
                if self.kept.is_empty() || self.is_ended || head.tag == RecordTag::HEAP_DUMP {
                    self.kept.push(AddressSet::default());
                }
                self.is_ended = false;
                self.blocks.push(SalvageBlock::Segment { heap: self.kept.len() - 1, head, body: Vec::new() });
            }
            WalkStep::SubRecord(at, measured) => {
                let Some(kept) = self.kept.last_mut() else { return };
                match measured.kind {
                    MeasuredKind::Class(MeasuredClass { address, .. }) if self.unsound.contains(&address) => {}
                    MeasuredKind::Class(MeasuredClass { address, .. }) => match kept.insert(address.0) {
                        true => report.kept.classes += 1,
                        false => report.duplicates += 1,
                    },
                    MeasuredKind::Instance(address, _) | MeasuredKind::Array(address) => match kept.insert(address.0) {
                        true => report.kept.objects += 1,
                        false => report.duplicates += 1,
                    },
                    MeasuredKind::Root(_) => report.kept.roots += 1,
                    _ => {}
                }
                if let Some(SalvageBlock::Segment { body, .. }) = self.blocks.last_mut() {
                    match body.last_mut() {
                        Some(before) if before.end == at => before.end += measured.length,
                        _ => body.push(at..at + measured.length),
                    }
                }
            }
            WalkStep::SegmentEnd => {}
            WalkStep::Fault(fault) => {
                report.lost_bytes += fault.end - fault.offset;
                report.push(fault);
            }
        }
    }
}

/// The classes of a damaged dump, and the lengths of their instances.
#[derive(Debug, Default)]
struct FoundClasses {
    classes: Vec<(Address, Address, Box<[FieldType]>)>,
    /// The bytes of the first instance of each class, how many have as many, and how many others there are.
    lengths: HashMap<Address, (u64, u64, u64)>,
    /// The number of classes and objects in each region, and in all.
    regions: HashMap<u64, u64>,
    addresses: u64,
}

/// Classes and objects from which on regions are told by them.
const ENOUGH: u64 = 64;

impl FoundClasses {
    fn record(&mut self, measured: &Measured, id: IdSize) {
        if let MeasuredKind::Class(MeasuredClass { address, .. })
        | MeasuredKind::Instance(address, _)
        | MeasuredKind::Array(address) = &measured.kind
        {
            *self.regions.entry(KnownHeap::region(id, *address)).or_default() += 1;
            self.addresses += 1;
        }
        match &measured.kind {
            MeasuredKind::Class(class) => {
                self.classes.push((class.address, class.superclass, class.fields.clone()));
            }
            MeasuredKind::Instance(_, class) => {
                let length = measured.length - measured.head;
                let (first, same, others) = self.lengths.entry(*class).or_insert((length, 0, 0));
                if *first == length { *same += 1 } else { *others += 1 }
            }
            _ => {}
        }
    }

    /// The classes that are superclasses of themselves.
    fn on_cycles(&self) -> HashSet<Address> {
        let mut supers = HashMap::default();
        for (class, superclass, _) in &self.classes {
            // Of several with one identifier, the first is kept.
            supers.entry(*class).or_insert(*superclass);
        }
        let (mut done, mut on_cycles) = (HashSet::default(), HashSet::default());
        for (first, ..) in &self.classes {
            let (mut way, mut at) = (Vec::new(), *first);
            // Up to what is known already, the end of the chain, or where it comes back to itself.
            while done.insert(at) {
                count_step();
                way.push(at);
                let Some(next) = supers.get(&at).filter(|next| !next.is_null()) else { break };
                at = *next;
            }
            if let Some(start) =
                way.iter().position(|class| *class == at).filter(|_| supers.get(way.last().unwrap_or(&at)) == Some(&at))
            {
                on_cycles.extend(way.drain(start..));
            }
        }
        on_cycles
    }

    /// The layouts of the classes that their instances agree with, and the classes with which they do not.
    fn known(self, id: IdSize) -> (KnownHeap, HashSet<Address>) {
        let mut layouts_of = HashMap::default();
        let mut several = HashSet::default();
        for (class, superclass, fields) in &self.classes {
            if *layouts_of.entry(*class).or_insert((superclass, fields)) != (superclass, fields) {
                several.insert(*class);
            }
        }
        // Heaps may have classes of one identifier and other fields: then nothing is known of their instances.
        let of_one = |(class, superclass, fields): &(Address, Address, Box<[FieldType]>)| {
            let superclass = if several.contains(class) { Address(u64::MAX) } else { *superclass };
            (*class, superclass, fields.clone())
        };
        let all = |leave: &HashSet<Address>| {
            let kept = self.classes.iter().filter(|(class, ..)| !leave.contains(class)).map(of_one);
            InstanceLayouts::new(id, kept)
        };
        let mut unsound = self.on_cycles();
        let mut layouts = all(&unsound);
        for (class, (length, same, others)) in &self.lengths {
            if *same > 1 && *same > *others && layouts.instance_bytes(*class).is_some_and(|due| due != *length) {
                unsound.insert(*class);
            }
        }
        if !unsound.is_empty() {
            layouts = all(&unsound);
        }
        // What lies alone may be chance.
        let is_region = |count: u64| self.addresses >= ENOUGH && count > 2 && count * 1_000 >= self.addresses;
        let regions = self.regions.iter().filter(|(_, count)| is_region(**count)).map(|(region, _)| *region).collect();
        (KnownHeap { layouts, regions }, unsound)
    }
}

/// Writes what a plan keeps.
struct SalvageWriter<'w> {
    bytes: DumpBytes,
    start: &'w DumpStart,
    plan: &'w SalvagePlan,
    report: &'w mut SalvageReport,
}

impl SalvageWriter<'_> {
    fn write(mut self, out: &mut dyn Write) -> Result<(), Error> {
        let put =
            |out: &mut dyn Write, bytes: &[u8]| out.write_all(bytes).map_err(|e| Error::io("writing the dump", e));
        put(out, &self.start.spell())?;
        let plan = self.plan;
        let known = if plan.is_sifted { self.known_heaps()? } else { Vec::new() };
        let (mut written, mut of_heap) = (AddressSet::default(), 0);
        let (mut has_segments, mut ended) = (false, false);
        for block in &plan.blocks {
            match block {
                SalvageBlock::Records(place) => {
                    ended = self.ends_with_end(place)?;
                    self.copy(place.clone(), out)?;
                }
                SalvageBlock::Segment { heap, head, body } => {
                    if *heap != of_heap {
                        (written, of_heap) = (AddressSet::default(), *heap);
                    }
                    let kept = match known.get(*heap) {
                        Some(known) => self.sift(*heap, known, body, &mut written)?,
                        None => body.clone(),
                    };
                    let length: u64 = kept.iter().map(|place| place.end - place.start).sum();
                    // An empty segment of the original stays; one of which nothing is left goes.
                    if length == 0 && !(body.is_empty() && head.stated == 0) {
                        continue;
                    }
                    (has_segments, ended) = (head.tag == RecordTag::HEAP_DUMP_SEGMENT, false);
                    if length > u64::from(u32::MAX) {
                        self.report.changes.push(format!("a segment of {length} bytes is written as several"));
                        has_segments = true;
                        self.write_parts(&kept, out)?;
                        continue;
                    }
                    put(out, &segment_head(head.tag, head.time, length as u32))?;
                    for place in kept {
                        self.copy(place, out)?;
                    }
                }
            }
        }
        if has_segments && !ended {
            self.report.changes.push("HEAP DUMP END is added".to_owned());
            put(out, &segment_head(RecordTag::HEAP_DUMP_END, 0, 0))?;
        }
        Ok(())
    }

    /// Whether the last of some records is HEAP DUMP END.
    fn ends_with_end(&mut self, place: &Range<u64>) -> Result<bool, Error> {
        let last = place.end.saturating_sub(HEAD as u64).max(place.start);
        let head = self.bytes.at(last, HEAD)?;
        Ok(matches!(head, [tag, _, _, _, _, 0, 0, 0, 0] if RecordTag(*tag) == RecordTag::HEAP_DUMP_END))
    }

    /// The classes of each heap that are written, and those of them with which their instances do not agree.
    fn known_heaps(&mut self) -> Result<Vec<(KnownHeap, HashSet<Address>)>, Error> {
        let (plan, id) = (self.plan, self.start.header.id_size);
        let mut found: Vec<FoundClasses> = plan.kept.iter().map(|_| FoundClasses::default()).collect();
        let mut seen = AddressSet::default();
        let mut of_heap = 0;
        for block in &plan.blocks {
            let SalvageBlock::Segment { heap, body, .. } = block else { continue };
            if *heap != of_heap {
                (seen, of_heap) = (AddressSet::default(), *heap);
            }
            for stretch in body {
                let mut at = stretch.start;
                while at < stretch.end {
                    let measured = self.measured(at, stretch.end, id)?;
                    at += measured.length;
                    let is_first = match &measured.kind {
                        MeasuredKind::Class(class) => {
                            !plan.unsound.contains(&class.address) && seen.insert(class.address.0)
                        }
                        MeasuredKind::Instance(..) => true,
                        _ => false,
                    };
                    if is_first {
                        found[*heap].record(&measured, id);
                    }
                }
            }
        }
        Ok(found.into_iter().map(|classes| classes.known(id)).collect())
    }

    /// The stretches without roots of what is lost, without what was written before, and without instances that are not as long
    /// as their classes say.
    fn sift(
        &mut self,
        heap: usize,
        (known, unsound): &(KnownHeap, HashSet<Address>),
        body: &[Range<u64>],
        written: &mut AddressSet,
    ) -> Result<Vec<Range<u64>>, Error> {
        let id = self.start.header.id_size;
        let mut kept: Vec<Range<u64>> = Vec::new();
        for stretch in body {
            let mut at = stretch.start;
            while at < stretch.end {
                let measured = self.measured(at, stretch.end, id)?;
                let place = at..at + measured.length;
                at = place.end;
                let keeps = match measured.kind {
                    MeasuredKind::Root(object) => {
                        let is_kept = object.is_null() || self.plan.kept[heap].has(object.0);
                        if !is_kept {
                            self.report.dropped_roots += 1;
                            self.report.kept.roots = self.report.kept.roots.saturating_sub(1);
                        }
                        is_kept
                    }
                    MeasuredKind::Class(MeasuredClass { address, .. }) if self.plan.unsound.contains(&address) => false,
                    MeasuredKind::Class(MeasuredClass { address, .. }) if unsound.contains(&address) => {
                        self.report.kept.classes = self.report.kept.classes.saturating_sub(1);
                        false
                    }
                    MeasuredKind::Instance(_, class)
                        if known
                            .layouts
                            .instance_bytes(class)
                            .is_some_and(|due| due != measured.length - measured.head) =>
                    {
                        self.report.kept.objects = self.report.kept.objects.saturating_sub(1);
                        false
                    }
                    MeasuredKind::Class(MeasuredClass { address, .. })
                    | MeasuredKind::Instance(address, _)
                    | MeasuredKind::Array(address) => written.insert(address.0),
                    _ => true,
                };
                if !keeps && !matches!(measured.kind, MeasuredKind::Root(_)) {
                    self.report.lost_bytes += measured.length;
                }
                match kept.last_mut() {
                    _ if !keeps => {}
                    Some(before) if before.end == place.start => before.end = place.end,
                    _ => kept.push(place),
                }
            }
        }
        Ok(kept)
    }

    /// Measures a sub-record that is known to be sound.
    fn measured(&mut self, at: u64, end: u64, id: IdSize) -> Result<Measured, Error> {
        let mut wanted = 64;
        loop {
            let slice = self.bytes.at(at, wanted)?;
            let is_all = slice.len() < wanted;
            match measure_sub_record(slice, id, end - at, None) {
                Ok(measured) => return Ok(measured),
                Err(_) if !is_all && wanted < measure::LONGEST_CLASS => wanted *= 4,
                Err(unsound) => {
                    return Err(Error::Usage(format!("the input has changed at offset {at:#x}: {unsound:?}")));
                }
            }
        }
    }

    /// Writes stretches as segments that are not too long for their lengths.
    fn write_parts(&mut self, kept: &[Range<u64>], out: &mut dyn Write) -> Result<(), Error> {
        let id = self.start.header.id_size;
        let mut part: Vec<Range<u64>> = Vec::new();
        let mut length = 0;
        let mut finish = |writer: &mut Self, part: &mut Vec<Range<u64>>, length: &mut u64| -> Result<(), Error> {
            if *length > 0 {
                let head = segment_head(RecordTag::HEAP_DUMP_SEGMENT, 0, *length as u32);
                out.write_all(&head).map_err(|e| Error::io("writing the dump", e))?;
                for place in part.drain(..) {
                    writer.copy(place, out)?;
                }
                *length = 0;
            }
            Ok(())
        };
        for stretch in kept {
            let mut at = stretch.start;
            while at < stretch.end {
                let measured = self.measured(at, stretch.end, id)?;
                if length + measured.length > LONGEST_SEGMENT {
                    finish(self, &mut part, &mut length)?;
                }
                match part.last_mut() {
                    Some(before) if before.end == at => before.end += measured.length,
                    _ => part.push(at..at + measured.length),
                }
                (at, length) = (at + measured.length, length + measured.length);
            }
        }
        finish(self, &mut part, &mut length)
    }

    fn copy(&mut self, place: Range<u64>, out: &mut dyn Write) -> Result<(), Error> {
        let mut at = place.start;
        while at < place.end {
            let wanted = (place.end - at).min(64 << 10) as usize;
            let slice = self.bytes.at(at, wanted)?;
            if slice.is_empty() {
                return Err(Error::Usage("the input has become shorter".to_owned()));
            }
            out.write_all(slice).map_err(|e| Error::io("writing the dump", e))?;
            at += slice.len() as u64;
        }
        Ok(())
    }
}

fn segment_head(tag: RecordTag, time: u32, length: u32) -> [u8; HEAD] {
    let ([a, b, c, d], [e, f, g, h]) = (time.to_be_bytes(), length.to_be_bytes());
    [tag.0, a, b, c, d, e, f, g, h]
}
