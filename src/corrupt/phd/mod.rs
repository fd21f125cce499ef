//! Edits of PHD.

mod edits;
mod map;

pub use edits::EDITS;
pub use map::Map;
