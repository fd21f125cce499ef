//! Third-party parsers, converters and writers: run over cases, judged by their answers.
//!
//! ```text
//! CaseChoice ─▶ CaseSource, Task ─▶ run (batches) ─▶ subject (a process under its supervisor)
//!            ─Reply─▶ judge ─▶ CheckReport
//! ```

pub mod campaign;
mod cause_reduction;
mod causes;
mod closure;
mod declarations;
mod differential;
mod effort;
pub mod evidence;
mod examine;
mod expected;
mod experiment;
mod failure_oracle;
mod filter;
mod full_run;
mod index;
mod introduction;
mod judge;
mod kept_answers;
mod merge;
mod output_rules;
mod predecessors;
mod process;
pub mod protocol;
mod repeat;
pub mod report;
mod run;
mod scaling;
mod serve;
mod sources;
mod streamed_dump;
mod subject;
mod task;
mod tasks;
mod verdict;

pub use campaign::{Campaign, CampaignOptions};
pub use closure::{CheckDecoder, DecoderReport, FailedCase, Failures, SkippedCase, check_closure, check_decoder};
pub use declarations::{DECLARATIONS, Declaration, ambiguities};
pub use examine::{Examination, ExaminationStep, Fault, examine};
pub use expected::{ExpectedFailure, ExpectedFailures, ExpectedUpdate, OutdatedLine};
pub use failure_oracle::{CommandOracle, FailureOracle, OraclePool};
pub use filter::Filter;
pub use full_run::{CheckResult, check};
pub use judge::decoder_answer::DecoderAnswer;
pub use kept_answers::{KeptAnswers, KeptDump, KeptFiles, ListedDump, ReportFolder, read_report};
pub use merge::merge;
pub use process::{Budget, Sweeper, supervise};
pub use report::evidence::{Evidence, EvidenceField, NeighbourEdge, NeighbourNode, Neighbourhood};
pub use report::{CaseResult, CheckReport, Outcome};
pub use run::{CheckOptions, CheckProgress};
pub use scaling::{
    DumpCost, Growth, GrowthSeries, ReadFailure, SCHEMA as SCALING_SCHEMA, ScaledImplementation, Scaling,
    ScalingOptions, scale,
};
#[doc(hidden)]
pub use scaling::{ScalingDump, scaling_dumps};
pub use serve::serve;
pub use sources::UserDump;
pub use subject::{BATCH, HostedAdapter, Subject, SubjectKind};
pub use task::{CaseChoice, CaseSource, OperationKind, Task, TaskOperation, WantedOperations};
