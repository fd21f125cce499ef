#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::classic::what_a_rewritten_dump_carries_comes_back(bytes));
