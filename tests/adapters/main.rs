//! `check --adapter` with adapters that misbehave: the run always ends with a report, the verdict is the right one, and
//! no process is left. Needs Python; without it these tests are skipped and say so.
#![cfg(unix)]

mod action;
mod among;
mod analysers;
mod bank;
mod bench;
mod causes;
mod declared;
mod dtfj;
mod folders;
mod freedoms;
mod fuzz;
mod hostile;
mod languages;
mod large;
mod leaks;
mod new;
mod others;
mod own;
mod protocol;
mod readings;
mod scaling;
#[path = "../schema/mod.rs"]
mod schema;
mod streamed;
mod templates;
