//! Oddities of random heaps and dumps: one table, from which ids, help and documents come.

/// Something out of the ordinary that a random heap or dump can have. Without any, the dump is plain: names are ASCII,
/// addresses low, arrays small, numbers ordinary, and its spelling is that of a known writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oddity {
    /// Names with characters beyond ASCII, of two and three bytes.
    NonAsciiNames,
    /// Names with characters beyond U+FFFF.
    SupplementaryNames,
    /// Names with U+0000.
    NulNames,
    /// Classes of one name under several loaders.
    TwinClasses,
    /// Fields of one name in a class and its superclass.
    ShadowedFields,
    /// The smallest and the largest numbers, NaN and infinity.
    ExtremeValues,
    /// Arrays of 32,766 elements and more.
    HugeArrays,
    /// Addresses around and above 2^31 or 2^63, by the word size.
    HighAddresses,
    /// Addresses that lie gigabytes apart.
    DistantAddresses,
    /// Objects out of order, classes among them.
    MixedOrder,
    /// Constant pools with values of every type.
    ConstantPools,
    /// Classes with signers.
    Signers,
    /// Roots of every kind.
    EveryRoot,
    /// Identifiers of 1 or 2 bytes.
    SmallIdentifiers,
    /// Widths, records and places of records that no known writer chooses.
    AnySpelling,
    /// EBCDIC, or CR LF at the ends of lines.
    OtherCharacters,
    /// Odd texts for the version, empty and ending in `0917` among them.
    VersionText,
    /// Instance sizes of 0.
    ZeroSizes,
    /// Hashes of 0 that are stored.
    NullHash,
    /// 16-bit hashes whose bit 15 is set.
    HighHash,
    /// Null references that are listed.
    NullReferences,
    /// Objects of more than four classes in turn.
    ClassesInTurn,
    /// No class loaders, threads and strings, and no class objects of primitive types.
    NoLibraryObjects,
    /// Names of 60 to 300 bytes.
    LongNames,
    /// Arrays of objects with 250 to 400 elements.
    ManyElements,
    /// Classes with 200 to 300 statics and up to 300 fields.
    ManyFields,
    /// Chains of up to twelve superclasses.
    DeepClasses,
    /// Stacks of 200 to 300 frames.
    DeepStacks,
    /// Serial numbers of threads and stack traces whose top bit is set.
    HighSerials,
}

/// The description of an oddity; [`Oddity::FORMS`] is the table of all.
#[derive(Clone, Copy, Debug)]
pub struct OddityForm {
    /// The oddity.
    pub oddity: Oddity,
    /// The oddity's name in ids and options.
    pub name: &'static str,
    /// A summary in a line.
    pub summary: &'static str,
    /// The formats whose dumps show it, without versions.
    pub formats: &'static [&'static str],
    /// Whether it shows only in dumps that are written in the heap's own order, with all its facts.
    pub as_heap: bool,
}

const EVERY: &[&str] = &["phd", "hprof", "classic"];
const PHD: &[&str] = &["phd"];
const HPROF: &[&str] = &["hprof"];

const fn form(
    oddity: Oddity,
    name: &'static str,
    summary: &'static str,
    formats: &'static [&'static str],
) -> OddityForm {
    OddityForm { oddity, name, summary, formats, as_heap: false }
}

const fn as_heap(form: OddityForm) -> OddityForm {
    OddityForm { as_heap: true, ..form }
}

use Oddity as O;

impl Oddity {
    /// Every oddity, in the order of declaration.
    #[rustfmt::skip]
    pub const FORMS: [OddityForm; 29] = [
        form(O::NonAsciiNames, "non-ascii-names", "names with characters of two and three bytes", EVERY),
        form(O::SupplementaryNames, "supplementary-names", "names with characters beyond U+FFFF", EVERY),
        form(O::NulNames, "nul-names", "names with U+0000", EVERY),
        form(O::TwinClasses, "twin-classes", "classes of one name under several loaders", EVERY),
        form(O::ShadowedFields, "shadowed-fields", "fields of one name in a class and its superclass", HPROF),
        form(O::ExtremeValues, "extreme-values", "the smallest and the largest numbers, NaN and infinity", HPROF),
        form(O::HugeArrays, "huge-arrays", "arrays of 32,766 elements and more", EVERY),
        form(O::HighAddresses, "high-addresses", "addresses around and above 2^31 or 2^63", EVERY),
        form(O::DistantAddresses, "distant-addresses", "addresses that lie gigabytes apart", PHD),
        as_heap(form(O::MixedOrder, "mixed-order", "objects out of order, classes among them", EVERY)),
        as_heap(form(O::ConstantPools, "constant-pools", "constant pools with values of every type", HPROF)),
        as_heap(form(O::Signers, "signers", "classes with signers", HPROF)),
        as_heap(form(O::EveryRoot, "every-root", "roots of every kind", HPROF)),
        form(O::SmallIdentifiers, "small-identifiers", "identifiers of 1 or 2 bytes", HPROF),
        form(O::AnySpelling, "any-spelling", "widths, records and places of records that no known writer chooses", EVERY),
        form(O::OtherCharacters, "other-characters", "EBCDIC, or CR LF at the ends of lines", &["classic"]),
        form(O::VersionText, "version-text", "odd version texts: empty, long, ending in 0917", &["phd", "classic"]),
        form(O::ZeroSizes, "zero-sizes", "instance sizes of 0", PHD),
        form(O::NullHash, "null-hash", "hashes of 0 that are stored", PHD),
        form(O::HighHash, "high-hash", "16-bit hashes whose bit 15 is set", PHD),
        as_heap(form(O::NullReferences, "null-references", "null references that are listed", PHD)),
        form(O::ClassesInTurn, "classes-in-turn", "objects of five classes or more in turn, more than PHD's class cache holds", PHD),
        form(O::NoLibraryObjects, "no-library-objects", "no loaders, threads, strings and primitive types' class objects: a heap that any program can build", EVERY),
        form(O::LongNames, "long-names", "names of 60 to 300 bytes", EVERY),
        form(O::ManyElements, "many-elements", "arrays of objects with 250 to 400 elements", EVERY),
        form(O::ManyFields, "many-fields", "classes with 200 to 300 statics and up to 300 fields", HPROF),
        form(O::DeepClasses, "deep-classes", "chains of up to twelve superclasses", &["phd", "hprof"]),
        form(O::DeepStacks, "deep-stacks", "stacks of 200 to 300 frames", HPROF),
        as_heap(form(O::HighSerials, "high-serials", "serial numbers of threads and stack traces whose top bit is set", HPROF)),
    ];

    /// The oddity's row in [`Oddity::FORMS`].
    pub fn form(self) -> &'static OddityForm {
        &Self::FORMS[self as usize]
    }

    /// The oddity's name.
    pub fn name(self) -> &'static str {
        self.form().name
    }

    /// The oddity with a name.
    pub fn named(name: &str) -> Option<Oddity> {
        Self::FORMS.iter().find(|form| form.name == name).map(|form| form.oddity)
    }
}

/// A set of oddities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities(u32);

impl Oddities {
    /// No oddities: a plain heap.
    pub const NONE: Oddities = Oddities(0);
    /// Every oddity.
    pub const ALL: Oddities = Oddities((1 << Oddity::FORMS.len()) - 1);

    /// Whether the set has an oddity.
    pub fn has(self, oddity: Oddity) -> bool {
        self.0 & 1 << oddity as u32 != 0
    }

    /// The set with one more oddity.
    #[must_use]
    pub fn with(self, oddity: Oddity) -> Oddities {
        Oddities(self.0 | 1 << oddity as u32)
    }

    /// The oddities, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Oddity> {
        Oddity::FORMS.iter().map(|form| form.oddity).filter(move |oddity| self.has(*oddity))
    }
}

impl FromIterator<Oddity> for Oddities {
    fn from_iter<I: IntoIterator<Item = Oddity>>(oddities: I) -> Oddities {
        oddities.into_iter().fold(Oddities::NONE, Oddities::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_oddity_has_the_row_of_its_place_and_a_name_of_its_own() {
        for (place, form) in Oddity::FORMS.iter().enumerate() {
            assert_eq!(form.oddity as usize, place, "{}", form.name);
            assert_eq!(Oddity::named(form.name), Some(form.oddity));
            assert!(form.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", form.name);
        }
        let names: BTreeSet<&str> = Oddity::FORMS.iter().map(|form| form.name).collect();
        assert_eq!(names.len(), Oddity::FORMS.len());
    }

    #[test]
    fn the_document_has_every_row() {
        let document = include_str!("../../../../docs/oddities.md");
        let rows: Vec<String> = Oddity::FORMS
            .iter()
            .map(|form| format!("| `{}` | {} | {} |", form.name, form.summary, form.formats.join(", ")))
            .collect();
        let written: Vec<&str> = document.lines().filter(|line| line.starts_with("| `")).collect();
        assert_eq!(written, rows);
    }

    #[test]
    fn set_has_inserted_oddities() {
        let set: Oddities = [Oddity::NulNames, Oddity::HighHash].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Oddity::NulNames, Oddity::HighHash]);
        assert_eq!(Oddities::ALL.iter().count(), Oddity::FORMS.len());
        assert_eq!(Oddities::NONE.iter().count(), 0);
    }
}
