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
use heapsmith::hprof::lift::InstanceLayouts;
use heapsmith::hprof::sub_record::ClassDump;
use heapsmith::hprof::{DecodeStep, Decoder, IdSize, SubRecord};
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

impl Sums {
    /// Adds up a sub-record. In one piece with the loop that decodes it, there is no call for each.
    #[inline(always)]
    fn add(&mut self, classes: &mut Classes, sub_record: &SubRecord<'_>) {
        match sub_record {
            SubRecord::Instance(r) => {
                self.instances += 1;
                let mut sum = 0_u64;
                if classes.layouts().visit_values(r.class, &r.values, |value: Value| sum = sum.wrapping_add(value.bits))
                {
                    self.fields = self.fields.wrapping_add(sum);
                } else {
                    self.early += 1;
                }
            }
            SubRecord::Class(class) => classes.add(class),
            SubRecord::ObjectArray(r) => {
                self.object_arrays += 1;
                self.add_elements(&r.elements, classes.id.bytes());
            }
            SubRecord::PrimitiveArray(r) => {
                self.primitive_arrays += 1;
                self.add_elements(&r.elements, r.head.element.size() as usize);
            }
            _ => {}
        }
    }

    fn add_elements(&mut self, bytes: &[u8], size: usize) {
        self.elements = self.elements.wrapping_add(sum(bytes, size));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: visit_hprof DUMP")?;
    let mut decoder = Decoder::new(File::open(&path)?)?;
    let mut classes = Classes::new(decoder.header().id_size);
    let id = classes.id.bytes();
    let mut sums = Sums::default();
    // Contents of more than 256 KiB come in pieces of whole elements; this is the size of an element of the open ones, in bytes.
    let mut open = None;
    decoder.visit::<DecodeError, _>(|step| {
        match step {
            DecodeStep::Sub(at, sub_record) => {
                sums.add(&mut classes, sub_record);
                if at.rest > 0 {
                    open = match sub_record {
                        SubRecord::ObjectArray(_) => Some(id),
                        SubRecord::PrimitiveArray(r) => Some(r.head.element.size() as usize),
                        _ => None,
                    };
                }
            }
            DecodeStep::More(at) => {
                if let Some(size) = open {
                    sums.add_elements(at.bytes, size);
                }
            }
            DecodeStep::Record(..) | DecodeStep::Segment(..) | DecodeStep::SegmentEnd(_) => {}
        }
        Ok(())
    })?;
    if sums.early > 0 {
        sums.fields = late(&path, &mut classes)?;
    }
    println!(
        "{} instances, {} object arrays, {} primitive arrays; fields {:#x}, elements {:#x}",
        sums.instances, sums.object_arrays, sums.primitive_arrays, sums.fields, sums.elements
    );
    Ok(())
}

/// The sum of all field values, where some came before their class: a second pass, which knows all classes.
fn late(path: &str, classes: &mut Classes) -> Result<u64, Box<dyn Error>> {
    let mut sums = Sums::default();
    Decoder::new(File::open(path)?)?.visit::<DecodeError, _>(|step| {
        if let DecodeStep::Sub(_, sub_record @ SubRecord::Instance(_)) = step {
            sums.add(classes, sub_record);
        }
        Ok(())
    })?;
    Ok(sums.fields)
}

/// The layouts of the classes so far, made anew when an instance comes after more of them.
struct Classes {
    id: IdSize,
    known: Vec<ClassDump>,
    layouts: InstanceLayouts,
    stale: bool,
}

impl Classes {
    fn new(id: IdSize) -> Classes {
        Classes { id, known: Vec::new(), layouts: InstanceLayouts::new(id, std::iter::empty()), stale: false }
    }

    fn add(&mut self, class: &ClassDump) {
        self.known.push(class.clone());
        self.stale = true;
    }

    #[inline(always)]
    fn layouts(&mut self) -> &InstanceLayouts {
        if self.stale {
            self.renew();
        }
        &self.layouts
    }

    #[cold]
    fn renew(&mut self) {
        let laid_out =
            self.known.iter().map(|c| (c.id, c.superclass, c.fields.iter().map(|(_, kind)| *kind).collect()));
        self.layouts = InstanceLayouts::new(self.id, laid_out);
        self.stale = false;
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
