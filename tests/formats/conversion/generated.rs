//! Dumps of one generated heap in several formats: each is a faithful conversion of every other.

use heapsmith::Error;
use heapsmith::compare::MEMORY;
use heapsmith::convert::{CandidateWriters, ConversionVerdict, judge};
use heapsmith::format::{DumpFile, Family, Format};
use heapsmith::generate::Preset;
use heapsmith::input::Input;
use heapsmith::model::{DumpSource, WordSize};
use heapsmith::recipe::Recipe;

/// As `check-conversion` judges.
fn verdict(one: &[u8], other: &[u8]) -> Result<ConversionVerdict, Error> {
    let open = |dump: &[u8]| DumpFile::new(Input::from_memory("dump", dump.to_vec()), Default::default());
    let (one, other) = (open(one)?, open(other)?);
    let (mut input, mut output) = (one.source()?, other.source()?);
    let writers = CandidateWriters::from_dump(&other, &mut output, Some(one.format()?))?;
    let judged =
        writers.nearest(|target| judge(input.heap(0), output.heap(0), target, MEMORY), ConversionVerdict::differing)?;
    Ok(judged.1)
}

/// Of the pairs of formats, all but these: the usual writer of version 4 of PHD has a hash in every record, which other formats
/// do not record; and PHD lists what constant pools refer to, which the writer of classic text does not.
fn is_promised(preset: Preset, one: Format, other: Format) -> bool {
    let is_between =
        |left: Family, right: Family| [(left, right), (right, left)].contains(&(one.family(), other.family()));
    let has_pools = preset == Preset::EveryRecord;
    (other != Format::PHD4 || one.family() == Family::PHD) && !(has_pools && is_between(Family::PHD, Family::CLASSIC))
}

#[test]
fn dumps_of_one_recipe_in_several_formats_are_faithful_to_each_other() {
    let mut judged = 0;
    for form in Preset::FORMS {
        let seeds = match form.preset {
            Preset::Boundary => 1..2,
            Preset::Huge => 2..3,
            Preset::HotSpot | Preset::OpenJ9 | Preset::Android => 1..3,
            _ => 1..5,
        };
        for seed in seeds {
            let mut recipe = Recipe::from(form.preset).seed(seed);
            recipe.options.word = if seed % 2 == 1 { WordSize::Bits32 } else { WordSize::Bits64 };
            recipe.options.objects = recipe.options.objects.min(5000);
            let formats: Vec<Format> = Format::all().collect();
            let recipes = recipe.settled_for(&formats).expect("recipes");
            let dumps = recipes.into_iter().map(|recipe| {
                let mut bytes = Vec::new();
                recipe.write(&mut bytes).unwrap_or_else(|error| panic!("{recipe}: {error}"));
                (recipe, bytes)
            });
            let dumps: Vec<(Recipe, Vec<u8>)> = dumps.collect();
            for ((one, input), (other, output)) in
                dumps.iter().flat_map(|one| dumps.iter().map(move |other| (one, other)))
            {
                if !is_promised(form.preset, one.format, other.format) {
                    continue;
                }
                let verdict = verdict(input, output).unwrap_or_else(|error| panic!("{one} to {other}: {error}"));
                let differs = (&verdict.changed, &verdict.missing);
                assert!(verdict.faithful, "{one} to {other}: {differs:#?}");
                judged += 1;
            }
        }
    }
    assert!(judged > 250, "{judged} pairs");
}
