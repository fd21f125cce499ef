//! What holds for the project's own files.

mod features;
mod layers;
mod long;
mod portable;
mod rooms;
mod shared_folders;
mod supply_chain;
