//! Random cases: dumps of random heaps in random formats, versions, profiles and widths, plain or odd.

use std::sync::Arc;

use crate::check::sources::decoded::case_from_bytes;
use crate::corpus::{Case, CaseOrigin, CaseVerdict, RightAnswer, judge_case};
use heapsmith_core::bytes::gzip;
use heapsmith_core::corrupt::mutated;
use heapsmith_core::draw::SeedDraw;
use heapsmith_core::error::Error;
use heapsmith_core::family::{GraphRules, Opener};
use heapsmith_core::findings::Findings;
use heapsmith_core::format::Family;
use heapsmith_core::generate::Oddity;
use heapsmith_core::model::{Heap, HeapSource};
use heapsmith_core::recipe::Recipe;

/// The recipe of a random case, by seed and number alone.
fn random_recipe(seed: u64, index: u64, families: &[Family]) -> Result<Recipe, Error> {
    Recipe::draw(families, 120, &mut SeedDraw::with_number(seed, index))
}

fn format_random_id(seed: u64, index: u64, recipe: &Recipe) -> String {
    format!("random-{}-{seed}-{index:06}", recipe.kind())
}

/// The id of a random case: what it has, the seed and its number.
///
/// # Errors
/// If there is no such recipe, which would be a defect.
pub(in crate::check) fn random_id(seed: u64, index: u64, families: &[Family]) -> Result<String, Error> {
    Ok(format_random_id(seed, index, &random_recipe(seed, index, families)?))
}

/// A random case.
///
/// # Errors
/// If a heap cannot be written, which would be a defect.
pub(in crate::check) fn random_case(seed: u64, index: u64, families: &[Family]) -> Result<Case, Error> {
    let recipe = random_recipe(seed, index, families)?;
    case_from_recipe(&format_random_id(seed, index, &recipe), &recipe)
}

/// The case of a recipe. Its heap is right; after an edit, the answers that the edit defines.
///
/// # Errors
/// If the recipe contradicts itself, or the edit cannot be made in the dump.
pub(in crate::check) fn case_from_recipe(id: &str, recipe: &Recipe) -> Result<Case, Error> {
    if recipe.gzip {
        let case = case_from_recipe(id, &recipe.clone().gzip(false))?;
        return Ok(Case { recipe: recipe.to_string(), ..compress_case(case) });
    }
    let mut settled = recipe.settled()?;
    if let Some(mutation) = settled.mutation.take() {
        let base = undamaged_case(id, recipe, &settled)?;
        let refused = || {
            Error::Usage(format!(
                "recipe {recipe}: mutation={mutation}: the mutation changes nothing, or the format of the dump cannot be recognised afterwards; choose another number"
            ))
        };
        return apply_mutation(mutation, &base)?.ok_or_else(refused);
    }
    let Some(edit) = settled.edit.take() else { return undamaged_case(id, recipe, &settled) };
    let refused = || Error::Usage(format!("recipe {recipe}: edit={edit} cannot be made in this dump"));
    let base = undamaged_case(id, recipe, &settled)?;
    apply_edit(&edit, &base)?.ok_or_else(refused)
}

/// The case of an edit in a valid dump; `None` if it cannot be made there, or heapsmith's own decoder and validator do
/// not find its effect.
///
/// # Errors
/// If a dump cannot be read because of the machine.
pub(in crate::check) fn apply_edit(edit: &str, base: &Case) -> Result<Option<Case>, Error> {
    let family = base.format.family();
    let case = match family.damaged(edit, base) {
        Ok(Some(case)) => case,
        // A heap that is peculiar has no place for some edits.
        Err(e @ Error::Io { .. }) => return Err(e),
        Ok(None) | Err(_) => return Ok(None),
    };
    let Some((rule, _)) = case.breaks else { return Ok(None) };
    let mut before = Findings::default();
    family.judge(&Opener::from_memory(&base.id, &base.bytes), GraphRules::All, &mut before)?;
    if before.breaks(rule) || !judge_case(&case)?.is_empty() {
        return Ok(None);
    }
    // What an edit does to a heap is stated for dumps of one kind. The first answer is what heapsmith finds; others that are neither
    // the heap as it was nor that one may be wrong of a heap of another kind, and then any answer is right.
    let heaps: Vec<&Heap> = base.answers.iter().chain(&case.answers[..1]).filter_map(answer_heap).collect();
    let is_stated = case.answers.iter().skip(1).filter_map(answer_heap).all(|other| heaps.contains(&other));
    let answers = if is_stated { case.answers } else { Vec::new() };
    Ok(Some(Case { id: base.id.clone(), recipe: base.recipe.clone(), kind: base.kind, answers, ..case }))
}

/// The case of a mutation of a valid dump. heapsmith's reading is right; any answer is, where the dump breaks a rule
/// and can still be read. `None` if nothing is changed, or the format cannot be told any more.
///
/// # Errors
/// If a dump cannot be read because of the machine.
pub(in crate::check) fn apply_mutation(mutation: u64, base: &Case) -> Result<Option<Case>, Error> {
    let Some(bytes) = mutated(base.format.family(), &base.bytes, mutation)? else { return Ok(None) };
    match case_from_bytes(&base.id, bytes) {
        Ok(case) => {
            let case = Case { recipe: base.recipe.clone(), kind: base.kind, ..case };
            // What such a dump means is for each reader to say.
            Ok(Some(if case.verdict == CaseVerdict::Ambiguous { Case { answers: Vec::new(), ..case } } else { case }))
        }
        Err(e @ Error::Io { .. }) => Err(e),
        Err(_) => Ok(None),
    }
}

/// The case with its dump compressed, as recipes do it.
pub(in crate::check) fn compress_case(case: Case) -> Case {
    Case { bytes: gzip::members([&*case.bytes]), ..case }
}

fn answer_heap(answer: &RightAnswer) -> Option<&Heap> {
    match answer {
        RightAnswer::Reads(_, heap) => Some(heap),
        RightAnswer::Refuses(_) => None,
    }
}

fn undamaged_case(id: &str, recipe: &Recipe, settled: &Recipe) -> Result<Case, Error> {
    let (lowering, mut heap) = settled.lowering_and_heap()?;
    let mut source = &mut heap as &mut dyn HeapSource;
    let expected = lowering.carry(&mut source)?.into_only_heap()?;
    let mut bytes = Vec::new();
    lowering.write(&mut source, &mut bytes)?;
    let names: Vec<&str> = settled.options.oddities.iter().map(Oddity::name).collect();
    let odd = if names.is_empty() { String::new() } else { format!(", {}", names.join(", ")) };
    let records_due = (expected.classes.len() + expected.objects.len()) as u64;
    let answers = vec![RightAnswer::Reads("as written", Arc::new(expected))];
    Ok(Case {
        id: id.to_owned(),
        summary: format!("{} random objects{odd}", settled.options.objects),
        kind: CaseOrigin::Random,
        format: settled.format,
        heap: None,
        recipe: recipe.to_string(),
        bytes,
        plain_name: false,
        is_large: false,
        is_bare: false,
        verdict: CaseVerdict::from_answers(&answers),
        keeps: Vec::new(),
        breaks: None,
        breaks_also: Vec::new(),
        shows: Vec::new(),
        records_due,
        answers,
    })
}

/// The seed and the number of a random case, by its id.
pub(in crate::check) fn parse_random_id(id: &str) -> Option<(u64, u64)> {
    let (rest, number) = id.strip_prefix("random-")?.rsplit_once('-')?;
    let (_, seed) = rest.rsplit_once('-')?;
    Some((seed.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use heapsmith_core::generate::Preset;

    use super::*;

    /// A random dump of a format in which an edit can be made: the case after it.
    fn edited(family: Family, edit: &str) -> Option<Case> {
        let drawn = |seed| {
            let format = family.formats().nth(seed as usize % family.formats().count())?;
            let recipe =
                Recipe::from(Preset::Plain).swarm(seed % 8 > 3).format(format).seed(seed).edit(edit.to_owned());
            case_from_recipe("edited", &recipe).ok()
        };
        (0..64).find_map(drawn)
    }

    #[test]
    fn random_dumps_have_a_place_for_each_edit() {
        for (family, edit) in
            Family::ALL.into_iter().flat_map(|family| family.edits().into_iter().map(move |e| (family, e)))
        {
            let case = edited(family, edit.name);
            assert!(case.is_some_and(|case| case.breaks.is_some()), "{}: {}", family.name(), edit.name);
        }
    }

    /// Which of two dumps of a class counts, and whether a class may be its own superclass, is not stated for any heap.
    #[test]
    fn accepts_any_answer_for_ambiguous_edit() {
        for edit in ["repeat-a-class", "close-the-superclass-chain"] {
            let case = edited(Family::HPROF, edit).expect("a dump with classes");
            assert!(case.takes_any_answer(), "{edit}: {:?}", case.answers);
        }
        let refused = edited(Family::HPROF, "misspell-the-magic").expect("any dump");
        assert!(!refused.takes_any_answer() && refused.verdict == CaseVerdict::Invalid);
    }
}
