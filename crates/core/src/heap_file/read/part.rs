//! Parts by intent: leaks, texts, shapes and random heaps.

use kdl::KdlValue;

use crate::builder::{LeakHolder, LeakRequest};
use crate::generate::{self, GenerateOptions, Preset};

use super::HeapReader;
use super::heap::one_of;
use super::node::{Mistake, NodeView, annotation, offset_of, shown};

/// The most bytes that the objects of a random part may take.
const MOST_BYTES: u64 = 1 << 30;

impl<'d> HeapReader<'d, '_> {
    /// Adds the objects of a part.
    pub(super) fn read_part(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect_no_children()?;
        match view.kind() {
            "leak" => self.read_leak(view),
            "texts" => {
                view.expect(&[], 2)?;
                let count = view.number(view.argument(0, "a number")?, "number of texts")?;
                let text = view.plain_text(view.argument(1, "a text")?)?;
                let made = self.heap.texts(count, &text);
                made.map_err(|error| (view.offset(), error.to_string()))
            }
            "shape" => {
                view.expect(&[], 1)?;
                let entry = view.argument(0, "a shape, such as \"tree:2,10\"")?;
                let shape = view.plain_text(entry)?;
                let mut options = GenerateOptions { objects: 0, ..GenerateOptions::default() };
                options.set("shape", &shape).map_err(|error| (offset_of(entry), error.to_string()))?;
                self.add_random(view, options, 0)
            }
            _ => self.read_random(view),
        }
    }

    fn read_leak(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.expect(&["share", "holder", "of", "size"], 0)?;
        let Some(entry) = view.property("share") else { return view.mistake("a leak has share=, such as share=0.8") };
        let share = match entry.value() {
            KdlValue::Float(share) => *share,
            _ => return Err((offset_of(entry), format!("{} is no share: one is above 0 and below 1", shown(entry)))),
        };
        let holder = match view.property("holder") {
            Some(entry) => {
                let name = view.text(entry)?.text;
                one_of(&name, &LeakHolder::NAMES).map_err(|message| (offset_of(entry), message))?
            }
            None => LeakHolder::Map,
        };
        let class = view.property("of").map(|entry| self.class(view, entry)).transpose()?;
        let size = view.property("size").map_or(Ok(1024), |entry| view.number(entry, "number of bytes"))?;
        let made = self.heap.leak(&LeakRequest { share, holder, class, size });
        made.map_err(|error| (view.offset(), error.to_string()))
    }

    fn read_random(&mut self, view: NodeView<'d, '_>) -> Result<(), Mistake> {
        view.refuse_twins()?;
        if let Some(entry) = view.arguments().next() {
            return Err((offset_of(entry), "a random part has properties, such as objects=1000".into()));
        }
        let mut options = match view.property("preset") {
            None => GenerateOptions::default(),
            Some(entry) => {
                let name = view.text(entry)?.text;
                let preset = Preset::named(&name).ok_or_else(|| {
                    (offset_of(entry), format!("no preset is {name:?}; known are {}", Preset::names()))
                })?;
                preset.options()
            }
        };
        let settings = self.heap.settings();
        options.library = settings.library;
        options.word = settings.word;
        options.compressed = settings.compressed_references;
        let mut seed = 1;
        for (key, entry) in view.properties().filter(|(key, _)| *key != "preset") {
            if annotation(entry).is_some() {
                return Err((offset_of(entry), "an option has no annotation".into()));
            }
            let text = match entry.value() {
                KdlValue::String(_) => view.text(entry)?.text,
                KdlValue::Bool(value) => value.to_string(),
                KdlValue::Integer(number) => number.to_string(),
                _ => shown(entry),
            };
            match key {
                "seed" => seed = view.number(entry, "seed")?,
                _ => options.set(key, &text).map_err(|error| (offset_of(entry), error.to_string()))?,
            }
        }
        self.add_random(view, options, seed)
    }

    fn add_random(&mut self, view: NodeView<'d, '_>, options: GenerateOptions, seed: u64) -> Result<(), Mistake> {
        let refuse = |message: String| (view.offset(), message);
        options.check().map_err(|error| refuse(error.to_string()))?;
        let bytes = options.footprint();
        if bytes > MOST_BYTES {
            return Err(refuse(format!(
                "the part takes some {bytes} bytes, and {MOST_BYTES} are the most; `generate` without --leak and --texts has no such bound"
            )));
        }
        let heap = generate::from_seed(&options, seed);
        self.heap.import(&heap).map_err(|error| refuse(error.to_string()))
    }
}
