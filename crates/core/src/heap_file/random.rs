//! Random heaps with parts by intent, as options say them: by way of the text of a heap file.

use kdl::KdlDocument;

use crate::error::{Error, HeapFileError};
use crate::generate::{GenerateOption, GenerateOptions, Preset};

use super::notation::{NodeText, spell_text};
use super::{HeapFile, LIBRARIES};

/// The number of lines before the parts: `heap` and `random`.
const HEAD: usize = 2;

impl HeapFile {
    /// Reads the heap file of a random heap with parts by intent, each of which is a node in a line, such as `leak share=0.8`.
    ///
    /// # Errors
    /// If the options or parts have mistakes, or a part is more than one node.
    pub fn from_random(
        preset: Preset,
        options: &GenerateOptions,
        seed: u64,
        parts: &[String],
    ) -> Result<HeapFile, Error> {
        if let Some(part) = parts.iter().find(|part| part.contains('\n')) {
            return Err(Error::Usage(format!("{part}: expected one line")));
        }
        let nodes = head(preset, options, seed);
        let text = nodes.iter().map(NodeText::line).chain(parts.iter().map(String::as_str));
        let text = text.collect::<Vec<_>>().join("\n");
        let with_part = |error: &HeapFileError| match parts.get((error.line as usize).wrapping_sub(HEAD + 1)) {
            Some(part) => format!("{part}: {}", error.message),
            None => error.message.clone(),
        };
        let file = HeapFile::parse(&text, &[])
            .map_err(|errors| Error::Usage(errors.errors.iter().map(with_part).collect::<Vec<_>>().join("\n    ")))?;
        // A part could still bring other nodes along.
        let document = KdlDocument::parse_v2(&text).unwrap_or_default();
        let kinds = document.nodes().iter().skip(HEAD).map(|node| node.name().value());
        if !kinds.eq(parts.iter().map(|part| part.split(' ').next().unwrap_or_default())) {
            return Err(Error::Usage(format!("{}: expected the words of one node each", parts.join("\n    "))));
        }
        Ok(file)
    }
}

/// The nodes that stand for the options.
fn head(preset: Preset, options: &GenerateOptions, seed: u64) -> [NodeText; HEAD] {
    let mut heap = NodeText::new("heap");
    let library = LIBRARIES.iter().find(|(_, library)| *library == options.library);
    heap.push_known("library", library.map(|(name, _)| name));
    heap.push_known("word", Some(options.word.bits()));
    heap.push_property("compressed-references", if options.compressed { "#true" } else { "#false" });
    let mut random = NodeText::new("random");
    random.push_property("preset", preset.name());
    random.push_known("seed", Some(seed));
    let of_preset = preset.options();
    for option in GenerateOption::rows() {
        let text = option.text(options);
        if text != option.text(&of_preset) {
            random.push_property(option.key(), &spell_text(&text));
        }
    }
    [heap, random]
}
