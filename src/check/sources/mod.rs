//! Dumps besides the corpus: those of the user, random ones, and those of a campaign.

mod decoded;
mod own;
mod plan;
mod random;

pub(super) use decoded::own_case;
pub use own::OwnDump;
pub use plan::CASES;
pub(super) use plan::Drawn;
pub(super) use plan::Plan;
pub(super) use random::{compressed, damaged, numbers, random_case, random_id};
