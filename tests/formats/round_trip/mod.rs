//! Generated heaps through every writer and back; and what they reach.

mod classic;
mod hprof;
mod phd;
