#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heapsmith::properties::classic::decoding_and_encoding_again_is_the_identity(bytes));
