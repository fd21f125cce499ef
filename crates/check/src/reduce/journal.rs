//! The journal of trials: a file whose first line has its type and the question, and each further line an answer and
//! the SHA-256 of a dump.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::error::Error;

/// The SHA-256 of a dump.
pub(super) type DumpHash = [u8; 32];

/// The beginning of a journal. The question follows, as a JSON text.
const BEGINNING: &str = "heapsmith reduce, journal 1: ";
/// The most bytes of a journal, which is held in memory.
const LONGEST: u64 = 1 << 30;
/// The most bytes that are read of a line.
const LINE: u64 = 1 << 20;

/// Opens the journal at a path, and reads its answers. A missing file is created.
///
/// # Errors
/// If the file is no journal, or one of another question; or if it cannot be read or written.
pub(super) fn open(path: &Path, question: &str) -> Result<(HashMap<DumpHash, bool>, File), Error> {
    let name = path.display();
    let at = |e| Error::io(format!("the journal {name}"), e);
    let question = serde_json::to_string(question).map_err(|e| at(e.into()))?;
    // A link may lead to a file that is not there yet, anywhere.
    let there = fs::symlink_metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return Err(Error::Usage(format!(
            "{name} is not a regular file; name another file for the journal, which is created"
        )));
    }
    if let Some(length) = there.as_ref().map(fs::Metadata::len).filter(|length| *length > LONGEST) {
        return Err(Error::Usage(format!(
            "{name}: expected at most {LONGEST} bytes, found {length}; name another file for the journal"
        )));
    }
    let mut known = HashMap::new();
    if there.is_some_and(|there| there.len() > 0) {
        let mut lines = BufReader::new(File::open(path).map_err(at)?);
        let first = read_line(&mut lines).map_err(at)?.unwrap_or_default();
        let Some(asked) = first.strip_prefix(BEGINNING) else {
            return Err(Error::Usage(format!(
                "{name} is not a journal of heapsmith reduce; name another file, which is created"
            )));
        };
        if asked != question {
            let message = format!(
                "{name} is the journal of another command: expected {question}, found {asked}; name another file"
            );
            return Err(Error::Usage(message));
        }
        while let Some(line) = read_line(&mut lines).map_err(at)? {
            // One that was cut by a kill says nothing.
            known.extend(parse_answer(&line));
        }
    }
    let mut journal = OpenOptions::new().create(true).append(true).open(path).map_err(at)?;
    let is_new = journal.metadata().map_err(at)?.len() == 0;
    // A kill may have cut the last line.
    let first = if is_new { format!("{BEGINNING}{question}\n") } else { "\n".to_owned() };
    journal.write_all(first.as_bytes()).map_err(at)?;
    Ok((known, journal))
}

/// Appends an answer to a journal.
pub(super) fn append_answer(journal: &mut File, sum: &DumpHash, answer: bool) -> Result<(), Error> {
    let line = format!("{} {}\n", if answer { "yes" } else { "no" }, hexadecimal(sum));
    journal.write_all(line.as_bytes()).map_err(|e| Error::io("writing the journal", e))
}

/// The next line, or as much of it as is read of a line.
fn read_line(lines: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    lines.by_ref().take(LINE).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text.trim_end_matches('\n').to_owned()))
}

fn parse_answer(line: &str) -> Option<(DumpHash, bool)> {
    let (answer @ ("yes" | "no"), sum) = line.split_once(' ')? else { return None };
    Some((parse_hash(sum)?, answer == "yes"))
}

fn parse_hash(text: &str) -> Option<DumpHash> {
    let mut sum = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in sum.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
    }
    Some(sum)
}
