//! Limits of reading input that may have no end.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Remedy};
#[cfg(feature = "files")]
use crate::system;

/// Bytes that are copied of standard input, a pipe or a device, unless [`set_limit`] says otherwise: 4 GiB.
pub const LIMIT: u64 = 4 << 30;

/// The limit of this process.
static PROCESS_LIMIT: AtomicU64 = AtomicU64::new(LIMIT);

/// Sets the number of bytes of standard input, a pipe or a device that this process copies.
pub fn set_limit(bytes: u64) {
    PROCESS_LIMIT.store(bytes, Ordering::Relaxed);
}

/// The most bytes that are copied, and why no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) bytes: u64,
    /// Whether a disk would be full.
    is_of_disk: bool,
}

impl Limit {
    /// The limit of a copy in the folder of temporary files, of which an eighth of the free space is left to others.
    pub(super) fn for_spool() -> Limit {
        let bytes = PROCESS_LIMIT.load(Ordering::Relaxed);
        match free().map(|free| free - free / 8) {
            Some(free) if free < bytes => Limit { bytes: free, is_of_disk: true },
            _ => Limit { bytes, is_of_disk: false },
        }
    }

    /// The error of an input that has more bytes.
    pub(super) fn refusal(self, name: &str) -> Error {
        let Limit { bytes, is_of_disk } = self;
        let read = format!("{name}: read {bytes} bytes without coming to the end");
        if is_of_disk {
            let folder = std::env::temp_dir();
            return Error::Usage(format!(
                "{read}, and the folder of temporary files, {}, has no room for more; store it in a file first (or name another \
                 folder by the variable TMPDIR)",
                folder.display()
            ));
        }
        let message = format!(
            "{read}, and no more is copied of standard input, a pipe or a device; store it in a file first, which has no such limit"
        );
        Error::refused(message, Remedy::InputLimit)
    }
}

#[cfg(feature = "files")]
fn free() -> Option<u64> {
    system::free_space(&std::env::temp_dir())
}

/// Without a call for it, a full disk says so itself.
#[cfg(not(feature = "files"))]
fn free() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::super::Input;
    use super::*;

    /// Zeros without an end, which are counted.
    struct Endless<'c>(&'c mut u64);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(0);
            *self.0 += buffer.len() as u64;
            Ok(buffer.len())
        }
    }

    #[test]
    fn refuses_input_without_end_after_one_byte_more_than_the_limit() {
        for is_of_disk in [false, true] {
            let mut read = 0;
            let limit = Limit { bytes: 100_000, is_of_disk };
            let error = Input::spool_within("standard input", Endless(&mut read), limit).expect_err("no end");
            assert_eq!(read, 100_001);
            let message = error.to_string();
            assert!(message.starts_with("standard input: read 100000 bytes without coming to the end"), "{message}");
            assert!(message.contains("store it in a file first"), "{message}");
            assert_eq!((message.contains("TMPDIR"), error.remedy().is_some()), (is_of_disk, !is_of_disk));
        }
    }

    #[test]
    fn copies_input_of_as_many_bytes_as_the_limit() {
        let limit = Limit { bytes: 5, is_of_disk: false };
        let input = Input::spool_within("standard input", &b"12345"[..], limit).expect("it ends there");
        let mut copied = Vec::new();
        input.stream().expect("a copy").read_to_end(&mut copied).expect("a copy");
        assert_eq!(copied, b"12345");
        assert!(Input::spool_within("standard input", &b"123456"[..], limit).is_err());
    }
}
