//! Carried items to records.

use std::borrow::Cow;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use crate::error::{Error, LowerError};
use crate::hprof::encode;
use crate::hprof::record::{Record, RecordBody};
use crate::hprof::sub_record::{
    ArrayHead, ClassDump, InstanceDump, ObjectArrayDump, PrimitiveArrayDump, RootRecord, SubRecord,
};
use crate::hprof::wire::{Header, RecordTag, SubRecordTag};
use crate::model::blocks::BlockFilling;
use crate::model::{
    Class, Contents, Event, EventKind, Facts, Name, Object, ObjectKind, PiecewiseContents, Region, Root, TextId,
};
use crate::threads::in_order;

use super::items::{CarriedBlocks, CarriedItem};
use super::objects::{instance_length, object_sub_record};
use super::plan::LowerPlan;
use super::segments::{SegmentWriter, WrittenSegments};
use super::template::{ShapeTemplate, ShapeTemplates};

/// Spells one file.
pub(super) struct Speller<'p, 'o> {
    plan: &'p LowerPlan,
    segments: SegmentWriter<'o>,
    /// The identifier of each string, the first one where a string has several.
    texts: HashMap<Name, TextId>,
    region: Option<(u32, TextId)>,
    /// Whether the heap has a dump record yet.
    empty: bool,
    scratch: Vec<u8>,
}

impl<'p, 'o> Speller<'p, 'o> {
    pub(super) fn new(plan: &'p LowerPlan, segments: SegmentWriter<'o>) -> Speller<'p, 'o> {
        Speller { plan, segments, texts: HashMap::new(), region: None, empty: true, scratch: Vec::new() }
    }

    pub(super) fn spell(&mut self, told: CarriedItem<'_>) -> Result<(), Error> {
        match told {
            CarriedItem::Header(facts) => self.header(&facts),
            CarriedItem::HeapBegins(told) => {
                told.log.update_ids(&mut self.texts, told.number);
                self.region = None;
                self.empty = true;
                self.segments.begin_heap(told.times.0);
                Ok(())
            }
            CarriedItem::Event(event) => self.event(event),
            CarriedItem::Region(region) => self.begin_region(region),
            CarriedItem::Root(root) => self.root(root),
            CarriedItem::Class(class) => self.class(class),
            CarriedItem::Object(object) => self.object(object),
            CarriedItem::Blocks(told) => self.blocks(&told),
            CarriedItem::HeapEnds(told, ..) => self.segments.end_heap(self.empty, told.times.1),
            CarriedItem::Tail(events) => events.iter().try_for_each(|event| self.event(event)),
        }
    }

    pub(super) fn finish(self) -> Result<WrittenSegments, Error> {
        self.segments.finish()
    }

    fn header(&mut self, facts: &Facts) -> Result<(), Error> {
        let header = Header {
            version: self.plan.framing.version,
            id_size: self.plan.id,
            timestamp: facts.timestamp.unwrap_or_default(),
        };
        self.segments.write_raw(|out| {
            encode::header(out, &header);
            Ok(())
        })
    }

    fn event(&mut self, event: &Event) -> Result<(), Error> {
        let borrowed = |bytes: &'static [u8]| Cow::Borrowed(bytes);
        let body = match &event.kind {
            EventKind::Text(id, text) => RecordBody::Text(*id, Cow::Borrowed(text.as_bytes())),
            EventKind::LoadClass(load) => RecordBody::LoadClass(*load),
            EventKind::UnloadClass(serial) => RecordBody::UnloadClass(*serial),
            EventKind::Frame(frame) => RecordBody::Frame(*frame),
            EventKind::Trace(trace) => RecordBody::Trace(trace.clone()),
            EventKind::AllocationSites(sites) => RecordBody::AllocSites(sites.clone()),
            EventKind::HeapSummary(summary) => RecordBody::HeapSummary(*summary),
            EventKind::StartThread(thread) => RecordBody::StartThread(*thread),
            EventKind::EndThread(serial) => RecordBody::EndThread(*serial),
            EventKind::CpuSamples(samples) => RecordBody::CpuSamples(samples.clone()),
            EventKind::ControlSettings(settings) => RecordBody::ControlSettings(*settings),
            EventKind::Unknown { tag, body } => RecordBody::Unknown(RecordTag(*tag), Cow::Borrowed(body)),
        };
        let record = Record { time: event.time, body, rest: borrowed(&[]) };
        let id = self.plan.id;
        (0..event.times()).try_for_each(|_| self.segments.write_raw(|out| encode::record(out, id, &record, 0)))
    }

    /// Android's heap dump info holds until its segment ends, so each segment begins with one.
    fn begin_region(&mut self, region: &Region) -> Result<(), Error> {
        let name = self.text_id(&region.name)?;
        self.region = Some((region.id, name));
        let info = SubRecord::HeapInfo(region.id, name);
        self.write_sub_record(&info, true)
    }

    fn root(&mut self, root: &Root) -> Result<(), Error> {
        self.write_sub_record(&SubRecord::Root(RootRecord { object: root.object, kind: root.kind }), false)
    }

    fn class(&mut self, class: &Class) -> Result<(), Error> {
        let mut dump = ClassDump {
            id: class.address,
            trace: class.trace.unwrap_or_default(),
            superclass: class.superclass.unwrap_or_default(),
            loader: class.loader.unwrap_or_default(),
            signers: class.signers.unwrap_or_default(),
            protection_domain: class.protection_domain.unwrap_or_default(),
            reserved: [0; 2],
            instance_size: class.instance_size.map_or(0, |size| size.0 as u32),
            constant_pool: class.constant_pool.iter().flatten().map(|entry| (entry.index, entry.value)).collect(),
            ..ClassDump::default()
        };
        for field in class.statics.iter().flatten() {
            dump.statics.push((self.text_id(&field.name)?, field.value));
        }
        for field in class.fields.iter().flatten() {
            dump.fields.push((self.text_id(&field.name)?, field.kind));
        }
        self.write_sub_record(&SubRecord::Class(dump), false)
    }

    fn object(&mut self, object: &Object) -> Result<(), Error> {
        if let Contents::Long(long) = &object.contents {
            return self.long_object(object, long);
        }
        let mut contents = std::mem::take(&mut self.scratch);
        let sub_record = object_sub_record(self.plan.id, object, &mut contents)?;
        self.write_sub_record(&sub_record, false)?;
        drop(sub_record);
        self.scratch = contents;
        Ok(())
    }

    /// Objects in blocks: together, where a segment has room for a block.
    fn blocks(&mut self, told: &CarriedBlocks<'_>) -> Result<(), Error> {
        let stamps = ShapeTemplates::new(self.plan, told.blocks, told.carrier)?;
        let (count, period) = (told.blocks.count(), told.blocks.period());
        let (first, last) = (told.first.div_ceil(period), count / period);
        if !self.plan.framing.groups || first >= last {
            return self.write_blocks(&stamps, told.first..count);
        }
        self.write_blocks(&stamps, told.first..first * period)?;
        self.write_groups(&stamps, period, first..last)?;
        self.write_blocks(&stamps, last * period..count)
    }

    /// Blocks in turn, in segments as they come.
    fn write_blocks(&mut self, stamps: &ShapeTemplates<'_>, blocks: Range<u64>) -> Result<(), Error> {
        if self.plan.threads <= 1 {
            let (mut filling, mut scratch) = (BlockFilling::default(), Vec::new());
            for block in blocks {
                let stamp = stamps.template_of(block);
                if self.segments.has_room_for(stamp.length(), stamp.count()) {
                    let write = |out: &mut Vec<u8>| stamps.append_block(block, &mut filling, out);
                    self.segments.sub_records(stamp.length(), stamp.count(), write)?;
                    continue;
                }
                scratch.clear();
                stamps.append_block(block, &mut filling, &mut scratch)?;
                self.write_block(stamp, &scratch)?;
            }
            return Ok(());
        }
        let part = |number: u64| {
            let start = blocks.start + number * TOGETHER;
            start..(start + TOGETHER).min(blocks.end)
        };
        let make = |number, made: &mut BlockBatch| made.fill(stamps, part(number));
        let parts = (blocks.end - blocks.start).div_ceil(TOGETHER);
        in_order(self.plan.threads, parts, make, |number, made| {
            let mut bytes = made.bytes.as_slice();
            for block in part(number) {
                let stamp = stamps.template_of(block);
                let (of_block, rest) = bytes.split_at(stamp.length() as usize);
                bytes = rest;
                if self.segments.has_room_for(stamp.length(), stamp.count()) {
                    let write = |out: &mut Vec<u8>| append(out, of_block);
                    self.segments.sub_records(stamp.length(), stamp.count(), write)?;
                } else {
                    self.write_block(stamp, of_block)?;
                }
            }
            Ok(())
        })
    }

    /// The sub-records of a block one by one.
    fn write_block(&mut self, stamp: &ShapeTemplate, bytes: &[u8]) -> Result<(), Error> {
        for (tag, place) in stamp.sub_records() {
            self.make_room(tag, place.len() as u64, false)?;
            self.segments.sub_record(tag, |out| append(out, &bytes[place]))?;
        }
        Ok(())
    }

    /// Groups of blocks in segments of their own, as far as they are wanted.
    fn write_groups(&mut self, stamps: &ShapeTemplates<'_>, period: u64, groups: Range<u64>) -> Result<(), Error> {
        let (length, count) = stamps.total_bytes_and_count();
        self.empty = false;
        let (before, after) = self.segments.segments_outside_window(groups.end - groups.start, length)?;
        self.segments.skip(before, length)?;
        let wanted = groups.start + before..groups.end - after;
        let blocks = |number: u64| {
            let start = (wanted.start + number) * period;
            start..start + period
        };
        let make = |number, made: &mut BlockBatch| made.fill(stamps, blocks(number));
        in_order(self.plan.threads, wanted.end - wanted.start, make, |_, made| {
            self.segments.segment(length, count, |out| append(out, &made.bytes))
        })?;
        self.segments.skip(after, length)
    }

    /// An object whose contents are written as they are read.
    fn long_object(&mut self, object: &Object, long: &PiecewiseContents) -> Result<(), Error> {
        let id = self.plan.id;
        let (class, trace) = (object.class.unwrap_or_default(), object.trace.unwrap_or_default());
        let length = object.length.unwrap_or_default() as u32;
        let none = Cow::Borrowed(&[][..]);
        let sub_record = match (object.kind, long) {
            (ObjectKind::Instance, PiecewiseContents::Raw(bytes)) => {
                let length = instance_length(object.address, bytes.count())?;
                SubRecord::Instance(InstanceDump { id: object.address, trace, class, length, values: none })
            }
            (ObjectKind::PrimitiveArray(element), _) => {
                let head = ArrayHead { id: object.address, trace, length, element };
                SubRecord::PrimitiveArray(PrimitiveArrayDump { head, elements: none })
            }
            _ => SubRecord::ObjectArray(ObjectArrayDump { id: object.address, trace, length, class, elements: none }),
        };
        self.make_room(sub_record.tag(), encode::length_of(id, &sub_record), false)?;
        self.segments.long_sub_record(sub_record.tag(), encode::length_of(id, &sub_record), |segments| {
            segments.write_piece(|out| encode::sub_record(out, id, &sub_record))?;
            match long {
                PiecewiseContents::References(listed) | PiecewiseContents::Elements(listed) => listed.visit(|piece| {
                    segments.write_piece(|out| {
                        piece.iter().for_each(|to| encode::put_id(out, id, to.0));
                        Ok(())
                    })
                }),
                PiecewiseContents::Raw(bytes) | PiecewiseContents::Primitives(bytes) => bytes.visit(|piece| {
                    segments.write_piece(|out| {
                        out.extend_from_slice(piece);
                        Ok(())
                    })
                }),
            }
        })
    }

    fn write_sub_record(&mut self, sub_record: &SubRecord<'_>, is_info: bool) -> Result<(), Error> {
        let id = self.plan.id;
        self.make_room(sub_record.tag(), encode::length_of(id, sub_record), is_info)?;
        self.segments.sub_record(sub_record.tag(), |out| encode::sub_record(out, id, sub_record))
    }

    /// Makes room for a sub-record of that many bytes.
    fn make_room(&mut self, tag: SubRecordTag, length: u64, is_info: bool) -> Result<(), Error> {
        let id = self.plan.id;
        self.empty = false;
        let begins = self.segments.make_room(tag, length)?;
        if let Some((heap, name)) = self.region.filter(|_| begins && !is_info) {
            let info = SubRecord::HeapInfo(heap, name);
            self.segments.sub_record(info.tag(), |out| encode::sub_record(out, id, &info))?;
        }
        Ok(())
    }

    /// The identifier of a name. An empty one that the log does not have stands for a name that was never given.
    fn text_id(&self, name: &Name) -> Result<TextId, LowerError> {
        match self.texts.get(name) {
            Some(&id) => Ok(id),
            None if name.as_bytes().is_empty() => Ok(TextId(0)),
            None => Err(LowerError::NoText(name.to_string())),
        }
    }
}

/// Blocks that are made at once where there are several threads.
const TOGETHER: u64 = 64;

/// Sub-records of blocks, one after the other.
#[derive(Default)]
struct BlockBatch {
    filling: BlockFilling,
    bytes: Vec<u8>,
}

impl BlockBatch {
    fn fill(&mut self, stamps: &ShapeTemplates<'_>, mut blocks: Range<u64>) -> Result<(), Error> {
        self.bytes.clear();
        Ok(blocks.try_for_each(|block| stamps.append_block(block, &mut self.filling, &mut self.bytes))?)
    }
}

#[allow(clippy::unnecessary_wraps, reason = "what writes sub-records can fail")]
fn append(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), LowerError> {
    out.extend_from_slice(bytes);
    Ok(())
}
