//! The front door, as a user sees it.

mod builder;
mod decoders;
mod heap_file;
mod same_heap;
mod shrinking;
mod sources;
