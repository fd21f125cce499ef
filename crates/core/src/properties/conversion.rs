//! The properties of conversions.

use arbitrary::Unstructured;

use crate::compare::MEMORY;
use crate::convert::{ConvertOptions, ConvertedHeap, convert, judge};
use crate::draw::{BytesDraw, Draw};
use crate::family::WriteRequest;
use crate::format::DumpTarget;
use crate::format::{DumpFile, Format, Lowering};
use crate::generate::generate;
use crate::hprof::ReadOptions;
use crate::input::Input;
use crate::model::{DumpSource, Heap, HeapSource};

use super::FormatProperties;

/// Every property, by name.
pub const PROPERTIES: FormatProperties = FormatProperties {
    of: "convert",
    of_bytes: &[(
        "a_conversion_of_anything_ends_with_a_dump_or_an_error",
        a_conversion_of_anything_ends_with_a_dump_or_an_error,
    )],
    of_heaps: &[("a_conversion_keeps_what_the_table_says", a_conversion_keeps_what_the_table_says)],
};

/// Any dump that can be read becomes a dump of any format that can be read, or there is an error.
pub fn a_conversion_of_anything_ends_with_a_dump_or_an_error(bytes: &[u8]) {
    let Ok(file) = DumpFile::new(Input::from_memory("fuzz", bytes.to_vec()), ReadOptions::default()) else { return };
    let Ok(mut source) = file.source() else { return };
    let Ok(heap) = Heap::collect(source.heap(0)) else { return };
    for format in Format::all() {
        let Ok(lowering) = Lowering::new(format, &WriteRequest::default()) else { continue };
        let options = ConvertOptions::new(&lowering).budget(1 << 20);
        let mut written = Vec::new();
        if convert(&mut heap.clone(), &options, &mut written).is_ok() {
            read(written);
        }
    }
}

/// A random heap, written by one writer and converted to another, is judged faithful.
pub fn a_conversion_keeps_what_the_table_says(bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let mut draw = BytesDraw(&mut bytes);
    let targets: Vec<DumpTarget> = DumpTarget::all().into_iter().filter(|target| target.profile.is_some()).collect();
    let mut pick = || targets[draw.below(targets.len() as u64) as usize].clone();
    let (from, to) = (pick(), pick());
    let seed = draw.below(1 << 16);
    let lowering = |target: &DumpTarget| {
        let wishes = WriteRequest { profile: target.profile.clone(), seed, ..WriteRequest::default() };
        Lowering::new(target.format, &wishes).unwrap_or_else(|e| panic!("{target}: {e}"))
    };
    let (writer, target) = (lowering(&from), lowering(&to));
    let mut heap = generate(&writer.generate_options(24, None), &mut draw);
    let mut source = converted(&mut heap, &writer);
    let mut result = converted(&mut source.clone(), &target);
    let verdict = judge(&mut source, &mut result, &to, MEMORY).unwrap_or_else(|e| panic!("{from} to {to}: {e}"));
    assert!(verdict.faithful, "{from} to {to}: {:?} {:?}", verdict.changed, verdict.missing);
}

fn converted(heap: &mut dyn HeapSource, lowering: &Lowering) -> Heap {
    let options = ConvertOptions::new(lowering);
    let mut converted = ConvertedHeap::new(heap, &options).unwrap_or_else(|e| panic!("{}: {e}", lowering.profile()));
    let mut written = Vec::new();
    let written_all = lowering.write(&mut (&mut converted as &mut dyn HeapSource), &mut written);
    written_all.unwrap_or_else(|e| panic!("{}: {e}", lowering.profile()));
    read(written)
}

fn read(bytes: Vec<u8>) -> Heap {
    let file = DumpFile::new(Input::from_memory("converted", bytes), ReadOptions::default());
    let whole = file.and_then(|file| file.read()).unwrap_or_else(|e| panic!("a converted dump: {e}"));
    whole.ended.unwrap_or_else(|e| panic!("a converted dump: {e}"));
    whole.dump.heaps.into_iter().next().unwrap_or_default()
}
