//! Objects, threads and repeated parts are made: what they refer to comes later.

use std::sync::Arc;

use kdl::KdlValue;

use crate::builder::{BuildError, ObjectId, RepeatedUnit, ThreadId};

use crate::model::{ObjectKind, PrimitiveType};

use super::array::{ArrayBody, array_body};
use super::names::Symbol;
use super::node::{Mistake, NodeView, offset_of};
use super::plain::PlainRepeat;
use super::template::linear_name;
use super::{HeapReader, KINDS, Made, repeat_head};
use crate::error::did_you_mean;

impl<'d> HeapReader<'d, '_> {
    /// Makes every object and thread.
    pub(super) fn make_objects(&mut self) {
        for number in 0..self.statements.len() {
            let (node, variables) = self.statement(number);
            let view = NodeView::new(node, &variables);
            if matches!(self.statements[number].made, Made::Plain(_))
                && let Made::Plain(plain) = std::mem::take(&mut self.statements[number].made)
            {
                match self.make_plain_repeat(view, *plain) {
                    Ok(plain) => self.statements[number].made = Made::Plain(Box::new(plain)),
                    Err(mistake) => self.note(mistake),
                }
                continue;
            }
            let made = match view.kind() {
                "object" | "map" | "list" | "set" => self.make_object(view).map(Made::Object),
                "array" => self.make_array(view).map(Made::Object),
                "string" => self.make_string(view).map(Made::Object),
                "thread" => self.make_thread(view).map(Made::Thread),
                _ => continue,
            };
            match made {
                Ok(made) => self.statements[number].made = made,
                Err(mistake) => {
                    self.note(mistake);
                    // Uses of the name are no mistakes of their own.
                    if let Some(name) = view.arguments().next()
                        && let Ok(name) = view.text(name)
                    {
                        let _ = self.names.give(&name.text, Symbol::Mistaken, view.offset());
                    }
                }
            }
        }
    }

    /// Gives the name that is a node's first argument.
    fn give_name(&mut self, view: NodeView<'d, '_>, symbol: Symbol) -> Result<(), Mistake> {
        let entry = view.argument(0, "a name; `_` is one for what needs none")?;
        let name = view.text(entry)?.text;
        if name == "_" {
            return Ok(());
        }
        if name.starts_with("0x") || name.starts_with("class:") || name.starts_with('@') || name.ends_with('?') {
            return Err((
                offset_of(entry),
                format!("{name:?} is no name: one does not begin with 0x, class: or @, and does not end with ?"),
            ));
        }
        self.names.give(&name, symbol, view.offset()).map_err(|first| {
            (offset_of(entry), format!("{name} stands twice, first at line {}", self.lines.place(first).0))
        })
    }

    fn make_object(&mut self, view: NodeView<'d, '_>) -> Result<ObjectId, Mistake> {
        view.refuse_twins()?;
        let entry = view.argument(1, "a type")?;
        let class = match entry.value() {
            KdlValue::String(text) if text == "_" => self.heap.absent_class(ObjectKind::Instance),
            _ => self.class(view, entry)?,
        };
        let made = self.heap.object(class).map(|object| object.id());
        let object = made.map_err(|error| (offset_of(entry), format!("{error}; `array` makes one")))?;
        self.give_name(view, Symbol::Object(object))?;
        Ok(object)
    }

    fn make_array(&mut self, view: NodeView<'d, '_>) -> Result<ObjectId, Mistake> {
        view.refuse_twins()?;
        view.argument(1, "a type, such as \"int[]\"")?;
        let object = self.make_array_of(view, 1)?;
        self.give_name(view, Symbol::Object(object))?;
        Ok(object)
    }

    /// An array whose type is the argument at a place, before its elements.
    pub(super) fn make_array_of(&mut self, view: NodeView<'d, '_>, place: usize) -> Result<ObjectId, Mistake> {
        let entry = view.argument(place, "a type")?;
        let text = view.text(entry)?.text;
        if !text.ends_with("[]") {
            return Err((offset_of(entry), format!("{text} is no type of arrays; write \"{text}[]\"")));
        }
        let primitive = text.strip_suffix("[]").and_then(PrimitiveType::from_keyword);
        let class = match primitive {
            _ if text == "_[]" => self.heap.absent_class(ObjectKind::ObjectArray),
            Some(element) if view.property("@stated-class").is_some() => {
                self.heap.absent_class(ObjectKind::PrimitiveArray(element))
            }
            _ => self.class_of_text(&text, offset_of(entry))?,
        };
        let kind = self.heap.object_kind(class);
        let length = match array_body(view, place + 1, kind)? {
            ArrayBody::Elements(elements) => elements.len() as u64,
            ArrayBody::Zeros(length) => length,
            ArrayBody::Bytes(bytes) => {
                let made = self.heap.array(class, 0).and_then(|array| array.set_bytes(bytes)).map(|array| array.id());
                return made.map_err(|error| (offset_of(entry), error.to_string()));
            }
        };
        let made = self.heap.array(class, length).map(|array| array.id());
        made.map_err(|error| (offset_of(entry), error.to_string()))
    }

    fn make_string(&mut self, view: NodeView<'d, '_>) -> Result<ObjectId, Mistake> {
        view.refuse_twins()?;
        let entry = view.argument(1, "a text")?;
        let made = match view.property("array") {
            // Its array comes later.
            Some(_) => self.heap.instance("java.lang.String").map(|object| object.id()),
            None => {
                let units = match entry.value() {
                    KdlValue::String(_) => view.units(entry)?,
                    _ => {
                        return Err((
                            offset_of(entry),
                            format!("{} is not a text; write it in quotes", super::node::shown(entry)),
                        ));
                    }
                };
                self.heap.string_of_units(&units)
            }
        };
        let object = made.map_err(|error| (view.offset(), error.to_string()))?;
        self.give_name(view, Symbol::Object(object))?;
        Ok(object)
    }

    fn make_thread(&mut self, view: NodeView<'d, '_>) -> Result<ThreadId, Mistake> {
        view.expect(&["name", "virtual", "carrier", "daemon", "@address", "@hash", "@size", "@trace"], 1)?;
        let entry = view.argument(0, "a name")?;
        let name = match view.property("name") {
            Some(name) => view.plain_text(name)?,
            None => view.text(entry)?.text,
        };
        let is_virtual = view.property("virtual").map(|entry| view.flag(entry)).transpose()?.unwrap_or(false);
        let made = match is_virtual {
            true => self.heap.virtual_thread(&name, None),
            false => self.heap.thread(&name),
        };
        let thread = made.map_err(|error| (view.offset(), error.to_string()))?;
        let object = self.heap.thread_object(thread);
        self.give_name(view, Symbol::Thread(thread, object))?;
        Ok(thread)
    }

    /// Announces a repeated part, whose members have names from now on.
    fn make_plain_repeat(&mut self, view: NodeView<'d, '_>, mut plain: PlainRepeat) -> Result<PlainRepeat, Mistake> {
        let (count, variable) = repeat_head(view)?;
        let unit = RepeatedUnit {
            count,
            members: plain.members.iter().map(|member| member.unit).collect(),
            texts: plain.texts.clone(),
            fill: Arc::new(|_, _| Err(BuildError::new("the part is not filled yet"))),
            places: Vec::new(),
        };
        let repeat = self.heap.add_repeat(unit).map_err(|error| (view.offset(), error.to_string()))?;
        for (number, member) in plain.members.iter().enumerate() {
            if let Some((prefix, suffix, first)) = member.name.as_deref().and_then(|name| linear_name(name, &variable))
            {
                self.names.give_repeated((prefix, suffix), (repeat, number as u32), first, count);
            }
        }
        plain.id = Some(repeat);
        Ok(plain)
    }

    /// Notes a node of an unknown kind.
    pub(super) fn unknown_kind(&mut self, view: NodeView<'d, '_>) -> Mistake {
        let kind = view.kind();
        let near = did_you_mean(kind, KINDS);
        (view.offset(), format!("no kind of node is {kind:?}; it is one of {}, @event{near}", KINDS.join(", ")))
    }
}
