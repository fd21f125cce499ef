//! The classic codec against text that is spelled by hand.
//!
//! Every expected text is a literal, put together from the pages (S0, S2) and from what the writers do besides; so is
//! every byte of an EBCDIC dump, and every heap that a text leads to.

mod dialects;
mod ebcdic;
mod errors;
mod heap;
mod iconv;
mod names;
mod page;
mod pieces;
mod slow;
mod spellings;
