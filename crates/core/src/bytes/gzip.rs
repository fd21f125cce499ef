//! Bytes that are compressed with gzip, in stored blocks: the same bytes whatever the version of the compressor.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A file of a gzip member for each of these parts.
#[doc(hidden)]
pub fn members<'b>(parts: impl IntoIterator<Item = &'b [u8]>) -> Vec<u8> {
    let mut file = Vec::new();
    for part in parts {
        let mut member = GzEncoder::new(&mut file, Compression::none());
        // Nothing that is written to memory fails.
        let _ = member.write_all(part).and_then(|()| member.try_finish());
    }
    file
}
