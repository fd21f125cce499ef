#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::conversion::a_conversion_keeps_what_the_table_says(bytes));
