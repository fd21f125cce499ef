//! The front door, as a user sees it.

mod decoders;
mod same_heap;
mod shrinking;
mod sources;
