//! The answers that an analyser should give about a generated dump.

use std::path::Path;

use crate::answers::{Analysis, EdgeOptions, EntryGraph, GeneratedHistogram, ShapeAnswers, answers};
use crate::error::Error;
use crate::family::ReadOptions;
use crate::format::OpenedHeap;
use crate::output::Output;
use crate::recipe::Recipe;

use crate::command::answers::GeneratedAnswers;
use crate::command::terminal;

/// Version of the schema of what is written.
const SCHEMA: u32 = 6;
/// The most objects of a heap whose answers are calculated.
const CALCULATED: u64 = 20_000_000;

/// The answers about a dump that is still to be written.
pub(super) struct AnswersOutput {
    out: Output,
    shapes: Vec<ShapeAnswers>,
    histogram: GeneratedHistogram,
}

impl AnswersOutput {
    /// Creates the output, so that it is refused before the dump is written.
    pub(super) fn create(recipe: &Recipe, path: &Path, force: bool) -> Result<AnswersOutput, Error> {
        let (lowering, heap) = recipe.lowering_and_heap()?;
        let (shapes, histogram) = (ShapeAnswers::from_heap(&heap), GeneratedHistogram::new(&heap, &lowering)?);
        Ok(AnswersOutput { out: Output::create(path, force)?, shapes, histogram })
    }

    /// Writes the answers. They are about the dump: facts that it does not record are unknown.
    pub(super) fn write(self, recipe: &Recipe) -> Result<(), Error> {
        let AnswersOutput { mut out, shapes, histogram } = self;
        let failed = |e| Error::io("writing the answers", e);
        let of_shapes = shapes.iter().fold(0, |sum: u64, shape| sum.saturating_add(shape.objects));
        let is_calculated = of_shapes.saturating_add(recipe.options.objects as u64) <= CALCULATED;
        let answers = if is_calculated { Some(calculate(recipe)?) } else { None };
        let known = GeneratedAnswers { schema: SCHEMA, recipe: recipe.to_string(), shapes, histogram, answers };
        terminal::write_json(&mut out, &known).map_err(failed)?;
        out.finish()
    }
}

fn calculate(recipe: &Recipe) -> Result<crate::answers::Answers, Error> {
    let mut file = OpenedHeap::open(recipe.clone().input()?, None, ReadOptions::default())?;
    let analysis = Analysis::new(EntryGraph::from_source(file.source(), EdgeOptions::default())?);
    answers(file.source(), &analysis)
}
