//! How much memory damaged dumps can make us allocate.
//!
//! A test program of its own, with one test: it watches the allocator.

use heapsmith::corpus::cases;
use heapsmith::error::DecodeError;
use heapsmith::input::Input;
use heapsmith::phd::{Decoder, annotate, lift};
use heapsmith::validate::{ValidateOptions, validate};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Everything that reads a dump, on bytes that the caller owns.
fn read(bytes: &[u8]) {
    if let Ok(mut decoder) = Decoder::new(bytes) {
        drop(lift::heap(&mut decoder));
    }
    if let Ok(mut decoder) = Decoder::new(bytes) {
        let _ = annotate::visit::<_, DecodeError, _>(&mut decoder, |_| Ok(()));
    }
}

#[test]
fn reading_a_damaged_dump_allocates_at_most_16_times_its_size_and_a_mebibyte() {
    let mut worst = 0.0_f64;
    let mut measure = |what: &str, bytes: &[u8]| {
        let input = Input::memory("memory", bytes.to_vec());
        for graph in [false, true] {
            let before = ALLOCATED.current_usage();
            ALLOCATED.reset_peak_usage();
            if graph {
                read(bytes);
            }
            drop(validate(&input, ValidateOptions { graph, ..ValidateOptions::default() }));
            let peak = ALLOCATED.peak_usage() - before;
            let allowed = 16 * bytes.len() + (1 << 20);
            worst = worst.max(peak as f64 / allowed as f64);
            assert!(peak <= allowed, "{what}: {peak} bytes for a dump of {}", bytes.len());
        }
    };
    let cases = cases().expect("recipes work");
    for case in &cases {
        measure(&case.id, &case.bytes);
    }
    let golden = cases.iter().find(|case| case.id == "phd6-openj9-32").expect("a golden dump");
    for length in 0..golden.bytes.len() {
        measure(&format!("cut at {length}"), &golden.bytes[..length]);
    }
    for bit in 0..golden.bytes.len() * 8 {
        let mut flipped = golden.bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        measure(&format!("bit {bit}"), &flipped);
    }
    // Counts that claim far more than there is, in a larger file.
    let mut claims = golden.bytes[..36].to_vec();
    for _ in 0..20_000 {
        claims.extend_from_slice(b"\x24\x08\x7f\x00\x00\x00\x01");
    }
    claims.extend_from_slice(b"\x04\x30\x08\0\0\0\0\x7f\xff\xff\xff");
    measure("a claim of 2^31 - 1 references", &claims);
    println!("the worst took {:.0} % of what is allowed", worst * 100.0);
}
