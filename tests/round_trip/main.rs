//! Generated heaps through every writer and back; and what they reach.

mod hprof;
mod phd;
