//! Reading, validating and comparing dumps in memory.

use std::collections::BTreeSet;

use crate::compare::Comparison;
use crate::error::Error;
use crate::family::ReadOptions;
use crate::format::DumpFile;
use crate::input::Input;
use crate::model::{Dump, Heap};
use crate::validate::{ValidateOptions, ValidationReport, unsound};

/// The name of a nameless dump in messages.
const NAME: &str = "the dump";

/// Reads a dump that has one heap. The format is recognised by its first bytes, and gzip is unpacked.
///
/// The heap is held in memory, and every rule of the format is checked. [`DumpFile`](crate::format::DumpFile) reads a file of any
/// size, and as much of a damaged one as can be read.
///
/// # Errors
/// If the bytes are not a valid dump, with the place and the rule that is broken; if there is not exactly one heap
/// ([`read_dump`] returns all of them). A missing end tag alone is not an error, since known readers accept that.
///
/// # Example
///
/// ```
/// use heapsmith::{Format, Heap, read};
///
/// let heap = Heap::random(7);
/// assert_eq!(read(heap.write(Format::CLASSIC)?)?.objects.len(), 200);
///
/// let error = read(b"JAVA PROFILE 1.0.7").unwrap_err();
/// assert!(error.to_string().contains("offset 13"), "{error}");
/// # Ok::<(), heapsmith::Error>(())
/// ```
pub fn read(bytes: impl AsRef<[u8]>) -> Result<Heap, Error> {
    read_dump(bytes)?.into_only_heap()
}

/// Reads a dump with all its heaps, like [`read`].
///
/// # Errors
/// If the bytes are not a valid dump.
///
/// # Example
///
/// ```
/// use heapsmith::model::Dump;
/// use heapsmith::{Format, Heap, read_dump};
///
/// let dump = Dump { heaps: vec![Heap::random(7), Heap::random(8)], tail: Vec::new() };
/// assert_eq!(read_dump(dump.write(Format::HPROF)?)?.heaps.len(), 2);
/// # Ok::<(), heapsmith::Error>(())
/// ```
pub fn read_dump(bytes: impl AsRef<[u8]>) -> Result<Dump, Error> {
    let input = Input::from_memory(NAME, bytes.as_ref().to_vec());
    let whole = DumpFile::new(input.clone(), ReadOptions::default())?.read()?;
    if let Some(error) = whole.ended.err().filter(|error| !error.is_missing_end()) {
        return Err(error.into());
    }
    match unsound(&input, ReadOptions::default())? {
        Some(error) => Err(error.into()),
        None => Ok(whole.dump),
    }
}

/// Checks a dump against every rule of its format. The format is recognised by its first bytes.
///
/// [`validate::validate`](crate::validate::validate()) does the same with a file of any size.
///
/// # Example
///
/// ```
/// use heapsmith::{Format, Heap, validate};
///
/// let mut dump = Heap::random(7).write(Format::PHD6)?;
/// assert!(validate(&dump).valid);
///
/// dump[2] = b'P';
/// let report = validate(&dump);
/// assert!(!report.valid);
/// assert_eq!(report.findings[0].rule.0, "phd.header.magic");
/// # Ok::<(), heapsmith::Error>(())
/// ```
pub fn validate(bytes: impl AsRef<[u8]>) -> ValidationReport {
    let input = Input::from_memory(NAME, bytes.as_ref().to_vec());
    // An error is a file that cannot be read, and memory always can.
    crate::validate::validate(&input, ValidateOptions::default()).unwrap_or_default()
}

/// Compares two heaps fact by fact and address by address. A fact that only one of them records is not compared, and the
/// result lists it.
///
/// [`compare::compare_sources`](crate::compare::compare_sources) does the same with heaps larger than memory, and leaves
/// out facets.
///
/// # Example
///
/// ```
/// use heapsmith::{Heap, compare};
///
/// let (left, mut right) = (Heap::random(7), Heap::random(7));
/// assert!(compare(&left, &right).equal);
///
/// right.objects[3].size = None;
/// right.objects[4].hash = Some(heapsmith::model::IdentityHash::Bits32(1));
/// let comparison = compare(&left, &right);
/// assert_eq!(comparison.differences.len(), 1);
/// println!("{comparison}");
/// ```
pub fn compare(left: &Heap, right: &Heap) -> Comparison {
    crate::compare::compare(left, right, &BTreeSet::new())
}
