//! The rules that need the whole graph.
//!
//! Memory: the set of the identifiers of each heap, mostly 8 bytes or less for each class and object, and tables of the
//! classes, strings, frames, traces and threads, of which only numbers are kept.

use crate::bytes::Allowance;
use crate::error::DecodeError;
use crate::findings::{Findings, FollowedReferences};
use crate::hprof::decode::{DecodeStep, RecordSlice};
use crate::hprof::lift::HeapCounter;
use crate::hprof::sub_record::{ClassDump, InstanceDump, ObjectArrayDump, RootRecord, SubRecord};
use crate::hprof::wire::{IdSize, RecordTag};
use crate::model::{Address, FieldType};

use super::heap::HeapGraph;
use super::tables::FileTables;
use super::{FindingPlace, each_id};

/// An index of a file's heaps and tables, filled by a first pass and asked by a second one.
#[derive(Debug)]
pub struct GraphIndex {
    id: IdSize,
    /// Whether only errors are looked for: nothing that follows a reference is one.
    errors: bool,
    tables: FileTables,
    heaps: Vec<HeapGraph>,
    counter: HeapCounter,
    /// The dump record that is open.
    tag: RecordTag,
    pending: Option<PendingReferences>,
    /// References that the instances of the second pass hold, which only their classes show.
    pub references: u64,
    allowance: Allowance,
    /// Bytes that the heaps before the last one take.
    before: u64,
}

/// An instance or object array of whose contents a part is still to come.
#[derive(Debug)]
enum PendingReferences {
    /// The values so far of an instance of this class.
    Values(FindingPlace, Address, Vec<u8>),
    /// The elements so far of an object array.
    Elements(FindingPlace, FollowedReferences),
}

impl GraphIndex {
    /// An empty index of a file with such identifiers, which may take that much memory; `errors` says whether only rules that are
    /// errors are judged by it.
    pub fn new(id: IdSize, errors: bool, allowance: Allowance) -> GraphIndex {
        GraphIndex {
            id,
            errors,
            tables: FileTables::default(),
            heaps: Vec::new(),
            counter: HeapCounter::default(),
            tag: RecordTag::HEAP_DUMP,
            pending: None,
            references: 0,
            allowance,
            before: 0,
        }
    }

    /// First pass: takes a step in. What stands twice in a table is reported at once.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    #[inline]
    pub fn index_step(&mut self, step: DecodeStep<'_, '_>, findings: &mut Findings) -> Result<(), DecodeError> {
        match step {
            DecodeStep::Sub(at, sub_record) => {
                let Some(heap) = self.heaps.last_mut() else { return Ok(()) };
                match sub_record {
                    SubRecord::Root(root) => self.tables.insert_root(root.kind),
                    SubRecord::Class(class) => {
                        self.tables.insert_class(class.id);
                        heap.insert_class(class);
                    }
                    SubRecord::Instance(r) if self.errors => heap.check_instance(r.class, r.length, self.id),
                    _ => {}
                }
                if let Some(address) = sub_record.address() {
                    heap.insert_address(address);
                }
                self.allowance.check(self.before + self.tables.held() + heap.held(), at.offset, at.index)
            }
            DecodeStep::Record(at, record) => {
                self.tables.insert_record(&at, record, findings);
                self.counter.observe_record(record.tag());
                self.allowance.check(self.before + self.tables.held(), at.offset, at.index)
            }
            DecodeStep::Segment(at, segment) => {
                self.tag = segment.tag;
                if self.counter.begin_segment(segment.tag).0 {
                    self.before += self.heaps.last().map_or(0, HeapGraph::held);
                    self.heaps.push(HeapGraph::default());
                }
                self.allowance.check(self.before + self.tables.held(), at.offset, at.index)
            }
            DecodeStep::SegmentEnd(_) => {
                self.counter.end_segment(self.tag);
                Ok(())
            }
            DecodeStep::More(_) => Ok(()),
        }
    }

    /// Between the passes.
    pub fn seal(&mut self) {
        self.counter = HeapCounter::default();
        self.heaps.iter_mut().for_each(|heap| heap.seal(self.id));
    }

    /// Whether the second pass could find an error. It is asked where nothing else is looked for.
    pub fn may_err(&self) -> bool {
        self.heaps.iter().any(HeapGraph::may_err)
    }

    /// Second pass: judges a step.
    #[inline]
    pub fn judge(&mut self, step: DecodeStep<'_, '_>, findings: &mut Findings) {
        match step {
            DecodeStep::Sub(at, sub_record) => self.sub_record(&at, sub_record, findings),
            DecodeStep::More(at) => self.more(&at, findings),
            DecodeStep::Record(at, record) => {
                if !self.errors {
                    self.tables.judge(FindingPlace::from_slice(&at), record, findings);
                }
                self.counter.observe_record(record.tag());
            }
            DecodeStep::Segment(_, segment) => {
                self.tag = segment.tag;
                self.counter.begin_segment(segment.tag);
            }
            DecodeStep::SegmentEnd(_) => _ = self.counter.end_segment(self.tag),
        }
    }

    /// The second pass ends, perhaps inside an array.
    pub fn finish(&mut self, findings: &mut Findings) {
        if let Some(PendingReferences::Elements(place, followed)) = self.pending.take() {
            report(place, followed, findings);
        }
    }

    #[inline]
    fn sub_record(&mut self, at: &RecordSlice<'_>, sub_record: &SubRecord<'_>, findings: &mut Findings) {
        // A file that grew since the first pass may have heaps that the index does not.
        let Some(heap) = self.heaps.get_mut(self.counter.heap()) else { return };
        let place = FindingPlace::from_slice(at);
        if let Some(address) = sub_record.address() {
            heap.judge_address(place, address, matches!(sub_record, SubRecord::Class(_)), findings);
        }
        match sub_record {
            SubRecord::Class(class) => self.class(place, class, findings),
            SubRecord::Instance(r) if self.errors => self.instance(at, r, findings),
            _ if self.errors => {}
            SubRecord::Instance(r) => {
                self.tables.trace(place, r.trace, findings);
                self.instance(at, r, findings);
            }
            SubRecord::ObjectArray(r) => {
                self.tables.trace(place, r.trace, findings);
                self.object_array(at, r, findings);
            }
            SubRecord::PrimitiveArray(r) => self.tables.trace(place, r.head.trace, findings),
            SubRecord::NoDataArray(head) => self.tables.trace(place, head.trace, findings),
            SubRecord::Root(root) => self.root(place, root, findings),
            SubRecord::Flat(..) => {}
            SubRecord::HeapInfo(_, name) => self.tables.texts(place, [*name].into_iter(), findings),
        }
    }

    fn root(&mut self, place: FindingPlace, root: &RootRecord, findings: &mut Findings) {
        let Some(heap) = self.heaps.get(self.counter.heap()) else { return };
        if !heap.addresses().is_some_and(|addresses| addresses.has(root.object.0)) {
            place.report(findings, super::ROOT_DANGLING, || {
                ("a root that is a class or object of the heap".to_owned(), format!("{} {}", root.tag(), root.object))
            });
        }
        self.tables.root(place, root.kind, findings);
    }

    fn class(&mut self, place: FindingPlace, class: &ClassDump, findings: &mut Findings) {
        self.tables.class(place, class, findings);
        let Some(heap) = self.heaps.get_mut(self.counter.heap()) else { return };
        heap.judge_class(place, class, findings);
        let Some(addresses) = heap.addresses() else { return };
        let mut followed = FollowedReferences::default();
        let values = class.constant_pool.iter().map(|(_, v)| v).chain(class.statics.iter().map(|(_, v)| v));
        let owners = [class.loader, class.signers, class.protection_domain].into_iter();
        for to in owners.chain(values.filter_map(|value| value.as_reference())).filter(|to| !to.is_null()) {
            followed.follow(to, addresses);
        }
        report(place, followed, findings);
    }

    #[inline]
    fn instance(&mut self, at: &RecordSlice<'_>, instance: &InstanceDump<'_>, findings: &mut Findings) {
        let Some(heap) = self.heaps.get(self.counter.heap()) else { return };
        let place = FindingPlace::from_slice(at);
        match heap.layouts().and_then(|layouts| layouts.instance_bytes(instance.class)) {
            Some(bytes) if bytes == u64::from(instance.length) => {
                if self.errors {
                    return;
                }
                if at.rest == 0 {
                    self.values(place, instance.class, &instance.values, findings);
                } else {
                    // As many bytes as the classes declare, so the classes of the file bound them.
                    self.pending = Some(PendingReferences::Values(place, instance.class, instance.values.to_vec()));
                }
            }
            Some(bytes) => place.report(findings, super::INSTANCE_LENGTH, || {
                let found = format!("{} in an instance of {}", instance.length, instance.class);
                (format!("{bytes} bytes of values, as the class and its superclasses declare"), found)
            }),
            None => unknown_class(heap, place, instance.class, findings),
        }
    }

    #[inline]
    fn values(&mut self, place: FindingPlace, class: Address, values: &[u8], findings: &mut Findings) {
        let Some(heap) = self.heaps.get(self.counter.heap()) else { return };
        let Some(layouts) = heap.layouts() else { return };
        let Some(addresses) = heap.addresses() else { return };
        let mut followed = FollowedReferences::default();
        layouts.visit_values(class, values, |value| {
            if value.kind == FieldType::Object && value.bits != 0 {
                followed.follow(Address(value.bits), addresses);
            }
        });
        self.references += followed.count();
        report(place, followed, findings);
    }

    #[inline]
    fn object_array(&mut self, at: &RecordSlice<'_>, array: &ObjectArrayDump<'_>, findings: &mut Findings) {
        let Some(heap) = self.heaps.get(self.counter.heap()) else { return };
        let place = FindingPlace::from_slice(at);
        unknown_class(heap, place, array.class, findings);
        if self.tables.is_array(array.class) == Some(false) {
            place.report(findings, super::ARRAY_CLASS, || {
                let expected = "the class of an array";
                (expected.to_owned(), format!("{}, which by its name is none", array.class))
            });
        }
        self.elements(at, place, FollowedReferences::default(), &array.elements, findings);
    }

    /// Follows a piece of an array's elements, after those that were `followed`.
    #[inline]
    fn elements(
        &mut self,
        at: &RecordSlice<'_>,
        place: FindingPlace,
        mut followed: FollowedReferences,
        piece: &[u8],
        findings: &mut Findings,
    ) {
        let Some(addresses) = self.heaps.get(self.counter.heap()).and_then(HeapGraph::addresses) else { return };
        each_id(piece, self.id, |to| {
            if to != 0 {
                followed.follow(Address(to), addresses);
            }
        });
        if at.rest != 0 {
            self.pending = Some(PendingReferences::Elements(place, followed));
        } else {
            report(place, followed, findings);
        }
    }

    fn more(&mut self, at: &RecordSlice<'_>, findings: &mut Findings) {
        match self.pending.take() {
            Some(PendingReferences::Elements(place, followed)) => {
                self.elements(at, place, followed, at.bytes, findings)
            }
            Some(PendingReferences::Values(place, class, mut values)) => {
                values.extend_from_slice(at.bytes);
                if at.rest == 0 {
                    self.values(place, class, &values, findings);
                } else {
                    self.pending = Some(PendingReferences::Values(place, class, values));
                }
            }
            None => {}
        }
    }
}

/// Reports a class or object with references that dangle.
#[inline]
fn report(place: FindingPlace, followed: FollowedReferences, findings: &mut Findings) {
    if followed.is_broken() {
        place.report(findings, super::OBJECT_DANGLING_REFERENCE, || {
            ("references to classes and objects of the heap".to_owned(), followed.found())
        });
    }
}

#[inline]
fn unknown_class(heap: &HeapGraph, place: FindingPlace, class: Address, findings: &mut Findings) {
    if !heap.layouts().is_some_and(|layouts| layouts.knows(class)) {
        place.report(findings, super::OBJECT_CLASS, || {
            ("a class with a CLASS DUMP in the heap".to_owned(), class.to_string())
        });
    }
}
