//! Options of the generator.

mod declare;
mod document;
mod footprint;
mod kinds;
mod lengths;
mod preset;

use crate::error::Error;
use crate::model::WordSize;

pub use declare::{GenerateOption, GenerateOptions};
pub use document::schema;
pub(super) use lengths::MixedKind;
pub use lengths::{Lengths, ObjectMix, Share};
pub use preset::{Preset, PresetForm};

use super::oddity::Oddity;

/// The most objects of a heap that is drawn as a whole.
pub const DRAWN: usize = 4096;

/// Bytes of the longest names: the names of their arrays are longer, and 65,535 is the most that two bytes can count.
pub(super) const LONGEST_NAME: u64 = 65_000;
/// The number of kinds of root that a thread has, besides itself.
pub(super) const ROOT_KINDS: u64 = 7;

/// The addresses of a generated heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// Places in memory, as wide as a word: mostly packed, with gaps of all widths.
    Memory,
    /// Places in memory without gaps.
    Dense,
    /// Places that lie some megabytes apart.
    Sparse,
    /// Places above 4 GiB.
    Above4G,
    /// Places from below 4 GiB to above it; with 32-bit words, to low addresses.
    Across4G,
    /// Places that are multiples of 1 byte.
    Unaligned,
    /// Places whose distances are those at which widths change: of 2^31 and 2^63 bytes, and the same in units.
    Edges,
    /// Numbers from 1 on, for identifiers of 1 and 2 bytes.
    Numbers,
    /// Places without gaps in two ranges: the first objects stand apart from all others, as an archive's do.
    Ranges,
}

impl AddressSpace {
    /// The address spaces that are drawn where a seed or a fuzzer chooses. With one more, a seed would give another
    /// heap.
    pub const ALL: [AddressSpace; 8] = [
        AddressSpace::Memory,
        AddressSpace::Dense,
        AddressSpace::Sparse,
        AddressSpace::Above4G,
        AddressSpace::Across4G,
        AddressSpace::Unaligned,
        AddressSpace::Edges,
        AddressSpace::Numbers,
    ];

    /// The common divisor of all addresses.
    pub(crate) fn unit(self) -> u64 {
        if matches!(self, AddressSpace::Unaligned | AddressSpace::Numbers) { 1 } else { 8 }
    }
}

/// The style of the names of random classes and fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Short names of one package.
    Plain,
    /// Names as programs have them, of several packages.
    Java,
    /// Names with characters beyond ASCII, beyond U+FFFF, and U+0000.
    Odd,
    /// Names as a whole program has them: of its classes and those of the Java library, hidden ones, fields, methods, source
    /// files and threads, with line numbers.
    Program,
}

/// The facts about class objects in a generated heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassObjects {
    /// Class objects of primitive types are classes, and an instance size is the memory of an instance (OpenJ9).
    J9,
    /// Class objects of primitive types are instances of java/lang/Class, and an instance size is the bytes of the
    /// fields (HotSpot).
    HotSpot,
}

/// The order of a generated heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Objects by address, as JVMs write them; where classes stand is the writer's choice.
    Ordered,
    /// Objects partly out of order, classes among them.
    Mixed,
}

impl GenerateOptions {
    /// These options with the consequences of their oddities for options that are left open.
    pub(crate) fn with_oddities(&self) -> GenerateOptions {
        let (mut options, plain, odd) = (self.clone(), GenerateOptions::default(), self.oddities);
        let open = |value: &Lengths, default: &Lengths| value == default;
        if odd.has(Oddity::LongNames) {
            options.name_lengths.get_or_insert(Lengths::Uniform(60, 300));
        }
        if odd.has(Oddity::ManyElements) {
            options.object_lengths.get_or_insert(Lengths::Uniform(250, 400));
        }
        if odd.has(Oddity::ManyFields) {
            options.fields.get_or_insert(Lengths::Power(1, 300));
            if open(&options.statics, &plain.statics) {
                options.statics = Lengths::Uniform(200, 300);
            }
        }
        if odd.has(Oddity::DeepClasses) {
            options.depth.get_or_insert(12);
            if open(&options.classes, &plain.classes) {
                options.classes = Lengths::Uniform(12, 24);
            }
        }
        if odd.has(Oddity::DeepStacks) {
            options.frames.get_or_insert(Lengths::Uniform(200, 300));
        }
        if odd.has(Oddity::HighSerials) {
            options.serials.get_or_insert(0x89ab_cdef);
        }
        options
    }

    /// Whether objects own other objects.
    pub(crate) fn has_owners(&self) -> bool {
        self.owned != Share::default()
    }

    /// Whether names and the version's text have only characters of ISO 8859-1.
    pub(crate) fn is_latin1(&self) -> bool {
        use Oddity::{NonAsciiNames, SupplementaryNames, VersionText};
        let has_names = self.names == Naming::Odd
            || [NonAsciiNames, SupplementaryNames, VersionText].into_iter().any(|oddity| self.oddities.has(oddity));
        let text = self.version_text.as_deref().unwrap_or_default();
        (self.latin1_names || !has_names) && text.chars().all(|c| u32::from(c) < 0x100)
    }

    /// How many objects a thread takes.
    pub(super) fn objects_of_thread(&self) -> usize {
        if self.library.has_character_names() { 2 } else { 3 }
    }

    /// The refusal, if there is no room for the minimum of class loaders and threads that are `asked` for. Other
    /// numbers of them are met as far as there is room.
    pub(crate) fn crowding(&self, asked: impl Fn(&str) -> bool) -> Option<Refusal> {
        if self.oddities.has(Oddity::NoLibraryObjects) {
            return None;
        }
        let objects = self.objects as u64;
        let loaders = u64::from(self.loaders);
        if loaders > objects && asked("loaders") {
            let why = format!("loaders={loaders}: each takes an object, and there are {objects}");
            return Some(Refusal::new(why, "loaders", objects.to_string()));
        }
        let each = self.objects_of_thread() as u64;
        let room = objects.saturating_sub(loaders) / each;
        if self.threads.least() > room && asked("java-threads") {
            let threads = &self.threads;
            let why = format!(
                "java-threads={threads}: each takes {each} objects, and {objects} objects have room for {room} beside \
                 {loaders} class loaders"
            );
            return Some(Refusal::new(why, "java-threads", format!("constant:{room}")));
        }
        None
    }

    /// The options that others overrule, so that their values make no difference, or not the one that they say.
    pub fn overruled(&self) -> Vec<OverruledOption> {
        let mut overruled = Vec::new();
        let mut add = |key: &'static str, instead: String, by: &str| {
            let value = self.get(key).unwrap_or_default();
            overruled.push(OverruledOption { key, why: format!("{key}={value}: {instead}, since {by}") });
        };
        let has_library = !self.oddities.has(Oddity::NoLibraryObjects);
        let no_library = "oddities=no-library-objects leaves them out";
        if !has_library {
            if self.loaders > 0 {
                add("loaders", "the heap has 0 class loaders".to_owned(), no_library);
            }
            if self.threads.greatest() > 0 {
                add("java-threads", "the heap has 0 threads".to_owned(), no_library);
            }
            if self.mix.strings > 0 {
                add("mix", "the heap has 0 strings, and instances in their place".to_owned(), no_library);
            }
        }
        let (least, most) = (self.roots.least(), self.roots.greatest());
        let is_every = has_library && self.threads.greatest() > 0 && self.oddities.has(Oddity::EveryRoot);
        if is_every && least <= ROOT_KINDS && (least, most) != (ROOT_KINDS, ROOT_KINDS) {
            let by = format!("oddities=every-root gives it one of each kind; what is above {ROOT_KINDS} is followed");
            add("roots", format!("each thread has {ROOT_KINDS} roots"), &by);
        }
        if self.unused_texts > 0 && !self.has_writers_order() {
            let by = "the dump has the heap's own order (order=mixed, or an oddity that only such dumps show)";
            add("unused-texts", "0 of them are written".to_owned(), by);
        }
        overruled
    }

    /// Whether dumps of the heap are in their writer's order.
    pub(super) fn has_writers_order(&self) -> bool {
        self.placement != Placement::Mixed && !self.oddities.iter().any(|oddity| oddity.form().as_heap)
    }

    /// Refuses contradictory options.
    ///
    /// # Errors
    /// If addresses do not go with the word size, or the heap would take more memory than its budget.
    pub fn check(&self) -> Result<(), Error> {
        self.check_footprint()?;
        self.refusal().map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    /// The refusal of contradictory options.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let is_above = self.addresses == AddressSpace::Above4G && self.word == WordSize::Bits32;
        let why = || format!("addresses={} takes words of 64 bits", self.get("addresses").unwrap_or_default());
        if is_above {
            return Some(Refusal::new(why(), "word", "64"));
        }
        let names = self.name_lengths.as_ref();
        if let Some(lengths) = names.filter(|lengths| lengths.greatest() > LONGEST_NAME) {
            let why = format!("name-lengths={lengths}: a name has at most {LONGEST_NAME} bytes");
            return Some(Refusal::new(why, "name-lengths", format!("constant:{LONGEST_NAME}")));
        }
        self.shapes.iter().find_map(|shape| {
            let (why, other) = shape.refusal()?;
            Some(Refusal::new(format!("shape={shape}: {why}"), "shape", other.to_string()))
        })
    }
}

/// An option that another one overrules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverruledOption {
    /// Its key.
    pub key: &'static str,
    /// Its value, and what the heap has instead.
    pub why: String,
}

/// The reason why a heap of some options cannot be made or written, and an option's value that would help.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    why: String,
    pub(crate) key: &'static str,
    pub(crate) value: String,
}

impl Refusal {
    pub(crate) fn new(why: String, key: &'static str, value: impl Into<String>) -> Refusal {
        Refusal { why, key, value: value.into() }
    }
}

impl From<Refusal> for Error {
    fn from(Refusal { why, key, value }: Refusal) -> Error {
        Error::Usage(format!("{why}; choose {key}={value}"))
    }
}
