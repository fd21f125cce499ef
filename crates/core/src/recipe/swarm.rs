//! Recipes whose options and writers are drawn.

use std::collections::BTreeSet;

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::Error;
use crate::family::WriteRequest;
use crate::format::{Format, Lowering};
use crate::generate::{ClassObjects, GenerateOptions, Oddities, Oddity};
use crate::units::IdSize;

use super::{Recipe, aim, drawn};

/// Changes of options after which each writer takes them, if it can.
const CHANGES: usize = 8;
const ADDRESSES: &str = "addresses";
const CLASS_OBJECTS: &str = "class-objects";
/// The writer of classic text that lists the same references of classes as PHD's writers do.
const LISTS_AS_PHD: &str = "ibm-j9";

impl Recipe {
    /// A recipe of the same dump that states everything: options that are drawn, and the seed that a search finds.
    ///
    /// # Errors
    /// If the options contradict what has to be drawn, or nothing of what is searched for is found.
    pub fn settled(&self) -> Result<Recipe, Error> {
        match self.aim {
            Some(aim) => aim::search(self, aim),
            None => Ok(self.settled_for(&[self.format])?.swap_remove(0)),
        }
    }

    /// Recipes that state everything, for dumps of one heap in several formats: each of them can be written, and each
    /// is a faithful conversion of every other, but for what docs/generating.md excepts.
    ///
    /// # Errors
    /// Like [`Recipe::settled`], or if a rule is aimed at, which is one of a single format.
    pub fn settled_for(&self, formats: &[Format]) -> Result<Vec<Recipe>, Error> {
        if let (Some(aim), false) = (self.aim, formats.len() == 1) {
            let (key, rule) = (aim.key(), aim.rule().id);
            return Err(Error::Usage(format!("{key}={rule} gives a dump of one format; name one with --format")));
        }
        let mut base = self.clone();
        let has_others = formats.iter().any(|format| format.family() != formats[0].family());
        if has_others && !base.keeps(CLASS_OBJECTS) && formats.contains(&Format::HPROF) {
            base.options.class_objects = ClassObjects::HotSpot;
        }
        let of = |format: &Format| {
            let mut wishes = if formats.len() > 1 { base.wishes.for_format(*format) } else { base.wishes.clone() };
            if has_others && *format == Format::CLASSIC && wishes.profile.is_none() {
                wishes.profile = Some(LISTS_AS_PHD.to_owned());
            }
            Recipe { format: *format, wishes, ..base.clone() }
        };
        let recipes: Vec<Recipe> = formats.iter().map(of).collect();
        match (self.aim, self.swarm) {
            (None, false) => {
                // One heap in every format.
                let word = recipes.iter().find_map(Recipe::word_of_writer);
                let sized = |mut recipe: Recipe| {
                    recipe.options.word = word.unwrap_or(recipe.options.word);
                    recipe
                };
                Ok(recipes.into_iter().map(sized).collect())
            }
            (None, true) => drawn_for(recipes, &base),
            (Some(aim), _) => recipes.iter().map(|recipe| aim::search(recipe, aim)).collect(),
        }
    }

    /// Whether nothing has to be drawn or searched for, or asked of the writer, to know the options.
    pub(super) fn is_settled(&self) -> bool {
        !self.swarm && self.aim.is_none() && self.word_of_writer().is_none()
    }

    /// A writer of the swarm, for a heap of these options, which is written in this format alone or in others, too.
    fn writer(&self, options: &GenerateOptions, is_alone: bool) -> Result<WriteRequest, Error> {
        let mut draw = SeedDraw::new(self.seed, DrawStream::Writer);
        let shown: Oddities = Recipe { options: options.clone(), ..self.clone() }.oddities().collect();
        let oddities = if draw.one_in(2) { shown.with(Oddity::AnySpelling) } else { shown };
        let asked = WriteRequest { seed: self.seed, ..self.wishes.clone() };
        let (_, mut wishes) = drawn::writer(self.format, oddities, &asked, &mut draw)?;
        if self.wishes.id_size.is_none() && wishes.id_size.is_some_and(|size| size < IdSize::Four) {
            // One byte does not number the classes, names and frames of every heap; in other formats, addresses are no
            // numbers from 1 on.
            wishes.id_size = is_alone.then_some(IdSize::Two);
        }
        Ok(wishes)
    }
}

/// The recipes of one heap with its options drawn, so that each of the writers takes it.
fn drawn_for(recipes: Vec<Recipe>, base: &Recipe) -> Result<Vec<Recipe>, Error> {
    let mut options = base.options.swarm(|key| base.keeps(key), &mut SeedDraw::new(base.seed, DrawStream::Swarm));
    let is_alone = recipes.len() == 1;
    let drawn = recipes.into_iter().map(|recipe| {
        let wishes = recipe.writer(&options, is_alone)?;
        let lowering = Lowering::new(recipe.format, &wishes)?;
        Ok((Recipe { wishes: WriteRequest { seed: 0, ..wishes }, swarm: false, ..recipe }, lowering))
    });
    let drawn: Vec<(Recipe, Lowering)> = drawn.collect::<Result<_, Error>>()?;
    let refusal = |options: &GenerateOptions| {
        drawn.iter().find_map(|(recipe, lowering)| recipe.clone().options(options.clone()).refusal(lowering))
    };
    let mut changed = BTreeSet::new();
    for _ in 0..CHANGES {
        let Some(refusal) = refusal(&options) else { break };
        if base.keeps(refusal.key) {
            return Err(refusal.into());
        }
        // What goes with the addresses, a writer may not have: all have ordinary ones.
        if !changed.insert(refusal.key) && !base.keeps(ADDRESSES) {
            options.set(ADDRESSES, "ordinary")?;
        }
        options.set(refusal.key, &refusal.value)?;
    }
    if let Some(refusal) = refusal(&options) {
        return Err(refusal.into());
    }
    Ok(drawn.into_iter().map(|(recipe, _)| recipe.options(options.clone())).collect())
}
