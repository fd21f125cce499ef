//! Signals end every command in order: no temporary file stays, no half-written output, no process; `check` says what was
//! judged so far.
#![cfg(unix)]

mod bench;
mod check;
mod commands;
mod reading;
