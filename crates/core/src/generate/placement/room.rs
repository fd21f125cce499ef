//! Addresses for the objects of shapes: held objects stand before the blocks of a heap, all others after them.

use std::sync::Arc;

use crate::error::Error;
use crate::model::{
    Address, Class, Field, FieldType, Heap, Name, PrimitiveType, RootKind, array_size, field_bytes, instance_size,
};

use crate::generate::addresses::AddressAllocator;
use crate::generate::options::GenerateOptions;
use crate::generate::shape::Shape;
use crate::generate::shape::placed::{CLASS, OBJECT, PlacedKind, PlacedRun, PlacedShape};
use crate::generate::shape::structure::{KindBody, KindClass, OwnClass, ShapeObjects};

/// Shapes with addresses for their classes and their held objects.
pub(in crate::generate) struct ShapePlan(Vec<PlacedShape>);

/// Allocates addresses for classes and held objects.
pub(in crate::generate) fn plan_shapes(
    options: &GenerateOptions,
    heap: &Heap,
    ground: &mut AddressAllocator,
) -> Result<ShapePlan, Error> {
    let mut placed: Vec<PlacedShape> = Vec::new();
    let known = KnownClasses::from_heap(options, heap);
    for shape in options.shapes.iter() {
        if let Some((why, _)) = shape.refusal() {
            return Err(Error::Usage(format!("shape={shape}: {why}")));
        }
        let same = placed.iter().filter(|before| before.shape.form().name == shape.form().name).count();
        let placed_shape = first_room(*shape, same, &known, ground);
        placed.push(placed_shape.ok_or_else(|| no_room(options, shape))?);
    }
    Ok(ShapePlan(placed))
}

/// Allocates addresses for all other objects.
pub(in crate::generate) fn place_shapes(
    options: &GenerateOptions,
    plan: ShapePlan,
    ground: &mut AddressAllocator,
) -> Result<Vec<Arc<PlacedShape>>, Error> {
    let mut placed = Vec::new();
    for mut shape in plan.0 {
        let sizes: Vec<u64> = shape.kinds.iter().map(|kind| kind.size).collect();
        let of = shape.shape;
        for run in shape.runs.iter_mut().filter(|run| !run.is_held) {
            run.reserve(&sizes, ground).ok_or_else(|| no_room(options, &of))?;
        }
        placed.push(Arc::new(shape));
    }
    Ok(placed)
}

fn no_room(options: &GenerateOptions, shape: &Shape) -> Error {
    let bits = options.word.bits();
    Error::Usage(format!("shape={shape}: its objects do not fit into addresses of {bits} bits; choose a smaller one"))
}

/// Allocates addresses for the classes of a shape and its held objects; `same` shapes of its form come before it.
fn first_room(
    shape: Shape,
    same: usize,
    known: &KnownClasses<'_>,
    ground: &mut AddressAllocator,
) -> Option<PlacedShape> {
    let structure = shape.structure();
    let own = structure.classes();
    // The first one of a form needs no number.
    let number = if same == 0 { String::new() } else { (same + 1).to_string() };
    let package = format!("shape/{}{number}", shape.form().name.replace('-', "_"));
    let pitch = ground.pitch(CLASS);
    let (count, holders) = (own.len() as u64, u64::from(shape.root() == RootKind::StickyClass));
    let classes = ground.reserve(u128::from(pitch) * u128::from(count + holders))?;
    let holder = (holders > 0).then_some(Address(classes + pitch * count));
    let own: Vec<(OwnClass, Address)> = own.into_iter().zip((classes..).step_by(pitch as usize).map(Address)).collect();
    let kinds: Vec<PlacedKind> = structure.kinds().into_iter().map(|kind| known.kind(kind, &own)).collect();
    let sizes: Vec<u64> = kinds.iter().map(|kind| kind.size).collect();
    let (mut runs, mut first) = (Vec::new(), 0);
    for run in structure.runs().into_iter().filter(|run| run.count > 0) {
        let end = first + run.objects();
        let (count, is_held) = (run.count, run.is_held);
        let mut placed = PlacedRun { first, unit: run.unit, offsets: Vec::new(), stride: 0, count, base: 0, is_held };
        if placed.is_held {
            placed.reserve(&sizes, ground)?;
        }
        runs.push(placed);
        first = end;
    }
    Some(PlacedShape { shape, structure, package, classes: (classes, pitch, count), holder, kinds, runs })
}

/// The facts of the surrounding heap.
struct KnownClasses<'k> {
    word: u64,
    text: PrimitiveType,
    classes: &'k [Class],
    /// The bytes of the fields of `java/lang/Object`.
    above: u64,
}

impl<'k> KnownClasses<'k> {
    fn from_heap(options: &GenerateOptions, heap: &'k Heap) -> KnownClasses<'k> {
        let word = options.word.bytes() as u64;
        let mut known = KnownClasses { word, text: options.library.text_element(), classes: &heap.classes, above: 0 };
        known.above =
            field_bytes(known.class(OBJECT).into_iter().flat_map(|class| class.fields.iter().flatten()), word);
        known
    }

    fn class(&self, name: &str) -> Option<&'k Class> {
        let name = Name::from_text(name);
        self.classes.iter().find(|class| class.name == name)
    }

    fn kind(&self, kind: ShapeObjects, own: &[(OwnClass, Address)]) -> PlacedKind {
        let of_known = |class: Option<&Class>| {
            let fields = class.and_then(|class| class.fields.clone()).unwrap_or_default();
            (fields, class.map(|class| class.address))
        };
        let (fields, class): (Vec<Field>, Option<Address>) = match kind.of {
            KindClass::Own(place) => (own[place].0.fields.clone(), Some(own[place].1)),
            KindClass::InTurn(_) => (own.first().map(|(class, _)| class.fields.clone()).unwrap_or_default(), None),
            KindClass::Known(name) => of_known(self.class(name)),
            KindClass::Characters => of_known(self.class(&format!("[{}", self.text.signature()))),
        };
        let array = |payload: u64| array_size(payload, self.word);
        let size = match kind.body {
            KindBody::Fields => instance_size(field_bytes(&fields, self.word) + self.above, self.word, self.word),
            KindBody::Elements(length) => array(self.word * length),
            KindBody::Bytes(length) => array(length),
            KindBody::Key(length) => array(self.text.size() * length),
        };
        let references = match (kind.body, kind.of) {
            // A string refers to its characters alone.
            (KindBody::Fields, KindClass::Known(_)) => 1,
            (KindBody::Fields, _) => fields.iter().filter(|field| field.kind == FieldType::Object).count() as u64,
            (KindBody::Elements(length), _) => length,
            (KindBody::Bytes(_) | KindBody::Key(_), _) => 0,
        };
        PlacedKind { kind, size, class, fields, references }
    }
}

impl PlacedRun {
    /// Allocates addresses for the run.
    fn reserve(&mut self, sizes: &[u64], ground: &mut AddressAllocator) -> Option<()> {
        self.stride = 0;
        self.offsets.clear();
        for &kind in &self.unit {
            self.offsets.push(self.stride);
            self.stride += ground.pitch(sizes[kind]);
        }
        self.base = ground.reserve(u128::from(self.stride) * u128::from(self.count))?;
        Some(())
    }
}
