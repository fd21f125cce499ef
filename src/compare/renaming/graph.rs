//! Two heaps as one graph of labelled nodes and edges.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::{Address, Class, Contents, Heap, IdentityHash, Name, Object, ObjectKind, Value};

use super::super::Facet;
use super::Renaming;
use super::partition::Split;
use super::used::{Facets, Used};

/// The two heaps' nodes, those of the first in front.
pub(super) struct Graph {
    addresses: Vec<Address>,
    names: Vec<String>,
    /// How many nodes are the first heap's.
    pub(super) left: u32,
    /// What is known of each node by itself.
    pub(super) labels: Vec<u64>,
    /// Edges by the node that they leave, and by the one that they reach.
    pub(super) out: Edges,
    pub(super) back: Edges,
}

/// Edges in one array, each with a hash of its role.
#[derive(Default)]
pub(super) struct Edges {
    starts: Vec<u32>,
    ends: Vec<(u32, u64)>,
}

impl Edges {
    fn new(nodes: usize, mut edges: Vec<(u32, u32, u64)>) -> Edges {
        edges.sort_unstable();
        let mut starts = vec![0; nodes + 1];
        edges.iter().for_each(|(from, ..)| starts[*from as usize + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        Edges { starts, ends: edges.into_iter().map(|(_, to, role)| (to, role)).collect() }
    }

    pub(super) fn of(&self, node: u32) -> &[(u32, u64)] {
        &self.ends[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// A hash that is the same in every run.
pub(super) fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Facts that need no address.
struct Labels {
    facets: Facets,
}

impl Labels {
    fn told<T: Hash>(&self, facet: Facet, fact: Option<T>) -> u64 {
        if self.facets.contains(facet) { hash((facet, fact)) } else { 0 }
    }

    fn identity(&self, of: Option<IdentityHash>) -> u64 {
        let (bits16, bits32) = match of {
            Some(IdentityHash::Bits16(bits)) => (Some(bits), None),
            Some(IdentityHash::Bits32(bits)) => (None, Some(bits)),
            None => (None, None),
        };
        hash((self.told(Facet::Hash16, bits16), self.told(Facet::Hash32, bits32)))
    }

    fn class(&self, class: &Class) -> u64 {
        let plain = |value: &Value| (value.kind, if value.as_reference().is_some() { 0 } else { value.bits });
        let statics = class.statics.as_ref().map(|s| s.iter().map(|s| (&s.name, plain(&s.value))).collect::<Vec<_>>());
        let pool = class.constant_pool.as_ref();
        let pool = pool.map(|pool| pool.iter().map(|entry| (entry.index, plain(&entry.value))).collect::<Vec<_>>());
        let fields = class.fields.as_ref().map(|f| f.iter().map(|f| (&f.name, f.kind)).collect::<Vec<_>>());
        hash([
            hash("class"),
            self.told(Facet::ClassName, Some(&class.name)),
            self.told(Facet::InstanceSize, class.instance_size),
            self.told(Facet::ClassObjectSize, class.class_object_size),
            self.told(Facet::Fields, fields),
            self.told(Facet::Statics, statics),
            self.told(Facet::ConstantPool, pool),
            self.told(Facet::ClassSerial, class.serial),
            self.told(Facet::ClassTrace, class.trace),
            self.identity(class.hash),
        ])
    }

    fn object(&self, object: &Object) -> u64 {
        let contents = match &object.contents {
            Contents::Fields(values) => {
                let plain = |value: &Value| (value.kind, if value.as_reference().is_some() { 0 } else { value.bits });
                self.told(Facet::FieldValues, Some(values.iter().map(plain).collect::<Vec<_>>()))
            }
            Contents::Raw(bytes) => self.told(Facet::FieldValues, Some(bytes)),
            Contents::Primitives(bytes) => self.told(Facet::PrimitiveContents, Some(bytes)),
            Contents::Elements(elements) => self.told(Facet::Elements, Some(elements.len())),
            Contents::References(_) | Contents::Unknown => 0,
        };
        let is_array = object.kind != ObjectKind::Instance;
        hash([
            hash(object.kind),
            self.told(Facet::ObjectSize, object.size),
            self.told(Facet::ArrayLength, object.length.filter(|_| is_array)),
            self.told(Facet::ObjectTrace, object.trace),
            self.identity(object.hash),
            contents,
        ])
    }
}

/// A heap's part of the graph as it grows.
struct Side<'g> {
    graph: &'g mut Graph,
    edges: &'g mut Vec<(u32, u32, u64)>,
    /// Nodes of this heap by address.
    nodes: HashMap<Address, u32>,
    used: &'g Used,
}

impl Side<'_> {
    fn node(&mut self, address: Address) -> u32 {
        if let Some(&node) = self.nodes.get(&address) {
            return node;
        }
        let node = self.graph.addresses.len() as u32;
        self.graph.addresses.push(address);
        self.graph.labels.push(hash("nothing is there"));
        self.graph.names.push(String::new());
        self.nodes.insert(address, node);
        node
    }

    fn edge(&mut self, used: Facets, facet: Facet, from: u32, to: Option<Address>, place: u64) {
        if let Some(to) = to.filter(|to| !to.is_null() && used.contains(facet)) {
            let to = self.node(to);
            self.edges.push((from, to, hash((facet, place))));
        }
    }

    fn class(&mut self, class: &Class) {
        let (from, used) = (self.node(class.address), self.used.class());
        let label = Labels { facets: used }.class(class);
        self.graph.labels[from as usize] = hash((self.graph.labels[from as usize], label));
        self.graph.names[from as usize] = format!("class {}", class.name);
        self.edge(used, Facet::Superclass, from, class.superclass, 0);
        self.edge(used, Facet::Loader, from, class.loader, 0);
        self.edge(used, Facet::Signers, from, class.signers, 0);
        self.edge(used, Facet::ProtectionDomain, from, class.protection_domain, 0);
        for (place, to) in (0..).zip(class.interfaces.iter().flatten()) {
            self.edge(used, Facet::Interfaces, from, Some(*to), place);
        }
        for to in class.references.iter().flatten() {
            self.edge(used, Facet::ClassReferences, from, Some(*to), 0);
        }
        for (place, field) in (0..).zip(class.statics.iter().flatten()) {
            self.edge(used, Facet::Statics, from, field.value.as_reference(), place);
        }
        for (place, entry) in (0..).zip(class.constant_pool.iter().flatten()) {
            self.edge(used, Facet::ConstantPool, from, entry.value.as_reference(), place);
        }
    }

    fn object(&mut self, object: &Object, name: Option<&Name>) {
        let (from, used) = (self.node(object.address), self.used.object(object.kind));
        let labels = Labels { facets: used };
        let name = object.class_name.as_ref().or(name);
        let label = (self.graph.labels[from as usize], labels.object(object));
        let told = labels.told(Facet::ClassName, name);
        self.graph.labels[from as usize] = hash((label, told));
        self.graph.names[from as usize] = match name {
            Some(name) => format!("object of {name}"),
            None => "object".to_owned(),
        };
        self.edge(used, Facet::Class, from, object.class, 0);
        if object.kind == ObjectKind::ObjectArray {
            self.edge(used, Facet::ClassWord, from, object.class_word, 0);
        }
        match &object.contents {
            Contents::Fields(values) if used.contains(Facet::FieldValues) => {
                for (place, value) in (0..).zip(values) {
                    self.edge(used, Facet::FieldValues, from, value.as_reference(), place);
                }
            }
            Contents::Elements(elements) if used.contains(Facet::Elements) => {
                for (place, to) in (0..).zip(elements) {
                    self.edge(used, Facet::Elements, from, Some(*to), place);
                }
            }
            _ => {
                for to in object.references() {
                    self.edge(used, Facet::References, from, Some(to), 0);
                }
            }
        }
    }

    fn heap(&mut self, heap: &Heap) {
        heap.classes.iter().for_each(|class| self.class(class));
        let names: HashMap<Address, &Name> = heap.classes.iter().map(|class| (class.address, &class.name)).collect();
        for object in &heap.objects {
            self.object(object, object.class.and_then(|class| names.get(&class).copied()));
        }
        self.threads(heap);
        if self.used.beside.contains(Facet::Roots) {
            for root in heap.surroundings.roots.iter().flatten() {
                let node = self.node(root.object) as usize;
                let mut kind = root.kind;
                // The identifier of a JNI reference is no address of the heap.
                kind.reference().into_iter().for_each(|id| *id = Address::NULL);
                // Roots are a multiset.
                self.graph.labels[node] = self.graph.labels[node].wrapping_add(hash(("root", format!("{kind:?}"))));
            }
        }
    }
}

impl Side<'_> {
    /// What threads and stack traces say of objects and classes.
    fn threads(&mut self, heap: &Heap) {
        let beside = self.used.beside;
        let mut mark = |address: Address, label: u64| {
            if !address.is_null() {
                let node = self.node(address) as usize;
                self.graph.labels[node] = self.graph.labels[node].wrapping_add(label);
            }
        };
        for thread in heap.surroundings.threads.iter().flatten().filter(|_| beside.contains(Facet::Threads)) {
            mark(thread.object, hash((thread.serial, &thread.name, thread.trace)));
        }
        for trace in heap.surroundings.traces.iter().flatten().filter(|_| beside.contains(Facet::StackTraces)) {
            for (place, frame) in (0_u64..).zip(trace.frames.iter()) {
                mark(frame.class.unwrap_or_default(), hash((trace.serial, trace.thread, place)));
            }
        }
    }
}

impl Graph {
    pub(super) fn new(left: &Heap, right: &Heap, used: &Used) -> Graph {
        let mut graph = Graph {
            addresses: Vec::new(),
            names: Vec::new(),
            left: 0,
            labels: Vec::new(),
            out: Edges::default(),
            back: Edges::default(),
        };
        let mut edges = Vec::new();
        for heap in [left, right] {
            graph.left = graph.addresses.len() as u32;
            Side { graph: &mut graph, edges: &mut edges, nodes: HashMap::new(), used }.heap(heap);
        }
        let turned = edges.iter().map(|&(from, to, role)| (to, from, hash(("back", role)))).collect();
        let nodes = graph.addresses.len();
        (graph.out, graph.back) = (Edges::new(nodes, edges), Edges::new(nodes, turned));
        graph
    }

    pub(super) fn address(&self, node: u32) -> Address {
        self.addresses[node as usize]
    }

    /// The answer that a split which one side alone has gives.
    pub(super) fn different(&self, split: &Split) -> Renaming {
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
