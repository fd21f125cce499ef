#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::classic::a_heap_comes_back_from_its_dump(bytes));
