//! Errors, grouped by whose fault they are.
//!
//! | fault | variant | exit code |
//! |---|---|---|
//! | the dump's | [`Error::Decode`], [`Error::Invalid`] | 1 |
//! | the heap cannot be said in the wanted format | [`Error::Lower`] | 1 |
//! | a listing's | [`Error::Listing`] | 1 |
//! | a heap file's | [`Error::HeapFile`] | 1 |
//! | the caller's | [`Error::Usage`], [`Error::Refused`] | 2 |
//! | the machine's | [`Error::Io`] | 2 |
//! | of one of several inputs | [`Error::Input`] | as what is wrong with it |
//! | none: the question has no answer | [`Error::NotJudged`] | 2 |

mod heap_file;
mod listing;
mod lower;
mod nearest;

use std::fmt;
use std::io;

use thiserror::Error as ThisError;

use crate::stop;

pub use heap_file::{HeapFileError, HeapFileErrors};
pub use listing::{ListingError, ListingFault};
pub use lower::LowerError;
pub use nearest::{did_you_mean, unknown};

/// The stable name of a rule in `specs/`, such as `phd.header.magic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub &'static str);

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Anything that can go wrong in the library.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The input is not a valid dump.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The input can be read to its end and is not a valid dump all the same.
    #[error("{0}")]
    Invalid(#[source] DecodeError),
    /// The heap holds something that the wanted format or profile cannot express.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A listing that does not follow specs/listing.md.
    #[error(transparent)]
    Listing(#[from] ListingError),
    /// A heap file that does not follow docs/heap-file.md.
    #[error(transparent)]
    HeapFile(#[from] HeapFileErrors),
    /// The question makes no sense: options that exclude each other, a name that does not exist.
    #[error("{0}")]
    Usage(String),
    /// A request that is refused; the remedy says what to change so that it succeeds.
    #[error("{message}")]
    Refused {
        /// The refused request, and the reason.
        message: String,
        /// The change that the caller can make.
        remedy: Remedy,
    },
    /// An error of one of several inputs.
    #[error("{input}: {source}")]
    Input {
        /// Its name.
        input: String,
        /// The error.
        source: Box<Error>,
    },
    /// A question that cannot be answered, although its inputs are sound.
    #[error("{what} cannot be judged: {source}")]
    NotJudged {
        /// The thing that was to be judged.
        what: &'static str,
        /// The obstacle.
        source: Box<Error>,
    },
    /// Reading or writing failed.
    #[error("{action}: {source}")]
    Io {
        /// The action that failed, and the file that it was for.
        action: String,
        /// The system's error.
        source: io::Error,
    },
}

impl Error {
    /// An I/O error with what was being done.
    pub fn io(action: impl Into<String>, source: io::Error) -> Error {
        Error::Io { action: action.into(), source }
    }

    /// A refusal, and what the caller can do.
    pub fn refused(message: impl Into<String>, remedy: Remedy) -> Error {
        Error::Refused { message: message.into(), remedy }
    }

    /// The error as that of one of several inputs. Errors of the machine and of heap files name their file already.
    #[must_use]
    pub fn in_input(self, input: &str) -> Error {
        match self {
            Error::Io { .. } | Error::Input { .. } | Error::HeapFile(_) => self,
            other => Error::Input { input: input.to_owned(), source: Box::new(other) },
        }
    }

    /// The error with the name of the heap file, if it is that of a heap file.
    #[must_use]
    pub fn in_heap_file(self, name: &str) -> Error {
        match self {
            Error::HeapFile(errors) => errors.in_file(name).into(),
            other => other,
        }
    }

    /// The change that the caller can make, where one is known.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::Refused { remedy, .. } => Some(*remedy),
            Error::Invalid(_) => Some(Remedy::Tolerate),
            Error::Lower(LowerError::Address { .. }) => Some(Remedy::Renumber),
            Error::Lower(LowerError::Budget { bytes, .. }) => Some(Remedy::Budget { bytes: *bytes }),
            Error::Input { source, .. } => source.remedy(),
            _ => None,
        }
    }

    /// The message without further errors of the same input, for a report with a line for each answer.
    #[doc(hidden)]
    pub fn first_message(&self) -> String {
        match self {
            Error::Listing(e) => e.first().to_string(),
            other => other.to_string(),
        }
    }

    /// Whether a dump, heap, listing or heap file is at fault, and not the caller or the machine.
    pub fn is_input_fault(&self) -> bool {
        match self {
            Error::Decode(e) => !e.is_machine_fault(),
            Error::Invalid(_) | Error::Lower(_) | Error::Listing(_) | Error::HeapFile(_) => true,
            Error::Input { source, .. } => source.is_input_fault(),
            Error::Usage(_) | Error::Refused { .. } | Error::NotJudged { .. } | Error::Io { .. } => false,
        }
    }

    /// Whether it is no fault: a signal asked the program to stop, and something was given up.
    pub fn is_stop(&self) -> bool {
        match self {
            Error::Io { source, .. } => is_stop(source),
            Error::Decode(e) | Error::Invalid(e) => matches!(e.problem(), Problem::Io(e) if is_stop(e)),
            Error::Input { source, .. } | Error::NotJudged { source, .. } => source.is_stop(),
            _ => false,
        }
    }

    /// The error of work that is given up because a signal asked for it.
    #[cfg(feature = "corpus")]
    #[doc(hidden)]
    pub fn stopped() -> Error {
        Error::io("asking", stop::stopped())
    }

    /// Fails once a signal has asked this program to stop.
    #[cfg(feature = "corpus")]
    #[doc(hidden)]
    pub fn check_stop() -> Result<(), Error> {
        stop::check().map_err(|e| Error::io("making cases", e))
    }

    /// The result of some work; `None` if it was given up because of a signal.
    #[doc(hidden)]
    pub fn unless_stopped<T>(result: Result<T, Error>) -> Result<Option<T>, Error> {
        match result {
            Err(e) if e.is_stop() => Ok(None),
            result => result.map(Some),
        }
    }

    /// Whether the reader of our output went away, which ends a program without a message.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// A change after which a refused request succeeds. The command names the option for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Allow the existing file to be replaced.
    Replace,
    /// Choose one of several heaps, by its number from 0.
    ChooseHeap {
        /// The number of heaps.
        heaps: usize,
    },
    /// Ask for a character encoding and line ends only of formats that are text.
    Text,
    /// Ask for a word size only of PHD and classic text.
    WordSize,
    /// Ask for a size of identifiers only of HPROF.
    IdSize,
    /// Allow addresses to be renumbered.
    Renumber,
    /// Accept a dump that is not valid.
    Tolerate,
    /// Allow a conversion to synthesise more.
    Budget {
        /// The budget that is enough.
        bytes: u64,
    },
    /// Allow more to be read of input that has no length.
    InputLimit,
}

/// The error of a temporary file, with its folder, which the caller can choose.
#[cfg(any(feature = "files", feature = "sorting"))]
pub(crate) fn in_temporary_folder(error: io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let message =
        format!("a temporary file in {}: {error} (the variable TMPDIR names another folder)", folder.display());
    io::Error::new(error.kind(), message)
}

/// Whether an error, or the one that it wraps, is the stop of a signal.
fn is_stop(error: &io::Error) -> bool {
    let inner = || error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    stop::is_stopped(error) || inner().is_some_and(Error::is_stop)
}

/// Whether an I/O error means damaged compressed data, not a fault of the machine.
#[doc(hidden)]
pub fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// The place and cause of a decoder's stop: the offset, the record, the field and the rule that the bytes break.
#[derive(Debug)]
pub struct DecodeError(Box<DecodeErrorParts>);

#[derive(Debug)]
struct DecodeErrorParts {
    rule: RuleId,
    offset: u64,
    record: Option<u64>,
    position: Option<TextPosition>,
    field: &'static str,
    problem: Problem,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1, in bytes.
    pub column: u64,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The defect of the bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The data end inside a field.
    Truncated {
        /// Bytes that the field needs.
        needed: u64,
        /// Bytes that are left for it.
        available: u64,
    },
    /// The body has no end tag or trailer: the data end between two records.
    MissingEnd,
    /// The field's value is not one that the format allows.
    Unexpected {
        /// The values that the format allows.
        expected: String,
        /// The value of the bytes.
        found: String,
    },
    /// The file became shorter while it was read.
    Shrunk {
        /// Its length in bytes when it was opened.
        opened: u64,
    },
    /// The tables of the dump take more memory than is allowed.
    Memory {
        /// Bytes that it takes up to there.
        held: u64,
        /// Bytes that are allowed.
        allowed: u64,
    },
    /// The system, or a compressed stream, failed.
    Io(io::Error),
}

impl DecodeError {
    /// An error at `offset` (bytes from the start of the decompressed stream) in `field`.
    pub fn new(rule: RuleId, offset: u64, field: &'static str, problem: Problem) -> DecodeError {
        DecodeError(Box::new(DecodeErrorParts { rule, offset, record: None, position: None, field, problem }))
    }

    /// The error inside the record with this index.
    #[must_use]
    pub fn in_record(mut self, index: u64) -> DecodeError {
        self.0.record = Some(index);
        self
    }

    /// The error in a dump that is text.
    #[must_use]
    pub fn at_position(mut self, position: TextPosition) -> DecodeError {
        self.0.position = Some(position);
        self
    }

    /// The rule that the bytes break.
    pub fn rule(&self) -> RuleId {
        self.0.rule
    }

    /// The offset of the offending field, in bytes from the start of the decompressed stream.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Line and column, if the dump is text.
    pub fn position(&self) -> Option<TextPosition> {
        self.0.position
    }

    /// The index of the record, from 0, if the error is inside one.
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// The field that was being read.
    pub fn field(&self) -> &'static str {
        self.0.field
    }

    /// The defect of the bytes.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// Whether every record was sound and only the end tag is missing, which readers tolerate.
    pub fn is_missing_end(&self) -> bool {
        matches!(self.0.problem, Problem::MissingEnd)
    }

    /// Whether the machine is at fault, not the dump: reading failed, or the file shrank. Damaged
    /// compressed data are the dump's fault, though they too come as an I/O error.
    pub fn is_machine_fault(&self) -> bool {
        match &self.0.problem {
            Problem::Shrunk { .. } | Problem::Memory { .. } => true,
            Problem::Io(e) => !is_damage(e),
            Problem::Truncated { .. } | Problem::MissingEnd | Problem::Unexpected { .. } => false,
        }
    }

    /// The bytes that the format expects there, in words.
    pub fn expected(&self) -> String {
        match &self.0.problem {
            Problem::Truncated { needed: 1, .. } => format!("1 byte of {}", self.0.field),
            Problem::Truncated { needed, .. } => format!("{needed} bytes of {}", self.0.field),
            Problem::MissingEnd if self.0.position.is_some() => {
                "another record or the last trailer, \"// EOF:\"".to_owned()
            }
            Problem::MissingEnd => "another record or the end tag".to_owned(),
            Problem::Unexpected { expected, .. } => expected.clone(),
            Problem::Shrunk { opened } => format!("a file of {opened} bytes, as when it was opened"),
            Problem::Memory { allowed, .. } => {
                format!("at most {allowed} bytes of it for what has to be held of the dump")
            }
            Problem::Io(_) if !self.is_machine_fault() => "whole gzip data".to_owned(),
            Problem::Io(_) => "readable data".to_owned(),
        }
    }

    /// The bytes that are found there, in words.
    pub fn found(&self) -> String {
        match &self.0.problem {
            Problem::Truncated { available: 1, .. } => "1 byte, then the end of the data".to_owned(),
            Problem::Truncated { available, .. } => format!("{available} bytes, then the end of the data"),
            Problem::MissingEnd => "the end of the data".to_owned(),
            Problem::Unexpected { found, .. } => found.clone(),
            Problem::Shrunk { .. } => "the file became shorter while it was read".to_owned(),
            Problem::Memory { held, .. } => format!(
                "{held} bytes up to here; decompress the dump into a file first, whose own length allows more than that of \
                 a compressed one"
            ),
            Problem::Io(e) if !self.is_machine_fault() => {
                format!("data that are damaged, cut short or followed by something else ({e})")
            }
            Problem::Io(e) => e.to_string(),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.0.position {
            write!(f, "{position}, ")?;
        }
        write!(f, "offset {0} ({0:#x})", self.0.offset)?;
        if let Some(record) = self.0.record {
            write!(f, ", record {record}")?;
        }
        write!(f, ", {}: expected {}, found {}", self.0.field, self.expected(), self.found())?;
        // What the machine lacks is against no rule.
        if matches!(self.0.problem, Problem::Memory { .. }) { Ok(()) } else { write!(f, " [{}]", self.0.rule) }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.problem {
            Problem::Io(e) => Some(e),
            _ => None,
        }
    }
}
