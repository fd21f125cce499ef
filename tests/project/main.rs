//! What holds for the project's own files.

mod features;
mod layers;
mod portable;
mod rooms;
mod shared_folders;
mod supply_chain;
