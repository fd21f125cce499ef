//! The spelling of records by a profile.

use crate::bytes::ebcdic::CodePage;
use crate::classic::record::{
    BreakdownCounts, EntryRecord, EofTotals, Record, ReferenceList, SlashLine, SpelledNumber,
};
use crate::classic::wire::{Charset, Encoding, EntryRecordKind};
use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::{Error, LowerError};
use crate::model::{Address, Name, Pieces, WordSize};

use super::carry::{CarriedEntry, CarriedReferences};
use super::profiles::{NameEncoding, NullSpelling, Profile, TrailerSpelling};

/// Spells records for one profile.
pub(super) struct Speller {
    profile: &'static Profile,
    word: WordSize,
    encoding: Encoding,
    draw: SeedDraw,
    /// The parts of the record that is being spelled.
    parts: Vec<Vec<u8>>,
    values: Vec<u64>,
}

impl Speller {
    pub(super) fn new(profile: &'static Profile, word: WordSize, encoding: Encoding, seed: u64) -> Speller {
        Speller {
            profile,
            word,
            encoding,
            draw: SeedDraw::new(seed, DrawStream::Spelling),
            parts: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The characters of a name.
    pub(super) fn name(&self, name: &Name) -> Result<Vec<u8>, LowerError> {
        let text = self.characters(name)?;
        if comes_back(&text, self.encoding.charset) {
            return Ok(text);
        }
        let why = ": classic text escapes nothing, and its white space or line breaks would be read otherwise";
        Err(self.name_error(name, why))
    }

    fn characters(&self, name: &Name) -> Result<Vec<u8>, LowerError> {
        let text = || name.to_text().ok_or_else(|| self.name_error(name, ": its bytes are no text"));
        match (self.encoding.charset, self.profile.names) {
            (Charset::Utf8, NameEncoding::AsTheJvm) => Ok(name.as_bytes().to_vec()),
            (Charset::Utf8, NameEncoding::Standard) => Ok(text()?.into_bytes()),
            (Charset::Ebcdic(_), _) => {
                let latin1 = text()?.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect::<Option<Vec<u8>>>();
                latin1.ok_or_else(|| self.name_error(name, ", which has no characters beyond ISO 8859-1"))
            }
        }
    }

    fn name_error(&self, name: &Name, why: &'static str) -> LowerError {
        LowerError::Name { name: name.to_string(), charset: self.encoding.charset.name(), why }
    }

    /// The version line, or what stands in its place.
    pub(super) fn header<'s>(&'s mut self, version: Option<&Name>) -> Result<Option<Record<'s>>, LowerError> {
        self.parts.clear();
        let Some(version) = version else {
            self.parts.push(self.encoding.newline.text().to_vec());
            return Ok(self.profile.blank_without_version.then(|| Record::Space(&self.parts[0])));
        };
        let text = self.characters(version)?;
        if text.iter().any(|b| is_line_end(*b, self.encoding.charset)) {
            return Err(self.name_error(version, ": a version text is one line"));
        }
        if text.trim_ascii_start().len() < text.len() || text.ends_with(b"\r") {
            return Err(
                self.name_error(version, ": a version text neither begins with white space nor ends with a return")
            );
        }
        let line = [self.slashes(), b"Version:".to_vec(), self.blank(), text].concat();
        self.parts.push(line);
        let end = self.line_end();
        self.parts.push(end);
        Ok(Some(Record::Version(SlashLine { text: &self.parts[0], after: &self.parts[1] })))
    }

    /// A comment between two records, as a person might add.
    pub(super) fn comment(&mut self) -> Option<Record<'_>> {
        if !self.profile.is_seeded() || !self.draw.one_in(16) {
            return None;
        }
        let number = self.draw.below(100);
        let (line, end) = (format!("// comment {number}").into_bytes(), self.line_end());
        self.parts = vec![line, end];
        Some(Record::Comment(SlashLine { text: &self.parts[0], after: &self.parts[1] }))
    }

    /// An object or class.
    pub(super) fn entry(&mut self, kind: EntryRecordKind, told: &CarriedEntry) -> Result<Record<'_>, LowerError> {
        let name = self.name(&told.name)?;
        let address = self.hexadecimal(told.address)?;
        let size = format!("[{}]", told.size.0).into_bytes();
        let (before_size, before_kind, before_name) = (self.blank(), self.blank(), self.blank());
        let references = match &told.references {
            CarriedReferences::Held(references) => self.references(references)?,
            CarriedReferences::Long(_) => self.before_references(),
        };
        self.values.clear();
        self.values.extend(told.references.held().iter().map(|reference| reference.0));
        self.parts = vec![address, before_size, size, before_kind, before_name, name, references];
        let [address, before_size, size, before_kind, before_name, name, text] = self.parts.as_slice() else {
            unreachable!("seven parts were put there");
        };
        Ok(Record::Entry(EntryRecord {
            address: SpelledNumber { text: address, value: told.address.0 },
            before_size,
            size: SpelledNumber { text: size, value: told.size.0 },
            before_kind,
            kind,
            before_name,
            name,
            references: ReferenceList { text, values: &self.values },
        }))
    }

    /// Trailer record 1.
    pub(super) fn breakdown(&mut self, counts: BreakdownCounts) -> Record<'_> {
        let mut line = self.slashes();
        line.extend(b"Breakdown");
        let before_dash = self.gap(" ", " ", " ");
        line.extend(format!("{before_dash}-").bytes());
        let numbers = [
            ("Classes", counts.classes),
            ("Objects", counts.objects),
            ("ObjectArrays", counts.object_arrays),
            ("PrimitiveArrays", counts.primitive_arrays),
        ];
        for (at, (what, number)) in numbers.into_iter().enumerate() {
            let before = self.gap(" ", " ", " ");
            let colon = self.gap(" ", " ", "");
            line.extend(format!("{}{before}{what}:{colon}{number}", if at > 0 { "," } else { "" }).bytes());
        }
        let end = self.line_end();
        self.parts = vec![line, end];
        Record::Breakdown(SlashLine { text: &self.parts[0], after: &self.parts[1] }, counts)
    }

    /// Trailer record 2, the last line.
    pub(super) fn eof(&mut self, totals: EofTotals) -> Record<'_> {
        let mut line = self.slashes();
        let (first, last) = (self.gap(" ", "  ", " "), self.gap(" ", " ", ""));
        let EofTotals { objects, references, nulls } = totals;
        line.extend(format!("EOF:{first}Total 'Objects',Refs(null) :{last}{objects},{references}({nulls})").bytes());
        let end = if self.profile.is_seeded() && self.draw.one_in(2) { Vec::new() } else { self.line_end() };
        self.parts = vec![line, end];
        Record::Eof(SlashLine { text: &self.parts[0], after: &self.parts[1] }, totals)
    }

    /// Refuses an address that is wider than a word.
    pub(super) fn check_address(&self, address: Address) -> Result<(), LowerError> {
        if self.word.mask(address.0) == address.0 { Ok(()) } else { Err(LowerError::TooWide(address)) }
    }

    /// The number of digits of an address.
    pub(super) fn digits(&self) -> usize {
        2 * self.word.bytes()
    }

    /// The address's digits.
    fn hexadecimal(&mut self, address: Address) -> Result<Vec<u8>, LowerError> {
        self.check_address(address)?;
        let width = self.digits();
        // Eight digits alone would be taken for the word of 32 bits.
        let misleading = self.word == WordSize::Bits64 && (0x1000_0000..=0xffff_ffff).contains(&address.0);
        if !self.profile.is_seeded() || misleading {
            return Ok(format!("0x{:0width$X}", address.0).into_bytes());
        }
        // Eight digits would tell a reader of 32-bit words.
        let short = if address.0 >> 28 == 0 || address.0 >> 32 > 0 { 0 } else { width };
        Ok(match self.draw.below(4) {
            0 => format!("0x{:0width$x}", address.0),
            1 if self.draw.one_in(2) => format!("0x{:0short$X}", address.0),
            1 => format!("0x{:0short$x}", address.0),
            _ => format!("0x{:0width$X}", address.0),
        }
        .into_bytes())
    }

    /// The references of a record, and the white space around them: a tab, each with a space after it, and the line's
    /// end (native; jdmpview alike).
    fn references(&mut self, references: &[Address]) -> Result<Vec<u8>, LowerError> {
        let mut text = self.before_references();
        for (at, &reference) in references.iter().enumerate() {
            self.reference(&mut text, at == 0, reference)?;
        }
        self.after_references(&mut text);
        Ok(text)
    }

    /// The references of the entry spelled last, which are too many to be held, with what comes after them.
    pub(super) fn long_references(
        &mut self,
        references: &Pieces<Address>,
        put: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut text, mut is_first) = (Vec::new(), true);
        references.visit(|piece| {
            text.clear();
            for &reference in piece {
                self.reference(&mut text, std::mem::take(&mut is_first), reference)?;
            }
            put(&text)
        })?;
        text.clear();
        self.after_references(&mut text);
        put(&text)
    }

    /// The text in front of the references.
    pub(super) fn before_references(&mut self) -> Vec<u8> {
        let newline = self.encoding.newline.text();
        if !self.profile.is_seeded() {
            return [newline, b"\t"].concat();
        }
        let mut text = self.blank_or_none();
        text.extend(newline);
        text
    }

    pub(super) fn reference(
        &mut self,
        text: &mut Vec<u8>,
        is_first: bool,
        reference: Address,
    ) -> Result<(), LowerError> {
        if !self.profile.is_seeded() {
            match self.profile.nulls {
                NullSpelling::Short if reference.is_null() => text.extend(b"0x0"),
                _ => text.extend(self.hexadecimal(reference)?),
            }
            text.push(b' ');
            return Ok(());
        }
        if is_first || self.draw.one_in(8) {
            if !is_first {
                text.extend(self.encoding.newline.text());
            }
            text.extend(self.blank_or_none());
        } else {
            text.extend(self.blank());
        }
        let digits = self.hexadecimal(reference)?;
        text.extend(if reference.is_null() && self.draw.one_in(2) { b"0x0".to_vec() } else { digits });
        Ok(())
    }

    pub(super) fn after_references(&mut self, text: &mut Vec<u8>) {
        if self.profile.is_seeded() {
            text.extend(self.blank_or_none());
            text.extend(self.line_end());
        } else {
            text.extend(self.encoding.newline.text());
        }
    }

    fn slashes(&mut self) -> Vec<u8> {
        let blank = if self.profile.is_seeded() { self.blank_or_none() } else { b" ".to_vec() };
        [b"//".to_vec(), blank].concat()
    }

    /// One space, or any white space.
    fn blank(&mut self) -> Vec<u8> {
        if !self.profile.is_seeded() {
            return b" ".to_vec();
        }
        let many = if self.draw.one_in(4) { self.draw.between(1, 4) } else { 1 };
        (0..many).map(|_| if self.draw.one_in(6) { b'\t' } else { b' ' }).collect()
    }

    fn blank_or_none(&mut self) -> Vec<u8> {
        if self.draw.one_in(2) { self.blank() } else { Vec::new() }
    }

    /// White space in a trailer, by dialect.
    fn gap(&mut self, page: &str, native: &str, tight: &str) -> String {
        match self.profile.trailers {
            TrailerSpelling::Page => page.to_owned(),
            TrailerSpelling::Native => native.to_owned(),
            TrailerSpelling::Tight => tight.to_owned(),
            TrailerSpelling::Drawn => String::from_utf8(self.blank_or_none()).unwrap_or_default(),
        }
    }

    fn line_end(&mut self) -> Vec<u8> {
        let newline = self.encoding.newline.text().to_vec();
        let twice = self.profile.is_seeded() && self.draw.one_in(12);
        if twice { newline.repeat(2) } else { newline }
    }
}

/// Whether the decoder takes all of a name for the name.
fn comes_back(text: &[u8], charset: Charset) -> bool {
    let is_white = |b: &u8| matches!(*b, b' ' | b'\t' | b'\r') || is_line_end(*b, charset);
    if text.first().is_some_and(is_white) || text.last().is_some_and(is_white) {
        return false;
    }
    (0..text.len()).filter(|&at| is_line_end(text[at], charset)).all(|at| {
        let rest = &text[at + 1..];
        let ends = rest.first().is_none_or(is_white);
        !(ends || rest.starts_with(b"//") || rest.starts_with(b"0x") || rest.starts_with(b"0X"))
    })
}

fn is_line_end(byte: u8, charset: Charset) -> bool {
    byte == b'\n' || byte == 0x85 && matches!(charset, Charset::Ebcdic(CodePage::Ibm1047 | CodePage::Ibm037))
}
