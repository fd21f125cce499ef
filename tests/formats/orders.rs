//! Every profile with a rule about its order keeps it, in dumps of many random heaps. The rules of `specs/hprof.toml` that
//! begin with `hprof.order.` are spelled here a second time, over bytes that the decoder alone has seen.

use heapsmith::format::Lowering;
use heapsmith::generate::from_seed;
use heapsmith::hprof::{LowerOptions, PROFILES, rules};
use heapsmith::model::RootKind;

use crate::shape::{HeapShape, Shape, habits};

/// How many heaps of each profile and way to frame one.
const SEEDS: u64 = 60;

/// Groups of a heap in their order (classes, objects, roots), tags of roots in theirs, and records before the heap.
struct Rule {
    id: &'static str,
    profiles: &'static [&'static str],
    records: &'static [&'static str],
    groups: &'static str,
    /// Tags of roots that stand one after the other; those of one thread are in the first group.
    roots: &'static [&'static [u8]],
}

const THREADS: &[u8] = &[0x08, 0x03, 0x02];

/// From the rule book, which has it from dumps of 5, 8, 11, 17, 21 and 25, of SA 17 and of agent 6.
const RULES: [Rule; 6] = [
    Rule {
        id: "hprof.order.hotspot",
        profiles: &["hotspot-8", "hotspot-11", "hotspot-17", "hotspot-21", "hotspot-25"],
        records: &["01 02 traces 0c", "01 02 traces 1c 2c"],
        groups: "",
        roots: &[],
    },
    Rule {
        id: "hprof.order.hotspot-heap",
        profiles: &["hotspot-8", "hotspot-11", "hotspot-17"],
        records: &[],
        groups: "COR",
        roots: &[THREADS, &[0x07], &[0x01], &[0x05]],
    },
    Rule {
        id: "hprof.order.hotspot-25-heap",
        profiles: &["hotspot-21", "hotspot-25"],
        records: &[],
        groups: "CRO",
        roots: &[THREADS, &[0x01], &[0x05]],
    },
    Rule {
        id: "hprof.order.sa",
        profiles: &["sa"],
        records: &["05 01 02 traces 0c", "05 01 02 traces 1c 2c"],
        groups: "COR",
        roots: &[&[0x08, 0x02]],
    },
    Rule {
        id: "hprof.order.agent",
        profiles: &["agent"],
        records: &[],
        groups: "ROC",
        roots: &[&[0x08], &[0x01], &[0x05], &[0x07], &[0x08, 0x06], &[0xff], &[0x03, 0x02]],
    },
    // Parts of the heap and more roots stand between its objects; what is asked here is that no kind is obsolete.
    Rule { id: "hprof.order.art", profiles: &["art"], records: &["01 02 traces 1c 2c"], groups: "", roots: &[] },
];

#[test]
fn random_dumps_keep_order_of_their_writer() {
    let mut broken = Vec::new();
    for rule in &RULES {
        for profile in PROFILES.iter().filter(|profile| rule.profiles.contains(&profile.name)) {
            for framing in profile.framings {
                for seed in 0..SEEDS {
                    let options = LowerOptions::default().profile(profile).framing(framing);
                    let heap = from_seed(&Lowering::from(options).generate_options(60, None), seed);
                    let dump = heapsmith::hprof::lower::to_bytes(&heap, &options).expect("writable");
                    let found = breaks(rule, &Shape::of(&dump));
                    broken.extend(found.map(|what| format!("{}, {}, seed {seed}: {what}", rule.id, profile.name)));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} dumps:\n{}", broken.len(), broken[..broken.len().min(20)].join("\n"));
}

#[test]
fn tests_every_order_rule_for_each_of_its_profiles() {
    let mut ours: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let book = || rules::BOOK.rule.iter().filter(|rule| rule.id.starts_with("hprof.order."));
    let mut theirs: Vec<&str> = book().map(|rule| rule.id).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    assert_eq!(ours, theirs);
    for rule in book() {
        let ours = RULES.iter().find(|ours| ours.id == rule.id).expect("looked at");
        assert!(rule.profiles.iter().all(|profile| ours.profiles.contains(profile)), "{}", rule.id);
    }
}

/// What breaks a rule, if something does.
fn breaks(rule: &Rule, shape: &Shape) -> Option<String> {
    let records: String = habits::of(shape)["order of records"].iter().cloned().collect();
    if !rule.records.is_empty() && !rule.records.contains(&records.as_str()) {
        return Some(format!("records {records}"));
    }
    shape.heaps.iter().find_map(|heap| groups(rule, heap).or_else(|| roots(rule, heap)))
}

fn groups(rule: &Rule, heap: &HeapShape) -> Option<String> {
    let found: String = heap.runs.iter().map(|(group, _)| *group).collect();
    let mut rest = rule.groups.chars();
    let is_in_order = rule.groups.is_empty() || found.chars().all(|group| rest.any(|other| other == group));
    (!is_in_order).then(|| format!("groups {found}"))
}

fn roots(rule: &Rule, heap: &HeapShape) -> Option<String> {
    if rule.roots.is_empty() {
        return None;
    }
    let (mut group, mut thread, mut frame) = (0, None, i32::MIN);
    for (tag, object, kind) in &heap.roots {
        while rule.roots.get(group).is_some_and(|tags| !tags.contains(tag)) {
            group += 1;
        }
        if group == rule.roots.len() {
            return Some(format!("root {tag:02x} of {object}"));
        }
        let next = match kind {
            RootKind::ThreadObject(..) => {
                (thread, frame) = (kind.thread(), i32::MIN);
                continue;
            }
            RootKind::JavaFrame(_, frame) | RootKind::JniLocal(_, frame) => *frame,
            _ => continue,
        };
        // The hprof agent has the locals of all threads together.
        let of_its_thread = kind.thread() == thread && next >= frame;
        if rule.roots[group].contains(&0x08) && !of_its_thread && rule.id != "hprof.order.sa" {
            return Some(format!("root {tag:02x} of {object} is not with its thread"));
        }
        frame = next;
    }
    None
}
