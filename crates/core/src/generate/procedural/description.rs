//! The description of a heap's blocks, in the form of `specs/generator.md`.

use serde_json::{Map, Value as Json, json};

use crate::bytes::hexadecimal;
use crate::model::blocks::{BlockShape, ObjectBlocks, ValueSpan};
use crate::model::{Address, Contents, FieldType, IdentityHash, Object, ObjectKind};

use super::ProceduralHeap;
use super::shapes::DrawnShape;

impl ProceduralHeap {
    /// The description of the blocks: with the seed, it determines all objects in them. `None` if there are no blocks.
    pub fn block_description(&self) -> Option<Json> {
        let computed = self.blocks.as_ref()?;
        let shapes = computed.shapes.iter().zip(&computed.drawn);
        Some(json!({
            "objects": self.objects(),
            "drawn": self.first.objects.len(),
            "blocks": computed.count(),
            "base": Address(computed.layout.base()).to_string(),
            "shapes": shapes.map(|(shape, drawn)| shape_json(shape, drawn)).collect::<Vec<Json>>(),
        }))
    }
}

fn shape_json(shape: &BlockShape, drawn: &DrawnShape) -> Json {
    let items: Vec<Json> = shape.references.iter().map(|at| json!([at.object, at.item])).collect();
    let values = shape.values.iter().map(|span| match *span {
        ValueSpan::Field(at, bytes) => json!([at.object, at.item, bytes]),
        ValueSpan::Array(object, bytes) => json!([object, bytes]),
    });
    json!({
        "length": drawn.length,
        "objects": shape.objects.iter().map(object_json).collect::<Vec<Json>>(),
        "references": items,
        "far": drawn.far,
        "near": drawn.near,
        "own": drawn.own,
        "values": values.collect::<Vec<Json>>(),
        "masks": drawn.masks.iter().map(|(and, or)| json!([hex(*and), hex(*or)])).collect::<Vec<Json>>(),
        "hashed": shape.hashed,
        "hash": [hex(drawn.hash.0.into()), hex(drawn.hash.1.into())],
    })
}

/// An object as in a listing, with an offset instead of its address.
fn object_json(object: &Object) -> Json {
    let mut line = Map::new();
    line.insert("offset".to_owned(), object.address.0.into());
    let class = object.class.unwrap_or_default().to_string();
    match object.kind {
        ObjectKind::Instance => {
            line.insert("kind".to_owned(), "object".into());
            line.insert("class".to_owned(), class.into());
        }
        ObjectKind::ObjectArray => {
            line.insert("kind".to_owned(), "object-array".into());
            line.insert("array_class".to_owned(), class.into());
        }
        ObjectKind::PrimitiveArray(element) => {
            line.insert("kind".to_owned(), "primitive-array".into());
            line.insert("element".to_owned(), element.to_string().into());
        }
    }
    if let Some(length) = object.length {
        line.insert("length".to_owned(), length.into());
    }
    match &object.contents {
        Contents::Fields(fields) => {
            let values = fields.iter().map(|value| json!([type_name(value.kind), hex(value.bits)]));
            line.insert("values".to_owned(), values.collect());
        }
        Contents::Elements(elements) => {
            line.insert("elements".to_owned(), elements.iter().map(Address::to_string).collect());
        }
        Contents::Primitives(bytes) => {
            line.insert("contents".to_owned(), hexadecimal(bytes).into());
        }
        _ => {}
    }
    let hash = match object.hash {
        Some(IdentityHash::Bits16(bits)) => Some(("hash16", bits.into())),
        Some(IdentityHash::Bits32(bits)) => Some(("hash32", bits)),
        None => None,
    };
    if let Some((key, bits)) = hash {
        line.insert(key.to_owned(), hex(bits.into()).into());
    }
    line.into()
}

fn type_name(kind: FieldType) -> String {
    match kind {
        FieldType::Object => "object".to_owned(),
        FieldType::Primitive(kind) => kind.to_string(),
    }
}

fn hex(bits: u64) -> String {
    format!("{bits:#x}")
}
