//! Threads that are written with their frames and locals, since the builder makes their objects just so.

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::builder::{BuildError, FieldInput, ObjectId, ReferenceTarget};
use crate::generate::Library;
use crate::model::{Address, Contents, RootKind, Serial};

use super::collections::FieldReader;
use super::oracle::{LayoutOracle, MatchedObject};
use super::table::HeapTable;
use super::texts::RecognisedTexts;

/// A thread as a heap file has it.
#[derive(Clone, Debug)]
pub(super) struct ThreadForm {
    pub(super) serial: Serial,
    /// The place of its object.
    pub(super) object: usize,
    pub(super) name: String,
    pub(super) is_virtual: bool,
    pub(super) is_daemon: bool,
    /// The thread on which it is mounted.
    pub(super) carrier: Address,
    /// The place of its trace.
    pub(super) trace: usize,
    pub(super) locals: Vec<LocalForm>,
    /// Keys and values of its map of local values.
    pub(super) thread_locals: Vec<(Address, Address)>,
}

/// A root in a frame of a thread, or in none.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalForm {
    pub(super) frame: Option<usize>,
    pub(super) is_java: bool,
    pub(super) object: Address,
}

/// The threads of a heap that are written as such, in the order of their serial numbers.
#[derive(Debug, Default)]
pub(super) struct RecognisedThreads {
    pub(super) forms: Vec<ThreadForm>,
    /// Their objects, and what those consist of.
    objects: HashSet<usize>,
    /// Places of roots that the nodes of threads have.
    roots: HashSet<usize>,
    /// Places of traces that the nodes of threads have.
    traces: HashSet<usize>,
}

impl RecognisedThreads {
    /// The first threads, as many as the builder would number and lay out as they are.
    pub(super) fn new<'t, 'h>(oracle: &mut LayoutOracle<'t, 'h>, texts: &RecognisedTexts) -> RecognisedThreads {
        let mut recognised = RecognisedThreads::default();
        let mut reader = ThreadReader::new(oracle.table, texts);
        let count = oracle.table.heap.surroundings.threads.as_ref().map_or(0, Vec::len);
        for number in 0..count {
            let Some((form, root, matched)) = reader.recognise(oracle, number) else { break };
            recognised.objects.extend(matched.parts);
            recognised.objects.insert(form.object);
            recognised.roots.insert(root);
            recognised.traces.insert(form.trace);
            recognised.forms.push(form);
        }
        recognised.take_locals(oracle);
        recognised
    }

    /// Whether an object is written as a thread, or as a part of one.
    pub(super) fn has(&self, object: usize) -> bool {
        self.objects.contains(&object)
    }

    /// Whether a root is written with its thread.
    pub(super) fn has_root(&self, root: usize) -> bool {
        self.roots.contains(&root)
    }

    /// Whether a trace is written with its thread.
    pub(super) fn has_trace(&self, trace: usize) -> bool {
        self.traces.contains(&trace)
    }

    fn take_locals(&mut self, oracle: &LayoutOracle<'_, '_>) {
        let around = &oracle.table.heap.surroundings;
        let first = oracle.builder.first_thread().0;
        for (place, root) in around.roots.iter().flatten().enumerate() {
            let (is_java, thread, frame) = match root.kind {
                RootKind::JavaFrame(thread, frame) => (true, thread, frame),
                RootKind::JniLocal(thread, frame) => (false, thread, frame),
                _ => continue,
            };
            let number = thread.0.checked_sub(first).and_then(|number| usize::try_from(number).ok());
            let Some(form) = number.and_then(|number| self.forms.get_mut(number)) else { continue };
            let frames = around.traces.as_ref().map_or(0, |traces| traces[form.trace].frames.len());
            let frame = match usize::try_from(frame) {
                Ok(frame) if frame < frames => Some(frame),
                Err(_) if frame == -1 => None,
                _ => continue,
            };
            form.locals.push(LocalForm { frame, is_java, object: root.object });
            self.roots.insert(place);
        }
    }
}

/// Reads the objects of threads.
struct ThreadReader<'t, 'h, 'x> {
    fields: FieldReader<'t, 'h>,
    texts: &'x RecognisedTexts,
    /// The places of threads and of traces by their serial numbers, if they are the only ones.
    threads: HashMap<Serial, Option<usize>>,
    traces: HashMap<Serial, Option<usize>>,
    /// The places of the roots of thread objects.
    roots: HashMap<(Serial, Serial, Address), usize>,
}

/// The place of each serial number that stands once.
fn places(serials: impl Iterator<Item = Serial>) -> HashMap<Serial, Option<usize>> {
    let mut places = HashMap::new();
    for (place, serial) in serials.enumerate() {
        places.entry(serial).and_modify(|known| *known = None).or_insert(Some(place));
    }
    places
}

impl<'t, 'h, 'x> ThreadReader<'t, 'h, 'x> {
    fn new(table: &'t HeapTable<'h>, texts: &'x RecognisedTexts) -> ThreadReader<'t, 'h, 'x> {
        let around = &table.heap.surroundings;
        let roots = around.roots.iter().flatten().enumerate().filter_map(|(place, root)| match root.kind {
            RootKind::ThreadObject(thread, trace) => Some(((thread, trace, root.object), place)),
            _ => None,
        });
        ThreadReader {
            fields: FieldReader::new(table),
            texts,
            threads: places(around.threads.iter().flatten().map(|thread| thread.serial)),
            traces: places(around.traces.iter().flatten().map(|trace| trace.serial)),
            roots: roots.collect(),
        }
    }

    /// The thread of a number from 0, and the place of its root.
    fn recognise(
        &mut self,
        oracle: &mut LayoutOracle<'t, 'h>,
        number: usize,
    ) -> Option<(ThreadForm, usize, MatchedObject)> {
        let (table, library) = (oracle.table, oracle.sizes.settings.library);
        let around = &table.heap.surroundings;
        let serial = Serial(oracle.builder.first_thread().0 + number as u32);
        let of_trace = Serial(oracle.builder.empty_trace().0 + 1 + number as u32);
        let thread = &around.threads.as_ref()?[self.threads.get(&serial).copied()??];
        let trace = self.traces.get(&of_trace).copied()??;
        let named = if library.has_traces_of_threads() { serial } else { Serial(0) };
        (thread.trace == Some(of_trace) && around.traces.as_ref()?[trace].thread == named).then_some(())?;
        let object = table.object_at(thread.object)?;
        let root = *self.roots.get(&(serial, of_trace, thread.object))?;
        let class = table.name(oracle.class_of(object)?).to_java_form().to_text()?;
        let name = self.thread_name(object, library)?;
        thread.name.as_ref().is_none_or(|known| *known == name.as_str().into()).then_some(())?;
        let holder = self.fields.object(object, "holder").unwrap_or(object);
        let mut form = ThreadForm {
            serial,
            object,
            name,
            is_virtual: class == "java.lang.VirtualThread",
            is_daemon: self.fields.value(holder, "daemon").is_some_and(|value| value.bits == 1),
            carrier: self.fields.reference(object, "carrierThread").unwrap_or_default(),
            trace,
            locals: Vec::new(),
            thread_locals: Vec::new(),
        };
        // A carrier is named, and never stands as a text or a number.
        (form.carrier.is_null() || table.object_at(form.carrier).is_some_and(|carrier| oracle.is_thread(carrier)))
            .then_some(())?;
        self.thread_locals(object, &mut form.thread_locals)?;
        let stated = &table.heap.objects[object];
        (stated.class_word.is_none() && stated.class_name.is_none()).then_some(())?;
        let made = make(oracle, &form).ok().flatten()?;
        let matched = oracle.compare(made, object).filter(|matched| matched.given.is_empty())?;
        Some((form, root, matched))
    }

    fn thread_name(&mut self, thread: usize, library: Library) -> Option<String> {
        let name = self.fields.object(thread, "name")?;
        let object = &self.fields.table.heap.objects[name];
        let units = match &object.contents {
            Contents::Primitives(bytes) if library.has_character_names() => {
                bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
            }
            _ => self.texts.layout()?.units(self.fields.table, object)?.0,
        };
        String::from_utf16(&units).ok()
    }

    /// The entries of a thread's map of local values, in the order of their addresses.
    fn thread_locals(&mut self, thread: usize, entries: &mut Vec<(Address, Address)>) -> Option<()> {
        let Some(map) = self.fields.object(thread, "threadLocals") else { return Some(()) };
        let mut found: Vec<Address> = self.fields.elements(map, "table")?.to_vec();
        found.retain(|entry| !entry.is_null());
        found.sort();
        for entry in found {
            let entry = self.fields.table.object_at(entry)?;
            entries.push((self.fields.reference(entry, "referent")?, self.fields.reference(entry, "value")?));
        }
        Some(())
    }
}

/// The object of a thread as the builder makes it.
fn make(oracle: &mut LayoutOracle<'_, '_>, form: &ThreadForm) -> Result<Option<ObjectId>, BuildError> {
    let carrier = Some(LayoutOracle::target(form.carrier)).filter(|carrier| *carrier != ReferenceTarget::Null);
    let thread = match form.is_virtual {
        true => oracle.builder.virtual_thread(&form.name, carrier)?,
        false => oracle.builder.thread(&form.name)?,
    };
    if form.is_daemon {
        oracle.builder.set_daemon(thread)?;
    }
    let mut keys: HashMap<Address, ObjectId> = HashMap::new();
    for (key, value) in &form.thread_locals {
        let Some(object) = oracle.table.object_at(*key) else { return Ok(None) };
        let known = keys.get(key).copied();
        let stand_in = match known {
            Some(stand_in) => stand_in,
            None => {
                let Some(stand_in) = stand_in_of_key(oracle, object)? else { return Ok(None) };
                oracle.stand_ins.insert(stand_in, *key);
                keys.insert(*key, stand_in);
                stand_in
            }
        };
        oracle.builder.thread_local(thread, stand_in, FieldInput::Reference(LayoutOracle::target(*value)))?;
    }
    if !form.thread_locals.is_empty() {
        oracle.builder.finish_threads()?;
    }
    match oracle.builder.thread_object(thread) {
        ReferenceTarget::Object(object) => Ok(Some(object)),
        _ => Ok(None),
    }
}

/// An object of the builder with the hash of a ThreadLocal of the heap.
fn stand_in_of_key(oracle: &mut LayoutOracle<'_, '_>, key: usize) -> Result<Option<ObjectId>, BuildError> {
    let hash = FieldReader::new(oracle.table).value(key, "threadLocalHashCode");
    let (Some(class), Some(hash)) = (oracle.class_of(key), hash) else { return Ok(None) };
    let class = oracle.class_id(class);
    let made = oracle.builder.object(class)?.set("threadLocalHashCode", FieldInput::Bits(hash.bits))?;
    Ok(Some(made.id()))
}
