//! Damaged input: cut at every byte, flipped in every bit, shrinking while it is read.

mod classic;
mod hprof;
mod hprof_fields;
mod phd;
