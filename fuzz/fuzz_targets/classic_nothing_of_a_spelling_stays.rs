#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::classic::nothing_of_a_spelling_stays(bytes));
