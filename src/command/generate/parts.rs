//! Parts by intent beside the random heap: nodes of a heap file, by their words.

use crate::error::Error;
use crate::heap_file::HeapFile;
use crate::recipe::Recipe;
use clap::Args;

/// The heading of the options.
const HEADING: &str = "Parts of the heap, in the words of a heap file (docs/heap-file.md)";

/// Options about the dump of a recipe, which has no parts.
const OF_RECIPE: [&str; 10] =
    ["swarm", "hit", "break_rule", "recipe", "print_recipe", "window", "size", "threads", "answers", "print_shapes"];

/// Options of the generator about what a heap file lays out by itself, or says of a dump as a whole.
const OF_LAYOUT: [&str; 8] =
    ["addresses", "serials", "hashes", "version-text", "order", "oddities", "time-stamp", "unused-texts"];

/// Nodes of a heap file.
#[derive(Args)]
pub(super) struct PartOpts {
    /// Objects that make up a share of the heap's bytes, in a holder: the node `leak`, such as "share=0.8 holder=static". Can be
    /// given several times. Without it, there is no leak.
    #[arg(long, value_name = "WORDS", conflicts_with_all = OF_RECIPE, help_heading = HEADING)]
    leak: Vec<String>,
    /// Strings of one text: the node `texts`, such as "100 hello". Can be given several times. Without it, there are only those of
    /// the random heap.
    #[arg(long, value_name = "WORDS", conflicts_with_all = OF_RECIPE, help_heading = HEADING)]
    texts: Vec<String>,
}

impl PartOpts {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.leak.is_empty() && self.texts.is_empty()
    }

    /// Refuses what a recipe says that a heap with parts does not have.
    pub(super) fn check(&self, recipe: &Recipe) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let (options, of_preset) = (&recipe.options, recipe.preset.options());
        if let Some(key) = OF_LAYOUT.into_iter().find(|key| options.get(key) != of_preset.get(key)) {
            return Err(Error::Usage(format!(
                "{key}: a heap with --leak or --texts is laid out as a heap file is, without this option; leave it out"
            )));
        }
        let is_changed = recipe.swarm || recipe.aim.is_some() || recipe.edit.is_some() || recipe.mutation.is_some();
        if is_changed || recipe.gzip {
            let message = "--leak and --texts go with a recipe that has options of the heap, seed, format and writer; leave swarm, hit, \
                           break, edit, mutation and gzip out of it";
            return Err(Error::Usage(message.to_owned()));
        }
        Ok(())
    }

    /// The random heap of a recipe with the parts, as a heap file.
    pub(super) fn heap_file(&self, recipe: &Recipe) -> Result<HeapFile, Error> {
        let kinds = [("leak", &self.leak), ("texts", &self.texts)];
        let nodes = kinds.into_iter().flat_map(|(kind, all)| all.iter().map(move |words| format!("{kind} {words}")));
        HeapFile::from_random(recipe.preset, &recipe.options, recipe.seed, &nodes.collect::<Vec<_>>())
    }
}
