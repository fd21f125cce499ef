//! Reading heap files: KDL nodes become calls of the builder.
//!
//! Names may be used before they are given, so that nodes are gone through several times: all classes are declared, then their fields;
//! then objects are made; then everything that refers to something is filled in. Every pass goes on after a mistake.

mod array;
mod class;
mod fill;
mod heap;
mod make;
mod names;
mod node;
mod part;
mod plain;
mod syntax;
mod template;

use std::collections::HashMap;
use std::rc::Rc;

use kdl::{KdlEntry, KdlNode};

use crate::builder::{ClassId, FieldInput, HeapBuilder, ObjectId, ThreadId};
use crate::model::Event;

use super::problem::{LineStarts, ProblemList};
use super::{HeapFile, HeapFileErrors, HeapFileOptions};
use names::Names;
use node::{Mistake, NodeView, ReadValue, offset_of};
use plain::PlainRepeat;
use template::Variables;

/// The most nodes that repeats are expanded to.
const MOST_NODES: usize = 2_000_000;

/// From this number of objects on, a repeat of plain objects is computed and not stored.
const COMPUTED_FROM: u64 = 10_000;

/// Reads a heap file.
pub(super) fn read(text: &str, options: &HeapFileOptions) -> Result<HeapFile, HeapFileErrors> {
    let mut problems = ProblemList::default();
    let file = read_document(text, options, &mut problems);
    if problems.is_empty() { Ok(file) } else { Err(problems.into_errors(text)) }
}

fn read_document(text: &str, options: &HeapFileOptions, problems: &mut ProblemList) -> HeapFile {
    let mut tail = Vec::new();
    let Some(document) = syntax::parse(text, problems) else { return HeapFile { heaps: Vec::new(), tail } };
    let variables = heap::read_variables(document.nodes(), &options.variables, problems);
    let lines = LineStarts::new(text);
    let mut heaps = Vec::new();
    let mut segments_of_file = None;
    for (number, section) in heap::sections(document.nodes(), problems).into_iter().enumerate() {
        let (settings, segments) = heap::read_settings(section.heap, options.word, &variables, problems);
        match number {
            0 => segments_of_file = segments,
            _ if segments.is_some() => {
                problems.add(section.offset, "segments= stands at the first heap, and holds for each")
            }
            _ => {}
        }
        let mut reader = HeapReader {
            lines: &lines,
            heap: HeapBuilder::new(settings),
            problems,
            names: Names::default(),
            class_ids: HashMap::new(),
            statements: Vec::new(),
            expanded: 0,
            tail: Vec::new(),
        };
        reader.expand(section.nodes, &variables);
        reader.declare_classes();
        reader.declare_fields();
        reader.settle_repeats();
        reader.make_objects();
        reader.fill();
        tail.append(&mut reader.tail);
        if reader.problems.is_empty() {
            match reader.heap.build_source() {
                Ok(heap) => heaps.push(heap.with_segments(segments_of_file)),
                Err(error) => problems.add(section.offset, error.to_string()),
            }
        }
    }
    HeapFile { heaps, tail }
}

/// A node in its place, or a repeat that is computed.
struct NodeStatement<'d> {
    node: &'d KdlNode,
    variables: Rc<Variables>,
    made: Made,
}

/// The thing that a node made.
#[derive(Debug, Default)]
enum Made {
    #[default]
    Nothing,
    Class(ClassId),
    Object(ObjectId),
    Thread(ThreadId),
    Plain(Box<PlainRepeat>),
}

/// A heap that is being read.
struct HeapReader<'d, 'p> {
    lines: &'d LineStarts<'d>,
    heap: HeapBuilder,
    problems: &'p mut ProblemList,
    names: Names,
    /// Classes by the ids that the file gives them.
    class_ids: HashMap<String, ClassId>,
    statements: Vec<NodeStatement<'d>>,
    /// The nodes that repeats were expanded to.
    expanded: usize,
    /// The log after the last heap.
    tail: Vec<Event>,
}

/// Where a node of a kind may stand.
const KINDS: [&str; 18] = [
    "class", "object", "array", "string", "map", "list", "set", "thread", "root", "repeat", "leak", "texts", "shape",
    "random", "header", "@trace", "@thread", "@region",
];

impl<'d> HeapReader<'d, '_> {
    fn note(&mut self, (offset, message): Mistake) {
        self.problems.add(offset, message);
    }

    /// Lists the nodes with the variables of their places.
    fn expand(&mut self, nodes: &'d [KdlNode], variables: &Rc<Variables>) {
        for node in nodes {
            if node.name().value() == "repeat" {
                self.expand_repeat(node, variables);
                continue;
            }
            self.expanded += 1;
            if self.expanded > MOST_NODES {
                if self.expanded == MOST_NODES + 1 {
                    self.note((
                        node.name().span().offset(),
                        format!(
                            "repeats make more than {MOST_NODES} nodes here; only repeats of plain objects, arrays and strings are \
                             not stored"
                        ),
                    ));
                }
                return;
            }
            self.statements.push(NodeStatement { node, variables: variables.clone(), made: Made::Nothing });
        }
    }

    fn expand_repeat(&mut self, node: &'d KdlNode, variables: &Rc<Variables>) {
        let view = NodeView::new(node, variables);
        let (count, variable) = match repeat_head(view) {
            Ok(head) => head,
            Err(mistake) => return self.note(mistake),
        };
        for child in view.children() {
            if let Some((prefix, suffix)) = name_pattern(child) {
                self.names.add_pattern(prefix, suffix);
            }
        }
        let members = view.children().len() as u64;
        if count.saturating_mul(members) >= COMPUTED_FROM && plain::is_plain(view, &variable) {
            self.statements.push(NodeStatement { node, variables: variables.clone(), made: Made::Nothing });
            return;
        }
        self.expand_turns(view, count, &variable);
    }

    fn expand_turns(&mut self, view: NodeView<'d, '_>, count: u64, variable: &str) {
        for turn in 0..count {
            if self.expanded > MOST_NODES {
                return;
            }
            let inner = Rc::new(view.variables.in_turn(variable, turn as i64));
            self.expand(view.children(), &inner);
            // A repeat of nothing takes time all the same.
            self.expanded += usize::from(view.children().is_empty());
        }
    }

    /// The children of a collection or a thread, with repeats among them expanded.
    fn expand_children(&mut self, view: NodeView<'d, '_>) -> Vec<(&'d KdlNode, Rc<Variables>)> {
        let before = std::mem::take(&mut self.statements);
        self.expand(view.children(), &Rc::new(view.variables.clone()));
        let children = std::mem::replace(&mut self.statements, before);
        children.into_iter().map(|statement| (statement.node, statement.variables)).collect()
    }

    /// The input that a value stands for.
    fn input(&self, view: NodeView<'_, '_>, entry: &KdlEntry) -> Result<FieldInput, Mistake> {
        match view.value(entry)? {
            ReadValue::FieldInput(input) => Ok(input),
            ReadValue::Reference(name) => match name.strip_prefix("class:") {
                Some(class) => match self.class_ids.get(class).copied() {
                    Some(class) => Ok(class.into()),
                    None => Err((offset_of(entry), format!("class:{class}"))),
                },
                None => {
                    self.names.target(&name).map(FieldInput::Reference).map_err(|message| (offset_of(entry), message))
                }
            },
        }
    }

    /// The input that a value stands for; class objects may be those of library classes that nothing used before.
    fn resolved_input(&mut self, view: NodeView<'_, '_>, entry: &KdlEntry) -> Result<FieldInput, Mistake> {
        if let Ok(ReadValue::Reference(name)) = view.value(entry)
            && let Some(class) = name.strip_prefix("class:")
        {
            return self.class_of_text(class, offset_of(entry)).map(FieldInput::from);
        }
        self.input(view, entry)
    }

    /// The class of a type as text: an id of the file, an array of such a class, or a name.
    fn class_of_text(&mut self, text: &str, offset: usize) -> Result<ClassId, Mistake> {
        if let Some(class) = self.class_ids.get(text) {
            return Ok(*class);
        }
        if let Some(element) = text.strip_suffix("[]")
            && [element, element.trim_end_matches("[]")].iter().any(|id| self.class_ids.contains_key(*id))
        {
            let element = self.class_of_text(element, offset)?;
            return Ok(self.heap.array_of(element));
        }
        self.heap.class_named(text).map_err(|error| (offset, error.to_string()))
    }

    /// The class of a type.
    fn class(&mut self, view: NodeView<'_, '_>, entry: &KdlEntry) -> Result<ClassId, Mistake> {
        let text = match node::annotation(entry) {
            Some("raw") => match entry.value() {
                kdl::KdlValue::String(text) => text.clone(),
                _ => return Err((offset_of(entry), "(raw) is for a text".into())),
            },
            _ => view.text(entry)?.text,
        };
        self.class_of_text(&text, offset_of(entry))
    }

    /// The target of a reference.
    fn target(&mut self, view: NodeView<'_, '_>, entry: &KdlEntry) -> Result<crate::builder::ReferenceTarget, Mistake> {
        match self.resolved_input(view, entry)? {
            FieldInput::Reference(target) => Ok(target),
            _ => Err((offset_of(entry), format!("{} is no reference; one begins with @", node::shown(entry)))),
        }
    }
}

/// The number of turns of a repeat, and its variable.
fn repeat_head(view: NodeView<'_, '_>) -> Result<(u64, String), Mistake> {
    view.expect(&["as"], 1)?;
    let count = view.argument(0, "the number of turns")?;
    // A variable of the file may be the number, wherever the repeat stands.
    let mut computing = view.variables.clone();
    computing.is_repeated = true;
    let turns = NodeView::new(view.node, &computing).number::<i64>(count, "number of turns")?;
    let turns = u64::try_from(turns).map_err(|_| (offset_of(count), format!("{turns} turns are fewer than none")))?;
    let variable = match view.property("as") {
        Some(entry) => view.text(entry)?.text,
        None => "i".to_owned(),
    };
    Ok((turns, variable))
}

/// The parts of a node's name around its number, where a repeat computes it.
fn name_pattern(node: &KdlNode) -> Option<(&str, &str)> {
    let name = node.entries().iter().find(|entry| entry.name().is_none())?;
    let kdl::KdlValue::String(text) = name.value() else { return None };
    let (prefix, rest) = text.split_once('{')?;
    let (_, suffix) = rest.split_once('}')?;
    Some((prefix, suffix))
}
