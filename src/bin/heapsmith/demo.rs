use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::compare::compare;
use heapsmith::error::Error;
use heapsmith::generate::{GenerateOptions, from_seed};
use heapsmith::input::Input;
use heapsmith::model::Heap;
use heapsmith::output::Output;
use heapsmith::phd::lower::{self, LowerOptions, PROFILES, Profile};
use heapsmith::phd::{Version, lift};
use heapsmith::validate::{ValidateOptions, validate};
use sha2::{Digest, Sha256};

use crate::{Answer, open, terminal};

/// Writes one random heap in every format, version and writer's dialect, decodes each file again and
/// checks it against the heap.
///
/// Example: heapsmith demo --seed 7
#[derive(Args)]
pub(crate) struct Opts {
    /// Seed of the heap.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of objects, classes not counted.
    #[arg(long, default_value_t = 500)]
    objects: usize,
    /// Folder for the dumps; it is created.
    #[arg(long, default_value = "heapsmith-demo")]
    out: PathBuf,
    /// Replace dumps of another heap that are there already.
    #[arg(long)]
    force: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let failed = |e| Error::io(format!("creating {}", self.out.display()), e);
        fs::create_dir_all(&self.out).map_err(failed)?;
        let mut heap = from_seed(&GenerateOptions { objects: self.objects, ..GenerateOptions::default() }, self.seed);
        let mut table = terminal::table(["file", "profile", "bytes", "SHA-256", "verdict"]);
        let mut answer = Answer::Yes;
        for version in Version::ALL {
            for profile in PROFILES.iter().filter(|p| p.versions.contains(&version)) {
                let row = self.row(&mut heap, version, profile)?;
                if !row.sound {
                    answer = Answer::No;
                }
                table.add_row([row.file, profile.name.to_owned(), row.bytes.to_string(), row.digest, row.verdict]);
            }
        }
        let mut out = terminal::stdout();
        let (classes, objects) = (heap.classes.len(), heap.objects.len());
        writeln!(out, "heap from seed {}: {classes} classes, {objects} objects", self.seed)
            .and_then(|()| writeln!(out, "{}", terminal::render(&table)))
            .map_err(|e| Error::io("writing standard output", e))?;
        Ok(answer)
    }

    fn row(&self, heap: &mut Heap, version: Version, profile: &'static Profile) -> Result<Row, Error> {
        let options = LowerOptions { profile, seed: self.seed, ..LowerOptions::new(version) };
        let bytes = lower::to_bytes(heap, &options)?;
        let file = format!("seed{}-{}.phd{}", self.seed, profile.name, version.number());
        let path = self.out.join(&file);
        // A dump that is there already with the same bytes is as good as written.
        if fs::read(&path).ok().as_ref() != Some(&bytes) {
            let mut output = Output::create(&path, self.force)?;
            output.write_all(&bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
            output.finish()?;
        }
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();

        let input = Input::open(&path)?;
        let expected = lower::carry(heap, &options)?;
        let (decoded, ended) = lift::heap(&mut open::decoder(&input)?);
        ended?;
        let comparison = compare(&expected, &decoded, &BTreeSet::new());
        let report = validate(&input, ValidateOptions { graph: true })?;
        let trap = profile.array_fields == lower::FieldSwap::SizeFirst;
        let sound = comparison.equal && (report.valid || trap);
        let verdict = match (sound, trap) {
            (false, _) => terminal::bad("FAILED"),
            (true, true) => terminal::doubtful(&format!("trap as intended, {} facts", comparison.compared)),
            (true, false) => terminal::good(&format!("same heap, {} facts", comparison.compared)),
        };
        Ok(Row { file, bytes: bytes.len(), digest, verdict, sound })
    }
}

struct Row {
    file: String,
    bytes: usize,
    digest: String,
    verdict: String,
    sound: bool,
}
