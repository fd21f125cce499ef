//! Dumps of recipes, up to a number of bytes.

use std::io::{self, Write};

use crate::error::Error;
use crate::recipe::{Recipe, version};

/// The dump of a recipe, of at most `most` bytes. The recipe may be a whole line (`heapsmith-2:objects=20,seed=7`) or only its
/// options (`objects=20,seed=7`).
///
/// # Errors
/// If it is no recipe, if its options contradict each other, or if its dump has more bytes.
pub fn generate(recipe: &str, most: usize) -> Result<Vec<u8>, Error> {
    write_bounded(&read_recipe(recipe)?, most)
}

/// The dump of a recipe, of at most `most` bytes.
///
/// # Errors
/// Like [`generate`].
pub(super) fn write_bounded(recipe: &Recipe, most: usize) -> Result<Vec<u8>, Error> {
    // A dump that is changed afterwards is held as it was before: it is counted first.
    if recipe.edit.is_some() || recipe.mutation.is_some() {
        let before = recipe.clone().edit(None).mutation(None).gzip(false);
        before.write(&mut BoundedWriter { bytes: None, left: most, most })?;
    }
    let mut out = BoundedWriter { bytes: Some(Vec::new()), left: most, most };
    recipe.write(&mut out)?;
    Ok(out.bytes.unwrap_or_default())
}

/// The recipe of a line, or of its options alone.
///
/// # Errors
/// If it is none.
pub(super) fn read_recipe(text: &str) -> Result<Recipe, Error> {
    if Recipe::is_recipe(text) {
        return Recipe::read(text);
    }
    Recipe::read(&format!("heapsmith-{}:{text}", version()))
}

/// A writer of a limited number of bytes, which keeps them or only counts them.
struct BoundedWriter {
    bytes: Option<Vec<u8>>,
    left: usize,
    most: usize,
}

impl Write for BoundedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| {
            let message = format!("the dump has more than {} bytes; ask for fewer objects, or allow more", self.most);
            io::Error::new(io::ErrorKind::FileTooLarge, message)
        })?;
        if let Some(kept) = &mut self.bytes {
            kept.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
