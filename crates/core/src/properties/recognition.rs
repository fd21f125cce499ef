//! The properties of dumps whose format is recognised by their first bytes.

use crate::family::ReadOptions;
use crate::format::DumpFile;
use crate::input::Input;
use crate::validate::{ValidateOptions, validate};

use super::FormatProperties;

/// Every property, by name.
pub const PROPERTIES: FormatProperties = FormatProperties {
    of: "any",
    of_bytes: &[("a_dump_of_any_format_is_read_and_judged", a_dump_of_any_format_is_read_and_judged)],
    of_heaps: &[],
};

/// Anything is taken for a dump of some format, and judging it ends with an answer. What has no error can be read.
pub fn a_dump_of_any_format_is_read_and_judged(bytes: &[u8]) {
    let input = Input::from_memory("fuzz", bytes.to_vec());
    for graph in [false, true] {
        let Ok(report) = validate(&input, ValidateOptions { graph, ..ValidateOptions::default() }) else {
            panic!("memory can be read")
        };
        if report.valid {
            let Ok(file) = DumpFile::new(input.clone(), ReadOptions::default()) else { panic!("it was judged") };
            assert!(file.read().is_ok());
        }
    }
}
