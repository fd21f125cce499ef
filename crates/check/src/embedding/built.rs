//! Dumps of heap files in memory.

use heapsmith_core::convert::{BUDGET, check_superclass_lists};
use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::format::{DumpTarget, Lowering, word_of_new_heap};
use heapsmith_core::heap_file::{HeapFile, HeapFileOptions};
use heapsmith_core::model::DumpSource;

use super::text::BoundedText;

/// The dump of a heap file's text, in a format such as `hprof` or `phd6/openj9`, as `build` writes it. What the format does not record
/// is left out.
///
/// # Errors
/// If the text has errors, there is no such format, or the dump has more than `most` bytes.
pub fn build(text: &[u8], format: &str, most: usize) -> Result<Vec<u8>, Error> {
    let target: DumpTarget = format.parse()?;
    let request = WriteRequest { profile: target.profile.clone(), ..WriteRequest::default() };
    let lowering = Lowering::new(target.format, &request)?;
    let options = HeapFileOptions::default().word(word_of_new_heap(std::slice::from_ref(&lowering)));
    let mut file = HeapFile::parse_bytes(text, &options)?;
    for number in 0..file.heaps() {
        let heap = file.heap(number);
        let needs = lowering.requirements(heap.facts());
        check_superclass_lists(heap.classes(), &needs, BUDGET)?;
    }
    let mut dump = BoundedText::new(most);
    lowering.write(&mut file, &mut dump)?;
    Ok(dump.into_bytes())
}
