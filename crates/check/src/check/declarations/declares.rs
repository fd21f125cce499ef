//! The keys of an answer to `hello`, and of a pair of `converts`, that [`DECLARATIONS`] lists.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::check::declarations::{DECLARATIONS, Declaration, MAKES_UP, READINGS};

/// Declared choices: any number for a key with a list, one for another key, unless it is the default. With `OF_DUMPS`,
/// those of a pair of `converts`, which has fewer keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Declares<const OF_DUMPS: bool = false> {
    chosen: BTreeMap<&'static str, Vec<usize>>,
    unknown: Vec<(&'static str, String)>,
}

impl<const OF_DUMPS: bool> Declares<OF_DUMPS> {
    /// The places of declared choices of a key; empty for the default.
    pub(in crate::check) fn chosen(&self, key: &str) -> &[usize] {
        self.chosen.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a choice is declared of a key.
    pub(in crate::check) fn has(&self, key: &str, choice: &str) -> bool {
        let place = Declaration::find(key).and_then(|declaration| declaration.choice(choice));
        place.is_some_and(|place| self.chosen(key).contains(&place))
    }

    /// The name of the declared choice of a key that is not a list.
    pub(in crate::check) fn name(&self, key: &str) -> &'static str {
        let place = self.chosen(key).first().copied().unwrap_or_default();
        Declaration::find(key).map_or("", |declaration| declaration.choices[place].name)
    }

    /// All readings among these keys, by name; undeclared ones have the first choice.
    pub(in crate::check) fn readings(&self) -> BTreeMap<String, String> {
        READINGS.into_iter().map(|key| (key.to_owned(), self.name(key).to_owned())).collect()
    }

    /// The declared readings only, for a program that need not declare any.
    pub(in crate::check) fn declared_readings(&self) -> BTreeMap<String, String> {
        self.readings().into_iter().filter(|(key, _)| !self.chosen(key).is_empty()).collect()
    }

    /// Unknown names in lists, each with its key.
    pub(in crate::check) fn unknown(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.unknown.iter().map(|(key, name)| (*key, name.as_str()))
    }

    pub(in crate::check) fn unknown_mut(&mut self) -> &mut Vec<(&'static str, String)> {
        &mut self.unknown
    }

    /// Adds what a text says of a key, with commas between the names of a list.
    ///
    /// # Errors
    /// If there is no such key, or no such choice.
    pub fn declare(&mut self, key: &str, text: &str) -> Result<(), String> {
        let known = || DECLARATIONS.iter().map(|declaration| declaration.key).collect::<Vec<_>>().join(", ");
        let declaration = Declaration::find(key).ok_or_else(|| format!("{key:?}: expected one of {}", known()))?;
        let names = text.split(',').map(|name| Value::String(name.to_owned()));
        let value = if declaration.is_list { Value::Array(names.collect()) } else { Value::String(text.to_owned()) };
        let unknown = self.unknown.len();
        self.insert(declaration, value)?;
        match self.unknown.get(unknown) {
            Some((_, name)) => Err(choice_error(declaration, name)),
            None => Ok(()),
        }
    }

    /// The declarations that version 1 of the protocol has; the rest is set in favour of the implementation.
    pub(in crate::check) fn into_version_1(mut self) -> Self {
        self.chosen.retain(|key, _| Declaration::find(key).is_some_and(|declaration| declaration.since < 2));
        self.chosen.insert(MAKES_UP, vec![0]);
        self
    }

    fn insert(&mut self, declaration: &'static Declaration, value: Value) -> Result<(), String> {
        let name = |value: Value| match value {
            Value::String(name) => Ok(name),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(choice_error(declaration, &other.to_string())),
        };
        let mut chosen = Vec::new();
        match value {
            Value::Array(names) if declaration.is_list => {
                for value in names {
                    let name = name(value)?;
                    match declaration.choice(&name) {
                        Some(place) => chosen.push(place),
                        None => self.unknown.push((declaration.key, name)),
                    }
                }
            }
            value if !declaration.is_list => {
                let name = name(value)?;
                let place = declaration.choice(&name).ok_or_else(|| choice_error(declaration, &name))?;
                chosen.extend((place > 0).then_some(place));
            }
            other => return Err(choice_error(declaration, &other.to_string())),
        }
        chosen.sort_unstable();
        chosen.dedup();
        match chosen.is_empty() {
            true => _ = self.chosen.remove(declaration.key),
            false => _ = self.chosen.insert(declaration.key, chosen),
        }
        Ok(())
    }
}

/// The error of a declaration.
fn choice_error(declaration: &Declaration, found: &str) -> String {
    let names: Vec<&str> = declaration.choices.iter().map(|choice| choice.name).collect();
    let expected = if declaration.is_list { "a list of names among" } else { "one of" };
    format!("`{}`: expected {expected} {}; found {found}", declaration.key, names.join(", "))
}

/// The declarations of an adapter, or those of a pair of `converts`.
fn declarations(of_dumps: bool) -> impl Iterator<Item = &'static Declaration> {
    DECLARATIONS.iter().filter(move |declaration| !of_dumps || declaration.of_dumps)
}

/// A choice in JSON: a number if it is one.
fn choice_json(choice: &str) -> Value {
    choice.parse::<u64>().map_or_else(|_| choice.into(), Value::from)
}

impl<const OF_DUMPS: bool> Serialize for Declares<OF_DUMPS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for declaration in declarations(OF_DUMPS) {
            let chosen = self.chosen(declaration.key);
            let names: Vec<Value> = chosen.iter().map(|place| choice_json(declaration.choices[*place].name)).collect();
            match (declaration.is_list, chosen.is_empty()) {
                // What version 1 had is always there.
                (false, _) if declaration.since < 2 => {
                    map.serialize_entry(declaration.key, self.name(declaration.key))?
                }
                (_, true) => {}
                (true, false) => map.serialize_entry(declaration.key, &names)?,
                (false, false) => map.serialize_entry(declaration.key, &names[0])?,
            }
        }
        map.end()
    }
}

impl<'de, const OF_DUMPS: bool> Deserialize<'de> for Declares<OF_DUMPS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DeclaresVisitor<const OF_DUMPS: bool>;

        impl<'de, const OF_DUMPS: bool> Visitor<'de> for DeclaresVisitor<OF_DUMPS> {
            type Value = Declares<OF_DUMPS>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("keys of specs/adapter.md")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut declares = Declares::default();
                while let Some(key) = map.next_key::<String>()? {
                    match declarations(OF_DUMPS).find(|declaration| declaration.key == key) {
                        Some(declaration) => {
                            declares.insert(declaration, map.next_value()?).map_err(A::Error::custom)?;
                        }
                        None => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(declares)
            }
        }

        deserializer.deserialize_map(DeclaresVisitor)
    }
}

impl<const OF_DUMPS: bool> JsonSchema for Declares<OF_DUMPS> {
    fn schema_name() -> Cow<'static, str> {
        if OF_DUMPS { "DeclaresOfDumps".into() } else { "Declares".into() }
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for declaration in declarations(OF_DUMPS) {
            let choice = |choice: &heapsmith_core::family::case::ReadingChoice| {
                let name = choice_json(choice.name);
                serde_json::json!({ "description": choice.about, "const": name })
            };
            let choices: Vec<Value> = declaration.choices.iter().map(choice).collect();
            let about = format!("{}.", declaration.about);
            let schema = match declaration.is_list {
                true => serde_json::json!({ "description": about, "type": "array", "items": { "oneOf": choices } }),
                false => serde_json::json!({ "description": about, "oneOf": choices }),
            };
            properties.insert(declaration.key.to_owned(), schema);
        }
        json_schema!({ "type": "object", "properties": properties })
    }
}
