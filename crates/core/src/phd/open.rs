//! The family PHD by its name, its formats, and a decoder of a dump that is opened.

use crate::error::DecodeError;
use crate::family::{Family, Format, Opening};
use crate::input::InputStream;

use super::{Decoder, Version};

/// The family.
pub const FAMILY: Family = Family::new(&Phd);

/// The format of a version.
pub const fn format(version: Version) -> Format {
    Format::new(FAMILY, version.number() as u8)
}

/// The type that stands for the family.
pub(super) struct Phd;

/// A decoder at the start of a dump.
pub(super) fn open(opening: Opening) -> Result<Decoder<InputStream>, DecodeError> {
    let (length, allowed) = (opening.stream.length(), opening.allowed());
    Ok(Decoder::with_length(opening.stream, length)?.allowing(allowed))
}
