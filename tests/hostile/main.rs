//! Damaged input: cut at every byte, flipped in every bit, shrinking while it is read.

mod phd;
