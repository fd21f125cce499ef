#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::classic::generated_dumps_validate_clean(bytes));
