//! Scaling: the growth of the cost of reading. Dumps are doubled in one thing until an answer takes long enough, fails,
//! or the dump is large.

mod ask;
mod grown;
mod growth;
mod report;
mod series;
mod shapes;

use std::time::Duration;

use crate::check::introduction::{ask_hello, label, unique_label};
use crate::check::protocol::{Hello, Level};
use crate::check::subject::{Subject, SubjectKind};
use heapsmith_core::error::Error;
use heapsmith_core::format::{Family, Format};
use heapsmith_core::setters::setters;
use heapsmith_core::system;

pub use growth::Growth;
pub use report::{DumpCost, GrowthSeries, ReadFailure, SCHEMA, ScaledImplementation, Scaling};
#[doc(hidden)]
pub use shapes::ScalingDump;

use ask::Asker;
use shapes::ScalingShape;

/// The options of a scaling run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScalingOptions {
    /// The only format, if any.
    pub format: Option<Family>,
    /// The length of the largest dump.
    pub largest_dump: u64,
    /// The time of an answer after which no larger dump of the same kind is tried.
    pub enough: Duration,
}

impl Default for ScalingOptions {
    /// Limits within which a quick parser is done in two minutes.
    fn default() -> ScalingOptions {
        ScalingOptions { format: None, largest_dump: 16 << 20, enough: Duration::from_secs(1) }
    }
}

setters! {
    impl ScalingOptions {
        option format: Family;
        set largest_dump: u64;
        set enough: Duration;
    }
}

/// Asks implementations about dumps of growing size, and judges how time and memory grow. Of each format the newest version
/// that they read is taken. `progress` is called with each kind of dump before it is asked about.
///
/// # Errors
/// If a dump cannot be made or written, or heapsmith's own program or an implementation cannot be started. What goes wrong
/// with an implementation otherwise is part of the report.
pub fn scale(subjects: &[Subject], options: &ScalingOptions, progress: &dyn Fn(&str)) -> Result<Scaling, Error> {
    let mut implementations: Vec<ScaledImplementation> = Vec::new();
    for subject in subjects {
        let hello = ask_hello(subject)?;
        let told = hello.as_ref().ok().and_then(Option::as_ref);
        let is_taken = |label: &str| implementations.iter().any(|other| other.label == label);
        let mut scaled = ScaledImplementation {
            label: unique_label(label(subject, told), is_taken),
            kind: subject.kind.name().to_owned(),
            command: subject.command.clone(),
            error: hello.as_ref().err().cloned(),
            ..ScaledImplementation::default()
        };
        if hello.is_ok() {
            let subject = with_level(subject, told);
            scaled.level = told.map(|told| subject.effective_level(told).to_string());
            let asker = Asker { subject: &subject, hello: told, options };
            for format in newest_formats(&subject, told, options) {
                for shape in ScalingShape::for_family(format.family()) {
                    progress(&format!("{format}: {}", shape.name));
                    scaled.series.extend(series::measure_series(&asker, format, shape)?);
                }
            }
        }
        implementations.push(scaled);
    }
    Ok(Scaling {
        schema: SCHEMA,
        heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
        largest_dump: options.largest_dump,
        enough_milliseconds: options.enough.as_secs_f64() * 1e3,
        implementations,
        incomplete: subjects.iter().find_map(|subject| subject.stop.signal()).map(system::name_of),
    })
}

/// A dump of every kind in a format, with `count` of the growing thing: for tests.
///
/// # Errors
/// If one cannot be written, which would be a defect.
#[doc(hidden)]
pub fn scaling_dumps(format: Format, count: u64) -> Result<Vec<ScalingDump>, Error> {
    ScalingShape::for_family(format.family()).map(|shape| shape.dump(format, count)).collect()
}

/// Counts, unless another level is asked for: a number takes no time to write, and reading has to come to an end for it.
fn with_level(subject: &Subject, hello: Option<&Hello>) -> Subject {
    let has_counts = hello.is_some_and(|hello| hello.levels.contains(&Level::Counts));
    let level = subject.level.or(has_counts.then_some(Level::Counts));
    Subject { level, ..subject.clone() }
}

/// The newest version of each format that is read; of a program that does not say what it reads, of every format.
fn newest_formats(subject: &Subject, hello: Option<&Hello>, options: &ScalingOptions) -> Vec<Format> {
    let is_read = |format: &Format| match (&subject.kind, hello) {
        (SubjectKind::Adapter, Some(hello)) => hello.can_read(*format),
        _ => true,
    };
    let families = Family::ALL.into_iter().filter(|family| options.format.is_none_or(|wanted| wanted == *family));
    families.filter_map(|family| family.formats().filter(is_read).last()).collect()
}
