//! The writers: data, and one function for the one that draws. In code, adding a profile touches this file alone.
//!
//! Sources of the choices: *S2* is IBM's page, whose white space is lost; *native* is OpenJ9
//! `runtime/rasdump/heapdump_classic.c`; *jdmpview* is OpenJ9 `ClassicHeapDumpFormatter`, confirmed by texts that it
//! made. What has no source is named as ours in `specs/classic.toml`.

use crate::lower::{Adherence, ClassPlacement};
use crate::model::{Facts, WordSize};

use super::LowerOptions;

/// A writer of classic heap dumps: the facts that its dumps record, and their spelling.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// A description of the writer, in a line.
    pub summary: &'static str,
    /// Whether objects stand by address, and classes after them (C10).
    pub sorts: bool,
    /// Whether the first reference of each object is its class block (C5).
    pub class_blocks: bool,
    /// The treatment of null references (C4).
    pub nulls: NullSpelling,
    /// Order of the references of an array whose positions are known (C14).
    pub reverses_elements: bool,
    /// The references that a class lists, where the heap knows what each of them is (C11).
    pub class_references: ClassReferences,
    /// The spelling of names where the encoding is UTF-8.
    pub names: NameEncoding,
    /// Whether an array of arrays of a primitive type counts as a primitive array (C13).
    pub counts_by_leaf: bool,
    /// Whether a line break stands where the version line would (C1).
    pub blank_without_version: bool,
    /// Spelling of the trailers (C7, C8).
    pub trailers: TrailerSpelling,
}

/// The treatment of null references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullSpelling {
    /// Listed with as many digits as others.
    Padded,
    /// Listed as `0x0`.
    Short,
    /// Counted, and not listed.
    Counted,
    /// Listed in either way.
    Drawn,
}

/// The references that a class lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassReferences {
    /// Class blocks first: superclasses and interfaces; then statics and the loader.
    BlocksFirst,
    /// The slots of the class object, of which the loader is one; then statics.
    SlotsFirst,
    /// Statics, protection domain, constant pool, superclasses, loader.
    All,
}

/// The spelling of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameEncoding {
    /// Modified UTF-8, as the JVM has them.
    AsTheJvm,
    /// UTF-8, which has no lone surrogates.
    Standard,
}

/// Spelling of the trailers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailerSpelling {
    /// `Classes: 1`, `EOF: Total ... : 1`.
    Page,
    /// `Classes: 1`, `EOF:  Total ... : 1`.
    Native,
    /// `Classes:1`, `EOF: Total ... :1`.
    Tight,
    /// Any white space.
    Drawn,
}

/// Every profile.
pub const PROFILES: &[Profile] = &[
    NATIVE,
    Profile {
        name: "ibm-j9",
        summary: "IBM J9 2.3 to 2.5: class blocks and nulls are listed, class blocks of a class first",
        class_blocks: true,
        nulls: NullSpelling::Padded,
        reverses_elements: false,
        class_references: ClassReferences::BlocksFirst,
        counts_by_leaf: false,
        blank_without_version: false,
        trailers: TrailerSpelling::Page,
        ..NATIVE
    },
    Profile {
        name: "jdmpview",
        summary: "jdmpview's classic formatter: nulls are listed as 0x0, trailers without spaces",
        nulls: NullSpelling::Short,
        class_references: ClassReferences::All,
        names: NameEncoding::Standard,
        counts_by_leaf: false,
        blank_without_version: false,
        trailers: TrailerSpelling::Tight,
        ..NATIVE
    },
    Profile {
        name: "any",
        summary: "every freedom that a tolerant reader should allow, drawn from the seed",
        sorts: false,
        nulls: NullSpelling::Drawn,
        reverses_elements: false,
        class_references: ClassReferences::All,
        counts_by_leaf: false,
        blank_without_version: false,
        trailers: TrailerSpelling::Drawn,
        ..NATIVE
    },
];

const NATIVE: Profile = Profile {
    name: "openj9",
    summary: "OpenJ9's native writer: neither nulls nor classes of objects are listed",
    sorts: true,
    class_blocks: false,
    nulls: NullSpelling::Counted,
    reverses_elements: true,
    class_references: ClassReferences::SlotsFirst,
    names: NameEncoding::AsTheJvm,
    counts_by_leaf: true,
    blank_without_version: true,
    trailers: TrailerSpelling::Native,
};

impl Profile {
    /// The profile that is taken when none is named: OpenJ9's native writer.
    pub const DEFAULT: &'static Profile = &PROFILES[0];

    /// The profile of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Whether the profile's choices are drawn from a seed.
    pub fn is_seeded(&self) -> bool {
        self.trailers == TrailerSpelling::Drawn
    }

    /// Whether objects are put in the order of their addresses.
    pub(super) fn sorts(&self, options: &LowerOptions) -> bool {
        self.sorts && options.adherence == Adherence::Writer
    }

    /// The place of the classes.
    pub(super) fn order(&self, options: &LowerOptions) -> ClassPlacement {
        if self.sorts(options) { ClassPlacement::ClassesLast } else { ClassPlacement::AsHeap }
    }

    /// The word size of a dump.
    pub(super) fn word(facts: &Facts, options: &LowerOptions) -> WordSize {
        options.word.or(facts.word_size).unwrap_or(WordSize::Bits64)
    }
}
