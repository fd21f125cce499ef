//! Random cases: dumps of random heaps in random formats, versions, profiles and widths, plain or odd.

use std::sync::Arc;

use crate::corpus::{Answer, Case, Kind, Verdict};
use crate::draw::SeedDraw;
use crate::error::Error;
use crate::format::Family;
use crate::generate::Oddity;
use crate::model::HeapSource;
use crate::recipe::Recipe;

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
    let (lowering, mut heap) = recipe.dumped()?;
    let mut source = &mut heap as &mut dyn HeapSource;
    let expected = lowering.carry(&mut source)?.into_only_heap()?;
    let mut bytes = Vec::new();
    lowering.write(&mut source, &mut bytes)?;
    let names: Vec<&str> = recipe.options.oddities.iter().map(Oddity::name).collect();
    let odd = if names.is_empty() { String::new() } else { format!(", {}", names.join(", ")) };
    let records_due = (expected.classes.len() + expected.objects.len()) as u64;
    let answers = vec![Answer::Reads("as written", Arc::new(expected))];
    Ok(Case {
        id: id(seed, index, &recipe),
        summary: format!("{} random objects{odd}", recipe.options.objects),
        kind: Kind::Random,
        format: recipe.format,
        heap: None,
        recipe: recipe.to_string(),
        bytes,
        plain_name: false,
        is_large: false,
        verdict: Verdict::of(&answers),
        keeps: Vec::new(),
        breaks: None,
        breaks_also: Vec::new(),
        shows: Vec::new(),
        records_due,
        answers,
    })
}
