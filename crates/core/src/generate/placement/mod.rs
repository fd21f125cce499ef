//! Shapes in a heap: room for them, their objects and classes, and their blocks.
//!
//! [`room`] gives them addresses, [`built`] makes objects and classes of them, [`runs`] blocks.

mod built;
mod room;
mod runs;

pub(super) use built::build;
pub(super) use room::{place_shapes, plan_shapes};
pub(super) use runs::RunBlocks;
