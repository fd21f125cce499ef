mod answers;
mod dump_output;
mod flags;
mod parts;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{Error, unknown};
use crate::family::WriteRequest;
use crate::format::{Format, Lowering};
use crate::generate::{GenerateOption, GenerateOptions, OverruledOption, Preset};
use crate::heap_file::HeapFile;
use crate::input::{LONGEST_TEXT, read_text};
use crate::model::{DumpSource, HeapSource};
use crate::recipe::{Aim, Recipe};
use crate::validate::Rule;
use clap::Args;

use crate::command::help::HelpEnding;
use crate::command::spelling::WritingOpts;
use crate::command::{CommandOutcome, explain, outputs, terminal};
use dump_output::DumpOutput;
use flags::GenerateFlags;
use parts::PartOpts;

/// Writes a dump of a random heap. The same options give the same bytes, on every machine, and the same seed and options of
/// the heap give the same heap in every format: what a format cannot express is left out, and addresses that it cannot
/// express are refused.
///
/// Memory does not grow with the number of objects, but for a heap with --leak or --texts: that takes some 700 bytes an object.
/// docs/generating.md explains options, presets and recipes.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct GenerateOpts {
    /// A recipe to begin with; flags change what it says. Without it, --preset, or its default.
    #[arg(value_name = "RECIPE", conflicts_with_all = ["preset", "options"])]
    from: Option<String>,
    #[arg(long, value_delimiter = ',', value_name = "FORMATS", help = formats_help())]
    format: Vec<Format>,
    #[command(flatten)]
    writing: WritingOpts,
    /// Seed of the heap, and of the spelling in the profile `any`. Default: 0.
    #[arg(long)]
    seed: Option<u64>,
    #[arg(long, value_parser = preset, help = presets_help())]
    preset: Option<Preset>,
    /// TOML file of options of the heap, which change the preset's; flags change the file's. Without it, there are only flags.
    #[arg(long, value_name = "FILE")]
    options: Option<PathBuf>,
    /// Let the seed draw which options differ from the preset's, and the writer; those that are given stay. Without it, only the
    /// heap is drawn.
    #[arg(long)]
    swarm: bool,
    /// Search the swarm, from the seed on, for the first dump that keeps this rule and relies on it (or has the place at which an
    /// edit breaks it). Without it, nothing is searched for.
    #[arg(long, value_name = "RULE", value_parser = rule, conflicts_with = "break_rule")]
    hit: Option<&'static Rule>,
    /// Search the swarm, from the seed on, for the first dump that a named edit damages so that it breaks this rule. Without it,
    /// the dump is valid.
    #[arg(long = "break", id = "break_rule", value_name = "RULE", value_parser = rule)]
    break_rule: Option<&'static Rule>,
    #[command(flatten)]
    flags: GenerateFlags,
    #[command(flatten)]
    parts: PartOpts,
    /// File to write; `-` is standard output, also without this option. Of several formats, each has its usual ending added.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
    /// Print the recipe on standard error, too. Without it, it is not printed.
    #[arg(long, conflicts_with = "print_recipe")]
    recipe: bool,
    /// Print the recipe, one for each format, instead of writing a dump.
    #[arg(long)]
    print_recipe: bool,
    /// Write only LEN bytes of the dump from OFFSET on; without it, all. HPROF in the profile `even`, which is hotspot-25 with segments whose
    /// places are known: takes as long for any OFFSET, so that parts of a dump of terabytes can be had. Else: takes as long as
    /// the whole dump.
    #[arg(long, value_name = "OFFSET..LEN", value_parser = window, conflicts_with = "gzip")]
    window: Option<Range<u64>>,
    /// Print the length of the dump in bytes instead of writing it. As quick as --window.
    #[arg(long, conflicts_with_all = ["window", "gzip", "print_recipe", "sha256"])]
    size: bool,
    /// Print the SHA-256 of what is written, as sha256sum does, on standard error if the dump goes to standard output. Without it,
    /// none is printed.
    #[arg(long, conflicts_with = "print_recipe")]
    sha256: bool,
    /// Threads that compute objects. The dump is the same whatever their number. PHD is written by one. The threads in the heap are
    /// --java-threads. Default: 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: Option<u64>,
    /// Write what an analyser should find in the dump to this file, too (or to standard output: `-`), as JSON: the answers of
    /// `heapsmith answers`, the histogram of classes, and what is known of shapes. Of more than 20 million objects, only the
    /// histogram and what is known of shapes, without looking at objects; else memory is that of `heapsmith answers`. Without it,
    /// only the dump is written.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["print_recipe", "size", "window"])]
    answers: Option<PathBuf>,
    /// Print the shapes that the blocks of a large heap repeat (specs/generator.md), as JSON, instead of writing a dump.
    #[arg(long, conflicts_with_all = ["print_recipe", "recipe"])]
    print_shapes: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a dump of 1000 objects", "heapsmith generate --format hprof --seed 7 --objects 1000 -o seven.hprof"),
        (
            "Write a leak and equal texts, in three segments",
            "heapsmith generate --leak share=0.8 --texts \"100 hello\" --segments 3 -o leak.hprof",
        ),
        ("Write a dump that breaks a rule", "heapsmith generate --break hprof.instance.length -o broken.hprof"),
    ],
    exit_codes: &[],
};

impl GenerateOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let (base, asked) = self.base_recipe()?;
        self.parts.check(&base)?;
        let is_drawn = base.swarm || base.aim.is_some();
        let recipes = self.recipes(base)?;
        check_overruled(&recipes, &asked, is_drawn)?;
        recipes.iter().try_for_each(|recipe| recipe.lowering().map(|_| ()))?;
        if self.print_recipe && self.writing.gzip {
            let message =
                "a recipe cannot say --gzip; write gzip=yes in the recipe, which compresses the dump in stored blocks";
            return Err(Error::Usage(message.to_owned()));
        }
        if recipes.iter().any(|recipe| recipe.gzip) && (self.size || self.window.is_some()) {
            let message = "--size and --window are for dumps that are not compressed; leave gzip=yes out of the recipe";
            return Err(Error::Usage(message.to_owned()));
        }
        if self.print_recipe {
            let mut out = terminal::stdout();
            let mut print = |recipe: &Recipe| writeln!(out, "{recipe}");
            return match recipes.iter().try_for_each(&mut print) {
                Ok(()) => Ok(CommandOutcome::Yes),
                Err(error) => Err(Error::io("writing standard output", error)),
            };
        }
        if self.print_shapes {
            let described = recipes[0].heap()?.block_description();
            let none = || {
                Error::Usage("--print-shapes: this heap is too small to have blocks; choose more --objects".to_owned())
            };
            let described = described.ok_or_else(none)?;
            writeln!(terminal::data(), "{described}").map_err(|e| Error::io("writing standard output", e))?;
            return Ok(CommandOutcome::Yes);
        }
        if self.recipe {
            let mut out = terminal::stderr();
            let said = recipes.iter().try_for_each(|recipe| writeln!(out, "{recipe}"));
            said.map_err(|e| Error::io("writing standard error", e))?;
        }
        if self.answers.is_some() && recipes.len() > 1 {
            let message = "--answers: the answers depend on the format; choose one --format".to_owned();
            return Err(Error::Usage(message));
        }
        let formats: Vec<Format> = recipes.iter().map(|recipe| recipe.format).collect();
        let paths = outputs::paths_of_formats(&self.output, &formats, self.writing.gzip)?;
        let outputs: Vec<&Path> = paths.iter().chain(&self.answers).map(PathBuf::as_path).collect();
        outputs::require_distinct(self.options.as_deref().as_slice(), &outputs)?;
        // Before the dump is written, so that it is not written in vain.
        let answers = self.answers.as_deref().map(|path| answers::AnswersOutput::create(&recipes[0], path, self.force));
        let answers = answers.transpose()?;
        if !is_drawn {
            recipes.iter().try_for_each(warn_of_unrooted_shapes)?;
        }
        let mut dumps = recipes.iter().zip(&paths);
        if self.parts.is_empty() {
            dumps.try_for_each(|(recipe, path)| self.write_dump(recipe, path))?;
        } else {
            // One heap in every format.
            let mut file = self.parts.heap_file(&recipes[0])?;
            dumps.try_for_each(|(recipe, path)| self.write_heap_file(&mut file, recipe, path))?;
        }
        answers.map_or(Ok(()), |answers| answers.write(&recipes[0]))?;
        Ok(CommandOutcome::Yes)
    }

    fn write_dump(&self, recipe: &Recipe, path: &Path) -> Result<(), Error> {
        let in_parts = self.size || self.window.is_some() || (self.threads.is_some() && !recipe.gzip);
        let mut dumped = in_parts.then(|| recipe.lowering_and_heap()).transpose()?;
        let mut dumped = dumped.as_mut().map(|(lowering, heap)| {
            let threaded = self.threads.and_then(|threads| lowering.threads(threads as usize));
            if threaded.is_none() && self.threads.is_some_and(|threads| threads > 1) {
                let format = recipe.format;
                terminal::warning(&format!(
                    "--threads: {format} is written by one, since a record depends on the one before it"
                ));
            }
            (threaded.unwrap_or_else(|| lowering.clone()), heap as &mut dyn HeapSource)
        });
        if let Some((lowering, heap)) = &mut dumped
            && self.size
        {
            let bytes = lowering.write_window(heap, 0..0, &mut io::sink())?;
            return writeln!(terminal::stdout(), "{bytes}").map_err(|e| Error::io("printing the size", e));
        }
        let mut made = DumpOutput::create(path, self.force, self.sha256)?;
        match dumped {
            None => self.writing.write_into(|out| recipe.write(out), &mut made)?,
            Some((lowering, mut heap)) => match &self.window {
                None => self.writing.write_into(|out| lowering.write(&mut heap, out), &mut made)?,
                Some(window) => write_window(&lowering, &mut heap, window, &mut made)?,
            },
        }
        made.finish(path)
    }

    /// Writes the heap with parts, as `build` writes it.
    fn write_heap_file(&self, file: &mut HeapFile, recipe: &Recipe, path: &Path) -> Result<(), Error> {
        let lowering = Lowering::new(recipe.format, &WriteRequest { seed: recipe.seed, ..recipe.wishes.clone() })?;
        let mut made = DumpOutput::create(path, self.force, self.sha256)?;
        self.writing.write_into(|out| lowering.write(file, out), &mut made)?;
        made.finish(path)
    }

    /// The recipe that arguments, file and flags give, before a format is chosen, and the keys of the options that file and flags
    /// ask for.
    fn base_recipe(&self) -> Result<(Recipe, BTreeSet<&'static str>), Error> {
        let file = self.options.as_deref().map(read_options).transpose()?;
        let mut recipe = match (&self.from, self.preset) {
            (Some(text), _) => Recipe::read(text)?,
            (None, Some(preset)) => preset.into(),
            (None, None) => match &file {
                Some(values) => Preset::from_file(values)?.unwrap_or_default().into(),
                None => Preset::default().into(),
            },
        };
        let mut asked: BTreeSet<&str> = self.flags.keys().collect();
        if let Some(values) = &file {
            recipe.options.set_values(values)?;
            let keys = values.as_object().into_iter().flat_map(|values| values.keys());
            asked.extend(keys.filter_map(|key| GenerateOption::named(key)).map(GenerateOption::key));
        }
        asked.iter().for_each(|key| recipe.keep(key));
        self.flags.apply(&mut recipe)?;
        // Compressed once is enough.
        recipe.gzip &= !self.writing.gzip;
        recipe.swarm |= self.swarm;
        let aim = self.hit.map(Aim::Hit).or(self.break_rule.map(Aim::Break));
        recipe.aim = aim.or(recipe.aim);
        recipe.seed = self.seed.unwrap_or(recipe.seed);
        let wishes = self.writing.write_request();
        let of_recipe = std::mem::take(&mut recipe.wishes);
        recipe.wishes = WriteRequest {
            profile: wishes.profile.or(of_recipe.profile),
            id_size: wishes.id_size.or(of_recipe.id_size),
            segments: wishes.segments.or(of_recipe.segments),
            charset: wishes.charset.or(of_recipe.charset),
            newline: wishes.newline.or(of_recipe.newline),
            ..of_recipe
        };
        Ok((recipe, asked))
    }

    /// The recipe of each format. Where there are several, each has those wishes that it knows.
    fn recipes(&self, mut base: Recipe) -> Result<Vec<Recipe>, Error> {
        let several = self.format.len() > 1;
        if several && !self.print_recipe {
            outputs::require_file_for_several(&self.output)?;
        }
        if several {
            base.wishes.check_any(self.format.iter().copied())?;
        }
        if self.format.is_empty() {
            return base.settled_for(&[base.format]);
        }
        base.keep("format");
        base.settled_for(&self.format)
    }
}

/// Refuses options that were asked for and that others overrule; warns of those of the preset or recipe, where nothing is drawn.
fn check_overruled(recipes: &[Recipe], asked: &BTreeSet<&str>, is_drawn: bool) -> Result<(), Error> {
    // The heap is the same in every format.
    let Some(options) = recipes.first().map(|recipe| &recipe.options) else { return Ok(()) };
    let plain = GenerateOptions::default();
    for OverruledOption { key, why, .. } in options.overruled() {
        if asked.contains(key) {
            return Err(Error::Usage(format!("{why}; leave out one of the two")));
        }
        if !is_drawn && options.get(key) != plain.get(key) {
            terminal::warning(&why);
        }
    }
    Ok(())
}

/// Warns of shapes that no root leads to in the dump.
fn warn_of_unrooted_shapes(recipe: &Recipe) -> Result<(), Error> {
    let lowering = recipe.lowering()?;
    for shape in recipe.options.shapes.iter() {
        let root = shape.root().form();
        if lowering.omits_root(root) {
            let (profile, kind) = (lowering.profile(), root.name);
            terminal::warning(&format!(
                "shape={shape}: the profile {profile} records no roots of the kind {kind}, so no root leads to the shape; \
                 --profile any records every kind"
            ));
        }
    }
    Ok(())
}

fn write_window(
    lowering: &Lowering,
    dump: &mut dyn DumpSource,
    window: &Range<u64>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let bytes = lowering.write_window(dump, window.clone(), out)?;
    out.flush().map_err(|e| Error::io("writing the dump", e))?;
    if bytes < window.end {
        let Range { start, end } = window;
        let message = format!("--window {start}..{}: the dump has {bytes} bytes", end - start);
        return Err(Error::Usage(message));
    }
    Ok(())
}

/// A stretch of a dump by its offset and length.
fn window(text: &str) -> Result<Range<u64>, String> {
    let parts = text.split_once("..").and_then(|(offset, length)| Some((offset.parse().ok()?, length.parse().ok()?)));
    let range = parts.and_then(|(offset, length): (u64, u64)| Some(offset..offset.checked_add(length)?));
    range.ok_or_else(|| "expected the first byte's offset and a number of bytes, as in 4096..512".to_owned())
}

/// The values of a file of options.
fn read_options(path: &Path) -> Result<serde_json::Value, Error> {
    let name = path.display();
    let text = read_text(path, LONGEST_TEXT)?;
    toml::from_str(&text).map_err(|e| Error::Usage(format!("{name}: {}", e.to_string().trim_end())))
}

fn rule(id: &str) -> Result<&'static Rule, String> {
    crate::validate::rule(id).ok_or_else(|| explain::unknown_rule(id).to_string())
}

fn preset(name: &str) -> Result<Preset, String> {
    let names = || Preset::FORMS.iter().map(|form| form.name);
    let unknown = || unknown("preset", name, names(), &format!("choose one of {}", Preset::names()));
    Preset::named(name).ok_or_else(|| unknown().to_string())
}

fn presets_help() -> String {
    let of = |form: &crate::generate::PresetForm| format!("{} ({})", form.name, form.summary);
    format!(
        "Options to begin with: {}. Default: {}",
        Preset::FORMS.each_ref().map(of).join("; "),
        Preset::default().name()
    )
}

fn formats_help() -> String {
    format!("Dump format, or several joined by commas: {}. Default: {}", Format::names(), Format::HPROF)
}
