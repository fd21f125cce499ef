//! Recipes whose options and writers are drawn.

use std::collections::BTreeSet;

use crate::draw::{Draw, SeedDraw, Stream};
use crate::error::Error;
use crate::family::Wishes;
use crate::format::{Format, Lowering};
use crate::generate::{GenerateOptions, Oddity};

use super::{Recipe, aim, drawn};

/// Changes of options after which each writer takes them, if it can.
const CHANGES: usize = 8;

impl Recipe {
    /// The same dump, with everything said that decides about it: what is drawn, and what is searched for.
    ///
    /// # Errors
    /// If the options contradict what has to be drawn, or nothing of what is searched for is found.
    pub fn settled(&self) -> Result<Recipe, Error> {
        match self.aim {
            Some(aim) => aim::search(self, aim),
            None => Ok(self.settled_for(&[self.format])?.swap_remove(0)),
        }
    }

    /// The same for dumps of one heap in several formats, so that each of them can be written.
    ///
    /// # Errors
    /// Like [`Recipe::settled`], or if a rule is aimed at, which is one of a single format.
    pub fn settled_for(&self, formats: &[Format]) -> Result<Vec<Recipe>, Error> {
        if let (Some(aim), false) = (self.aim, formats.len() == 1) {
            let (key, rule) = (aim.key(), aim.rule().id);
            return Err(Error::Usage(format!("{key}={rule} stands for a dump of one format; choose one")));
        }
        let of = |format: &Format| {
            let wishes = if formats.len() > 1 { self.wishes.known_by(*format) } else { self.wishes.clone() };
            Recipe { format: *format, wishes, ..self.clone() }
        };
        let recipes: Vec<Recipe> = formats.iter().map(of).collect();
        match (self.aim, self.swarm) {
            (None, false) => Ok(recipes),
            (None, true) => drawn_for(recipes, self),
            (Some(aim), _) => recipes.iter().map(|recipe| aim::search(recipe, aim)).collect(),
        }
    }

    /// Whether nothing has to be drawn or searched for to know the options.
    pub(super) fn is_settled(&self) -> bool {
        !self.swarm && self.aim.is_none()
    }

    /// A writer of the swarm, for a heap of these options.
    fn writer(&self, options: &GenerateOptions) -> Result<(Lowering, Wishes), Error> {
        let mut draw = SeedDraw::new(self.seed, Stream::Writer);
        let has_any = draw.one_in(2) || options.oddities.has(Oddity::AnySpelling);
        let oddities = if has_any { options.oddities.with(Oddity::AnySpelling) } else { options.oddities };
        let asked = Wishes { seed: self.seed, ..self.wishes.clone() };
        drawn::writer(self.format, oddities, &asked, &mut draw)
    }
}

/// The recipes of one heap with its options drawn, so that each of the writers takes it.
fn drawn_for(recipes: Vec<Recipe>, base: &Recipe) -> Result<Vec<Recipe>, Error> {
    let mut options = base.options.swarm(|key| base.keeps(key), &mut SeedDraw::new(base.seed, Stream::Swarm));
    let writers: Vec<(Lowering, Wishes)> =
        recipes.iter().map(|recipe| recipe.writer(&options)).collect::<Result<_, Error>>()?;
    let mut changed = BTreeSet::new();
    for _ in 0..CHANGES {
        let Some(refusal) = writers.iter().find_map(|(lowering, _)| lowering.refusal(&options)) else { break };
        // What one writer takes another one may not: all take ordinary addresses.
        let (key, value) = match changed.insert(refusal.key) {
            true => (refusal.key, refusal.value.as_str()),
            false => ("addresses", "ordinary"),
        };
        if base.keeps(key) {
            return Err(refusal.into());
        }
        options.set(key, value)?;
    }
    if let Some(refusal) = writers.iter().find_map(|(lowering, _)| lowering.refusal(&options)) {
        return Err(refusal.into());
    }
    let settled = recipes.into_iter().zip(writers).map(|(recipe, (_, wishes))| Recipe {
        options: options.clone(),
        wishes: Wishes { seed: 0, ..wishes },
        swarm: false,
        ..recipe
    });
    Ok(settled.collect())
}
