//! A dump from its start, any number of times.

use std::io::Read;

use crate::error::Error;
use crate::input::{Input, InputStream};
use crate::model::long::Spool;

use super::ReadOptions;

/// Opens a dump from its start, any number of times.
#[derive(Clone, Debug)]
pub struct Opener {
    /// The input.
    pub input: Input,
    /// The reading of what the bytes do not decide.
    pub reading: ReadOptions,
}

/// A dump at its start, to be read once.
#[derive(Debug)]
pub struct Opening {
    /// The bytes.
    pub stream: InputStream,
    /// The input that the bytes come from, for a second look; `None` for standard input.
    pub input: Option<Input>,
    /// The reading of what the bytes do not decide.
    pub reading: ReadOptions,
}

impl Opening {
    /// An input from its start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn from_input(input: &Input, reading: ReadOptions) -> Result<Opening, Error> {
        Ok(Opening { stream: input.stream()?, input: Some(input.clone()), reading })
    }

    /// The spool for contents that are too long to be held.
    pub fn spool(&self) -> Spool {
        spool(self.reading, self.input.as_ref())
    }

    /// Memory for the tables of the dump, in bytes.
    pub fn allowed(&self) -> u64 {
        self.reading.allowed(self.input.as_ref())
    }
}

impl Opener {
    /// An opener of an input.
    pub fn new(input: Input, reading: ReadOptions) -> Opener {
        Opener { input, reading }
    }

    /// An opener of a dump in memory, under a name for messages, read as it is usually read.
    pub fn from_memory(name: &str, bytes: &[u8]) -> Opener {
        Opener::new(Input::from_memory(name, bytes.to_vec()), ReadOptions::default())
    }

    /// The stream from the start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn stream(&self) -> Result<InputStream, Error> {
        self.input.stream()
    }

    /// The dump from the start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn open(&self) -> Result<Opening, Error> {
        Ok(Opening { stream: self.stream()?, input: Some(self.input.clone()), reading: self.reading })
    }

    /// The spool for contents that are too long to be held.
    pub fn spool(&self) -> Spool {
        spool(self.reading, Some(&self.input))
    }

    /// The bytes from the start.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn bytes(&self) -> Result<Box<dyn Read>, Error> {
        Ok(Box::new(self.input.stream()?))
    }
}

fn spool(reading: ReadOptions, input: Option<&Input>) -> Spool {
    Spool::new(reading.held, reading.spooled).with_original(input.and_then(Input::original))
}
