//! Lines and parts of lines whose keys are the rows of [`Described`]: writing, reading, and the schema.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::compare::spelled_value::SpelledValue;
use crate::model::Value;

use super::{Described, FactWalk, GetFact, KeyPresence, ListingKey, ListingValue, SetField};

/// The place of a class or object in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordPlace {
    /// Index of the record.
    pub record: u64,
    /// Offset in bytes.
    pub offset: Option<u64>,
}

/// An entry of a heap as a JSON object, for one of the kinds of line that such an entry may have.
#[derive(Clone, Debug)]
pub struct Keyed<'e, E: Clone, const LINE: u8 = 0> {
    entry: Cow<'e, E>,
    /// Index of its record, if known.
    pub(in crate::compare) record: Option<u64>,
    offset: Option<u64>,
    /// Whether it was read without a value of the key `name`.
    pub(in crate::compare) nameless: bool,
}

impl<'e, E: Described, const LINE: u8> Keyed<'e, E, LINE> {
    /// An entry with its place in the file.
    pub(in crate::compare) fn at_place(entry: &'e E, place: RecordPlace) -> Keyed<'e, E, LINE> {
        Keyed { entry: Cow::Borrowed(entry), record: Some(place.record), offset: place.offset, nameless: false }
    }

    /// An entry that was created for its line.
    pub(in crate::compare) fn from_entry(entry: E) -> Keyed<'e, E, LINE> {
        Keyed { entry: Cow::Owned(entry), record: None, offset: None, nameless: false }
    }

    /// The entry that was read.
    pub(in crate::compare) fn into_entry(self) -> E {
        self.entry.into_owned()
    }
}

impl<'e, E: Described> Keyed<'e, E> {
    /// An entry without a place.
    pub(in crate::compare) fn without_place(entry: &'e E) -> Keyed<'e, E> {
        Keyed { entry: Cow::Borrowed(entry), record: None, offset: None, nameless: false }
    }
}

/// The entries of a list that was read.
pub(in crate::compare) fn into_entries<E: Described>(list: Vec<Keyed<'static, E>>) -> Vec<E> {
    list.into_iter().map(Keyed::into_entry).collect()
}

impl<E: Described, const LINE: u8> Serialize for Keyed<'_, E, LINE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut writer = KeyWriter { map: serializer.serialize_map(None)?, of: self, result: Ok(()) };
        E::walk(&mut writer);
        writer.result?;
        writer.map.end()
    }
}

struct KeyWriter<'w, 'e, M: SerializeMap, E: Clone, const LINE: u8> {
    map: M,
    of: &'w Keyed<'e, E, LINE>,
    result: Result<(), M::Error>,
}

impl<M: SerializeMap, E: Clone, const LINE: u8> KeyWriter<'_, '_, M, E, LINE> {
    fn write_key(&mut self, name: &str, value: Option<impl Serialize>) {
        if let (Ok(()), Some(value)) = (&self.result, value) {
            self.result = self.map.serialize_entry(name, &value);
        }
    }
}

impl<M: SerializeMap, E: Clone, const LINE: u8> FactWalk<E> for KeyWriter<'_, '_, M, E, LINE> {
    fn key<T: ListingValue>(&mut self, key: ListingKey, get: impl GetFact<E>, _: impl SetField<E, T>) {
        if key.lines & 1 << LINE != 0 {
            self.write_key(key.name, get(&self.of.entry));
        }
    }

    fn place(&mut self) {
        self.write_key("record", self.of.record);
        self.write_key("offset", self.of.offset);
    }
}

/// Unknown keys are skipped.
impl<'de, E: Described, const LINE: u8> Deserialize<'de> for Keyed<'static, E, LINE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KeyVisitor(PhantomData))
    }
}

struct KeyVisitor<E, const LINE: u8>(PhantomData<E>);

impl<'de, E: Described, const LINE: u8> Visitor<'de> for KeyVisitor<E, LINE> {
    type Value = Keyed<'static, E, LINE>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object of JSON ({})", E::LINES[usize::from(LINE)].0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = ParsedEntry {
            entry: E::blank(LINE),
            place: [None; 2],
            seen: 0,
            read: 0,
            owed: None,
            value: None,
            nameless: false,
        };
        let walk = |name: Option<&str>, map: &mut A, found: &mut ParsedEntry<E>| {
            let mut reader = KeyReader { line: 1 << LINE, name, map, found, row: 0, result: None, input: PhantomData };
            E::walk(&mut reader);
            reader.result
        };
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            match walk(Some(&name), &mut map, &mut found) {
                Some(result) => result?,
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        let end = walk(None, &mut map, &mut found);
        let ParsedEntry { entry, place: [record, offset], owed, nameless, .. } = found;
        if let Some(name) = owed {
            return Err(A::Error::missing_field(name));
        }
        end.unwrap_or(Ok(()))?;
        Ok(Keyed { entry: Cow::Owned(entry), record, offset, nameless })
    }
}

/// The entry that the keys so far describe.
struct ParsedEntry<E> {
    entry: E,
    place: [Option<u64>; 2],
    /// The rows whose keys were found, a bit for each, and the rows with a value.
    seen: u64,
    read: u64,
    /// A missing required key.
    owed: Option<&'static str>,
    /// A value whose type may be in a key after it.
    value: Option<SpelledValue>,
    nameless: bool,
}

/// A walk that finds the row of a key, or, at the end, rows whose keys are missing.
struct KeyReader<'r, 'de, E, A: MapAccess<'de>> {
    line: u8,
    name: Option<&'r str>,
    map: &'r mut A,
    found: &'r mut ParsedEntry<E>,
    row: u32,
    result: Option<Result<(), A::Error>>,
    input: PhantomData<&'de ()>,
}

impl<'de, E, A: MapAccess<'de>> KeyReader<'_, 'de, E, A> {
    fn read<T: ListingValue>(&mut self, key: ListingKey, set: impl SetField<E, T>) -> Result<(), A::Error> {
        let row = 1 << self.row;
        if self.found.seen & row != 0 {
            return Err(A::Error::duplicate_field(key.name));
        }
        self.found.seen |= row;
        let value = match key.presence {
            KeyPresence::Known | KeyPresence::Written | KeyPresence::Never => self.map.next_value::<Option<T>>()?,
            KeyPresence::Listed | KeyPresence::Always => Some(self.map.next_value()?),
        };
        let Some(value) = value else { return Ok(()) };
        self.found.read |= row;
        set(&mut self.found.entry, value).map_err(A::Error::custom)
    }
}

impl<'de, E, A: MapAccess<'de>> FactWalk<E> for KeyReader<'_, 'de, E, A> {
    fn key<T: ListingValue>(&mut self, key: ListingKey, _: impl GetFact<E>, set: impl SetField<E, T>) {
        let is_read = self.found.read & 1 << self.row != 0;
        match self.name {
            _ if key.lines & self.line == 0 => {}
            Some(name) if name == key.name => self.result = Some(self.read(key, set)),
            None if !is_read => {
                self.found.nameless |= key.name == "name";
                self.found.owed = self.found.owed.or((key.presence == KeyPresence::Always).then_some(key.name));
            }
            _ => {}
        }
        self.row += 1;
    }

    fn typed_value(
        &mut self,
        kind: ListingKey,
        value: ListingKey,
        get: impl Fn(&E) -> &Value,
        slot: impl Fn(&mut E) -> &mut Value,
    ) {
        self.always(kind, |entry| &get(entry).kind, |entry| &mut slot(entry).kind);
        let spelled = Cell::default();
        let keep = |_: &mut E, text: SpelledValue| {
            spelled.set(Some(text));
            Ok(())
        };
        self.key(value.always(), |_| None, keep);
        match spelled.take() {
            Some(text) => self.found.value = Some(text),
            None if self.name.is_some() => {}
            None => {
                let (text, read) = (self.found.value.take(), slot(&mut self.found.entry));
                let value = text.map(|text| text.with_type(read.kind).map(|value| *read = value));
                self.result = value.map(|value| value.map_err(A::Error::custom));
            }
        }
    }

    fn place(&mut self) {
        for (name, place) in ["record", "offset"].into_iter().zip(&mut self.found.place) {
            if self.name == Some(name) {
                self.result = Some(match place {
                    None => self.map.next_value().map(|told| *place = told),
                    Some(_) => Err(A::Error::duplicate_field(name)),
                });
            }
        }
    }
}

#[cfg(feature = "schemas")]
mod schema {
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use serde_json::{Map, Value, json};

    use super::{Cow, Described, FactWalk, GetFact, KeyPresence, Keyed, ListingKey, ListingValue, SetField};

    struct SchemaProperties<'g> {
        generator: &'g mut SchemaGenerator,
        line: u8,
        all: Map<String, Value>,
        required: Vec<&'static str>,
    }

    impl SchemaProperties<'_> {
        fn insert(&mut self, name: &str, about: &str, mut schema: Schema) {
            schema.insert("description".to_owned(), about.into());
            self.all.insert(name.to_owned(), schema.into());
        }
    }

    impl<E> FactWalk<E> for SchemaProperties<'_> {
        fn key<T: ListingValue>(&mut self, key: ListingKey, _: impl GetFact<E>, _: impl SetField<E, T>) {
            if key.lines & self.line == 0 {
                return;
            }
            let schema = match key.presence {
                KeyPresence::Never => return,
                KeyPresence::Known => self.generator.subschema_for::<Option<T>>(),
                KeyPresence::Listed | KeyPresence::Written | KeyPresence::Always => self.generator.subschema_for::<T>(),
            };
            self.insert(key.name, key.about, schema);
            if matches!(key.presence, KeyPresence::Written | KeyPresence::Always) {
                self.required.push(key.name);
            }
        }

        fn place(&mut self) {
            let about = [
                ("record", "Index of the record in the body, from 0."),
                ("offset", "Offset of the record in the decompressed file, in bytes."),
            ];
            for (name, about) in about {
                let schema = self.generator.subschema_for::<Option<u64>>();
                self.insert(name, about, schema);
            }
        }
    }

    impl<E: Described, const LINE: u8> JsonSchema for Keyed<'_, E, LINE> {
        fn inline_schema() -> bool {
            E::LINES[usize::from(LINE)].0.is_empty()
        }

        fn schema_name() -> Cow<'static, str> {
            E::LINES[usize::from(LINE)].0.into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let mut properties = SchemaProperties { generator, line: 1 << LINE, all: Map::new(), required: Vec::new() };
            E::walk(&mut properties);
            let SchemaProperties { all, required, .. } = properties;
            let mut schema = json!({
                "description": E::LINES[usize::from(LINE)].1, "type": "object", "properties": all,
            });
            if !required.is_empty() {
                schema["required"] = required.into();
            }
            Schema::try_from(schema).unwrap_or_default()
        }
    }
}
