//! Types of option values: how each is written, read and described.

use serde_json::{Value as Json, json};

use crate::model::{HashRegime, WordSize};

use super::{AddressSpace, ClassObjects, Lengths, Mix, Naming, Placement, Share};
use crate::generate::library::Library;
use crate::generate::numbers::{JOIN, count, count_text};
use crate::generate::oddity::{Oddities, Oddity};
use crate::generate::shape::{ShapeForm, Shapes};

/// A value that text spells: the text is the same in flags, files and recipes.
pub(super) trait Kind: Sized {
    /// The form of its values.
    fn form() -> Form;

    /// The value of a text, if it is one.
    fn read(text: &str) -> Option<Self>;

    /// The text of a value.
    fn text(&self) -> String;
}

/// The form of an option's values.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Counts, up to a greatest one.
    Count(u64),
    /// Fractions of one.
    Share,
    /// Distributions of lengths.
    Lengths,
    /// Weights.
    Mix,
    /// One name of several.
    Choice(Vec<&'static str>),
    /// A list of names.
    List(Vec<&'static str>),
    /// Shapes, each with parameters.
    Shapes,
    /// Yes or no.
    Flag,
    /// Any text.
    Text,
    /// The generator's own choice, or a value of another form.
    OrOrdinary(Box<Form>),
}

impl Form {
    /// A description of the values for people.
    pub(super) fn described(&self) -> String {
        match self {
            Form::Count(_) => "a count, such as 1000, 20_000, 1e6 or 6.5e7".to_owned(),
            Form::Share => "a share from 0 to 1, such as 0.25".to_owned(),
            Form::Lengths => format!("a distribution: {}", Lengths::SPELLINGS.map(|(spelling, _)| spelling).join(", ")),
            Form::Mix => {
                "weights of instances, strings, primitive arrays and object arrays, such as 4:1:2:1".to_owned()
            }
            Form::Choice(names) => alternatives(names),
            Form::List(_) => format!("{NONE}, or names joined by {JOIN}"),
            Form::Shapes => format!("{NONE}, or shapes joined by {JOIN}: {}", ShapeForm::spellings().join(", ")),
            Form::Flag => alternatives(&[YES, NO]),
            Form::Text => "any text".to_owned(),
            Form::OrOrdinary(form) => format!("{ORDINARY}, or {}", form.described()),
        }
    }

    /// A shorter description, for tables and help.
    pub(super) fn brief(&self) -> String {
        match self {
            Form::Lengths => "a distribution".to_owned(),
            Form::OrOrdinary(form) => format!("{ORDINARY}, or {}", form.brief()),
            Form::Count(_) => "a count".to_owned(),
            Form::Share => "a share".to_owned(),
            Form::Mix => "four weights".to_owned(),
            Form::Shapes => format!("{NONE}, or shapes joined by {JOIN}"),
            other => other.described(),
        }
    }

    /// The message for a text that is no value.
    pub(super) fn refused(&self, text: &str) -> String {
        let shapes = matches!(self, Form::Shapes).then(|| Shapes::joined(text).err()).flatten();
        shapes.unwrap_or_else(|| format!("expected {}, found {text:?}", self.described()))
    }

    /// Whether values are lists.
    pub(super) fn is_list(&self) -> bool {
        matches!(self, Form::List(_) | Form::Shapes)
    }

    /// The names that may be written, if these are all.
    pub(super) fn names(&self) -> Option<&[&'static str]> {
        match self {
            Form::Choice(names) => Some(names),
            Form::Flag => Some(&[YES, NO]),
            _ => None,
        }
    }

    /// The JSON schema of a value in a file.
    pub(super) fn schema(&self) -> Json {
        let number_or_text = |number: Json| json!({ "anyOf": [number, { "type": "string" }] });
        match self {
            Form::Count(most) => number_or_text(json!({ "type": "integer", "minimum": 0, "maximum": most })),
            Form::Share => number_or_text(json!({ "type": "number", "minimum": 0, "maximum": 1 })),
            Form::Lengths => number_or_text(json!({ "type": "integer", "minimum": 0, "maximum": Lengths::MOST })),
            Form::Mix | Form::Text => json!({ "type": "string" }),
            Form::Choice(names) => {
                // Where names are numbers, a file may have them as such.
                let numbers = names.iter().filter_map(|name| name.parse::<u64>().ok()).map(Json::from);
                let all: Vec<Json> = names.iter().map(|name| Json::from(*name)).chain(numbers).collect();
                json!({ "enum": all })
            }
            Form::List(names) => json!({ "type": "array", "items": { "enum": names }, "uniqueItems": true }),
            Form::Shapes => {
                let shape = json!({ "type": "string", "pattern": ShapeForm::pattern() });
                json!({ "anyOf": [{ "type": "array", "items": shape }, { "type": "string" }] })
            }
            Form::Flag => json!({ "type": "boolean" }),
            Form::OrOrdinary(form) => json!({ "anyOf": [{ "const": ORDINARY }, form.schema()] }),
        }
    }
}

/// The generator's own choice.
const ORDINARY: &str = "ordinary";
/// An empty list.
const NONE: &str = "none";
const YES: &str = "yes";
const NO: &str = "no";

/// The text of a list of names.
pub(super) fn list(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { NONE.to_owned() } else { names.join(&JOIN.to_string()) }
}

fn alternatives(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

impl<K: Kind> Kind for Option<K> {
    fn form() -> Form {
        Form::OrOrdinary(Box::new(K::form()))
    }

    fn read(text: &str) -> Option<Option<K>> {
        if text == ORDINARY { Some(None) } else { K::read(text).map(Some) }
    }

    fn text(&self) -> String {
        self.as_ref().map_or_else(|| ORDINARY.to_owned(), K::text)
    }
}

impl Kind for usize {
    fn form() -> Form {
        Form::Count(MOST)
    }

    fn read(text: &str) -> Option<usize> {
        count(text).filter(|count| *count <= MOST)?.try_into().ok()
    }

    fn text(&self) -> String {
        count_text(*self as u64)
    }
}

/// The most objects: more would not fit into addresses of 64 bits.
const MOST: u64 = 1 << 37;

/// Implementations for types whose values are counts.
macro_rules! counts {
    ($($kind:ident)*) => {$(
        impl Kind for $kind {
            fn form() -> Form {
                Form::Count($kind::MAX.into())
            }

            fn read(text: &str) -> Option<$kind> {
                count(text)?.try_into().ok()
            }

            fn text(&self) -> String {
                count_text((*self).into())
            }
        }
    )*};
}

counts! { u32 u64 }

/// Implementations for types that read and write their own values.
macro_rules! spelled {
    ($($kind:ident)*) => {$(
        impl Kind for $kind {
            fn form() -> Form {
                Form::$kind
            }

            fn read(text: &str) -> Option<$kind> {
                $kind::read(text)
            }

            fn text(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

spelled! { Share Lengths }

impl Kind for Mix {
    fn form() -> Form {
        Form::Mix
    }

    fn read(text: &str) -> Option<Mix> {
        let weights: Option<Vec<u32>> = text.split(':').map(|weight| count(weight)?.try_into().ok()).collect();
        let [instances, strings, primitive_arrays, object_arrays] = weights?.try_into().ok()?;
        let mix = Mix { instances, strings, primitive_arrays, object_arrays };
        (mix.sum() > 0).then_some(mix)
    }

    fn text(&self) -> String {
        format!("{}:{}:{}:{}", self.instances, self.strings, self.primitive_arrays, self.object_arrays)
    }
}

impl Kind for bool {
    fn form() -> Form {
        Form::Flag
    }

    fn read(text: &str) -> Option<bool> {
        match text {
            YES | "true" => Some(true),
            NO | "false" => Some(false),
            _ => None,
        }
    }

    fn text(&self) -> String {
        if *self { YES } else { NO }.to_owned()
    }
}

impl Kind for String {
    fn form() -> Form {
        Form::Text
    }

    fn read(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn text(&self) -> String {
        self.clone()
    }
}

impl Kind for Oddities {
    fn form() -> Form {
        Form::List(Oddity::FORMS.iter().map(|form| form.name).collect())
    }

    fn read(text: &str) -> Option<Oddities> {
        if text == NONE { Some(Oddities::NONE) } else { text.split(JOIN).map(Oddity::named).collect() }
    }

    fn text(&self) -> String {
        list(&self.iter().map(Oddity::name).collect::<Vec<_>>())
    }
}

impl Kind for Shapes {
    fn form() -> Form {
        Form::Shapes
    }

    fn read(text: &str) -> Option<Shapes> {
        if text == NONE { Some(Shapes::default()) } else { Shapes::joined(text).ok() }
    }

    fn text(&self) -> String {
        list(&self.iter().map(ToString::to_string).collect::<Vec<_>>())
    }
}

/// Implementations for enumerations whose values have names.
macro_rules! choices {
    ($($kind:ident { $($value:ident = $name:literal),* $(,)? })*) => {$(
        impl Kind for $kind {
            fn form() -> Form {
                Form::Choice(vec![$($name),*])
            }

            fn read(text: &str) -> Option<$kind> {
                match text {
                    $($name => Some($kind::$value),)*
                    _ => None,
                }
            }

            fn text(&self) -> String {
                match self {
                    $($kind::$value => $name,)*
                }
                .to_owned()
            }
        }
    )*};
}

choices! {
    WordSize { Bits32 = "32", Bits64 = "64" }
    HashRegime { WhereUsed32 = "32", Every16 = "16" }
    Placement { Ordered = "ordered", Mixed = "mixed" }
    AddressSpace {
        Memory = "ordinary",
        Dense = "dense",
        Sparse = "sparse",
        Above4G = "above-4g",
        Across4G = "wrapping-4g",
        Unaligned = "unaligned",
        Edges = "edges",
        Numbers = "numbers",
        Ranges = "ranges",
    }
    ClassObjects { J9 = "j9", HotSpot = "hotspot" }
    Naming { Plain = "plain", Java = "java", Odd = "odd", Program = "program" }
    Library {
        Jdk6 = "jdk-6",
        Jdk8 = "jdk-8",
        Jdk11 = "jdk-11",
        Jdk17 = "jdk-17",
        Jdk17Declared = "jdk-17-declared",
        Jdk21 = "jdk-21",
        Jdk25 = "jdk-25",
        Android = "android",
        J9 = "j9",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_choices_have_names() {
        let text = "nul-names+high-hash";
        assert_eq!(Oddities::read(text).map(|oddities| oddities.text()).as_deref(), Some(text));
        assert_eq!(Oddities::read("none"), Some(Oddities::NONE));
        assert_eq!(Oddities::read("nul-names+"), None);
        assert_eq!(Option::<Naming>::read("ordinary"), Some(None));
        assert_eq!(Mix::read("4:1:2:1"), Some(Mix::default()));
        assert_eq!(Mix::read("0:0:0:0"), None);
        assert_eq!(Mix::read("1:2:3"), None);
    }
}
