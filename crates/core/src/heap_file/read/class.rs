//! Nodes `class`: first their names, then superclasses and fields, last what refers to objects.

use std::rc::Rc;

use kdl::{KdlEntry, KdlNode, KdlValue};

use crate::builder::{ClassId, FieldInput, ReferenceTarget};
use crate::model::Name;

use super::node::{Mistake, NodeView, annotation, offset_of};
use super::template::Variables;
use super::{HeapReader, Made};

/// The properties of a class.
const KEYS: [&str; 12] = [
    "extends",
    "loader",
    "id",
    "@address",
    "@hash",
    "@size",
    "@class-size",
    "@trace",
    "@serial",
    "@after",
    "@signers",
    "@domain",
];

/// A field as a child of a class says it.
struct FieldNode<'d> {
    is_static: bool,
    declared: String,
    name: Name,
    /// The value of a static field, or one too many.
    value: Option<&'d KdlEntry>,
    offset: usize,
}

/// A child of a class that is no field.
fn is_other(child: &KdlNode) -> bool {
    matches!(child.name().value(), "implements" | "@constant" | "@references")
}

fn field_node<'d>(view: NodeView<'d, '_>) -> Result<FieldNode<'d>, Mistake> {
    view.expect(&[], 4)?;
    view.expect_no_children()?;
    let kind = view.kind();
    let arguments: Vec<&KdlEntry> = view.arguments().collect();
    let declared = |entry: &KdlEntry| view.text(entry).map(|text| text.text);
    let (is_static, declared, rest) = match (kind, arguments.len()) {
        ("static", 2..) => (true, declared(arguments[0])?, &arguments[1..]),
        ("static", _) => return view.mistake("static without a type and a name"),
        ("field", 2..) => (false, declared(arguments[0])?, &arguments[1..]),
        (_, 0) => return view.mistake(format!("a field of type {kind} without a name")),
        _ => (false, view.variables.expand(kind).map_err(|message| (view.offset(), message))?.0, &arguments[..]),
    };
    let name = view.name(rest[0])?;
    match (is_static, rest.len()) {
        (_, 1) | (true, 2) => {}
        (true, _) => return Err((offset_of(rest[2]), "static has a type, a name and a value".into())),
        (false, _) => {
            return Err((
                offset_of(rest[1]),
                format!("a field has a type and a name; the value of {name} is its objects' own"),
            ));
        }
    }
    Ok(FieldNode { is_static, declared, name, value: rest.get(1).copied(), offset: view.offset() })
}

impl<'d> HeapReader<'d, '_> {
    /// Declares every class by its name.
    pub(super) fn declare_classes(&mut self) {
        for number in 0..self.statements.len() {
            let (node, variables) = self.statement(number);
            let view = NodeView::new(node, &variables);
            if view.kind() == "class" {
                match self.declare_class(view) {
                    Ok(class) => self.statements[number].made = Made::Class(class),
                    Err(mistake) => self.note(mistake),
                }
            }
        }
    }

    pub(super) fn statement(&self, number: usize) -> (&'d KdlNode, Rc<Variables>) {
        let statement = &self.statements[number];
        (statement.node, statement.variables.clone())
    }

    fn declare_class(&mut self, view: NodeView<'d, '_>) -> Result<ClassId, Mistake> {
        view.expect(&KEYS, 1)?;
        let entry = view.argument(0, "a name")?;
        let id = match view.property("id") {
            Some(entry) => Some((view.plain_text(entry)?, offset_of(entry))),
            None => None,
        };
        let is_array = |name: &[u8]| name.starts_with(b"[") || name.ends_with(b"[]");
        let known = match annotation(entry) {
            Some("raw") | Some("bytes") => {
                let name = match (annotation(entry), entry.value()) {
                    (Some("raw"), KdlValue::String(text)) => Name::from_text(text),
                    _ => view.name(entry)?,
                };
                self.heap.class_of_name(name).map(|class| class.id())
            }
            _ => {
                let name = view.plain_text(entry)?;
                // Array classes need no declaration, but may have facts of their own.
                match is_array(name.as_bytes()) {
                    true => return self.class_of_text(&name, offset_of(entry)),
                    false => {
                        let jvm = Name::from_text(&name).to_jvm_form();
                        let twin = self.heap.declared_class(&jvm);
                        if let (Some(_), None, None) = (twin, &id, view.property("loader")) {
                            return Err((
                                offset_of(entry),
                                format!("{name} is declared already; another loader's class has loader= and id="),
                            ));
                        }
                        self.heap.class(&name).map(|class| class.id())
                    }
                }
            }
        };
        let class = known.map_err(|error| (offset_of(entry), error.to_string()))?;
        if let Some((id, offset)) = id
            && self.class_ids.insert(id.clone(), class).is_some()
        {
            return Err((offset, format!("the id {id:?} stands twice")));
        }
        Ok(class)
    }

    /// Declares superclasses and fields.
    pub(super) fn declare_fields(&mut self) {
        for number in 0..self.statements.len() {
            let Made::Class(class) = self.statements[number].made else { continue };
            let (node, variables) = self.statement(number);
            let view = NodeView::new(node, &variables);
            if let Err(mistake) = self.declare_superclass(view, class) {
                self.note(mistake);
            }
            for child in view.children().iter().filter(|child| !is_other(child)) {
                if let Err(mistake) = self.declare_field(NodeView::new(child, &variables), class) {
                    self.note(mistake);
                }
            }
        }
    }

    fn declare_superclass(&mut self, view: NodeView<'d, '_>, class: ClassId) -> Result<(), Mistake> {
        let Some(entry) = view.property("extends") else { return Ok(()) };
        let result = match entry.value() {
            KdlValue::Null => self.heap.edit_class(class).extends(ReferenceTarget::Null).map(drop),
            KdlValue::String(text) if annotation(entry).is_none() && text == "unknown" => {
                self.heap.edit_class(class).without_known_superclass().map(drop)
            }
            KdlValue::String(text) if text.starts_with("@0x") => {
                let target = self.target(view, entry)?;
                self.heap.edit_class(class).extends(target).map(drop)
            }
            _ => {
                let above = self.class(view, entry)?;
                self.heap.edit_class(class).extends(above).map(drop)
            }
        };
        result.map_err(|error| (offset_of(entry), error.to_string()))
    }

    fn declare_field(&mut self, view: NodeView<'d, '_>, class: ClassId) -> Result<(), Mistake> {
        let field = field_node(view)?;
        // Values of references come when there are objects.
        let declare = |reader: &mut Self, declared: &str| {
            let class = reader.heap.edit_class(class);
            match field.is_static {
                false => class.field_of_name(declared, field.name.clone()).map(drop),
                true => class.static_field_default(declared, field.name.clone()).map(drop),
            }
        };
        let declared = declare(self, &field.declared);
        declared.map_err(|error| {
            // The field is there all the same, so that its uses are no mistakes of their own.
            drop(declare(self, "java.lang.Object"));
            (field.offset, error.to_string())
        })
    }

    /// Fills in what refers to objects.
    pub(super) fn fill_class(&mut self, view: NodeView<'d, '_>, class: ClassId) -> Result<(), Mistake> {
        if let Some(entry) = view.property("loader") {
            let loader = self.target(view, entry)?;
            let _ = self.heap.edit_class(class).loader(loader);
        }
        for key in ["@signers", "@domain"] {
            if let Some(entry) = view.property(key) {
                let target = self.target(view, entry)?;
                let facts = self.heap.class_facts(class);
                *(if key == "@signers" { &mut facts.signers } else { &mut facts.domain }) = Some(target);
            }
        }
        self.read_class_facts(view, class)?;
        let mut place = 0;
        for child in view.children() {
            let child = NodeView::new(child, view.variables);
            match child.kind() {
                "implements" => {
                    for entry in child.arguments() {
                        let is_address = matches!(entry.value(), KdlValue::String(text) if text.starts_with("@0x"));
                        let interface = match is_address {
                            true => self.target(child, entry)?,
                            false => self.class(child, entry)?.into(),
                        };
                        let _ = self.heap.edit_class(class).implements(interface);
                    }
                }
                "@constant" => self.fill_constant(child, class)?,
                "@references" => {
                    let listed = child.arguments().map(|entry| self.target(child, entry)).collect::<Result<_, _>>()?;
                    self.heap.class_facts(class).references = Some(listed);
                }
                _ => {
                    let Ok(field) = field_node(child) else { continue };
                    if !field.is_static {
                        continue;
                    }
                    if let Some(entry) = field.value {
                        let input = self.resolved_input(child, entry)?;
                        let set = self.heap.edit_class(class).set_static_at(place, input);
                        set.map(drop).map_err(|error| (offset_of(entry), format!("{}: {error}", field.name)))?;
                    }
                    place += 1;
                }
            }
        }
        Ok(())
    }

    fn fill_constant(&mut self, view: NodeView<'d, '_>, class: ClassId) -> Result<(), Mistake> {
        view.expect(&[], 3)?;
        let index = view.number(view.argument(0, "an index")?, "index of 16 bits")?;
        let declared = view.text(view.argument(1, "a type")?)?.text;
        let entry = view.argument(2, "a value")?;
        let input: FieldInput = self.resolved_input(view, entry)?;
        let added = self.heap.edit_class(class).constant(index, &declared, input);
        added.map(drop).map_err(|error| (offset_of(entry), error.to_string()))
    }
}
