//! Told items to records.

use std::borrow::Cow;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use crate::error::{Error, LowerError};
use crate::model::blocks::Filling;
use crate::model::{Class, Contents, Event, EventKind, Facts, Long, Name, Object, ObjectKind, Region, Root, TextId};
use crate::threads::in_order;

use super::super::encode;
use super::super::record::{Body, Record};
use super::super::sub_record::{
    ArrayHead, ClassDump, InstanceDump, ObjectArrayDump, PrimitiveArrayDump, RootRecord, SubRecord,
};
use super::super::wire::{Header, SubTag, Tag};
use super::objects::{instance_length, object_sub_record};
use super::plan::Plan;
use super::segments::{SegmentWriter, Written};
use super::stamp::{Stamp, Stamps};
use super::tell::{BlocksTold, Told};

/// Spells one file.
pub(super) struct Speller<'p, 'o> {
    plan: &'p Plan,
    segments: SegmentWriter<'o>,
    /// The identifier of each string, the first one where a string has several.
    texts: HashMap<Name, TextId>,
    region: Option<(u32, TextId)>,
    /// Whether the heap has a dump record yet.
    empty: bool,
    scratch: Vec<u8>,
}

impl<'p, 'o> Speller<'p, 'o> {
    pub(super) fn new(plan: &'p Plan, segments: SegmentWriter<'o>) -> Speller<'p, 'o> {
        Speller { plan, segments, texts: HashMap::new(), region: None, empty: true, scratch: Vec::new() }
    }

    pub(super) fn spell(&mut self, told: Told<'_>) -> Result<(), Error> {
        match told {
            Told::Header(facts) => self.header(&facts),
            Told::HeapBegins(told) => {
                told.log.update(&mut self.texts, told.number);
                self.region = None;
                self.empty = true;
                self.segments.set_time(told.times.0);
                Ok(())
            }
            Told::Event(event) => self.event(event),
            Told::Region(region) => self.begin_region(region),
            Told::Root(root) => self.root(root),
            Told::Class(class) => self.class(class),
            Told::Object(object) => self.object(object),
            Told::Blocks(told) => self.blocks(&told),
            Told::HeapEnds(told, ..) => self.segments.end_heap(self.empty, told.times.1),
            Told::Tail(events) => events.iter().try_for_each(|event| self.event(event)),
        }
    }

    pub(super) fn finish(self) -> Result<Written, Error> {
        self.segments.finish()
    }

    fn header(&mut self, facts: &Facts) -> Result<(), Error> {
        let header = Header {
            version: self.plan.framing.version,
            id_size: self.plan.id,
            timestamp: facts.timestamp.unwrap_or_default(),
        };
        self.segments.raw(|out| {
            encode::header(out, &header);
            Ok(())
        })
    }

    fn event(&mut self, event: &Event) -> Result<(), Error> {
        let borrowed = |bytes: &'static [u8]| Cow::Borrowed(bytes);
        let body = match &event.kind {
            EventKind::Text(id, text) => Body::Text(*id, Cow::Borrowed(text.as_bytes())),
            EventKind::LoadClass(load) => Body::LoadClass(*load),
            EventKind::UnloadClass(serial) => Body::UnloadClass(*serial),
            EventKind::Frame(frame) => Body::Frame(*frame),
            EventKind::Trace(trace) => Body::Trace(trace.clone()),
            EventKind::AllocationSites(sites) => Body::AllocSites(sites.clone()),
            EventKind::HeapSummary(summary) => Body::HeapSummary(*summary),
            EventKind::StartThread(thread) => Body::StartThread(*thread),
            EventKind::EndThread(serial) => Body::EndThread(*serial),
            EventKind::CpuSamples(samples) => Body::CpuSamples(samples.clone()),
            EventKind::ControlSettings(settings) => Body::ControlSettings(*settings),
            EventKind::Unknown { tag, body } => Body::Unknown(Tag(*tag), Cow::Borrowed(body)),
        };
        let record = Record { time: event.time, body, rest: borrowed(&[]) };
        let id = self.plan.id;
        (0..event.times()).try_for_each(|_| self.segments.raw(|out| encode::record(out, id, &record, 0)))
    }

    /// Android's heap dump info holds until its segment ends, so each segment begins with one.
    fn begin_region(&mut self, region: &Region) -> Result<(), Error> {
        let name = self.text_id(&region.name)?;
        self.region = Some((region.id, name));
        let info = SubRecord::HeapInfo(region.id, name);
        self.put(&info, true)
    }

    fn root(&mut self, root: &Root) -> Result<(), Error> {
        self.put(&SubRecord::Root(RootRecord { object: root.object, kind: root.kind }), false)
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
        self.put(&SubRecord::Class(dump), false)
    }

    fn object(&mut self, object: &Object) -> Result<(), Error> {
        if let Contents::Long(long) = &object.contents {
            return self.long_object(object, long);
        }
        let mut contents = std::mem::take(&mut self.scratch);
        let sub_record = object_sub_record(self.plan.id, object, &mut contents)?;
        self.put(&sub_record, false)?;
        drop(sub_record);
        self.scratch = contents;
        Ok(())
    }

    /// Objects in blocks: together, where a segment has room for a block.
    fn blocks(&mut self, told: &BlocksTold<'_>) -> Result<(), Error> {
        let stamps = Stamps::new(self.plan, told.blocks, told.carrier)?;
        let (count, period) = (told.blocks.count(), told.blocks.period());
        let (first, last) = (told.first.div_ceil(period), count / period);
        if !self.plan.framing.groups || first >= last {
            return self.run_of_blocks(&stamps, told.first..count);
        }
        self.run_of_blocks(&stamps, told.first..first * period)?;
        self.groups(&stamps, period, first..last)?;
        self.run_of_blocks(&stamps, last * period..count)
    }

    /// Blocks in turn, in segments as they come.
    fn run_of_blocks(&mut self, stamps: &Stamps<'_>, blocks: Range<u64>) -> Result<(), Error> {
        if self.plan.threads <= 1 {
            let (mut filling, mut scratch) = (Filling::default(), Vec::new());
            for block in blocks {
                let stamp = stamps.of(block);
                if self.segments.takes(stamp.length()) {
                    let write = |out: &mut Vec<u8>| stamps.put(block, &mut filling, out);
                    self.segments.sub_records(stamp.length(), stamp.count(), write)?;
                    continue;
                }
                scratch.clear();
                stamps.put(block, &mut filling, &mut scratch)?;
                self.block(stamp, &scratch)?;
            }
            return Ok(());
        }
        let part = |number: u64| {
            let start = blocks.start + number * TOGETHER;
            start..(start + TOGETHER).min(blocks.end)
        };
        let make = |number, made: &mut Made| made.fill(stamps, part(number));
        let parts = (blocks.end - blocks.start).div_ceil(TOGETHER);
        in_order(self.plan.threads, parts, make, |number, made| {
            let mut bytes = made.bytes.as_slice();
            for block in part(number) {
                let stamp = stamps.of(block);
                let (of_block, rest) = bytes.split_at(stamp.length() as usize);
                bytes = rest;
                if self.segments.takes(stamp.length()) {
                    let write = |out: &mut Vec<u8>| append(out, of_block);
                    self.segments.sub_records(stamp.length(), stamp.count(), write)?;
                } else {
                    self.block(stamp, of_block)?;
                }
            }
            Ok(())
        })
    }

    /// The sub-records of a block one by one.
    fn block(&mut self, stamp: &Stamp, bytes: &[u8]) -> Result<(), Error> {
        for (tag, place) in stamp.sub_records() {
            self.admit(tag, place.len() as u64, false)?;
            self.segments.sub_record(tag, |out| append(out, &bytes[place]))?;
        }
        Ok(())
    }

    /// Groups of blocks in segments of their own, as far as they are wanted.
    fn groups(&mut self, stamps: &Stamps<'_>, period: u64, groups: Range<u64>) -> Result<(), Error> {
        let (length, count) = stamps.of_all();
        self.empty = false;
        let (before, after) = self.segments.beyond(groups.end - groups.start, length)?;
        self.segments.skip(before, length)?;
        let wanted = groups.start + before..groups.end - after;
        let blocks = |number: u64| {
            let start = (wanted.start + number) * period;
            start..start + period
        };
        let make = |number, made: &mut Made| made.fill(stamps, blocks(number));
        in_order(self.plan.threads, wanted.end - wanted.start, make, |_, made| {
            self.segments.segment(length, count, |out| append(out, &made.bytes))
        })?;
        self.segments.skip(after, length)
    }

    /// An object whose contents are written as they are read.
    fn long_object(&mut self, object: &Object, long: &Long) -> Result<(), Error> {
        let id = self.plan.id;
        let (class, trace) = (object.class.unwrap_or_default(), object.trace.unwrap_or_default());
        let length = object.length.unwrap_or_default() as u32;
        let none = Cow::Borrowed(&[][..]);
        let sub_record = match (object.kind, long) {
            (ObjectKind::Instance, Long::Raw(bytes)) => {
                let length = instance_length(object.address, bytes.count())?;
                SubRecord::Instance(InstanceDump { id: object.address, trace, class, length, values: none })
            }
            (ObjectKind::PrimitiveArray(element), _) => {
                let head = ArrayHead { id: object.address, trace, length, element };
                SubRecord::PrimitiveArray(PrimitiveArrayDump { head, elements: none })
            }
            _ => SubRecord::ObjectArray(ObjectArrayDump { id: object.address, trace, length, class, elements: none }),
        };
        self.admit(sub_record.tag(), encode::length_of(id, &sub_record), false)?;
        self.segments.long_sub_record(sub_record.tag(), encode::length_of(id, &sub_record), |segments| {
            segments.piece(|out| encode::sub_record(out, id, &sub_record))?;
            match long {
                Long::References(listed) | Long::Elements(listed) => listed.visit(|piece| {
                    segments.piece(|out| {
                        piece.iter().for_each(|to| encode::put_id(out, id, to.0));
                        Ok(())
                    })
                }),
                Long::Raw(bytes) | Long::Primitives(bytes) => bytes.visit(|piece| {
                    segments.piece(|out| {
                        out.extend_from_slice(piece);
                        Ok(())
                    })
                }),
            }
        })
    }

    fn put(&mut self, sub_record: &SubRecord<'_>, is_info: bool) -> Result<(), Error> {
        let id = self.plan.id;
        self.admit(sub_record.tag(), encode::length_of(id, sub_record), is_info)?;
        self.segments.sub_record(sub_record.tag(), |out| encode::sub_record(out, id, sub_record))
    }

    /// Makes room for a sub-record of that many bytes.
    fn admit(&mut self, tag: SubTag, length: u64, is_info: bool) -> Result<(), Error> {
        let id = self.plan.id;
        self.empty = false;
        let begins = self.segments.admit(tag, length)?;
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
struct Made {
    filling: Filling,
    bytes: Vec<u8>,
}

impl Made {
    fn fill(&mut self, stamps: &Stamps<'_>, mut blocks: Range<u64>) -> Result<(), Error> {
        self.bytes.clear();
        Ok(blocks.try_for_each(|block| stamps.put(block, &mut self.filling, &mut self.bytes))?)
    }
}

#[allow(clippy::unnecessary_wraps, reason = "what writes sub-records can fail")]
fn append(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), LowerError> {
    out.extend_from_slice(bytes);
    Ok(())
}
