//! Shapes: their closed forms against calculations that follow from the definitions alone, and their dumps in every format.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use heapsmith::format::{Format, profiles};
use heapsmith::generate::{
    GenerateOption, GenerateOptions, PlacedShape, ProceduralHeap, Shape, ShapeForm, Shapes, from_seed,
};
use heapsmith::input::Input;
use heapsmith::model::{Address, Contents, Heap, HeapSource, ObjectKind, RootKind, WordSize};
use heapsmith::recipe::Recipe;
use heapsmith::verify::{VerifyOptions, verify};
use heapsmith::{DumpOptions, validate};
use quickcheck::{Gen, QuickCheck};

/// The smallest of each form, sizes at which something begins, and some others, of up to 300 objects.
const TEXTS: &str = "list:1 list:2 list:63 list:64 list:65 list:300 ring:1 ring:2 ring:3 ring:130 tree:1,1 tree:1,40 tree:2,1 \
    tree:2,7 tree:3,4 tree:200,1 dag:1,1 dag:1,30 dag:2,1 dag:2,2 dag:3,5 dag:17,17 power-law:1 power-law:2 power-law:3 \
    power-law:4 power-law:5 power-law:31 power-law:64 power-law:300 clique:1 clique:2 clique:3 clique:40 array:1 array:5000 \
    classes:1 classes:2 classes:100 leak:1 leak:2 leak:3 leak:4 leak:7 leak:8 leak:70";

fn options(shapes: &str) -> GenerateOptions {
    let shapes: Vec<Shape> = shapes.split('+').map(|text| text.parse().expect("a shape")).collect();
    GenerateOptions::default().objects(20).shapes(shapes.into())
}

fn heap(options: &GenerateOptions) -> ProceduralHeap {
    ProceduralHeap::new(options, 3).unwrap_or_else(|error| panic!("{error}"))
}

fn copy(heap: &ProceduralHeap) -> Heap {
    Heap::collect(&mut heap.clone()).expect("in memory")
}

/// A heap as a graph: each class and object by its address, and what it refers to.
struct Graph {
    edges: HashMap<Address, Vec<Address>>,
    roots: Vec<Address>,
}

impl Graph {
    fn of(heap: &Heap) -> Graph {
        let mut edges: HashMap<Address, Vec<Address>> = HashMap::new();
        for class in &heap.classes {
            let above = [class.superclass, class.loader, class.signers, class.protection_domain];
            let statics = class.statics.iter().flatten().filter_map(|field| field.value.as_reference());
            let pool = class.constant_pool.iter().flatten().filter_map(|entry| entry.value.as_reference());
            let interfaces = class.interfaces.iter().flatten().copied();
            edges.insert(
                class.address,
                above.into_iter().flatten().chain(interfaces).chain(statics).chain(pool).collect(),
            );
        }
        for object in &heap.objects {
            edges.insert(object.address, object.class.into_iter().chain(object.references()).collect());
        }
        let roots = heap.surroundings.roots.iter().flatten().map(|root| root.object).collect();
        Graph { edges, roots }
    }

    /// What is reached from some nodes, without ever going through one of them.
    fn reached(&self, from: &[Address], without: Option<Address>) -> HashSet<Address> {
        let mut seen = HashSet::new();
        let mut open: Vec<Address> = from.to_vec();
        while let Some(node) = open.pop() {
            if Some(node) != without && self.edges.contains_key(&node) && seen.insert(node) {
                open.extend(&self.edges[&node]);
            }
        }
        seen
    }

    fn distances(&self, from: Address) -> HashMap<Address, u64> {
        let (mut seen, mut open) = (HashMap::from([(from, 0)]), VecDeque::from([from]));
        while let Some(node) = open.pop_front() {
            for &to in self.edges.get(&node).into_iter().flatten() {
                if self.edges.contains_key(&to) && !seen.contains_key(&to) {
                    seen.insert(to, seen[&node] + 1);
                    open.push_back(to);
                }
            }
        }
        seen
    }
}

/// Which objects of a shape are not reached without each of them, by calculation.
fn dominated(graph: &Graph, shape: &PlacedShape) -> Vec<HashSet<Address>> {
    let all = graph.reached(&graph.roots, None);
    let without = |object| graph.reached(&graph.roots, Some(shape.address(object)));
    (0..shape.objects()).map(|object| all.difference(&without(object)).copied().collect()).collect()
}

fn check(shape: &PlacedShape, heap: &Heap) {
    let name = shape.shape();
    let graph = Graph::of(heap);
    let sizes: HashMap<Address, u64> = heap.objects.iter().map(|o| (o.address, o.size.expect("known").0)).collect();
    let objects: HashMap<Address, _> = heap.objects.iter().map(|object| (object.address, object)).collect();
    let own: HashMap<Address, u64> = (0..shape.objects()).map(|object| (shape.address(object), object)).collect();
    assert_eq!(own.len() as u64, shape.objects(), "{name}: no two objects have one address");
    let mut in_degrees = vec![0; own.len()];
    let distances = graph.distances(shape.root());
    let reached: Vec<HashSet<Address>> =
        (0..shape.objects()).map(|object| graph.reached(&[shape.address(object)], None)).collect();
    let dominated = dominated(&graph, shape);
    for (number, held) in (0..).zip(&dominated) {
        let at = shape.address(number);
        assert_eq!(shape.find(at), Some(number), "{name}: {number}");
        let object = objects[&at];
        assert_eq!((object.class, object.size), (Some(shape.class(number)), Some(shape.size(number))));
        let references: Vec<u64> = object.references().filter_map(|to| own.get(&to).copied()).collect();
        assert_eq!(shape.references(number).collect::<Vec<u64>>(), references, "{name}: {number}");
        references.iter().for_each(|to| in_degrees[*to as usize] += 1);
        assert_eq!(shape.distance(number), distances[&at], "{name}: {number}");
        let bytes: u128 = held.iter().map(|at| u128::from(sizes[at])).sum();
        assert_eq!(shape.retained(number), (held.len() as u64, bytes), "{name}: {number}");
        // Of those that dominate it, all others dominate the nearest one.
        let above = (0..own.len()).filter(|other| *other as u64 != number && dominated[*other].contains(&at));
        let nearest = above.min_by_key(|other| dominated[*other].len());
        assert_eq!(shape.dominator(number), nearest.map(|other| other as u64), "{name}: {number}");
        let together = own.iter().filter(|(other, place)| {
            reached[number as usize].contains(other) && reached[**place as usize].contains(&at)
        });
        let together: Vec<u64> = together.map(|(_, place)| *place).collect();
        assert_eq!(Some(shape.component(number)), together.iter().copied().min(), "{name}: {number}");
        assert_eq!(shape.component_size(number), together.len() as u64, "{name}: {number}");
        assert_eq!(shape.out_degree(number), references.len() as u64, "{name}: {number}");
        let before = shape.predecessor(number);
        assert_eq!(before.is_none(), number == 0, "{name}: {number}");
        assert!(before.is_none_or(|before| shape.references(before).any(|to| to == number)), "{name}: {number}");
        let nearer = before.is_none_or(|before| shape.distance(before) + 1 == shape.distance(number));
        assert!(nearer, "{name}: {number} after {before:?}");
    }
    for (number, in_degree) in in_degrees.into_iter().enumerate() {
        assert_eq!(shape.in_degree(number as u64), in_degree, "{name}: {number}");
    }
    assert_eq!(shape.bytes(), own.keys().map(|at| u128::from(sizes[at])).sum::<u128>(), "{name}");
    let mut by_class: BTreeMap<Address, (u64, u128)> = BTreeMap::new();
    for at in own.keys() {
        let (count, bytes) = by_class.entry(objects[at].class.expect("known")).or_default();
        (*count, *bytes) = (*count + 1, *bytes + u128::from(sizes[at]));
    }
    assert_eq!(shape.by_class(), by_class, "{name}");
    // What holds the shape is a root, and nothing else refers to it.
    assert!(graph.roots.contains(&shape.root()));
    let outer = graph.edges.iter().filter(|(from, _)| !own.contains_key(from) && Some(**from) != shape.holder());
    assert!(outer.flat_map(|(_, to)| to).all(|to| !own.contains_key(to)), "{name}: held by something else");
}

#[test]
fn closed_forms_equal_calculated_answers_of_every_shape() {
    let forms: HashSet<&str> = TEXTS.split_whitespace().filter_map(|text| text.split(':').next()).collect();
    assert!(ShapeForm::FORMS.iter().all(|form| forms.contains(form.name)));
    for text in TEXTS.split_whitespace() {
        for of in [text.to_owned(), format!("{text}@sticky-class"), format!("{text}@jni-local")] {
            let heap = heap(&options(&of));
            let copy = copy(&heap);
            assert_eq!(heap.objects(), copy.objects.len() as u64);
            heap.shapes().for_each(|shape| check(shape, &copy));
        }
    }
}

/// Several do not disturb each other, with whatever library, word size and class objects.
#[test]
fn closed_forms_hold_for_several_shapes_in_heaps_of_many_options() {
    let several = "list:20+leak:9@java-frame+list:5+dag:3,3+clique:4+classes:3+tree:2,3+ring:9+power-law:17+array:9";
    for library in GenerateOption::named("library").and_then(GenerateOption::names).expect("the libraries") {
        for (word, hashes, class_objects) in [("64", "16", "j9"), ("32", "32", "hotspot")] {
            let mut options = options(several);
            for (key, value) in
                [("library", library), ("word", word), ("hashes", hashes), ("class-objects", class_objects)]
            {
                options.set(key, value).expect("an option");
            }
            let heap = heap(&options);
            let copy = copy(&heap);
            assert_eq!(heap.shapes().count(), 10);
            heap.shapes().for_each(|shape| check(shape, &copy));
            let names: HashSet<_> = copy.classes.iter().map(|class| class.name.clone()).collect();
            assert_eq!(names.len(), copy.classes.len(), "no two classes have one name");
            assert!(names.contains(&"shape/list/Node".into()) && names.contains(&"shape/list2/Node".into()));
        }
    }
}

/// Where class objects are no roots, as in dumps whose writers do not tell them.
#[test]
fn knows_holders_of_shape_classes() {
    for text in TEXTS.split_whitespace() {
        let heap = heap(&options(text));
        let mut copy = copy(&heap);
        let shape = heap.shapes().next().expect("one");
        let classes: Vec<Address> = shape.classes().collect();
        let roots = copy.surroundings.roots.as_mut().expect("roots");
        roots.retain(|root| !classes.contains(&root.object));
        let dominated = dominated(&Graph::of(&copy), shape);
        for (place, class) in (0..).zip(&classes) {
            let holder = shape.class_dominator(place);
            let above = (0..shape.objects()).filter(|object| dominated[*object as usize].contains(class));
            let nearest = above.min_by_key(|object| dominated[*object as usize].len());
            assert_eq!(nearest, Some(holder), "{text}, class {place}");
        }
    }
}

fn bytes(lowering: &heapsmith::format::Lowering, mut heap: &mut dyn HeapSource) -> Vec<u8> {
    let mut bytes = Vec::new();
    lowering.write(&mut heap, &mut bytes).expect("a dump");
    bytes
}

/// Objects in blocks are written together, and those of a copy one by one; what is read is what was written.
#[test]
fn every_shape_is_written_by_every_writer_and_read_again() {
    let shapes = "list:300 ring:130 tree:3,4 dag:17,17 power-law:300 clique:40 array:5000 classes:100 leak:70";
    let shapes: Vec<&str> = shapes.split(' ').collect();
    let mut written = 0;
    for format in Format::all() {
        for (number, profile) in profiles(format).into_iter().enumerate() {
            let lowering = DumpOptions::new(format).profile(profile).seed(3).lowering().expect("a profile");
            let all = Shapes::from(shapes.iter().map(|text| text.parse().expect("a shape")).collect::<Vec<Shape>>());
            let options = lowering.generate_options(if number % 2 == 0 { 30 } else { 5000 }, None).shapes(all);
            let mut heap = ProceduralHeap::new(&options, number as u64).expect("a heap");
            let mut copy = copy(&heap);
            let dump = bytes(&lowering, &mut heap);
            assert!(dump == bytes(&lowering, &mut copy), "{format} {profile}");
            let report = validate(&dump);
            assert!(report.valid, "{format} {profile}: {:?}", report.findings.first());
            written += 1;
            if lowering.is_trap() {
                continue;
            }
            let stream = || Input::from_memory("dump", dump.clone()).stream().expect("in memory");
            let any = VerifyOptions::default().any_order(lowering.is_seeded());
            let same = verify(stream(), &heap, &lowering, any).expect("it can be judged");
            assert!(same.same, "{format} {profile}: {:#?}", same.differences);
            assert_eq!(same.compared, same.objects);
            // One more in a list is another heap.
            let more = shapes.iter().map(|text| text.replace("list:300", "list:301").parse().expect("a shape"));
            let options = options.shapes(more.collect::<Vec<Shape>>().into());
            let other = ProceduralHeap::new(&options, number as u64).expect("a heap");
            assert!(!verify(stream(), &other, &lowering, any).expect("it can be judged").same, "{format} {profile}");
        }
    }
    assert!(written > 15, "{written} writers");
}

#[test]
fn shapes_have_every_layout_of_addresses() {
    let mut written = 0;
    for layout in GenerateOption::named("addresses").and_then(GenerateOption::names).expect("the layouts") {
        for (word, format) in ["64", "32"].into_iter().flat_map(|word| Format::all().map(move |format| (word, format)))
        {
            let pairs =
                format!("objects=30,shape=list:200+leak:40+clique:5,addresses={layout},word={word},format={format}");
            let recipe = Recipe::read(&format!("heapsmith-2:{pairs},seed=4")).expect("a recipe");
            let Ok((lowering, mut heap)) = recipe.lowering_and_heap() else { continue };
            let copy = copy(&heap);
            let at: HashSet<Address> = copy.objects.iter().map(|object| object.address).collect();
            assert_eq!(at.len(), copy.objects.len());
            assert!(at.iter().all(|at| heap.facts().word_size.expect("known").mask(at.0) == at.0));
            for shape in heap.shapes() {
                assert!((0..shape.objects()).all(|object| shape.find(shape.address(object)) == Some(object)));
            }
            let dump = bytes(&lowering, &mut heap);
            assert!(dump == bytes(&lowering, &mut copy.clone()), "{pairs}");
            let report = validate(&dump);
            assert!(report.valid, "{pairs}: {:?}", report.findings.first());
            written += 1;
        }
    }
    assert!(written > 60, "{written} dumps");
}

#[test]
fn heaps_of_random_shapes_equal_their_copies_in_memory() {
    fn holds(seed: u64) -> bool {
        let mut draw = heapsmith::draw::SeedDraw::new(seed, heapsmith::draw::DrawStream::Heap);
        let drawn = GenerateOptions::draw(&mut draw);
        let mut heap = match ProceduralHeap::new(&drawn, seed) {
            Ok(heap) => heap,
            Err(_) => return drawn.check().is_err(),
        };
        let copy = Heap::collect(&mut heap).expect("in memory");
        heap.shapes().for_each(|shape| check(shape, &copy));
        copy == from_seed(&drawn, seed)
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(100, 21)).tests(300).quickcheck(holds as fn(u64) -> bool);
}

/// Worked out by hand.
#[test]
fn large_shapes_have_the_answers_of_their_formulas() {
    let of = |text: &str| heap(&options(text)).shapes().next().expect("one").clone();
    let list = of("list:1e6");
    assert_eq!((list.objects(), list.distance(999_999), list.retained(999_990).0), (1_000_000, 999_999, 10));
    // A header of 8 bytes, a reference and an int, to a multiple of 8.
    assert_eq!(list.retained(0), (1_000_000, 24_000_000));
    let tree = of("tree:2,20");
    assert_eq!((tree.objects(), tree.retained(1).0, tree.retained(2_097_150).0), (2_097_151, 1_048_575, 1));
    assert_eq!((tree.dominator(2_097_150), tree.distance(1_048_575)), (Some(1_048_574), 20));
    let leak = of("leak:1e6");
    // The power of two up to 500,000: chains of three or four entries.
    assert_eq!((leak.objects(), leak.references(1).count()), (4_000_002, 262_144));
    assert_eq!((leak.retained(1).0, leak.retained(2).0, leak.retained(2 + 4 * 262_143).0), (4_000_001, 16, 12));
    // An entry of 36 bytes, a string of 22, 16 characters and 64 bytes, to multiples of 8; the table has two places for a chain.
    let entry = 40 + 24 + 32 + 80;
    assert_eq!(leak.retained(0).1, 24 + (16 + 8 * 524_288) + 1_000_000 * entry);
    let ring = of("ring:1e9");
    assert_eq!((ring.component(5), ring.in_degree(0), ring.retained(1).0), (0, 1, 999_999_999));
    assert_eq!(ring.find(ring.address(999_999_999)), Some(999_999_999));
    let dag = of("dag:1000,1e6");
    assert_eq!((dag.objects(), dag.retained(0).0, dag.retained(7).0), (1_000_000_001, 1_000_000_001, 1));
    assert_eq!((dag.dominator(999_999_999), dag.distance(999_999_999)), (Some(0), 1_000_000));
}

/// What the name says: twice as many referrers have half as many objects.
#[test]
fn a_power_law_has_few_objects_with_very_many_referrers() {
    let heap = heap(&options("power-law:1e6"));
    let shape = heap.shapes().next().expect("one");
    let degrees: Vec<u64> = (0..1_000_000).map(|object| shape.in_degree(object)).collect();
    // Every object but the first has one referrer in the tree, and refers to one hub.
    assert_eq!(degrees.iter().sum::<u64>(), 2 * 999_999);
    let at_least = |least: u64| degrees.iter().filter(|degree| **degree >= least).count() as u64;
    for least in [16, 64, 256, 1024, 4096] {
        let product = at_least(least) * least;
        assert!((50_000..400_000).contains(&product), "{} objects with {least} referrers", at_least(least));
    }
}

#[test]
fn gives_shapes_roots_of_requested_kind() {
    for form in &RootKind::FORMS {
        let text = format!("list:3@{}", form.name);
        let Ok(shape) = text.parse::<Shape>() else {
            assert_eq!(form.name, "thread-object");
            continue;
        };
        assert!(shape.root().is_a(form.kind));
        let heap = heap(&options(&text));
        let of: Vec<RootKind> = {
            let shape = heap.shapes().next().expect("one");
            let roots = heap.surroundings().roots.iter().flatten();
            roots.filter(|root| root.object == shape.root()).map(|root| root.kind).collect()
        };
        assert!(matches!(of[..], [kind] if kind.is_a(form.kind)), "{}: {of:?}", form.name);
        let thread = heap.surroundings().threads.iter().flatten().next().expect("a thread").serial;
        assert!(of[0].thread().is_none_or(|of| of == thread));
        let report =
            validate(bytes(&DumpOptions::new(Format::HPROF).lowering().expect("a profile"), &mut heap.clone()));
        assert!(report.valid, "{}: {:?}", form.name, report.findings.first());
    }
    // Without threads, there are none of theirs.
    let mut options = options("list:3@java-frame");
    options.objects = 0;
    let heap = heap(&options);
    let head = heap.shapes().next().expect("one").root();
    let of = heap.surroundings().roots.iter().flatten().find(|root| root.object == head).map(|root| root.kind);
    assert!(of.is_some_and(|kind| kind.is_a(RootKind::JniGlobal(Address::NULL))));
}

#[test]
fn refuses_shape_too_large_for_any_heap() {
    let of = |pairs: &str| {
        Recipe::read(&format!("heapsmith-2:{pairs}")).and_then(|recipe| recipe.lowering_and_heap().map(drop))
    };
    let refused = |pairs: &str| of(pairs).expect_err(pairs).to_string();
    let error = refused("shape=list:1e9,word=32");
    assert_eq!(error, "shape=list:1e9: its objects do not fit into addresses of 32 bits; choose a smaller one");
    assert_eq!(
        refused("shape=array:10e9"),
        "shape=array:1e10: BYTES is at most 2147483647, and not 1e10; choose shape=array:2147483647"
    );
    assert!(refused("shape=clique:1e5").ends_with("choose shape=clique:65536"));
    assert_eq!(
        refused("shape=tree:2:64"),
        "shape=tree:2:64: a shape has at most 1099511627776 objects; choose shape=tree:2:39"
    );
    assert!(refused("shape=list:5,addresses=numbers,profile=any,id-size=1").contains("choose objects=20"));
    assert!(refused("shape=list:5,objects=3,addresses=numbers,profile=any,id-size=1").ends_with("choose shape=none"));
    let count = "list:N with a count from 1 on, such as 1000, 20_000 or 1e6";
    let kind = "a kind of root after @: unknown, ";
    for (wrong, expected) in [
        ("list", count),
        ("list:", count),
        ("list:0", count),
        ("list:1:2", count),
        ("list:1e30", count),
        ("tree:2", "tree:ARITY,DEPTH with counts from 1 on"),
        ("lisp:3", "a shape: list:N, tree:ARITY,DEPTH, "),
        ("list:3@thread-object", kind),
        ("list:3@", kind),
    ] {
        let error = refused(&format!("shape={wrong}"));
        assert!(error.contains(&format!("shape: expected {expected}")), "{error}");
        assert!(error.ends_with(&format!(", found {wrong:?}")), "{error}");
        wrong.parse::<Shape>().expect_err("no shape");
    }
    of("shape=none,objects=5").expect("a heap without shapes");
    let text = "heapsmith-2:preset=plain,shape=tree:2:20+leak:1e6+list:5@java-frame,seed=7";
    assert_eq!(Recipe::read(text).expect("a recipe").to_string(), text);
    let commas = "heapsmith-2:shape=tree:2%2c20+leak:1000000@sticky-class+list:5@java-frame,seed=7";
    assert_eq!(Recipe::read(commas).expect("a recipe").to_string(), text);
}

/// What a shape does not change: the heap around it, as its seed gives it.
#[test]
fn appends_shapes_without_changing_seeded_heap() {
    for objects in [0, 50, 6000] {
        let plain = GenerateOptions::default().objects(objects);
        let with = plain.clone().shapes(options("leak:5+list:9").shapes);
        let (plain, with) = (heap(&plain), heap(&with));
        let drawn = plain.drawn().objects.len();
        let (plain, with) = (copy(&plain), copy(&with));
        assert!(plain.classes == with.classes[..plain.classes.len()], "{objects} objects");
        assert!(plain.objects[..drawn] == with.objects[..drawn], "{objects} objects");
        assert_eq!(with.objects.len() - plain.objects.len(), 22 + 9);
    }
}

/// The small shapes of specs/generator.md, as it spells them: addresses from the head's on, in 64-bit words.
#[test]
fn small_shapes_match_specification() {
    let spelled = |text: &str| {
        let heap = heap(&options(text).objects(0).word(WordSize::Bits64));
        let copy = copy(&heap);
        let shape = heap.shapes().next().expect("one");
        let line = |object: u64| {
            let at = shape.address(object);
            let found = copy.objects.iter().find(|object| object.address == at).expect("there");
            let class = copy.classes.iter().find(|class| Some(class.address) == found.class).expect("known");
            let target = |to: Address| shape.find(to).map_or("-".to_owned(), |to| to.to_string());
            let contents: Vec<String> = match &found.contents {
                Contents::Fields(fields) => fields
                    .iter()
                    .map(|value| value.as_reference().map_or_else(|| format!("{:#x}", value.bits), target))
                    .collect(),
                Contents::Elements(elements) => elements.iter().map(|to| target(*to)).collect(),
                Contents::Primitives(bytes) => {
                    vec![bytes.iter().map(|byte| format!("{byte:02x}")).collect()]
                }
                other => panic!("{other:?}"),
            };
            let kind = if found.kind == ObjectKind::Instance { "" } else { " of" };
            let name = String::from_utf8_lossy(class.name.as_bytes()).into_owned();
            format!("{object} {name}{kind} {}", contents.join(" ")).trim_end().to_owned()
        };
        (0..shape.objects()).map(line).collect::<Vec<String>>()
    };
    let page = include_str!("../../specs/generator.md");
    let (_, section) = page.split_once("### Small shapes\n").expect("a section");
    let blocks: Vec<&str> = section.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let mut seen = HashSet::new();
    for line in blocks.first().expect("a block").split("\n\n") {
        let mut lines = line.trim().lines();
        let text = lines.next().expect("a shape");
        assert_eq!(spelled(text), lines.collect::<Vec<&str>>(), "{text}");
        seen.insert(text.split(':').next().expect("a form"));
    }
    assert!(ShapeForm::FORMS.iter().all(|form| seen.contains(form.name)), "{seen:?}");
}
