//! What `answers` calculates, against the closed forms of shapes that are as large as a calculation takes.

use heapsmith::answers::{Analysis, EdgeOptions, EntryGraph};
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
