//! Connects a parser of heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template to copy.
//!
//! Two places are yours: `hello` says what your parser reports, and `parse` calls it. `answer` and `main` serve the protocol.
//! The rest is an example, a small parser of HPROF; throw it away.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;

use serde_json::{json, Value};

/// Why there is no heap.
enum Failure {
    /// The parser does not take this dump: a message, and the offset of the bytes, if known.
    Refusal(String, Option<usize>),
    /// The parser cannot be given this dump; the text says why.
    Skip(&'static str),
    /// Something went wrong in the adapter, or the file cannot be read.
    Adapter(String),
}

/// The errors by which your parser refuses a dump, as it documents it: write one for the type of its errors, too.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                Failure::Refusal(error.to_string(), None)
            }
            _ => Failure::Adapter(error.to_string()),
        }
    }
}

/// The offset of the bad bytes that a message has after "at" or "offset": with it, the report names the rule that the dump breaks.
fn offset_in(message: &str) -> Option<usize> {
    let words: Vec<&str> = message
        .split([' ', '='])
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_punctuation()))
        .collect();
    words
        .windows(2)
        .filter(|pair| ["at", "offset"].contains(&pair[0]))
        .find_map(|pair| match pair[1].strip_prefix("0x") {
            Some(digits) => usize::from_str_radix(digits, 16).ok(),
            None => pair[1].parse().ok(),
        })
}

/// By facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing.
const COUNTS: [(&str, &str); 6] = [
    ("roots", "roots"),
    ("root-objects", "roots"),
    ("threads", "threads"),
    ("stack-traces", "traces"),
    ("regions", "regions"),
    ("events", "events"),
];

/// Writes into the head of a listing how many lines there are of what `hello` declares.
fn count_lines(lines: &mut [Value]) {
    let (hello, Some((head, rest))) = (hello(2), lines.split_first_mut()) else {
        return;
    };
    let declared = |facet: &str| {
        let facets = hello["facets"].as_array();
        facets.is_some_and(|facets| facets.iter().any(|known| known == facet))
    };
    for (_, key) in COUNTS.into_iter().filter(|(facet, _)| declared(facet)) {
        let is_counted = |line: &&Value| {
            line["kind"]
                .as_str()
                .is_some_and(|kind| key.strip_suffix('s') == Some(kind))
        };
        if head[key].is_null() {
            head[key] = rest.iter().filter(is_counted).count().into();
        }
    }
}

/// What your parser reports. These facets are required: where a dump has the fact, the listing must have it. Begin with few.
fn hello(protocol: u64) -> Value {
    json!({
        "protocol": protocol, "name": "template", "version": "1", "language": "Rust", "reads": ["hprof"],
        "levels": ["listing"],
        // Among the facets may be "string-text": the text of a java.lang.String, if your parser works it out. The line of the
        // object has "text": "abc".
        "facets": ["address", "kind", "superclass", "class", "array-length", "elements", "primitive-contents"],
        // What a listing can leave out, such as "primitive-contents". `check --large` then asks for listings of dumps of gigabytes
        // without it: declare it if your parser does not hold such a dump. The example holds it whole.
        "omits": [],
    })
}

/// YOUR PARSER GOES HERE. Returns the lines of the dump's listing, the head first (specs/listing.md).
///
/// Make a `Refusal` where your parser says, as it documents it, that a dump is bad. Do not catch panics: one ends the
/// process, and that is reported as a crash of the parser.
///
/// `omits` is an array of facets of "omits" above that the lines are not to have, if there are any: do not read them.
fn parse(path: &Path, _omits: &Value) -> Result<Vec<Value>, Failure> {
    Hprof::new(&fs::read(path)?)?.lines()
}

/// What is answered to a request, without its id.
fn answer(request: &Value) -> Value {
    match request["op"].as_str() {
        Some("hello") => {
            let offered = request["protocols"].as_array().cloned().unwrap_or_default();
            match offered
                .iter()
                .filter_map(Value::as_u64)
                .filter(|version| (1..=2).contains(version))
                .max()
            {
                Some(version) => hello(version),
                None => {
                    json!({"status": "error", "message": "this adapter speaks versions 1 and 2"})
                }
            }
        }
        Some("parse") => {
            let path = |key: &str| Path::new(request[key].as_str().unwrap_or_default());
            let omits = &request["omits"];
            let listed = parse(path("path"), omits).and_then(|mut lines| {
                count_lines(&mut lines);
                if omits.is_array() {
                    lines[0]["omits"] = omits.clone();
                }
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                Ok(fs::write(path("out"), text)?)
            });
            match listed {
                Ok(()) => json!({"status": "accept"}),
                Err(Failure::Refusal(message, offset)) => {
                    let offset = offset.or_else(|| offset_in(&message));
                    json!({"status": "reject", "message": message, "offset": offset})
                }
                Err(Failure::Skip(reason)) => json!({"status": "skip", "reason": reason}),
                Err(Failure::Adapter(message)) => json!({"status": "error", "message": message}),
            }
        }
        other => {
            json!({"status": "error", "message": format!("this adapter does not know {other:?}")})
        }
    }
}

fn main() -> io::Result<()> {
    // Standard output is for answers alone: a parser that prints there has to print to standard error.
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut answer = answer(&request);
        answer["id"] = request["id"].clone();
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}

// The example. A layout has a letter for each field: i an identifier, a digit that many bytes. What follows * comes as often as
// the last field before it says.

const ROOTS: [(u64, &str); 17] = [
    (0x01, "ii"),
    (0x02, "i44"),
    (0x03, "i44"),
    (0x04, "i4"),
    (0x05, "i"),
    (0x06, "i4"),
    (0x07, "i"),
    (0x08, "i44"),
    (0x89, "i"),
    (0x8a, "i"),
    (0x8b, "i"),
    (0x8c, "i"),
    (0x8d, "i"),
    (0x8e, "i44"),
    (0x90, "i"),
    (0xfe, "4i"),
    (0xff, "i"),
];
const RECORDS: [(u64, &str); 11] = [
    (1, "i"),
    (2, "4i4i"),
    (3, "4"),
    (4, "iiii44"),
    (5, "444*i"),
    (6, "2444884*1444444"),
    (7, "4488"),
    (10, "4i4iii"),
    (11, "4"),
    (13, "44*44"),
    (14, "42"),
];
const TYPES: [(u64, &str); 9] = [
    (2, "i"),
    (4, "1"),
    (5, "2"),
    (6, "4"),
    (7, "8"),
    (8, "1"),
    (9, "2"),
    (10, "4"),
    (11, "8"),
];
const ELEMENTS: [&str; 8] = [
    "boolean", "char", "float", "double", "byte", "short", "int", "long",
];

struct Hprof<'d> {
    data: &'d [u8],
    at: usize,
    end: usize,
    id_size: usize,
    lines: Vec<Value>,
    /// By class, its superclass and the bytes of its own fields.
    classes: HashMap<u64, (u64, u64)>,
    /// Classes of instances, and the bytes that they have.
    instances: Vec<(u64, u64)>,
}

fn find(table: &[(u64, &'static str)], code: u64) -> Option<&'static str> {
    table
        .iter()
        .find(|(known, _)| *known == code)
        .map(|(_, layout)| *layout)
}

fn hex(bits: u64) -> String {
    format!("{bits:#x}")
}

impl<'d> Hprof<'d> {
    fn new(data: &'d [u8]) -> Result<Hprof<'d>, Failure> {
        if data.starts_with(&[0x1f, 0x8b]) {
            return Err(Failure::Skip("this parser reads no gzip"));
        }
        let known = [
            &b"JAVA PROFILE 1.0.1\0"[..],
            b"JAVA PROFILE 1.0.2\0",
            b"JAVA PROFILE 1.0.3\0",
        ];
        let id_size = data.get(22).map_or(0, |size| usize::from(*size));
        let is_known =
            known.iter().any(|text| data.starts_with(text)) && data.get(19..22) == Some(&[0; 3]);
        if !is_known || data.len() < 31 || ![1, 2, 4, 8].contains(&id_size) {
            return Err(Failure::Refusal("no HPROF header".to_owned(), Some(0)));
        }
        Ok(Hprof {
            data,
            at: 31,
            end: data.len(),
            id_size,
            lines: vec![json!({"listing": 1})],
            classes: HashMap::new(),
            instances: Vec::new(),
        })
    }

    fn lines(mut self) -> Result<Vec<Value>, Failure> {
        while self.at < self.data.len() {
            let head = self.read("144")?;
            let end = self
                .at
                .checked_add(head[2] as usize)
                .filter(|end| *end <= self.data.len());
            self.end = end.ok_or_else(|| {
                Failure::Refusal(
                    "the file ends inside a record".to_owned(),
                    Some(self.at - 9),
                )
            })?;
            if let Some(layout) = find(&RECORDS, head[0]) {
                self.read(layout)?;
            }
            while [0x0c, 0x1c].contains(&head[0]) && self.at < self.end {
                self.sub_record()?;
            }
            self.at = self.end;
            self.end = self.data.len();
        }
        for (class, length) in &self.instances {
            self.lay_out(*class, *length)?;
        }
        Ok(self.lines)
    }

    /// Classes may follow their instances. Where a class or a superclass is missing, there is nothing to say.
    fn lay_out(&self, class: u64, length: u64) -> Result<(), Failure> {
        let (mut next, mut fields, mut above) = (class, 0, 0);
        while let Some((superclass, own)) = self.classes.get(&next) {
            if above > self.classes.len() {
                return Err(Failure::Refusal(
                    "the superclasses have no end".to_owned(),
                    None,
                ));
            }
            (next, fields, above) = (*superclass, fields + own, above + 1);
        }
        if next == 0 && fields > length {
            return Err(Failure::Refusal(
                "an instance is shorter than its fields".to_owned(),
                None,
            ));
        }
        Ok(())
    }

    fn sub_record(&mut self) -> Result<(), Failure> {
        let tag = self.number('1')?;
        let line = match tag {
            0x20 => {
                let fields = self.read("i4iiiiii4")?;
                for name in ["2", "i"] {
                    for _ in 0..self.number('2')? {
                        self.read(name)?;
                        let layout = self.type_layout()?;
                        self.read(layout)?;
                    }
                }
                let mut own = 0;
                for _ in 0..self.number('2')? {
                    self.read("i")?;
                    let layout = self.type_layout()?;
                    own += layout.parse().unwrap_or(self.id_size as u64);
                }
                self.classes.insert(fields[0], (fields[2], own));
                json!({"kind": "class", "address": hex(fields[0]), "super": hex(fields[2])})
            }
            0x21 => {
                let fields = self.read("i4i4")?;
                self.take(fields[3])?;
                self.instances.push((fields[2], fields[3]));
                json!({"kind": "object", "address": hex(fields[0]), "class": hex(fields[2])})
            }
            0x22 => {
                let fields = self.read("i44i")?;
                let elements = (0..fields[2])
                    .map(|_| Ok(hex(self.number('i')?)))
                    .collect::<Result<Vec<_>, Failure>>()?;
                json!({"kind": "object-array", "address": hex(fields[0]), "array_class": hex(fields[3]),
                    "length": fields[2], "elements": elements})
            }
            0x23 | 0xc3 => {
                let fields = self.read("i441")?;
                let element = fields[3]
                    .checked_sub(4)
                    .and_then(|index| ELEMENTS.get(index as usize));
                let element = element.ok_or_else(|| self.unknown(fields[3]))?;
                let size: u64 = find(&TYPES, fields[3])
                    .and_then(|layout| layout.parse().ok())
                    .unwrap_or_default();
                // Android leaves contents out.
                let contents = if tag == 0xc3 {
                    None
                } else {
                    Some(self.take(fields[2] * size)?)
                };
                let contents = contents.map(|bytes| {
                    bytes
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect::<String>()
                });
                json!({"kind": "primitive-array", "address": hex(fields[0]), "element": element, "length": fields[2],
                    "contents": contents})
            }
            _ => {
                let layout = find(&ROOTS, tag).ok_or_else(|| self.unknown(tag))?;
                return self.read(layout).map(|_| ());
            }
        };
        self.lines.push(line);
        Ok(())
    }

    fn unknown(&self, code: u64) -> Failure {
        Failure::Refusal(format!("{code:#x} is unknown"), Some(self.at - 1))
    }

    fn type_layout(&mut self) -> Result<&'static str, Failure> {
        let code = self.number('1')?;
        find(&TYPES, code).ok_or_else(|| self.unknown(code))
    }

    fn read(&mut self, layout: &str) -> Result<Vec<u64>, Failure> {
        let (first, repeated) = layout.split_once('*').unwrap_or((layout, ""));
        let fields = first
            .chars()
            .map(|field| self.number(field))
            .collect::<Result<Vec<u64>, Failure>>()?;
        if !repeated.is_empty() {
            for _ in 0..fields.last().copied().unwrap_or_default() {
                self.read(repeated)?;
            }
        }
        Ok(fields)
    }

    fn number(&mut self, field: char) -> Result<u64, Failure> {
        let size = field.to_digit(10).map_or(self.id_size as u64, u64::from);
        Ok(self
            .take(size)?
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn take(&mut self, count: u64) -> Result<&'d [u8], Failure> {
        let end = usize::try_from(count)
            .ok()
            .and_then(|count| self.at.checked_add(count))
            .filter(|end| *end <= self.end);
        let end = end
            .ok_or_else(|| Failure::Refusal(format!("{count} bytes are missing"), Some(self.at)))?;
        let bytes = &self.data[self.at..end];
        self.at = end;
        Ok(bytes)
    }
}
