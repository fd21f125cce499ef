use std::path::PathBuf;

use crate::compare::listing::{ListingHead, RecordOrder, RecordPlace, SortedLines};
use crate::compare::{Facet, MEMORY};
use crate::error::Error;
use crate::format::{DumpFile, Lowering};
use crate::model::string_text::{StringTexts, Utf16Order};
use crate::model::{DumpSource, Heap, HeapSource, Object};
use crate::output::Output;
use crate::validate::unsound;
use clap::Args;

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Prints a dump or a heap file as a listing: JSON Lines, defined in specs/listing.md.
///
/// The first line has the dump's facts; then come classes and objects, sorted by address. A dump that
/// is not valid is refused; --sound-prefix lists what stands before the error. Objects are sorted outside of memory where
/// there are many: it takes the class table, the roots and some 256 MB, whatever the size of the dump. Strings are listed with
/// their texts, unless these take more than 128 MiB: then the head says that it omits string-text.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct DecodeOpts {
    /// Dump or heap file (its name ends in .kdl); `-` is standard input.
    file: PathBuf,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    /// List the sound part of a damaged dump; the exit code is 1 all the same. Without it, a damaged dump is refused.
    #[arg(long)]
    sound_prefix: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Show the first lines of the listing", "heapsmith decode heapdump.phd | head -3"),
        (
            "List what stands before the error in a damaged dump",
            "heapsmith decode damaged.hprof --sound-prefix -o sound.jsonl",
        ),
    ],
    exit_codes: &[(1, "the dump is not valid, also with --sound-prefix")],
};

impl DecodeOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        outputs::require_distinct(&[&self.file], &[&self.output])?;
        if open::is_heap_file(&self.file) {
            return self.list_heap_file();
        }
        let reading = self.reading.reading();
        let input = open::input(&self.file)?;
        let unsound = unsound(&input, reading)?;
        let unsound = match unsound {
            Some(e) if !self.sound_prefix => return Err(e.into()),
            other => other,
        };
        let file = open::dump_from_input(input, reading)?;
        // Before anything else is held: it holds the class table and may sort the objects, too.
        let recognised = recognise(&file);
        let mut outline = file.outline()?;
        let read = match std::mem::replace(&mut outline.ended, Ok(())) {
            Err(e) if !self.sound_prefix && !e.is_missing_end() => return Err(e.into()),
            other => other,
        };
        let number = self.heap.number(outline.dump.heaps.len())?;
        // Of what is damaged, the texts are not known.
        let texts = match unsound {
            None => file.source().and_then(|mut source| read_texts(source.heap(number))),
            Some(_) => Ok(None),
        };
        let texts = match texts {
            Err(Error::Decode(_)) if self.sound_prefix => None,
            texts => texts?,
        };
        let mut lines = TextedLines { lines: SortedLines::new(MEMORY), texts };
        let ended = outline.visit_objects(number, &mut |place, object| lines.add(place, object))?;
        let broken = match read.and(ended) {
            Ok(_) => None,
            Err(e) if e.is_missing_end() => {
                terminal::warning(&format!("{}: {e}", file.input().name()));
                None
            }
            Err(e) if self.sound_prefix => Some(e),
            Err(e) => return Err(e.into()),
        };
        let (heap, classes) = (&outline.dump.heaps[number], &outline.classes[number]);
        let mut head = lines.head(heap);
        head.format = Some(file.format()?.to_string());
        head.heap = (outline.dump.heaps.len() > 1).then_some(number as u64);
        if broken.is_none() {
            head.profile = recognised?.map(|lowering| lowering.profile().to_owned());
        }
        let mut output = Output::create(&self.output, self.force)?;
        lines.lines.write(&mut output, &head, heap, classes)?;
        output.finish()?;
        match broken.or(unsound) {
            None => Ok(CommandOutcome::Yes),
            Some(e) => Err(e.into()),
        }
    }

    fn list_heap_file(&self) -> Result<CommandOutcome, Error> {
        let mut file = open::heap_file(&self.file)?;
        let heaps = file.heaps();
        let number = self.heap.number(heaps)?;
        let source = file.heap(number);
        let mut objects = 0;
        source.visit_objects(&mut |_| {
            objects += 1;
            Ok(())
        })?;
        let order = RecordOrder::new(source.classes(), objects);
        let mut lines = TextedLines { lines: SortedLines::new(MEMORY), texts: read_texts(source)? };
        let mut index = 0;
        source.visit_objects(&mut |object| {
            let place = order.place(index);
            index += 1;
            lines.add(place, object)
        })?;
        let heap = Heap {
            facts: source.facts().clone(),
            classes: source.classes().to_vec(),
            objects: Vec::new(),
            surroundings: source.surroundings().clone(),
        };
        let mut head = lines.head(&heap);
        head.heap = (heaps > 1).then_some(number as u64);
        let mut output = Output::create(&self.output, self.force)?;
        lines.lines.write(&mut output, &head, &heap, &order.classes)?;
        output.finish()?;
        Ok(CommandOutcome::Yes)
    }
}

/// The objects of a listing, with the texts of strings.
struct TextedLines {
    lines: SortedLines,
    /// The texts; `None` where they are not known.
    texts: Option<StringTexts>,
}

impl TextedLines {
    fn add(&mut self, place: RecordPlace, object: &Object) -> Result<(), Error> {
        match self.texts.as_ref().and_then(|texts| texts.text(object)) {
            Some(text) => self.lines.add(place, &Object { text: Some(text.clone()), ..object.clone() }),
            None => self.lines.add(place, object),
        }
    }

    fn head(&self, heap: &Heap) -> ListingHead {
        let mut head = self.lines.head(heap);
        if self.texts.is_none() {
            head.omits.push(Facet::StringText);
        }
        head
    }
}

fn read_texts(source: &mut dyn HeapSource) -> Result<Option<StringTexts>, Error> {
    StringTexts::from_source(source, MEMORY as u64, Utf16Order::default())
}

/// The options that give the dump's bytes again.
fn recognise(file: &DumpFile) -> Result<Option<Lowering>, Error> {
    let mut source = file.source()?;
    file.recognise(&mut source)
}
