use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapsmith::error::Error;
use heapsmith::format::Format;
use heapsmith::input::Input;
use heapsmith::output::Output;
use heapsmith::phd::lift::PhdSource;
use heapsmith::phd::{LowerOptions, encode, lower};

use crate::generate::Spelling;
use crate::{Answer, decode, open, terminal};

/// Decodes a dump and writes it again.
///
/// Through records: the same bytes, whatever the spelling (of a compressed dump, the decompressed
/// ones). Through the heap: with --profile, what that writer would have made of the same heap, in its own
/// order (VMs write objects by address) and with its own hashes; without, the input's bytes again, by the
/// writer that is recognised, in the input's order.
///
/// Example: heapsmith rewrite odd.phd plain.phd --through heap --profile openj9
#[derive(Args)]
pub(crate) struct Opts {
    /// Dump; `-` is standard input.
    input: PathBuf,
    /// Output; `-` is standard output.
    output: PathBuf,
    /// How far to take the dump apart.
    #[arg(long, value_enum)]
    through: Through,
    #[command(flatten)]
    spelling: Spelling,
    /// Seed of the spelling in the profile `any`.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Through {
    /// Bytes, records, bytes.
    Records,
    /// Bytes, records, heap, records, bytes.
    Heap,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        decode::refuse_same(&self.input, &self.output)?;
        match self.through {
            Through::Records if self.spelling.profile.is_some() || self.spelling.word.is_some() => {
                let message = "--profile and --word choose a spelling, and --through records keeps the one there is";
                Err(Error::Usage(message.to_owned()))
            }
            Through::Records => self.through_records(),
            Through::Heap => self.through_heap(),
        }
    }

    fn through_records(&self) -> Result<Answer, Error> {
        let mut decoder = open::decoder_once(&self.input)?;
        let mut output = Output::create_binary(&self.output, self.force)?;
        let failed = |e| Error::io("writing the dump", e);
        let mut buffer = Vec::new();
        encode::header(&mut buffer, decoder.header());
        let layout = decoder.layout();
        let ended = decoder.visit(|located| {
            encode::record(&mut buffer, layout, located.record);
            if buffer.len() >= 1 << 16 {
                output.write_all(&buffer).map_err(failed)?;
                buffer.clear();
            }
            Ok(())
        });
        let ended = ended.map(|_| encode::end(&mut buffer));
        open::tolerate_missing_end(&self.input.display().to_string(), ended)?;
        output.write_all(&buffer).map_err(failed)?;
        decoder.visit_trailing(|piece| output.write_all(piece).map_err(failed))?;
        output.finish()?;
        Ok(Answer::Yes)
    }

    fn through_heap(self) -> Result<Answer, Error> {
        let input = Input::open(&self.input)?;
        let version = open::decoder(&input)?.header().version;
        let mut options = self.spelling.options(Format::Phd(version), self.seed)?;
        let mut source = PhdSource::new(|| open::decoder(&input))?;
        if let Some(left_behind) = source.left_behind() {
            terminal::warning(&format!("{}: {left_behind}", input.name()));
        }
        if self.spelling.profile.is_none() {
            match decode::recognise(&input)? {
                Some(recognised) => options = LowerOptions { word: options.word, ..recognised },
                None => {
                    let default = options.profile.name;
                    terminal::warning(&format!("no profile gives this dump's bytes again; writing it as {default}"));
                }
            }
        }
        let mut output = Output::create_binary(&self.output, self.force)?;
        lower::write(&mut source, &options, &mut output)?;
        output.finish()?;
        Ok(Answer::Yes)
    }
}
