//! Random cases: dumps of random heaps in random formats, versions, profiles and widths.

use crate::corpus::{Answer, Case, Kind, Verdict};
use crate::draw::SeedDraw;
use crate::error::Error;
use crate::format::{Family, Recipe};
use crate::generate::from_seed;
use crate::model::HeapSource;

/// One of the random cases of a seed: whatever others there are, it is the same.
///
/// # Errors
/// If a heap cannot be written, which would be a defect.
pub(super) fn random_case(seed: u64, index: u64, families: &[Family]) -> Result<Case, Error> {
    let recipe = Recipe::draw(families, 120, &mut SeedDraw::numbered(seed, index))?;
    let mut heap = from_seed(&recipe.generate_options(), recipe.seed);
    let Recipe { objects, seed: heap_seed, lowering, widths, .. } = &recipe;
    let format = lowering.format();
    let mut source: &mut dyn HeapSource = &mut heap;
    let expected = lowering.carry(&mut source)?.heaps.remove(0);
    let mut bytes = Vec::new();
    lowering.write(&mut source, &mut bytes)?;
    Ok(Case {
        id: format!("random-{seed}-{index:06}"),
        summary: format!("{objects} random objects"),
        kind: Kind::Random,
        format,
        heap: None,
        recipe: format!("{objects} objects from seed {heap_seed}, {format}, {}, {widths}", lowering.profile()),
        bytes,
        verdict: Verdict::Valid,
        keeps: Vec::new(),
        breaks: None,
        shows: Vec::new(),
        records_due: (expected.classes.len() + expected.objects.len()) as u64,
        answers: vec![Answer::Reads("as written", Box::new(expected))],
    })
}
