//! All that jvm-hprof tells of a dump. A panic is caught, and its place printed once: the run goes on.
#![no_main]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::{Mutex, Once};

use jvm_hprof::heap_dump::SubRecord;
use jvm_hprof::parse_hprof;
use libfuzzer_sys::fuzz_target;

static PLACES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    // libFuzzer's crate ends the program at a panic; this hook takes its place.
    QUIET.call_once(|| {
        set_hook(Box::new(|panic| {
            let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
            if PLACES.lock().is_ok_and(|mut places| places.insert(place.clone())) {
                eprintln!("PANIC {place}");
            }
        }));
    });
    let _ = catch_unwind(AssertUnwindSafe(|| read(data)));
});

/// Reads as far as the library does.
fn read(data: &[u8]) -> Option<()> {
    let dump = parse_hprof(data).ok()?;
    let size = dump.header().id_size();
    black_box((dump.header().label().ok(), dump.header().timestamp_millis()));
    for record in dump.records_iter() {
        let record = record.ok()?;
        black_box(record.as_utf_8().map(|text| text.ok().map(|text| text.text_as_str().map(str::len).ok())));
        black_box(record.as_load_class().map(|class| class.ok().map(|class| class.class_name_id())));
        black_box(record.as_stack_frame().map(|frame| frame.ok().map(|frame| frame.line_num())));
        black_box(
            record
                .as_stack_trace()
                .map(|trace| trace.ok().map(|trace| trace.frame_ids().filter(Result::is_ok).count())),
        );
        let Some(segment) = record.as_heap_dump_segment() else { continue };
        for sub_record in segment.ok()?.sub_records() {
            match sub_record.ok()? {
                SubRecord::Class(class) => {
                    for field in class.static_fields() {
                        black_box(field.ok()?.value());
                    }
                    for field in class.instance_field_descriptors() {
                        black_box(field.ok()?.field_type());
                    }
                }
                SubRecord::Instance(instance) => {
                    black_box((instance.obj_id(), instance.fields().len()));
                }
                SubRecord::ObjectArray(array) => {
                    for element in array.elements(size) {
                        black_box(element.ok()?);
                    }
                }
                SubRecord::PrimitiveArray(array) => {
                    black_box(array.bytes().map(|all| all.filter(Result::is_ok).count()));
                    black_box(array.longs().map(|all| all.filter(Result::is_ok).count()));
                    black_box(array.chars().map(|all| all.filter(Result::is_ok).count()));
                    black_box(array.doubles().map(|all| all.filter(Result::is_ok).count()));
                }
                other => {
                    black_box(format!("{other:?}").len());
                }
            }
        }
    }
    Some(())
}

#[cfg(feature = "structured")]
mod structured {
    use heapsmith::mutator::{cross_over_into, mutate_in_place};
    use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzzer_mutate};

    fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
        let room = max_size.min(data.len());
        mutate_in_place(&mut data[..room], size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
    });

    fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
        cross_over_into(one, other, out, seed).unwrap_or_else(|| {
            let size = one.len().min(out.len());
            out[..size].copy_from_slice(&one[..size]);
            size
        })
    });
}
