#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::conversion::a_conversion_of_anything_ends_with_a_dump_or_an_error(bytes));
