//! The structure of an HPROF dump: what a writer decides beside the facts of the heap. Two dumps of one heap are laid side
//! by side ([`Shape::differences`]), and the habits of dumps of different heaps ([`habits`]).

pub(crate) mod habits;

use std::collections::{HashMap, HashSet};

use heapsmith::error::DecodeError;
use heapsmith::hprof::record::RecordBody;
use heapsmith::hprof::sub_record::ClassDump;
use heapsmith::hprof::{DecodeStep, Decoder, SubRecord};
use heapsmith::model::{Address, RootKind};

/// A dump without its contents.
#[derive(Default)]
pub(crate) struct Shape {
    /// Tags of records in their order, with how often each comes in a row.
    pub(crate) records: Vec<(u8, usize)>,
    /// LOAD CLASS: serial number and class.
    pub(crate) loads: Vec<(u32, Address)>,
    /// STACK TRACE: its serial number, its thread's, and how many frames it has.
    pub(crate) traces: Vec<(u32, u32, usize)>,
    /// Bytes in each dump record.
    pub(crate) segments: Vec<u32>,
    /// One of each HEAP DUMP or series of segments.
    pub(crate) heaps: Vec<HeapShape>,
    texts: HashMap<u64, Vec<u8>>,
    named: HashMap<Address, u64>,
}

/// A heap without its contents.
#[derive(Default)]
pub(crate) struct HeapShape {
    /// `C`lasses, `O`bjects and `R`oots in their order, with how many of them stand in a row.
    pub(crate) runs: Vec<(char, usize)>,
    pub(crate) classes: Vec<ClassDump>,
    pub(crate) objects: Vec<Address>,
    /// The class of each instance.
    pub(crate) instances: HashMap<Address, Address>,
    pub(crate) object_arrays: HashSet<Address>,
    /// Tag, object and kind.
    pub(crate) roots: Vec<(u8, Address, RootKind)>,
}

impl Shape {
    /// # Panics
    /// If it is no whole dump.
    pub(crate) fn of(dump: &[u8]) -> Shape {
        let mut shape = Shape::default();
        let mut ended = true;
        let mut decoder = Decoder::new(dump).expect("an HPROF dump");
        let seen = decoder.visit::<DecodeError, _>(|step| {
            match step {
                DecodeStep::Record(_, record) => {
                    let tag = record.tag().0;
                    push(&mut shape.records, tag);
                    ended |= tag == 0x2c;
                    match &record.body {
                        RecordBody::Text(id, text) => _ = shape.texts.insert(id.0, text.to_vec()),
                        RecordBody::LoadClass(load) => {
                            shape.loads.push((load.serial.0, load.class));
                            shape.named.insert(load.class, load.name.0);
                        }
                        RecordBody::Trace(trace) => {
                            shape.traces.push((trace.serial.0, trace.thread.0, trace.frames.len()));
                        }
                        _ => {}
                    }
                }
                DecodeStep::Segment(_, segment) => {
                    push(&mut shape.records, segment.tag.0);
                    shape.segments.push(segment.stated);
                    if std::mem::take(&mut ended) || segment.tag.0 == 0x0c {
                        shape.heaps.push(HeapShape::default());
                    }
                }
                DecodeStep::Sub(_, sub_record) => shape.heaps.last_mut().expect("in a heap").take(sub_record),
                DecodeStep::More(_) | DecodeStep::SegmentEnd(_) => {}
            }
            Ok(())
        });
        seen.expect("a whole dump");
        shape
    }

    /// The name of a class in the form of the VM, empty if it has none.
    pub(crate) fn name(&self, class: Address) -> String {
        let name = self.named.get(&class).and_then(|text| self.texts.get(text)).cloned().unwrap_or_default();
        let name = heapsmith::model::Name::from_bytes(name).to_jvm_form();
        String::from_utf8_lossy(name.as_bytes()).into_owned()
    }

    /// In which aspects another dump of the same heap differs, each with the first difference.
    pub(crate) fn differences(&self, other: &Shape) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut differ = |aspect, difference: Option<String>| found.extend(difference.map(|text| (aspect, text)));
        differ("records", first(&self.records, &other.records));
        let loaded = |shape: &Shape| shape.loads.iter().map(|(_, class)| shape.name(*class)).collect::<Vec<_>>();
        differ("loads", first(&loaded(self), &loaded(other)));
        let serials = |shape: &Shape| {
            let first = shape.loads.first().map_or(0, |(serial, _)| *serial);
            shape.loads.iter().map(|(serial, _)| serial.wrapping_sub(first)).collect::<Vec<_>>()
        };
        differ("load serials", first(&serials(self), &serials(other)));
        differ("traces", first(&self.traces, &other.traces));
        differ("segments", first(&self.segments, &other.segments));
        differ("heaps", first(&[self.heaps.len()], &[other.heaps.len()]));
        for (one, two) in self.heaps.iter().zip(&other.heaps) {
            differ("sub-records", first(&one.runs, &two.runs));
            let ids = |heap: &HeapShape| heap.classes.iter().map(|class| class.id).collect::<Vec<_>>();
            differ("class order", first(&ids(one), &ids(two)));
            let same: HashMap<Address, &ClassDump> = two.classes.iter().map(|class| (class.id, class)).collect();
            let pairs = || one.classes.iter().filter_map(|class| Some((class, *same.get(&class.id)?)));
            let each = |of: &dyn Fn(&ClassDump) -> Vec<u64>| {
                let (one, two): (Vec<_>, Vec<_>) = pairs().map(|(one, two)| (of(one), of(two))).unzip();
                first(&one, &two)
            };
            differ("superclasses", each(&|class| vec![class.superclass.0]));
            differ("signers", each(&|class| vec![class.signers.0]));
            differ("owners", each(&|class| vec![class.loader.0, class.protection_domain.0]));
            differ("reserved", each(&|class| class.reserved.to_vec()));
            differ("instance sizes", each(&|class| vec![class.instance_size.into()]));
            let counts = |class: &ClassDump| [class.constant_pool.len(), class.statics.len(), class.fields.len()];
            differ("members", each(&|class| counts(class).map(|count| count as u64).to_vec()));
            differ("traces of classes", each(&|class| vec![class.trace.0.into()]));
            differ("object order", first(&one.objects, &two.objects));
            differ("roots", first(&one.roots, &two.roots));
        }
        found
    }
}

impl HeapShape {
    fn take(&mut self, sub_record: &SubRecord<'_>) {
        let run = match sub_record {
            SubRecord::Root(root) => {
                self.roots.push((root.tag().0, root.object, root.kind));
                'R'
            }
            SubRecord::Class(class) => {
                self.classes.push(class.clone());
                'C'
            }
            SubRecord::Instance(instance) => {
                self.objects.push(instance.id);
                self.instances.insert(instance.id, instance.class);
                'O'
            }
            SubRecord::ObjectArray(array) => {
                self.objects.push(array.id);
                self.object_arrays.insert(array.id);
                'O'
            }
            SubRecord::PrimitiveArray(array) => {
                self.objects.push(array.head.id);
                'O'
            }
            SubRecord::NoDataArray(head) => {
                self.objects.push(head.id);
                'O'
            }
            SubRecord::HeapInfo(..) | SubRecord::Flat(..) => return,
        };
        push(&mut self.runs, run);
    }
}

fn push<T: PartialEq>(runs: &mut Vec<(T, usize)>, next: T) {
    match runs.last_mut() {
        Some((last, times)) if *last == next => *times += 1,
        _ => runs.push((next, 1)),
    }
}

/// The first place where two lists differ.
fn first<T: PartialEq + std::fmt::Debug>(one: &[T], two: &[T]) -> Option<String> {
    let differs = |at: &usize| one.get(*at) != two.get(*at);
    let at = (0..one.len().max(two.len())).find(differs)?;
    let missing = one.iter().filter(|item| !two.contains(item)).take(3).count();
    let lengths = format!("{} and {} of them, {missing} of the first missing", one.len(), two.len());
    Some(format!("at {at} {:?} and {:?}; {lengths}", one.get(at), two.get(at)))
}

/// A difference that is meant: of which writer's dumps, in which aspect, and why.
pub(crate) type Meant = (&'static str, &'static str, &'static str);

/// The differences that no list has, in words; what the list has is noted in `used`.
pub(crate) fn unexplained(
    writer: &str,
    differences: Vec<(&'static str, String)>,
    meant: &[Meant],
    used: &mut HashSet<(String, &'static str)>,
) -> Vec<String> {
    let mut left = Vec::new();
    for (aspect, difference) in differences {
        if meant.iter().any(|(of, what, why)| *of == writer && *what == aspect && !why.is_empty()) {
            used.insert((writer.to_owned(), aspect));
        } else {
            left.push(format!("{writer}, {aspect}: {difference}"));
        }
    }
    left
}
