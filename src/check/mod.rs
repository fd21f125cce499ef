//! Third-party parsers, converters and writers: run over cases, judged by their answers.
//!
//! ```text
//! Choice ─▶ Source, Task ─▶ run (batches) ─▶ subject (a process under its supervisor) ─Reply─▶ judge ─▶ Report
//! ```

mod among;
pub mod campaign;
mod causes;
mod closure;
pub mod evidence;
mod examine;
mod expected;
mod filter;
mod held;
mod index;
mod introduction;
mod judge;
mod kept;
mod own;
mod process;
pub mod protocol;
mod random;
mod repeat;
pub mod report;
mod run;
mod scaling;
mod serve;
mod shows;
mod smallest;
mod streamed;
mod subject;
mod task;

pub use campaign::{Campaign, CampaignOptions};
pub use closure::{Answer, CheckDecoder, DecoderReport, Failed, Failures, Skipped, check_decoder};
pub use evidence::{Edge, Evidence, Field, Neighbourhood, Node};
pub use examine::{Examination, Fault, Step, examine};
pub use expected::{Entry, ExpectedFailures, Update};
pub use filter::Filter;
pub use judge::{DECLARATIONS, Declaration, all_ambiguities as ambiguities};
pub use kept::{Kept, KeptDump, KeptFiles, ListedDump};
pub use own::OwnDump;
pub use process::{Budget, Sweeper, supervise};
pub use report::{CaseResult, Outcome, Report, ReportFolder};
pub use run::{BATCH, Checked, Options, Progress, check};
#[doc(hidden)]
pub use scaling::{Dump as ScalingDump, dumps as scaling_dumps};
pub use scaling::{Failure, Growth, SCHEMA as SCALING_SCHEMA, Scaled, Scaling, ScalingOptions, Series, Size, scale};
pub use serve::serve;
pub use shows::{Asking, Test, Wrong};
pub use subject::{Kind, Subject};
pub use task::{Choice, Operation, Source, Task, Wanted, What};
