use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::input::{Input, InputStream};
use crate::recipe::Recipe;
use crate::verify::{Verified, VerifyOptions, verify};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, open, terminal};

/// Checks whether a dump is the heap of a recipe. The dump is read once, and memory does not grow with it.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct VerifyOpts {
    /// The dump; `-` is standard input.
    file: PathBuf,
    /// The recipe of the heap; `generate --print-recipe` prints it.
    #[arg(long)]
    recipe: String,
    /// Accept the objects in any order. Without it, they have to be in the recipe's order.
    #[arg(long)]
    any_order: bool,
    /// Compare one block of 32 objects in N, and the first 512 to 543 objects, which stand in no block; the others are only counted.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        (
            "Check what a converter or a transfer left of a generated dump",
            "heapsmith verify seven.hprof --recipe heapsmith-2:seed=7,objects=1000",
        ),
        (
            "Accept the objects in the order of another writer",
            "heapsmith verify seven.hprof --recipe heapsmith-2:seed=7,objects=1000 --any-order",
        ),
    ],
    exit_codes: &[(0, "the dump is that heap"), (1, "the dump is another heap, or not valid")],
};

/// What is printed as JSON.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct VerifyReport {
    /// Version of this report's schema.
    schema: u32,
    #[serde(flatten)]
    verified: Verified,
}

/// Version of the schema of [`VerifyReport`].
const SCHEMA: u32 = 1;

impl VerifyOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let recipe = Recipe::read(&self.recipe)?;
        let (lowering, heap) = recipe.lowering_and_heap()?;
        let stream = match self.file == Path::new("-") {
            true => InputStream::stdin_watched(&terminal::watch())?,
            false => open::input(&self.file)?.stream()?,
        };
        let options = VerifyOptions::default().any_order(self.any_order).sample(self.sample);
        let verified = verify(stream, &heap, &lowering, options)?;
        let same = verified.same;
        self.print(verified)?;
        Ok(if same { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn print(&self, verified: Verified) -> Result<(), Error> {
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            let report = VerifyReport { schema: SCHEMA, verified };
            return terminal::print_json(&report);
        }
        let mut out = terminal::stdout();
        for difference in &verified.differences {
            let at = difference.address.as_deref().map_or_else(String::new, |at| format!(" at {at}"));
            let (expected, found) = (&difference.expected, &difference.found);
            writeln!(out, "{}{at}\n  expected: {expected}\n  found:    {found}", difference.what).map_err(failed)?;
        }
        let Verified { same, objects, compared, count, .. } = verified;
        let verdict = match same {
            true => terminal::good("the same heap"),
            false => terminal::bad("another heap"),
        };
        let differences = if count == 1 { "1 difference".to_owned() } else { format!("{count} differences") };
        let name = terminal::single_line(&Input::name_of(&self.file));
        writeln!(out, "{name}: {verdict}; {objects} objects, {compared} compared, {differences}").map_err(failed)
    }
}
