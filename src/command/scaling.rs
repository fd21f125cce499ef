//! `check --scaling`.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::check::{
    DumpCost, Growth, GrowthSeries, ScaledImplementation, Scaling, ScalingOptions, Subject, Sweeper, scale,
};
use crate::error::Error;
use crate::format::Family;
use crate::interrupt::Stop;
use clap::Args;

use crate::command::terminal::TerminalProgress;
use crate::command::{CommandOutcome, terminal};

#[derive(Args)]
#[command(next_help_heading = "How the cost of reading grows")]
pub(crate) struct ScalingOpts {
    /// Instead of the cases, ask about dumps that double in one thing: threads, superclasses, classes, segments, an array, names,
    /// a linked list, references to one object, small objects. Exit code 1 if time or memory grows above n log n, or a dump is
    /// not read. Answers are judged by their counts, if an adapter has these.
    #[arg(
        long,
        conflicts_with_all = [
            "converter", "encoder", "operation", "random", "filter", "shard", "jobs", "max_hangs", "max_failures", "max_equal_ends",
            "leave_out", "expected", "report",
        ]
    )]
    scaling: bool,
    /// MiB that no dump of --scaling exceeds.
    #[arg(long, value_name = "MIB", default_value_t = 16, requires = "scaling")]
    scaling_size: u64,
    /// Seconds after which an answer is long enough, so that --scaling tries no larger dump of the same kind.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, requires = "scaling")]
    scaling_time: f32,
}

impl ScalingOpts {
    /// The options of `--scaling`, if it is given.
    pub(crate) fn options(&self, format: Option<Family>) -> Result<Option<ScalingOptions>, Error> {
        let enough = Duration::try_from_secs_f32(self.scaling_time)
            .map_err(|e| Error::Usage(format!("--scaling-time {}: {e}", self.scaling_time)))?;
        let largest = self.scaling_size.saturating_mul(1 << 20);
        let options = ScalingOptions::default().format(format).largest_dump(largest).enough(enough);
        Ok(self.scaling.then_some(options))
    }
}

/// Measures the subjects, and prints the result.
pub(crate) fn run(
    subjects: &[Subject],
    options: &ScalingOptions,
    as_json: bool,
    stop: &Stop,
) -> Result<CommandOutcome, Error> {
    let sweeper = Sweeper::new()?;
    let bar = Mutex::new(TerminalProgress::steps("asking"));
    let outcome = scale(subjects, options, &|what| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.add_planned(1);
        bar.set_message(what);
        bar.add_done(1);
    });
    drop(bar);
    drop(sweeper);
    let told = outcome?;
    if stop.signal().is_none() {
        ensure_dump_was_read(&told)?;
    }
    let printed = if as_json {
        terminal::write_json(terminal::data(), &told)
    } else {
        write!(terminal::stdout(), "{}", text(&told))
    };
    match printed {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
        printed => printed.map_err(|e| Error::io("writing standard output", e))?,
    }
    Ok(match stop.signal() {
        Some(signal) => CommandOutcome::Interrupted(signal),
        None if told.is_clean() => CommandOutcome::Yes,
        None => CommandOutcome::No,
    })
}

/// A run that asked nothing says nothing, and must not look like one in which all is well.
fn ensure_dump_was_read(told: &Scaling) -> Result<(), Error> {
    let mut all = told.implementations.iter().flat_map(|one| &one.series);
    if told.implementations.iter().any(|one| one.error.is_some()) || all.clone().any(|one| one.skipped.is_none()) {
        return Ok(());
    }
    Err(Error::Usage(match all.find_map(|one| one.skipped.as_ref()) {
        Some(reason) => format!("no dump was read, the first of them because: {reason}"),
        None => "no format is left by --format and what the implementation reads".to_owned(),
    }))
}

fn text(told: &Scaling) -> String {
    let mut text = String::new();
    for one in &told.implementations {
        if told.implementations.len() > 1 {
            text += &format!("{}\n", terminal::single_line(&one.label));
        }
        text += &match &one.error {
            Some(how) => format!("{}: {how}\n", terminal::bad("adapter-error")),
            None => table(one),
        };
    }
    if let Some(signal) = &told.incomplete {
        text += &format!("{}: ended by {signal}\n", terminal::bad("incomplete"));
    }
    text
}

fn table(one: &ScaledImplementation) -> String {
    let mut table = terminal::table(["format", "kind of dump", "up to", "dump", "time", "memory", "verdict"]);
    for series in &one.series {
        let largest = series.sizes.last().copied().or(series.empty);
        let of = |show: fn(&DumpCost) -> String| largest.as_ref().map_or_else(|| "-".to_owned(), show);
        table.add_row([
            series.format.clone(),
            series.shape.clone(),
            of(|size| size.count.to_string()),
            of(|size| format_bytes(size.bytes)),
            of(|size| format!("{:.1} ms", size.milliseconds)),
            of(|size| size.peak_memory.map_or_else(|| "-".to_owned(), format_bytes)),
            verdict(series),
        ]);
    }
    terminal::render(&table) + "\n"
}

/// The verdict on a kind of dump, the worst first.
fn verdict(series: &GrowthSeries) -> String {
    let mut said = Vec::new();
    if let Some(failure) = &series.failure {
        let how = failure.outcome.detail();
        let first = how.lines().next().unwrap_or_default();
        let name = terminal::bad(failure.outcome.name());
        said.push(format!("{name} at {}: {}", failure.count, terminal::single_line(first)));
    }
    for (what, growth) in [("time", series.time), ("memory", series.memory)] {
        if let Growth::AboveNLogN { exponent } = growth {
            said.push(format!("{what} {} above n log n: about n^{exponent:.1}", terminal::bad("grows")));
        }
    }
    if let Some(reason) = &series.skipped {
        said.push(format!("skip: {}", terminal::single_line(reason.lines().next().unwrap_or_default())));
    }
    if said.is_empty() {
        said.push(match series.time {
            Growth::NotMeasured => "too quick to be judged".to_owned(),
            _ => "n log n or less".to_owned(),
        });
    }
    said.join("; ")
}

fn format_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        _ => format!("{} MiB", bytes.div_ceil(1 << 20)),
    }
}
