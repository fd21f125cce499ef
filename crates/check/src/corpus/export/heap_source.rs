//! Dumps of cases that are built of heap files.

use std::fmt::Display;
use std::io::Write;
use std::slice;

use crate::corpus::on_disk::write_listing;
use heapsmith_core::bytes::charset::{Charset, Newline};
use heapsmith_core::convert::{BUDGET, Unwritten, check_superclass_lists};
use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::format::{DumpTarget, Format, Lowering, choose_heap, word_of_new_heap};
use heapsmith_core::heap_file::{self, HeapFile, HeapFileOptions};
use heapsmith_core::model::{DumpSource, WordSize};
use heapsmith_core::output::GzipBlocks;
use heapsmith_core::units::IdSize;

use super::case_bytes::CaseBytes;
use super::manifest::{ExportSource, HeapFileBuild};
use super::stored_files::{ExportFolder, StoredFiles};

impl HeapFileBuild {
    /// The build of a dump in a format, as far as the caller said; the profile is named even if that is the default.
    ///
    /// # Errors
    /// If the format has no such profile or setting.
    pub fn new(format: Format, request: &WriteRequest) -> Result<HeapFileBuild, Error> {
        let profile = Lowering::new(format, request)?.profile().to_owned();
        Ok(HeapFileBuild {
            format: DumpTarget { format, profile: Some(profile) }.to_string(),
            heap: None,
            word: request.word.map(WordSize::bits),
            id_size: request.id_size.map(|size| size.bytes() as u64),
            segments: request.segments,
            encoding: request.charset.map(|charset| charset.name().to_owned()),
            newline: request.newline.map(|newline| newline.name().to_owned()),
            gzip: false,
        })
    }

    fn lowering(&self) -> Result<Lowering, Error> {
        let DumpTarget { format, profile } = self.format.parse()?;
        let word = |bits: &u32| [WordSize::Bits32, WordSize::Bits64].into_iter().find(|word| word.bits() == *bits);
        let request = WriteRequest {
            profile,
            word: option_value("word", self.word.as_ref(), word)?,
            id_size: option_value("id_size", self.id_size.as_ref(), |bytes| IdSize::from_bytes(*bytes))?,
            segments: self.segments,
            charset: option_value("encoding", self.encoding.as_ref(), |name| Charset::from_name(name))?,
            newline: option_value("newline", self.newline.as_ref(), |name| Newline::from_name(name))?,
            ..WriteRequest::default()
        };
        Lowering::new(format, &request)
    }
}

/// The value of an option in a manifest, which may have been changed by anything.
fn option_value<T: Display, V>(
    option: &str,
    given: Option<&T>,
    value: impl Fn(&T) -> Option<V>,
) -> Result<Option<V>, Error> {
    let known = |given: &T| {
        value(given).ok_or_else(|| {
            Error::Usage(format!("{option}: expected a value of that option of `heapsmith build`, found {given}"))
        })
    };
    given.map(known).transpose()
}

/// A heap file of which the dump of a case is built.
#[derive(Clone, Debug)]
pub struct HeapFileSource {
    /// The name of the heap file, for messages.
    pub name: String,
    /// Its bytes.
    pub text: Vec<u8>,
    /// The dump to build.
    pub build: HeapFileBuild,
}

/// A dump that was built of a heap file, with the answer that is right.
#[derive(Clone, Debug)]
pub struct BuiltCase {
    /// The dump.
    pub dump: Vec<u8>,
    /// The heap as such a dump records it, as a listing.
    pub listing: Vec<u8>,
    /// The facts of the heap file that such a dump does not record.
    pub unwritten: Unwritten,
}

/// The most objects of a heap that is built for a case: they are held in memory, with some 700 bytes each.
const MOST_OBJECTS: u64 = 1_000_000;

impl HeapFileSource {
    /// Builds the dump in memory. The answer does not come from a decoder: it is what the writer's dumps record of the heap.
    ///
    /// # Errors
    /// If the heap file has errors, or the dump cannot hold what it says, or is too large for a case.
    pub fn build(&self) -> Result<BuiltCase, Error> {
        self.build_unnamed().map_err(|error| error.in_heap_file(&self.name))
    }

    /// The entry of a case of this id; the file is added to the others.
    ///
    /// # Errors
    /// If a file of another case has its name.
    pub(super) fn store(&self, id: &str, stored: &mut StoredFiles) -> Result<ExportSource, Error> {
        let name = format!("{id}{}", heap_file::SUFFIX);
        let heap_file = stored.insert(ExportFolder::Heaps, &name, self.text.clone())?;
        Ok(ExportSource { heap_file, build: self.build.clone() })
    }

    fn build_unnamed(&self) -> Result<BuiltCase, Error> {
        let lowering = self.build.lowering()?;
        let options = HeapFileOptions::default().word(word_of_new_heap(slice::from_ref(&lowering)));
        let mut file = HeapFile::parse_bytes(&self.text, &options)?;
        let objects = file.object_count();
        if objects > MOST_OBJECTS {
            let name = &self.name;
            return Err(Error::Usage(format!(
                "{name}: expected at most {MOST_OBJECTS} objects in a case, found {objects}; choose a smaller heap"
            )));
        }
        let number = choose_heap(self.build.heap, file.heaps())?;
        let mut heap = file.heap(number);
        check_superclass_lists(heap.classes(), &lowering.requirements(heap.facts()), BUDGET)?;
        let mut dump = CaseBytes::new(&self.name);
        lowering.write(&mut heap, &mut dump)?;
        let carried = lowering.carry(&mut heap)?.into_only_heap()?;
        let unwritten = Unwritten::from_dump(&mut heap, &lowering)?;
        let mut listing = CaseBytes::new(&self.name);
        write_listing(&mut listing, lowering.format(), None, &carried)?;
        Ok(BuiltCase {
            dump: if self.build.gzip { compressed(&dump.bytes)? } else { dump.bytes },
            listing: listing.bytes,
            unwritten: unwritten.without_automatic(&file),
        })
    }
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let mut blocks = GzipBlocks::new(&mut out);
    blocks.write_all(bytes).and_then(|()| blocks.finish()).map_err(|e| Error::io("compressing a dump", e))?;
    Ok(out)
}
