#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::hprof::nothing_of_a_spelling_stays(bytes));
