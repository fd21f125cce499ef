//! Repeats of plain objects, which are computed in each visit and not stored.

use std::sync::Arc;

use kdl::{KdlEntry, KdlNode, KdlValue};

use crate::builder::{BuildError, FieldInput, FillMember, MemberContents, ReferenceTarget, RepeatId, UnitMember};
use crate::model::FieldType;

use super::array::{ArrayBody, array_body};
use super::node::{Mistake, NodeView, ReadValue, annotation, offset_of};
use super::template::{Variables, linear_name};
use super::{HeapReader, repeat_head};

/// A value of a member.
#[derive(Clone, Debug)]
enum PlainValue {
    /// The same in every turn.
    Fixed(FieldInput),
    /// A text with braces, or a reference, which is looked up in each turn.
    Template(String),
    /// Another member of the turn.
    Member(u32),
}

/// The contents of a member.
#[derive(Clone, Debug)]
enum PlainContents {
    Fields(Vec<(usize, PlainValue)>),
    Elements(Vec<PlainValue>),
    Bytes(Vec<u8>),
}

/// An object that each turn has.
#[derive(Clone, Debug)]
pub(super) struct PlainMember {
    /// The name, with its braces; none for an object that is made in place.
    pub(super) name: Option<String>,
    pub(super) unit: UnitMember,
    contents: PlainContents,
    offset: usize,
}

/// A repeat of plain objects.
#[derive(Clone, Debug)]
pub(super) struct PlainRepeat {
    pub(super) id: Option<RepeatId>,
    pub(super) members: Vec<PlainMember>,
    /// The most UTF-16 units of each text for a reference.
    pub(super) texts: Vec<u64>,
}

/// The most digits that a brace is computed to, with a sign.
const DIGITS: u64 = 20;

/// Whether all nodes of a repeat may be plain, as far as they alone say.
pub(super) fn is_plain(repeat: NodeView<'_, '_>, variable: &str) -> bool {
    repeat.children().iter().all(|child| {
        let is_known = matches!(child.name().value(), "object" | "array");
        let name = child.entries().iter().find(|entry| entry.name().is_none());
        let has_name = name.is_some_and(|name| match name.value() {
            KdlValue::String(text) => text == "_" || linear_name(text, variable).is_some(),
            _ => false,
        });
        is_known && has_name && has_plain_entries(child)
    })
}

/// Whether no value, key or child of a node needs more than a computed text.
fn has_plain_entries(node: &KdlNode) -> bool {
    let is_plain = |entry: &KdlEntry| {
        let has_fact = entry.name().is_some_and(|key| key.value().starts_with('@') || key.value().contains('{'));
        let names_class = matches!(entry.value(), KdlValue::String(text) if text.starts_with("@class:"));
        !has_fact && !names_class
    };
    let children = node.children().map_or(&[][..], |children| children.nodes());
    let is_field = |child: &KdlNode| {
        !child.name().value().contains('{')
            && !matches!(child.name().value(), "repeat" | "entry" | "element" | "@references" | "@field")
            && has_plain_entries(child)
    };
    node.entries().iter().all(is_plain) && children.iter().all(is_field)
}

impl<'d> HeapReader<'d, '_> {
    /// Expands the repeats whose objects turn out not to be plain.
    pub(super) fn settle_repeats(&mut self) {
        let statements = std::mem::take(&mut self.statements);
        for mut statement in statements {
            let (node, variables) = (statement.node, statement.variables.clone());
            let view = NodeView::new(node, &variables);
            if view.kind() == "repeat"
                && let Ok((count, variable)) = repeat_head(view)
            {
                let turn = variables.in_turn(&variable, 0);
                match self.plain_repeat(NodeView::new(node, &turn)) {
                    Some(plain) => statement.made = super::Made::Plain(Box::new(plain)),
                    None => {
                        self.expand_turns(view, count, &variable);
                        continue;
                    }
                }
            }
            self.statements.push(statement);
        }
    }

    /// The members of a repeat, if all are plain. Mistakes are left to be found in its turns.
    fn plain_repeat(&mut self, view: NodeView<'d, '_>) -> Option<PlainRepeat> {
        let mut plain = PlainRepeat { id: None, members: Vec::new(), texts: Vec::new() };
        for child in view.children() {
            let child = NodeView::new(child, view.variables);
            let name = child.arguments().next().and_then(|name| name.value().as_string()).map(str::to_owned);
            self.plain_member(child, 1, name, &mut plain).ok()??;
        }
        Some(plain)
    }

    /// Adds a member, whose type is the argument at a place, and those in its place. The number of the member.
    fn plain_member(
        &mut self,
        view: NodeView<'d, '_>,
        place: usize,
        name: Option<String>,
        plain: &mut PlainRepeat,
    ) -> Result<Option<u32>, Mistake> {
        view.refuse_twins()?;
        let entry = view.argument(place, "a type")?;
        let class = view.text(entry)?;
        if class.is_computed || annotation(entry).is_some() {
            return Ok(None);
        }
        let is_array = class.text.ends_with("[]");
        let is_in_place = name.is_none();
        if !is_in_place && is_array != (view.kind() == "array") {
            return Ok(None);
        }
        let class = self.class_of_text(&class.text, offset_of(entry))?;
        let number = plain.members.len();
        let member = |unit, contents| PlainMember { name: name.clone(), unit, contents, offset: view.offset() };
        if is_array {
            let kind = self.heap.object_kind(class);
            if !view.children().is_empty() {
                return Ok(None);
            }
            let (length, contents) = match array_body(view, place + 1, kind)? {
                ArrayBody::Zeros(length) => (length, PlainContents::Elements(Vec::new())),
                ArrayBody::Bytes(bytes) => {
                    let width = self.heap.element_bytes(class);
                    (bytes.len() as u64 / width, PlainContents::Bytes(bytes))
                }
                ArrayBody::Elements(entries) => {
                    let field = self.heap.element_type(class);
                    let mut values = Vec::new();
                    for entry in entries {
                        match self.plain_value(view, entry, field, plain)? {
                            Some(value) => values.push(value),
                            None => return Ok(None),
                        }
                    }
                    (values.len() as u64, PlainContents::Elements(values))
                }
            };
            plain.members.push(member(UnitMember::Array(class, length), contents));
            return Ok(Some(number as u32));
        }
        if self.heap.has_state_of_its_own(class) || view.arguments().nth(place + 1).is_some() {
            return Ok(None);
        }
        plain.members.push(member(UnitMember::Instance(class), PlainContents::Fields(Vec::new())));
        let mut fields = Vec::new();
        for (key, entry) in view.properties() {
            let key = self.field_key(key);
            let (at, kind) = self.heap.field_of(class, &key).map_err(|error| (offset_of(entry), error.to_string()))?;
            match self.plain_value(view, entry, kind, plain)? {
                Some(value) => fields.push((at, value)),
                None => return Ok(None),
            }
        }
        for child in view.children() {
            let child = NodeView::new(child, view.variables);
            let key = self.field_key(child.kind());
            let (at, kind) = self.heap.field_of(class, &key).map_err(|error| (child.offset(), error.to_string()))?;
            match self.plain_member(child, 0, None, plain)? {
                Some(inner) if kind == FieldType::Object => fields.push((at, PlainValue::Member(inner))),
                _ => return Ok(None),
            }
        }
        plain.members[number].contents = PlainContents::Fields(fields);
        Ok(Some(number as u32))
    }

    /// A value that needs no object but a String of its own.
    fn plain_value(
        &self,
        view: NodeView<'d, '_>,
        entry: &'d KdlEntry,
        kind: FieldType,
        plain: &mut PlainRepeat,
    ) -> Result<Option<PlainValue>, Mistake> {
        let is_template = |text: &str| text.starts_with('@') && !text.starts_with("@@") || text.contains(['{', '}']);
        if let (None, KdlValue::String(text)) = (annotation(entry), entry.value())
            && is_template(text)
        {
            view.text(entry)?;
            if kind == FieldType::Object && !text.starts_with('@') {
                let braces = text.matches('{').count() as u64;
                plain.texts.push(text.encode_utf16().count() as u64 + DIGITS * braces);
            }
            return Ok(Some(PlainValue::Template(text.clone())));
        }
        let ReadValue::FieldInput(input) = view.value(entry)? else { return Ok(None) };
        match (kind, &input) {
            (FieldType::Primitive(kind), _) => {
                input.check_primitive(kind).map_err(|error| (offset_of(entry), error.to_string()))?;
            }
            (FieldType::Object, FieldInput::Text(text)) => plain.texts.push(text.encode_utf16().count() as u64),
            (FieldType::Object, FieldInput::Units(units)) => plain.texts.push(units.len() as u64),
            (FieldType::Object, FieldInput::Reference(_)) => {}
            // Boxed values are shared between turns.
            (FieldType::Object, _) => return Ok(None),
        }
        Ok(Some(PlainValue::Fixed(input)))
    }

    /// Gives a repeated part the function that computes its turns, and tries it at both ends.
    pub(super) fn fill_plain(&mut self, view: NodeView<'d, '_>, plain: PlainRepeat) -> Result<(), Mistake> {
        let Some(repeat) = plain.id else { return Ok(()) };
        let (count, variable) = repeat_head(view)?;
        let filler = PlainFiller {
            repeat,
            variables: view.variables.in_turn(&variable, 0),
            names: self.names.clone(),
            members: plain.members,
        };
        for turn in [0, 1, count / 2, count.saturating_sub(1)] {
            for (number, member) in filler.members.iter().enumerate().filter(|_| turn < count) {
                let tried =
                    filler.contents(number, turn).and_then(|contents| self.heap.check_contents(member.unit, &contents));
                if let Err(error) = tried {
                    return Err((member.offset, format!("in turn {turn}: {error}")));
                }
            }
        }
        let places = filler.members.iter().map(|member| self.lines.place(member.offset)).collect();
        let fill: Arc<FillMember> = Arc::new(move |member, turn| filler.contents(member, turn));
        self.heap.fill_repeat(repeat, fill, places);
        Ok(())
    }
}

/// Computes the members of a repeat.
#[derive(Debug)]
struct PlainFiller {
    repeat: RepeatId,
    variables: Variables,
    names: super::names::Names,
    members: Vec<PlainMember>,
}

impl PlainFiller {
    fn contents(&self, member: usize, turn: u64) -> Result<MemberContents, BuildError> {
        let mut variables = self.variables.clone();
        variables.set_last(turn as i64);
        let value = |value: &PlainValue| -> Result<FieldInput, BuildError> {
            match value {
                PlainValue::Fixed(input) => Ok(input.clone()),
                PlainValue::Member(member) => {
                    Ok(FieldInput::Reference(ReferenceTarget::Repeated(self.repeat, *member, turn)))
                }
                PlainValue::Template(text) => {
                    let (text, _) = variables.expand(text).map_err(BuildError::new)?;
                    match text.strip_prefix('@') {
                        Some(rest) if rest.starts_with('@') => Ok(FieldInput::Text(rest.to_owned())),
                        Some(name) => self.names.target(name).map(FieldInput::Reference).map_err(BuildError::new),
                        None => Ok(FieldInput::Computed(text)),
                    }
                }
            }
        };
        match &self.members[member].contents {
            PlainContents::Fields(fields) => fields
                .iter()
                .map(|(place, of)| Ok((*place, value(of)?)))
                .collect::<Result<Vec<_>, BuildError>>()
                .map(MemberContents::Fields),
            PlainContents::Elements(elements) => {
                elements.iter().map(value).collect::<Result<Vec<_>, BuildError>>().map(MemberContents::Elements)
            }
            PlainContents::Bytes(bytes) => Ok(MemberContents::Bytes(bytes.clone())),
        }
    }
}
