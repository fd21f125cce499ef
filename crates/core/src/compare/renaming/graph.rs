//! Two heaps as one graph of labelled nodes and edges.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::compare::Facet;
use crate::compare::facts::{ContentItems, Described, EntryReferences, Fact, FactWalk, GetFact};
use crate::model::{Address, Heap, Name, Value};

use super::Renaming;
use super::node_facets::{FacetSet, NodeFacets};

/// The two heaps' nodes, those of the first in front.
pub(super) struct RenamingGraph {
    addresses: Vec<Address>,
    names: Vec<String>,
    /// The number of nodes of the first heap.
    pub(super) left: u32,
    /// A hash of each node's own facts.
    pub(super) labels: Vec<u64>,
    /// Edges by the node that they leave, and by the one that they reach.
    pub(super) out: NodeEdges,
    pub(super) back: NodeEdges,
}

/// Edges in one array, each with a hash of its role.
#[derive(Default)]
pub(super) struct NodeEdges {
    starts: Vec<u32>,
    ends: Vec<(u32, u64)>,
}

impl NodeEdges {
    fn new(nodes: usize, mut edges: Vec<(u32, u32, u64)>) -> NodeEdges {
        edges.sort_unstable();
        let mut starts = vec![0; nodes + 1];
        edges.iter().for_each(|(from, ..)| starts[*from as usize + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        NodeEdges { starts, ends: edges.into_iter().map(|(_, to, role)| (to, role)).collect() }
    }

    pub(super) fn neighbours(&self, node: u32) -> &[(u32, u64)] {
        &self.ends[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// A group of nodes that has different sizes on the two sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellSplit {
    /// A node of the group.
    pub(super) node: u32,
    pub(super) left: u64,
    pub(super) right: u64,
    /// Whether it is a single node without a counterpart.
    pub(super) missing: bool,
}

/// A hash that is the same in every run.
pub(super) fn stable_hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// A hash of a fact without its addresses.
fn hash_without_addresses(fact: Option<Fact<'_>>) -> u64 {
    let plain = |value: &Value| (value.kind, if value.as_reference().is_some() { 0 } else { value.bits });
    match fact {
        None => stable_hash("unknown"),
        Some(Fact::Address(_)) => stable_hash("address"),
        Some(Fact::Addresses(listed)) => stable_hash(listed.count()),
        Some(Fact::Name(name)) => stable_hash(name),
        Some(Fact::Raw(ContentItems::Held(bytes)) | Fact::Primitives(ContentItems::Held(bytes), _)) => {
            stable_hash(bytes)
        }
        // Not in a heap in memory.
        Some(Fact::Raw(ContentItems::Long(bytes)) | Fact::Primitives(ContentItems::Long(bytes), _)) => {
            stable_hash(bytes.count())
        }
        Some(Fact::Values(values)) => stable_hash(values.iter().map(plain).collect::<Vec<_>>()),
        Some(Fact::Fields(all)) => stable_hash(all.iter().map(|f| (&f.name, f.kind)).collect::<Vec<_>>()),
        Some(Fact::Statics(all)) => stable_hash(all.iter().map(|s| (&s.name, plain(&s.value))).collect::<Vec<_>>()),
        Some(Fact::Pool(pool)) => {
            stable_hash(pool.iter().map(|entry| (entry.index, plain(&entry.value))).collect::<Vec<_>>())
        }
        Some(other) => stable_hash(other.number()),
    }
}

/// A heap's part of the graph under construction.
struct HeapNodes<'g> {
    graph: &'g mut RenamingGraph,
    edges: &'g mut Vec<(u32, u32, u64)>,
    /// The heap's nodes by address.
    nodes: HashMap<Address, u32>,
    used: &'g NodeFacets,
}

impl HeapNodes<'_> {
    fn node(&mut self, address: Address) -> u32 {
        if let Some(&node) = self.nodes.get(&address) {
            return node;
        }
        let node = self.graph.addresses.len() as u32;
        self.graph.addresses.push(address);
        self.graph.labels.push(stable_hash("nothing is there"));
        self.graph.names.push(String::new());
        self.nodes.insert(address, node);
        node
    }

    /// Adds a class or an object, with the name of its class.
    fn add_entry<E: Described>(&mut self, entry: &E, at: Address, used: FacetSet, of: &str, name: Option<&Name>) {
        let from = self.node(at);
        let mut facts = NodeFacts { side: self, entry, from, used, name, label: 0, inside: false };
        E::walk(&mut facts);
        let label = facts.label;
        self.graph.labels[from as usize] = stable_hash((self.graph.labels[from as usize], label));
        self.graph.names[from as usize] = match name {
            Some(name) => format!("{of}{name}"),
            None => "object".to_owned(),
        };
    }

    fn add_heap(&mut self, heap: &Heap) {
        for class in &heap.classes {
            self.add_entry(class, class.address, self.used.class(), "class ", Some(&class.name));
        }
        let names: HashMap<Address, &Name> = heap.classes.iter().map(|class| (class.address, &class.name)).collect();
        for object in &heap.objects {
            let name = object.class_name.as_ref().or_else(|| names.get(&object.class?).copied());
            self.add_entry(object, object.address, self.used.object(object.kind), "object of ", name);
        }
        self.add_threads(heap);
        let are_whole = self.used.beside.contains(Facet::Roots);
        if are_whole || self.used.beside.contains(Facet::RootObjects) {
            for root in heap.surroundings.roots.iter().flatten() {
                let node = self.node(root.object) as usize;
                let mut kind = root.kind;
                // The identifier of a JNI reference is no address of the heap.
                kind.reference().into_iter().for_each(|id| *id = Address::NULL);
                let kind = if are_whole { format!("{kind:?}") } else { kind.form().name.to_owned() };
                // Roots are a multiset.
                self.graph.labels[node] = self.graph.labels[node].wrapping_add(stable_hash(("root", kind)));
            }
        }
    }
}

/// The facts of one node: those without addresses make up its label, the others are edges.
struct NodeFacts<'f, 'g, E> {
    side: &'f mut HeapNodes<'g>,
    entry: &'f E,
    from: u32,
    used: FacetSet,
    /// The class's name.
    name: Option<&'f Name>,
    label: u64,
    /// Whether field values or elements are edges.
    inside: bool,
}

impl<E> NodeFacts<'_, '_, E> {
    fn add_edge(&mut self, facet: Facet, to: Address, place: u64) {
        if !to.is_null() {
            let to = self.side.node(to);
            self.side.edges.push((self.from, to, stable_hash((facet, place))));
        }
    }
}

impl<E> FactWalk<E> for NodeFacts<'_, '_, E> {
    fn unkeyed_fact(&mut self, facet: Facet, get: impl GetFact<E>) {
        if !self.used.contains(facet) && facet != Facet::Kind {
            return;
        }
        let fact = if facet == Facet::ClassName { self.name.map(Fact::Name) } else { get(self.entry) };
        self.label = stable_hash((self.label, facet, hash_without_addresses(fact)));
        if let Some(fact) = fact {
            self.inside |= matches!((facet, fact), (Facet::FieldValues, Fact::Values(_)) | (Facet::Elements, _));
            fact.visit_addresses(&mut |place, to| self.add_edge(facet, to, place));
        }
    }

    fn references(&mut self, facet: Facet, get: impl for<'e> Fn(&'e E) -> Option<EntryReferences<'e>>) {
        let is_edge = !matches!(facet, Facet::NullReferences | Facet::ReferenceOrder) && self.used.contains(facet);
        if let Some(references) = get(self.entry).filter(|_| is_edge && !self.inside) {
            references.iter().for_each(|to| self.add_edge(facet, to, 0));
        }
    }
}

impl HeapNodes<'_> {
    /// Adds the edges from threads and stack traces to objects and classes.
    fn add_threads(&mut self, heap: &Heap) {
        let beside = self.used.beside;
        let mut mark = |address: Address, label: u64| {
            if !address.is_null() {
                let node = self.node(address) as usize;
                self.graph.labels[node] = self.graph.labels[node].wrapping_add(label);
            }
        };
        for thread in heap.surroundings.threads.iter().flatten().filter(|_| beside.contains(Facet::Threads)) {
            mark(thread.object, stable_hash((thread.serial, &thread.name, thread.trace)));
        }
        for trace in heap.surroundings.traces.iter().flatten().filter(|_| beside.contains(Facet::StackTraces)) {
            for (place, frame) in (0_u64..).zip(trace.frames.iter()) {
                mark(frame.class.unwrap_or_default(), stable_hash((trace.serial, trace.thread, place)));
            }
        }
    }
}

impl RenamingGraph {
    pub(super) fn new(left: &Heap, right: &Heap, used: &NodeFacets) -> RenamingGraph {
        let mut graph = RenamingGraph {
            addresses: Vec::new(),
            names: Vec::new(),
            left: 0,
            labels: Vec::new(),
            out: NodeEdges::default(),
            back: NodeEdges::default(),
        };
        let mut edges = Vec::new();
        for heap in [left, right] {
            graph.left = graph.addresses.len() as u32;
            HeapNodes { graph: &mut graph, edges: &mut edges, nodes: HashMap::new(), used }.add_heap(heap);
        }
        let turned = edges.iter().map(|&(from, to, role)| (to, from, stable_hash(("back", role)))).collect();
        let nodes = graph.addresses.len();
        (graph.out, graph.back) = (NodeEdges::new(nodes, edges), NodeEdges::new(nodes, turned));
        graph
    }

    pub(super) fn address(&self, node: u32) -> Address {
        self.addresses[node as usize]
    }

    /// The answer for a group that only one side has, or has more of.
    pub(super) fn to_renaming(&self, split: &CellSplit) -> Renaming {
        let (name, address) = (&self.names[split.node as usize], self.address(split.node));
        let name = if name.is_empty() { "an address that nothing is at" } else { name };
        let side = if split.node < self.left { "first" } else { "second" };
        let invariant = if split.missing {
            format!("{name}, at {address} in the {side} heap, has no counterpart")
        } else {
            format!(
                "nodes like {name}, at {address} in the {side} heap: by their facts, what they refer to and what refers to them"
            )
        };
        Renaming::Different { invariant, left: split.left, right: split.right }
    }
}
