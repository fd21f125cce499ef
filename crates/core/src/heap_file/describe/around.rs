//! Nodes of what stands around classes and objects: settings, header, roots, threads, traces, parts, the log.

use foldhash::HashSet;

use crate::builder::{InstanceSizeRule, VERSION_TEXT};
use crate::compare::listing::ListingLine;
use crate::error::Error;
use crate::generate::Library;
use crate::heap_file::LIBRARIES;
use crate::heap_file::notation::{NodeText, spell_json, spell_name, spell_text};
use crate::model::{
    Address, Event, HashRegime, Root, RootKind, RootNumber, Serial, StackFrame, StackTrace, Thread, WordSize,
};

use super::HeapDescriber;
use super::table::HeapTable;
use super::world::is_boot_instance;

/// Facts that are not written without `exact`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    addresses: u64,
    class_serials: u64,
    /// Traces of allocations that say nothing.
    traces: u64,
    events: u64,
    has_order: bool,
}

impl LeftOut {
    /// Counts what is left out of a heap with the log after it.
    pub(super) fn count(table: &HeapTable<'_>, tail: &[Event]) -> LeftOut {
        let heap = table.heap;
        let traces = heap.classes.iter().map(|class| class.trace).chain(heap.objects.iter().map(|o| o.trace));
        let log = heap.surroundings.events.iter().flatten().chain(tail);
        LeftOut {
            addresses: (heap.classes.len() + heap.objects.len()) as u64,
            class_serials: heap.classes.iter().filter(|class| class.serial.is_some()).count() as u64,
            traces: traces.flatten().filter(|trace| table.is_empty_trace(*trace)).count() as u64,
            events: log.fold(0, |sum, event| event.times().saturating_add(sum)),
            has_order: heap.classes.len() + heap.objects.len() > 1,
        }
    }

    /// The comment that says what is left out.
    pub(super) fn comment(self) -> Option<String> {
        let counts = [
            (self.addresses, "address", "addresses"),
            (self.class_serials, "serial number of a class", "serial numbers of classes"),
            (self.traces, "number of a trace without frames", "numbers of traces without frames"),
            (self.events, "entry of the log", "entries of the log"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let mut left_out: Vec<String> =
            counts.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many })).collect();
        left_out.extend(self.has_order.then(|| "the order of the file".to_owned()));
        (!left_out.is_empty()).then(|| format!("Not written without --exact: {}", left_out.join(", ")))
    }
}

impl HeapDescriber<'_> {
    /// The settings of the heap that are not those of any.
    pub(super) fn heap_node(&self) -> NodeText {
        let settings = self.sizes.settings;
        let mut node = NodeText::new("heap");
        if !settings.world {
            node.push_property("world", "none");
        }
        if settings.world || settings.library != Library::default() {
            let name = LIBRARIES.iter().find(|(_, library)| *library == settings.library).map(|(name, _)| *name);
            node.push_known("library", name);
        }
        if settings.word != WordSize::Bits64 {
            node.push_property("word", &settings.word.bits().to_string());
        }
        if settings.compressed_references {
            node.push_property("compressed-references", "#true");
        }
        if settings.instance_sizes == InstanceSizeRule::Fields {
            node.push_property("instance-sizes", "fields");
        }
        if settings.java_names {
            node.push_property("names", "java");
        }
        node
    }

    /// The facts of the dump's header.
    pub(super) fn header_node(&self) -> Option<NodeText> {
        let facts = &self.heap.facts;
        let mut node = NodeText::new("header");
        let bare = node.clone();
        // The builder has a version and hashes of its own.
        let unknown = |word: &str| self.exact.then(|| word.to_owned());
        let version = facts.version_text.as_ref();
        let version = version.filter(|version| self.exact || **version != VERSION_TEXT.into()).map(spell_name);
        let is_unknown = facts.version_text.is_none();
        node.push_known("version", version.or_else(|| unknown("#null").filter(|_| is_unknown)));
        node.push_known("time-stamp", facts.timestamp);
        node.push_known("header-version", facts.header_version.as_ref().map(spell_name));
        node.push_known("identifier-size", facts.identifier_size.map(|size| size.0));
        let hashes = match facts.hash_regime {
            Some(HashRegime::Every16) => Some("every-16".to_owned()),
            Some(HashRegime::WhereUsed32) => self.exact.then(|| "where-used-32".to_owned()),
            None => unknown("unknown"),
        };
        node.push_known("hashes", hashes);
        node.push_known("randoms", facts.hash_randoms.map(|(one, other)| format!("\"{one:#x} {other:#x}\"")));
        node.push_known("objects", facts.totals.map(|totals| totals.objects));
        node.push_known("references", facts.totals.map(|totals| totals.references));
        node.push_known("null-references", facts.null_references);
        let times = self.heap.surroundings.times;
        node.push_known("dumped", times.map(|(begin, end)| format!("\"{begin} {end}\"")));
        (node != bare).then_some(node)
    }

    /// The nodes after those of classes and objects.
    pub(super) fn surrounding_nodes(&self, tail: &[Event]) -> Result<Vec<NodeText>, Error> {
        let around = &self.heap.surroundings;
        let mut nodes = Vec::new();
        let mut by_itself: HashSet<Address> = self.roots_by_themselves();
        for (place, root) in around.roots.iter().flatten().enumerate() {
            let is_automatic = root.kind == RootKind::StickyClass && by_itself.remove(&root.object);
            if !is_automatic && !self.threads.has_root(place) {
                nodes.push(self.root_node(*root));
            }
        }
        nodes.extend(self.traces().map(|trace| self.trace_node(trace)));
        let written: HashSet<Serial> = self.threads.forms.iter().map(|form| form.serial).collect();
        let threads = around.threads.iter().flatten().filter(|thread| !written.contains(&thread.serial));
        nodes.extend(threads.map(|thread| self.bare_thread_node(thread)));
        for region in around.regions.iter().flatten() {
            let mut node = NodeText::new("@region").argument(&region.id.to_string());
            node.push_argument(&spell_name(&region.name));
            node.push_property("@after", &region.after.to_string());
            nodes.push(node);
        }
        if self.exact && around.events.as_ref().is_some_and(Vec::is_empty) {
            nodes.push(NodeText::new("@event"));
        }
        let logs = [(around.events.as_deref().unwrap_or_default(), false), (tail, true)];
        for (log, is_tail) in logs {
            for event in log.iter().filter(|_| self.exact) {
                nodes.push(event_node(event, is_tail)?);
            }
        }
        Ok(nodes)
    }

    /// The class objects that the builder makes roots.
    fn roots_by_themselves(&self) -> HashSet<Address> {
        let classes = 0..if self.world.is_some() { self.heap.classes.len() } else { 0 };
        let classes = classes.filter(|class| is_boot_instance(&self.table, *class));
        classes.map(|class| self.heap.classes[class].address).collect()
    }

    /// The traces that no thread has. The builder has one that says nothing, unless others are given by themselves.
    fn traces(&self) -> impl Iterator<Item = &StackTrace> {
        let all = self.heap.surroundings.traces.as_deref().unwrap_or_default();
        let rest =
            move || all.iter().enumerate().filter(|(place, _)| !self.threads.has_trace(*place)).map(|(_, trace)| trace);
        let is_left_out = self.world.is_some() && rest().count() == 1;
        rest().filter(move |_| !is_left_out)
    }

    fn root_node(&self, root: Root) -> NodeText {
        let mut node = NodeText::new("root").argument(root.kind.form().name);
        node.push_argument(&self.spell_reference(root.object));
        let mut kind = root.kind;
        for number in kind.numbers() {
            match number {
                RootNumber::Reference(id) if id.is_null() => {}
                RootNumber::Reference(id) => node.push_property("reference", &id.to_string()),
                RootNumber::Thread(serial) => node.push_property("thread", &serial.0.to_string()),
                RootNumber::Frame(frame) => node.push_property("frame", &frame.to_string()),
                RootNumber::Trace(serial) => node.push_property("trace", &serial.0.to_string()),
            }
        }
        if self.exact {
            node.push_known("@after", root.after);
        }
        node
    }

    fn trace_node(&self, trace: &StackTrace) -> NodeText {
        let mut node = NodeText::new("@trace").argument(&trace.serial.0.to_string());
        if trace.thread.0 != 0 {
            node.push_property("thread", &trace.thread.0.to_string());
        }
        trace.frames.iter().for_each(|frame| node.push_child(self.frame_node(frame)));
        node
    }

    /// A frame: `CLASS.METHOD`, or the method and its class apart where one of them cannot stand so.
    pub(super) fn frame_node(&self, frame: &StackFrame) -> NodeText {
        let mut node = NodeText::new("frame");
        let class = frame.class.and_then(|class| self.table.class_at(class));
        let method = frame.method.to_text().filter(|method| !method.is_empty() && !method.contains('.'));
        match (class, method) {
            (Some(class), Some(method)) => {
                node.push_argument(&spell_text(&format!("{}.{method}", self.names.class(class).text)));
            }
            _ => {
                node.push_argument(&spell_name(&frame.method));
                let class = frame.class.map(|class| self.names.spell_type(&self.table, class));
                node.push_property("class", class.as_deref().unwrap_or("#null"));
            }
        }
        if frame.signature.as_bytes() != b"()V" {
            node.push_property("signature", &spell_name(&frame.signature));
        }
        node.push_known("file", frame.source.as_ref().map(spell_name));
        match frame.line {
            -1 => {}
            -2 => node.push_property("line", "compiled"),
            -3 => node.push_property("line", "native"),
            line if line < 0 => node.push_property("line", &format!("(bits){line}")),
            line => node.push_property("line", &line.to_string()),
        }
        node
    }

    fn bare_thread_node(&self, thread: &Thread) -> NodeText {
        let mut node = NodeText::new("@thread").argument(&thread.serial.0.to_string());
        node.push_property("object", &self.spell_reference(thread.object));
        node.push_known("name", thread.name.as_ref().map(spell_name));
        node.push_known("trace", thread.trace.map(|trace| trace.0));
        node
    }
}

/// An entry of the log in the spelling of a listing.
fn event_node(event: &Event, is_tail: bool) -> Result<NodeText, Error> {
    let json = serde_json::to_string(&ListingLine::Event(Box::new(event.into())));
    let json = json.map_err(|error| Error::io("spelling an entry of the log", error.into()))?;
    let mut node = NodeText::new("@event").argument(&spell_json(&json));
    if event.repeats > 0 {
        node.push_property("times", &event.times().to_string());
    }
    if is_tail {
        node.push_property("tail", "#true");
    }
    Ok(node)
}
