#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::classic::the_size_of_reads_does_not_matter(bytes));
