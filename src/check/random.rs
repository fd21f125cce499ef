//! Random cases: dumps of random heaps in random formats, versions, profiles and widths, plain or odd.

use crate::corpus::{Answer, Case, Kind, Verdict};
use crate::draw::SeedDraw;
use crate::error::Error;
use crate::format::{Family, Recipe};
use crate::generate::{Oddity, VERSION, from_seed};

/// The recipe of one of the random cases of a seed: whatever others there are, it is the same.
fn recipe(seed: u64, index: u64, families: &[Family]) -> Result<Recipe, Error> {
    Recipe::draw(families, 120, &mut SeedDraw::numbered(seed, index))
}

fn id(seed: u64, index: u64, recipe: &Recipe) -> String {
    format!("random-{}-{seed}-{index:06}", recipe.kind())
}

/// The id of a random case: what it has, the seed and its number.
///
/// # Errors
/// If there is no such recipe, which would be a defect.
pub(super) fn random_id(seed: u64, index: u64, families: &[Family]) -> Result<String, Error> {
    Ok(id(seed, index, &recipe(seed, index, families)?))
}

/// A random case.
///
/// # Errors
/// If a heap cannot be written, which would be a defect.
pub(super) fn random_case(seed: u64, index: u64, families: &[Family]) -> Result<Case, Error> {
    let recipe = recipe(seed, index, families)?;
    let made = recipe.make(from_seed(&recipe.generate_options(), recipe.seed))?;
    let id = id(seed, index, &recipe);
    let Recipe { objects, seed: heap_seed, lowering, widths, oddities, .. } = &recipe;
    let format = lowering.format();
    let expected = made.carried;
    let names: Vec<&str> = oddities.iter().map(Oddity::name).collect();
    let odd = if names.is_empty() { String::new() } else { format!(", {}", names.join(", ")) };
    let records_due = (expected.classes.len() + expected.objects.len()) as u64;
    let answers = vec![Answer::Reads("as written", Box::new(expected))];
    Ok(Case {
        id,
        summary: format!("{objects} random objects{odd}"),
        kind: Kind::Random,
        format,
        heap: None,
        recipe: format!(
            "{objects} objects from seed {heap_seed} of generator {VERSION}{odd}, {format}, {}, {widths}",
            lowering.profile()
        ),
        bytes: made.bytes,
        verdict: Verdict::of(&answers),
        keeps: Vec::new(),
        breaks: None,
        shows: Vec::new(),
        records_due,
        answers,
    })
}
