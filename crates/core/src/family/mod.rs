//! The contribution of a format's folder to the rest of the crate. The formats are listed in [`format`](crate::format).
//!
//! Everything that depends on the format of a dump goes through [`DumpFamily`], by a value of [`Family`]. Whole files and
//! whole heaps go through it; records do not: inside, each format's loops know their own types.

#[cfg(feature = "corpus")]
pub mod case;
pub mod edit;
mod facts;
mod header;
mod heap_requirements;
mod judge;
mod lengths;
mod lowering;
pub(crate) mod mutation;
mod opener;
#[cfg(feature = "properties")]
#[doc(hidden)]
pub mod property;
mod read_options;
mod recognise;
mod records;
mod reliance;
mod selector;
mod single_pass;
mod source;
mod write_request;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::ops::Deref;

use crate::annotation::{Annotation, Meanings, RecordStep};
use crate::compare::{Facet, RecordSpan};
use crate::error::{DecodeError, Error, did_you_mean};
use crate::findings::Findings;
use crate::input::Input;
use crate::model::{Address, DumpSource};
use crate::salvage::{SalvageOptions, SalvageReport};

pub use edit::{EditedField, NamedEdit};
pub use facts::FamilyFacts;
pub(crate) use header::past_header;
pub use heap_requirements::{ArrayClass, HeapRequirements};
pub use judge::{GraphRules, Judge, JudgedDump, judge_dump};
#[doc(hidden)]
pub use lengths::remove_ranges;
pub use lengths::{Framing, PassedOver, StatedLength};
pub use lowering::{Lower, Lowering, only_heap, word_of_new_heap};
pub use opener::{Opener, Opening};
pub use read_options::{
    ClassBlocks, INDEXED, INDEXED_PER_BYTE, ReadOptions, RegionStarts, RepeatedTexts, WrappedLength, ZeroLength,
};
pub use recognise::{recognise, reproduces};
pub use records::{ListedPart, RecordField, RecordLine, Records, flush_if_full, missing_end, write_failed};
pub use reliance::Reliance;
pub use selector::{DumpPart, RecordSelector, selector_number};
pub use single_pass::{SinglePassReader, SinglePassVisitor, SkippedRecords, SpelledBlocks};
pub use source::{DumpOutline, FileSource, SingleHeap, VisitPlaced, WholeFile};
pub use write_request::{Setting, WriteRequest};

/// A dump format in all its versions: what its folder implements.
pub trait DumpFamily: Sync {
    /// The facts that are the same for all its dumps.
    fn facts(&self) -> &'static FamilyFacts;

    /// Whether a dump that begins like this is one of the family's.
    fn is_start(&self, start: &[u8]) -> bool;

    /// Whether a beginning that is none of any family's resembles this one's, so that its decoder can say what is wrong.
    fn resembles(&self, start: &[u8]) -> bool;

    /// Whether an error of its decoder says no more than that the dump does not begin as the family's do.
    fn is_foreign(&self, error: &DecodeError) -> bool;

    /// The fields of the byte map that record a fact, and the rule by which they are read (empty, if there is none).
    /// `is_array` is for objects whose records differ.
    fn fields(&self, facet: Facet, is_array: bool) -> (&'static [&'static str], &'static str);

    /// The names of the writers that can be imitated in a version.
    fn profiles(&self, version: u8) -> Vec<&'static str>;

    /// The writer of a version. Only [`settings`](FamilyFacts::settings) of the family are given.
    ///
    /// # Errors
    /// If there is no such profile, or parts of the request contradict each other.
    fn lowering(&self, version: u8, wishes: &WriteRequest) -> Result<Lowering, Error>;

    /// Random widths for the requested profile. `drawn` has one of each setting.
    fn random_widths(&self, wishes: WriteRequest, drawn: &WriteRequest) -> WriteRequest {
        let word = drawn.word.filter(|_| self.facts().settings.contains(&Setting::Word));
        WriteRequest { word: word.or(wishes.word), ..wishes }
    }

    /// The format of a dump, with its version.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn format(&self, opener: &Opener) -> Result<Format, Error>;

    /// The records of a dump that is read once.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn records(&self, opening: Opening) -> Result<Box<dyn Records>, DecodeError>;

    /// The heaps of a dump, with their objects left in the file.
    ///
    /// # Errors
    /// An error of decoding; a missing end tag is tolerated.
    fn source(&self, opener: &Opener) -> Result<FileSource, Error>;

    /// The heaps of a dump in memory. After an error they hold everything before it.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn read(&self, opener: &Opener) -> Result<WholeFile, Error>;

    /// The function that reads a dump once, from its start to its end: it visits every object of the heaps as it comes,
    /// and returns the rest. The `known` classes lay out objects, for the dump's own may stand after them. `None` where a
    /// format's dumps have to be read twice.
    fn single_pass_reader(&self) -> Option<&'static SinglePassReader> {
        None
    }

    /// The heaps of a dump without their objects, which are visited one by one, up to where the dump cannot be read.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn outline(&self, opener: &Opener) -> Result<DumpOutline, Error>;

    /// The writer, with the first profile for which this is so, that gives exactly the dump's bytes.
    ///
    /// # Errors
    /// If the dump cannot be read.
    fn recognise(&self, opener: &Opener, source: &mut FileSource) -> Result<Option<Lowering>, Error>;

    /// A writer that keeps all that a heap holds, for a dump that no profile gives again; `None` if the default profile
    /// has to do.
    fn lossless_lowering(&self, _dump: &mut dyn DumpSource) -> Option<Lowering> {
        None
    }

    /// Calls `found` with address and place of every class and object of one of the heaps, as far as the dump can be read.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn places(&self, opener: &Opener, heap: usize, found: &mut dyn FnMut(Address, RecordSpan)) -> Result<(), Error>;

    /// Calls `each` with every field of a dump. Where it cannot be read any further, the fields up to there have every byte
    /// before the error, and the last one is marked with the rule that it breaks.
    ///
    /// # Errors
    /// An error of decoding, or of `each`.
    fn annotate(
        &self,
        opener: &Opener,
        each: &mut dyn FnMut(Annotation<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.map_bytes(opener, Meanings::Spelled, each)
    }

    /// Like [`annotate`](DumpFamily::annotate), perhaps without the meanings of fields.
    ///
    /// # Errors
    /// An error of decoding, or of `each`.
    #[doc(hidden)]
    fn map_bytes(
        &self,
        opener: &Opener,
        meanings: Meanings,
        each: &mut dyn FnMut(Annotation<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Calls `each` with the fields of the header and with every record of a dump; and with the fields of a record, without meanings, if
    /// it returns true for the record. It takes little more than decoding does where few are wanted.
    ///
    /// # Errors
    /// An error of decoding, or of `each`.
    #[doc(hidden)]
    fn map_records(
        &self,
        opener: &Opener,
        each: &mut dyn FnMut(RecordStep<'_>) -> Result<bool, Error>,
    ) -> Result<(), Error>;

    /// The one of [`parts`](FamilyFacts::parts) that a field of the byte map begins or decides; `None` for a field of the
    /// same record or part as the one before it.
    fn part(&self, field: &Annotation<'_>) -> Option<&'static str>;

    /// Calls `found` with the places in a dump that rely on rules, as far as the dump can be read. What only one of the bytes'
    /// findings says ([`judge`](DumpFamily::judge)) is not among them.
    ///
    /// # Errors
    /// If the header cannot be read because of the machine.
    fn reliances(&self, _opener: &Opener, _found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
        Ok(())
    }

    /// The named edits of its dumps.
    fn edits(&self) -> Vec<NamedEdit> {
        Vec::new()
    }

    /// A valid dump in which a field has another value, which is spelled as the field is.
    ///
    /// # Errors
    /// If the field cannot have the value, or the dump is not valid.
    fn with_value(&self, dump: &[u8], field: &EditedField, value: &str) -> Result<Vec<u8>, Error> {
        let put = field.bytes_of(value).map_err(Error::Usage)?;
        Ok([&dump[..field.offset], &put, &dump[field.offset + field.length..]].concat())
    }

    /// A valid dump in which a record that is a root is one of another kind: of this name, or else of one whose thread is
    /// unknown. And the name of that kind.
    ///
    /// # Errors
    /// If the record is no root, there is no such kind, or the dump is not valid.
    fn with_root_kind(
        &self,
        _dump: &[u8],
        _record: u64,
        _kind: Option<&str>,
    ) -> Result<(Vec<u8>, &'static str), Error> {
        Err(Error::Usage(format!("{} dumps record no roots", self.facts().title)))
    }

    /// The properties that always hold of the family's dumps.
    #[cfg(feature = "properties")]
    fn properties(&self) -> property::FormatProperties;

    /// The cases of the corpus.
    #[cfg(feature = "corpus")]
    fn corpus(&self) -> case::FamilyCases;

    /// The changes of dumps as a whole, of which only records with lengths admit; `None` where records have none.
    fn framing(&self) -> Option<&'static dyn Framing> {
        None
    }

    /// Finds what is wrong with a damaged dump, and writes a valid dump of what is sound to `out`, if there is one.
    ///
    /// # Errors
    /// If the input cannot be read, has nothing that could be kept, or writing fails.
    fn salvage(
        &self,
        input: &Input,
        options: &SalvageOptions,
        out: Option<&mut dyn Write>,
    ) -> Result<SalvageReport, Error>;

    /// Judges a dump by every rule; by those of the whole graph only if that is asked for. Where only errors are looked for and it
    /// takes no more reading, it gives the heaps, too, as [`DumpFamily::source`] does.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    fn judge(
        &self,
        opener: &Opener,
        graph: GraphRules,
        findings: &mut Findings,
    ) -> Result<(JudgedDump, Option<FileSource>), Error>;
}

/// A dump format, whatever its version: which decoder reads it. [`Family::ALL`] lists them.
#[derive(Clone, Copy)]
pub struct Family(&'static dyn DumpFamily);

impl Family {
    /// The family that a folder implements.
    pub const fn new(of: &'static dyn DumpFamily) -> Family {
        Family(of)
    }

    /// Its formats, the oldest version first.
    pub fn formats(self) -> impl Iterator<Item = Format> {
        self.versions().iter().map(move |&version| Format::new(self, version))
    }
}

impl Deref for Family {
    type Target = dyn DumpFamily;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Family) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Family {}

impl Hash for Family {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A dump format and its version.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    family: Family,
    version: u8,
}

impl Format {
    /// A version of a family; 0, if it has only one.
    pub const fn new(family: Family, version: u8) -> Format {
        Format { family, version }
    }

    /// Its family.
    pub const fn family(self) -> Family {
        self.family
    }

    /// The version's number; 0, if the family has only one.
    pub const fn version(self) -> u8 {
        self.version
    }
}

impl Format {
    /// The error that there is no such profile.
    pub(crate) fn unknown_profile(self, name: &str) -> Error {
        let names = self.family.profiles(self.version).join(", ");
        let writes = |format: &Format| format.family.profiles(format.version).contains(&name);
        let formats: Vec<String> = Format::all().filter(writes).map(|format| format.to_string()).collect();
        let hint =
            if formats.is_empty() { String::new() } else { format!("; {name} is a profile of {}", formats.join(", ")) };
        let near = did_you_mean(name, self.family.profiles(self.version).iter().copied());
        Error::Usage(format!("{self} has no profile {name:?}; choose one of {names}{hint}{near}"))
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family.name())?;
        if self.version == 0 { Ok(()) } else { write!(f, "{}", self.version) }
    }
}
