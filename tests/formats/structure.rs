//! The structure of real dumps against that of what the profiles `hotspot-8` and `agent` write: of the same heap, and of
//! random ones.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use heapsmith::format::{DumpFile, Lowering};
use heapsmith::generate::from_seed;
use heapsmith::hprof::{LowerOptions, ReadOptions};
use heapsmith::input::Input;
use heapsmith::model::DumpSource;

use crate::shape::{Meant, Shape, habits, unexplained};
use crate::witnesses::witnesses;

/// A dump below `dumps`, and the profile of its writer.
const DUMPS: [(&str, &str, &str); 3] = [
    ("JDK 5", "sun_jdk5_13_x32.hprof", "hotspot-8"),
    ("JDK 8", "oracle_jdk8_05_x64.hprof", "hotspot-8"),
    ("agent", "sun_jdk6_31_hprofagent_compressedOops.hprof", "agent"),
];

/// In what the same heap looks otherwise when it is written from the beginning.
const OF_ONE_HEAP: &[Meant] = &[
    ("JDK 5", "records", "JDK 5 has the trace 1 in front of the strings; the profile is that of 8"),
    ("JDK 5", "loads", "JDK 5 lists each class once; the profile is that of 8, which lists arrays twice and more"),
    ("JDK 5", "load serials", "there are more of them"),
    ("JDK 8", "loads", "13 classes of arrays were loaded and have no CLASS DUMP, so that no heap has them"),
    ("agent", "records", "the agent writes records as things happen, and a heap does not say when they did"),
    ("agent", "loads", "in the order in which they happened"),
    ("agent", "load serials", "the agent counts a class when it first meets it, and writes it when it is prepared"),
    ("agent", "instance sizes", "the agent has 0 for interfaces and for some 20 ordinary classes"),
    (
        "agent",
        "traces of classes",
        "of ten classes the agent knows where they were loaded; a dump by name has one trace",
    ),
    (
        "agent",
        "roots",
        "one unknown root stands between JNI globals and system classes, the other 55 after the threads",
    ),
];

/// What random heaps show and the real dumps do not.
const OF_RANDOM_HEAPS: &[Meant] = &[
    ("JDK 5", "order of records", "JDK 5 has the trace 1 in front of the strings; the profile is that of 8"),
    ("JDK 5", "classes and their superclasses", "JDK 5 goes by its hash table; the profile is that of 8"),
    ("JDK 5", "traces of threads", "JDK 5 has no trace but 1; the profile is that of 8"),
    ("agent", "order of records", "samples and sites are what other options of the agent bring"),
    (
        "agent",
        "traces of threads",
        "random heaps number threads and traces from 1, and the agent from 200000 and 300000",
    ),
    ("agent", "sticky classes in the order of classes", "in the VM's order, of which a heap says nothing"),
];

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join("dumps").join(name)).expect("a witness")
}

fn options(profile: &str) -> LowerOptions {
    LowerOptions::default().with_profile(profile).expect("a profile")
}

#[test]
fn a_real_heap_written_from_the_beginning_has_the_structure_of_the_real_dump() {
    let Some(folder) = witnesses() else { return };
    let (mut wrong, mut used) = (Vec::new(), HashSet::new());
    for (writer, name, profile) in DUMPS {
        let bytes = read(&folder, name);
        let file = DumpFile::new(Input::from_memory(name, bytes.clone()), ReadOptions::default()).expect("a dump");
        let mut again = Vec::new();
        let source: &mut dyn DumpSource = &mut file.source().expect("a dump");
        Lowering::from(options(profile)).write(source, &mut again).expect("memory");
        let differences = Shape::of(&bytes).differences(&Shape::of(&again));
        wrong.extend(unexplained(writer, differences, OF_ONE_HEAP, &mut used));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (writer, aspect, _) in OF_ONE_HEAP {
        assert!(used.contains(&((*writer).to_owned(), *aspect)), "{writer} does not differ in {aspect} any more");
    }
}

#[test]
fn random_heaps_show_only_habits_of_real_dumps() {
    let Some(folder) = witnesses() else { return };
    let (mut wrong, mut used) = (Vec::new(), HashSet::new());
    for (writer, name, profile) in DUMPS {
        let real = habits::of(&Shape::of(&read(&folder, name)));
        for seed in 0..30 {
            let options = options(profile);
            let heap = from_seed(&Lowering::from(options).generate_options(60, None), seed);
            let dump = heapsmith::hprof::lower::to_bytes(&heap, &options).expect("writable");
            let foreign = habits::foreign(&real, &habits::of(&Shape::of(&dump)));
            wrong.extend(unexplained(writer, foreign, OF_RANDOM_HEAPS, &mut used));
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (writer, aspect, _) in OF_RANDOM_HEAPS {
        assert!(used.contains(&((*writer).to_owned(), *aspect)), "{writer} does not differ in {aspect} any more");
    }
}
