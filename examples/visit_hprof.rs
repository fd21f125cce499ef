//! Reads an HPROF dump and adds up every field of every instance and every element of every array.
//!
//! One pass is enough where classes come before their instances, as HotSpot writes them; what comes before its
//! class is read in a second pass. This is the decoding that `benches/hprof.sh` measures:
//!
//! ```text
//! cargo run --release --example visit_hprof -- heap.hprof
//! ```

use std::error::Error;
use std::fs::File;

use heapsmith::error::DecodeError;
use heapsmith::hprof::lift::Layouts;
use heapsmith::hprof::sub_record::ClassDump;
use heapsmith::hprof::{Decoder, IdSize, Step, SubRecord};
use heapsmith::model::Value;

#[derive(Default)]
struct Sums {
    instances: u64,
    object_arrays: u64,
    primitive_arrays: u64,
    /// Instances that came before their class.
    early: u64,
    /// Sum of all field values' bits, modulo 2^64.
    fields: u64,
    /// Sum of all elements' bits, modulo 2^64.
    elements: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: visit_hprof DUMP")?;
    let mut classes = Classes::new(Decoder::new(File::open(&path)?)?.header().id_size);
    let mut sums = Sums::default();
    pass(&path, |sub_record| match sub_record {
        SubRecord::Class(class) => classes.add(class),
        SubRecord::Instance(r) => {
            sums.instances += 1;
            let layouts = classes.layouts();
            let mut sum = 0_u64;
            if layouts.visit_values(r.class, &r.values, |value: Value| sum = sum.wrapping_add(value.bits)) {
                sums.fields = sums.fields.wrapping_add(sum);
            } else {
                sums.early += 1;
            }
        }
        SubRecord::ObjectArray(r) => {
            sums.object_arrays += 1;
            sums.elements = sums.elements.wrapping_add(sum(&r.elements, classes.id.bytes()));
        }
        SubRecord::PrimitiveArray(r) => {
            sums.primitive_arrays += 1;
            sums.elements = sums.elements.wrapping_add(sum(&r.elements, r.head.element.size() as usize));
        }
        _ => {}
    })?;
    if sums.early > 0 {
        let mut late = Sums::default();
        pass(&path, |sub_record| {
            if let SubRecord::Instance(r) = sub_record {
                classes.layouts().visit_values(r.class, &r.values, |value| {
                    late.fields = late.fields.wrapping_add(value.bits);
                });
            }
        })?;
        sums.fields = late.fields;
    }
    println!(
        "{} instances, {} object arrays, {} primitive arrays; fields {:#x}, elements {:#x}",
        sums.instances, sums.object_arrays, sums.primitive_arrays, sums.fields, sums.elements
    );
    Ok(())
}

/// Calls `visit` with every sub-record; contents of more than 256 KiB come in pieces, each as a sub-record of its own
/// kind here, since only their elements matter.
fn pass(path: &str, mut visit: impl FnMut(&SubRecord<'_>)) -> Result<(), Box<dyn Error>> {
    let mut decoder = Decoder::new(File::open(path)?)?;
    let mut open: Option<SubRecord<'static>> = None;
    decoder.visit::<DecodeError, _>(|step| {
        match step {
            Step::Sub(at, sub_record) => {
                visit(sub_record);
                if at.rest > 0 {
                    open = Some(sub_record.clone().into_owned());
                }
            }
            Step::More(at) => {
                if let Some(sub_record) = &mut open {
                    match sub_record {
                        SubRecord::ObjectArray(r) => r.elements = at.bytes.to_vec().into(),
                        SubRecord::PrimitiveArray(r) => r.elements = at.bytes.to_vec().into(),
                        _ => {}
                    }
                    visit(sub_record);
                }
            }
            Step::Record(..) | Step::Segment(..) | Step::SegmentEnd(_) => {}
        }
        Ok(())
    })?;
    Ok(())
}

/// The layouts of the classes so far, made anew when an instance comes after more of them.
struct Classes {
    id: IdSize,
    known: Vec<ClassDump>,
    layouts: Layouts,
    stale: bool,
}

impl Classes {
    fn new(id: IdSize) -> Classes {
        Classes { id, known: Vec::new(), layouts: Layouts::new(id, std::iter::empty()), stale: false }
    }

    fn add(&mut self, class: &ClassDump) {
        self.known.push(class.clone());
        self.stale = true;
    }

    fn layouts(&mut self) -> &Layouts {
        if self.stale {
            let laid_out =
                self.known.iter().map(|c| (c.id, c.superclass, c.fields.iter().map(|(_, kind)| *kind).collect()));
            self.layouts = Layouts::new(self.id, laid_out);
            self.stale = false;
        }
        &self.layouts
    }
}

/// The sum of big-endian numbers, modulo 2^64.
fn sum(bytes: &[u8], size: usize) -> u64 {
    fn of<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> u64) -> u64 {
        bytes.as_chunks::<N>().0.iter().fold(0, |sum: u64, chunk| sum.wrapping_add(number(*chunk)))
    }
    match size {
        1 => bytes.iter().map(|b| u64::from(*b)).sum(),
        2 => of(bytes, |b| u64::from(u16::from_be_bytes(b))),
        4 => of(bytes, |b| u64::from(u32::from_be_bytes(b))),
        _ => of(bytes, u64::from_be_bytes),
    }
}
