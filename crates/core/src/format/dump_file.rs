//! Reading a dump of any format.

use std::collections::{BTreeMap, BTreeSet};

use crate::annotation::Annotation;
use crate::compare::RecordSpan;
use crate::error::{DecodeError, Error, Problem, is_damage};
use crate::family::{
    DumpOutline, DumpPart, FileSource, GraphRules, JudgedDump, Opener, Opening, ReadOptions, RecordSelector, Records,
    Reliance, WholeFile,
};
use crate::findings::Findings;
use crate::input::{Input, InputStream, name_foreign};
use crate::model::Address;

use super::{Family, Format, Lowering};

/// A dump file that can be read from its start any number of times.
#[derive(Clone, Debug)]
pub struct DumpFile {
    opener: Opener,
    family: Family,
    /// The first bytes, if they are those of no family's dumps.
    strange: Option<Vec<u8>>,
}

impl DumpFile {
    /// A dump, recognised by its first bytes. Input of no known format is taken for a dump of the family that it
    /// resembles more, so that decoding it says what is wrong.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(input: Input, reading: ReadOptions) -> Result<DumpFile, Error> {
        let (family, strange) = detect(read_start(&mut input.stream()?, Family::START, input.name())?);
        Ok(DumpFile { opener: Opener::new(input, reading), family, strange })
    }

    /// The input.
    pub fn input(&self) -> &Input {
        &self.opener.input
    }

    /// The format's family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The format, with its version where the family has several.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn format(&self) -> Result<Format, Error> {
        self.require_known()?;
        self.family.format(&self.opener)
    }

    /// The chosen record.
    ///
    /// # Errors
    /// If the dump has no such record, or several; or if it cannot be read.
    pub fn find_record(&self, choice: RecordSelector) -> Result<DumpPart, Error> {
        choice.find_record(self.records()?, self.known_length())
    }

    /// The chosen record, or the part that has the chosen byte and is no record, such as the header.
    ///
    /// # Errors
    /// If the dump has no such record or byte, or several such records; or if it cannot be read.
    pub fn find_part(&self, choice: RecordSelector) -> Result<DumpPart, Error> {
        choice.find_part(self.records()?, self.known_length())
    }

    /// The length, where that is known without reading.
    fn known_length(&self) -> Option<u64> {
        let input = self.input();
        (!input.is_generated() && !input.is_compressed()).then(|| input.length())
    }

    /// The heaps, with their objects left in the file.
    ///
    /// # Errors
    /// An error of decoding; a missing end tag is tolerated.
    pub fn source(&self) -> Result<FileSource, Error> {
        self.require_known()?;
        self.family.source(&self.opener)
    }

    /// The heaps in memory. After an error they hold everything before it.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn read(&self) -> Result<WholeFile, Error> {
        self.require_known()?;
        self.family.read(&self.opener)
    }

    /// The heaps without their objects, which are visited one by one, up to where the dump cannot be read.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn outline(&self) -> Result<DumpOutline, Error> {
        self.require_known()?;
        self.family.outline(&self.opener)
    }

    /// The options, with the first profile, that turn the heaps back into exactly the dump's bytes.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn recognise(&self, source: &mut FileSource) -> Result<Option<Lowering>, Error> {
        self.family.recognise(&self.opener, source)
    }

    /// Whether these options, in their own order and by their own choices, turn the heaps into exactly the dump's bytes.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn is_reproduced_by(&self, lowering: &Lowering, source: &mut FileSource) -> Result<bool, Error> {
        crate::family::reproduces(&**lowering, source, self.opener.bytes()?)
    }

    /// The options that keep all that the heaps hold, for a dump that no profile gives again. `None` where the format has
    /// none, so that the default profile has to do.
    pub fn lossless_lowering(&self, source: &mut FileSource) -> Option<Lowering> {
        self.family.lossless_lowering(source)
    }

    /// The records, from the start.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn records(&self) -> Result<Box<dyn Records>, Error> {
        self.require_known()?;
        Ok(self.family.records(self.opener.open()?)?)
    }

    /// Refuses what is of no known format, as [`DumpFile::judge`] does.
    fn require_known(&self) -> Result<(), Error> {
        self.strange.as_ref().map_or(Ok(()), |start| Err(self.foreign(start)?.into()))
    }

    /// The first record of each of these addresses in one of the heaps, as far as the dump can be read.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn places(&self, heap: usize, wanted: &BTreeSet<Address>) -> Result<BTreeMap<Address, RecordSpan>, Error> {
        let mut places = BTreeMap::new();
        self.family.places(&self.opener, heap, &mut |address, span| {
            if wanted.contains(&address) {
                places.entry(address).or_insert(span);
            }
        })?;
        Ok(places)
    }

    /// Calls `each` with every field, from the start; of a dump that cannot be read to its end, the last one is marked with
    /// the rule that it breaks.
    ///
    /// # Errors
    /// An error of decoding, or of `each`.
    pub fn annotate(&self, each: &mut dyn FnMut(Annotation<'_>) -> Result<(), Error>) -> Result<(), Error> {
        self.family.annotate(&self.opener, each)
    }

    /// The places that rely on rules, in the order of the file, as far as it can be read.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn reliances(&self) -> Result<Vec<Reliance>, Error> {
        let mut all = Vec::new();
        self.visit_reliances(&mut |reliance| all.push(reliance))?;
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// Calls `found` with each of them, in no order.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn visit_reliances(&self, found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
        self.family.reliances(&self.opener, found)
    }

    /// Judges the dump by every rule; by those of the whole graph only if that is asked for.
    ///
    /// # Errors
    /// If the dump cannot be read because of the machine.
    pub fn judge(&self, graph: GraphRules, findings: &mut Findings) -> Result<JudgedDump, Error> {
        match &self.strange {
            None => self.family.judge(&self.opener, graph, findings).map(|(judged, _)| judged),
            Some(start) => self.judge_foreign(start, findings),
        }
    }

    /// Judges the dump by the rules that are errors, and gives its heaps where that takes no more reading.
    ///
    /// # Errors
    /// If the file cannot be read because of the machine.
    pub(crate) fn judged_source(&self, findings: &mut Findings) -> Result<(JudgedDump, Option<FileSource>), Error> {
        match &self.strange {
            None => self.family.judge(&self.opener, GraphRules::Errors, findings),
            Some(start) => Ok((self.judge_foreign(start, findings)?, None)),
        }
    }

    fn judge_foreign(&self, start: &[u8], findings: &mut Findings) -> Result<JudgedDump, Error> {
        let error = self.foreign(start)?;
        if error.is_machine_fault() {
            return Err(error.into());
        }
        findings.add_fatal(&error, super::severity(error.rule()));
        Ok(JudgedDump::default())
    }

    /// The error of an input that begins like no dump: that of the decoder of the format that it resembles, if any.
    fn foreign(&self, start: &[u8]) -> Result<DecodeError, Error> {
        let mut errors = Vec::new();
        let resembled = Family::guess(start);
        // What is damaged before it could be recognised is the matter of the format that every other command decodes it by.
        let first = [resembled].into_iter().chain(Family::ALL.into_iter().filter(|family| *family != resembled));
        for family in first {
            match family.records(self.opener.open()?) {
                Ok(_) => {
                    let reason = std::io::Error::other("its first bytes changed while it was read");
                    return Err(Error::io(format!("reading {}", self.input().name()), reason));
                }
                Err(error) if !start.is_empty() && !family.is_foreign(&error) => return Ok(error),
                Err(error) => errors.push((family, error)),
            }
            // Nothing resembles a dump of any family.
            if start.is_empty() {
                break;
            }
        }
        let starts = Family::ALL.map(|family| family.facts().start);
        let expected = super::alternatives(&starts);
        let found_by =
            |wanted| errors.iter().find(|(family, _)| *family == wanted).map_or(&errors[0].1, |(_, error)| error);
        let error = found_by(resembled);
        let found = match name_foreign(start) {
            _ if start.is_empty() => "an empty file".to_owned(),
            Some(named) => named,
            None => found_by(Family::ALL[0]).found(),
        };
        let problem = Problem::Unexpected { expected, found };
        Ok(DecodeError::new(error.rule(), error.offset(), error.field(), problem))
    }
}

/// The family of a dump, by the first bytes of its stream, which stay there.
///
/// # Errors
/// If it cannot be read.
pub fn family_of(stream: &mut InputStream) -> Result<Family, Error> {
    Ok(detect(read_start(stream, Family::START, "the dump")?).0)
}

/// The family of a damaged dump, by its first bytes; where they tell nothing, HPROF, whose records can be found without a header.
///
/// # Errors
/// If the input cannot be read.
pub fn damaged_family(input: &Input) -> Result<Family, Error> {
    let start = read_start(&mut input.stream()?, Family::START, input.name())?;
    let resembles = |family: &Family| family.resembles(&start);
    Ok(Family::from_start(&start).or_else(|| Family::ALL.into_iter().find(resembles)).unwrap_or(Family::HPROF))
}

/// Whether a stream begins like a dump of any family; its first bytes stay there.
///
/// # Errors
/// If it cannot be read.
pub fn is_dump(stream: &mut InputStream) -> Result<bool, Error> {
    Ok(detect(read_start(stream, Family::START, "the file")?).1.is_none())
}

/// The first bytes of a stream. Compressed data that are damaged from the start have none: the decoder says so.
pub(super) fn read_start(stream: &mut InputStream, count: usize, name: &str) -> Result<Vec<u8>, Error> {
    match stream.peek(count) {
        Err(e) if is_damage(&e) => Ok(Vec::new()),
        start => start.map_err(|e| Error::io(format!("reading {name}"), e)),
    }
}

/// The family of a dump that begins like this, and the start, if it is that of none.
fn detect(start: Vec<u8>) -> (Family, Option<Vec<u8>>) {
    match Family::from_start(&start) {
        Some(family) => (family, None),
        None => (Family::guess(&start), Some(start)),
    }
}

/// The records of a stream, whose format is recognised by its first bytes, as in [`DumpFile::new`].
///
/// # Errors
/// If the header cannot be read.
pub fn records(mut stream: InputStream, reading: ReadOptions) -> Result<Box<dyn Records>, Error> {
    let (family, _) = detect(read_start(&mut stream, Family::START, "the dump")?);
    Ok(family.records(Opening { stream, input: None, reading })?)
}
