//! The byte map of a dump whose header cannot be read.

use std::io::Read;

use crate::annotation::{Annotation, VisitAnnotations};
use crate::bytes::Window;
use crate::bytes::field_error::keeping_error;
use crate::error::{DecodeError, Error, is_damage};

use super::Opener;

/// A function that passes on the fields of a header, from its bytes and the error at which reading it stopped.
pub(crate) type HeaderFields = fn(&[u8], &DecodeError, VisitAnnotations<'_>) -> Result<(), DecodeError>;

/// The decoder at the start of a dump, or an error; where the header is at fault, `each` gets its fields first.
///
/// # Errors
/// That of the decoder, and what `each` returns.
pub(crate) fn past_header<D>(
    opener: &Opener,
    decoder: Result<D, Error>,
    fields: HeaderFields,
    each: &mut dyn FnMut(Annotation<'_>) -> Result<(), Error>,
) -> Result<D, Error> {
    let error = match decoder {
        Err(Error::Decode(error)) => error,
        decoder => return decoder,
    };
    let mut window = Window::new(opener.bytes()?.take(error.offset().saturating_add(AFTER)));
    loop {
        match window.fill() {
            Ok(true) => {}
            Ok(false) => break,
            // Where compressed data are damaged, what came before is all that there is.
            Err(e) if is_damage(&e) => break,
            Err(e) => return Err(Error::io(format!("reading {}", opener.input.name()), e)),
        }
    }
    keeping_error(|keep| fields(window.bytes(), &error, &mut |field| keep(each(field))))?;
    Err(error.into())
}

/// Bytes that are looked at after the place of an error: more than a field of a header has.
const AFTER: u64 = 1 << 17;
