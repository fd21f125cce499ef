//! Requests about the dump to write: writer, widths, characters, seed.

use crate::bytes::charset::{Charset, Newline};
use crate::error::{Error, Remedy};
use crate::model::WordSize;
use crate::units::IdSize;

use super::Format;

/// The dump to write, as far as the caller said.
#[derive(Clone, Debug, Default)]
pub struct WriteRequest {
    /// The writer to imitate.
    pub profile: Option<String>,
    /// Word size.
    pub word: Option<WordSize>,
    /// Size of identifiers.
    pub id_size: Option<IdSize>,
    /// Number of segments of each heap.
    pub segments: Option<u64>,
    /// Character encoding.
    pub charset: Option<Charset>,
    /// Ends of lines.
    pub newline: Option<Newline>,
    /// Seed of the choices of the profile `any`.
    pub seed: u64,
}

/// A setting that only some formats have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A word size.
    Word,
    /// A size of identifiers.
    IdSize,
    /// A number of segments.
    Segments,
    /// A character encoding, and ends of lines.
    Text,
}

impl Setting {
    const ALL: [Setting; 4] = [Setting::Text, Setting::IdSize, Setting::Segments, Setting::Word];

    fn is_requested(self, wishes: &WriteRequest) -> bool {
        match self {
            Setting::Word => wishes.word.is_some(),
            Setting::IdSize => wishes.id_size.is_some(),
            Setting::Segments => wishes.segments.is_some(),
            Setting::Text => wishes.charset.is_some() || wishes.newline.is_some(),
        }
    }

    /// A width with its article, and the remedy for a caller who asked for the other one.
    const fn width(self) -> Option<(&'static str, Remedy)> {
        match self {
            Setting::Word => Some(("a word size", Remedy::WordSize)),
            Setting::IdSize => Some(("an identifier size", Remedy::IdSize)),
            Setting::Segments | Setting::Text => None,
        }
    }
}

impl WriteRequest {
    /// The part of the request that a format knows.
    #[must_use]
    pub fn for_format(&self, format: Format) -> WriteRequest {
        let knows = |setting| format.family().settings().contains(&setting);
        WriteRequest {
            word: self.word.filter(|_| knows(Setting::Word)),
            id_size: self.id_size.filter(|_| knows(Setting::IdSize)),
            segments: self.segments.filter(|_| knows(Setting::Segments)),
            charset: self.charset.filter(|_| knows(Setting::Text)),
            newline: self.newline.filter(|_| knows(Setting::Text)),
            ..self.clone()
        }
    }

    /// Refuses settings that none of several formats has.
    ///
    /// # Errors
    /// If none of them has a requested setting.
    pub fn check_any(&self, formats: impl Iterator<Item = Format> + Clone) -> Result<(), Error> {
        let singles = [
            WriteRequest { word: self.word, ..WriteRequest::default() },
            WriteRequest { id_size: self.id_size, ..WriteRequest::default() },
            WriteRequest { segments: self.segments, ..WriteRequest::default() },
            WriteRequest { charset: self.charset, newline: self.newline, ..WriteRequest::default() },
        ];
        let refused_by_all = |single: &WriteRequest| {
            let mut refusals = formats.clone().map(|format| single.check(format).err());
            let first = refusals.next()??;
            refusals.all(|refusal| refusal.is_some()).then_some(first)
        };
        singles.iter().find_map(refused_by_all).map_or(Ok(()), Err)
    }

    /// Refuses settings that the format does not have.
    ///
    /// # Errors
    /// If it does not have a requested setting.
    pub fn check(&self, format: Format) -> Result<(), Error> {
        let has = format.family().settings();
        let Some(missing) = Setting::ALL.into_iter().find(|s| s.is_requested(self) && !has.contains(s)) else {
            return Ok(());
        };
        let Some((width, _)) = missing.width() else {
            return Err(match missing {
                Setting::Segments => Error::Usage(format!("{format} has no segments: their number cannot be set")),
                _ => {
                    let what = "is a binary format: its character encoding and line ends cannot be set";
                    Error::refused(format!("{format} {what}"), Remedy::Text)
                }
            });
        };
        let (_, name) = width.split_once(' ').unwrap_or_default();
        let message = format!("{format} has no {name} to set");
        match has.iter().find_map(|setting| setting.width()) {
            Some((name, remedy)) => Err(Error::refused(format!("{message}; it has {name}"), remedy)),
            None => Err(Error::Usage(message)),
        }
    }
}
