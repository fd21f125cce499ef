use std::path::PathBuf;

use crate::error::Error;
use crate::model::DumpSource;
use crate::output::{GzipBlocks, Output};
use clap::{Args, ValueEnum};

use crate::command::help::HelpEnding;
use crate::command::open;
use crate::command::spelling::{SpellingOpts, warn_of_unwritten};
use crate::command::{CommandOutcome, outputs, terminal};

/// Decodes a dump and writes it again.
///
/// Through records: the same bytes, whatever the spelling (of a compressed dump, the decompressed
/// ones). Through the heap: with --profile, what that writer would have made of the same heap, in its own
/// order (VMs write objects by address) and with its own hashes; without, the input's bytes again, by the
/// writer that is recognised, in the input's order. If no writer is recognised, an HPROF dump keeps all that its heap
/// holds (specs/hprof.md), and a dump of another format is written by its default profile.
///
/// Memory does not grow with the number of objects: through records it is that of the largest record, through the heap that
/// of the class table and the roots.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct RewriteOpts {
    /// Dump; `-` is standard input.
    input: PathBuf,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// How far to take the dump apart.
    #[arg(long, value_enum)]
    through: ThroughOpt,
    #[command(flatten)]
    spelling: SpellingOpts,
    /// Seed from which the profile `any` draws its spelling.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        (
            "Write the heap as OpenJ9 would",
            "heapsmith rewrite heapdump.phd -o plain.phd --through heap --profile openj9",
        ),
        ("Show that no byte is lost", "heapsmith rewrite heapdump.hprof --through records | cmp - heapdump.hprof"),
    ],
    exit_codes: &[(1, "the dump cannot be read to its end")],
};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ThroughOpt {
    /// Bytes, records, bytes.
    Records,
    /// Bytes, records, heap, records, bytes.
    Heap,
}

impl RewriteOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        outputs::require_distinct(&[&self.input], &[&self.output])?;
        match self.through {
            ThroughOpt::Records if self.spelling.is_chosen() || self.heap.heap.is_some() => {
                let message = "--through records keeps the dump's spelling; only --gzip may be combined with it";
                Err(Error::Usage(message.to_owned()))
            }
            ThroughOpt::Records => self.rewrite_records(),
            ThroughOpt::Heap => self.rewrite_heap(),
        }
    }

    fn rewrite_records(&self) -> Result<CommandOutcome, Error> {
        let records = open::records(&self.input, self.reading.reading())?;
        let mut output = Output::create_binary(&self.output, self.force)?;
        let missing = if self.spelling.writing.gzip {
            let mut blocks = GzipBlocks::new(&mut output);
            let missing = records.copy(&mut blocks)?;
            blocks.finish().map_err(|e| Error::io("writing the dump", e))?;
            missing
        } else {
            records.copy(&mut output)?
        };
        if let Some(error) = missing {
            open::warn_of_missing_end(&self.input.display().to_string(), &error);
        }
        output.finish()?;
        Ok(CommandOutcome::Yes)
    }

    fn rewrite_heap(self) -> Result<CommandOutcome, Error> {
        let file = open::dump(&self.input, self.reading.reading())?;
        let format = file.format()?;
        self.spelling.write_request().check(format)?;
        // A profile that there is not is refused before the dump is read.
        let named =
            self.spelling.writing.profile.as_ref().map(|_| self.spelling.lowering(format, self.seed)).transpose()?;
        let mut source = file.source()?;
        if let Some(left_behind) = source.unrecorded_end() {
            terminal::warning(&format!("{}: {left_behind}", file.input().name()));
        }
        let lowering = match named {
            Some(lowering) => {
                warn_of_unwritten(&mut source, &lowering)?;
                lowering
            }
            None => match file.recognise(&mut source)? {
                Some(recognised) => self.spelling.apply_to(&recognised)?,
                None => match file.lossless_lowering(&mut source) {
                    Some(keeping) => {
                        let name = file.input().name();
                        terminal::warning(&format!(
                            "{name}: no profile reproduces this dump's bytes; its heaps and its log are kept in their \
                             order, and only the places where segments end may differ. --profile names a writer to imitate"
                        ));
                        self.spelling.apply_to(&keeping)?
                    }
                    None => {
                        let lowering = self.spelling.lowering(format, self.seed)?;
                        let default = lowering.profile();
                        terminal::warning(&format!(
                            "no profile reproduces this dump's bytes; it is written as {default}. --profile names another writer"
                        ));
                        warn_of_unwritten(&mut source, &lowering)?;
                        lowering
                    }
                },
            },
        };
        let output = Output::create_binary(&self.output, self.force)?;
        match self.heap.heap {
            Some(_) => {
                let number = self.heap.number(source.heaps())?;
                self.spelling.write(&lowering, &mut source.heap(number), output)?;
            }
            None => self.spelling.write(&lowering, &mut source, output)?,
        }
        Ok(CommandOutcome::Yes)
    }
}
