//! The errors of a listing: those of a line that cannot be read, each with its key, and those of all lines.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{ListingError, ListingFault, did_you_mean};

/// The errors that are listed. Lines with further ones are counted.
const LISTED: usize = 20;

/// Bytes of a line whose errors are looked for one by one: they are some twenty times as many in memory.
const LONGEST: usize = 1 << 20;

/// The errors of the lines so far.
#[derive(Default)]
pub(super) struct ListingFaults {
    listed: Vec<ListingFault>,
    /// The number of lines with errors that are not listed.
    more: u64,
}

/// Keys that say which line it is, and numbers for keys without which a line is not read, whatever its other keys have.
pub(super) type FrameKeys<'k> = &'k [(&'k str, Option<u64>)];

/// A function that reads a line.
type ReadLine<'r> = &'r dyn Fn(&str) -> serde_json::Result<()>;

impl ListingFaults {
    /// Adds the error of a line as a whole.
    pub(super) fn add(&mut self, line: u64, message: String) {
        self.add_all(line, vec![(String::new(), message)]);
    }

    /// Adds the errors of a line that `read` refuses with the error `refused`. The keys of `frame` say which line it is.
    pub(super) fn add_line(
        &mut self,
        line: u64,
        text: &str,
        refused: &serde_json::Error,
        frame: FrameKeys<'_>,
        read: ReadLine<'_>,
    ) {
        if self.listed.len() == LISTED {
            self.more += 1;
            return;
        }
        let mut found = KeyFaults::default();
        if text.len() <= LONGEST
            && let Ok(Value::Object(keys)) = serde_json::from_str(text)
        {
            found.find_in_line(keys.into_iter().collect(), frame, read);
        }
        if found.faults.is_empty() {
            found
                .faults
                .push(lone_surrogate(text, refused).unwrap_or_else(|| (String::new(), without_position(refused))));
        }
        self.add_all(line, found.faults);
    }

    fn add_all(&mut self, line: u64, faults: Vec<(String, String)>) {
        let room = LISTED - self.listed.len();
        self.more += u64::from(faults.len() > room);
        let faults = faults.into_iter().take(room);
        self.listed.extend(faults.map(|(key, message)| ListingFault { line, key, message }));
    }

    /// The errors of the listing, if there are any.
    pub(super) fn into_error(self) -> Option<ListingError> {
        ListingError::from_faults(self.listed, self.more)
    }
}

/// The errors of a line, each with its key.
///
/// A reader stops at its first error. So each key is read alone, and of a key with an error each item: what then is missing
/// is no error.
#[derive(Default)]
struct KeyFaults {
    faults: Vec<(String, String)>,
}

impl KeyFaults {
    fn find_in_line(&mut self, keys: BTreeMap<String, Value>, frame: FrameKeys<'_>, read: ReadLine<'_>) {
        let mut base = BTreeMap::new();
        for (key, default) in frame {
            let Some(value) = default.map(Value::from).or_else(|| keys.get(*key).cloned()) else { continue };
            base.insert((*key).to_owned(), value);
            // In a line of no known kind no key has a meaning.
            if let Some(error) = fault(read(&spell(&base))) {
                return self.faults.push(((*key).to_owned(), message(&error)));
            }
        }
        let mut rest = keys.clone();
        for (key, value) in keys {
            let is_framed = frame.contains(&(key.as_str(), None));
            let alone = |value: Value| {
                let mut line = base.clone();
                line.insert(key.clone(), value);
                read(&spell(&line))
            };
            let before = self.faults.len();
            if !is_framed {
                self.find_in_value(&key, value, &alone);
            }
            if self.faults.len() > before {
                rest.remove(&key);
            }
            if self.faults.len() > LISTED {
                return;
            }
        }
        // Keys that are missing, or that contradict each other. What was removed is missing for another reason.
        if let (false, Err(error)) = (self.faults.is_empty(), read(&spell(&rest)))
            && !self.faults.iter().any(|(key, _)| is_missing(&error, key.split(['.', '[']).next().unwrap_or_default()))
        {
            self.faults.push((String::new(), message(&error)));
        }
    }

    /// Finds the errors in a value, which `read` reads alone.
    fn find_in_value(&mut self, key: &str, value: Value, read: &dyn Fn(Value) -> serde_json::Result<()>) {
        let Some(error) = read(value.clone()).err().filter(|_| self.faults.len() <= LISTED) else { return };
        let before = self.faults.len();
        match value.clone() {
            Value::Array(items) => {
                let empty = read(Value::Array(Vec::new())).err();
                let is_of_others =
                    |error: &serde_json::Error| empty.as_ref().is_some_and(|e| message(e) == message(error));
                // A list of any length; other arrays are values.
                if empty.as_ref().is_none_or(|empty| is_missing(empty, "")) && !is_of_others(&error) {
                    self.find_in_items(key, items, &is_of_others, read);
                }
            }
            Value::Object(keys) if !is_never_an_object(read) => {
                for (name, value) in keys.into_iter().collect::<BTreeMap<_, _>>() {
                    let alone = |value| read(Value::Object([(name.clone(), value)].into_iter().collect()));
                    self.find_in_value(&format!("{key}.{name}"), value, &alone);
                }
            }
            _ => {}
        }
        if self.faults.len() == before && !is_missing(&error, "") {
            self.faults.push((key.to_owned(), with_value(message(&error), &value)));
        }
    }

    /// Finds the errors in the items of a list. An item is whole: what it lacks is an error, if it is not what the rest of
    /// the line lacks.
    fn find_in_items(
        &mut self,
        key: &str,
        items: Vec<Value>,
        is_of_others: &dyn Fn(&serde_json::Error) -> bool,
        read: &dyn Fn(Value) -> serde_json::Result<()>,
    ) {
        for (place, item) in items.into_iter().enumerate() {
            let (key, alone) = (format!("{key}[{place}]"), |item| read(Value::Array(vec![item])));
            match alone(item.clone()) {
                Err(error) if is_missing(&error, "") && !is_of_others(&error) => {
                    self.faults.push((key, message(&error)));
                }
                Err(_) => self.find_in_value(&key, item, &alone),
                Ok(()) => {}
            }
            if self.faults.len() > LISTED {
                return;
            }
        }
    }
}

/// The error of a line that cannot be read because of an escaped surrogate without its pair: the key of the text.
fn lone_surrogate(text: &str, refused: &serde_json::Error) -> Option<(String, String)> {
    if !refused.to_string().contains("hex escape") || text.len() > LONGEST {
        return None;
    }
    // Another character stands for each of them: the line is read to find the key, and not for what it says.
    let mut readable = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once("\\u") {
        readable += before;
        let is_escaped = before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        let next = || escape.get(4..)?.strip_prefix("\\u").and_then(code_unit);
        let length = match (code_unit(escape).filter(|_| !is_escaped), next()) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 10,
            (Some(0xd800..0xe000), _) => {
                readable.push(STAND_IN);
                rest = &escape[4..];
                continue;
            }
            _ => 0,
        };
        readable.extend(["\\u", &escape[..length]]);
        rest = &escape[length..];
    }
    readable += rest;
    let key = find_key(&serde_json::from_str(&readable).ok()?, String::new())?;
    Some((key, "expected text, or {\"bytes\":...} for what is not valid text, found a lone surrogate".to_owned()))
}

/// The code unit that four hexadecimal digits at the begin of a text stand for.
fn code_unit(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// A character for private use, which stands for a surrogate.
const STAND_IN: char = '\u{f8ff}';

/// The key of the first text with such a character.
fn find_key(value: &Value, key: String) -> Option<String> {
    match value {
        Value::String(text) => text.contains(STAND_IN).then_some(key),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(place, item)| find_key(item, format!("{key}[{place}]")))
        }
        Value::Object(keys) => keys.iter().find_map(|(name, value)| {
            find_key(value, if key.is_empty() { name.clone() } else { format!("{key}.{name}") })
        }),
        _ => None,
    }
}

/// Whether `read` takes no object at all: then its keys are not at fault.
fn is_never_an_object(read: &dyn Fn(Value) -> serde_json::Result<()>) -> bool {
    read(Value::Object(serde_json::Map::new())).is_err_and(|error| message(&error).starts_with("invalid type: map,"))
}

fn spell(keys: &BTreeMap<String, Value>) -> String {
    serde_json::to_string(keys).unwrap_or_default()
}

/// The error of a line of which parts were left out, if it is not about these.
fn fault(read: serde_json::Result<()>) -> Option<serde_json::Error> {
    read.err().filter(|error| !is_missing(error, ""))
}

/// Whether a key is missing, or any key.
fn is_missing(error: &serde_json::Error, key: &str) -> bool {
    let text = error.to_string();
    text.strip_prefix("missing field `").is_some_and(|rest| key.is_empty() || rest.starts_with(&format!("{key}`")))
}

/// The message for a part of a line, which is read alone: its place there says nothing.
fn message(error: &serde_json::Error) -> String {
    let (text, _) = split_position(error);
    with_near_names(text)
}

/// A message about an array or object with its text, which serde leaves out.
fn with_value(message: String, value: &Value) -> String {
    let kind = ["map", "sequence"].into_iter().find(|kind| message.starts_with(&format!("invalid type: {kind},")));
    match kind {
        Some(kind) => {
            let text = value.to_string();
            let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(end, _)| end);
            let more = if end < text.len() { "..." } else { "" };
            message.replacen(kind, &format!("{kind} {}{more}", &text[..end]), 1)
        }
        None => message,
    }
}

/// The most characters of a value in a message.
const SHOWN: usize = 80;

/// The message for a line, without the line number of the JSON parser, which is always 1.
pub(super) fn without_position(error: &serde_json::Error) -> String {
    let (text, column) = split_position(error);
    let text = with_near_names(text);
    match column {
        Some(column) => format!("{text} (column {column})"),
        None => text,
    }
}

/// The message of the JSON parser, and the column.
fn split_position(error: &serde_json::Error) -> (String, Option<usize>) {
    let text = error.to_string();
    match text.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())) {
        Some(what) => (what.to_owned(), Some(error.column())),
        None => (text, None),
    }
}

/// A message about an unknown name with the names that are near, of those that serde lists.
fn with_near_names(text: String) -> String {
    let Some((wanted, known)) = text.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    else {
        return text;
    };
    let near = did_you_mean(wanted, known.split('`').skip(1).step_by(2));
    format!("{text}{near}")
}
