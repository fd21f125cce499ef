//! Options of how a dump is spelled, for every command that writes one.

use std::io::Write;

use crate::DumpOptions;
use crate::classic::{Charset, Newline};
use crate::convert::{Unwritten, profile_with_all_roots};
use crate::error::Error;
use crate::family::{Setting, WriteRequest};
use crate::format::{Format, Lowering, profiles};
use crate::hprof::IdSize;
use crate::model::{DumpSource, WordSize};
use crate::output::{GzipBlocks, Output};
use clap::Args;

use crate::command::terminal;

/// The options that spell the dump of an existing heap.
#[derive(Args)]
pub(crate) struct SpellingOpts {
    #[command(flatten)]
    pub(crate) writing: WritingOpts,
    /// PHD and classic: word size in bits. Default: the heap's own.
    #[arg(long, value_parser = ["32", "64"])]
    word: Option<String>,
}

/// The options that spell a dump, without its word size.
#[derive(Args)]
pub(crate) struct WritingOpts {
    #[arg(long, help = profiles_help())]
    pub(crate) profile: Option<String>,
    /// HPROF: size of identifiers in bytes. Default: the writer's own, else the heap's.
    #[arg(long, value_parser = ["1", "2", "4", "8"])]
    pub(crate) id_size: Option<String>,
    /// HPROF: number of segments of each heap, over which its sub-records are shared out evenly by number; other records come before
    /// them. Default: that of the heap file, else where the writer ends them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) segments: Option<u64>,
    /// Classic: character encoding. Default: the dump's own, utf-8 for a new one.
    #[arg(long, value_parser = charset)]
    pub(crate) encoding: Option<Charset>,
    /// Classic: ends of lines. Default: what a JVM writes in that encoding, lf or in EBCDIC nel (0x15).
    #[arg(long, value_parser = newline)]
    pub(crate) newline: Option<Newline>,
    /// Compress with gzip, in members of 1 MiB as HotSpot does. Without it, the dump is not compressed.
    #[arg(long)]
    pub(crate) gzip: bool,
}

impl SpellingOpts {
    /// The options of a format.
    pub(crate) fn lowering(&self, format: Format, seed: u64) -> Result<Lowering, Error> {
        Lowering::new(format, &WriteRequest { profile: self.writing.profile.clone(), seed, ..self.write_request() })
    }

    /// Whether anything but the compression is chosen.
    pub(crate) fn is_chosen(&self) -> bool {
        self.writing.profile.is_some()
            || self.word.is_some()
            || self.writing.id_size.is_some()
            || self.writing.segments.is_some()
            || self.is_encoding_chosen()
    }

    /// Whether an encoding is chosen.
    pub(crate) fn is_encoding_chosen(&self) -> bool {
        self.writing.encoding.is_some() || self.writing.newline.is_some()
    }

    /// The recognised options, with the widths and characters of the command line in their place.
    pub(crate) fn apply_to(&self, recognised: &Lowering) -> Result<Lowering, Error> {
        let wishes = self.write_request();
        wishes.check(recognised.format())?;
        recognised.with_request(&wishes)
    }

    /// The widths, number of segments and characters of the command line.
    pub(crate) fn write_request(&self) -> WriteRequest {
        let word = self.word.as_deref().map(|bits| if bits == "32" { WordSize::Bits32 } else { WordSize::Bits64 });
        WriteRequest { word, profile: None, ..self.writing.write_request() }
    }

    /// Writes heaps, compressed if that was asked for.
    pub(crate) fn write(&self, lowering: &Lowering, dump: &mut dyn DumpSource, output: Output) -> Result<(), Error> {
        self.writing.write(lowering, dump, output)
    }
}

impl WritingOpts {
    /// The profile, identifier size, number of segments and characters of the command line.
    pub(crate) fn write_request(&self) -> WriteRequest {
        let id_size = self.id_size.as_deref().and_then(|bytes| IdSize::from_bytes(bytes.parse().ok()?));
        let WritingOpts { segments, encoding: charset, newline, .. } = *self;
        WriteRequest { profile: self.profile.clone(), id_size, segments, charset, newline, ..WriteRequest::default() }
    }

    /// Writes heaps, compressed if that was asked for.
    pub(crate) fn write(&self, lowering: &Lowering, dump: &mut dyn DumpSource, output: Output) -> Result<(), Error> {
        self.write_with(|out| lowering.write(dump, out), output)
    }

    /// Writes a dump, compressed if that was asked for.
    pub(crate) fn write_with(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
        mut output: Output,
    ) -> Result<(), Error> {
        self.write_into(write, &mut output)?;
        output.finish()
    }

    /// Writes a dump, compressed if that was asked for, into a writer that the caller finishes.
    pub(crate) fn write_into(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        if self.gzip {
            let mut blocks = GzipBlocks::new(&mut *out);
            write(&mut blocks)?;
            blocks.finish().map_err(|e| Error::io("writing the dump", e))?;
        } else {
            write(out)?;
        }
        out.flush().map_err(|e| Error::io("writing the dump", e))
    }
}

/// Warns of facts that a dump does not record of its heaps, and names a profile that would. Gives those facts.
pub(crate) fn warn_of_unwritten(dump: &mut dyn DumpSource, lowering: &Lowering) -> Result<Unwritten, Error> {
    let unwritten = Unwritten::from_dump(dump, lowering)?;
    describe_unwritten(&unwritten, dump, lowering)?.iter().for_each(|line| terminal::warning(line));
    Ok(unwritten)
}

/// Lines about the facts that a dump does not record of its heaps, with a profile that would.
pub(crate) fn describe_unwritten(
    unwritten: &Unwritten,
    dump: &mut dyn DumpSource,
    lowering: &Lowering,
) -> Result<Vec<String>, Error> {
    let mut lines: Vec<String> = unwritten.lost_facets().into_iter().collect();
    if let Some(roots) = unwritten.omitted_roots() {
        let other = profile_with_all_roots(dump, lowering)?;
        let remedy = other.map(|name| format!("; --profile {name} writes them"));
        lines.push(roots + &remedy.unwrap_or_default());
    }
    let has_segments = lowering.format().family().settings().contains(&Setting::Segments);
    if let (Some(segments), false) = (dump.heap(0).segments(), has_segments) {
        lines.push(format!("not written, since {} has no segments: segments={segments}", unwritten.to));
    }
    Ok(lines)
}

/// The profiles of every format, and which of them is taken where none is named.
fn profiles_help() -> String {
    let of_format = |format: Format| {
        let default = DumpOptions::new(format).lowering().map_or("", |lowering| lowering.profile());
        let mark = |name: &'static str| {
            let alias = format.family().alias(name).map_or_else(String::new, |alias| format!(", also named {alias}"));
            if name == default { format!("{name} (default{alias})") } else { name.to_owned() }
        };
        format!("{format}: {}", profiles(format).into_iter().map(mark).collect::<Vec<_>>().join(", "))
    };
    let all = Format::all().map(of_format).collect::<Vec<_>>().join("; ");
    format!(
        "Writer to imitate. {all}. Without it, the default; `rewrite` and `encode` first try the writer of the input"
    )
}

fn charset(name: &str) -> Result<Charset, String> {
    Charset::from_name(name).ok_or_else(|| format!("expected one of {}", Charset::ALL.map(Charset::name).join(", ")))
}

fn newline(name: &str) -> Result<Newline, String> {
    Newline::from_name(name).ok_or_else(|| format!("expected one of {}", Newline::ALL.map(Newline::name).join(", ")))
}
