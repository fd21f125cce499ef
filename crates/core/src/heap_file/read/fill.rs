//! Everything that refers to something is filled in: fields, elements, entries, threads, roots.

use kdl::{KdlEntry, KdlValue};

use crate::builder::{EntryInput, FrameLine, HashFact, HeapBuilder, ObjectId, ReferenceTarget, ThreadId};
use crate::compare::listing::EventLine;
use crate::model::{
    Address, ByteLen, Event, IdentityHash, Name, Region, RootKind, RootNumber, Serial, StackFrame, StackTrace, Thread,
};

use super::array::{ArrayBody, array_body};
use super::names::Symbol;
use super::node::{Mistake, NodeView, annotation, bytes_of, offset_of, shown};
use super::{HeapReader, Made};
use crate::error::did_you_mean;

/// Facts of an object, as properties.
const OBJECT_FACTS: [&str; 9] =
    ["@address", "@hash", "@size", "@trace", "@bare-length", "@stated-class", "@class-word", "@class-name", "@raw"];

impl<'d> HeapReader<'d, '_> {
    /// Fills in what nodes made, and reads the nodes that make nothing.
    pub(super) fn fill(&mut self) {
        // The hashes of keys follow from what those have in them.
        let (collections, others): (Vec<usize>, Vec<usize>) =
            (0..self.statements.len()).partition(|number| self.makes_collection(*number));
        for number in others.into_iter().chain(collections) {
            let (node, variables) = self.statement(number);
            let view = NodeView::new(node, &variables);
            let filled = match std::mem::take(&mut self.statements[number].made) {
                Made::Class(class) => self.fill_class(view, class),
                Made::Object(object) => self.fill_made(view, object),
                Made::Thread(thread) => self.fill_thread(view, thread),
                Made::Plain(plain) => self.fill_plain(view, *plain),
                Made::Nothing => self.read_other(view),
            };
            if let Err(mistake) = filled {
                self.note(mistake);
            }
        }
        // Their shares are of all else.
        for number in 0..self.statements.len() {
            let (node, variables) = self.statement(number);
            let view = NodeView::new(node, &variables);
            if view.kind() == "leak"
                && let Err(mistake) = self.read_part(view)
            {
                self.note(mistake);
            }
        }
    }

    fn makes_collection(&self, number: usize) -> bool {
        matches!(self.statements[number].made, Made::Object(object) if self.heap.is_collection(object))
    }

    fn read_other(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        match view.kind() {
            "root" => self.read_root(view),
            "header" => self.read_header(view),
            "texts" | "shape" | "random" => self.read_part(view),
            "@trace" => self.read_trace(view),
            "@thread" => self.read_bare_thread(view),
            "@region" => self.read_region(view),
            "@event" => self.read_event(view),
            // What could not be made is noted already.
            "class" | "object" | "array" | "string" | "map" | "list" | "set" | "thread" | "repeat" | "let" | "leak" => {
                Ok(())
            }
            _ => Err(self.unknown_kind(view)),
        }
    }

    fn fill_made(&mut self, view: NodeView<'d, '_>, object: ObjectId) -> Result<(), Mistake> {
        match view.kind() {
            "string" => self.fill_string(view, object),
            "array" => {
                self.refuse_other_keys(view, &["length", "hex", "text"])?;
                self.fill_array(view, object, 2)
            }
            _ => self.fill_object(view, object, 2),
        }
    }

    fn fill_string(&mut self, view: NodeView<'d, '_>, string: ObjectId) -> Result<(), Mistake> {
        if let Some(entry) = view.property("array") {
            match self.target(view, entry)? {
                ReferenceTarget::Object(other) => {
                    let shared = self.heap.share_text(string, other);
                    shared.map_err(|error| (offset_of(entry), error.to_string()))?;
                }
                _ => return Err((offset_of(entry), "array= takes a string, or an array of characters".into())),
            }
        }
        for (key, entry) in view.properties().filter(|(key, _)| *key != "array" && !key.starts_with('@')) {
            self.set_field(view, string, key, entry)?;
        }
        self.read_object_facts(view, string)
    }

    /// Refuses properties that are neither these nor facts.
    fn refuse_other_keys(&mut self, view: NodeView<'d, '_>, keys: &[&str]) -> Result<(), Mistake> {
        let other = view.properties().find(|(key, _)| !keys.contains(key) && !key.starts_with('@'));
        match other {
            None => Ok(()),
            Some((key, entry)) => {
                let near = did_you_mean(key, keys.iter().copied());
                let known = keys.join(", ");
                Err((offset_of(entry), format!("{} has no property {key:?}; it has {known}{near}", view.kind())))
            }
        }
    }

    /// Fills an array with the elements that stand after some arguments.
    fn fill_array(&mut self, view: NodeView<'d, '_>, array: ObjectId, skipped: usize) -> Result<(), Mistake> {
        let kind = self.heap.object_kind(self.heap.class_of(array));
        if let Ok(ArrayBody::Elements(elements)) = array_body(view, skipped, kind) {
            for (place, entry) in elements.into_iter().enumerate() {
                let set = self.resolved_input(view, entry).and_then(|input| {
                    let set = self.heap.edit(array).set_element(place as u64, input);
                    set.map(drop).map_err(|error| (offset_of(entry), error.to_string()))
                });
                if let Err(mistake) = set {
                    self.note(mistake);
                }
            }
        }
        for child in view.children() {
            let child = NodeView::new(child, view.variables);
            match child.kind() {
                "@references" => self.read_references(child, array)?,
                other => return child.mistake(format!("an array has no child {other:?}; its elements are arguments")),
            }
        }
        self.read_object_facts(view, array)
    }

    fn read_references(&mut self, view: NodeView<'d, '_>, object: ObjectId) -> Result<(), Mistake> {
        view.expect(&[], usize::MAX)?;
        let listed =
            view.arguments().map(|entry| self.target(view, entry)).collect::<Result<Vec<ReferenceTarget>, _>>()?;
        self.heap.object_facts(object).references = Some(listed);
        Ok(())
    }

    /// Fills an instance: fields, in properties and children, or the entries or elements of a collection.
    pub(super) fn fill_object(
        &mut self,
        view: NodeView<'d, '_>,
        object: ObjectId,
        skipped: usize,
    ) -> Result<(), Mistake> {
        let is_collection = self.heap.is_collection(object);
        if !is_collection {
            self.set_fields(view, object);
        }
        let (mut entries, mut elements) = (Vec::new(), Vec::new());
        for entry in view.arguments().skip(skipped) {
            match self.resolved_input(view, entry) {
                Ok(input) => elements.push((input, None)),
                Err(mistake) => self.note(mistake),
            }
        }
        let is_empty_block = view.node.children().is_some_and(|children| children.nodes().is_empty());
        let is_called_collection = matches!(view.kind(), "map" | "list" | "set") || is_empty_block;
        if !is_collection && let Some(entry) = view.arguments().nth(skipped) {
            return Err((
                offset_of(entry),
                format!(
                    "{} has fields and no elements; a field is a property, such as next=@x",
                    self.heap.class_name(self.heap.class_of(object))
                ),
            ));
        }
        let children = match is_collection {
            true => self.expand_children(view),
            false => view.children().iter().map(|child| (child, std::rc::Rc::new(view.variables.clone()))).collect(),
        };
        for (child, variables) in children {
            let child = NodeView::new(child, &variables);
            let filled = match child.kind() {
                "@references" => self.read_references(child, object),
                "@field" => self.fill_named_field(child, object),
                "entry" if is_collection => self.read_pair(child).map(|pair| entries.push(pair)),
                "element" if is_collection => {
                    child.expect(&["hash"], 1).and_then(|()| child.argument(0, "a value")).and_then(|entry| {
                        elements.push((self.resolved_input(child, entry)?, key_hash(child)?));
                        Ok(())
                    })
                }
                _ => self.fill_in_place(child, object),
            };
            if let Err(mistake) = filled {
                self.note(mistake);
            }
        }
        let filled = match (entries.is_empty(), elements.is_empty()) {
            (false, false) => return view.mistake("a collection has entries or elements, not both"),
            (false, true) => self.heap.edit(object).put_entries(entries).map(drop),
            (true, false) => self.heap.edit(object).add_elements(elements).map(drop),
            // An empty collection has what its constructor makes; an `object` without braces has the fields that are given.
            (true, true) if is_collection && is_called_collection => self.heap.fill_empty(object),
            (true, true) => Ok(()),
        };
        filled.map_err(|error| (view.offset(), error.to_string()))?;
        if is_collection {
            // What is given takes the place of what follows from the contents.
            self.set_fields(view, object);
        }
        self.read_object_facts(view, object)
    }

    /// Sets the fields that are properties of a node.
    fn set_fields(&mut self, view: NodeView<'d, '_>, object: ObjectId) {
        for (key, entry) in view.properties().filter(|(key, _)| !key.starts_with('@')) {
            if let Err(mistake) = self.set_field(view, object, key, entry) {
                self.note(mistake);
            }
        }
    }

    fn read_pair(&mut self, view: NodeView<'d, '_>) -> Result<EntryInput, Mistake> {
        view.expect(&["hash"], 2)?;
        view.expect_no_children()?;
        let (key, value) = (view.argument(0, "a key")?, view.argument(1, "a value")?);
        let (key, value) = (self.resolved_input(view, key)?, self.resolved_input(view, value)?);
        Ok(EntryInput { key, value, hash: key_hash(view)? })
    }

    fn set_field(
        &mut self,
        view: NodeView<'d, '_>,
        object: ObjectId,
        key: &str,
        entry: &KdlEntry,
    ) -> Result<(), Mistake> {
        let input = self.resolved_input(view, entry)?;
        let key = view.variables.expand(key).map_err(|message| (offset_of(entry), message))?.0;
        let key = self.field_key(&key);
        let set = self.heap.edit(object).set(&key, input);
        set.map(drop).map_err(|error| (offset_of(entry), error.to_string()))
    }

    /// The key of a field, with the name of a class in place of its id.
    pub(super) fn field_key(&self, key: &str) -> String {
        match key.rsplit_once('.') {
            Some((owner, name)) => match self.class_ids.get(owner) {
                Some(class) => format!("{}.{name}", self.heap.class_name(*class)),
                None => key.to_owned(),
            },
            None => key.to_owned(),
        }
    }

    /// `@field NAME VALUE`.
    fn fill_named_field(&mut self, view: NodeView<'d, '_>, object: ObjectId) -> Result<(), Mistake> {
        view.expect(&[], 2)?;
        let field = view.argument(0, "a name, or a place from 0")?;
        let entry = view.argument(1, "a value")?;
        let input = self.resolved_input(view, entry)?;
        let set = match field.value() {
            KdlValue::Integer(_) => self.heap.edit(object).set_place(view.number(field, "place of a field")?, input),
            _ => {
                let name = view.name(field)?;
                self.heap.edit(object).set_named(&name, input)
            }
        };
        set.map(drop).map_err(|error| (offset_of(entry), error.to_string()))
    }

    /// A field whose object is made in its place.
    fn fill_in_place(&mut self, view: NodeView<'d, '_>, owner: ObjectId) -> Result<(), Mistake> {
        view.refuse_twins()?;
        let entry = view.argument(0, "a type")?;
        let text = view.text(entry).map_err(|(at, message)| {
            (at, format!("{message}; a child is a field whose object is made in place: its first word is a type"))
        })?;
        let key = view.variables.expand(view.kind()).map_err(|message| (view.offset(), message))?.0;
        let object = match text.text.ends_with("[]") {
            true => {
                self.refuse_other_keys(view, &["length", "hex", "text"])?;
                let array = self.make_array_of(view, 0)?;
                self.fill_array(view, array, 1)?;
                array
            }
            false => {
                let class = self.class_of_text(&text.text, offset_of(entry)).map_err(|(at, message)| {
                    (
                        at,
                        format!(
                            "{message}; a child is a field whose object is made in place, and a text is {key}={text:?}",
                            text = text.text
                        ),
                    )
                })?;
                let made = self.heap.object(class).map(|object| object.id());
                let object = made.map_err(|error| (offset_of(entry), error.to_string()))?;
                self.fill_object(view, object, 1)?;
                object
            }
        };
        let key = self.field_key(&key);
        let set = self.heap.edit(owner).set(&key, object);
        set.map(drop).map_err(|error| (view.offset(), error.to_string()))
    }

    /// Facts of an object, in properties that begin with `@`.
    fn read_object_facts(&mut self, view: NodeView<'d, '_>, object: ObjectId) -> Result<(), Mistake> {
        for (key, entry) in view.properties().filter(|(key, _)| key.starts_with('@')) {
            match key {
                "@address" => {
                    let address = self.address(view, entry)?;
                    self.heap.object_facts(object).address = Some(address);
                }
                "@hash" => {
                    let hash = self.hash(view, entry)?;
                    self.heap.object_facts(object).hash = Some(hash);
                }
                "@size" => {
                    let size = view.number(entry, "number of bytes")?;
                    self.heap.object_facts(object).size = Some(ByteLen(size));
                }
                "@trace" => {
                    let serial = view.number(entry, "serial number")?;
                    self.heap.object_facts(object).trace = Some(Serial(serial));
                }
                "@bare-length" => {
                    let length = view.number(entry, "number of elements")?;
                    self.heap.object_facts(object).length = Some(length);
                }
                "@raw" => {
                    let raw = bytes_of(entry)?;
                    self.heap.object_facts(object).raw = Some(raw);
                }
                // The array is one of no class.
                "@stated-class" if matches!(entry.value(), KdlValue::String(text) if text == "none") => {}
                "@class-name" => {
                    let name = view.name(entry)?;
                    self.heap.object_facts(object).class_name = Some(name);
                }
                "@stated-class" => {
                    let target = self.target(view, entry)?;
                    self.heap.object_facts(object).class = Some(target);
                }
                "@class-word" => {
                    let target = self.target(view, entry)?;
                    self.heap.object_facts(object).class_word = Some(target);
                }
                _ => return Err(unknown_fact(key, entry, &OBJECT_FACTS)),
            }
        }
        Ok(())
    }

    /// Facts of a class, in properties that begin with `@`.
    pub(super) fn read_class_facts(
        &mut self,
        view: NodeView<'d, '_>,
        class: crate::builder::ClassId,
    ) -> Result<(), Mistake> {
        for (key, entry) in view.properties().filter(|(key, _)| key.starts_with('@')) {
            match key {
                "@address" => {
                    let address = self.address(view, entry)?;
                    self.heap.class_facts(class).address = Some(address);
                }
                "@hash" => {
                    let hash = self.hash(view, entry)?;
                    self.heap.class_facts(class).hash = Some(hash);
                }
                "@size" => self.heap.class_facts(class).size = Some(ByteLen(view.number(entry, "number of bytes")?)),
                "@class-size" => {
                    self.heap.class_facts(class).class_size = Some(ByteLen(view.number(entry, "number of bytes")?));
                }
                "@trace" => self.heap.class_facts(class).trace = Some(Serial(view.number(entry, "serial number")?)),
                "@serial" => self.heap.class_facts(class).serial = Some(Serial(view.number(entry, "serial number")?)),
                "@after" => self.heap.class_facts(class).after = Some(view.number(entry, "number of objects")?),
                _ => {}
            }
        }
        Ok(())
    }

    fn address(&self, view: NodeView<'_, '_>, entry: &KdlEntry) -> Result<Address, Mistake> {
        let address: u64 = view.number(entry, "address")?;
        let last = if self.heap.settings().word.bytes() == 4 { u64::from(u32::MAX) } else { u64::MAX };
        match address {
            0 => Err((offset_of(entry), "nothing lies at address 0, which is null".into())),
            _ if address > last => {
                Err((offset_of(entry), format!("{address:#x} is no address of a process of 32 bits")))
            }
            _ => Ok(Address(address)),
        }
    }

    fn hash(&mut self, view: NodeView<'_, '_>, entry: &KdlEntry) -> Result<HashFact, Mistake> {
        if let KdlValue::String(text) = entry.value()
            && text == "none"
        {
            return Ok(HashFact::Absent);
        }
        let is_16 = self.heap.facts_mut().hash_regime == Some(crate::model::HashRegime::Every16);
        Ok(HashFact::Known(match is_16 {
            true => IdentityHash::Bits16(view.number(entry, "hash of 16 bits")?),
            false => IdentityHash::Bits32(view.number(entry, "hash of 32 bits")?),
        }))
    }

    fn fill_thread(&mut self, view: NodeView<'d, '_>, thread: ThreadId) -> Result<(), Mistake> {
        let object = self.heap.thread_object(thread);
        if let Some(entry) = view.property("carrier") {
            let carrier = self.target(view, entry)?;
            if let ReferenceTarget::Object(object) = object {
                let set = self.heap.edit(object).set("carrierThread", carrier);
                set.map(drop).map_err(|error| (offset_of(entry), error.to_string()))?;
            }
        }
        if let Some(entry) = view.property("daemon")
            && view.flag(entry)?
        {
            self.heap.set_daemon(thread).map_err(|error| (offset_of(entry), error.to_string()))?;
        }
        for (child, variables) in self.expand_children(view) {
            let child = NodeView::new(child, &variables);
            if let Err(mistake) = self.fill_thread_child(child, thread) {
                self.note(mistake);
            }
        }
        match object {
            ReferenceTarget::Object(object) => self.read_object_facts(view, object),
            _ => Ok(()),
        }
    }

    fn fill_thread_child(&mut self, view: NodeView<'d, '_>, thread: ThreadId) -> Result<(), Mistake> {
        match view.kind() {
            "frame" => {
                let (class, frame) = self.read_frame(view)?;
                let number = self.heap.frame(thread, class, frame);
                for (child, variables) in self.expand_children(view) {
                    let child = NodeView::new(child, &variables);
                    self.read_local(child, thread, Some(number))?;
                }
                Ok(())
            }
            "thread-local" => {
                view.expect(&[], 2)?;
                let entry = view.argument(0, "a key")?;
                let key = match self.target(view, entry)? {
                    ReferenceTarget::Object(key) => key,
                    _ => {
                        return Err((
                            offset_of(entry),
                            "the key of a thread-local value is a java.lang.ThreadLocal".into(),
                        ));
                    }
                };
                let value = self.resolved_input(view, view.argument(1, "a value")?)?;
                let set = self.heap.thread_local(thread, key, value);
                set.map_err(|error| (offset_of(entry), error.to_string()))
            }
            _ => self.read_local(view, thread, None),
        }
    }

    fn read_local(&mut self, view: NodeView<'d, '_>, thread: ThreadId, frame: Option<usize>) -> Result<(), Mistake> {
        let kind = view.kind();
        if !matches!(kind, "local" | "jni-local") {
            let known = if frame.is_some() { "local, jni-local" } else { "frame, local, jni-local, thread-local" };
            let near = did_you_mean(kind, known.split(", "));
            return view.mistake(format!("no {kind:?} here; expected {known}{near}"));
        }
        view.expect(&[], usize::MAX)?;
        view.argument(0, "an object")?;
        for entry in view.arguments() {
            let target = self.target(view, entry)?;
            match kind {
                "local" => self.heap.local(thread, frame, target),
                _ => self.heap.jni_local(thread, frame, target),
            }
        }
        Ok(())
    }

    /// `frame CLASS.METHOD signature=TEXT file=TEXT line=N`, with the class in an argument of its own where its name has
    /// no dot before the method.
    fn read_frame(&mut self, view: NodeView<'d, '_>) -> Result<(Option<crate::builder::ClassId>, StackFrame), Mistake> {
        view.expect(&["signature", "file", "line", "class"], 1)?;
        let entry = view.argument(0, "a class and a method")?;
        let mut address = None;
        let (class, method) = match view.property("class") {
            Some(class) => {
                let method = view.name(entry)?;
                match class.value() {
                    KdlValue::Null => (None, method),
                    KdlValue::String(text) if text.starts_with("@0x") => {
                        address = self.frame_address(view, class)?;
                        (None, method)
                    }
                    _ => (Some(self.class(view, class)?), method),
                }
            }
            None => {
                let text = view.text(entry)?.text;
                let Some((class, method)) = text.rsplit_once('.') else {
                    return Err((
                        offset_of(entry),
                        format!("{text:?} has no class before its method, as in shop.Main.run"),
                    ));
                };
                (Some(self.class_of_text(class, offset_of(entry))?), Name::from_text(method))
            }
        };
        let signature = match view.property("signature") {
            Some(entry) => view.name(entry)?,
            None => Name::from_text("()V"),
        };
        let source = view.property("file").map(|entry| view.name(entry)).transpose()?;
        let line = match view.property("line") {
            None => FrameLine::Unknown,
            Some(entry) => match (entry.value(), annotation(entry)) {
                (KdlValue::Integer(_), Some("bits")) => FrameLine::Bits(view.number(entry, "line")?),
                (KdlValue::String(text), None) if text == "unknown" => FrameLine::Unknown,
                (KdlValue::String(text), None) if text == "compiled" => FrameLine::Compiled,
                (KdlValue::String(text), None) if text == "native" => FrameLine::Native,
                _ => FrameLine::Line(view.number(entry, "line: a number, unknown, compiled or native")?),
            },
        };
        let frame = HeapBuilder::stack_frame(method, signature, source, line);
        Ok((class, StackFrame { class: address, ..frame }))
    }

    /// The address of a frame's class that the heap lacks.
    fn frame_address(&mut self, view: NodeView<'d, '_>, entry: &KdlEntry) -> Result<Option<Address>, Mistake> {
        match self.target(view, entry)? {
            ReferenceTarget::Address(address) => Ok(Some(address)),
            _ => Err((offset_of(entry), format!("{} is no address", shown(entry)))),
        }
    }

    fn read_root(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect(&["thread", "frame", "reference", "trace", "@after"], 2)?;
        view.expect_no_children()?;
        let entry = view.argument(0, "a kind")?;
        let name = view.text(entry)?.text;
        let form = RootKind::FORMS.iter().find(|form| form.name == name).ok_or_else(|| {
            let near = did_you_mean(&name, RootKind::FORMS.iter().map(|form| form.name));
            (offset_of(entry), format!("no kind of root is {name:?}{near}"))
        })?;
        let object = self.target(view, view.argument(1, "an object")?)?;
        let mut kind = form.kind;
        let mut has = Vec::new();
        for number in kind.numbers() {
            let key = match number {
                RootNumber::Reference(_) => "reference",
                RootNumber::Thread(_) => "thread",
                RootNumber::Trace(_) => "trace",
                RootNumber::Frame(_) => "frame",
            };
            has.push(key);
            let given = view.property(key);
            let value = match (key, given) {
                ("frame", None) => u64::from(u32::MAX),
                ("reference", None) => 0,
                (_, None) => return view.mistake(format!("a root of the kind {name} has {key}=")),
                ("thread", Some(entry)) => self.thread_number(view, entry)?,
                ("frame", Some(entry)) => view.number::<i32>(entry, "frame number, or -1")? as u32 as u64,
                (_, Some(entry)) => view.number(entry, "number")?,
            };
            number.set(value);
        }
        for key in ["thread", "frame", "reference", "trace"] {
            if let (false, Some(entry)) = (has.contains(&key), view.property(key)) {
                return Err((offset_of(entry), format!("a root of the kind {name} has no {key}")));
            }
        }
        let after = view.property("@after").map(|entry| view.number(entry, "number of entries")).transpose()?;
        self.heap.add_root(kind, object, after);
        Ok(())
    }

    /// The serial number of a thread: a number, or a reference to a thread of the file.
    fn thread_number(&mut self, view: NodeView<'d, '_>, entry: &KdlEntry) -> Result<u64, Mistake> {
        if matches!(entry.value(), KdlValue::Integer(_)) {
            return Ok(view.number::<u32>(entry, "serial number")?.into());
        }
        let name = view.reference_text(entry)?;
        match self.names.symbol(&name) {
            Some(Symbol::Thread(thread, _)) => Ok(self.heap.thread_serial(thread).0.into()),
            Some(Symbol::Mistaken) => Ok(0),
            _ => Err((offset_of(entry), format!("@{name} is no thread"))),
        }
    }

    fn read_trace(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect(&["thread"], 1)?;
        let serial = Serial(view.number(view.argument(0, "a serial number")?, "serial number")?);
        let thread = match view.property("thread") {
            Some(entry) => self.thread_number(view, entry)? as u32,
            None => 0,
        };
        let (mut frames, mut classes) = (Vec::new(), Vec::new());
        for child in view.children() {
            let child = NodeView::new(child, view.variables);
            if child.kind() != "frame" {
                return child.mistake(format!("no {:?} here; a trace has frames", child.kind()));
            }
            child.expect_no_children()?;
            let (class, frame) = self.read_frame(child)?;
            frames.push(frame);
            classes.push(class);
        }
        self.heap.add_trace(StackTrace { serial, thread: Serial(thread), frames: frames.into() }, classes);
        Ok(())
    }

    fn read_bare_thread(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect(&["object", "name", "trace"], 1)?;
        view.expect_no_children()?;
        let serial = Serial(view.number(view.argument(0, "a serial number")?, "serial number")?);
        let object = match view.property("object") {
            Some(entry) => self.target(view, entry)?,
            None => ReferenceTarget::Null,
        };
        let name = view.property("name").map(|entry| view.name(entry)).transpose()?;
        let trace = view.property("trace").map(|entry| view.number(entry, "serial number").map(Serial)).transpose()?;
        self.heap.add_thread(Thread { serial, object: Address::NULL, name, trace }, object);
        Ok(())
    }

    fn read_region(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect(&["@after"], 2)?;
        view.expect_no_children()?;
        let id = view.number(view.argument(0, "a number")?, "number of 32 bits")?;
        let name = view.name(view.argument(1, "a name")?)?;
        let Some(entry) = view.property("@after") else {
            return view.mistake("a region has @after=, the number of classes and objects before it");
        };
        let after = view.number(entry, "number of entries")?;
        self.heap.add_region(Region { id, name, after });
        Ok(())
    }

    fn read_event(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect(&["times", "tail"], 1)?;
        view.expect_no_children()?;
        if view.arguments().next().is_none() && view.properties().next().is_none() {
            self.heap.begin_log();
            return Ok(());
        }
        let entry = view.argument(0, "the JSON object of a listing's line")?;
        let KdlValue::String(text) = entry.value() else {
            return Err((offset_of(entry), format!("{} is not a text with a JSON object", shown(entry))));
        };
        let line: EventLine<'static> =
            serde_json::from_str(text).map_err(|error| (offset_of(entry), error.to_string()))?;
        let mut event = Event::from(line);
        if let Some(entry) = view.property("times") {
            let times: u64 = view.number(entry, "number of equal entries")?;
            let none = || (offset_of(entry), "an entry that stands 0 times is left out".to_owned());
            event.repeats = times.checked_sub(1).ok_or_else(none)?;
        }
        match view.property("tail").map(|entry| view.flag(entry)).transpose()? {
            Some(true) => event.append_to(&mut self.tail),
            _ => self.heap.add_event(event),
        }
        Ok(())
    }
}

/// The hash of a key, where its entry gives one.
fn key_hash(view: NodeView<'_, '_>) -> Result<Option<i32>, Mistake> {
    view.property("hash").map(|entry| view.number(entry, "hash of 32 bits, as hashCode gives it")).transpose()
}

fn unknown_fact(key: &str, entry: &KdlEntry, known: &[&str]) -> Mistake {
    let near = did_you_mean(key, known.iter().copied());
    (offset_of(entry), format!("no fact is {key:?}; known are {}{near}", known.join(", ")))
}
