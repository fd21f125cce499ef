//! Temporary files for objects that do not fit into memory. They have no names and vanish with the process.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::marker::PhantomData;

use tempfile::SpooledTempFile;

use crate::error::{Error, in_temporary_folder};
use crate::model::{Address, Contents, PiecewiseContents};

use super::SortEntry;

/// The most runs that are merged at once; more are first merged into one.
const RUNS: usize = 64;
/// The bytes of a run that are read or written together.
const BUFFER: usize = 64 << 10;

/// The addresses of a heap in file order, written as they come.
pub(super) struct AddressOrder {
    file: BufWriter<SpooledTempFile>,
    count: u64,
}

impl AddressOrder {
    /// An empty list that keeps this number of bytes in memory.
    pub(super) fn new(memory: usize) -> AddressOrder {
        AddressOrder { file: BufWriter::new(SpooledTempFile::new(memory)), count: 0 }
    }

    pub(super) fn push(&mut self, address: Address) -> Result<(), Error> {
        self.count += 1;
        self.file.write_all(&address.0.to_le_bytes()).map_err(file_error)
    }

    pub(super) fn finish(self) -> Result<StoredOrder, Error> {
        let mut file = self.file.into_inner().map_err(|e| file_error(e.into_error()))?;
        file.rewind().map_err(file_error)?;
        Ok(StoredOrder { file: BufReader::new(file), left: self.count })
    }
}

/// The addresses in file order, to be read once.
pub(in crate::compare) struct StoredOrder {
    file: BufReader<SpooledTempFile>,
    left: u64,
}

impl StoredOrder {
    pub(super) fn next(&mut self) -> Result<Option<Address>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes).map_err(file_error)?;
        Ok(Some(Address(u64::from_le_bytes(bytes))))
    }
}

/// Sorted runs. Contents that are not held stay where they are: a run has an index into them.
pub(super) struct EntryRuns<T> {
    files: Vec<File>,
    /// The current run. Ascending entries continue it, so that they make one run.
    open: Option<RunWriter>,
    long: Vec<Option<PiecewiseContents>>,
    of: PhantomData<T>,
}

/// An entry in a run: the index of its contents, if they are not held, and the entry without these.
type StoredEntry<T> = (Option<u64>, T);

impl<T: SortEntry> EntryRuns<T> {
    pub(super) fn new() -> EntryRuns<T> {
        EntryRuns { files: Vec::new(), open: None, long: Vec::new(), of: PhantomData }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_none() && self.files.is_empty()
    }

    /// Whether an entry at this address continues the current run.
    pub(super) fn continues_run(&self, address: Address) -> bool {
        self.open.as_ref().is_some_and(|run| run.last <= address)
    }

    pub(super) fn merge(mut self) -> Result<EntryMerge<T>, Error> {
        self.close()?;
        Ok(EntryMerge { long: self.long, ..EntryMerge::new(self.files)? })
    }

    pub(super) fn add(&mut self, entries: &mut Vec<T>) -> Result<(), Error> {
        entries.sort_by_key(|entry| entry.object().address);
        if !entries.first().is_some_and(|first| self.continues_run(first.object().address)) {
            self.close()?;
        }
        entries.drain(..).try_for_each(|entry| self.write(entry))
    }

    /// Appends an entry to the current run.
    pub(super) fn write(&mut self, mut entry: T) -> Result<(), Error> {
        let contents = &mut entry.object_mut().contents;
        let number = match contents {
            Contents::Long(_) => {
                let Contents::Long(taken) = std::mem::take(contents) else { unreachable!("it is long") };
                self.long.push(Some(taken));
                Some(self.long.len() as u64 - 1)
            }
            _ => None,
        };
        let run = match &mut self.open {
            Some(run) => run,
            none => none.insert(RunWriter::new()?),
        };
        run.write(&(number, entry))
    }

    fn close(&mut self) -> Result<(), Error> {
        let Some(run) = self.open.take() else { return Ok(()) };
        self.files.push(run.finish()?);
        if self.files.len() >= RUNS {
            let mut merge = EntryMerge::<T>::new(std::mem::take(&mut self.files))?;
            let mut run = RunWriter::new()?;
            while let Some(stored) = merge.next_stored()? {
                run.write(&stored)?;
            }
            self.files.push(run.finish()?);
        }
        Ok(())
    }
}

/// The writer of a run.
struct RunWriter {
    file: BufWriter<File>,
    buffer: Vec<u8>,
    /// The address of the last entry.
    last: Address,
}

impl RunWriter {
    fn new() -> Result<RunWriter, Error> {
        let file = BufWriter::with_capacity(BUFFER, tempfile::tempfile().map_err(file_error)?);
        Ok(RunWriter { file, buffer: Vec::new(), last: Address::NULL })
    }

    fn write<T: SortEntry>(&mut self, stored: &StoredEntry<T>) -> Result<(), Error> {
        self.last = stored.1.object().address;
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.buffer = postcard::to_extend(stored, buffer).map_err(|e| file_error(io::Error::other(e)))?;
        let length = (self.buffer.len() as u64).to_le_bytes();
        self.file.write_all(&length).and_then(|()| self.file.write_all(&self.buffer)).map_err(file_error)
    }

    fn finish(self) -> Result<File, Error> {
        let mut file = self.file.into_inner().map_err(|e| file_error(e.into_error()))?;
        file.rewind().map_err(file_error)?;
        Ok(file)
    }
}

/// A merge of runs, read side by side.
pub(crate) struct EntryMerge<T> {
    runs: Vec<EntryRun<T>>,
    /// The next address of each run, with the run's index.
    heads: BinaryHeap<Reverse<(Address, usize)>>,
    long: Vec<Option<PiecewiseContents>>,
}

struct EntryRun<T> {
    file: BufReader<File>,
    buffer: Vec<u8>,
    head: Option<StoredEntry<T>>,
}

impl<T: SortEntry> EntryMerge<T> {
    fn new(files: Vec<File>) -> Result<EntryMerge<T>, Error> {
        let mut merge = EntryMerge { runs: Vec::new(), heads: BinaryHeap::new(), long: Vec::new() };
        for (number, file) in files.into_iter().enumerate() {
            let file = BufReader::with_capacity(BUFFER, file);
            merge.runs.push(EntryRun { file, buffer: Vec::new(), head: None });
            merge.advance(number)?;
        }
        Ok(merge)
    }

    pub(super) fn next(&mut self) -> Result<Option<T>, Error> {
        let Some((number, mut entry)) = self.next_stored()? else { return Ok(None) };
        if let Some(long) = number.and_then(|number| self.long.get_mut(number as usize)?.take()) {
            entry.object_mut().contents = Contents::Long(long);
        }
        Ok(Some(entry))
    }

    fn next_stored(&mut self) -> Result<Option<StoredEntry<T>>, Error> {
        let Some(Reverse((_, number))) = self.heads.pop() else { return Ok(None) };
        let stored = self.runs[number].head.take();
        self.advance(number)?;
        Ok(stored)
    }

    fn advance(&mut self, number: usize) -> Result<(), Error> {
        let run = &mut self.runs[number];
        run.head = run.read()?;
        if let Some((_, entry)) = &run.head {
            self.heads.push(Reverse((entry.object().address, number)));
        }
        Ok(())
    }
}

impl<T: SortEntry> EntryRun<T> {
    fn read(&mut self) -> Result<Option<StoredEntry<T>>, Error> {
        let mut length = [0; 8];
        match self.file.read_exact(&mut length) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read.map_err(file_error)?,
        }
        self.buffer.resize(u64::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.buffer).map_err(file_error)?;
        postcard::from_bytes(&self.buffer).map(Some).map_err(|e| file_error(io::Error::other(e)))
    }
}

fn file_error(error: io::Error) -> Error {
    Error::io("sorting objects", in_temporary_folder(error))
}
