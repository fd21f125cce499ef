//! From heaps to dumps in memory.

use crate::error::Error;
use crate::format::which;
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
    /// [`DumpOptions`](crate::DumpOptions) say.
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
    /// # Ok::<(), heapsmith::Error>(())
    /// ```
    pub fn write(&self, options: impl Into<DumpOptions>) -> Result<Vec<u8>, Error> {
        let mut heap = self;
        written(&mut (&mut heap as &mut dyn HeapSource), &options.into())
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
    pub fn write(&self, options: impl Into<DumpOptions>) -> Result<Vec<u8>, Error> {
        written(&mut self.clone(), &options.into())
    }

    /// The heap of a dump that has only one.
    ///
    /// # Errors
    /// If it has none or several.
    pub fn into_only_heap(mut self) -> Result<Heap, Error> {
        let number = which(None, self.heaps.len())?;
        Ok(self.heaps.swap_remove(number))
    }
}

fn written(dump: &mut dyn DumpSource, options: &DumpOptions) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    options.lowering()?.write(dump, &mut bytes)?;
    Ok(bytes)
}
