//! Output of a program, read in threads, so that the program never waits for us and we hold only a part of it.

use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::check::process::LONGEST_LINE;
use heapsmith_core::threads;

/// A line of standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputLine {
    /// A whole line, without its end.
    Whole(Vec<u8>),
    /// The beginning of a line that is longer than any answer.
    TooLong,
    /// The rest after the last end of a line.
    Cut(Vec<u8>),
}

/// The lines of standard output.
#[derive(Debug)]
pub(super) struct OutputLines {
    lines: Receiver<OutputLine>,
}

/// The end of a stream.
#[derive(Debug)]
pub(super) struct StreamEnd;

impl OutputLines {
    pub(super) fn from_pipe(output: PipeReader) -> io::Result<OutputLines> {
        // Few: a program that writes without being asked waits in its pipe.
        let (sender, lines) = sync_channel(2);
        let read = move || read_lines(BufReader::with_capacity(64 << 10, output), &sender);
        threads::start("answers", read)?;
        Ok(OutputLines { lines })
    }

    /// The next line; `None` if there is none yet.
    pub(super) fn next_within(&self, time: Duration) -> Result<Option<OutputLine>, StreamEnd> {
        match self.lines.recv_timeout(time) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(StreamEnd),
        }
    }
}

fn read_lines(mut output: impl BufRead, sender: &SyncSender<OutputLine>) {
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
        let next = match (read, line.last()) {
            (Err(_), _) | (Ok(_), None) => return,
            (Ok(_), Some(b'\n')) => {
                line.pop();
                OutputLine::Whole(line)
            }
            (Ok(_), Some(_)) if line.len() > LONGEST_LINE => {
                // Nothing that follows can be understood; it is thrown away.
                let _ = sender.send(OutputLine::TooLong);
                let _ = std::io::copy(&mut output, &mut std::io::sink());
                return;
            }
            (Ok(_), Some(_)) => OutputLine::Cut(line),
        };
        if sender.send(next).is_err() {
            return;
        }
    }
}

/// The last bytes of standard error, which messages show.
#[derive(Debug)]
pub(super) struct MessageTail {
    text: Arc<Mutex<Vec<u8>>>,
    reader: thread::JoinHandle<()>,
}

/// The longest wait for the last output of a process that has ended.
const ON_ITS_WAY: Duration = Duration::from_secs(5);

/// The number of these bytes.
const SHOWN: usize = 2000;

impl MessageTail {
    pub(super) fn from_pipe(stream: PipeReader) -> io::Result<MessageTail> {
        let text = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&text);
        let reader = threads::start("messages", move || keep_end(stream, &kept))?;
        Ok(MessageTail { text, reader })
    }

    /// Forgets what was written so far.
    pub(super) fn clear(&self) {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The end of what was written. Every writer is gone, so that the stream ends once all of it was read.
    pub(super) fn text(&self) -> String {
        let asked = Instant::now();
        while !self.reader.is_finished() && asked.elapsed() < ON_ITS_WAY {
            thread::sleep(Duration::from_micros(200));
        }
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).trim().to_owned()
    }
}

fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let from = read.saturating_sub(SHOWN);
        kept.extend_from_slice(&piece[from..read]);
        let excess = kept.len().saturating_sub(SHOWN);
        kept.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<OutputLine> {
        let (sender, lines) = sync_channel(100);
        read_lines(text, &sender);
        drop(sender);
        lines.iter().collect()
    }

    #[test]
    fn distinguishes_whole_truncated_and_overlong_lines() {
        let whole = |text: &[u8]| OutputLine::Whole(text.to_vec());
        assert_eq!(lines(b"a\n\nb"), [whole(b"a"), whole(b""), OutputLine::Cut(b"b".to_vec())]);
        assert_eq!(lines(b""), []);
        let mut long = vec![b'x'; LONGEST_LINE];
        long.push(b'\n');
        assert!(matches!(&lines(&long)[..], [OutputLine::Whole(line)] if line.len() == LONGEST_LINE));
        long.insert(0, b'x');
        assert_eq!(lines(&long), [OutputLine::TooLong]);
    }

    #[test]
    fn keeps_end_of_messages() {
        let kept = Mutex::new(Vec::new());
        let text: Vec<u8> = (0..300_000_u32).map(|n| b'a' + (n % 26) as u8).collect();
        keep_end(text.as_slice(), &kept);
        assert_eq!(kept.into_inner().expect("no thread panicked"), text[text.len() - SHOWN..]);
    }
}
