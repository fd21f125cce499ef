//! Pictures of an object and its neighbours: those that refer to it on the left, those that it refers to on the right.
//!
//! Every place follows from the order of nodes and edges, so that the same report has the same picture.

use std::collections::BTreeMap;

use crate::check::report::evidence::{NeighbourNode, Neighbourhood};

const BOX_WIDTH: i64 = 196;
const BOX_HEIGHT: i64 = 42;
/// The distance between boxes of a column.
const ROW: i64 = 62;
/// Between columns, with room for the names of references.
const GAP: i64 = 140;
const MARGIN: i64 = 12;
/// Room for curves between boxes of one column.
const OUTSIDE: i64 = 44;

/// Boxes of a column at most.
const MOST_BOXES: usize = 6;
/// References in the text at most.
const MOST_TOLD: usize = 20;
/// Characters in a box, and on a line.
const BOX_TEXT: usize = 26;
const LINE_TEXT: usize = 18;

/// The picture of a neighbourhood.
pub(super) struct NeighbourPicture {
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) boxes: Vec<NodeBox>,
    pub(super) lines: Vec<EdgeLine>,
    pub(super) title: String,
    pub(super) told: Vec<String>,
    pub(super) more: u64,
}

/// A class or object.
pub(super) struct NodeBox {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) focus: bool,
    pub(super) label: String,
    pub(super) address: String,
    pub(super) whole: String,
}

/// The references from one object to another.
pub(super) struct EdgeLine {
    pub(super) path: String,
    pub(super) label: String,
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) anchor: &'static str,
    /// Whether neither end is the object itself.
    pub(super) aside: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum PictureColumn {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Copy)]
struct BoxPlace {
    column: PictureColumn,
    x: i64,
    y: i64,
}

impl NodeBox {
    pub(super) fn width(&self) -> i64 {
        BOX_WIDTH
    }

    pub(super) fn height(&self) -> i64 {
        BOX_HEIGHT
    }

    /// Whether something of its name or address does not fit in.
    pub(super) fn is_cut(&self) -> bool {
        self.label.contains('…') || self.address.contains('…')
    }

    pub(super) fn middle(&self) -> i64 {
        self.x + BOX_WIDTH / 2
    }
}

impl NeighbourPicture {
    pub(super) fn from_neighbourhood(neighbourhood: &Neighbourhood) -> Option<NeighbourPicture> {
        let focus = neighbourhood.nodes.first()?;
        let references = labels_by_ends(neighbourhood);
        let refers = |from: &str, to: &str| references.contains_key(&(from, to));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for node in neighbourhood.nodes.iter().skip(1) {
            let only_refers = refers(&node.address, &focus.address) && !refers(&focus.address, &node.address);
            if only_refers { &mut left } else { &mut right }.push(node);
        }
        let left_out = left.len().saturating_sub(MOST_BOXES) + right.len().saturating_sub(MOST_BOXES);
        left.truncate(MOST_BOXES);
        right.truncate(MOST_BOXES);

        let rows = left.len().max(right.len()).max(1) as i64;
        let height = 2 * MARGIN + (rows - 1) * ROW + BOX_HEIGHT + 18;
        let inner = |a: &NeighbourNode, b: &NeighbourNode| refers(&a.address, &b.address);
        let outside = |column: &[&NeighbourNode]| {
            let curves = column.iter().any(|a| column.iter().any(|b| inner(a, b)));
            if curves { OUTSIDE } else { 0 }
        };
        let mut x = MARGIN + outside(&left);
        let mut places: BTreeMap<&str, BoxPlace> = BTreeMap::new();
        let mut boxes = Vec::new();
        for (column, nodes) in
            [(PictureColumn::Left, &left), (PictureColumn::Middle, &vec![focus]), (PictureColumn::Right, &right)]
        {
            let y = (height - ((nodes.len().max(1) as i64 - 1) * ROW + BOX_HEIGHT)) / 2;
            for (row, node) in nodes.iter().enumerate() {
                let place = BoxPlace { column, x, y: y + row as i64 * ROW };
                if places.contains_key(node.address.as_str()) {
                    continue;
                }
                places.insert(&node.address, place);
                boxes.push(node_box(node, place));
            }
            if !nodes.is_empty() {
                x += BOX_WIDTH + GAP;
            }
        }
        let width = x - GAP + outside(&right) + MARGIN;
        let mut lines = Vec::new();
        for ((from, to), labels) in &references {
            if let (Some(from), Some(to)) = (places.get(from), places.get(to)) {
                let back = from.column == PictureColumn::Right && to.column == PictureColumn::Middle;
                lines.push(edge_line(*from, *to, back, join_labels(labels)));
            }
        }
        Some(NeighbourPicture {
            width,
            height,
            boxes,
            lines,
            title: format!("{} at {} and its neighbours", shorten_name(&focus.label), shorten_name(&focus.address)),
            told: describe_references(neighbourhood),
            more: neighbourhood.more + left_out as u64,
        })
    }
}

/// The names of references by their two ends.
fn labels_by_ends(neighbourhood: &Neighbourhood) -> BTreeMap<(&str, &str), Vec<&str>> {
    let mut references: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for edge in &neighbourhood.edges {
        references.entry((&edge.from, &edge.to)).or_default().push(&edge.label);
    }
    references
}

fn node_box(node: &NeighbourNode, place: BoxPlace) -> NodeBox {
    NodeBox {
        x: place.x,
        y: place.y,
        focus: place.column == PictureColumn::Middle,
        label: shortened(&node.label, BOX_TEXT),
        address: shortened(&node.address, BOX_TEXT),
        whole: format!("{} at {}", shorten_name(&node.label), shorten_name(&node.address)),
    }
}

/// A curve from one box to another; the end at the neighbour is level, and its name stands there.
fn edge_line(from: BoxPlace, to: BoxPlace, back: bool, label: String) -> EdgeLine {
    use PictureColumn::{Left, Middle, Right};
    let level = |place: BoxPlace| place.y + BOX_HEIGHT / 2;
    let (y1, y2) = (level(from), level(to));
    let curve = |x1: i64, y1: i64, x2: i64, y2: i64| {
        let half = (x1 + x2) / 2;
        format!("M{x1} {y1} C{half} {y1} {half} {y2} {x2} {y2}")
    };
    let aside = from.column != Middle && to.column != Middle;
    let (path, x, y, anchor) = match (from.column, to.column) {
        (Middle, Middle) => {
            let (left, right, top) = (from.x + BOX_WIDTH / 2 - 20, from.x + BOX_WIDTH / 2 + 20, from.y);
            let path = format!("M{left} {top} C{left} {0} {right} {0} {right} {top}", top - 22);
            (path, right + 8, top - 6, "start")
        }
        (Middle, _) => (curve(from.x + BOX_WIDTH, y1, to.x, y2 - 6), to.x - 12, y2 - 12, "end"),
        (_, Middle) if back => (curve(from.x, y1 + 8, to.x + BOX_WIDTH, y2 + 8), from.x - 12, y1 + 21, "end"),
        (_, Middle) => (curve(from.x + BOX_WIDTH, y1, to.x, y2), from.x + BOX_WIDTH + 8, y1 - 6, "start"),
        (Left, Left) => {
            let out = from.x - OUTSIDE;
            (format!("M{0} {y1} C{out} {y1} {out} {y2} {0} {y2}", from.x), out, (y1 + y2) / 2, "middle")
        }
        (Right, Right) => {
            let (edge, out) = (from.x + BOX_WIDTH, from.x + BOX_WIDTH + OUTSIDE);
            (format!("M{edge} {y1} C{out} {y1} {out} {y2} {edge} {y2}"), out, (y1 + y2) / 2, "middle")
        }
        (Left, Right) => (curve(from.x + BOX_WIDTH, y1, to.x, y2), 0, 0, "middle"),
        (Right, Left) => (curve(from.x, y1, to.x + BOX_WIDTH, y2), 0, 0, "middle"),
    };
    EdgeLine { path, label, x, y, anchor, aside }
}

/// Names of references between the same two, on one line.
fn join_labels(labels: &[&str]) -> String {
    match labels {
        [one] => shortened(one, LINE_TEXT),
        [first, rest @ ..] => format!("{}, +{}", shortened(first, LINE_TEXT - 5), rest.len()),
        [] => String::new(),
    }
}

/// Every reference in words, for readers who do not see the picture.
fn describe_references(neighbourhood: &Neighbourhood) -> Vec<String> {
    let name = |address: &str| {
        let node = neighbourhood.nodes.iter().find(|node| node.address == address);
        node.map_or_else(
            || shorten_name(address),
            |node| format!("{} {}", shorten_name(&node.label), shorten_name(address)),
        )
    };
    let edges = neighbourhood.edges.iter().take(MOST_TOLD);
    let mut told: Vec<String> = edges
        .map(|edge| format!("{} → {} ({})", name(&edge.from), name(&edge.to), shorten_name(&edge.label)))
        .collect();
    if neighbourhood.edges.len() > MOST_TOLD {
        told.push(format!("and {} more references", neighbourhood.edges.len() - MOST_TOLD));
    }
    told
}

/// A long name, with a limit.
fn shorten_name(text: &str) -> String {
    shortened(text, 200)
}

/// A text without its middle: the end of a class's name matters most.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head = (most - 1) / 3;
    let tail = most - 1 - head;
    text.chars().take(head).chain(['…']).chain(text.chars().skip(count - tail)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::evidence::NeighbourEdge;

    fn neighbourhood() -> Neighbourhood {
        let node = |address: &str| NeighbourNode { address: address.to_owned(), label: "int[2]".to_owned() };
        let edge =
            |from: &str, to: &str| NeighbourEdge { from: from.to_owned(), to: to.to_owned(), label: "next".to_owned() };
        Neighbourhood {
            nodes: ["0x10", "0x20", "0x30", "0x40"].map(node).to_vec(),
            edges: vec![edge("0x20", "0x10"), edge("0x10", "0x30"), edge("0x10", "0x10"), edge("0x40", "0x99")],
            more: 3,
        }
    }

    #[test]
    fn draws_referrers_left_and_referents_right() {
        let graph = NeighbourPicture::from_neighbourhood(&neighbourhood()).expect("there are nodes");
        let x: BTreeMap<&str, i64> = graph.boxes.iter().map(|b| (b.address.as_str(), b.x)).collect();
        assert!(x["0x20"] < x["0x10"] && x["0x10"] < x["0x30"] && x["0x30"] == x["0x40"]);
        assert_eq!(graph.lines.len(), 3, "a reference to what is not there has no line");
        assert_eq!(graph.more, 3);
        assert!(
            graph.boxes.iter().all(|b| b.x >= 0 && b.x + BOX_WIDTH <= graph.width && b.y + BOX_HEIGHT <= graph.height)
        );
    }

    #[test]
    fn many_neighbours_are_counted_instead_of_drawn() {
        let mut many = neighbourhood();
        for n in 0..100 {
            many.nodes.push(NeighbourNode { address: format!("{n}"), label: "x".repeat(1000) });
        }
        let graph = NeighbourPicture::from_neighbourhood(&many).expect("there are nodes");
        assert_eq!(graph.boxes.len(), 8);
        assert_eq!(graph.more, 3 + 96);
    }

    #[test]
    fn draws_no_graph_without_nodes() {
        assert!(NeighbourPicture::from_neighbourhood(&Neighbourhood::default()).is_none());
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("class org/example/collections/LinkedNode", 20), "class …ns/LinkedNode");
    }
}
