//! Bytes: bounded reading, big-endian fields, modified UTF-8. Knows no format.

mod allowance;
pub mod charset;
mod cursor;
pub mod ebcdic;
pub(crate) mod gzip;
pub mod mutf8;
mod same;
mod shown;
pub(crate) mod stop;
mod stretch;
mod window;

pub use allowance::Allowance;
pub use cursor::{Cursor, FieldSpan, Incomplete, NoTrace, Trace};
pub use same::SameBytes;
pub(crate) use shown::{DIGITS, hexadecimal, quoted, shown};
pub use stretch::WindowWriter;
pub use window::Window;
