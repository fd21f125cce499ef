//! Lists of names, to which a later version may add.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A list of names: known ones as values, and unknown ones as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KnownNames<T> {
    known: Vec<T>,
    unknown: Vec<String>,
}

impl<T> KnownNames<T> {
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

impl<T> Default for KnownNames<T> {
    fn default() -> KnownNames<T> {
        KnownNames::from(Vec::new())
    }
}

impl<T> From<Vec<T>> for KnownNames<T> {
    fn from(known: Vec<T>) -> KnownNames<T> {
        KnownNames { known, unknown: Vec::new() }
    }
}

impl<T> Deref for KnownNames<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.known
    }
}

impl<T> DerefMut for KnownNames<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.known
    }
}

impl<T: Serialize> Serialize for KnownNames<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.known.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for KnownNames<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KnownNames<T>, D::Error> {
        let mut list = KnownNames::default();
        for name in Vec::<String>::deserialize(deserializer)? {
            match serde_json::from_value(Value::String(name.clone())) {
                Ok(known) => list.known.push(known),
                Err(_) => list.unknown.push(name),
            }
        }
        Ok(list)
    }
}

impl<T: JsonSchema> JsonSchema for KnownNames<T> {
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
