use std::io::Write;
use std::path::{Path, PathBuf};

use crate::convert::{BUDGET, LostFacet, OmittedRoots, Unwritten, check_superclass_lists};
use crate::error::{Error, HeapFileError, HeapFileErrors};
use crate::family::WriteRequest;
use crate::format::{DumpTarget, Format, Lowering, word_of_new_heap};
use crate::heap_file::{HeapFile, HeapFileOptions};
use crate::input::Input;
use crate::model::DumpSource;
use crate::output::Output;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::spelling::{SpellingOpts, describe_unwritten};
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Writes a dump of a heap file: a heap as text that a person reads, writes and changes (docs/heap-file.md).
///
/// All errors of the file are reported at once, with line and column. The same file and options give the same bytes. What a dump
/// does not record of what the file gives is said on standard error. Memory does not grow with what a long repeat of objects and
/// arrays makes; all else is held: some 700 bytes an object, and the contents of arrays.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct BuildOpts {
    /// Heap file, whose name usually ends in .kdl; `-` is standard input.
    heap_file: PathBuf,
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', required_unless_present = "check", help = formats_help())]
    format: Vec<DumpTarget>,
    #[command(flatten)]
    spelling: SpellingOpts,
    /// Seed from which the profile `any` draws its spelling.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Give a variable of the file, declared by `let NAME=NUMBER`, another number. Without it, the file's own.
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = variable)]
    variables: Vec<(String, i64)>,
    #[command(flatten)]
    heap: open::HeapOpt,
    /// File to write; `-` is standard output, also without this option. Of several formats, each has its usual ending added.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Write nothing: report the errors of the heap file, and with --format what the dumps would not record. Without it, the
    /// dumps are written.
    #[arg(long, conflicts_with = "output")]
    check: bool,
    /// Write nothing if a dump would not record all that the heap file gives. Without it, that is a warning.
    #[arg(long)]
    strict: bool,
    /// Most bytes for the lists of superclasses that PHD and classic text have for each class.
    #[arg(long, value_name = "BYTES", default_value_t = BUDGET)]
    budget: u64,
    /// Print a JSON report, too, of the file's errors and of what the dumps do not record; on standard error if the dump goes to
    /// standard output. Without it, only standard error says so, as text.
    #[arg(long)]
    json: bool,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a dump in four segments", "heapsmith build orders.kdl --format hprof --segments 4 -o orders.hprof"),
        ("Write the heap in three formats", "heapsmith build orders.kdl --format hprof,phd6,classic -o orders"),
        ("Report the errors of a heap file", "heapsmith build orders.kdl --check"),
    ],
    exit_codes: &[(1, "the heap file has errors, or --strict and a dump would not record all of it")],
};

/// The dumps that were built of a heap file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct BuildReport {
    /// Version of this report's schema.
    schema: u32,
    /// The number of heaps in the file; 0 where it has errors, as are the next two.
    heaps: u64,
    /// The number of their classes, those of the library included.
    classes: u64,
    /// The number of their objects.
    objects: u64,
    /// The errors of the heap file, in the order of their places: the first hundred.
    errors: Vec<ErrorLine>,
    /// The number of further errors.
    more_errors: u64,
    /// Whether the dumps were written.
    written: bool,
    /// The dumps.
    dumps: Vec<BuiltDump>,
}

/// Version of the report.
const SCHEMA: u32 = 2;

/// An error of a heap file.
#[derive(Serialize, JsonSchema)]
struct ErrorLine {
    /// Line, from 1.
    line: u32,
    /// Column in characters, from 1.
    column: u32,
    /// What was found and expected.
    message: String,
}

/// A dump of a heap file.
#[derive(Serialize, JsonSchema)]
struct BuiltDump {
    /// The dump's format and profile.
    to: String,
    /// The file; absent where the dump goes to standard output or nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Facets that the heap file gives and such dumps do not record; those that it leaves to heapsmith are not among them.
    lost: Vec<LostFacet>,
    /// Roots that the writer leaves out.
    omitted_roots: Vec<OmittedRoots>,
}

impl BuildOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let lowerings = self.lowerings()?;
        let paths = self.output_paths(&lowerings)?;
        let outputs: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        outputs::require_distinct(&[&self.heap_file], &outputs)?;
        let options = HeapFileOptions::default().variables(self.variables.clone()).word(word_of_new_heap(&lowerings));
        let mut file = match open::heap_file_with(&self.heap_file, &options) {
            Err(Error::HeapFile(errors)) => return self.refuse(errors),
            file => file?,
        };
        let mut report = BuildReport::default();
        // Every object is computed before anything is written: one of a repeat may have a value that its field cannot have.
        match report.count(&mut file).map_err(|error| error.in_heap_file(&Input::name_of(&self.heap_file))) {
            Err(Error::HeapFile(errors)) => return self.refuse(errors),
            counted => counted?,
        }
        let mut lines = Vec::new();
        for (lowering, path) in lowerings.iter().zip(&paths) {
            let unwritten = self.with_heaps(&mut file, |dump| {
                self.check_superclass_lists(dump, lowering)?;
                Unwritten::from_dump(dump, lowering)
            })?;
            let unwritten = unwritten.without_automatic(&file);
            lines.extend(self.with_heaps(&mut file, |dump| describe_unwritten(&unwritten, dump, lowering))?);
            let is_file = !self.check && path != Path::new("-");
            report.dumps.push(BuiltDump {
                to: unwritten.to,
                file: is_file.then(|| path.display().to_string()),
                lost: unwritten.lost,
                omitted_roots: unwritten.roots,
            });
        }
        let is_refused = self.strict && !lines.is_empty();
        match is_refused {
            true => self.say_what_is_lost(&lines),
            false => lines.iter().for_each(|line| terminal::warning(line)),
        }
        if !is_refused && !self.check {
            self.write(&mut file, &lowerings, &paths)?;
            report.written = true;
        }
        self.print(&report)?;
        Ok(if is_refused { CommandOutcome::No } else { CommandOutcome::Yes })
    }

    /// The writers, one for each format.
    fn lowerings(&self) -> Result<Vec<Lowering>, Error> {
        let common = self.spelling.write_request();
        let several = self.format.len() > 1;
        if several {
            common.check_any(self.format.iter().map(|target| target.format))?;
        }
        let lowering = |target: &DumpTarget| {
            let own = if several { common.for_format(target.format) } else { common.clone() };
            let profile = target.profile.clone().or_else(|| self.spelling.writing.profile.clone());
            Lowering::new(target.format, &WriteRequest { profile, seed: self.seed, ..own })
        };
        self.format.iter().map(lowering).collect()
    }

    /// The output of each of them.
    fn output_paths(&self, lowerings: &[Lowering]) -> Result<Vec<PathBuf>, Error> {
        let formats: Vec<Format> = lowerings.iter().map(|lowering| lowering.format()).collect();
        if self.check {
            return Ok(vec![self.output.clone(); formats.len()]);
        }
        outputs::paths_of_formats(&self.output, &formats, self.spelling.writing.gzip)
    }

    /// Calls `work` with the heaps that are written.
    fn with_heaps<T>(
        &self,
        file: &mut HeapFile,
        work: impl FnOnce(&mut dyn DumpSource) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self.heap.heap {
            None => work(file),
            Some(_) => {
                let number = self.heap.number(file.heaps())?;
                work(&mut file.heap(number))
            }
        }
    }

    fn check_superclass_lists(&self, dump: &mut dyn DumpSource, lowering: &Lowering) -> Result<(), Error> {
        for number in 0..dump.heaps() {
            let heap = dump.heap(number);
            let needs = lowering.requirements(heap.facts());
            check_superclass_lists(heap.classes(), &needs, self.budget)?;
        }
        Ok(())
    }

    /// Writes all dumps; either all of them appear or none.
    fn write(&self, file: &mut HeapFile, lowerings: &[Lowering], paths: &[PathBuf]) -> Result<(), Error> {
        let outputs = paths.iter().map(|path| Output::create_binary(path, self.force));
        let mut outputs = outputs.collect::<Result<Vec<Output>, Error>>()?;
        for (lowering, output) in lowerings.iter().zip(&mut outputs) {
            let writing = &self.spelling.writing;
            self.with_heaps(file, |dump| writing.write_into(|out| lowering.write(dump, out), output))?;
        }
        outputs.into_iter().try_for_each(Output::finish)
    }

    /// Reports the errors of the heap file.
    fn refuse(&self, errors: HeapFileErrors) -> Result<CommandOutcome, Error> {
        if self.json {
            let line = |error: &HeapFileError| ErrorLine {
                line: error.line,
                column: error.column,
                message: error.message.clone(),
            };
            let report = BuildReport {
                errors: errors.errors.iter().map(line).collect(),
                more_errors: errors.more,
                ..BuildReport::default()
            };
            self.print(&report)?;
        }
        Err(errors.into())
    }

    fn say_what_is_lost(&self, lines: &[String]) {
        let name = Input::name_of(&self.heap_file);
        terminal::error(&format!("{name}: {}\nnothing is written; without --strict, the rest is", lines.join("\n")));
    }

    fn print(&self, report: &BuildReport) -> Result<(), Error> {
        if self.json {
            let beside = (!self.check && report.errors.is_empty()).then_some(self.output.as_path());
            return terminal::print_json_beside(beside, report);
        }
        if !self.check {
            return Ok(());
        }
        let BuildReport { heaps, classes, objects, .. } = report;
        let heaps = if *heaps == 1 { "1 heap".to_owned() } else { format!("{heaps} heaps") };
        let name = terminal::single_line(&Input::name_of(&self.heap_file));
        writeln!(
            terminal::stdout(),
            "{name}: {}; {heaps}, {classes} classes, {objects} objects",
            terminal::good("fine")
        )
        .map_err(|e| Error::io("writing standard output", e))
    }
}

impl Default for BuildReport {
    fn default() -> BuildReport {
        BuildReport {
            schema: SCHEMA,
            heaps: 0,
            classes: 0,
            objects: 0,
            errors: Vec::new(),
            more_errors: 0,
            written: false,
            dumps: Vec::new(),
        }
    }
}

impl BuildReport {
    /// Counts what a heap file has, object by object.
    fn count(&mut self, file: &mut HeapFile) -> Result<(), Error> {
        self.heaps = file.heaps() as u64;
        for number in 0..file.heaps() {
            let heap = file.heap(number);
            self.classes += heap.classes().len() as u64;
            heap.visit_objects(&mut |_| {
                self.objects += 1;
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// A variable and its number.
fn variable(text: &str) -> Result<(String, i64), String> {
    let parsed = text.split_once('=').and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)));
    let named = parsed.filter(|(name, _): &(String, i64)| !name.is_empty());
    named.ok_or_else(|| "expected a name and a whole number, as in n=1000".to_owned())
}

fn formats_help() -> String {
    format!(
        "Dump format, or several joined by commas: {}; with a profile of its own after a slash ({}). Required unless --check is given",
        Format::names(),
        DumpTarget::examples()
    )
}
