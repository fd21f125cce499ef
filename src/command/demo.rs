use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::DumpOptions;
use crate::compare::compare;
use crate::error::Error;
use crate::family::{ReadOptions, Setting};
use crate::format::{Format, Lowering, WholeFile, profiles};
use crate::generate::{GenerateOptions, from_seed};
use crate::hprof::IdSize;
use crate::input::Input;
use crate::model::{Heap, HeapSource};
use crate::output::Output;
use crate::validate::{ValidateOptions, validate};
use clap::Args;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, open, terminal};

/// Writes one random heap in every format and version as every writer does, reads each file again and compares it with the heap.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct DemoOpts {
    /// Seed of the heap.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of objects, classes not counted.
    #[arg(long, default_value_t = 500)]
    objects: usize,
    /// Folder for the dumps; it is created.
    #[arg(short, long, alias = "out", default_value = "heapsmith-demo")]
    output: PathBuf,
    /// Replace dumps of another heap that exist already. Without it, they are an error.
    #[arg(long)]
    force: bool,
    /// Print the SHA-256 of each file, too, as sha256sum does. Without it, none is printed.
    #[arg(long, conflicts_with = "json")]
    long: bool,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a heap in every format, below the folder heapsmith-demo", "heapsmith demo"),
        ("Write another one elsewhere, and print the digests of the files", "heapsmith demo --seed 7 --long -o seven"),
    ],
    exit_codes: &[(0, "every file is the heap"), (1, "a file is not the heap")],
};

/// The dumps of one heap.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct DemoReport {
    /// Version of this report's schema.
    schema: u32,
    /// Seed of the heap.
    seed: u64,
    /// Its classes.
    classes: usize,
    /// Its objects.
    objects: usize,
    /// The files.
    dumps: Vec<DemoDump>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Row")]
struct DemoDump {
    /// Path of the file.
    file: String,
    /// Its format.
    format: String,
    /// The writer that was imitated.
    profile: &'static str,
    /// Its length.
    bytes: usize,
    /// SHA-256 of it, in hexadecimal.
    sha256: String,
    /// Facts that were compared.
    facts: u64,
    /// Whether it is a dump of a writer that contradicts the format, so that readers take it for something else.
    trap: bool,
    /// Whether the file is the heap again, and valid unless it is a trap.
    sound: bool,
}

impl DemoOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let failed = |e| Error::io(format!("creating {}", self.output.display()), e);
        fs::create_dir_all(&self.output).map_err(failed)?;
        let mut heap = from_seed(&GenerateOptions::default().objects(self.objects), self.seed);
        let rows = self
            .lowerings()?
            .iter()
            .map(|lowering| self.write_and_compare(&mut heap, lowering))
            .collect::<Result<_, _>>()?;
        let (classes, objects) = (heap.classes.len(), heap.objects.len());
        let report = DemoReport { schema: 1, seed: self.seed, classes, objects, dumps: rows };
        self.print(&report)?;
        Ok(if report.dumps.iter().all(|row| row.sound) { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn print(&self, report: &DemoReport) -> Result<(), Error> {
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            return terminal::print_json(report);
        }
        let mut table = terminal::table(["format", "writer", "bytes", "verdict"]);
        for row in &report.dumps {
            table.add_row([row.format.as_str(), row.profile, &row.bytes.to_string(), &row.verdict()]);
        }
        let DemoReport { seed, classes, objects, dumps, .. } = report;
        let mut out = terminal::stdout();
        writeln!(out, "One heap (seed {seed}: {classes} classes, {objects} objects) as {} dumps:\n", dumps.len())
            .and_then(|()| writeln!(out, "{}", terminal::render(&table)))
            .map_err(failed)?;
        for row in dumps.iter().filter(|_| self.long) {
            writeln!(out, "{}  {}", row.sha256, terminal::single_line(&row.file)).map_err(failed)?;
        }
        let Some(last) = dumps.last() else { return Ok(()) };
        let (folder, file) =
            (terminal::single_line(&self.output.display().to_string()), terminal::single_line(&last.file));
        writeln!(
            out,
            "\nThe dumps are in {folder}. Next:\n  heapsmith inspect {file}\n  heapsmith validate {folder}\n  \
             heapsmith adapter new python my-parser"
        )
        .map_err(failed)
    }

    /// Every format with every profile.
    fn lowerings(&self) -> Result<Vec<Lowering>, Error> {
        let mut lowerings = Vec::new();
        for format in Format::all() {
            // One heap for all, whose addresses have 8 bytes.
            let has_ids = format.family().settings().contains(&Setting::IdSize);
            let options = DumpOptions::new(format).id_size(has_ids.then_some(IdSize::Eight)).seed(self.seed);
            for profile in profiles(format) {
                lowerings.push(options.clone().profile(profile).lowering()?);
            }
        }
        Ok(lowerings)
    }

    fn write_and_compare(&self, heap: &mut Heap, lowering: &Lowering) -> Result<DemoDump, Error> {
        let mut bytes = Vec::new();
        lowering.write(&mut (heap as &mut dyn HeapSource), &mut bytes)?;
        let format = lowering.format();
        let path = self.output.join(format!("seed{}-{}.{}", self.seed, lowering.profile(), format.suffix()));
        self.save(&path, &bytes)?;
        let sha256 = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();

        let input = Input::open(&path)?;
        let expected = lowering.carry(&mut (heap as &mut dyn HeapSource))?;
        let WholeFile { dump, ended, .. } = open::dump_from_input(input.clone(), ReadOptions::default())?.read()?;
        ended?;
        let comparison = compare(&expected.heaps[0], &dump.heaps[0], &BTreeSet::new());
        let report = validate(&input, ValidateOptions::default())?;
        let trap = lowering.is_trap();
        Ok(DemoDump {
            file: path.display().to_string(),
            format: format.to_string(),
            profile: lowering.profile(),
            bytes: bytes.len(),
            sha256,
            facts: comparison.compared,
            trap,
            sound: comparison.equal && (report.valid || trap),
        })
    }

    /// A dump that is there already with the same bytes is as good as written.
    fn save(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let is_as_long = fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() == bytes.len() as u64);
        if is_as_long && fs::read(path).ok().is_some_and(|there| there == bytes) {
            return Ok(());
        }
        let mut output = Output::create(path, self.force)?;
        output.write_all(bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
        output.finish()
    }
}

impl DemoDump {
    fn verdict(&self) -> String {
        match (self.sound, self.trap) {
            (false, _) => terminal::bad("FAILED"),
            (true, true) => terminal::doubtful(&format!("trap as intended, {} facts", self.facts)),
            (true, false) => terminal::good(&format!("same heap, {} facts", self.facts)),
        }
    }
}
