use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::DumpOptions;
use heapsmith::compare::compare;
use heapsmith::error::Error;
use heapsmith::family::{Reading, Setting};
use heapsmith::format::{Format, Lowering, WholeFile, profiles};
use heapsmith::generate::{GenerateOptions, from_seed};
use heapsmith::hprof::IdSize;
use heapsmith::input::Input;
use heapsmith::model::{Heap, HeapSource};
use heapsmith::output::Output;
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
        let mut heap = from_seed(&GenerateOptions::default().objects(self.objects), self.seed);
        let mut table = terminal::table(["file", "profile", "bytes", "SHA-256", "verdict"]);
        let mut answer = Answer::Yes;
        for lowering in self.lowerings()? {
            let row = self.row(&mut heap, &lowering)?;
            if !row.sound {
                answer = Answer::No;
            }
            table.add_row([row.file, lowering.profile().to_owned(), row.bytes.to_string(), row.digest, row.verdict]);
        }
        let mut out = terminal::stdout();
        let (classes, objects) = (heap.classes.len(), heap.objects.len());
        writeln!(out, "heap from seed {}: {classes} classes, {objects} objects", self.seed)
            .and_then(|()| writeln!(out, "{}", terminal::render(&table)))
            .map_err(|e| Error::io("writing standard output", e))?;
        Ok(answer)
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

    fn row(&self, heap: &mut Heap, lowering: &Lowering) -> Result<Row, Error> {
        let mut bytes = Vec::new();
        lowering.write(&mut (heap as &mut dyn HeapSource), &mut bytes)?;
        let format = lowering.format();
        let file = format!("seed{}-{}.{}", self.seed, lowering.profile(), format.suffix());
        let path = self.out.join(&file);
        // A dump that is there already with the same bytes is as good as written.
        if fs::read(&path).ok().as_ref() != Some(&bytes) {
            let mut output = Output::create(&path, self.force)?;
            output.write_all(&bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
            output.finish()?;
        }
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();

        let input = Input::open(&path)?;
        let expected = lowering.carry(&mut (heap as &mut dyn HeapSource))?;
        let WholeFile { dump, ended, .. } = open::dump_of(input.clone(), Reading::default())?.read()?;
        ended?;
        let comparison = compare(&expected.heaps[0], &dump.heaps[0], &BTreeSet::new());
        let report = validate(&input, ValidateOptions::default())?;
        let trap = lowering.is_trap();
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
