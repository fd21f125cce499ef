//! A VM's class histogram against the objects of the dump that was made right after it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use heapsmith::model::{Address, Heap, ObjectKind, PrimitiveType};

use super::Made;

const CLASS: &str = "java.lang.Class";
const INTS: &str = "[I";
const FILLER: &str = "[Ljdk.internal.vm.FillerElement;";

/// Instances by class name, as `jcmd GC.class_histogram` tells them: of several classes of one name together.
pub(crate) fn parse(text: &str, major: u32) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        // "  12:   1287   41184  java.lang.String (java.base@17.0.15)"
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [rank, instances, bytes, name, ..] = columns[..] else { continue };
        let (Some(Ok(_)), Ok(instances), Ok(_)) =
            (rank.strip_suffix(':').map(str::parse::<u64>), instances.parse::<u64>(), bytes.parse::<u64>())
        else {
            continue;
        };
        *counts.entry(in_a_dump(name, major)).or_default() += instances;
    }
    counts
}

/// The histogram tells a hidden class as `Name/0x<address>`, a dump as `Name+0x<address>`. Before Java 15 such
/// classes were anonymous to the VM, and in a dump have no address.
fn in_a_dump(name: &str, major: u32) -> String {
    match name.rsplit_once("/0x") {
        Some((name, address)) if major >= 15 => format!("{name}+0x{address}"),
        Some((name, _)) => name.to_owned(),
        None => name.to_owned(),
    }
}

/// A line for each class whose number of instances is not the one that the histogram tells. All differences that
/// may be, and why:
///
/// - Hidden classes have another spelling, see [`in_a_dump`].
/// - `java.lang.Class`: a class is no object of a dump but a CLASS DUMP; only the nine mirrors of primitive types
///   and void are instances. The VM counts mirrors too whose class is not loaded: they came with the archive of
///   class data. They have no CLASS DUMP, and the references to them dangle.
/// - Fillers, which the collector puts into gaps: the histogram tells `FillerElement[]` (from Java 19 on) or
///   `int[]`, a dump always `int[]`. A live dump begins with a collection of its own, which leaves other gaps; but
///   nothing refers to a filler, so that both have at least the arrays that something refers to.
/// - The serviceability agent walks G1's regions from end to end, and with them dead objects, which the VM
///   passes over. So there may be more, and references of the dead may dangle.
pub(crate) fn compare(histogram: &BTreeMap<String, u64>, heap: &Heap, made: &Made) -> Vec<String> {
    let with_dead = made.by_agent() && made.collector == "g1";
    let mut counts = counts(heap);
    let mut histogram = histogram.clone();
    let mut wrong = Vec::new();

    let mirrors = histogram.remove(CLASS).unwrap_or_default();
    let told = counts.remove(CLASS).unwrap_or_default() + heap.classes.len() as u64;
    let dangling = dangling(heap);
    if with_dead && !(told..=told + dangling).contains(&mirrors) || !with_dead && mirrors != told + dangling {
        wrong.push(format!("{CLASS}: {mirrors}, and {told} in the dump with {dangling} dangling"));
    }

    if let Some(filler) = histogram.remove(FILLER) {
        *histogram.entry(INTS.to_owned()).or_default() += filler;
    }
    if matches!(&made.kind[..], "live" | "gz") {
        let (told, found) = (histogram.remove(INTS).unwrap_or_default(), counts.remove(INTS).unwrap_or_default());
        let held = held_ints(heap);
        if held < 100 || held > told || held > found {
            wrong.push(format!("{INTS}: {told}, and {found} in the dump, {held} of them referred to"));
        }
    }

    let names: BTreeSet<&String> = histogram.keys().chain(counts.keys()).collect();
    for name in names {
        let told = histogram.get(name).copied().unwrap_or_default();
        let found = counts.get(name).copied().unwrap_or_default();
        if told != found && !(with_dead && told < found) {
            wrong.push(format!("{name}: {told}, and {found} in the dump"));
        }
    }
    wrong
}

/// Objects by class name, in the histogram's spelling.
fn counts(heap: &Heap) -> BTreeMap<String, u64> {
    let dotted = |name: &[u8]| String::from_utf8_lossy(name).replace('/', ".");
    let names: std::collections::HashMap<Address, String> =
        heap.classes.iter().map(|class| (class.address, dotted(class.name.as_bytes()))).collect();
    let mut counts = BTreeMap::new();
    for object in &heap.objects {
        let name = match (object.kind, object.class) {
            (ObjectKind::PrimitiveArray(kind), _) => format!("[{}", kind.signature()),
            (_, Some(class)) => names.get(&class).cloned().unwrap_or_else(|| format!("nameless {class}")),
            (_, None) => "without class".to_owned(),
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Everything that something refers to: objects, static fields, roots.
fn targets(heap: &Heap) -> HashSet<Address> {
    let of_objects = heap.objects.iter().flat_map(|object| object.references());
    let statics = heap.classes.iter().flat_map(|class| class.statics.iter().flatten());
    let of_statics = statics.filter_map(|field| field.value.as_reference());
    let of_roots = heap.surroundings.roots.iter().flatten().map(|root| root.object);
    of_objects.chain(of_statics).chain(of_roots).filter(|address| !address.is_null()).collect()
}

fn dangling(heap: &Heap) -> u64 {
    let mut targets = targets(heap);
    for address in heap.classes.iter().map(|class| class.address).chain(heap.objects.iter().map(|o| o.address)) {
        targets.remove(&address);
    }
    targets.len() as u64
}

fn held_ints(heap: &Heap) -> u64 {
    let targets = targets(heap);
    let is_held = |object: &&heapsmith::model::Object| {
        object.kind == ObjectKind::PrimitiveArray(PrimitiveType::Int) && targets.contains(&object.address)
    };
    heap.objects.iter().filter(is_held).count() as u64
}
