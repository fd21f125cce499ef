//! Bytes: bounded reading, big-endian fields, modified UTF-8. Knows no format.

mod allowance;
pub mod charset;
mod cursor;
pub mod ebcdic;
pub(crate) mod field_error;
#[doc(hidden)]
pub mod gzip;
pub mod mutf8;
mod quoting;
mod same_bytes;
mod window;
mod window_writer;

pub use allowance::Allowance;
pub use cursor::{Cursor, FieldSpan, FieldTrace, IncompleteField, NoTrace};
#[doc(hidden)]
pub use quoting::{DIGITS, hexadecimal, quoted, quoted_or_hex};
pub use same_bytes::SameBytes;
pub use window::Window;
pub use window_writer::WindowWriter;
