//! What `answers` calculates, against the closed forms of shapes that are as large as a calculation takes.

use heapsmith::answers::{Analysis, Edges, Graph};
use heapsmith::generate::{GenerateOptions, ProceduralHeap, Shape};

/// Every object of a shape: its dominator, what it retains, its distance and its component.
fn check(text: &str) {
    let shape: Shape = text.parse().expect("a shape");
    let options = GenerateOptions::default().objects(20).shapes(vec![shape].into());
    let mut heap = ProceduralHeap::new(&options, 3).expect("a heap");
    let analysis = Analysis::of(Graph::of(&mut heap, Edges::default()).expect("a graph"));
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
