//! Collections as a real VM lays them out, beside those of a heap file: `Samples.java` and `samples.kdl` make the same ones.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith::heap_file::HeapFile;
use heapsmith::model::{Address, Class, Contents, FieldType, Heap, Hierarchy, Name, Object, ObjectKind};

/// A heap whose objects are found by their addresses.
struct Graph<'h> {
    heap: &'h Heap,
    classes: HashMap<Address, usize>,
    objects: HashMap<Address, &'h Object>,
    hierarchy: Hierarchy,
}

impl<'h> Graph<'h> {
    fn new(heap: &'h Heap) -> Graph<'h> {
        let classes: HashMap<Address, usize> =
            heap.classes.iter().enumerate().map(|(place, class)| (class.address, place)).collect();
        let hierarchy = Hierarchy::new(&heap.classes, |address| classes.get(&address).copied());
        let objects = heap.objects.iter().map(|object| (object.address, object)).collect();
        Graph { heap, classes, objects, hierarchy }
    }

    fn class(&self, name: &str) -> &'h Class {
        let name = Name::from(name);
        self.heap.classes.iter().find(|class| class.name == name).expect("a class")
    }

    /// All that a reference leads to, as text: classes, values by field name, and numbers for objects that come again.
    fn describe(&self, address: Address, known: &mut HashMap<Address, usize>, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        if address.is_null() {
            text.push_str("null\n");
            return;
        }
        if let Some(number) = known.get(&address) {
            writeln!(text, "as #{number}").expect("a text");
            return;
        }
        let number = known.len();
        known.insert(address, number);
        let Some(object) = self.objects.get(&address) else {
            text.push_str("a class object\n");
            return;
        };
        let class = object.class.and_then(|class| self.classes.get(&class)).copied();
        // HPROF names no class of primitive arrays.
        let name = match object.kind {
            ObjectKind::PrimitiveArray(element) => format!("{element}[]"),
            _ => class.map_or("?".into(), |class| self.heap.classes[class].name.to_string()),
        };
        let length = object.length.map_or(String::new(), |length| format!(" of {length}"));
        writeln!(text, "#{number} {name}{length}").expect("a text");
        match &object.contents {
            Contents::Fields(values) => {
                let owners = [class]
                    .into_iter()
                    .flatten()
                    .flat_map(|class| std::iter::successors(Some(class), |class| self.hierarchy.superclass(*class)));
                let fields = owners.flat_map(|owner| {
                    self.heap.classes[owner].fields.iter().flatten().map(move |field| (owner, field))
                });
                let mut values: Vec<_> =
                    fields.zip(values).map(|((_, field), value)| (field.name.to_string(), value)).collect();
                values.sort_by(|one, other| one.0.cmp(&other.0));
                for (field, value) in values {
                    write!(text, "{indent}  {field} = ").expect("a text");
                    match value.kind {
                        FieldType::Object => self.describe(Address(value.bits), known, text, depth + 1),
                        FieldType::Primitive(kind) => writeln!(text, "{kind} {:#x}", value.bits).expect("a text"),
                    }
                }
            }
            Contents::Elements(elements) => {
                for (place, element) in elements.iter().enumerate().filter(|(_, element)| !element.is_null()) {
                    write!(text, "{indent}  [{place}] = ").expect("a text");
                    self.describe(*element, known, text, depth + 1);
                }
            }
            Contents::Primitives(bytes) => writeln!(text, "{indent}  {bytes:02x?}").expect("a text"),
            other => panic!("{other:?}"),
        }
    }

    /// What the static fields of the samples hold, by their names.
    fn samples(&self) -> Vec<(String, String)> {
        let class = self.class("Samples");
        let statics = class.statics.iter().flatten();
        let statics = statics.filter(|own| own.value.as_reference().is_some_and(|to| !to.is_null()));
        let mut samples: Vec<(String, String)> = statics
            .filter(|own| !own.name.to_string().contains('<'))
            .map(|own| {
                let mut text = String::new();
                self.describe(own.value.as_reference().expect("a reference"), &mut HashMap::new(), &mut text, 0);
                (own.name.to_string(), text)
            })
            .collect();
        samples.sort();
        samples
    }
}

/// Classes of every library of which the samples have no object.
const MORE_CLASSES: [&str; 22] = [
    "java.lang.ref.Reference",
    "java.lang.ref.WeakReference",
    "java.lang.ref.SoftReference",
    "java.lang.ref.PhantomReference",
    "java.lang.ref.FinalReference",
    "java.lang.ThreadLocal",
    "java.lang.ThreadLocal$ThreadLocalMap",
    "java.lang.ThreadLocal$ThreadLocalMap$Entry",
    "java.lang.Runnable",
    "java.lang.Throwable",
    "java.lang.Exception",
    "java.util.TreeMap",
    "java.util.TreeMap$Entry",
    "java.util.LinkedList",
    "java.util.LinkedList$Node",
    "java.util.ArrayDeque",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicReference",
    "java.util.concurrent.locks.ReentrantLock",
    "java.util.Locale",
    "java.util.AbstractList",
    "java.lang.Number",
];

/// Classes of libraries since JDK 21.
const LATER_CLASSES: [&str; 3] =
    ["java.lang.Thread$FieldHolder", "java.lang.BaseVirtualThread", "java.lang.VirtualThread"];

/// Compares the samples of a JDK, by the folder of its programs, with those of the heap file for its library.
pub(super) fn check(home: Option<&Path>) {
    let folder = tempfile::tempdir().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jvm");
    let program = |name: &str| home.map_or_else(|| PathBuf::from(name), |home| home.join("bin").join(name));
    let version = Command::new(program("java")).arg("-version").output().expect("java");
    let major = super::major_version(&String::from_utf8_lossy(&version.stderr)).expect("a version");
    let compiled = Command::new(program("javac"))
        .args(["-encoding", "UTF-8", "-d"])
        .arg(folder.path())
        .arg(here.join("Samples.java"))
        .status();
    assert!(compiled.expect("javac").success());
    let dump = folder.path().join("samples.hprof");
    let run = Command::new(program("java"))
        .args(["-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp"])
        .arg(folder.path())
        .arg("Samples")
        .arg(&dump)
        .status();
    assert!(run.expect("java").success());
    let real = heapsmith::read(std::fs::read(&dump).expect("a dump")).expect("a heap");
    let library = match major {
        ..21 => "jdk-17",
        21..25 => "jdk-21",
        _ => "jdk-25",
    };
    let text = std::fs::read_to_string(here.join("samples.kdl")).expect("a heap file");
    let later = LATER_CLASSES.iter().filter(|_| major >= 21);
    let more: String =
        MORE_CLASSES.iter().chain(later).map(|class| format!("root jni-global @class:{class}\n")).collect();
    let file = HeapFile::parse(&format!("heap library={library}\n{text}{more}"), &[])
        .unwrap_or_else(|errors| panic!("{errors}"));
    let ours = file.into_dump().expect("a heap").heaps.remove(0);
    check_fields(&real, &ours, major);
    let (real, ours) = (Graph::new(&real).samples(), Graph::new(&ours).samples());
    assert_eq!(real.len(), 23);
    for ((name, real), (other, ours)) in real.iter().zip(&ours) {
        assert_eq!(name, other);
        pretty_assertions::assert_str_eq!(real, ours, "{name} of JDK {major}");
    }
    assert_eq!(real.len(), ours.len());
}

/// Library classes have the fields of the real ones, in the order of a dump.
fn check_fields(real: &Heap, ours: &Heap, major: u32) {
    let fields = |class: &Class| {
        let fields = class.fields.iter().flatten();
        fields.map(|field| format!("{} {}", field.kind, field.name)).collect::<Vec<String>>()
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for class in ours.classes.iter().filter(|class| class.name.to_string() != "Samples") {
        if let Some(known) = real.classes.iter().find(|known| known.name == class.name) {
            let above = |heap: &Heap, class: &Class| {
                let above = heap.classes.iter().find(|above| Some(above.address) == class.superclass);
                above.map(|above| above.name.to_string())
            };
            if (fields(known), above(real, known)) != (fields(class), above(ours, class)) {
                wrong.push(format!("{}: {:?}, {:?}", class.name, fields(known), above(real, known)));
            }
            compared += 1;
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "of JDK {major}");
    assert!(compared >= 55, "{compared}");
}
