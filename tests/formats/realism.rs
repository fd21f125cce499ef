//! Presets that look real: the most telling measures of docs/realism.md, measured here from the heap by other code than that of
//! the page's script, within ranges that are those of the real dumps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use heapsmith::model::{Address, Contents, FieldType, Heap, ObjectKind, PrimitiveType, RootKind, Value};
use heapsmith::recipe::Recipe;
use heapsmith::{Error, read, validate};

/// What is measured of a heap.
struct Measured {
    heap: Heap,
    /// Of objects, by address.
    places: HashMap<Address, usize>,
    names: HashMap<Address, String>,
}

impl Measured {
    fn of(recipe: &str) -> Measured {
        let recipe: Recipe = recipe.parse().expect("a recipe");
        let heap = Heap::collect(&mut recipe.heap().expect("a heap")).expect("in memory");
        let places = heap.objects.iter().enumerate().map(|(place, object)| (object.address, place)).collect();
        let names = heap.classes.iter().map(|class| (class.address, class.name.to_string())).collect();
        Measured { heap, places, names }
    }

    fn share_of_objects(&self, is_one: impl Fn(&heapsmith::model::Object) -> bool) -> f64 {
        self.heap.objects.iter().filter(|object| is_one(object)).count() as f64 / self.heap.objects.len() as f64
    }

    fn share_of_classes(&self, is_one: impl Fn(&heapsmith::model::Class) -> bool) -> f64 {
        self.heap.classes.iter().filter(|class| is_one(class)).count() as f64 / self.heap.classes.len() as f64
    }

    fn name_of(&self, object: &heapsmith::model::Object) -> &str {
        object.class.and_then(|class| self.names.get(&class)).map_or("", String::as_str)
    }

    /// Fields and elements that are references: the object's place and where each leads, null included.
    fn references(&self) -> Vec<(usize, Address)> {
        let mut all = Vec::new();
        for (place, object) in self.heap.objects.iter().enumerate() {
            match &object.contents {
                Contents::Fields(values) => {
                    all.extend(values.iter().copied().filter_map(Value::as_reference).map(|to| (place, to)));
                }
                Contents::Elements(elements) => all.extend(elements.iter().map(|to| (place, *to))),
                _ => {}
            }
        }
        all
    }

    fn counts(&self) -> HashMap<Address, usize> {
        let mut counts = HashMap::new();
        for (_, to) in self.references().into_iter().filter(|(_, to)| !to.is_null()) {
            *counts.entry(to).or_default() += 1;
        }
        counts
    }

    /// The share of references to objects at most that many places away.
    fn near(&self, most: usize) -> f64 {
        let distances: Vec<usize> =
            self.references().iter().filter_map(|(from, to)| Some(self.places.get(to)?.abs_diff(*from))).collect();
        distances.iter().filter(|distance| **distance <= most).count() as f64 / distances.len() as f64
    }

    /// The share of objects that no root reaches, by fields, elements, classes and what classes refer to.
    fn unreachable(&self) -> f64 {
        let mut leads: HashMap<Address, Vec<Address>> = HashMap::new();
        for (place, to) in self.references() {
            leads.entry(self.heap.objects[place].address).or_default().push(to);
        }
        for object in &self.heap.objects {
            leads.entry(object.address).or_default().extend(object.class);
        }
        for class in &self.heap.classes {
            let statics = class.statics.iter().flatten().filter_map(|field| field.value.as_reference());
            let others = [class.superclass, class.loader, class.signers, class.protection_domain];
            leads.entry(class.address).or_default().extend(statics.chain(others.into_iter().flatten()));
        }
        let mut seen = HashSet::new();
        let mut next: Vec<Address> = self.heap.surroundings.roots.iter().flatten().map(|root| root.object).collect();
        while let Some(address) = next.pop() {
            if seen.insert(address) {
                next.extend(leads.get(&address).into_iter().flatten());
            }
        }
        self.share_of_objects(|object| !seen.contains(&object.address))
    }

    /// The number of superclasses of each class.
    fn depths(&self) -> Vec<usize> {
        let above: HashMap<Address, Address> =
            self.heap.classes.iter().filter_map(|class| Some((class.address, class.superclass?))).collect();
        let depth = |class: Address| {
            std::iter::successors(above.get(&class), |at| above.get(at)).filter(|at| !at.is_null()).count()
        };
        self.heap.classes.iter().map(|class| depth(class.address)).collect()
    }

    /// The share of strings whose text another one has.
    fn equal_strings(&self) -> f64 {
        let text = |object: &heapsmith::model::Object| {
            let Contents::Fields(values) = &object.contents else { return None };
            let array = values.iter().copied().filter_map(Value::as_reference).find(|to| !to.is_null())?;
            match &self.heap.objects[*self.places.get(&array)?].contents {
                Contents::Primitives(bytes) => Some(bytes.clone()),
                _ => None,
            }
        };
        let mut counts: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for object in self.heap.objects.iter().filter(|object| self.name_of(object) == "java/lang/String") {
            *counts.entry(text(object).expect("a text")).or_default() += 1;
        }
        let equal: usize = counts.values().filter(|count| **count > 1).sum();
        equal as f64 / counts.values().sum::<usize>() as f64
    }
}

fn check(measures: &[(&str, f64, f64, f64)]) {
    for (what, value, low, high) in measures {
        println!("{what}: {value:.4} of {low} to {high}");
    }
    for (what, value, low, high) in measures {
        assert!((low..=high).contains(&value), "{what}: {value} is not within {low} to {high}");
    }
}

fn mean(values: impl Iterator<Item = usize>) -> f64 {
    let values: Vec<usize> = values.collect();
    values.iter().sum::<usize>() as f64 / values.len() as f64
}

/// The ranges are those of six dumps: of a service on JDK 11, 17, 21 and 25, of javac and of jshell.
#[test]
fn the_preset_hotspot_is_within_the_ranges_of_real_dumps() {
    let of = Measured::of("heapsmith-2:preset=hotspot,seed=1");
    let heap = &of.heap;
    let objects = heap.objects.len() as f64;
    let is_instance = |object: &heapsmith::model::Object| object.kind == ObjectKind::Instance;
    let references = of.references();
    let given = references.iter().filter(|(_, to)| !to.is_null()).count() as f64;
    let counts = of.counts();
    let of_fields = |place: &usize| is_instance(&heap.objects[*place]);
    let fields: Vec<_> = references.iter().filter(|(place, _)| of_fields(place)).collect();
    let elements: Vec<_> = references.iter().filter(|(place, _)| !of_fields(place)).collect();
    let nulls = |all: &[&(usize, Address)]| all.iter().filter(|(_, to)| to.is_null()).count() as f64 / all.len() as f64;
    let is_known = |to: &Address| of.places.contains_key(to) || of.names.contains_key(to);
    let lost = references.iter().filter(|(_, to)| !to.is_null() && !is_known(to)).count() as f64;
    let threads = heap.surroundings.threads.as_ref().expect("threads").len() as f64;
    let frames: Vec<usize> =
        heap.surroundings.traces.iter().flatten().skip(1).map(|trace| trace.frames.len()).collect();
    let roots = heap.surroundings.roots.as_ref().expect("roots");
    let locals = roots.iter().filter(|root| matches!(root.kind, RootKind::JavaFrame(..))).count() as f64;
    let lengths = |is: fn(ObjectKind) -> bool| {
        let mut lengths: Vec<u64> =
            heap.objects.iter().filter(|object| is(object.kind)).filter_map(|object| object.length).collect();
        lengths.sort_unstable();
        lengths
    };
    let of_objects = lengths(|kind| kind == ObjectKind::ObjectArray);
    let bytes = |object: &heapsmith::model::Object| object.kind == ObjectKind::PrimitiveArray(PrimitiveType::Byte);
    let primitives = of.share_of_objects(|object| matches!(object.kind, ObjectKind::PrimitiveArray(_)));
    let has = |class: &heapsmith::model::Class, name: &str| {
        class.statics.iter().flatten().any(|field| field.name.to_string() == name)
    };
    let depths = of.depths();
    check(&[
        ("objects for each class", objects / heap.classes.len() as f64, 45.3, 134.0),
        ("instances", of.share_of_objects(is_instance), 0.681, 0.737),
        ("arrays of objects", of.share_of_objects(|object| object.kind == ObjectKind::ObjectArray), 0.0439, 0.108),
        ("primitive arrays", primitives, 0.197, 0.227),
        ("byte[] among them", of.share_of_objects(bytes) / primitives, 0.789, 0.929),
        ("strings", of.share_of_objects(|object| of.name_of(object) == "java/lang/String"), 0.177, 0.227),
        ("equal strings", of.equal_strings(), 0.214, 0.469),
        (
            "collections",
            of.share_of_objects(|o| is_instance(o) && of.name_of(o).starts_with("java/util/")),
            0.178,
            0.278,
        ),
        ("elements, median", of_objects[of_objects.len() / 2] as f64, 7.0, 16.0),
        ("null fields", nulls(&fields), 0.247, 0.271),
        ("null elements", nulls(&elements), 0.61, 0.778),
        ("references of an object", given / objects, 1.61, 1.97),
        ("the most popular object", *counts.values().max().expect("references") as f64 / given, 0.0162, 0.0474),
        ("objects with one reference", of.share_of_objects(|o| counts.get(&o.address) == Some(&1)), 0.715, 0.789),
        ("near references", of.near(16), 0.429, 0.617),
        ("references within 1,000 objects", of.near(1000), 0.537, 0.702),
        ("dangling references", lost / given, 0.0, 0.00267),
        ("unreachable objects", of.unreachable(), 0.00365, 0.0343),
        ("superclasses, mean", mean(depths.iter().copied()), 1.44, 1.73),
        ("superclasses, most", depths.into_iter().max().expect("classes") as f64, 5.0, 7.0),
        ("hidden classes", of.share_of_classes(|class| class.name.to_string().contains("+0x")), 0.0383, 0.168),
        ("resolved references", of.share_of_classes(|class| has(class, "<resolved_references>")), 0.32, 0.469),
        ("threads", threads, 7.0, 17.0),
        ("frames of a thread", mean(frames.iter().copied()), 5.08, 7.29),
        ("roots in Java frames of a thread", locals / threads, 8.5, 18.6),
    ]);
}

/// The ranges are those of three applications on Android 13, which LeakCanary counted.
#[test]
fn the_preset_android_is_within_the_ranges_of_reports() {
    let of = Measured::of("heapsmith-2:preset=android,seed=1");
    let primitives = of.share_of_objects(|object| matches!(object.kind, ObjectKind::PrimitiveArray(_)));
    let threads = of.heap.surroundings.threads.as_ref().expect("threads").len() as f64;
    check(&[
        ("objects for each class", of.heap.objects.len() as f64 / of.heap.classes.len() as f64, 13.7, 14.6),
        ("instances", of.share_of_objects(|object| object.kind == ObjectKind::Instance), 0.54, 0.559),
        ("primitive arrays", primitives, 0.361, 0.391),
        ("arrays of objects", of.share_of_objects(|object| object.kind == ObjectKind::ObjectArray), 0.0674, 0.0805),
        ("threads", threads, 16.0, 36.0),
    ]);
    // What the parts of the heap are called: image, zygote and app (hprof.cc).
    let regions: BTreeSet<String> =
        of.heap.surroundings.regions.iter().flatten().map(|region| region.name.to_string()).collect();
    assert!(regions.iter().all(|name| ["default", "app", "image", "zygote"].contains(&name.as_str())), "{regions:?}");
}

fn dump(recipe: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    recipe.parse::<Recipe>()?.write(&mut bytes)?;
    Ok(bytes)
}

/// Each preset by the writer that it looks like.
#[test]
fn realistic_presets_are_valid_and_round_trip() {
    for recipe in [
        "heapsmith-2:preset=hotspot,seed=1",
        "heapsmith-2:preset=hotspot,library=jdk-21,seed=2,profile=hotspot-21",
        "heapsmith-2:preset=hotspot,library=jdk-17,seed=3,profile=hotspot-17",
        "heapsmith-2:preset=openj9,seed=1,format=phd6,profile=openj9",
        "heapsmith-2:preset=android,seed=1,profile=art",
    ] {
        let bytes = dump(recipe).unwrap_or_else(|error| panic!("{recipe}: {error}"));
        let report = validate(&bytes);
        assert!(report.valid, "{recipe}: {:#?}", report.findings.first());
        let told = read(&bytes).unwrap_or_else(|error| panic!("{recipe}: {error}"));
        let heap = recipe.parse::<Recipe>().expect("a recipe").heap().expect("a heap");
        // Nine class objects of primitive types are objects in HotSpot's dumps.
        let made = heap.objects();
        assert!((0..=9).contains(&(told.objects.len() as u64 - made)), "{recipe}: {} of {made}", told.objects.len());
    }
}

/// HotSpot 17 tells classes of arrays twice; fields of instances are as many as the classes have.
#[test]
fn dumps_of_hotspot_17_repeat_load_class() {
    let bytes =
        dump("heapsmith-2:preset=hotspot,objects=3000,library=jdk-17,seed=1,profile=hotspot-17").expect("a dump");
    let heap = read(&bytes).expect("a heap");
    let loads = heap.surroundings.events.iter().flatten();
    let loads = loads.filter(|event| matches!(event.kind, heapsmith::model::EventKind::LoadClass(_))).count();
    let repeated = loads as f64 / heap.classes.len() as f64;
    assert!((1.09..=1.15).contains(&repeated), "{repeated}");
    let references = heap.classes.iter().flat_map(|class| class.fields.iter().flatten());
    assert!(references.filter(|field| field.kind == FieldType::Object).count() > 500);
}
