//! NAME under libFuzzer. heapsmith changes the dumps.
#![no_main]

use heapsmith::mutator::{cross_over_into, mutate_in_place};
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};

/// A parser of HPROF's records, for the template to work as it is: put the call of yours in its place. It must neither panic nor hang,
/// whatever the bytes are.
fn parse(dump: &[u8]) -> Option<usize> {
    let text = dump.strip_prefix(b"JAVA PROFILE ")?;
    let zero = text.iter().position(|byte| *byte == 0)?;
    let (mut rest, mut records) = (text.get(zero + 1 + 4 + 8..)?, 0);
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest.get(5..9)?.try_into().ok()?);
        rest = rest.get(9 + usize::try_from(length).ok()?..)?;
        records += 1;
    }
    Some(records)
}

fuzz_target!(|data: &[u8]| {
    parse(data);
});

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
