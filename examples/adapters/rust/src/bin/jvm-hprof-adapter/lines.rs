//! The lines of a listing, made of what the library tells.

use hprof_adapters::Failure;
use jvm_hprof::heap_dump::{
    Class, FieldType, FieldValue, Instance, ObjectArray, PrimitiveArray, PrimitiveArrayType, SubRecord,
};
use jvm_hprof::{Id, IdSize, LineNum, StackTrace, Utf8};
use serde_json::{Value, json};

use crate::tables::Tables;
use crate::{Dump, text};

type Line = Result<Value, Failure>;

pub fn head(dump: &Dump<'_>, tables: &Tables<'_>) -> Line {
    let header = dump.hprof.header();
    let label = header.label().map_err(Failure::refused)?;
    let (begin, end) = tables.times.unwrap_or_default();
    Ok(json!({
        "listing": 1,
        "format": "hprof",
        "identifier_size": match header.id_size() { IdSize::U32 => 4, IdSize::U64 => 8 },
        "header_version": label.strip_prefix("JAVA PROFILE ").unwrap_or(label),
        "time_stamp": header.timestamp_millis(),
        "dump_times": [begin, end],
        "roots": tables.roots,
        "traces": tables.traces.len(),
        "events": tables.strings,
    }))
}

pub fn text(utf8: &Utf8<'_>, time: u32, after: u64) -> Value {
    let (id, text) = (address(utf8.name_id()), text::value(utf8.text()));
    json!({ "kind": "event", "event": "text", "time": time, "after": after, "id": id, "text": text })
}

pub fn trace(dump: &Dump<'_>, tables: &Tables<'_>, trace: &StackTrace<'_>) -> Line {
    let mut frames = Vec::new();
    for id in trace.frame_ids() {
        let Some(frame) = tables.frames.get(&dump.checked(id)?) else {
            continue;
        };
        let mut line = json!({
            "method": tables.name(frame.method_name_id()),
            "signature": tables.name(frame.method_signature_id()),
            "line": match frame.line_num() {
                LineNum::Normal(line) => i64::from(line),
                LineNum::Unknown => -1,
                LineNum::CompiledMethod => -2,
                LineNum::NativeMethod => -3,
            },
        });
        if let Some(source) = tables.text(frame.source_file_name_id()) {
            line["source"] = source;
        }
        if let Some(class) = tables.by_serial.get(&frame.class_serial()) {
            line["class"] = address(*class).into();
        }
        frames.push(line);
    }
    let (serial, thread) = (trace.stack_trace_serial().num(), trace.thread_serial().num());
    Ok(json!({ "kind": "trace", "serial": serial, "thread": thread, "frames": frames }))
}

pub fn class(dump: &Dump<'_>, tables: &Tables<'_>, class: &Class<'_>) -> Line {
    let mut statics = Vec::new();
    for field in class.static_fields() {
        let field = dump.checked(field)?;
        let (kind, bits) = bits(field.value());
        statics.push(json!({ "name": tables.name(field.name_id()), "type": kind, "value": bits }));
    }
    let mut fields = Vec::new();
    for field in class.instance_field_descriptors() {
        let field = dump.checked(field)?;
        fields.push(json!({ "name": tables.name(field.name_id()), "type": type_name(field.field_type()) }));
    }
    let load = tables.loads.get(&class.obj_id());
    let mut line = json!({
        "kind": "class",
        "address": address(class.obj_id()),
        "name": load.map_or_else(|| "".into(), |load| tables.name(load.class_name_id())),
        "super": nullable(class.super_class_obj_id()),
        "loader": nullable(class.class_loader_obj_id()),
        "signers": nullable(class.signers_obj_id()),
        "protection_domain": nullable(class.protection_domain_obj_id()),
        "instance_size": class.instance_size_bytes(),
        "fields": fields,
        "statics": statics,
        "trace": class.stack_trace_serial().num(),
    });
    if let Some(load) = load {
        line["serial"] = load.class_serial().num().into();
    }
    Ok(line)
}

pub fn instance(dump: &Dump<'_>, tables: &Tables<'_>, instance: &Instance<'_>) -> Line {
    let mut line = json!({
        "kind": "object",
        "address": address(instance.obj_id()),
        "class": address(instance.class_obj_id()),
        "trace": instance.stack_trace_serial().num(),
    });
    let id_size = dump.hprof.header().id_size();
    let mut rest = *instance.fields();
    let mut values = Vec::new();
    let layout = tables.layout(instance.class_obj_id());
    for field in layout.unwrap_or_default() {
        let (after, value) = dump.checked(field.parse_value(rest, id_size))?;
        values.push(bits(value));
        rest = after;
    }
    // The library leaves it to its user whether the fields are all of the bytes.
    if layout.is_some() && rest.is_empty() {
        line["values"] = json!(values);
    } else {
        line["raw"] = text::hex(instance.fields()).into();
    }
    Ok(line)
}

pub fn object_array(dump: &Dump<'_>, array: &ObjectArray<'_>) -> Line {
    let elements = array.elements(dump.hprof.header().id_size());
    let elements = elements.map(|id| Ok(nullable(dump.checked(id)?))).collect::<Result<Vec<_>, Failure>>()?;
    Ok(json!({
        "kind": "object-array",
        "address": address(array.obj_id()),
        "array_class": address(array.array_class_obj_id()),
        "length": elements.len(),
        "trace": array.stack_trace_serial().num(),
        "elements": elements,
    }))
}

pub fn primitive_array(dump: &Dump<'_>, array: &PrimitiveArray<'_>) -> Line {
    let mut contents = Vec::new();
    let mut length = 0_u64;
    macro_rules! elements {
        ($elements:ident, $bytes:expr) => {
            for element in array.$elements().into_iter().flatten() {
                contents.extend_from_slice(&$bytes(dump.checked(element)?));
                length += 1;
            }
        };
    }
    match array.primitive_type() {
        PrimitiveArrayType::Boolean => elements!(booleans, |value| [u8::from(value)]),
        PrimitiveArrayType::Char => elements!(chars, u16::to_be_bytes),
        PrimitiveArrayType::Float => elements!(floats, f32::to_be_bytes),
        PrimitiveArrayType::Double => elements!(doubles, f64::to_be_bytes),
        PrimitiveArrayType::Byte => elements!(bytes, i8::to_be_bytes),
        PrimitiveArrayType::Short => elements!(shorts, i16::to_be_bytes),
        PrimitiveArrayType::Int => elements!(ints, i32::to_be_bytes),
        PrimitiveArrayType::Long => elements!(longs, i64::to_be_bytes),
    }
    Ok(json!({
        "kind": "primitive-array",
        "address": address(array.obj_id()),
        "element": array.primitive_type().java_type_name(),
        "length": length,
        "trace": array.stack_trace_serial().num(),
        "contents": text::hex(&contents),
    }))
}

pub fn root(root: &SubRecord<'_>, after: u64) -> Value {
    // A number that the library has without its sign.
    let frame = |index: Option<u32>| index.map_or(-1, |index| index as i32);
    let (kind, object, mut line) = match root {
        SubRecord::GcRootUnknown(root) => ("unknown", root.obj_id(), json!({})),
        SubRecord::GcRootSystemClass(root) => ("sticky-class", root.obj_id(), json!({})),
        SubRecord::GcRootBusyMonitor(root) => ("monitor-used", root.obj_id(), json!({})),
        SubRecord::GcRootNativeStack(root) => {
            ("native-stack", root.obj_id(), json!({ "thread": root.thread_serial().num() }))
        }
        SubRecord::GcRootThreadBlock(root) => {
            ("thread-block", root.obj_id(), json!({ "thread": root.thread_serial().num() }))
        }
        SubRecord::GcRootJniGlobal(root) => {
            ("jni-global", root.obj_id(), json!({ "reference": address(root.jni_global_ref_id()) }))
        }
        SubRecord::GcRootJniLocalRef(root) => {
            let (thread, frame) = (root.thread_serial().num(), frame(root.frame_index()));
            ("jni-local", root.obj_id(), json!({ "thread": thread, "frame": frame }))
        }
        SubRecord::GcRootJavaStackFrame(root) => {
            let (thread, frame) = (root.thread_serial().num(), frame(root.frame_index()));
            ("java-frame", root.obj_id(), json!({ "thread": thread, "frame": frame }))
        }
        SubRecord::GcRootThreadObj(root) => {
            let (thread, trace) = (root.thread_serial().num(), root.stack_trace_serial().num());
            let object = root.thread_obj_id().unwrap_or(Id::from(0));
            ("thread-object", object, json!({ "thread": thread, "trace": trace }))
        }
        SubRecord::Class(_) | SubRecord::Instance(_) | SubRecord::ObjectArray(_) | SubRecord::PrimitiveArray(_) => {
            unreachable!("these are no roots")
        }
    };
    line["kind"] = "root".into();
    line["root"] = kind.into();
    line["object"] = address(object).into();
    line["after"] = after.into();
    line
}

/// Type and bits of a value. The library tells a boolean only as true or false.
fn bits(value: FieldValue) -> (&'static str, String) {
    let (kind, bits) = match value {
        FieldValue::ObjectId(id) => ("object", id.map_or(0, |id| id.id())),
        FieldValue::Boolean(value) => ("boolean", value.into()),
        FieldValue::Char(value) => ("char", value.into()),
        FieldValue::Float(value) => ("float", value.to_bits().into()),
        FieldValue::Double(value) => ("double", value.to_bits()),
        FieldValue::Byte(value) => ("byte", value.cast_unsigned().into()),
        FieldValue::Short(value) => ("short", value.cast_unsigned().into()),
        FieldValue::Int(value) => ("int", value.cast_unsigned().into()),
        FieldValue::Long(value) => ("long", value.cast_unsigned()),
    };
    (kind, format!("{bits:#x}"))
}

fn type_name(kind: FieldType) -> &'static str {
    match kind {
        FieldType::ObjectId => "object",
        other => other.java_type_name(),
    }
}

fn address(id: Id) -> String {
    format!("{:#x}", id.id())
}

fn nullable(id: Option<Id>) -> String {
    address(id.unwrap_or(Id::from(0)))
}
