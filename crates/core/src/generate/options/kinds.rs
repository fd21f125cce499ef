//! Types of option values: how each is written, read and described.

use serde_json::{Value as Json, json};

use crate::model::{HashRegime, WordSize};

use super::{AddressSpace, ClassObjects, Lengths, Naming, ObjectMix, Placement, Share};
use crate::generate::library::Library;
use crate::generate::numbers::{JOIN, count_text, parse_count};
use crate::generate::oddity::{Oddities, Oddity};
use crate::generate::shape::{ShapeForm, Shapes};

/// A value that text spells: the text is the same in flags, files and recipes.
pub(super) trait OptionValue: Sized {
    /// The form of its values.
    fn form() -> ValueForm;

    /// The value of a text, if it is one.
    fn read(text: &str) -> Option<Self>;

    /// The text of a value.
    fn text(&self) -> String;
}

/// The form of an option's values.
#[derive(Clone, Debug)]
pub(super) enum ValueForm {
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
    OrOrdinary(Box<ValueForm>),
}

impl ValueForm {
    /// A description of the values for people.
    pub(super) fn description(&self) -> String {
        match self {
            ValueForm::Count(_) => "a count, such as 1000, 20_000, 1e6 or 6.5e7".to_owned(),
            ValueForm::Share => "a share from 0 to 1, such as 0.25".to_owned(),
            ValueForm::Lengths => {
                format!("a distribution: {}", Lengths::SPELLINGS.map(|(spelling, _)| spelling).join(", "))
            }
            ValueForm::Mix => {
                "weights of instances, strings, primitive arrays and object arrays, such as 4:1:2:1".to_owned()
            }
            ValueForm::Choice(names) => alternatives(names),
            ValueForm::List(_) => format!("{NONE}, or names joined by {JOIN}"),
            ValueForm::Shapes => format!("{NONE}, or shapes joined by {JOIN}: {}", ShapeForm::spellings().join(", ")),
            ValueForm::Flag => alternatives(&[YES, NO]),
            ValueForm::Text => "any text".to_owned(),
            ValueForm::OrOrdinary(form) => format!("{ORDINARY}, or {}", form.description()),
        }
    }

    /// A shorter description, for tables and help.
    pub(super) fn brief(&self) -> String {
        match self {
            ValueForm::Lengths => "a distribution".to_owned(),
            ValueForm::OrOrdinary(form) => format!("{ORDINARY}, or {}", form.brief()),
            ValueForm::Count(_) => "a count".to_owned(),
            ValueForm::Share => "a share".to_owned(),
            ValueForm::Mix => "four weights".to_owned(),
            ValueForm::Shapes => format!("{NONE}, or shapes joined by {JOIN}"),
            other => other.description(),
        }
    }

    /// The message for a text that is no value.
    pub(super) fn refusal(&self, text: &str) -> String {
        let shapes = matches!(self, ValueForm::Shapes).then(|| Shapes::parse(text).err()).flatten();
        shapes.unwrap_or_else(|| format!("expected {}, found {text:?}", self.description()))
    }

    /// Whether values are lists.
    pub(super) fn is_list(&self) -> bool {
        matches!(self, ValueForm::List(_) | ValueForm::Shapes)
    }

    /// The names that may be written, if these are all.
    pub(super) fn names(&self) -> Option<&[&'static str]> {
        match self {
            ValueForm::Choice(names) => Some(names),
            ValueForm::Flag => Some(&[YES, NO]),
            _ => None,
        }
    }

    /// The JSON schema of a value in a file.
    pub(super) fn schema(&self) -> Json {
        let number_or_text = |number: Json| json!({ "anyOf": [number, { "type": "string" }] });
        match self {
            ValueForm::Count(most) => number_or_text(json!({ "type": "integer", "minimum": 0, "maximum": most })),
            ValueForm::Share => number_or_text(json!({ "type": "number", "minimum": 0, "maximum": 1 })),
            ValueForm::Lengths => number_or_text(json!({ "type": "integer", "minimum": 0, "maximum": Lengths::MOST })),
            ValueForm::Mix | ValueForm::Text => json!({ "type": "string" }),
            ValueForm::Choice(names) => {
                // Where names are numbers, a file may have them as such.
                let numbers = names.iter().filter_map(|name| name.parse::<u64>().ok()).map(Json::from);
                let all: Vec<Json> = names.iter().map(|name| Json::from(*name)).chain(numbers).collect();
                json!({ "enum": all })
            }
            ValueForm::List(names) => json!({ "type": "array", "items": { "enum": names }, "uniqueItems": true }),
            ValueForm::Shapes => {
                let shape = json!({ "type": "string", "pattern": ShapeForm::pattern() });
                json!({ "anyOf": [{ "type": "array", "items": shape }, { "type": "string" }] })
            }
            ValueForm::Flag => json!({ "type": "boolean" }),
            ValueForm::OrOrdinary(form) => json!({ "anyOf": [{ "const": ORDINARY }, form.schema()] }),
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
pub(super) fn join_names(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { NONE.to_owned() } else { names.join(&JOIN.to_string()) }
}

fn alternatives(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

impl<K: OptionValue> OptionValue for Option<K> {
    fn form() -> ValueForm {
        ValueForm::OrOrdinary(Box::new(K::form()))
    }

    fn read(text: &str) -> Option<Option<K>> {
        if text == ORDINARY { Some(None) } else { K::read(text).map(Some) }
    }

    fn text(&self) -> String {
        self.as_ref().map_or_else(|| ORDINARY.to_owned(), K::text)
    }
}

impl OptionValue for usize {
    fn form() -> ValueForm {
        ValueForm::Count(MOST)
    }

    fn read(text: &str) -> Option<usize> {
        parse_count(text).filter(|count| *count <= MOST)?.try_into().ok()
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
        impl OptionValue for $kind {
            fn form() -> ValueForm {
                ValueForm::Count($kind::MAX.into())
            }

            fn read(text: &str) -> Option<$kind> {
                parse_count(text)?.try_into().ok()
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
        impl OptionValue for $kind {
            fn form() -> ValueForm {
                ValueForm::$kind
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

impl OptionValue for ObjectMix {
    fn form() -> ValueForm {
        ValueForm::Mix
    }

    fn read(text: &str) -> Option<ObjectMix> {
        let weights: Option<Vec<u32>> = text.split(':').map(|weight| parse_count(weight)?.try_into().ok()).collect();
        let [instances, strings, primitive_arrays, object_arrays] = weights?.try_into().ok()?;
        let mix = ObjectMix { instances, strings, primitive_arrays, object_arrays };
        (mix.sum() > 0).then_some(mix)
    }

    fn text(&self) -> String {
        format!("{}:{}:{}:{}", self.instances, self.strings, self.primitive_arrays, self.object_arrays)
    }
}

impl OptionValue for bool {
    fn form() -> ValueForm {
        ValueForm::Flag
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

impl OptionValue for String {
    fn form() -> ValueForm {
        ValueForm::Text
    }

    fn read(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn text(&self) -> String {
        self.clone()
    }
}

impl OptionValue for Oddities {
    fn form() -> ValueForm {
        ValueForm::List(Oddity::FORMS.iter().map(|form| form.name).collect())
    }

    fn read(text: &str) -> Option<Oddities> {
        if text == NONE { Some(Oddities::NONE) } else { text.split(JOIN).map(Oddity::named).collect() }
    }

    fn text(&self) -> String {
        join_names(&self.iter().map(Oddity::name).collect::<Vec<_>>())
    }
}

impl OptionValue for Shapes {
    fn form() -> ValueForm {
        ValueForm::Shapes
    }

    fn read(text: &str) -> Option<Shapes> {
        if text == NONE { Some(Shapes::default()) } else { Shapes::parse(text).ok() }
    }

    fn text(&self) -> String {
        join_names(&self.iter().map(ToString::to_string).collect::<Vec<_>>())
    }
}

/// Implementations for enumerations whose values have names.
macro_rules! choices {
    ($($kind:ident { $($value:ident = $name:literal),* $(,)? })*) => {$(
        impl OptionValue for $kind {
            fn form() -> ValueForm {
                ValueForm::Choice(vec![$($name),*])
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
        assert_eq!(ObjectMix::read("4:1:2:1"), Some(ObjectMix::default()));
        assert_eq!(ObjectMix::read("0:0:0:0"), None);
        assert_eq!(ObjectMix::read("1:2:3"), None);
    }
}
