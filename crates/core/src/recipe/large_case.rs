//! Dumps of cases that are too large to be stored.

use std::io::{self, Seek, Write};

use super::Recipe;
use crate::error::Error;
use crate::family::case::LargeCase;

impl LargeCase {
    /// Writes the dump into an empty output, where zeros are skipped as far as they can be holes, and returns the
    /// length of the dump: everything up to there that was not written is zeros.
    ///
    /// # Errors
    /// If the output cannot be written, or a recipe of the generator fails, which would be a defect.
    pub fn make<W: Write + Seek>(&self, out: &mut W) -> Result<u64, Error> {
        let length = self.write(out, &mut |recipe, out| Recipe::read(recipe)?.write(out))?;
        match self.size().filter(|size| *size != length) {
            Some(size) => Err(Error::Usage(format!("{}: its dump has {length} bytes, not {size}", self.id))),
            None => Ok(length),
        }
    }

    /// The dump in memory, for small dumps with such a recipe.
    ///
    /// # Errors
    /// Like [`LargeCase::make`]; or if its length does not fit in memory.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let mut out = io::Cursor::new(Vec::new());
        let length = self.make(&mut out)?;
        let mut bytes = out.into_inner();
        let length = usize::try_from(length).map_err(|_| Error::Usage(format!("{}: {length} bytes", self.id)))?;
        bytes.resize(length, 0);
        Ok(bytes)
    }
}
