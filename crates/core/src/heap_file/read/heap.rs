//! The nodes that say what a file and a heap have around: `let`, `heap`, `header`.

use std::rc::Rc;

use kdl::{KdlNode, KdlValue};

use crate::builder::{HeapSettings, InstanceSizeRule};
use crate::error::did_you_mean;
use crate::model::{ByteLen, HashRegime, HeaderTotals, WordSize};

use super::HeapReader;
use super::node::{Mistake, NodeView, offset_of};
use super::template::Variables;
use crate::heap_file::LIBRARIES;
use crate::heap_file::problem::ProblemList;

/// The nodes of one heap.
pub(super) struct HeapSection<'d> {
    pub(super) heap: Option<&'d KdlNode>,
    pub(super) nodes: &'d [KdlNode],
    pub(super) offset: usize,
}

/// The heaps of a file: each begins with a node `heap`, but for the first.
pub(super) fn sections<'d>(nodes: &'d [KdlNode], problems: &mut ProblemList) -> Vec<HeapSection<'d>> {
    let is_heap = |node: &KdlNode| node.name().value() == "heap";
    let starts: Vec<usize> = nodes.iter().enumerate().filter(|(_, node)| is_heap(node)).map(|(at, _)| at).collect();
    let first = starts.first().copied().unwrap_or(nodes.len());
    let before = nodes[..first].iter().filter(|node| node.name().value() != "let").count();
    if starts.is_empty() {
        return vec![HeapSection { heap: None, nodes, offset: 0 }];
    }
    if before > 0 {
        problems.add(nodes[first].name().span().offset(), "heap comes before the nodes of its heap");
    }
    let ends = starts.iter().skip(1).copied().chain([nodes.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| HeapSection {
            heap: Some(&nodes[*start]),
            nodes: &nodes[start + 1..end],
            offset: nodes[*start].name().span().offset(),
        })
        .collect()
}

/// The variables of a file, with the values that the caller gives.
pub(super) fn read_variables(nodes: &[KdlNode], given: &[(String, i64)], problems: &mut ProblemList) -> Rc<Variables> {
    let mut known: Vec<(String, i64)> = Vec::new();
    let none = Variables::default();
    for node in nodes.iter().filter(|node| node.name().value() == "let") {
        let view = NodeView::new(node, &none);
        let read = || -> Result<Vec<(String, i64)>, Mistake> {
            view.refuse_twins()?;
            view.expect_no_children()?;
            if let Some(entry) = view.arguments().next() {
                return Err((offset_of(entry), "let has properties, such as let n=1000".into()));
            }
            view.properties().map(|(key, entry)| Ok((key.to_owned(), view.number(entry, "whole number")?))).collect()
        };
        match read() {
            Ok(more) => known.extend(more),
            Err((offset, message)) => problems.add(offset, message),
        }
    }
    for (name, value) in given {
        match known.iter_mut().find(|(known, _)| known == name) {
            Some(variable) => variable.1 = *value,
            None => {
                let near = did_you_mean(name, known.iter().map(|(name, _)| name.as_str()));
                problems
                    .add(0, format!("no variable {name:?}, which is given a value; `let {name}=1` makes one{near}"));
            }
        }
    }
    Rc::new(Variables::new(known))
}

/// The settings of a heap, and the number of segments that its dumps are to have.
pub(super) fn read_settings(
    node: Option<&KdlNode>,
    word: WordSize,
    variables: &Variables,
    problems: &mut ProblemList,
) -> (HeapSettings, Option<u64>) {
    let (mut settings, mut segments) = (HeapSettings::default().word(word), None);
    let Some(node) = node else { return (settings, None) };
    let view = NodeView::new(node, variables);
    let mut read = || -> Result<(), Mistake> {
        view.expect(&["library", "word", "compressed-references", "world", "instance-sizes", "names", "segments"], 0)?;
        view.expect_no_children()?;
        if let Some(entry) = view.property("library") {
            let name = view.text(entry)?.text;
            settings.library = one_of(&name, &LIBRARIES).map_err(|message| (offset_of(entry), message))?;
        }
        if let Some(entry) = view.property("word") {
            settings.word = match entry.value() {
                KdlValue::Integer(64) => WordSize::Bits64,
                KdlValue::Integer(32) => WordSize::Bits32,
                _ => return Err((offset_of(entry), "a word has 32 or 64 bits".into())),
            };
        }
        if let Some(entry) = view.property("compressed-references") {
            settings.compressed_references = view.flag(entry)?;
        }
        if let Some(entry) = view.property("world") {
            let name = view.text(entry)?.text;
            let worlds = [("library", true), ("none", false)];
            settings.world = one_of(&name, &worlds).map_err(|message| (offset_of(entry), message))?;
        }
        if let Some(entry) = view.property("instance-sizes") {
            let name = view.text(entry)?.text;
            let sizes = [("footprint", InstanceSizeRule::Footprint), ("fields", InstanceSizeRule::Fields)];
            settings.instance_sizes = one_of(&name, &sizes).map_err(|message| (offset_of(entry), message))?;
        }
        if let Some(entry) = view.property("names") {
            let name = view.text(entry)?.text;
            let forms = [("jvm", false), ("java", true)];
            settings.java_names = one_of(&name, &forms).map_err(|message| (offset_of(entry), message))?;
        }
        if let Some(entry) = view.property("segments") {
            segments = match view.number(entry, "number of segments")? {
                0 => return Err((offset_of(entry), "a heap has at least 1 segment".into())),
                number => Some(number),
            };
        }
        Ok(())
    };
    if let Err((offset, message)) = read() {
        problems.add(offset, message);
    }
    (settings, segments)
}

/// The value of one of several names.
pub(super) fn one_of<T: Copy>(name: &str, known: &[(&str, T)]) -> Result<T, String> {
    known.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near = did_you_mean(name, names.iter().copied());
        format!("{name:?} is none of {}{near}", names.join(", "))
    })
}

/// Two numbers in one text, such as `"0x1 0x2"`.
fn pair(view: NodeView<'_, '_>, entry: &kdl::KdlEntry) -> Result<(u32, u32), Mistake> {
    let text = view.text(entry)?.text;
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let numbers: Vec<Option<u32>> = text.split_whitespace().map(number).collect();
    match numbers[..] {
        [Some(first), Some(second)] => Ok((first, second)),
        _ => Err((offset_of(entry), format!("{text:?} is not a text of two numbers of 32 bits, such as \"0x1 0x2\""))),
    }
}

impl HeapReader<'_, '_> {
    /// Facts of a dump's header.
    pub(super) fn read_header(&mut self, view: NodeView<'_, '_>) -> Result<(), Mistake> {
        const KEYS: [&str; 10] = [
            "version",
            "time-stamp",
            "header-version",
            "identifier-size",
            "hashes",
            "randoms",
            "objects",
            "references",
            "null-references",
            "dumped",
        ];
        view.expect(&KEYS, 0)?;
        view.expect_no_children()?;
        let facts = self.heap.facts_mut();
        if let Some(entry) = view.property("version") {
            facts.version_text = match entry.value() {
                KdlValue::Null => None,
                _ => Some(view.name(entry)?),
            };
        }
        if let Some(entry) = view.property("time-stamp") {
            facts.timestamp = Some(view.number(entry, "number of milliseconds")?);
        }
        if let Some(entry) = view.property("header-version") {
            facts.header_version = Some(view.name(entry)?);
        }
        if let Some(entry) = view.property("identifier-size") {
            facts.identifier_size = Some(ByteLen(view.number(entry, "number of bytes")?));
        }
        if let Some(entry) = view.property("hashes") {
            let name = view.text(entry)?.text;
            let known = [
                ("every-16", Some(HashRegime::Every16)),
                ("where-used-32", Some(HashRegime::WhereUsed32)),
                ("unknown", None),
            ];
            facts.hash_regime = one_of(&name, &known).map_err(|message| (offset_of(entry), message))?;
        }
        if let Some(entry) = view.property("randoms") {
            facts.hash_randoms = Some(pair(view, entry)?);
        }
        match (view.property("objects"), view.property("references")) {
            (Some(objects), Some(references)) => {
                facts.totals = Some(HeaderTotals {
                    objects: view.number(objects, "number of 32 bits")?,
                    references: view.number(references, "number of 32 bits")?,
                });
            }
            (None, None) => {}
            (Some(entry), None) | (None, Some(entry)) => {
                return Err((offset_of(entry), "objects and references are stated together".into()));
            }
        }
        if let Some(entry) = view.property("null-references") {
            facts.null_references = Some(view.number(entry, "number of references")?);
        }
        if let Some(entry) = view.property("dumped") {
            let (begin, end) = pair(view, entry)?;
            self.heap.set_times(begin, end);
        }
        Ok(())
    }
}
