//! A stream of bytes that are made while they are read.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::error::Error;
use crate::threads;

/// Writes all bytes of an input, from the start.
pub(super) type MakeBytes = Arc<dyn Fn(&mut dyn Write) -> Result<(), Error> + Send + Sync>;

/// Bytes that are handed over at a time.
const CHUNK: usize = 64 * 1024;
/// Chunks that wait for the reader, at most.
const WAITING: usize = 4;

/// Bytes from the maker, or the error at which it ended.
type GeneratedChunk = Result<Vec<u8>, io::Error>;

/// The bytes of a maker that runs in a thread of its own, a few chunks ahead of the reader. It ends with the stream: what it
/// writes then fails.
pub(super) struct Generated {
    said: Receiver<GeneratedChunk>,
    chunk: io::Cursor<Vec<u8>>,
    has_ended: bool,
}

impl Generated {
    /// Starts the maker.
    pub(super) fn start(make: MakeBytes) -> io::Result<Generated> {
        let (sender, said) = sync_channel(WAITING);
        threads::start("generator", move || {
            let mut out = Chunks { chunk: Vec::with_capacity(CHUNK), sender };
            let made = make(&mut out).map_err(|error| match error {
                Error::Io { source, .. } => source,
                other => io::Error::other(other),
            });
            // No one is left to tell where the reader is gone.
            let _ = match made.and_then(|()| out.flush()) {
                Ok(()) => out.sender.send(Ok(Vec::new())),
                Err(error) => out.sender.send(Err(error)),
            };
        })?;
        Ok(Generated { said, chunk: io::Cursor::default(), has_ended: false })
    }
}

impl Read for Generated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.chunk.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.has_ended {
                return Ok(count);
            }
            // An empty chunk is the last one; without it, the maker has panicked.
            let stopped = || io::Error::other("the generator stopped before the end");
            let chunk = self.said.recv().map_err(|_| stopped()).and_then(|said| said)?;
            self.has_ended = chunk.is_empty();
            self.chunk = io::Cursor::new(chunk);
        }
    }
}

/// Gathers what is written, and hands it over in chunks.
struct Chunks {
    chunk: Vec<u8>,
    sender: SyncSender<GeneratedChunk>,
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..count]);
        if self.chunk.len() == CHUNK {
            self.flush()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK));
        self.sender.send(Ok(chunk)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    fn numbers(count: u64) -> MakeBytes {
        Arc::new(move |out| (0..count).try_for_each(|n| out.write_all(&n.to_be_bytes())).map_err(|e| Error::io("", e)))
    }

    #[test]
    fn what_is_written_is_read() {
        for count in [0, 1, 1000, 100_000] {
            let mut read = Vec::new();
            Generated::start(numbers(count)).expect("a thread").read_to_end(&mut read).expect("bytes");
            let written: Vec<u8> = (0..count).flat_map(u64::to_be_bytes).collect();
            assert!(read == written, "{count} numbers");
        }
    }

    #[test]
    fn the_maker_waits_for_its_reader_and_ends_with_it() {
        let alive = Arc::new(());
        let made = Arc::new(AtomicU64::new(0));
        let (held, counted) = (Arc::clone(&alive), Arc::clone(&made));
        let make: MakeBytes = Arc::new(move |out| {
            let _held = &held;
            loop {
                out.write_all(&[7; 1024]).map_err(|e| Error::io("writing", e))?;
                counted.fetch_add(1024, Ordering::Relaxed);
            }
        });
        let mut stream = Generated::start(make).expect("a thread");
        let mut start = [0; 10];
        stream.read_exact(&mut start).expect("bytes");
        assert_eq!(start, [7; 10]);
        thread::sleep(Duration::from_millis(50));
        assert!(made.load(Ordering::Relaxed) <= ((WAITING + 3) * CHUNK) as u64);
        drop(stream);
        let deadline = Instant::now() + Duration::from_secs(20);
        while Arc::strong_count(&alive) > 1 {
            assert!(Instant::now() < deadline, "the maker is still there");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_error_arrives_after_the_bytes_before_it() {
        let make: MakeBytes = Arc::new(|out| {
            out.write_all(b"some").map_err(|e| Error::io("writing", e))?;
            out.flush().map_err(|e| Error::io("writing", e))?;
            Err(Error::Usage("not further".to_owned()))
        });
        let mut stream = Generated::start(make).expect("a thread");
        let mut read = Vec::new();
        let error = stream.read_to_end(&mut read).expect_err("an error");
        assert_eq!((read.as_slice(), error.to_string().as_str()), (&b"some"[..], "not further"));

        let make: MakeBytes = Arc::new(|_| std::panic::resume_unwind(Box::new(())));
        let error = Generated::start(make).expect("a thread").read_to_end(&mut read).expect_err("an error");
        assert_eq!(error.to_string(), "the generator stopped before the end");
    }
}
