//! The parts that a large dump is made of.

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use crate::bytes::hexadecimal;
use crate::error::Error;

use super::number::NumberFormula;

/// A part of a dump that is too large to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LargePart {
    /// Bytes that are repeated.
    Piece { piece: Vec<PartToken>, is_text: bool, times: NumberFormula },
    /// Zero bytes, which are a hole of a sparse file.
    Zeros(NumberFormula),
    /// The dump of a recipe of the generator.
    Generated(Vec<PartToken>),
}

/// A piece of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PartToken {
    Plain(Vec<u8>),
    /// A number in that many bytes, or digits of a text; without a width in decimal digits.
    Number(NumberFormula, Option<usize>),
}

/// A part in a file of `specs/cases/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LargePartEntry {
    bytes: Option<String>,
    text: Option<String>,
    times: Option<String>,
    zeros: Option<String>,
    generate: Option<String>,
}

/// A part of a dump that is too large to be stored. Each has one of `bytes`, `text`, `zeros` and `generate`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ManifestPart {
    /// Bytes as hexadecimal digits. `{NUMBER:WIDTH}` is a number in that many bytes, big-endian, cut to them; in it, `i` is
    /// which repetition it is, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Text in UTF-8. `{NUMBER:WIDTH}` is a number in that many hexadecimal digits, `{NUMBER}` one in decimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How often `bytes` or `text` stand; once, where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// This number of zero bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zeros: Option<u64>,
    /// The dump that `heapsmith generate` makes of this recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<String>,
}

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 20;

impl LargePartEntry {
    pub(super) fn part(self, pieces: &BTreeMap<String, String>) -> Result<LargePart, String> {
        let times = NumberFormula::read(self.times.as_deref().unwrap_or("1"))?;
        let has_times = self.times.is_some();
        match (self.bytes, self.text, self.zeros, self.generate) {
            (Some(bytes), None, None, None) => {
                Ok(LargePart::Piece { piece: join_tokens(parse_bytes(&bytes, pieces)?), is_text: false, times })
            }
            (None, Some(text), None, None) => Ok(LargePart::Piece { piece: parse_text(&text)?, is_text: true, times }),
            (None, None, Some(zeros), None) if !has_times => Ok(LargePart::Zeros(NumberFormula::read(&zeros)?)),
            (None, None, None, Some(recipe)) if !has_times => Ok(LargePart::Generated(parse_text(&recipe)?)),
            _ => Err("a part is one of: bytes or text, which may have times; zeros; generate".to_owned()),
        }
    }
}

impl LargePart {
    /// The part's length in bytes; `None` where it is known only once it is made.
    pub(super) fn length(&self, n: u64) -> Option<u64> {
        match self {
            LargePart::Piece { piece, is_text, times } => {
                let widths = piece.iter().map(|token| token.length(n, *is_text)).sum::<Option<u64>>()?;
                widths.checked_mul(times.value(n, 0))
            }
            LargePart::Zeros(count) => Some(count.value(n, 0)),
            LargePart::Generated(_) => None,
        }
    }

    /// The bytes that it takes on a disk whose files may have holes; 0 where they are known only once it is made.
    pub(super) fn stored(&self, n: u64) -> u64 {
        if matches!(self, LargePart::Zeros(_)) { 0 } else { self.length(n).unwrap_or_default() }
    }

    /// Writes it; `generate` writes the dump of a recipe.
    pub(super) fn write<W: Write + Seek>(
        &self,
        n: u64,
        out: &mut W,
        generate: &mut dyn FnMut(&str, &mut dyn Write) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = |e| Error::io("writing a large dump", e);
        match self {
            LargePart::Piece { piece, is_text, times } => {
                let mut buffer = Vec::with_capacity(BUFFER);
                for i in 0..times.value(n, 0) {
                    piece.iter().for_each(|token| token.append(n, i, *is_text, &mut buffer));
                    if buffer.len() >= BUFFER {
                        out.write_all(&buffer).map_err(failed)?;
                        buffer.clear();
                    }
                }
                out.write_all(&buffer).map_err(failed)
            }
            LargePart::Zeros(count) => {
                let count = i64::try_from(count.value(n, 0)).unwrap_or(i64::MAX);
                out.seek(SeekFrom::Current(count)).map(|_| ()).map_err(failed)
            }
            LargePart::Generated(recipe) => generate(&recipe_of(recipe, n), out),
        }
    }

    /// The part for other programs, with the number that `n` stands for.
    pub(super) fn manifest(&self, n: u64) -> ManifestPart {
        match self {
            LargePart::Piece { piece, is_text, times } => {
                let spelled = Some(piece.iter().map(|token| token.spelled(n, *is_text)).collect());
                let times = Some(times.value(n, 0)).filter(|times| *times != 1);
                let (bytes, text) = if *is_text { (None, spelled) } else { (spelled, None) };
                ManifestPart { bytes, text, times, ..ManifestPart::default() }
            }
            LargePart::Zeros(count) => ManifestPart { zeros: Some(count.value(n, 0)), ..ManifestPart::default() },
            LargePart::Generated(recipe) => {
                ManifestPart { generate: Some(recipe_of(recipe, n)), ..ManifestPart::default() }
            }
        }
    }
}

impl ManifestPart {
    /// The making of the part, in words.
    pub(super) fn words(&self) -> String {
        let times = self.times.map(|times| format!("{times} times ")).unwrap_or_default();
        match (&self.bytes, &self.text, self.zeros, &self.generate) {
            (Some(bytes), ..) => format!("{times}the bytes {bytes}"),
            (_, Some(text), ..) => format!("{times}the text {text:?}"),
            (_, _, Some(zeros), _) => format!("{zeros} zero bytes, which can be a hole in a sparse file"),
            (.., Some(recipe)) => format!("the dump that this command makes: heapsmith generate {recipe}"),
            _ => String::new(),
        }
    }

    /// Whether it has numbers that differ from one repetition to the next.
    pub(super) fn counts(&self) -> bool {
        self.bytes.iter().chain(&self.text).any(|spelled| spelled.contains('{'))
    }
}

impl PartToken {
    fn length(&self, n: u64, is_text: bool) -> Option<u64> {
        match self {
            PartToken::Plain(bytes) => Some(bytes.len() as u64),
            PartToken::Number(_, Some(width)) => Some(*width as u64),
            PartToken::Number(number, None) if is_text && !number.has_i() => {
                Some(number.value(n, 0).to_string().len() as u64)
            }
            PartToken::Number(_, None) => None,
        }
    }

    fn append(&self, n: u64, i: u64, is_text: bool, out: &mut Vec<u8>) {
        match self {
            PartToken::Plain(bytes) => out.extend_from_slice(bytes),
            PartToken::Number(number, None) => out.extend_from_slice(number.value(n, i).to_string().as_bytes()),
            PartToken::Number(number, Some(width)) if is_text => {
                let digits = (0..*width).rev().map(|place| {
                    let digit = number.value(n, i).checked_shr(4 * place as u32).unwrap_or_default() & 0xf;
                    b"0123456789ABCDEF"[digit as usize]
                });
                out.extend(digits);
            }
            PartToken::Number(number, Some(width)) => {
                let bytes = number.value(n, i).to_be_bytes();
                out.extend_from_slice(&bytes[bytes.len() - width..]);
            }
        }
    }

    fn spelled(&self, n: u64, is_text: bool) -> String {
        if let PartToken::Number(number, width) = self
            && number.has_i()
        {
            let width = width.map(|width| format!(":{width}")).unwrap_or_default();
            return format!("{{{}{width}}}", number.substitute(n));
        }
        let mut bytes = Vec::new();
        self.append(n, 0, is_text, &mut bytes);
        if is_text { String::from_utf8_lossy(&bytes).into_owned() } else { hexadecimal(&bytes) }
    }
}

fn recipe_of(recipe: &[PartToken], n: u64) -> String {
    recipe.iter().map(|token| token.spelled(n, true)).collect()
}

/// Words on lines, each of which may end with a comment: pairs of hexadecimal digits, `@` and the name of a piece, and
/// numbers `{NUMBER:WIDTH}`.
fn parse_bytes(text: &str, pieces: &BTreeMap<String, String>) -> Result<Vec<PartToken>, String> {
    let mut tokens = Vec::new();
    for word in text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace()) {
        if let Some(name) = word.strip_prefix('@') {
            let piece = pieces.get(name).ok_or_else(|| format!("there is no piece {word}"))?;
            if piece.contains('@') {
                return Err(format!("the piece {word} has a piece in it"));
            }
            tokens.extend(parse_bytes(piece, pieces)?);
        } else if word.starts_with('{') {
            let body = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
            let PartToken::Number(number, Some(width @ 1..=8)) = parse_number(body.unwrap_or_default())? else {
                return Err(format!("{word:?} has no width from 1 to 8 bytes"));
            };
            tokens.push(PartToken::Number(number, Some(width)));
        } else {
            let digits: Option<Vec<u8>> = word.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
            let digits = digits.filter(|digits| digits.len() % 2 == 0);
            let digits =
                digits.ok_or_else(|| format!("{word:?} is neither pairs of hexadecimal digits nor a @piece"))?;
            tokens.push(PartToken::Plain(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()));
        }
    }
    Ok(tokens)
}

/// Text with numbers `{NUMBER:DIGITS}` or `{NUMBER}`.
fn parse_text(text: &str) -> Result<Vec<PartToken>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (body, after) = after.split_once('}').ok_or_else(|| format!("{{{after} has no end"))?;
        tokens.push(PartToken::Plain(before.as_bytes().to_vec()));
        tokens.push(parse_number(body)?);
        rest = after;
    }
    tokens.push(PartToken::Plain(rest.as_bytes().to_vec()));
    Ok(join_tokens(tokens))
}

fn parse_number(body: &str) -> Result<PartToken, String> {
    let (number, width) = match body.split_once(':') {
        Some((number, width)) => {
            let width = width.parse::<usize>().ok().filter(|width| (1..=16).contains(width));
            (number, Some(width.ok_or_else(|| format!("{{{body}}} has no width from 1 to 16"))?))
        }
        None => (body, None),
    };
    Ok(PartToken::Number(NumberFormula::read(number)?, width))
}

/// The tokens with neighbouring bytes joined.
fn join_tokens(tokens: Vec<PartToken>) -> Vec<PartToken> {
    let mut joined: Vec<PartToken> = Vec::new();
    for token in tokens {
        match (joined.last_mut(), token) {
            (_, PartToken::Plain(bytes)) if bytes.is_empty() => {}
            (Some(PartToken::Plain(before)), PartToken::Plain(bytes)) => before.extend(bytes),
            (_, token) => joined.push(token),
        }
    }
    joined
}
