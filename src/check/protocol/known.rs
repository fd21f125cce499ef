//! Lists of names, to which a later version may add.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A list of names: known ones as values, and unknown ones as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Known<T> {
    known: Vec<T>,
    unknown: Vec<String>,
}

impl<T> Known<T> {
    /// Unknown names.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Whether there is no name at all.
    pub fn is_nothing(&self) -> bool {
        self.known.is_empty() && self.unknown.is_empty()
    }

    pub(in crate::check) fn unknown_mut(&mut self) -> &mut Vec<String> {
        &mut self.unknown
    }
}

impl<T> Default for Known<T> {
    fn default() -> Known<T> {
        Known::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for Known<T> {
    fn from(known: Vec<T>) -> Known<T> {
        Known { known, unknown: Vec::new() }
    }
}

impl<T> Deref for Known<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.known
    }
}

impl<T> DerefMut for Known<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.known
    }
}

impl<T: Serialize> Serialize for Known<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.known.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Known<T>, D::Error> {
        let mut list = Known::default();
        for name in Vec::<String>::deserialize(deserializer)? {
            match serde_json::from_value(Value::String(name.clone())) {
                Ok(known) => list.known.push(known),
                Err(_) => list.unknown.push(name),
            }
        }
        Ok(list)
    }
}

impl<T: JsonSchema> JsonSchema for Known<T> {
    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        Vec::<T>::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}
