//! A dump from its start, any number of times.

use std::io::Read;
use std::sync::Arc;

use crate::error::Error;
use crate::input::{Input, Stream};
use crate::model::long::Spool;

use super::Reading;

/// Opens a dump from its start, any number of times.
#[derive(Clone)]
pub struct Opener {
    /// The input.
    pub input: Input,
    /// How to read what the bytes do not decide.
    pub reading: Reading,
    stream: OpenStream,
}

/// How a stream of an input is opened.
pub type OpenStream = Arc<dyn Fn(&Input) -> Result<Stream, Error> + Send + Sync>;

/// A dump at its start, to be read once.
#[derive(Debug)]
pub struct Opening {
    /// The bytes.
    pub stream: Stream,
    /// Where they come from, for a second look; nowhere, of standard input.
    pub input: Option<Input>,
    /// How to read what the bytes do not decide.
    pub reading: Reading,
}

impl Opening {
    /// An input from its start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn of(input: &Input, reading: Reading) -> Result<Opening, Error> {
        Ok(Opening { stream: input.stream()?, input: Some(input.clone()), reading })
    }

    /// Where contents go that are too long to be held.
    pub fn spool(&self) -> Spool {
        spool(self.reading, self.input.as_ref())
    }
}

impl Opener {
    /// An opener of an input, whose streams are opened in this way.
    pub fn new(input: Input, reading: Reading, stream: OpenStream) -> Opener {
        Opener { input, reading, stream }
    }

    /// Of a dump in memory, under a name for messages, read as it is usually read.
    pub fn memory(name: &str, bytes: &[u8]) -> Opener {
        Opener::new(Input::memory(name, bytes.to_vec()), Reading::default(), Arc::new(Input::stream))
    }

    /// The stream from the start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn stream(&self) -> Result<Stream, Error> {
        (self.stream)(&self.input)
    }

    /// The dump from the start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open(&self) -> Result<Opening, Error> {
        Ok(Opening { stream: self.stream()?, input: Some(self.input.clone()), reading: self.reading })
    }

    /// Where contents go that are too long to be held.
    pub fn spool(&self) -> Spool {
        spool(self.reading, Some(&self.input))
    }

    /// The bytes from the start, without progress.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn bytes(&self) -> Result<Box<dyn Read>, Error> {
        Ok(Box::new(self.input.stream()?))
    }
}

impl std::fmt::Debug for Opener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opener").field("input", &self.input).field("reading", &self.reading).finish_non_exhaustive()
    }
}

fn spool(reading: Reading, input: Option<&Input>) -> Spool {
    Spool::new(reading.held, reading.spooled).over(input.and_then(Input::original))
}
