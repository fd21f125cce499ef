//! The options of the generator: one row for each.
//!
//! The rows generate the struct with its defaults and builder methods, the flags of the command, the keys of files and
//! recipes, the JSON schema, the table in `docs/generating.md`, and the draws from a fuzzer's bytes.

use crate::draw::Draw;
use crate::error::{Error, unknown};
use crate::model::{HashRegime, WordSize};
use crate::setters::setters;

use super::kinds::{OptionValue, ValueForm};
use super::{AddressSpace, ClassObjects, Lengths, Naming, ObjectMix, Placement, Share};
use crate::generate::library::Library;
use crate::generate::oddity::{Oddities, Oddity};
use crate::generate::shape::Shapes;

macro_rules! declare {
    ($(
        $(#[doc = $help:literal])+
        $field:ident: $kind:ty = $default:expr, $key:literal, |$draw:ident| $drawn:expr;
    )+) => {
        /// Options of the generator: the kind of heap to generate.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct GenerateOptions {
            $($(#[doc = $help])+ pub $field: $kind,)+
        }

        impl Default for GenerateOptions {
            fn default() -> GenerateOptions {
                GenerateOptions { $($field: $default,)+ }
            }
        }

        setters! {
            impl GenerateOptions {
                $(set $field: $kind;)+
            }
        }

        /// Every row, in order.
        const ROWS: &[GenerateOption] = &[$(GenerateOption {
            key: $key,
            help: &[$($help),+],
            form: <$kind>::form,
            text: |options| options.$field.text(),
            read: |options, text| <$kind>::read(text).map(|value| options.$field = value).is_some(),
            draw: |options, $draw| options.$field = $drawn,
        },)+];
    };
}

declare! {
    /// Number of objects, classes not counted.
    objects: usize = 200, "objects", |draw| draw.below(64) as usize;
    /// Word size in bits, which bounds addresses.
    word: WordSize = WordSize::Bits64, "word", |draw| *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    /// Where classes and objects are: mostly packed with some gaps of all widths (ordinary), without gaps, far apart,
    /// above 4 GiB, from below 4 GiB to above it (with 32-bit words: from there to low addresses), at multiples of 1
    /// byte, with distances at which widths change, numbered from 1 on, or without gaps in two ranges.
    addresses: AddressSpace = AddressSpace::Memory, "addresses", |draw| *draw.pick(&AddressSpace::ALL);
    /// Weights of the kinds of objects.
    mix: ObjectMix = ObjectMix::default(), "mix", |draw| ObjectMix {
        instances: draw.between(1, 8) as u32,
        strings: draw.below(8) as u32,
        primitive_arrays: draw.below(8) as u32,
        object_arrays: draw.below(8) as u32,
    };
    /// Elements of an array of a primitive type.
    primitive_lengths: Option<Lengths> = None, "primitive-lengths", |draw| draw_short_lengths(draw);
    /// Elements of an array of objects.
    object_lengths: Option<Lengths> = None, "object-lengths", |draw| draw_short_lengths(draw);
    /// Characters of a string.
    string_lengths: Lengths = Lengths::Uniform(1, 24), "string-lengths", |draw| Lengths::Geometric(draw.below(64));
    /// Share of references that are null.
    nulls: Option<Share> = None, "nulls", |draw| Some(draw_share(draw));
    /// Share of references to addresses without an object.
    dangling: Share = Share::default(), "dangling", |draw| draw_share(draw);
    /// Number of random classes.
    classes: Lengths = Lengths::Uniform(4, 12), "classes", |draw| Lengths::Constant(draw.below(24));
    /// Random classes from the one below java/lang/Object to the deepest, at most: 1 stands for no subclasses.
    depth: Option<u32> = None, "depth", |draw| Some(draw.between(1, 12) as u32);
    /// Instance fields that a random class declares.
    fields: Option<Lengths> = None, "fields", |draw| draw_short_lengths(draw);
    /// Static fields that a random class declares.
    statics: Lengths = Lengths::Uniform(0, 4), "statics", |draw| Lengths::Uniform(0, draw.below(8));
    /// Names of random classes and fields: short ones of one package, as programs have them, with characters beyond
    /// ASCII, or those of a whole program with its methods, source files, lines and threads.
    names: Naming = Naming::Plain, "names", |draw| *draw.pick(&[Naming::Plain, Naming::Java, Naming::Odd]);
    /// Bytes to which a random class's name is made longer, up to 65,000.
    name_lengths: Option<Lengths> = None, "name-lengths", |draw| Some(Lengths::Geometric(draw.below(300)));
    /// Number of class loaders, the first objects of a heap. Each is the parent of the next one.
    loaders: u32 = 2, "loaders", |draw| draw.below(4) as u32;
    /// Number of Java threads.
    threads: Lengths = Lengths::Uniform(1, 3), "java-threads", |draw| Lengths::Constant(draw.below(4));
    /// Frames of a thread's stack.
    frames: Option<Lengths> = None, "frames", |draw| Some(Lengths::Uniform(0, draw.below(8)));
    /// Roots of a thread, besides itself.
    roots: Lengths = Lengths::Uniform(0, 5), "roots", |draw| Lengths::Uniform(0, draw.below(20));
    /// Serial number of the first thread and of the first stack trace.
    serials: Option<u32> = None, "serials", |draw| Some(draw.between(1, 1 << 31) as u32);
    /// Identity hashes: of 32 bits where they are used, or of 16 bits in every object.
    hashes: HashRegime = HashRegime::WhereUsed32, "hashes",
        |draw| *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
    /// Text for the version of the virtual machine.
    version_text: Option<String> = None, "version-text", |draw| Some("x".repeat(draw.below(40) as usize));
    /// Order: objects by address and classes where the writer has them, or partly out of order with classes among them.
    placement: Placement = Placement::Ordered, "order", |draw| *draw.pick(&[Placement::Ordered, Placement::Mixed]);
    /// Java library whose fields java/lang/Class, String, Thread and the like have.
    library: Library = Library::Jdk17, "library", |draw| *draw.pick(&Library::ALL);
    /// What the heap has besides the ordinary; docs/oddities.md has the names.
    oddities: Oddities = Oddities::NONE, "oddities", |draw| {
        let all = Oddity::FORMS.iter().map(|form| form.oddity).filter(|oddity| *oddity != Oddity::HugeArrays);
        all.filter(|_| draw.one_in(8)).collect()
    };
    /// Whether names have only characters of ISO 8859-1, for EBCDIC.
    latin1_names: bool = false, "latin1-names", |draw| draw.one_in(2);
    /// Whether the elements of some primitive arrays are unknown, as Android's dumps can have it.
    bare_arrays: bool = false, "bare-arrays", |draw| draw.one_in(4);
    /// Time stamp of the dump, in milliseconds since 1970-01-01T00:00Z.
    time_stamp: Option<u64> = None, "time-stamp", |draw| Some(draw.below(1 << 41));
    /// What class objects are like: those of primitive types are classes and instance sizes are those in memory (j9), or
    /// those are instances of java/lang/Class and sizes the bytes of the fields (hotspot), which every format records alike.
    class_objects: ClassObjects = ClassObjects::J9, "class-objects",
        |draw| *draw.pick(&[ClassObjects::J9, ClassObjects::HotSpot]);
    /// Parts of the heap whose graph is known in advance, besides the number of objects above; each may have `@` and the kind of
    /// root that holds it.
    shapes: Shapes = Shapes::default(), "shape", |draw| Shapes::draw(draw);
    /// Share of the instances that are collections and boxed numbers of the Java library, with its fields, and of the arrays of
    /// objects that are java/lang/Object[].
    collections: Share = Share::default(), "collections", |draw| draw_share(draw);
    /// Which of the random classes an instance is of, counted from the first: often one of the last (ordinary), or by a
    /// distribution.
    class_use: Option<Lengths> = None, "class-use", |draw| draw_short_lengths(draw);
    /// Share of the random classes that a JVM made of lambda expressions.
    hidden_classes: Share = Share::default(), "hidden-classes", |draw| draw_share(draw);
    /// Share of the random classes whose superclass is java/lang/Object, whatever the depth.
    flat_classes: Share = Share::default(), "flat-classes", |draw| draw_share(draw);
    /// Share of the random classes that have a class of arrays: a third (ordinary), or another one.
    array_classes: Option<Share> = None, "array-classes", |draw| Some(draw_share(draw));
    /// Share of the classes with the static field <resolved_references>, which HotSpot adds.
    resolved_references: Share = Share::default(), "resolved-references", |draw| draw_share(draw);
    /// Share of the strings that are one of a few words of programs.
    common_strings: Share = Share::default(), "common-strings", |draw| draw_share(draw);
    /// Share of the fields of primitive types that are zero, besides those that happen to be.
    zeros: Share = Share::default(), "zeros", |draw| draw_share(draw);
    /// Share of the elements of arrays of objects that are null: that of all references (ordinary), or another one.
    null_elements: Option<Share> = None, "null-elements", |draw| Some(draw_share(draw));
    /// Share of the objects that one of the objects near by owns: a reference that no other object has, so that most objects
    /// have one reference. Of a large heap's blocks, arrays hold what is left.
    owned: Share = Share::default(), "owned", |draw| draw_share(draw);
    /// Share of the references that are not an owner's, to one of the few objects that many refer to.
    popular: Share = Share::default(), "popular", |draw| draw_share(draw);
    /// Roots in the Java frames of a thread, besides the others.
    locals: Option<Lengths> = None, "locals", |draw| draw_short_lengths(draw);
    /// Share of the objects that have an identity hash, where not every one has: a sixth (ordinary), or another one.
    hashed: Option<Share> = None, "hashed", |draw| Some(draw_share(draw));
    /// Whether references take 4 bytes in objects though words have 64 bits, as where a JVM compresses them.
    compressed: bool = false, "compressed-references", |draw| draw.one_in(2);
    /// Texts that nothing in the dump names, as the table of a JVM's symbols has them; where the dump is in its writer's
    /// order.
    unused_texts: u32 = 0, "unused-texts", |draw| draw.below(64) as u32;
    /// Share of the strings that are no words and have characters beyond ASCII: of ISO 8859-1, or of every plane of Unicode with now
    /// and then a surrogate without a partner.
    wide_strings: Share = Share::default(), "wide-strings", |draw| draw_share(draw);
    /// Bytes of memory that classes, threads and drawn objects may take, by an estimate from the other options; a heap that would
    /// take more is refused.
    budget: u64 = BUDGET, "budget", |draw| BUDGET + draw.below(BUDGET);
}

/// The memory budget of a heap by default: 2 GB.
const BUDGET: u64 = 2_000_000_000;

/// The last row that the swarm draws: later rows do not change the meaning of existing recipes.
const LAST_OF_SWARM: &str = "class-objects";

/// Draws short lengths, which suit fuzzers.
fn draw_short_lengths(draw: &mut dyn Draw) -> Option<Lengths> {
    Some(match draw.below(4) {
        0 => Lengths::Constant(draw.below(10)),
        1 => Lengths::Uniform(0, draw.below(20)),
        2 => Lengths::Geometric(draw.below(10)),
        _ => Lengths::Power(1, draw.between(1, 300)),
    })
}

fn draw_share(draw: &mut dyn Draw) -> Share {
    Share::millionths(draw.below(1_000_001) as u32)
}

/// An option of the generator, as declared by its row.
#[derive(Debug)]
pub struct GenerateOption {
    key: &'static str,
    help: &'static [&'static str],
    form: fn() -> ValueForm,
    text: fn(&GenerateOptions) -> String,
    read: fn(&mut GenerateOptions, &str) -> bool,
    draw: fn(&mut GenerateOptions, &mut dyn Draw),
}

impl GenerateOption {
    /// Every option, in the order of declaration.
    pub fn rows() -> impl Iterator<Item = &'static GenerateOption> + Clone {
        ROWS.iter()
    }

    /// The option with a key.
    pub fn named(key: &str) -> Option<&'static GenerateOption> {
        ROWS.iter().find(|row| row.key == key)
    }

    /// The error for an unknown key, with the nearest keys; `more` are known besides the rows.
    pub fn unknown<'k>(key: &str, more: impl IntoIterator<Item = &'k str>) -> Error {
        let next = "`heapsmith generate --help` shows all";
        unknown("option", key, ROWS.iter().map(|row| row.key).chain(more), next)
    }

    /// The option's name in flags, files and recipes.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// A description in a sentence or two.
    pub fn help(&self) -> String {
        self.help.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }

    /// A short description of its values.
    pub fn values(&self) -> String {
        (self.form)().brief()
    }

    /// Whether it is a list, whose items may be given one by one.
    pub fn is_list(&self) -> bool {
        (self.form)().is_list()
    }

    /// The names of its values, if each has a name.
    pub fn names(&self) -> Option<Vec<&'static str>> {
        (self.form)().names().map(<[&str]>::to_vec)
    }

    /// The JSON schema of its values.
    pub fn schema(&self) -> serde_json::Value {
        (self.form)().schema()
    }

    /// The text of the option's value.
    pub fn text(&self, options: &GenerateOptions) -> String {
        (self.text)(options)
    }

    /// Sets the option to the value of a text.
    ///
    /// # Errors
    /// If it has no such value.
    pub fn set(&self, options: &mut GenerateOptions, text: &str) -> Result<(), Error> {
        if (self.read)(options, text) {
            return Ok(());
        }
        Err(Error::Usage(format!("{}: {}", self.key, (self.form)().refusal(text))))
    }
}

impl GenerateOptions {
    /// Draws options from a fuzzer's bytes: half of them are the defaults.
    pub fn draw(draw: &mut dyn Draw) -> GenerateOptions {
        let mut options = GenerateOptions::default();
        for row in ROWS {
            if draw.one_in(2) {
                (row.draw)(&mut options, draw);
            }
        }
        options
    }

    /// These options with half of them drawn. Options whose keys are kept stay, and do not affect the others.
    pub(crate) fn swarm(&self, is_kept: impl Fn(&str) -> bool, draw: &mut dyn Draw) -> GenerateOptions {
        let mut options = self.clone();
        let last = ROWS.iter().position(|row| row.key == LAST_OF_SWARM).unwrap_or_default();
        for row in &ROWS[..=last] {
            let is_drawn = draw.one_in(2);
            let mut drawn = options.clone();
            (row.draw)(&mut drawn, draw);
            if is_drawn && !is_kept(row.key) {
                options = drawn;
            }
        }
        options
    }

    /// Sets the option of a key to the value of a text.
    ///
    /// # Errors
    /// If there is no such option, or it has no such value.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), Error> {
        GenerateOption::named(key).ok_or_else(|| GenerateOption::unknown(key, []))?.set(self, text)
    }

    /// The text of an option's value, if there is an option of this key.
    pub fn get(&self, key: &str) -> Option<String> {
        GenerateOption::named(key).map(|row| row.text(self))
    }

    /// The options whose values differ from those of other options, each with the text of its value.
    pub fn differences_from(&self, others: &GenerateOptions) -> Vec<(&'static str, String)> {
        let texts = ROWS.iter().map(|row| (row.key, row.text(self), row.text(others)));
        texts.filter(|(_, own, other)| own != other).map(|(key, own, _)| (key, own)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{DrawStream, SeedDraw};

    #[test]
    fn every_option_is_read_as_it_is_written() {
        for seed in 0..500 {
            let drawn = GenerateOptions::draw(&mut SeedDraw::new(seed, DrawStream::Heap));
            let mut read = GenerateOptions::default();
            for (key, text) in drawn.differences_from(&GenerateOptions::default()) {
                read.set(key, &text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            }
            assert_eq!(read, drawn, "seed {seed}");
        }
    }

    #[test]
    fn the_swarm_draws_the_options_up_to_the_class_objects() {
        let last = ROWS.iter().position(|row| row.key == LAST_OF_SWARM).expect("a row");
        let plain = GenerateOptions::default();
        for seed in 0..50 {
            let drawn = plain.swarm(|_| false, &mut SeedDraw::new(seed, DrawStream::Swarm));
            let later = ROWS[last + 1..].iter().find(|row| row.text(&drawn) != row.text(&plain));
            assert!(later.is_none(), "seed {seed}: {later:?}");
        }
    }

    #[test]
    fn every_option_can_be_drawn_and_has_a_key_of_its_own() {
        let mut keys: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
        for row in ROWS {
            assert!(row.key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", row.key);
            assert!(row.help().ends_with('.'), "{}", row.key);
            let mut draw = SeedDraw::new(5, DrawStream::Heap);
            let default = row.text(&GenerateOptions::default());
            let is_drawn = (0..100).any(|_| {
                let mut options = GenerateOptions::default();
                (row.draw)(&mut options, &mut draw);
                row.text(&options) != default
            });
            assert!(is_drawn, "{} is never drawn", row.key);
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), ROWS.len());
    }

    #[test]
    fn names_unknown_options_and_values() {
        let mut options = GenerateOptions::default();
        let error = options.set("object", "3").expect_err("no such option").to_string();
        assert!(error.starts_with("unknown option \"object\"; "), "{error}");
        let error = options.set("objects", "many").expect_err("no count").to_string();
        assert_eq!(error, "objects: expected a count, such as 1000, 20_000, 1e6 or 6.5e7, found \"many\"");
        assert_eq!(options, GenerateOptions::default());
    }
}
