//! What the lines need from elsewhere in the dump: names, layouts and frames stand before or after what names them.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use hprof_adapters::Failure;
use jvm_hprof::heap_dump::{FieldType, SubRecord};
use jvm_hprof::{Id, LoadClass, RecordTag, Serial, StackFrame, StackTrace};
use serde_json::Value;

use crate::{Dump, text};

#[derive(Default)]
pub struct Tables<'a> {
    texts: HashMap<Id, &'a [u8]>,
    pub loads: HashMap<Id, LoadClass>,
    pub by_serial: HashMap<Serial, Id>,
    pub frames: HashMap<Id, StackFrame>,
    /// By serial number, of which the last counts.
    pub traces: BTreeMap<u32, StackTrace<'a>>,
    /// By class, all fields of an instance in the order of its bytes; absent where a superclass is.
    layouts: HashMap<Id, Rc<[FieldType]>>,
    /// TIME of the first record of the heap, and of its end.
    pub times: Option<(u32, u32)>,
    pub strings: usize,
    pub roots: usize,
}

impl<'a> Tables<'a> {
    pub fn read(dump: &Dump<'a>) -> Result<Self, Failure> {
        let mut tables = Self::default();
        let mut classes = HashMap::new();
        let mut extent = Extent::default();
        for record in dump.records() {
            let record = record?;
            if let Some(text) = record.as_utf_8() {
                let text = dump.checked(text)?;
                tables.texts.insert(text.name_id(), text.text());
                tables.strings += usize::from(!extent.is_over);
            } else if let Some(load) = record.as_load_class() {
                let load = dump.checked(load)?;
                tables.by_serial.insert(load.class_serial(), load.class_obj_id());
                tables.loads.insert(load.class_obj_id(), load);
            } else if let Some(frame) = record.as_stack_frame() {
                let frame = dump.checked(frame)?;
                tables.frames.insert(frame.id(), frame);
            } else if let Some(trace) = record.as_stack_trace() {
                let trace = dump.checked(trace)?;
                if !extent.is_over {
                    tables.traces.insert(trace.stack_trace_serial().num(), trace);
                }
            }
            let was_over = extent.is_over;
            extent.pass(record.tag());
            let time = record.micros_since_header_ts();
            match record.tag() {
                RecordTag::HeapDump | RecordTag::HeapDumpSegment => _ = tables.times.get_or_insert((time, time)),
                RecordTag::HeapDumpEnd if !was_over => tables.times = tables.times.map(|(begin, _)| (begin, time)),
                _ => {}
            }
            for sub_record in dump.sub_records(&record)? {
                match sub_record? {
                    SubRecord::Class(class) => {
                        let fields = class.instance_field_descriptors();
                        let types = fields.map(|field| Ok(dump.checked(field)?.field_type()));
                        let types = types.collect::<Result<Vec<_>, Failure>>()?;
                        classes.insert(class.obj_id(), (class.super_class_obj_id(), types));
                    }
                    SubRecord::Instance(_) | SubRecord::ObjectArray(_) | SubRecord::PrimitiveArray(_) => {}
                    _ => tables.roots += 1,
                }
            }
        }
        tables.layouts = classes.keys().filter_map(|class| Some((*class, layout(&classes, *class)?))).collect();
        Ok(tables)
    }

    /// A text by its identifier, if there is such a STRING record.
    pub fn text(&self, id: Id) -> Option<Value> {
        self.texts.get(&id).map(|bytes| text::value(bytes))
    }

    /// An identifier of no text names nothing.
    pub fn name(&self, id: Id) -> Value {
        self.text(id).unwrap_or_else(|| "".into())
    }

    pub fn layout(&self, class: Id) -> Option<&[FieldType]> {
        self.layouts.get(&class).map(|layout| &**layout)
    }
}

/// How far the first heap goes: a HEAP DUMP, or segments up to an end. What follows it is known to the heap, but not listed in it.
#[derive(Default)]
pub struct Extent {
    has_begun: bool,
    pub is_over: bool,
}

impl Extent {
    pub fn pass(&mut self, tag: RecordTag) {
        self.has_begun |= matches!(tag, RecordTag::HeapDump | RecordTag::HeapDumpSegment);
        self.is_over |= tag == RecordTag::HeapDump || tag == RecordTag::HeapDumpEnd && self.has_begun;
    }
}

/// A class's own fields come first, then those of its superclass.
fn layout(classes: &HashMap<Id, (Option<Id>, Vec<FieldType>)>, class: Id) -> Option<Rc<[FieldType]>> {
    let mut all = Vec::new();
    let mut next = Some(class);
    // No chain is longer than the table, unless it is a ring.
    for _ in 0..=classes.len() {
        let Some(class) = next else {
            return Some(all.into());
        };
        let (parent, fields) = classes.get(&class)?;
        all.extend_from_slice(fields);
        next = *parent;
    }
    None
}
