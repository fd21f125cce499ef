//! The options that name the implementation under test and its limits, which commands have in common.

use std::time::Duration;

use crate::check::protocol::{Declares, Level};
use crate::check::{Budget, Subject, SubjectKind};
use crate::error::Error;
use crate::format::{DumpTarget, Family, Format};
use crate::interrupt::Stop;
use clap::Args;

use crate::command::family;

#[derive(Args)]
pub(crate) struct SubjectOpts {
    /// An adapter: a command, quoted as for a shell. Without it, --decoder, --converter or --encoder.
    #[arg(long, value_name = "CMD ARGS")]
    adapter: Vec<String>,
    /// A program that prints listings: a command, quoted as for a shell; `{}` stands for the dump's path, `{heap}` for
    /// the index of the heap that is asked for. Without it, --adapter, --converter or --encoder; without `{heap}`, dumps of several heaps are skipped.
    #[arg(long, value_name = "CMD {}")]
    decoder: Vec<String>,
    /// A converter: a command in which `{in}` and `{out}` stand for the paths of two dumps. Needs --to. Without it,
    /// --adapter, --decoder or --encoder.
    #[arg(long, value_name = "CMD {in} {out}", requires = "to")]
    converter: Vec<String>,
    /// A writer: a command in which `{in}` stands for the path of a listing and `{out}` for that of the dump. Needs --to.
    /// Without it, --adapter, --decoder or --converter.
    #[arg(long, value_name = "CMD {in} {out}", requires = "to")]
    encoder: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = format!("Format that the converter reads: {}; or one version of it: {}. Without it, all formats", Family::names(), Format::names()))]
    from: Option<String>,
    /// What a converter or encoder writes: a format, or a format and a profile (phd6/openj9). With a profile its dumps have
    /// to carry what that writer's do, and else what those of any known writer do. --converter and --encoder require it; without it,
    /// adapters are asked for all formats that they declare.
    #[arg(long, value_name = "FORMAT")]
    to: Option<DumpTarget>,
    /// Accept a converter's or encoder's own addresses if the graph is the same. Without it, addresses are compared.
    #[arg(long, requires = "to")]
    up_to_renaming: bool,
    /// The level of answers that adapters are asked for, where they have it: verdict, counts, answers,
    /// digest or listing. Without it, the highest that they have.
    #[arg(long)]
    level: Option<Level>,
    /// How the decoders tell facts, as a key of the answer to hello has it of adapters, and more of these: --declare
    /// statics=any-order. `heapsmith adapter readings` lists them. Without it, booleans and names are found out, and everything else
    /// is told as in specs/listing.md.
    #[arg(long, value_name = "KEY=CHOICE", requires = "decoder")]
    declare: Vec<String>,
    /// Seconds for a case, and half a second more for each MiB of its dump.
    #[arg(long, default_value_t = 10.0)]
    time_limit: f32,
    /// MiB of memory for a case, over the program and all that it starts, and 32 times its dump's size more. What counts:
    /// the resident sets of all processes, shared memory that they hold open (memfd, shm_open) or have made (System V),
    /// and files in their TMPDIR where that lies in memory (tmpfs).
    #[arg(long, default_value_t = 2048)]
    memory_limit: u64,
}

impl SubjectOpts {
    pub(crate) fn subjects(&self, stop: &Stop) -> Result<Vec<Subject>, Error> {
        let time = Duration::try_from_secs_f32(self.time_limit)
            .map_err(|e| Error::Usage(format!("--time-limit {}: {e}", self.time_limit)))?;
        let budget = Budget::default().time(time).memory(self.memory_limit << 20);
        let mut declares = Declares::default();
        for declared in &self.declare {
            let (key, choice) = declared.split_once('=').unwrap_or((declared, ""));
            declares.declare(key, choice).map_err(|e| Error::Usage(format!("--declare {declared}: {e}")))?;
        }
        let supervisor = std::env::current_exe().map_err(|e| Error::io("finding heapsmith's own program", e))?;
        let subject = |kind: SubjectKind, flag: &str, command: &String, places: &[&str]| {
            let words = shell_words::split(command).map_err(|e| {
                Error::Usage(format!("--{flag} {command:?}: expected a command quoted as for a shell: {e}"))
            })?;
            if words.is_empty() {
                return Err(Error::Usage(format!("--{flag}: expected a command, found an empty text")));
            }
            if let Some(place) = places.iter().find(|place| !words.iter().any(|word| word.contains(**place))) {
                return Err(Error::Usage(format!("--{flag} must contain {place} where {} goes", describe_path(place))));
            }
            let declares = if kind == SubjectKind::Decoder { declares.clone() } else { Declares::default() };
            let subject = Subject::new(kind, command, words, supervisor.clone());
            Ok(subject.budget(budget).level(self.level).declares(declares).stop(stop.clone()))
        };
        let mut subjects = Vec::new();
        for command in &self.adapter {
            subjects.push(subject(SubjectKind::Adapter, "adapter", command, &[])?);
        }
        for command in &self.decoder {
            subjects.push(subject(SubjectKind::Decoder, "decoder", command, &["{}"])?);
        }
        let files = ["{in}", "{out}"];
        for (commands, flag) in [(&self.converter, "converter"), (&self.encoder, "encoder")] {
            for command in commands {
                let to = self
                    .to
                    .clone()
                    .ok_or_else(|| Error::Usage(format!("--{flag} needs --to, the format that it writes")))?;
                let renames = self.up_to_renaming;
                let kind = match flag {
                    "converter" => {
                        // A family alone leaves the version open.
                        let from = self.from.as_deref().filter(|from| family(from).is_err());
                        SubjectKind::Converter { from: from.map(str::parse).transpose()?, renames, to }
                    }
                    _ => SubjectKind::Encoder { renames, to },
                };
                subjects.push(subject(kind, flag, command, &files)?);
            }
        }
        Ok(subjects)
    }

    /// The format that is asked about, where a converter reads no other, or an encoder writes no other.
    pub(crate) fn format(&self) -> Result<Option<Family>, Error> {
        let written = self.to.as_ref().filter(|_| !self.encoder.is_empty()).map(|to| to.format.family());
        let read = self.from.as_deref().map(source_family).transpose()?;
        Ok(read.or(written))
    }
}

/// The file whose path takes a place in a command, in words.
fn describe_path(place: &str) -> &'static str {
    match place {
        "{in}" => "the input's path",
        "{out}" => "the output's path",
        _ => "the dump's path",
    }
}

/// The family of formats that a converter reads.
fn source_family(name: &str) -> Result<Family, Error> {
    match family(name) {
        Ok(family) => Ok(family),
        Err(_) => Ok(name.parse::<Format>()?.family()),
    }
}
