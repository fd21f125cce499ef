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

/// The first and the last bytes of standard error, which messages show: where an exception is, depends on the language.
#[derive(Debug)]
pub(super) struct ProgramMessages {
    text: Arc<Mutex<MessageEnds>>,
    reader: thread::JoinHandle<()>,
}

/// The longest wait for the last output of a process that has ended.
const ON_ITS_WAY: Duration = Duration::from_secs(5);

/// The number of bytes that are kept of either end. A trace of Java has some forty frames of eighty characters.
const SHOWN: usize = 3000;

impl ProgramMessages {
    pub(super) fn from_pipe(stream: PipeReader) -> io::Result<ProgramMessages> {
        let text = Arc::new(Mutex::new(MessageEnds::default()));
        let kept = Arc::clone(&text);
        let reader = threads::start("messages", move || keep_ends(stream, &kept))?;
        Ok(ProgramMessages { text, reader })
    }

    /// Forgets what was written so far.
    pub(super) fn clear(&self) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = MessageEnds::default();
    }

    /// Both ends of what was written. Every writer is gone, so that the stream ends once all of it was read.
    pub(super) fn text(&self) -> String {
        let asked = Instant::now();
        while !self.reader.is_finished() && asked.elapsed() < ON_ITS_WAY {
            thread::sleep(Duration::from_micros(200));
        }
        self.text.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// The ends of a stream, as far as it was read.
#[derive(Debug, Default)]
struct MessageEnds {
    head: Vec<u8>,
    /// What follows the head, without its begin.
    tail: Vec<u8>,
    /// The number of bytes between the two.
    left_out: u64,
}

impl MessageEnds {
    fn append(&mut self, mut piece: &[u8]) {
        if let Some((first, rest)) = piece.split_at_checked(SHOWN.saturating_sub(self.head.len()).min(piece.len())) {
            self.head.extend_from_slice(first);
            piece = rest;
        }
        let from = piece.len().saturating_sub(SHOWN);
        self.tail.extend_from_slice(&piece[from..]);
        let excess = self.tail.len().saturating_sub(SHOWN);
        self.tail.drain(..excess);
        self.left_out += (from + excess) as u64;
    }

    /// The text; where bytes are left out, of whole lines, as far as there are such.
    fn text(&self) -> String {
        if self.left_out == 0 {
            return String::from_utf8_lossy(&[&*self.head, &*self.tail].concat()).trim().to_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&self.tail));
        join_ends(&head, &tail, self.left_out)
    }
}

/// Both ends of a text of whose middle a number of bytes is left out. They end and begin with whole lines, as far as there
/// are such.
fn join_ends(head: &str, tail: &str, left_out: u64) -> String {
    let head_end = head.rfind('\n').map_or(head.len(), |end| end + 1);
    let tail_begin = tail.find('\n').map(|end| end + 1).filter(|begin| *begin < tail.len()).unwrap_or(0);
    let left_out = left_out + (head.len() - head_end + tail_begin) as u64;
    format!("{}\n... {left_out} bytes are left out ...\n{}", head[..head_end].trim(), tail[tail_begin..].trim_end())
}

/// A text of which both ends are kept, if it is longer than both.
pub(in crate::check) fn cut_middle(text: &str) -> String {
    if text.len() <= 2 * SHOWN {
        return text.to_owned();
    }
    let is_between = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=SHOWN).rev().find(is_between).unwrap_or(0);
    let tail = (text.len() - SHOWN..text.len()).find(is_between).unwrap_or(text.len());
    join_ends(&text[..head], &text[tail..], (tail - head) as u64)
}

fn keep_ends(mut stream: impl Read, kept: &Mutex<MessageEnds>) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        kept.lock().unwrap_or_else(PoisonError::into_inner).append(&piece[..read]);
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

    /// What is kept of a stream that is read in pieces of this length.
    fn ends(text: &[u8], piece: usize) -> String {
        let mut ends = MessageEnds::default();
        text.chunks(piece).for_each(|piece| ends.append(piece));
        ends.text()
    }

    #[test]
    fn keeps_both_ends_of_messages() {
        let line = |number: usize| format!("line {number:04}\n");
        let text: String = (0..1000).map(line).collect();
        // Of 3,000 bytes, 300 lines; in a text of 10,000 bytes.
        let first: String = (0..300).map(line).collect();
        let last: String = (701..1000).map(line).collect();
        for piece in [1, 7, 3000, 1 << 16] {
            let kept = ends(text.as_bytes(), piece);
            assert_eq!(kept, format!("{first}... 4010 bytes are left out ...\n{}", last.trim_end()), "{piece}");
            assert_eq!(ends(&text.as_bytes()[..6000], piece), text[..6000].trim_end(), "{piece}");
        }
        assert_eq!(cut_middle(&text), ends(text.as_bytes(), 1 << 16));
        assert_eq!(cut_middle("short"), "short");
    }

    #[test]
    fn cuts_a_line_without_end_between_characters() {
        let text = "\u{1f980}".repeat(3000);
        let kept = cut_middle(&text);
        assert!(kept.len() < 6100 && kept.contains("\n... 6000 bytes are left out ...\n"), "{kept}");
        assert!(!kept.contains('\u{fffd}'), "{kept}");
    }

    #[test]
    fn reads_all_messages() {
        let kept = Mutex::new(MessageEnds::default());
        keep_ends(&*vec![b'x'; 300_000], &kept);
        let ends = kept.into_inner().expect("no thread panicked");
        assert_eq!((ends.head.len(), ends.tail.len(), ends.left_out), (3000, 3000, 294_000));
    }
}
