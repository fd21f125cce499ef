//! Dumps besides the corpus: those of the user, random ones, and those of a campaign.

mod converted;
mod decoded;
mod plan;
mod random;
mod user_dump;

pub(super) use converted::case_as_target;
pub(super) use decoded::case_from_bytes;
pub use plan::CASES;
pub(super) use plan::CampaignPlan;
pub(super) use plan::{DrawnCase, SeedDump};
pub(super) use random::{apply_edit, compress_case, parse_random_id, random_case, random_id};
pub use user_dump::UserDump;
