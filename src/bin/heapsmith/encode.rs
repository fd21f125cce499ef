use std::path::PathBuf;

use clap::Args;
use heapsmith::convert::{BUDGET, check_superclass_lists};
use heapsmith::error::Error;
use heapsmith::format::Format;
use heapsmith::input::Input;
use heapsmith::model::HeapSource;
use heapsmith::output::Output;

use crate::spelling::Spelling;
use crate::{Answer, open, outputs, terminal};

/// Writes a dump from a listing (see `decode`).
///
/// Without --profile, a listing gives its dump's bytes again, if it names the profile that does. With
/// --profile, that writer's order and hashes take the place of the listing's. The heap is held in memory: some 700 bytes an
/// object, and the contents of arrays.
///
/// Example: heapsmith encode seven.jsonl --format phd6 -o seven.phd
#[derive(Args)]
pub(crate) struct Opts {
    /// Listing; `-` is standard input.
    listing: PathBuf,
    #[arg(long, help = format!("Dump format: {}", Format::names()))]
    format: Format,
    #[command(flatten)]
    spelling: Spelling,
    /// Seed from which the profile `any` draws its spelling.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Most bytes for the lists of superclasses that PHD and classic text have for each class.
    #[arg(long, value_name = "BYTES", default_value_t = BUDGET)]
    budget: u64,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

impl Opts {
    pub(crate) fn run(mut self) -> Result<Answer, Error> {
        outputs::apart(&[&self.listing], &[&self.output])?;
        let mut listing = open::listing(&Input::open_watched(&self.listing, &terminal::watch())?)?;
        let same_format = listing.head.format == Some(self.format.to_string());
        if let Some(line) = listing.nameless {
            let message = "expected a class's name, which every dump has".to_owned();
            return Err(Error::Listing { line, message });
        }
        let named = self.spelling.writing.profile.is_none() && same_format && listing.head.profile.is_some();
        if named {
            self.spelling.writing.profile = listing.head.profile.take();
        }
        let mut lowering = self.spelling.lowering(self.format, self.seed)?;
        if named {
            // The listing's own writer: its order and hashes are the dump's.
            lowering = lowering.adhering();
        }
        check_superclass_lists(&listing.heap.classes, &lowering.needs(&listing.heap.facts), self.budget)?;
        let output = Output::create_binary(&self.output, self.force)?;
        self.spelling.write(&lowering, &mut (&mut listing.heap as &mut dyn HeapSource), output)?;
        Ok(Answer::Yes)
    }
}
