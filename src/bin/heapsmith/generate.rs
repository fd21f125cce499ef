use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::DumpOptions;
use heapsmith::classic::{Charset, Newline};
use heapsmith::error::Error;
use heapsmith::family::Wishes;
use heapsmith::format::{Format, Lowering, profiles};
use heapsmith::generate::ProceduralHeap;
use heapsmith::hprof::IdSize;
use heapsmith::model::{DumpSource, HashRegime, HeapSource, WordSize};
use heapsmith::output::{GzipBlocks, Output};

use crate::Answer;

/// Writes a dump of a random heap. The same options give the same bytes, on every machine.
///
/// Example: heapsmith generate --format hprof --seed 7 --objects 1000 -o seven.hprof
#[derive(Args)]
pub(crate) struct Opts {
    #[arg(long, help = format!("Dump format: {}", Format::names()))]
    format: Format,
    #[command(flatten)]
    spelling: Spelling,
    /// Seed of the heap, and of the spelling in the profile `any`.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of objects, classes not counted, nor the class objects of primitive types that HotSpot's dumps have. Memory does
    /// not grow with it.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(..=1 << 37))]
    objects: u64,
    /// PHD: identity hashes of 16 bits in every object, or 32 where used. Profiles of one writer have their
    /// own.
    #[arg(long, value_parser = ["16", "32"])]
    hashes: Option<String>,
    /// Output; `-` is standard output.
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
}

/// How to spell a dump.
#[derive(Args)]
pub(crate) struct Spelling {
    #[arg(long, help = profiles_help())]
    pub(crate) profile: Option<String>,
    /// PHD and classic: word size in bits. Default: the heap's own, 64 for a random one.
    #[arg(long, value_parser = ["32", "64"])]
    pub(crate) word: Option<String>,
    /// HPROF: size of identifiers in bytes. Default: the writer's own, else the heap's, 8 for a random one.
    #[arg(long, value_parser = ["1", "2", "4", "8"])]
    pub(crate) id_size: Option<String>,
    /// Classic: characters. Default: the dump's own, utf-8 for a new one.
    #[arg(long, value_parser = charset)]
    pub(crate) encoding: Option<Charset>,
    /// Classic: ends of lines. Default: what a JVM writes in that encoding, lf or in EBCDIC nel (0x15).
    #[arg(long, value_parser = newline)]
    pub(crate) newline: Option<Newline>,
    /// Compress with gzip, in members of 1 MiB as HotSpot does.
    #[arg(long)]
    pub(crate) gzip: bool,
}

impl Spelling {
    /// The options of a format.
    pub(crate) fn lowering(&self, format: Format, seed: u64) -> Result<Lowering, Error> {
        let options = DumpOptions::new(format).profile(self.profile.as_deref()).seed(seed);
        let options = options.word(self.word()).id_size(self.id_size());
        options.charset(self.encoding).newline(self.newline).lowering()
    }

    /// Whether anything but the compression is chosen.
    pub(crate) fn chooses(&self) -> bool {
        self.profile.is_some() || self.word.is_some() || self.id_size.is_some() || self.is_encoded()
    }

    /// Whether an encoding is chosen.
    pub(crate) fn is_encoded(&self) -> bool {
        self.encoding.is_some() || self.newline.is_some()
    }

    /// Options that were recognised, with the widths and characters that are wished otherwise.
    pub(crate) fn upon(&self, recognised: &Lowering) -> Result<Lowering, Error> {
        let wishes = self.wishes();
        wishes.check(recognised.format())?;
        recognised.with(&wishes)
    }

    /// The widths and characters that are wished.
    pub(crate) fn wishes(&self) -> Wishes {
        let (word, id_size) = (self.word(), self.id_size());
        Wishes { word, id_size, charset: self.encoding, newline: self.newline, ..Wishes::default() }
    }

    fn word(&self) -> Option<WordSize> {
        self.word.as_deref().map(|bits| if bits == "32" { WordSize::Bits32 } else { WordSize::Bits64 })
    }

    fn id_size(&self) -> Option<IdSize> {
        self.id_size.as_deref().and_then(|bytes| IdSize::from_bytes(bytes.parse().ok()?))
    }

    /// Writes heaps, compressed if that was asked for.
    pub(crate) fn write(
        &self,
        lowering: &Lowering,
        dump: &mut dyn DumpSource,
        mut output: Output,
    ) -> Result<(), Error> {
        if self.gzip {
            let mut blocks = GzipBlocks::new(&mut output);
            lowering.write(dump, &mut blocks)?;
            blocks.finish().map_err(|e| Error::io("writing the dump", e))?;
        } else {
            lowering.write(dump, &mut output)?;
        }
        output.flush().map_err(|e| Error::io("writing the dump", e))?;
        output.finish()
    }
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
    format!("Writer to imitate. {}", Format::all().map(of_format).collect::<Vec<_>>().join("; "))
}

fn charset(name: &str) -> Result<Charset, String> {
    let names: Vec<&str> = Charset::ALL.map(Charset::name).into();
    Charset::ALL.into_iter().find(|charset| charset.name() == name).ok_or_else(|| names.join(", "))
}

fn newline(name: &str) -> Result<Newline, String> {
    let all = [Newline::Lf, Newline::CrLf, Newline::Nel];
    all.into_iter().find(|newline| newline.name() == name).ok_or_else(|| all.map(Newline::name).join(", "))
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let lowering = self.spelling.lowering(self.format, self.seed)?;
        let hashes =
            self.hashes.as_deref().map(|bits| if bits == "16" { HashRegime::Every16 } else { HashRegime::WhereUsed32 });
        let options = lowering.generate_options(usize::try_from(self.objects).unwrap_or(usize::MAX), hashes);
        let mut heap = ProceduralHeap::new(&options, self.seed)?;
        let output = Output::create_binary(&self.output, self.force)?;
        self.spelling.write(&lowering, &mut (&mut heap as &mut dyn HeapSource), output)?;
        Ok(Answer::Yes)
    }
}
