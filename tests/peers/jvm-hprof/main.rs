//! Reads an HPROF dump with the library `jvm-hprof` and prints what it found as one line of JSON
//! (see `../README.md`).
//!
//! `--walk` only steps over the sub-records, which is what the library does without being asked for
//! values.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::rc::Rc;
use std::{env, fs};

use jvm_hprof::heap_dump::{Class, FieldType, FieldValue, ObjectArray, PrimitiveArray, PrimitiveArrayType, SubRecord};
use jvm_hprof::{Hprof, Id, IdSize, RecordTag, parse_hprof};
use serde_json::json;

const PEER: &str = "jvm-hprof";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [path] => read(path).and_then(|bytes| census(&bytes)),
        ["--walk", path] => read(path).and_then(|bytes| walk(&bytes)),
        _ => Err("usage: peer-jvm-hprof [--walk] DUMP".to_owned()),
    };
    match done {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{path}: {error}"))
}

fn walk(bytes: &[u8]) -> Result<String, String> {
    let hprof = parse_hprof(bytes).map_err(|error| failure(bytes, error))?;
    let mut count = 0_u64;
    sub_records(bytes, &hprof, |_| {
        count += 1;
        Ok(())
    })?;
    Ok(json!({ "peer": PEER, "sub_records": count }).to_string())
}

fn census(bytes: &[u8]) -> Result<String, String> {
    let hprof = parse_hprof(bytes).map_err(|error| failure(bytes, error))?;
    let tables = Tables::read(bytes, &hprof)?;
    let id_size = hprof.header().id_size();

    let mut seen = Seen::default();
    sub_records(bytes, &hprof, |record| seen.add(bytes, &tables, id_size, record))?;

    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for (id, class) in &seen.by_class {
        *classes.entry(tables.name(*id)).or_default() += class.count;
    }
    for (code, count) in (0..).zip(seen.by_primitive).filter(|(_, count)| *count != 0) {
        if let Some(kind) = PrimitiveArrayType::from_type_code(code) {
            *classes.entry(format!("{}[]", kind.java_type_name())).or_default() += count;
        }
    }
    // A sum that lacks the fields of some instances would only look like an answer.
    let field_checksum = (seen.unknown_layouts == 0).then(|| format!("{:016x}", seen.fields));
    Ok(json!({
        "peer": PEER,
        "classes": classes,
        "instances": seen.instances,
        "object_arrays": seen.object_arrays,
        "primitive_arrays": seen.primitive_arrays,
        "roots": seen.roots,
        "class_dumps": tables.class_dumps,
        "strings": tables.strings,
        "field_checksum": field_checksum,
        "element_checksum": format!("{:016x}", seen.elements),
    })
    .to_string())
}

/// What the instances need to be understood. Dumps put it before or after them.
struct Tables {
    text: HashMap<Id, String>,
    name: HashMap<Id, Id>,
    /// Superclass and own fields.
    classes: HashMap<Id, (Option<Id>, Vec<FieldType>)>,
    strings: u64,
    class_dumps: u64,
}

impl Tables {
    fn read(bytes: &[u8], hprof: &Hprof<'_>) -> Result<Self, String> {
        let mut text = HashMap::new();
        let mut name = HashMap::new();
        let mut strings = 0;
        for record in hprof.records_iter() {
            let record = record.map_err(|error| failure(bytes, error))?;
            if let Some(string) = record.as_utf_8() {
                let string = string.map_err(|error| failure(bytes, error))?;
                strings += 1;
                text.insert(string.name_id(), String::from_utf8_lossy(string.text()).into_owned());
            } else if let Some(load) = record.as_load_class() {
                let load = load.map_err(|error| failure(bytes, error))?;
                name.insert(load.class_obj_id(), load.class_name_id());
            }
        }

        let mut classes = HashMap::new();
        let mut class_dumps = 0;
        sub_records(bytes, hprof, |record| {
            if let SubRecord::Class(class) = record {
                class_dumps += 1;
                classes.insert(class.obj_id(), (class.super_class_obj_id(), fields(bytes, &class)?));
            }
            Ok(())
        })?;
        Ok(Self { text, name, classes, strings, class_dumps })
    }

    fn name(&self, class: Id) -> String {
        match self.name.get(&class).and_then(|name| self.text.get(name)) {
            Some(text) => source_form(text),
            None => format!("<unknown class {:#x}>", class.id()),
        }
    }

    /// All fields of an instance in the order of its bytes, or `None` where a superclass is absent.
    fn layout(&self, class: Id) -> Option<Rc<[FieldType]>> {
        let mut all = Vec::new();
        let mut next = Some(class);
        // No chain is longer than the table, unless it is a ring.
        for _ in 0..=self.classes.len() {
            let Some(class) = next else {
                return Some(all.into());
            };
            let (parent, fields) = self.classes.get(&class)?;
            all.extend_from_slice(fields);
            next = *parent;
        }
        None
    }
}

fn fields(bytes: &[u8], class: &Class<'_>) -> Result<Vec<FieldType>, String> {
    class
        .instance_field_descriptors()
        .map(|field| field.map(|field| field.field_type()).map_err(|error| failure(bytes, error)))
        .collect()
}

#[derive(Default)]
struct Seen {
    by_class: HashMap<Id, SeenClass>,
    /// By type code.
    by_primitive: [u64; 12],
    instances: u64,
    object_arrays: u64,
    primitive_arrays: u64,
    roots: u64,
    fields: u64,
    elements: u64,
    unknown_layouts: u64,
}

struct SeenClass {
    count: u64,
    layout: Option<Rc<[FieldType]>>,
}

impl Seen {
    fn add(&mut self, bytes: &[u8], tables: &Tables, id_size: IdSize, record: SubRecord<'_>) -> Result<(), String> {
        match record {
            SubRecord::Class(_) => {}
            SubRecord::Instance(instance) => {
                self.instances += 1;
                let Some(layout) = self.count(tables, instance.class_obj_id()) else {
                    self.unknown_layouts += 1;
                    return Ok(());
                };
                let mut rest = *instance.fields();
                for field in layout.iter() {
                    let (after, value) = field.parse_value(rest, id_size).map_err(|error| failure(bytes, error))?;
                    self.fields = self.fields.wrapping_add(bits(value));
                    rest = after;
                }
                if !rest.is_empty() {
                    return Err(format!(
                        "{} bytes after the fields of instance {:#x}",
                        rest.len(),
                        instance.obj_id().id()
                    ));
                }
            }
            SubRecord::ObjectArray(array) => {
                self.object_arrays += 1;
                self.count(tables, array.array_class_obj_id());
                let sum = object_elements(bytes, id_size, &array)?;
                self.elements = self.elements.wrapping_add(sum);
            }
            SubRecord::PrimitiveArray(array) => {
                self.primitive_arrays += 1;
                self.by_primitive[usize::from(array.primitive_type().type_code())] += 1;
                let sum = primitive_elements(bytes, &array)?;
                self.elements = self.elements.wrapping_add(sum);
            }
            _ => self.roots += 1,
        }
        Ok(())
    }

    /// Count and layout in one look-up: a timing is to be the library's.
    fn count(&mut self, tables: &Tables, class: Id) -> Option<Rc<[FieldType]>> {
        let seen = self.by_class.entry(class).or_insert_with(|| SeenClass { count: 0, layout: tables.layout(class) });
        seen.count += 1;
        seen.layout.clone()
    }
}

/// The library tells a boolean only as true or false, so any other byte than 0 counts as 1.
fn bits(value: FieldValue) -> u64 {
    match value {
        FieldValue::ObjectId(id) => id.map_or(0, |id| id.id()),
        FieldValue::Boolean(value) => value.into(),
        FieldValue::Char(value) => value.into(),
        FieldValue::Float(value) => value.to_bits().into(),
        FieldValue::Double(value) => value.to_bits(),
        FieldValue::Byte(value) => value.cast_unsigned().into(),
        FieldValue::Short(value) => value.cast_unsigned().into(),
        FieldValue::Int(value) => value.cast_unsigned().into(),
        FieldValue::Long(value) => value.cast_unsigned(),
    }
}

fn object_elements(bytes: &[u8], id_size: IdSize, array: &ObjectArray<'_>) -> Result<u64, String> {
    array.elements(id_size).try_fold(0_u64, |sum, element| {
        let element = element.map_err(|error| failure(bytes, error))?;
        Ok(sum.wrapping_add(element.map_or(0, |id| id.id())))
    })
}

fn primitive_elements(bytes: &[u8], array: &PrimitiveArray<'_>) -> Result<u64, String> {
    macro_rules! sum {
        ($elements:ident, $bits:expr) => {
            array.$elements().into_iter().flatten().try_fold(0_u64, |sum, element| {
                let element = element.map_err(|error| failure(bytes, error))?;
                Ok(sum.wrapping_add($bits(element)))
            })
        };
    }
    match array.primitive_type() {
        PrimitiveArrayType::Boolean => sum!(booleans, u64::from),
        PrimitiveArrayType::Char => sum!(chars, u64::from),
        PrimitiveArrayType::Float => sum!(floats, |value: f32| u64::from(value.to_bits())),
        PrimitiveArrayType::Double => sum!(doubles, f64::to_bits),
        PrimitiveArrayType::Byte => sum!(bytes, |value: i8| u64::from(value.cast_unsigned())),
        PrimitiveArrayType::Short => sum!(shorts, |value: i16| u64::from(value.cast_unsigned())),
        PrimitiveArrayType::Int => sum!(ints, |value: i32| u64::from(value.cast_unsigned())),
        PrimitiveArrayType::Long => sum!(longs, i64::cast_unsigned),
    }
}

/// The library's iterators repeat an error for ever, so that the first one has to be the end.
fn sub_records<'a>(
    bytes: &'a [u8],
    hprof: &Hprof<'a>,
    mut visit: impl FnMut(SubRecord<'a>) -> Result<(), String>,
) -> Result<(), String> {
    for record in hprof.records_iter() {
        let record = record.map_err(|error| failure(bytes, error))?;
        if !matches!(record.tag(), RecordTag::HeapDump | RecordTag::HeapDumpSegment) {
            continue;
        }
        let segment =
            record.as_heap_dump_segment().ok_or("a segment that is none")?.map_err(|error| failure(bytes, error))?;
        for sub_record in segment.sub_records() {
            visit(sub_record.map_err(|error| failure(bytes, error))?)?;
        }
    }
    Ok(())
}

/// `[Ljava/lang/String;` and `java.lang.String[]` are two spellings of one name.
fn source_form(name: &str) -> String {
    let name = name.replace('/', ".");
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    if dimensions == 0 {
        return name;
    }
    let element = match element {
        "Z" => "boolean",
        "C" => "char",
        "F" => "float",
        "D" => "double",
        "B" => "byte",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        other => other.strip_prefix('L').and_then(|other| other.strip_suffix(';')).unwrap_or(other),
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

/// The library's error carries all bytes that are left; where they begin says the same.
fn failure(bytes: &[u8], error: nom::Err<(&[u8], nom::error::ErrorKind)>) -> String {
    match error {
        nom::Err::Incomplete(_) => "more bytes are needed".to_owned(),
        nom::Err::Error((rest, kind)) | nom::Err::Failure((rest, kind)) => {
            let offset = rest.as_ptr().addr() - bytes.as_ptr().addr();
            format!("{kind:?} at offset {offset}")
        }
    }
}
