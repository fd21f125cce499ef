//! The answers that an analyser should give about a generated dump.

use std::io::Write;
use std::path::Path;

use heapsmith::answers::{Analysis, Edges, Graph, SCHEMA, ShapeAnswers, answers};
use heapsmith::error::Error;
use heapsmith::family::Reading;
use heapsmith::format::HeapFile;
use heapsmith::output::Output;
use heapsmith::recipe::Recipe;

use crate::answers::Known;

/// The most objects of a heap whose answers are calculated.
const CALCULATED: u64 = 20_000_000;

/// The answers about a dump that is still to be written.
pub(super) struct Wanted {
    out: Output,
    shapes: Vec<ShapeAnswers>,
}

impl Wanted {
    /// Creates the output, so that it is refused before the dump is written.
    pub(super) fn create(recipe: &Recipe, path: &Path, force: bool) -> Result<Wanted, Error> {
        let shapes = ShapeAnswers::of(&recipe.heap()?);
        Ok(Wanted { out: Output::create(path, force)?, shapes })
    }

    /// Writes the answers. They are about the dump: facts that it does not record are unknown.
    pub(super) fn write(self, recipe: &Recipe) -> Result<(), Error> {
        let Wanted { mut out, shapes } = self;
        let failed = |e| Error::io("writing the answers", e);
        let of_shapes = shapes.iter().fold(0, |sum: u64, shape| sum.saturating_add(shape.objects));
        let is_calculated = of_shapes.saturating_add(recipe.options.objects as u64) <= CALCULATED;
        let answers = if is_calculated { Some(calculated(recipe)?) } else { None };
        let known = Known { schema: SCHEMA, recipe: recipe.to_string(), shapes, answers };
        serde_json::to_writer(&mut out, &known).map_err(|e| failed(e.into()))?;
        out.write_all(b"\n").map_err(failed)?;
        out.finish()
    }
}

fn calculated(recipe: &Recipe) -> Result<heapsmith::answers::Answers, Error> {
    let mut file = HeapFile::open(recipe.clone().input()?, None, Reading::default())?;
    let analysis = Analysis::of(Graph::of(file.source(), Edges::default())?);
    answers(file.source(), &analysis)
}
