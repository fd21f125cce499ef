//! Requests to a program, written by a thread: a program that does not read them delays only the wait for its answer,
//! which has a limit.

use std::io::{self, PipeWriter, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use heapsmith_core::threads;

/// Standard input of a program.
#[derive(Debug)]
pub(super) struct Requests(Sender<Vec<u8>>);

impl Requests {
    /// Writes to this pipe, which is closed when this is dropped and all is written, or cannot be.
    pub(super) fn with_pipe(pipe: PipeWriter) -> io::Result<Requests> {
        let (sender, lines) = channel();
        threads::start("requests", move || write(pipe, &lines))?;
        Ok(Requests(sender))
    }

    /// Sends a line. That it is not read is seen at the wait for the answer.
    pub(super) fn send(&self, line: &str) {
        let mut line = line.as_bytes().to_vec();
        line.push(b'\n');
        let _ = self.0.send(line);
    }
}

fn write(mut pipe: PipeWriter, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if pipe.write_all(&line).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, pipe};

    use super::*;

    #[test]
    fn unread_requests_do_not_block() {
        let (mut reader, writer) = pipe().expect("a pipe");
        let requests = Requests::with_pipe(writer).expect("a thread");
        // More than a pipe holds.
        let long = "x".repeat(1 << 20);
        requests.send(&long);
        requests.send("end");
        drop(requests);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("it ends");
        assert_eq!(text, format!("{long}\nend\n"));
    }
}
