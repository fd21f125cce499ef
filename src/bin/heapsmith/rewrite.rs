use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapsmith::bytes::ebcdic::Mapped;
use heapsmith::classic;
use heapsmith::error::Error;
use heapsmith::hprof::{self, Step};
use heapsmith::input::Stream;
use heapsmith::model::DumpSource;
use heapsmith::output::{GzipBlocks, Output};
use heapsmith::phd;

use crate::generate::Spelling;
use crate::open::{self, Once};
use crate::{Answer, decode, terminal};

/// Decodes a dump and writes it again.
///
/// Through records: the same bytes, whatever the spelling (of a compressed dump, the decompressed
/// ones). Through the heap: with --profile, what that writer would have made of the same heap, in its own
/// order (VMs write objects by address) and with its own hashes; without, the input's bytes again, by the
/// writer that is recognised, in the input's order.
///
/// Example: heapsmith rewrite odd.phd plain.phd --through heap --profile openj9
#[derive(Args)]
pub(crate) struct Opts {
    /// Dump; `-` is standard input.
    input: PathBuf,
    /// Output; `-` is standard output.
    output: PathBuf,
    /// How far to take the dump apart.
    #[arg(long, value_enum)]
    through: Through,
    #[command(flatten)]
    spelling: Spelling,
    /// Seed of the spelling in the profile `any`.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Through {
    /// Bytes, records, bytes.
    Records,
    /// Bytes, records, heap, records, bytes.
    Heap,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        decode::refuse_same(&self.input, &self.output)?;
        match self.through {
            Through::Records if self.spelling.chooses() || self.heap.heap.is_some() => {
                let message = "only --gzip goes with --through records, which keeps what there is; the rest chooses";
                Err(Error::Usage(message.to_owned()))
            }
            Through::Records => self.through_records(),
            Through::Heap => self.through_heap(),
        }
    }

    fn through_records(&self) -> Result<Answer, Error> {
        let once = open::once(&self.input, self.reading.reading())?;
        let mut output = Output::create_binary(&self.output, self.force)?;
        let name = self.input.display().to_string();
        let copy = |out: &mut dyn Write| match once {
            Once::Phd(decoder) => phd_records(decoder, &name, out),
            Once::Hprof(decoder) => hprof_records(decoder, out),
            Once::Classic(decoder) => classic_records(decoder, &name, out),
        };
        if self.spelling.gzip {
            let mut blocks = GzipBlocks::new(&mut output);
            copy(&mut blocks)?;
            blocks.finish().map_err(failed)?;
        } else {
            copy(&mut output)?;
        }
        output.finish()?;
        Ok(Answer::Yes)
    }

    fn through_heap(self) -> Result<Answer, Error> {
        let file = open::dump(&self.input, self.reading.reading())?;
        let mut lowering = self.spelling.lowering(file.format()?, self.seed)?;
        let mut source = file.source()?;
        if let Some(left_behind) = source.left_behind() {
            terminal::warning(&format!("{}: {left_behind}", file.input().name()));
        }
        if self.spelling.profile.is_none() {
            match file.recognise(&mut source)? {
                Some(recognised) => lowering = self.spelling.upon(recognised, &lowering),
                None => {
                    let default = lowering.profile();
                    terminal::warning(&format!("no profile gives this dump's bytes again; writing it as {default}"));
                }
            }
        }
        let output = Output::create_binary(&self.output, self.force)?;
        match self.heap.heap {
            Some(_) => {
                let number = self.heap.of(source.heaps())?;
                self.spelling.write(&lowering, &mut source.heap(number), output)?;
            }
            None => self.spelling.write(&lowering, &mut source, output)?,
        }
        Ok(Answer::Yes)
    }
}

fn phd_records(mut decoder: phd::Decoder<Stream>, name: &str, output: &mut dyn Write) -> Result<(), Error> {
    let mut buffer = Vec::new();
    phd::encode::header(&mut buffer, decoder.header())?;
    let layout = decoder.layout();
    let ended = decoder.visit(|located| {
        phd::encode::record(&mut buffer, layout, located.record)?;
        flush_if_full(&mut buffer, output)
    });
    let ended = ended.map(|_| phd::encode::end(&mut buffer));
    open::tolerate_missing_end(name, ended)?;
    output.write_all(&buffer).map_err(failed)?;
    decoder.visit_trailing(|piece| output.write_all(piece).map_err(failed))?;
    Ok(())
}

fn hprof_records(mut decoder: hprof::Decoder<Stream>, output: &mut dyn Write) -> Result<(), Error> {
    let mut buffer = Vec::new();
    hprof::encode::header(&mut buffer, decoder.header());
    let id = decoder.header().id_size;
    decoder.visit(|step| {
        match step {
            Step::Record(at, record) => hprof::encode::record(&mut buffer, id, record, at.rest)?,
            Step::Segment(_, segment) => hprof::encode::segment(&mut buffer, &segment),
            Step::Sub(_, sub_record) => hprof::encode::sub_record(&mut buffer, id, sub_record)?,
            Step::More(at) => buffer.extend_from_slice(at.bytes),
            Step::SegmentEnd(_) => {}
        }
        flush_if_full(&mut buffer, output)
    })?;
    output.write_all(&buffer).map_err(failed)
}

fn classic_records(mut decoder: classic::Decoder<Stream>, name: &str, output: &mut dyn Write) -> Result<(), Error> {
    let mut buffer = Vec::new();
    let mut output = Mapped::new(output, decoder.encoding().inverse());
    let ended = decoder.visit(|step| {
        match step {
            classic::Step::Record(_, record) => classic::encode::record(&mut buffer, &record),
            classic::Step::More(_, references) => classic::encode::references(&mut buffer, &references),
        }
        flush_if_full(&mut buffer, &mut output)
    });
    open::tolerate_missing_end(name, ended.map(|_| ()))?;
    output.write_all(&buffer).map_err(failed)
}

fn flush_if_full(buffer: &mut Vec<u8>, output: &mut dyn Write) -> Result<(), Error> {
    if buffer.len() >= 1 << 16 {
        output.write_all(buffer).map_err(failed)?;
        buffer.clear();
    }
    Ok(())
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing the dump", error)
}
