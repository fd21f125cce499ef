//! Third-party parsers, converters and writers: run over cases, judged by their answers.
//!
//! ```text
//! Choice ─▶ Source, Task ─▶ run (batches) ─▶ subject (a process under its supervisor) ─Reply─▶ judge ─▶ Report
//! ```

mod among;
pub mod campaign;
mod causes;
mod closure;
mod declarations;
mod effort;
pub mod evidence;
mod examine;
mod expected;
mod filter;
mod full_run;
mod held;
mod index;
mod introduction;
mod judge;
mod kept;
mod merge;
mod process;
pub mod protocol;
mod repeat;
pub mod report;
mod run;
mod scaling;
mod serve;
mod shows;
mod smallest;
mod sources;
mod streamed;
mod subject;
mod task;
mod tasks;

pub use campaign::{Campaign, CampaignOptions};
pub use closure::{CheckDecoder, DecoderReport, Failed, Failures, Skipped, check_decoder};
pub use declarations::{DECLARATIONS, Declaration, all_ambiguities as ambiguities};
pub use examine::{Examination, Fault, Step, examine};
pub use expected::{Entry, ExpectedFailures, Update};
pub use filter::Filter;
pub use full_run::{Checked, check};
pub use judge::decoder_answer::Answer;
pub use kept::{Kept, KeptDump, KeptFiles, ListedDump, ReportFolder, read_report};
pub use merge::merge;
pub use process::{Budget, Sweeper, supervise};
pub use report::evidence::{Edge, Evidence, Field, Neighbourhood, Node};
pub use report::{CaseResult, Outcome, Report};
pub use run::{Options, Progress};
#[doc(hidden)]
pub use scaling::{Dump as ScalingDump, dumps as scaling_dumps};
pub use scaling::{Failure, Growth, SCHEMA as SCALING_SCHEMA, Scaled, Scaling, ScalingOptions, Series, Size, scale};
pub use serve::serve;
pub use shows::{Asking, Test, Wrong};
pub use sources::OwnDump;
pub use subject::{BATCH, Kind, Subject};
pub use task::{Choice, Operation, Source, Task, Wanted, What};
