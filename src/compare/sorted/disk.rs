//! What does not fit into memory, in temporary files, which have no names and vanish with the process.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::marker::PhantomData;

use tempfile::SpooledTempFile;

use crate::error::{Error, in_temporary_folder};
use crate::model::{Address, Contents, Long};

use super::Entry;

/// This number of runs is merged at once; more are merged into one before.
const RUNS: usize = 64;

/// Addresses in file order, as they come.
pub(super) struct Order {
    file: BufWriter<SpooledTempFile>,
    count: u64,
}

impl Order {
    /// A number of bytes that is held in memory.
    pub(super) fn new(memory: usize) -> Order {
        Order { file: BufWriter::new(SpooledTempFile::new(memory)), count: 0 }
    }

    pub(super) fn push(&mut self, address: Address) -> Result<(), Error> {
        self.count += 1;
        self.file.write_all(&address.0.to_le_bytes()).map_err(failed)
    }

    pub(super) fn finish(self) -> Result<StoredOrder, Error> {
        let mut file = self.file.into_inner().map_err(|e| failed(e.into_error()))?;
        file.rewind().map_err(failed)?;
        Ok(StoredOrder { file: BufReader::new(file), left: self.count })
    }
}

/// The same, to be read once.
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
        self.file.read_exact(&mut bytes).map_err(failed)?;
        Ok(Some(Address(u64::from_le_bytes(bytes))))
    }
}

/// Sorted runs. Contents that are not held stay where they are: a run has their number.
pub(super) struct Runs<T> {
    files: Vec<File>,
    long: Vec<Option<Long>>,
    of: PhantomData<T>,
}

/// An entry as a run has it, without contents that are not held, and the number of those.
type Stored<T> = (Option<u64>, T);

impl<T: Entry> Runs<T> {
    pub(super) fn new() -> Runs<T> {
        Runs { files: Vec::new(), long: Vec::new(), of: PhantomData }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn merge(self) -> Result<Merge<T>, Error> {
        Ok(Merge { long: self.long, ..Merge::new(self.files)? })
    }

    pub(super) fn add(&mut self, entries: &mut Vec<T>) -> Result<(), Error> {
        entries.sort_by_key(|entry| entry.object().address);
        let long = &mut self.long;
        let stored = entries.drain(..).map(|mut entry| {
            let contents = &mut entry.object_mut().contents;
            let number = match contents {
                Contents::Long(_) => {
                    let Contents::Long(taken) = std::mem::take(contents) else { unreachable!("it is long") };
                    long.push(Some(taken));
                    Some(long.len() as u64 - 1)
                }
                _ => None,
            };
            Ok((number, entry))
        });
        let run = write_run(stored)?;
        self.files.push(run);
        if self.files.len() >= RUNS {
            let mut merge = Merge::<T>::new(std::mem::take(&mut self.files))?;
            self.files.push(write_run(std::iter::from_fn(|| merge.next_stored().transpose()))?);
        }
        Ok(())
    }
}

fn write_run<T: Entry>(entries: impl Iterator<Item = Result<Stored<T>, Error>>) -> Result<File, Error> {
    let mut out = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    let mut buffer = Vec::new();
    for entry in entries {
        buffer.clear();
        buffer = postcard::to_extend(&entry?, buffer).map_err(|e| failed(io::Error::other(e)))?;
        out.write_all(&(buffer.len() as u64).to_le_bytes()).and_then(|()| out.write_all(&buffer)).map_err(failed)?;
    }
    let mut file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.rewind().map_err(failed)?;
    Ok(file)
}

/// Runs read side by side.
pub(crate) struct Merge<T> {
    runs: Vec<Run<T>>,
    /// The next address of each run, and which run it is.
    heads: BinaryHeap<Reverse<(Address, usize)>>,
    long: Vec<Option<Long>>,
}

struct Run<T> {
    file: BufReader<File>,
    buffer: Vec<u8>,
    head: Option<Stored<T>>,
}

impl<T: Entry> Merge<T> {
    fn new(files: Vec<File>) -> Result<Merge<T>, Error> {
        let mut merge = Merge { runs: Vec::new(), heads: BinaryHeap::new(), long: Vec::new() };
        for (number, file) in files.into_iter().enumerate() {
            let file = BufReader::with_capacity(64 << 10, file);
            merge.runs.push(Run { file, buffer: Vec::new(), head: None });
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

    fn next_stored(&mut self) -> Result<Option<Stored<T>>, Error> {
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

impl<T: Entry> Run<T> {
    fn read(&mut self) -> Result<Option<Stored<T>>, Error> {
        let mut length = [0; 8];
        match self.file.read_exact(&mut length) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read.map_err(failed)?,
        }
        self.buffer.resize(u64::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.buffer).map_err(failed)?;
        postcard::from_bytes(&self.buffer).map(Some).map_err(|e| failed(io::Error::other(e)))
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("sorting objects", in_temporary_folder(error))
}
