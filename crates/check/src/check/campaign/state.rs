//! The folder of a campaign. What was found out stands in JSON Lines, each with a checksum, to which lines are added; so a
//! campaign that is killed goes on with the batches that are missing. One process writes at a time, and any may read.
//!
//! | name in the folder | what |
//! |---|---|
//! | `state.jsonl` | a line for how it was begun, for each batch, for dumps that an engine found, for each cause and for further cases of one; sums of many batches take the place of their lines |
//! | `dumps/` | the dumps of causes |
//! | `found/` | dumps that a fuzzing engine found, by SHA-256 |
//! | `.heapsmith-campaign` | the marker, which says where temporary files are |
//! | `.heapsmith-lock` | the lock, while the campaign goes on |

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::check::campaign::totals::{CampaignFailure, CampaignTotals};
use crate::check::report::{Cause, CausePair, DUMPS, Declared};
use crate::check::sources::{CASES, CampaignPlan, SeedDump};
use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::error::Error;
use heapsmith_core::interrupt;
use heapsmith_core::owned::{self, Existing, FolderLock, LONGEST_LIST, SharedFolder};
use heapsmith_core::system::Access;
use heapsmith_core::temporary::TemporaryFolder;

const STATE: &str = "state.jsonl";
/// The folder of dumps that a fuzzing engine found.
const FOUND: &str = "found";
const MARKER: &str = ".heapsmith-campaign";
/// The prefix of the folder of temporary files.
const TEMPORARY: &str = "heapsmith-campaign-";
/// Version of the form of all this.
pub(super) const FORM: u32 = 5;
/// The length of the file from which the lines of batches are replaced by their sum.
const LONG: u64 = 4 << 20;
/// The longest line.
const LONGEST_LINE: u64 = 256 << 20;

/// The header of a campaign: everything that has to stay the same when it goes on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CampaignHeader {
    pub(super) form: u32,
    pub(super) heapsmith: String,
    pub(super) plan: CampaignPlan,
    pub(super) shard: Option<(u64, u64)>,
    pub(super) label: String,
    pub(super) kind: String,
    pub(super) command: String,
    pub(super) declared: Option<Declared>,
    /// The options that decide on questions and judgement, as in the command that repeats a case.
    pub(super) judged: String,
}

/// A cause, with what it takes to know it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedCause {
    /// The cause, with its reduced dump; a pair fails with that.
    pub(super) cause: Cause,
    /// The failure by which it was found.
    pub(super) failure: CampaignFailure,
    /// Its condition in words.
    pub(super) condition: Option<String>,
    /// The line of the state that records it; 0 before it is read.
    #[serde(skip)]
    pub(super) line: u64,
}

impl RecordedCause {
    /// The path of its reduced dump, by which it is known.
    pub(super) fn file(&self) -> &str {
        self.cause.reduced.as_ref().map_or("", |dump| &dump.file)
    }

    /// A file that it names and that is none below `dumps/`.
    fn stray_file(&self) -> Option<&str> {
        let reduced = self.cause.reduced.as_ref().filter(|dump| !dump.is_beside()).map(|dump| &*dump.file);
        reduced.or(self.cause.pair.as_ref().and_then(CausePair::stray_file))
    }
}

/// A line of the state, for messages.
pub(super) fn line_location(folder: &SharedFolder, line: u64) -> String {
    format!("{}, line {line}", folder.name_of(STATE))
}

/// An entry of the state, one line each.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
enum StateEntry {
    Begun(Box<CampaignHeader>),
    Batches(Box<CampaignTotals>),
    /// Dumps that a fuzzing engine found, which are the cases of a batch.
    Found {
        batch: u64,
        dumps: Vec<SeedDump>,
    },
    Cause(Box<RecordedCause>),
    /// Further cases of a cause.
    Cases {
        /// The path of its reduced dump.
        dump: String,
        cases: Vec<String>,
    },
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct CampaignMarker {
    form: u32,
    /// The folder of temporary files.
    temporary: Option<PathBuf>,
}

/// The contents of a campaign's folder.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordedCampaign {
    pub(super) begun: Option<CampaignHeader>,
    pub(super) totals: CampaignTotals,
    pub(super) causes: Vec<RecordedCause>,
    /// Dumps that a fuzzing engine found, by batch.
    pub(super) found: BTreeMap<u64, Vec<SeedDump>>,
    /// The number of unreadable lines: a kill may have cut the last one.
    pub(super) damaged: u64,
}

/// The folder of a running campaign.
#[derive(Debug)]
pub(super) struct CampaignFolder {
    folder: SharedFolder,
    file: File,
    length: u64,
    /// The length from which the lines of batches are replaced by their sum.
    long: u64,
    pub(super) known: RecordedCampaign,
    pub(super) temporary: TemporaryFolder,
    _lock: FolderLock,
}

impl RecordedCampaign {
    /// Reads a folder.
    ///
    /// # Errors
    /// If there is no campaign, or it cannot be read; if it names a file that is not one of its dumps.
    pub(super) fn read(folder: &SharedFolder) -> Result<RecordedCampaign, Error> {
        let at = |e| Error::io(format!("reading {}", folder.name_of(STATE)), e);
        if read_marker(folder).is_none() {
            let message = "expected the folder of a campaign, which `heapsmith fuzz --state` makes";
            return Err(Error::Usage(format!("{}: {message}", folder.path().display())));
        }
        let mut known = RecordedCampaign::default();
        let Some(file) = folder.open_file(STATE, Access::Read)? else { return Ok(known) };
        let length = file.metadata().map_err(at)?.len();
        if length > LONGEST_LIST {
            let name = folder.name_of(STATE);
            return Err(Error::Usage(format!("{name}: expected at most {LONGEST_LIST} bytes, found {length}")));
        }
        let mut file = BufReader::new(file.take(LONGEST_LIST));
        for number in 1.. {
            let mut line = Vec::new();
            let read = file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(at)?;
            if read == 0 {
                break;
            }
            match line.pop_if(|last| *last == b'\n').and_then(|_| decode_line(&line)) {
                Some(StateEntry::Cause(recorded)) if recorded.stray_file().is_some() => {
                    let file: String = recorded.stray_file().unwrap_or_default().chars().take(200).collect();
                    let place = line_location(folder, number);
                    let message =
                        format!("{place}: expected the path of a dump, such as {DUMPS}/001.hprof, found {file:?}");
                    return Err(Error::Usage(format!("{message}; the folder was not written by heapsmith alone")));
                }
                Some(StateEntry::Cause(recorded)) => {
                    known.apply_entry(StateEntry::Cause(Box::new(RecordedCause { line: number, ..*recorded })))
                }
                Some(entry) => known.apply_entry(entry),
                None => known.damaged += u64::from(!line.is_empty()),
            }
        }
        Ok(known)
    }

    fn apply_entry(&mut self, entry: StateEntry) {
        match entry {
            StateEntry::Begun(begun) => self.begun = Some(*begun),
            // A batch is told once.
            StateEntry::Batches(totals) if self.totals.batches.overlaps(&totals.batches) => {}
            StateEntry::Batches(totals) => self.totals.add(*totals),
            StateEntry::Found { batch, dumps } => {
                self.found.entry(batch).or_insert(dumps);
            }
            StateEntry::Cause(recorded) => self.causes.push(*recorded),
            // The line of the cause may be damaged.
            StateEntry::Cases { dump, cases } => {
                if let Some(known) = self.causes.iter_mut().find(|known| known.file() == dump) {
                    known.cause.cases.extend(cases);
                }
            }
        }
    }
}

impl CampaignFolder {
    /// Takes a folder for a campaign, or goes on with the one that it holds. The marker names a folder for temporary files; those
    /// of a campaign that was killed are removed.
    ///
    /// # Errors
    /// If the folder holds anything but a campaign, or one that was begun otherwise; if another command writes there.
    pub(super) fn open(root: &Path, begun: &CampaignHeader) -> Result<CampaignFolder, Error> {
        let failed = |e| Error::io(format!("writing to the folder {}", root.display()), e);
        let folder = SharedFolder::create(root)?;
        let lock = FolderLock::exclusive(&folder)?;
        let marker = read_marker(&folder);
        let is_other = |name: &String| !owned::is_own(name) || name == MARKER;
        if marker.is_none()
            && let Some(other) = folder.entries()?.into_iter().find(is_other)
        {
            return Err(Error::Usage(format!(
                "{} is not empty ({other}) and holds no campaign; name an empty folder or a new one for --state",
                root.display()
            )));
        }
        let known = if marker.is_some() { RecordedCampaign::read(&folder)? } else { RecordedCampaign::default() };
        if let Some(before) = &known.begun
            && before != begun
        {
            return Err(Error::Usage(format!(
                "{} holds a campaign that was begun otherwise ({}); repeat it with the same options, or name another folder",
                root.display(),
                before.describe_difference(begun)
            )));
        }
        remove_leftover(root, marker.unwrap_or_default());
        let temporary = TemporaryFolder::new(TEMPORARY).map_err(failed)?;
        let mut named = temporary.create(MARKER).map_err(failed)?;
        named.write_all(marker_text(root)?.as_bytes()).map_err(failed)?;
        write_marker(&folder, &CampaignMarker { form: FORM, temporary: Some(temporary.path().to_owned()) })?;
        let is_new = known.begun.is_none();
        let file = match folder.open_file(STATE, Access::Append)? {
            Some(file) => file,
            None => folder.create_file(STATE)?,
        };
        let length = file.metadata().map_err(failed)?.len();
        let mut state = CampaignFolder { folder, file, length, long: LONG, known, temporary, _lock: lock };
        if length > 0 {
            // A kill may have cut the last line.
            state.write(b"\n")?;
        }
        if is_new {
            state.append_entry(StateEntry::Begun(Box::new(begun.clone())))?;
        }
        Ok(state)
    }

    /// Writes down what came of batches.
    pub(super) fn record_batches(&mut self, totals: CampaignTotals) -> Result<(), Error> {
        self.append_entry(StateEntry::Batches(Box::new(totals)))?;
        if self.length > self.long { self.compact() } else { Ok(()) }
    }

    /// Keeps a dump that a fuzzing engine found. The result is its path.
    pub(super) fn keep_found(&self, sha256: &str, dump: &[u8]) -> Result<PathBuf, Error> {
        if self.folder.kind(FOUND)?.is_none() {
            self.folder.create_folder(FOUND)?;
        }
        let file = format!("{FOUND}/{sha256}");
        self.folder.put_file(&file, dump, Existing::Replaced)?;
        Ok(PathBuf::from(self.folder.name_of(&file)))
    }

    /// Writes down dumps that a fuzzing engine found, as the cases of further batches.
    pub(super) fn record_found(&mut self, dumps: &[SeedDump]) -> Result<(), Error> {
        for dumps in dumps.chunks(CASES as usize) {
            // The line of an earlier batch may be damaged.
            let is_free =
                |batch: &u64| !self.known.found.contains_key(batch) && !self.known.totals.batches.contains(*batch);
            let batch = (0..).find(is_free).unwrap_or_default();
            self.append_entry(StateEntry::Found { batch, dumps: dumps.to_vec() })?;
        }
        Ok(())
    }

    /// Writes the dumps of a cause, each with its path, and then down that it is there.
    pub(super) fn write_cause(&mut self, recorded: RecordedCause, dumps: &[(String, Vec<u8>)]) -> Result<(), Error> {
        if self.folder.kind(DUMPS)?.is_none() {
            self.folder.create_folder(DUMPS)?;
        }
        for (file, dump) in dumps {
            self.folder.put_file(file, dump, Existing::Replaced)?;
        }
        self.append_entry(StateEntry::Cause(Box::new(recorded)))
    }

    /// Writes down further cases of a cause.
    pub(super) fn record_cases(&mut self, dump: String, cases: Vec<String>) -> Result<(), Error> {
        self.append_entry(StateEntry::Cases { dump, cases })
    }

    /// Reads a dump of a cause.
    ///
    /// # Errors
    /// If it is gone, or is another one than was written.
    pub(super) fn read_dump(&self, file: &str, sha256: &str) -> Result<Vec<u8>, Error> {
        let dump = self.folder.read(file)?.filter(|dump| hexadecimal(&Sha256::digest(dump)) == sha256);
        let name = self.folder.name_of(file);
        dump.ok_or_else(|| {
            Error::Usage(format!("{name}: expected the dump that the campaign wrote there, found another or none"))
        })
    }

    /// The path of a file of the folder, for commands and messages.
    pub(super) fn name_of(&self, file: &str) -> String {
        self.folder.name_of(file)
    }

    fn append_entry(&mut self, entry: StateEntry) -> Result<(), Error> {
        self.write(&encode_line(&entry)?)?;
        let failed = |e| Error::io(format!("writing {}", self.folder.name_of(STATE)), e);
        // What is announced afterwards is on the disk.
        self.file.sync_data().map_err(failed)?;
        self.known.apply_entry(entry);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let failed = |e| Error::io(format!("writing {}", self.folder.name_of(STATE)), e);
        self.file.write_all(bytes).map_err(failed)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Replaces the lines of all batches by their sum.
    fn compact(&mut self) -> Result<(), Error> {
        let begun = self.known.begun.clone().unwrap_or_default();
        let mut text = encode_line(&StateEntry::Begun(Box::new(begun)))?;
        text.extend(encode_line(&StateEntry::Batches(Box::new(self.known.totals.clone())))?);
        for (batch, dumps) in &self.known.found {
            text.extend(encode_line(&StateEntry::Found { batch: *batch, dumps: dumps.clone() })?);
        }
        for recorded in &self.known.causes {
            text.extend(encode_line(&StateEntry::Cause(Box::new(recorded.clone())))?);
        }
        self.folder.put_file(STATE, &text, Existing::Replaced)?;
        let gone = || Error::io(format!("writing {}", self.folder.name_of(STATE)), std::io::ErrorKind::NotFound.into());
        self.file = self.folder.open_file(STATE, Access::Append)?.ok_or_else(gone)?;
        self.length = text.len() as u64;
        self.long = LONG.max(2 * self.length);
        Ok(())
    }
}

impl Drop for CampaignFolder {
    fn drop(&mut self) {
        // What the folder of temporary files was is of no more interest.
        let _ = write_marker(&self.folder, &CampaignMarker { form: FORM, temporary: None });
    }
}

impl CampaignHeader {
    /// The first difference, in words.
    fn describe_difference(&self, other: &CampaignHeader) -> String {
        let shard = |begun: &CampaignHeader| begun.shard.map_or_else(|| "none".to_owned(), |(k, n)| format!("{k}/{n}"));
        let format = |begun: &CampaignHeader| begun.plan.format.clone().unwrap_or_else(|| "all".to_owned());
        let what_is_asked = |begun: &CampaignHeader| match begun.plan.coverage {
            true => "an engine's dumps".to_owned(),
            false => "drawn dumps".to_owned(),
        };
        let all = [
            ("the version of the folder", self.form.to_string(), other.form.to_string()),
            ("heapsmith", self.heapsmith.clone(), other.heapsmith.clone()),
            ("generator", self.plan.generator.clone(), other.plan.generator.clone()),
            ("command", self.command.clone(), other.command.clone()),
            ("what is asked", self.judged.clone(), other.judged.clone()),
            ("--seed", self.plan.seed.to_string(), other.plan.seed.to_string()),
            ("--format", format(self), format(other)),
            ("--shard", shard(self), shard(other)),
            ("what it asks about", what_is_asked(self), what_is_asked(other)),
        ];
        let differing = all.into_iter().find(|(_, one, two)| one != two);
        differing.map_or_else(
            || "other seeds, or the implementation declares other things".to_owned(),
            |(what, one, two)| format!("{what} was {one}, not {two}"),
        )
    }
}

fn encode_line(entry: &StateEntry) -> Result<Vec<u8>, Error> {
    let text = serde_json::to_string(entry).map_err(|e| Error::io("writing the state of a campaign", e.into()))?;
    Ok(format!("{{\"sum\":\"{}\",\"entry\":{text}}}\n", checksum(text.as_bytes())).into_bytes())
}

/// The entry of a line; `None` if its checksum is wrong.
fn decode_line(line: &[u8]) -> Option<StateEntry> {
    let rest = line.strip_prefix(b"{\"sum\":\"")?;
    let (stated, rest) = rest.split_at_checked(16)?;
    let text = rest.strip_prefix(b"\",\"entry\":")?.strip_suffix(b"}")?;
    if checksum(text).as_bytes() != stated {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// The first eight bytes of the SHA-256, as hexadecimal digits.
fn checksum(text: &[u8]) -> String {
    hexadecimal(&Sha256::digest(text)[..8])
}

fn read_marker(folder: &SharedFolder) -> Option<CampaignMarker> {
    let text = folder.read(MARKER).ok()??;
    serde_json::from_slice::<CampaignMarker>(&text).ok().filter(|marker| marker.form == FORM)
}

fn write_marker(folder: &SharedFolder, marker: &CampaignMarker) -> Result<(), Error> {
    let failed = |e: serde_json::Error| Error::io(format!("writing {}", folder.name_of(MARKER)), e.into());
    let text = serde_json::to_vec(marker).map_err(failed)?;
    folder.put_file(MARKER, &text, Existing::Replaced)
}

/// The contents of the marker in a folder of temporary files: the path of its campaign.
fn marker_text(root: &Path) -> Result<String, Error> {
    let root = root.canonicalize().map_err(|e| Error::io(format!("reading {}", root.display()), e))?;
    Ok(root.display().to_string())
}

/// Removes the temporary files of a campaign that was killed: only a folder that the marker names, with the right
/// prefix, and with a marker of this campaign.
fn remove_leftover(root: &Path, marker: CampaignMarker) {
    let Some(left) = marker.temporary else { return };
    let is_named = left.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY));
    let is_folder = left.symlink_metadata().is_ok_and(|found| found.is_dir());
    let says = || SharedFolder::open(&left).and_then(|left| left.read(MARKER)).ok().flatten();
    let own = marker_text(root).ok().map(String::into_bytes);
    if is_named && is_folder && own.is_some() && says() == own {
        interrupt::remove_folder(&left);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(root: &Path) -> RecordedCampaign {
        RecordedCampaign::read(&SharedFolder::open(root).expect("a folder")).expect("a campaign")
    }

    fn begun() -> CampaignHeader {
        CampaignHeader { form: FORM, command: "parser".to_owned(), ..CampaignHeader::default() }
    }

    fn batch(number: u64) -> CampaignTotals {
        let mut totals = CampaignTotals { cases: 64, ..CampaignTotals::default() };
        totals.batches.add(number, number);
        totals
    }

    #[test]
    fn ignores_damaged_lines_of_state() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let root = folder.path().join("state");
        let mut state = CampaignFolder::open(&root, &begun()).expect("a new folder");
        (0..4).for_each(|number| state.record_batches(batch(number)).expect("there is room"));
        drop(state);
        let path = root.join(STATE);
        let text = fs::read_to_string(&path).expect("lines");
        for cut in 0..text.len() {
            fs::write(&path, &text[..cut]).expect("there is room");
            let known = read(&root);
            let whole = text[..cut].matches('\n').count();
            assert_eq!(known.totals.batches.count() as usize, whole.saturating_sub(1), "{cut}");
        }
        let changed = text.replacen("\"cases\":64", "\"cases\":65", 1);
        assert_ne!(changed, text);
        fs::write(&path, changed).expect("there is room");
        let known = read(&root);
        assert_eq!((known.totals.batches.count(), known.damaged), (3, 1));
        let mut state = CampaignFolder::open(&root, &begun()).expect("the campaign goes on");
        assert!(!state.known.totals.batches.contains(0));
        state.record_batches(batch(0)).expect("there is room");
        assert_eq!(read(&root).totals.batches.to_string(), "0-3");
    }

    #[test]
    fn refuses_foreign_folder_and_other_campaign() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        fs::write(folder.path().join("mine"), "mine").expect("there is room");
        assert!(CampaignFolder::open(folder.path(), &begun()).is_err());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left there");
        let root = folder.path().join("state");
        drop(CampaignFolder::open(&root, &begun()).expect("a new folder"));
        let other = CampaignHeader { command: "other".to_owned(), ..begun() };
        let error = CampaignFolder::open(&root, &other).expect_err("another command").to_string();
        assert!(error.contains("command was parser, not other"), "{error}");
    }

    #[test]
    fn removes_only_temporary_folder_of_campaign() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let root = folder.path().join("state");
        drop(CampaignFolder::open(&root, &begun()).expect("a new folder"));
        let other = tempfile::Builder::new().prefix(TEMPORARY).tempdir().expect("there is room for a folder");
        let left = |says: Option<String>| {
            write_marker(
                &SharedFolder::open(&root).expect("a folder"),
                &CampaignMarker { form: FORM, temporary: Some(other.path().to_owned()) },
            )
            .expect("there is room");
            says.iter().for_each(|says| fs::write(other.path().join(MARKER), says).expect("there is room"));
            drop(CampaignFolder::open(&root, &begun()).expect("the campaign"));
            other.path().exists()
        };
        assert!(left(None), "it does not say whose it is");
        assert!(left(Some("/elsewhere".to_owned())), "it is another's");
        assert!(!left(Some(marker_text(&root).expect("a path"))));
    }
}
