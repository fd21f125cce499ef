//! Writing heaps as dumps in memory.

use std::ops::{Deref, DerefMut};

use crate::convert::Unwritten;
use crate::error::Error;
use crate::format::choose_heap;
use crate::generate::{GenerateOptions, from_seed};
use crate::model::{Dump, DumpSource, Heap, HeapSource};

use super::DumpOptions;

impl Heap {
    /// A random heap of 200 objects: the same seed gives the same heap on every machine. For another number of objects,
    /// and other kinds of heap, see [`from_seed`].
    ///
    /// # Example
    ///
    /// ```
    /// use heapsmith::Heap;
    ///
    /// assert_eq!(Heap::random(7), Heap::random(7));
    /// assert_eq!(Heap::random(7).objects.len(), 200);
    /// ```
    pub fn random(seed: u64) -> Heap {
        from_seed(&GenerateOptions::default(), seed)
    }

    /// The heap's dump: in a [`Format`](crate::Format) as its usual writer spells it, or as
    /// [`DumpOptions`](crate::DumpOptions) say. It comes with what it does not record of the heap.
    ///
    /// # Errors
    /// If the heap holds something that the dump cannot express, or the options contradict each other.
    ///
    /// # Example
    ///
    /// ```
    /// use heapsmith::{DumpOptions, Format, Heap};
    ///
    /// let heap = Heap::random(7);
    /// let current = heap.write(Format::PHD6)?;
    /// let unusual = heap.write(DumpOptions::new(Format::PHD6).profile("any").seed(3))?;
    /// assert_ne!(current, unusual);
    /// assert!(current.unwritten().to_string().contains(" field-values ("));
    /// # Ok::<(), heapsmith::Error>(())
    /// ```
    pub fn write(&self, options: impl Into<DumpOptions>) -> Result<WrittenDump, Error> {
        let mut heap = self;
        write_dump(&mut (&mut heap as &mut dyn HeapSource), &options.into())
    }

    /// The heap that a correct reader gets back from the dump that [`write`](Heap::write) makes: no format records
    /// everything that a heap may hold.
    ///
    /// # Errors
    /// Like [`write`](Heap::write).
    ///
    /// # Example
    ///
    /// ```
    /// use heapsmith::{Format, Heap, read};
    ///
    /// let heap = Heap::random(7);
    /// let expected = heap.carried_by(Format::HPROF)?;
    /// assert_eq!(read(heap.write(Format::HPROF)?)?.objects, expected.objects);
    /// # Ok::<(), heapsmith::Error>(())
    /// ```
    pub fn carried_by(&self, options: impl Into<DumpOptions>) -> Result<Heap, Error> {
        let mut heap = self;
        let dump = options.into().lowering()?.carry(&mut (&mut heap as &mut dyn HeapSource))?;
        dump.into_only_heap()
    }
}

impl Dump {
    /// The dump's bytes, like [`Heap::write`]. Only HPROF can have several heaps in one file.
    ///
    /// # Errors
    /// Like [`Heap::write`], and if the format cannot have as many heaps as there are.
    pub fn write(&self, options: impl Into<DumpOptions>) -> Result<WrittenDump, Error> {
        write_dump(&mut self.clone(), &options.into())
    }

    /// The heap of a dump that has only one.
    ///
    /// # Errors
    /// If it has none or several.
    pub fn into_only_heap(mut self) -> Result<Heap, Error> {
        let number = choose_heap(None, self.heaps.len())?;
        Ok(self.heaps.swap_remove(number))
    }
}

fn write_dump(dump: &mut dyn DumpSource, options: &DumpOptions) -> Result<WrittenDump, Error> {
    let mut bytes = Vec::new();
    let lowering = options.lowering()?;
    lowering.write(dump, &mut bytes)?;
    Ok(WrittenDump { bytes, unwritten: Unwritten::from_dump(dump, &lowering)? })
}

/// The bytes of a dump, and what they do not record of its heap.
///
/// # Example
///
/// ```
/// use heapsmith::{DumpOptions, Format, Heap};
///
/// let heap = Heap::random(7);
/// let dump = heap.write(DumpOptions::new(Format::HPROF).profile("any"))?;
/// assert!(dump.starts_with(b"JAVA PROFILE "));
/// assert!(dump.unwritten().roots.is_empty());
/// # Ok::<(), heapsmith::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenDump {
    bytes: Vec<u8>,
    unwritten: Unwritten,
}

impl WrittenDump {
    /// The bytes alone.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Facets of the heap that the dump does not record, and roots that its writer leaves out.
    pub fn unwritten(&self) -> &Unwritten {
        &self.unwritten
    }
}

impl Deref for WrittenDump {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for WrittenDump {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl AsRef<[u8]> for WrittenDump {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<WrittenDump> for Vec<u8> {
    fn from(dump: WrittenDump) -> Vec<u8> {
        dump.bytes
    }
}
