//! Texts that are read as a whole: lists, options, reports.

use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;
use crate::system;

use super::Input;

/// The most bytes of a text that a person writes, or lists of files: options, expected failures.
pub const LONGEST_TEXT: u64 = 64 << 20;

/// The most bytes of what heapsmith wrote to be read again: a report, a digest.
pub const LONGEST_REPORT: u64 = 1 << 30;

/// A text as a whole, or standard input for `-`, of at most this number of bytes: what has no end is refused there.
///
/// # Errors
/// If it cannot be read, has more bytes or is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String, Error> {
    let bytes = read_bytes(path, most)?;
    String::from_utf8(bytes).map_err(|_| {
        let invalid = io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
        Error::io(format!("reading {}", Input::name_of(path)), invalid)
    })
}

/// Any bytes as a whole, read as [`read_text`] does. A pipe that nothing writes to is not waited for.
///
/// # Errors
/// If it cannot be read, has more bytes, or is such a pipe.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let name = Input::name_of(path);
    let failed = |e| Error::io(format!("reading {name}"), e);
    let mut bytes = Vec::new();
    let read = match path == Path::new("-") {
        true => io::stdin().take(most.saturating_add(1)).read_to_end(&mut bytes),
        false => {
            let file = system::open_at_once(path).map_err(failed)?;
            let read = (&file).take(most.saturating_add(1)).read_to_end(&mut bytes);
            if bytes.is_empty() && system::is_pipe(&file) {
                let message =
                    format!("{name} is a pipe that nothing was written to; write to it first, or name a file");
                return Err(Error::Usage(message));
            }
            read
        }
    };
    if read.map_err(failed)? as u64 > most {
        return Err(Error::Usage(format!(
            "{name}: read {most} bytes without coming to the end; expected a shorter text"
        )));
    }
    Ok(bytes)
}

/// Refuses what can be read only once where it is read several times.
///
/// # Errors
/// If it is neither a file nor a folder; if it is not there.
#[doc(hidden)]
pub fn require_file(path: &Path) -> Result<(), Error> {
    let name = path.display();
    let found = std::fs::metadata(path).map_err(|e| Error::io(format!("reading {name}"), e))?;
    if found.is_file() || found.is_dir() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "{name}: expected a file, which is read several times, found a pipe or a device; store it in a file first"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn refuses_text_without_end() {
        let read = |most| read_text(Path::new("/dev/zero"), most).expect_err("it has no end").to_string();
        assert_eq!(read(1000), "/dev/zero: read 1000 bytes without coming to the end; expected a shorter text");
    }

    #[test]
    fn reads_text_of_exactly_the_most_bytes() {
        let file = tempfile::NamedTempFile::new().expect("there is room for a file");
        std::fs::write(file.path(), "ü123").expect("there is room");
        assert_eq!(read_text(file.path(), 5).expect("five bytes"), "ü123");
        assert!(read_text(file.path(), 4).is_err());
        std::fs::write(file.path(), b"\xff").expect("there is room");
        let error = read_text(file.path(), 5).expect_err("no text").to_string();
        assert!(error.ends_with("stream did not contain valid UTF-8"), "{error}");
    }
}
