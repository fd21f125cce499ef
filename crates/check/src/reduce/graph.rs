//! A heap that is reduced, and written again for each trial.

use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::format::{DumpTarget, Lowering};
use heapsmith_core::model::{Address, Class, Contents, DumpSource, Heap, HeapSource, Object, ObjectKind, Value};
use heapsmith_core::shrink::{
    ClassStep, ObjectStep, keep, unneeded_classes, without_roots, without_subclasses, without_threads, without_totals,
    without_traces,
};

use super::sets::leave_out;
use super::trials::Trials;
use super::{layouts, names, open_dump};

/// The number of parts by which lists with more items are shortened.
const PARTS: usize = 64;

/// A heap and its writer.
pub(super) struct WrittenHeap {
    heap: Heap,
    lowering: Lowering,
}

impl WrittenHeap {
    /// A heap whose dump by this writer shows the failure.
    pub(super) fn new(heap: Heap, lowering: Lowering) -> WrittenHeap {
        WrittenHeap { heap, lowering }
    }

    /// The heap of the current dump, with a writer whose dump of it shows the failure, too. `None` if no writer's dump
    /// does, or if the current dump cannot be read.
    pub(super) fn from_trials(trials: &mut Trials<'_>) -> Result<Option<WrittenHeap>, Error> {
        let Some(file) = open_dump(trials.current()) else { return Ok(None) };
        let (Ok(mut source), Ok(format)) = (file.source(), file.format()) else { return Ok(None) };
        let own = file.recognise(&mut source).ok().flatten().or_else(|| file.lossless_lowering(&mut source));
        let lowerings: Vec<Lowering> = own.into_iter().chain(writers(format.family())).collect();
        for number in 0..source.heaps() {
            let Ok(heap) = Heap::collect(source.heap(number)) else { return Ok(None) };
            // Identifiers of the usual width are tried first, though the dump may get longer: so it is seen whether their width matters.
            for heap in names::with_usual_width(&heap).into_iter().chain([heap]) {
                for lowering in &lowerings {
                    if let Some(dump) = written_dump(lowering, &heap)
                        && trials.begin_with(dump)?
                    {
                        return Ok(Some(WrittenHeap { heap, lowering: lowering.clone() }));
                    }
                    if trials.is_over() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Tries every kind of reduction once, and returns whether any succeeded.
    pub(super) fn shrink(&mut self, trials: &mut Trials<'_>, anonymise: bool) -> Result<bool, Error> {
        let before = trials.current().to_vec();
        self.drop_surroundings(trials)?;
        self.drop_objects(trials)?;
        self.drop_classes(trials)?;
        self.drop_single_surroundings(trials)?;
        self.simplify(trials)?;
        self.shorten_lists(trials)?;
        self.shrink_layouts(trials)?;
        self.try_change(trials, names::shorten_names)?;
        self.try_change(trials, names::plain_facts)?;
        self.try_change(trials, names::with_low_addresses)?;
        if anonymise {
            self.try_change(trials, names::anonymised)?;
        }
        self.try_plainer_writers(trials)?;
        Ok(!trials.is_over() && trials.current() != before)
    }

    fn try_change(&mut self, trials: &mut Trials<'_>, change: fn(&Heap) -> Heap) -> Result<bool, Error> {
        let heap = change(&self.heap);
        self.try_heap(trials, heap)
    }

    /// Adopts another heap, if its dump shows the failure.
    fn try_heap(&mut self, trials: &mut Trials<'_>, heap: Heap) -> Result<bool, Error> {
        if heap == self.heap {
            return Ok(false);
        }
        let taken = trials.try_dump(written_dump(&self.lowering, &heap))?;
        if taken {
            self.heap = heap;
        }
        Ok(taken)
    }

    /// Removes everything but classes and objects, or else one kind of it.
    fn drop_surroundings(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let none = |heap: &Heap| {
            let mut heap = heap.clone();
            let around = &mut heap.surroundings;
            around.roots = around.roots.take().map(|_| Vec::new());
            around.regions = around.regions.take().map(|_| Vec::new());
            (around.events, around.times) = (None, None);
            without_traces(&without_threads(&heap, &|_| true), &|_| true)
        };
        if self.try_change(trials, none)? {
            return Ok(());
        }
        self.try_change(trials, |heap| {
            let mut heap = heap.clone();
            (heap.surroundings.events, heap.surroundings.times) = (None, None);
            heap
        })?;
        self.try_change(trials, |heap| {
            let mut heap = heap.clone();
            heap.surroundings.regions = heap.surroundings.regions.take().map(|_| Vec::new());
            heap
        })?;
        Ok(())
    }

    fn drop_single_surroundings(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let around = &self.heap.surroundings;
        let length = |list: Option<usize>| list.unwrap_or_default();
        let lists: [(usize, LeaveOut); 3] = [
            (length(around.threads.as_ref().map(Vec::len)), without_threads),
            (length(around.traces.as_ref().map(Vec::len)), without_traces),
            (length(around.roots.as_ref().map(Vec::len)), without_roots),
        ];
        for (count, without) in lists {
            // A list that became shorter with another one has no more items than before.
            self.leave_out(trials, count, 1, &|heap, kept| without(heap, &|item| !kept[item]))?;
        }
        Ok(())
    }

    fn drop_objects(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let classes = vec![true; self.heap.classes.len()];
        self.leave_out(trials, self.heap.objects.len(), 1, &|heap, kept| keep(heap, kept, &classes))
    }

    /// Removes classes that nothing needs.
    fn drop_classes(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let objects = vec![true; self.heap.objects.len()];
        let spare = unneeded_classes(&self.heap);
        self.leave_out(trials, spare.len(), 1, &|heap, kept| {
            let dropped: Vec<usize> =
                spare.iter().zip(kept).filter(|(_, kept)| !**kept).map(|(class, _)| *class).collect();
            keep(heap, &objects, &without_subclasses(&heap.classes, &dropped))
        })
    }

    /// Removes elements, values, hashes, traces, static fields and everything else that an object or a class can do
    /// without, as far as possible.
    fn simplify(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let word = self.heap.facts.word_size;
        let objects: Vec<(usize, ObjectStep)> = indexed_steps(&self.heap.objects, whole_steps);
        self.leave_out(trials, objects.len(), 1, &|heap, kept| {
            let mut heap = without_totals(heap.clone());
            for ((index, step), _) in objects.iter().zip(kept).filter(|(_, kept)| !**kept) {
                step.apply(&mut heap.objects[*index], word);
            }
            heap
        })?;
        let classes: Vec<(usize, ClassStep)> = indexed_steps(&self.heap.classes, ClassStep::for_class);
        self.leave_out(trials, classes.len(), 1, &|heap, kept| {
            let mut heap = without_totals(heap.clone());
            for ((index, step), _) in classes.iter().zip(kept).filter(|(_, kept)| !**kept) {
                step.apply(&mut heap.classes[*index]);
            }
            heap
        })?;
        // An object that something else refers to cannot go.
        let referring: Vec<usize> =
            (0..self.heap.objects.len()).filter(|&of| self_referring(&self.heap.objects[of]).is_some()).collect();
        self.leave_out(trials, referring.len(), 1, &|heap, kept| {
            let mut heap = heap.clone();
            for (index, _) in referring.iter().zip(kept).filter(|(_, kept)| !**kept) {
                if let Some(object) = self_referring(&heap.objects[*index]) {
                    heap.objects[*index] = object;
                }
            }
            heap
        })
    }

    /// Shortens lists of elements, references and values.
    fn shorten_lists(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let word = self.heap.facts.word_size;
        for index in 0..self.heap.objects.len() {
            let object = &self.heap.objects[index];
            let (count, values) = match &object.contents {
                Contents::References(list) | Contents::Elements(list) => (list.len(), false),
                Contents::Primitives(bytes) => match object.kind {
                    ObjectKind::PrimitiveArray(element) => (bytes.len() / element.size() as usize, true),
                    _ => continue,
                },
                _ => continue,
            };
            self.leave_out(trials, count, count.div_ceil(PARTS), &|heap, kept| {
                let mut heap = without_totals(heap.clone());
                for item in (0..count).rev().filter(|&item| !kept[item]) {
                    let one = item..item + 1;
                    let step = if values { ObjectStep::WithoutValues(one) } else { ObjectStep::Without(one) };
                    step.apply(&mut heap.objects[index], word);
                }
                heap
            })?;
        }
        for index in 0..self.heap.classes.len() {
            for list in [retain_references, retain_statics, retain_pool] {
                let count = list(&mut self.heap.classes[index], None);
                self.leave_out(trials, count, count.div_ceil(PARTS), &|heap, kept| {
                    let mut heap = without_totals(heap.clone());
                    list(&mut heap.classes[index], Some(kept));
                    heap
                })?;
            }
        }
        Ok(())
    }

    /// Removes superclasses, and fields that classes declare, with their values in all instances; then makes fields and
    /// elements one byte wide.
    fn shrink_layouts(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let count = self.heap.classes.len();
        self.leave_out(trials, count, 1, &layouts::without_superclasses)?;
        self.leave_out(trials, count, 1, &layouts::with_next_superclasses)?;
        for index in 0..count {
            let count = self.heap.classes[index].fields.as_ref().map_or(0, Vec::len);
            self.leave_out(trials, count, 1, &|heap, kept| layouts::without_fields(heap, index, kept))?;
        }
        let wide = layouts::wide_values(&self.heap);
        self.leave_out(trials, wide.len(), 1, &|heap, kept| layouts::narrowed(heap, &wide, kept))
    }

    /// Switches to the writer with the shortest dump that shows the failure.
    fn try_plainer_writers(&mut self, trials: &mut Trials<'_>) -> Result<(), Error> {
        let heap = &self.heap;
        let mut all: Vec<(Vec<u8>, Lowering)> = writers(self.lowering.format().family())
            .filter_map(|lowering| Some((written_dump(&lowering, heap)?, lowering)))
            .filter(|(dump, _)| dump.len() < trials.current().len())
            .collect();
        all.sort_by_key(|(dump, _)| dump.len());
        let mut all = all.into_iter();
        if let Some(lowering) = trials.first_shown(&mut || all.next().map(|(dump, lowering)| (lowering, Some(dump))))? {
            self.lowering = lowering;
        }
        Ok(())
    }

    fn leave_out(
        &mut self,
        trials: &mut Trials<'_>,
        count: usize,
        least: usize,
        without: &(dyn Fn(&Heap, &[bool]) -> Heap + Sync),
    ) -> Result<(), Error> {
        let (heap, lowering) = (&self.heap, &self.lowering);
        let kept = leave_out(trials, count, least, &|kept| written_dump(lowering, &without(heap, kept)))?;
        if kept.contains(&false) {
            self.heap = without(heap, &kept);
        }
        Ok(())
    }
}

type LeaveOut = fn(&Heap, &dyn Fn(usize) -> bool) -> Heap;

/// The dump of a heap; `None` if the writer cannot write it.
pub(super) fn written_dump(lowering: &Lowering, heap: &Heap) -> Option<Vec<u8>> {
    let mut dump = Vec::new();
    let mut source = heap;
    lowering.write(&mut (&mut source as &mut dyn HeapSource), &mut dump).ok().map(|()| dump)
}

/// Every writer of a format and its versions.
pub(super) fn writers(family: heapsmith_core::format::Family) -> impl Iterator<Item = Lowering> {
    let all = DumpTarget::all().into_iter().filter(move |target| target.format.family() == family);
    all.filter_map(|DumpTarget { format, profile }| {
        Lowering::new(format, &WriteRequest { profile, ..WriteRequest::default() }).ok()
    })
}

fn indexed_steps<T, S>(all: &[T], of: impl Fn(&T) -> Vec<S>) -> Vec<(usize, S)> {
    all.iter().enumerate().flat_map(|(index, one)| of(one).into_iter().map(move |step| (index, step))).collect()
}

/// The steps that remove all items of a kind.
fn whole_steps(object: &Object) -> Vec<ObjectStep> {
    let whole = match &object.contents {
        Contents::References(list) | Contents::Elements(list) => list.len(),
        Contents::Fields(values) => values.len(),
        Contents::Primitives(bytes) => match object.kind {
            ObjectKind::PrimitiveArray(element) => bytes.len() / element.size() as usize,
            _ => 0,
        },
        _ => 0,
    };
    let is_whole = |step: &ObjectStep| match step {
        ObjectStep::Without(range) | ObjectStep::WithoutValues(range) | ObjectStep::Nulls(range) => {
            range.len() == whole
        }
        _ => true,
    };
    ObjectStep::for_object(object).into_iter().filter(is_whole).collect()
}

/// An object whose references lead to itself; `None` if it has no others.
fn self_referring(object: &Object) -> Option<Object> {
    let mut changed = object.clone();
    let own = |to: &mut Address| *to = if to.is_null() { *to } else { object.address };
    match &mut changed.contents {
        Contents::References(list) | Contents::Elements(list) => list.iter_mut().for_each(own),
        Contents::Fields(values) => {
            for value in values {
                if let Some(mut to) = value.as_reference() {
                    own(&mut to);
                    *value = Value::reference(to);
                }
            }
        }
        Contents::Unknown | Contents::Raw(_) | Contents::Primitives(_) | Contents::Long(_) => {}
    }
    (changed != *object).then_some(changed)
}

/// Removes references of a class and returns the number of those that are left.
fn retain_references(class: &mut Class, kept: Option<&[bool]>) -> usize {
    layouts::retain(class.references.as_mut(), kept)
}

fn retain_statics(class: &mut Class, kept: Option<&[bool]>) -> usize {
    layouts::retain(class.statics.as_mut(), kept)
}

fn retain_pool(class: &mut Class, kept: Option<&[bool]>) -> usize {
    layouts::retain(class.constant_pool.as_mut(), kept)
}
