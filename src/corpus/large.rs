//! Cases whose dumps are too large to be stored: they are generated on demand.

use std::io::{self, Seek, Write};

use crate::error::Error;
use crate::family::case::LargeCase;
use crate::format::Family;
use crate::recipe::Recipe;

/// Every case whose dump is too large to be stored, by id.
///
/// # Errors
/// If a file of `specs/cases/` cannot be read, which its tests rule out.
pub fn large_cases() -> Result<Vec<LargeCase>, Error> {
    let mut cases = Vec::new();
    for family in Family::ALL {
        cases.extend(family.large().map_err(Error::Usage)?);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}

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
