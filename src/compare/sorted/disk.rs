//! What does not fit into memory, in temporary files, which have no names and vanish with the process.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use tempfile::SpooledTempFile;

use crate::error::Error;
use crate::model::{Address, Object};

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

/// Sorted runs.
#[derive(Default)]
pub(super) struct Runs {
    files: Vec<File>,
}

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn merge(self) -> Result<Merge, Error> {
        Merge::new(self.files)
    }

    pub(super) fn add(&mut self, objects: &mut Vec<Object>) -> Result<(), Error> {
        objects.sort_by_key(|object| object.address);
        let objects = objects.drain(..).map(Ok);
        let run = write_run(objects)?;
        self.files.push(run);
        if self.files.len() >= RUNS {
            let mut merge = Merge::new(std::mem::take(&mut self.files))?;
            self.files.push(write_run(std::iter::from_fn(|| merge.next().transpose()))?);
        }
        Ok(())
    }
}

fn write_run(objects: impl Iterator<Item = Result<Object, Error>>) -> Result<File, Error> {
    let mut out = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    let mut buffer = Vec::new();
    for object in objects {
        buffer.clear();
        buffer = postcard::to_extend(&object?, buffer).map_err(|e| failed(io::Error::other(e)))?;
        out.write_all(&(buffer.len() as u64).to_le_bytes()).and_then(|()| out.write_all(&buffer)).map_err(failed)?;
    }
    let mut file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.rewind().map_err(failed)?;
    Ok(file)
}

/// Runs read side by side.
pub(in crate::compare) struct Merge {
    runs: Vec<Run>,
    /// The next address of each run, and which run it is.
    heads: BinaryHeap<Reverse<(Address, usize)>>,
}

struct Run {
    file: BufReader<File>,
    head: Option<Object>,
}

impl Merge {
    fn new(files: Vec<File>) -> Result<Merge, Error> {
        let mut merge = Merge { runs: Vec::new(), heads: BinaryHeap::new() };
        for (number, file) in files.into_iter().enumerate() {
            merge.runs.push(Run { file: BufReader::with_capacity(64 << 10, file), head: None });
            merge.advance(number)?;
        }
        Ok(merge)
    }

    pub(super) fn next(&mut self) -> Result<Option<Object>, Error> {
        let Some(Reverse((_, number))) = self.heads.pop() else { return Ok(None) };
        let object = self.runs[number].head.take();
        self.advance(number)?;
        Ok(object)
    }

    fn advance(&mut self, number: usize) -> Result<(), Error> {
        let run = &mut self.runs[number];
        run.head = run.read()?;
        if let Some(object) = &run.head {
            self.heads.push(Reverse((object.address, number)));
        }
        Ok(())
    }
}

impl Run {
    fn read(&mut self) -> Result<Option<Object>, Error> {
        let mut length = [0; 8];
        match self.file.read_exact(&mut length) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read.map_err(failed)?,
        }
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        self.file.read_exact(&mut bytes).map_err(failed)?;
        postcard::from_bytes(&bytes).map(Some).map_err(|e| failed(io::Error::other(e)))
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("using a temporary file", error)
}
