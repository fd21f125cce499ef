//! Opening an input, with a second look at it where the bytes at hand do not decide.

use std::io::{self, Read};

use crate::error::DecodeError;
use crate::family::Opening;
use crate::input::{Input, Stream};

use super::decode::{Beyond, Decoder};
use super::wire::HEAD;

/// A decoder at the start of a dump.
///
/// # Errors
/// If the stream does not begin with an HPROF header, or cannot be read.
pub fn open(opening: Opening) -> Result<Decoder<Stream>, DecodeError> {
    let Opening { stream, input, reading } = opening;
    let length = stream.length();
    let second_look = input.map(|input| Box::new(SecondLook { input, length }) as Box<dyn Beyond>);
    Ok(Decoder::with_length(stream, length)?.with_reading(reading, second_look))
}

#[derive(Debug)]
struct SecondLook {
    input: Input,
    length: Option<u64>,
}

impl SecondLook {
    fn measured(&mut self) -> io::Result<u64> {
        match self.length {
            Some(length) => Ok(length),
            None => {
                let mut stream = self.input.stream().map_err(io::Error::other)?;
                let length = io::copy(&mut stream, &mut io::sink())?;
                self.length = Some(length);
                Ok(length)
            }
        }
    }
}

impl Beyond for SecondLook {
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>> {
        // Decompressing everything is worth it only where the result could matter.
        let possible = self.input.length().saturating_mul(MAX_EXPANSION);
        if self.length.is_none() && possible < at_least { Ok(None) } else { self.measured().map(Some) }
    }

    fn chains(&mut self, offset: u64) -> io::Result<bool> {
        let length = self.measured()?;
        let mut stream = self.input.stream_from(offset)?;
        let mut at = offset;
        while at < length {
            let mut head = [0; HEAD];
            if length - at < HEAD as u64 {
                return Ok(false);
            }
            stream.read_exact(&mut head)?;
            let [.., a, b, c, d] = head;
            let body = u64::from(u32::from_be_bytes([a, b, c, d]));
            at += HEAD as u64 + body;
            if at < length {
                stream.skip(body)?;
            }
        }
        Ok(at == length)
    }
}

/// Deflate makes at most 1032 bytes of one (a match of 258 bytes in 2 bits), and some for the frame.
const MAX_EXPANSION: u64 = 1040;
