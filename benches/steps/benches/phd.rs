//! Each step between a seed and a verdict, on one heap. Bytes are those of its dump.
//!
//! `yardstick.sh` says how fast that is; this says which step became slower.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use heapsmith::error::DecodeError;
use heapsmith::generate::{GenerateOptions, from_seed};
use heapsmith::input::Input;
use heapsmith::phd::{Decoder, LowerOptions, Record, Version, encode, lift, lower};
use heapsmith::validate::{ValidateOptions, validate};

fn phd(criterion: &mut Criterion) {
    let options = GenerateOptions::default().objects(20_000);
    let lowering = LowerOptions::new(Version::V6);
    let mut heap = from_seed(&options, 1);
    let dump = lower::to_bytes(&heap, &lowering).expect("a generated heap can be told");
    let records = records(&dump);
    let layout = open(&dump).layout();
    let input = Input::from_memory("bench", dump.clone());

    let mut group = criterion.benchmark_group("phd");
    group.throughput(Throughput::Bytes(dump.len() as u64)).sample_size(20).measurement_time(Duration::from_secs(3));
    group.bench_function("generate", |b| b.iter(|| from_seed(black_box(&options), 1)));
    // With encoding and without writing: spelling has no door of its own for a whole heap.
    group.bench_function("lower", |b| b.iter(|| lower::write(&mut heap, &lowering, &mut std::io::sink())));
    group.bench_function("encode", |b| {
        let mut out = Vec::with_capacity(dump.len());
        b.iter(|| {
            out.clear();
            records.iter().for_each(|record| encode::record(&mut out, layout, record).expect("it was read"));
            black_box(out.len())
        });
    });
    group.bench_function("decode", |b| b.iter(|| decode(black_box(&dump))));
    group.bench_function("lift", |b| b.iter(|| lift::heap(&mut open(black_box(&dump)))));
    group.bench_function("validate", |b| b.iter(|| validate(&input, ValidateOptions::default().graph(false))));
    group.finish();
}

fn open(dump: &[u8]) -> Decoder<&[u8]> {
    Decoder::new(dump).expect("a sound header")
}

fn records(dump: &[u8]) -> Vec<Record<'static>> {
    let mut records = Vec::new();
    let ended = open(dump).visit::<DecodeError, _>(|located| {
        records.push(located.record.clone().into_owned());
        Ok(())
    });
    ended.expect("a sound body");
    records
}

/// Every field of every record, and every reference. The record escapes as a whole, so none of its
/// fields can be left unread.
fn decode(dump: &[u8]) -> i64 {
    let mut sum = 0_i64;
    let ended = open(dump).visit::<DecodeError, _>(|located| {
        if let Some(references) = black_box(located.record).references() {
            references.for_each(|units| sum = sum.wrapping_add(units.0));
        }
        Ok(())
    });
    ended.expect("a sound body");
    sum
}

criterion_group!(benches, phd);
criterion_main!(benches);
