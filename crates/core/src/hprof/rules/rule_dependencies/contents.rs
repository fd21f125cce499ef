//! Contents: texts, the values of instances, the elements of arrays.

use std::ops::Range;

use crate::hprof::lift::InstanceLayouts;
use crate::hprof::rules;
use crate::hprof::rules::each_id;
use crate::hprof::sub_record::InstanceDump;
use crate::hprof::wire::{IdSize, size_of};
use crate::model::{FieldType, PrimitiveType, Value};

use super::marks::RecordMarks;

/// Contents that may come in pieces, each of which relies on rules by itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum PieceContents {
    /// Text.
    Text,
    /// References.
    Elements,
    /// Primitive values.
    Primitives(PrimitiveType),
}

impl PieceContents {
    /// Marks what a piece relies on.
    pub(super) fn mark(self, id: IdSize, bytes: &[u8], start: u64, marks: &mut RecordMarks) {
        let at = start..start + bytes.len() as u64;
        match self {
            PieceContents::Text => {
                let odd = |byte: &u8| !(0x01..=0x7f).contains(byte);
                if let (Some(first), Some(last)) = (bytes.iter().position(odd), bytes.iter().rposition(odd)) {
                    marks.mark(rules::TEXT_ENCODING, "string", start + first as u64..start + last as u64 + 1);
                }
            }
            PieceContents::Elements => {
                let mut told = ValueDependencies::default();
                each_id(bytes, id, |to| told.value(Value { kind: FieldType::Object, bits: to }, id));
                told.mark("element", &at, marks);
            }
            PieceContents::Primitives(kind) => {
                let mut told = ValueDependencies::default();
                for chunk in bytes.chunks_exact(kind.size() as usize) {
                    told.value(Value::primitive(kind, bits(chunk)), id);
                }
                marks.mark_if(!bytes.is_empty(), rules::TYPE_SIZES, "elements", at.clone());
                told.mark("elements", &at, marks);
            }
        }
    }
}

/// Marks what one value of a class relies on.
pub(super) fn value(field: &'static str, value: Value, at: Range<u64>, id: IdSize, marks: &mut RecordMarks) {
    let mut told = ValueDependencies::default();
    told.value(value, id);
    told.mark(field, &at, marks);
    match value.kind {
        FieldType::Object => marks.mark_if(id != IdSize::Four, rules::CLASS_VALUES, field, at),
        FieldType::Primitive(_) => marks.mark(rules::TYPE_SIZES, field, at),
    }
}

/// Marks what the values of an instance rely on that are all at hand.
pub(super) fn instance(
    instance: &InstanceDump<'_>,
    layouts: &InstanceLayouts,
    at: Range<u64>,
    id: IdSize,
    marks: &mut RecordMarks,
) {
    let mut told = ValueDependencies::default();
    let is_laid_out = layouts.visit_values(instance.class, &instance.values, |value| told.value(value, id));
    if !is_laid_out || instance.values.is_empty() {
        return;
    }
    told.mark("field values", &at, marks);
    marks.mark(rules::TYPE_SIZES, "field values", at.clone());
    // A value of 1 byte at least stands for each of these fields.
    let chain: Vec<&[FieldType]> =
        layouts.class_chain(instance.class).map(|class| layouts.declared_types(class)).collect();
    let downwards = chain.iter().rev().flat_map(|fields| fields.iter());
    let differs = !chain.iter().flat_map(|fields| fields.iter()).eq(downwards);
    marks.mark_if(differs, rules::INSTANCE_FIELD_ORDER, "field values", at);
}

/// The rules that some values rely on.
#[derive(Debug, Default)]
struct ValueDependencies {
    order: bool,
    boolean: bool,
    high: bool,
    null: bool,
}

impl ValueDependencies {
    fn value(&mut self, value: Value, id: IdSize) {
        let bits = value.bits;
        let unused = 64 - 8 * size_of(value.kind, id) as u32;
        match value.kind {
            FieldType::Object => {
                self.null |= bits == 0;
                self.high |= bits << unused >> 63 == 1;
            }
            FieldType::Primitive(kind) => {
                self.order |= bits.swap_bytes() >> unused != bits;
                self.boolean |= kind == PrimitiveType::Boolean && bits > 1;
            }
        }
    }

    fn mark(&self, field: &'static str, at: &Range<u64>, marks: &mut RecordMarks) {
        let all = [
            (self.order, rules::INTEGER_BYTE_ORDER),
            (self.boolean, rules::BOOLEAN_VALUE),
            (self.high, rules::ID_UNSIGNED),
            (self.null, rules::ID_NONE),
        ];
        all.into_iter().for_each(|(holds, rule)| marks.mark_if(holds, rule, field, at.clone()));
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
