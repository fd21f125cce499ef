use super::*;
use crate::Format;
use crate::model::{Heap, ObjectKind};

fn quiet(_: Progress<'_>) {}

/// A dump with one array of objects is what is left where that is looked for, and the number of trials is small.
#[test]
fn one_object_is_left_of_many() {
    for format in [Format::HPROF, "phd6".parse().expect("a format"), "classic".parse().expect("a format")] {
        let heap = Heap::random(11);
        let dump = heap.write(format).expect("it can be written");
        let has = |heap: &Heap| heap.objects.iter().any(|object| object.kind == ObjectKind::ObjectArray);
        assert!(has(&heap));
        let shows = |dump: &[u8]| Ok(crate::read(dump).is_ok_and(|heap| has(&heap)));
        let reduced = reduce(dump.clone(), &shows, &ReduceOptions::default(), &quiet).expect("it can be reduced");
        let left = crate::read(&reduced.bytes).expect("it can be read");
        assert_eq!(left.objects.len(), 1, "{format}");
        eprintln!("{format}: {} bytes of {} after {} trials", reduced.bytes.len(), dump.len(), reduced.trials);
        assert_eq!((reduced.ended, reduced.flaky), (None, 0));
    }
}
