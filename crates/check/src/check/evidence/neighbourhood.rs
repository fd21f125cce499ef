//! The neighbourhood of an object.

use std::collections::BTreeSet;

use crate::check::index::EntriesByAddress;
use crate::check::report::evidence::{NeighbourEdge, NeighbourNode, Neighbourhood};
use heapsmith_core::model::{Address, Contents, Heap, ObjectKind};

/// The number of neighbours that are shown.
const SHOWN: usize = 10;

/// The neighbourhood of an object or class; `None` if there is neither at the address.
pub(super) fn neighbourhood_at(heap: &Heap, focus: Address) -> Option<Neighbourhood> {
    let graph = NeighbourGraph { heap, index: EntriesByAddress::new(heap) };
    let label = graph.label(focus)?;
    let mut out = graph.edges_of(focus);
    // Its class stands in front, and has no edge of its own shown.
    let class = graph.index.objects.get(&focus).and_then(|object| object.class);
    let into: Vec<(Address, Address, String)> = graph.edges_into(focus);
    out.extend(into);
    let mut neighbours: BTreeSet<Address> =
        out.iter().flat_map(|(from, to, _)| [*from, *to]).filter(|address| *address != focus).collect();
    let more = neighbours.len().saturating_sub(SHOWN) as u64;
    if let Some(class) = class {
        neighbours.remove(&class);
    }
    let shown: Vec<Address> = class.into_iter().chain(neighbours).take(SHOWN).collect();
    let name = |address: Address| graph.label(address).unwrap_or_else(|| "nothing there".to_owned());
    let node = |address: Address, label: String| NeighbourNode { address: address.to_string(), label };
    let mut nodes = vec![node(focus, label)];
    nodes.extend(shown.iter().map(|address| node(*address, name(*address))));
    let is_shown = |address: &Address| *address == focus || shown.contains(address);
    let edges = out
        .iter()
        .filter(|(from, to, _)| is_shown(from) && is_shown(to))
        .map(|(from, to, label)| NeighbourEdge { from: from.to_string(), to: to.to_string(), label: label.clone() })
        .collect();
    Some(Neighbourhood { nodes, edges, more })
}

struct NeighbourGraph<'h> {
    heap: &'h Heap,
    index: EntriesByAddress<'h>,
}

impl NeighbourGraph<'_> {
    fn label(&self, address: Address) -> Option<String> {
        if let Some(class) = self.index.classes.get(&address) {
            return Some(format!("class {}", class.name.to_java_form()));
        }
        let object = self.index.objects.get(&address)?;
        let name = self.index.class_name(object).map(|name| name.to_string());
        Some(match (object.kind, object.length) {
            (ObjectKind::Instance, _) => name.unwrap_or_else(|| "object".to_owned()),
            // The length goes into the first pair of brackets, as where an array is made.
            (_, Some(length)) => name.unwrap_or_else(|| "array[]".to_owned()).replacen("[]", &format!("[{length}]"), 1),
            (_, None) => name.unwrap_or_else(|| "array".to_owned()),
        })
    }

    /// References of a class or object: from, to and label.
    fn edges_of(&self, from: Address) -> Vec<(Address, Address, String)> {
        let mut edges = Vec::new();
        let mut put = |to: Option<Address>, label: &str| {
            if let Some(to) = to.filter(|to| !to.is_null()) {
                edges.push((from, to, label.to_owned()));
            }
        };
        if let Some(class) = self.index.classes.get(&from) {
            put(class.superclass, "superclass");
            put(class.loader, "loader");
            for field in class.statics.iter().flatten() {
                put(field.value.as_reference(), &format!("static {}", field.name));
            }
            class.references.iter().flatten().for_each(|to| put(Some(*to), ""));
        } else if let Some(object) = self.index.objects.get(&from) {
            put(object.class, "class");
            match &object.contents {
                Contents::Fields(values) => {
                    for ((_, field), value) in self.index.fields(object).into_iter().zip(values) {
                        put(value.as_reference(), &field.name.to_string());
                    }
                }
                Contents::Elements(elements) => {
                    for (index, to) in elements.iter().enumerate() {
                        put(Some(*to), &format!("[{index}]"));
                    }
                }
                _ => object.references().for_each(|to| put(Some(to), "")),
            }
        }
        edges
    }

    /// References to an address, but for those of instances to their class.
    fn edges_into(&self, to: Address) -> Vec<(Address, Address, String)> {
        let all = self.heap.classes.iter().map(|class| class.address);
        let all = all.chain(self.heap.objects.iter().map(|object| object.address));
        all.filter(|from| *from != to)
            .flat_map(|from| self.edges_of(from))
            .filter(|(_, target, label)| *target == to && label != "class")
            .collect()
    }
}
