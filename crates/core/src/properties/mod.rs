//! Properties that always hold, as functions of a fuzzer's bytes.
//!
//! Each property is stated by its name and panics when it is violated. The target in `fuzz/` calls
//! them under libFuzzer, by format and name; the tests call them with random and corpus bytes on stable Rust.
//! Those of the formats are in their folders, and what is the same for each in [`family::property`](crate::family::property).

pub mod conversion;
pub mod recognition;

use crate::format::Family;

pub use crate::family::property::{FormatProperties, Property};

/// Every format's properties, and those of what all formats share.
pub fn all_properties() -> Vec<FormatProperties> {
    let formats = Family::ALL.into_iter().map(|family| family.properties());
    formats.chain([recognition::PROPERTIES, conversion::PROPERTIES]).collect()
}

/// The property of this name: that of the format, a colon, and its own.
pub fn by_name(name: &str) -> Option<Property> {
    let (of, name) = name.split_once(':')?;
    let properties = all_properties().into_iter().find(|properties| properties.of == of)?;
    properties.iter().find(|(own, _)| *own == name).map(|(_, property)| property)
}
