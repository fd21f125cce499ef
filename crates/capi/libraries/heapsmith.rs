//! The C library: the functions of `heapsmith.h`, and nothing else.

pub use heapsmith_capi::*;
