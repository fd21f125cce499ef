//! The structure of a dump that a JDK made against that of what our profile of its writer makes: of the same heap, and of
//! random ones.

use std::collections::HashSet;

use heapsmith::format::{DumpFile, Lowering};
use heapsmith::generate::from_seed;
use heapsmith::hprof::LowerOptions;
use heapsmith::model::DumpSource;

use super::Made;
use super::shape::{Meant, Shape, habits, unexplained};

/// In what the same heap looks otherwise when it is written from the beginning, and why.
const OF_ONE_HEAP: &[Meant] = &[
    ("11", "loads", "the own place of an array's class is in no heap: its dump follows its element's"),
    ("17", "loads", "the own place of an array's class is in no heap: its dump follows its element's"),
    (
        "21",
        "loads",
        "boot classes of the archive that nothing has loaded have no CLASS DUMP where all objects are kept",
    ),
    ("21", "load serials", "the same"),
    ("21", "records", "the same"),
    ("21", "roots", "the same: they are sticky classes"),
    ("21", "sub-records", "the same"),
    ("21", "segments", "the same"),
    (
        "25",
        "roots",
        "roots of a virtual thread that is not mounted follow its object; ours stand with those of all threads",
    ),
    ("25", "sub-records", "the same"),
    ("25", "segments", "the same"),
    (
        "25",
        "loads",
        "boot classes of the archive that nothing has loaded have no CLASS DUMP where all objects are kept",
    ),
    ("25", "load serials", "the same"),
    ("25", "records", "the same"),
];

/// What random heaps show and dumps of this writer do not, and why.
const OF_RANDOM_HEAPS: &[Meant] = &[
    (
        "sa",
        "arrays of primitive types",
        "the archive of class data has them among classes; without it they come first of all",
    ),
    ("sagz", "arrays of primitive types", "the same"),
];

/// How many random heaps are looked at.
const SEEDS: u64 = 30;

/// The differences that no list explains, and the aspects of those that one does.
pub(crate) fn compare(made: &Made, file: &DumpFile, bytes: &[u8]) -> (Vec<String>, String) {
    let writer = made.writer();
    let options = LowerOptions::default().with_profile(made.profile()).expect("a profile");
    let framing = match made.kind.as_str() {
        // How jhsdb of 17, and of 25, frames a heap that it compresses.
        "sagz" if made.major >= 25 => options.profile.framings.get(2),
        "sagz" => options.profile.framings.get(1),
        _ => None,
    };
    let options = options.framing(framing);
    let real = Shape::of(bytes);
    let mut again = Vec::new();
    let source: &mut dyn DumpSource = &mut file.source().expect("a dump");
    Lowering::from(options).write(source, &mut again).expect("memory");
    let mut used = HashSet::new();
    let mut wrong = unexplained(&writer, real.differences(&Shape::of(&again)), OF_ONE_HEAP, &mut used);
    let real = habits::of(&real);
    for seed in 0..SEEDS {
        let heap = from_seed(&Lowering::from(options).generate_options(60, None), seed);
        let dump = heapsmith::hprof::lower::to_bytes(&heap, &options).expect("writable");
        let foreign = habits::foreign(&real, &habits::of(&Shape::of(&dump)));
        wrong.extend(unexplained(&writer, foreign, OF_RANDOM_HEAPS, &mut used));
    }
    wrong.sort();
    wrong.dedup();
    let of_one_heap = OF_ONE_HEAP.iter().filter(|(of, what, _)| used.contains(&((*of).to_owned(), *what)));
    (wrong, of_one_heap.map(|(_, what, _)| *what).collect::<Vec<_>>().join(", "))
}
