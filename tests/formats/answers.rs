//! What `answers` calculates, against the closed forms of shapes that are as large as a calculation takes.

use heapsmith::answers::{Analysis, ClassRow, EdgeOptions, EntryGraph, GeneratedHistogram, answers};
use heapsmith::compare::listing::Text;
use heapsmith::family::ReadOptions;
use heapsmith::format::{Format, OpenedHeap, profiles};
use heapsmith::generate::{GenerateOptions, ProceduralHeap, Shape};
use heapsmith::model::RootKind;
use heapsmith::recipe::Recipe;

/// Every object of a shape: its dominator, what it retains, its distance and its component.
fn check(text: &str) {
    let shape: Shape = text.parse().expect("a shape");
    let options = GenerateOptions::default().objects(20).shapes(vec![shape].into());
    let mut heap = ProceduralHeap::new(&options, 3).expect("a heap");
    let analysis = Analysis::new(EntryGraph::from_source(&mut heap, EdgeOptions::default()).expect("a graph"));
    let (graph, reached) = (analysis.graph(), analysis.reached().expect("roots are recorded"));
    let distances = analysis.distances().expect("roots are recorded");
    let shape = heap.shapes().next().expect("the shape");
    let entry = |object: u64| graph.find(shape.address(object)).expect("it is in the dump");
    let holder = shape.holder().map(|class| graph.find(class).expect("a class"));
    // By entry, how many entries its component has.
    let mut together = vec![0_u64; graph.len()];
    for component in analysis.components() {
        component.iter().for_each(|entry| together[*entry as usize] = component.len() as u64);
    }
    for object in 0..shape.objects() {
        let number = entry(object);
        let dominator = shape.dominator(object).map(&entry).or(holder);
        assert_eq!(reached.dominator(number), dominator, "{text}: dominator of {object}");
        let retained = reached.retained(number).expect("it is reachable");
        let found = (retained.entries, u128::from(retained.bytes));
        assert_eq!(found, shape.retained(object), "{text}: what {object} retains");
        let distance = distances.distance(number).map(u64::from);
        assert_eq!(distance, Some(shape.distance(object)), "{text}: distance of {object}");
        assert_eq!(together[number as usize], shape.component_size(object), "{text}: component of {object}");
        let in_degree = analysis.in_degree(number);
        let from_outside = u64::from(object == 0 && holder.is_some());
        assert_eq!(in_degree, shape.in_degree(object) + from_outside, "{text}: references to {object}");
    }
}

#[test]
fn a_list_of_a_million_has_its_closed_form() {
    check("list:1e6");
}

#[test]
fn a_tree_of_two_million_has_its_closed_form() {
    check("tree:2,20");
}

#[test]
fn a_leak_of_a_million_has_its_closed_form() {
    check("leak:1e6");
}

#[test]
fn every_other_shape_has_its_closed_form() {
    for shape in ["ring:1000", "dag:20,50", "power-law:5000", "clique:60", "array:5000", "classes:200", "leak:5000"] {
        check(shape);
    }
}

/// Whether a root leads to a shape is known before its dump is written.
#[test]
fn predicts_shapes_unreachable_by_omitted_root_kinds() {
    let mut left_out = 0;
    for profile in profiles(Format::HPROF) {
        // Roots of the kind `unreachable` keep nothing, but in dumps that cannot tell it from another.
        let kinds = RootKind::FORMS.iter().filter(|form| !form.kind.is_a(RootKind::Unreachable));
        for root in kinds.filter(|form| !matches!(form.kind, RootKind::ThreadObject(..))) {
            let text = format!(
                "heapsmith-2:preset=plain,word=32,objects=20,shape=list:3@{},profile={profile},seed=3",
                root.name
            );
            let recipe = Recipe::read(&text).expect("a recipe");
            let heap = recipe.heap().expect("a heap");
            let head = heap.shapes().next().expect("the shape").address(0);
            let input = recipe.clone().input().expect("a dump");
            let mut file = OpenedHeap::open(input, None, ReadOptions::default()).expect("a heap");
            let analysis =
                Analysis::new(EntryGraph::from_source(file.source(), EdgeOptions::default()).expect("a graph"));
            let entry = analysis.graph().find(head).expect("it is in the dump");
            let is_left_out = recipe.lowering().expect("a writer").omits_root(root);
            assert_eq!(analysis.reached().expect("roots").is_reachable(entry), !is_left_out, "{text}");
            left_out += usize::from(is_left_out);
        }
    }
    assert!(left_out > 20, "{left_out}");
}

fn generated_histogram(recipe: &Recipe) -> GeneratedHistogram {
    let (lowering, heap) = recipe.lowering_and_heap().expect("a heap");
    GeneratedHistogram::new(&heap, &lowering).expect("a heap that the writer writes")
}

/// The histogram that follows from a visit of every object of a recipe's dump.
fn counted_histogram(recipe: &Recipe) -> GeneratedHistogram {
    let input = recipe.clone().input().expect("a dump");
    let mut file = OpenedHeap::open(input, None, ReadOptions::default()).expect("a heap");
    let analysis = Analysis::new(EntryGraph::from_source(file.source(), EdgeOptions::default()).expect("a graph"));
    let answers = answers(file.source(), &analysis).expect("answers");
    let histogram = answers.histogram.into_iter().map(|row| ClassRow { retained: None, ..row });
    GeneratedHistogram { entries: answers.entries, histogram: histogram.collect() }
}

/// Drawn objects, blocks of a seed in whole and in part, and every shape, by every writer.
#[test]
fn a_histogram_in_closed_form_is_that_of_the_dump() {
    let shapes = "list:300+ring:130+tree:3:4+dag:17:17+power-law:300+clique:40+array:5000+classes:100+leak:70+list:3";
    let mut compared = 0;
    for format in Format::all() {
        for (objects, profile) in [0, 40, 5000, 9000].into_iter().cycle().zip(profiles(format)) {
            let text = format!(
                "heapsmith-2:preset=plain,word=32,objects={objects},shape={shapes},format={format},profile={profile},seed=5"
            );
            let recipe = Recipe::read(&text).expect("a recipe");
            assert_eq!(generated_histogram(&recipe), counted_histogram(&recipe), "{text}");
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared} writers");
}

#[test]
fn a_histogram_in_closed_form_counts_what_the_swarm_draws() {
    for format in Format::all() {
        for seed in 0..8 {
            let text = format!("heapsmith-2:swarm=yes,format={format},seed={seed}");
            let recipe = Recipe::read(&text).expect("a recipe");
            assert_eq!(generated_histogram(&recipe), counted_histogram(&recipe), "{text}");
        }
    }
}

/// Worked out by hand: the fields and elements of HPROF, with identifiers of 8 bytes.
#[test]
fn a_histogram_of_billions_of_objects_follows_from_their_number() {
    let text = "heapsmith-2:preset=plain,objects=30,shape=list:1e9+leak:1e6+clique:600+tree:2:30,profile=hotspot-25";
    let found = generated_histogram(&Recipe::read(text).expect("a recipe"));
    let row = |class: &str| {
        let row =
            found.histogram.iter().find(|row| row.class == Text::Text(class.to_owned())).expect("a class of a shape");
        (row.objects, row.bytes, row.unsized_objects)
    };
    // A reference and an int.
    assert_eq!(row("shape.list.Node"), (1_000_000_000, 12_000_000_000, 0));
    // Two references.
    assert_eq!(row("shape.tree.Node"), ((1 << 31) - 1, ((1 << 31) - 1) * 16, 0));
    // An int and three references.
    assert_eq!(row("shape.leak.Entry"), (1_000_000, 28_000_000, 0));
    // Two places for each of the 2^18 chains: the greatest power of two up to half of the entries.
    assert_eq!(row("shape.leak.Entry[]"), (1, (1 << 19) * 8, 0));
    assert_eq!(row("shape.leak.Cache"), (1, 12, 0));
    assert_eq!(row("shape.clique.Member"), (600, 600 * 8, 0));
    assert_eq!(row("shape.clique.Member[]"), (600, 600 * 599 * 8, 0));
    // Besides these, an entry's key, and a few others.
    let few = found.entries.instances - 1_000_000_000 - ((1 << 31) - 1) - 2_000_000 - 600;
    assert!((1..100).contains(&few), "{few} other instances");
    let few = found.entries.primitive_arrays - 2_000_000;
    assert!(few < 100, "{few} other arrays");
}
