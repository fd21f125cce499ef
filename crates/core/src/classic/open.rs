//! The family of classic text by its name, its format, and a decoder of a dump that is opened.

use crate::error::DecodeError;
use crate::family::{Family, Format, Opening};
use crate::input::InputStream;

use super::Decoder;

/// The family.
pub const FAMILY: Family = Family::new(&Classic);

/// The format.
pub const FORMAT: Format = Format::new(FAMILY, 0);

/// The type that stands for the family.
pub(super) struct Classic;

/// A decoder at the start of a dump.
pub(super) fn open(opening: Opening) -> Result<Decoder<InputStream>, DecodeError> {
    let (length, allowed) = (opening.stream.length(), opening.allowed());
    Ok(Decoder::with_length(opening.stream, length)?.with_reading(opening.reading).allowing(allowed))
}
