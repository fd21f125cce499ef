//! The ordinary world around each valid spelled case that is not tagged `bare`, read by a parser that shares no code with the
//! decoders.

use std::collections::{BTreeMap, BTreeSet};

use heapsmith::corpus::{Case, CaseOrigin, CaseVerdict, RightAnswer};
use heapsmith::format::Family;
use heapsmith::model::{ObjectKind, PrimitiveType};
use libtest_mimic::Failed;

/// The classes that every JVM has, and readers look up.
const CLASSES: [&str; 3] = ["java/lang/Object", "java/lang/Class", "java/lang/String"];
/// The classes of primitive arrays, by their elements' types in HPROF.
const ARRAYS: [(u8, &str); 8] =
    [(4, "[Z"), (5, "[C"), (6, "[F"), (7, "[D"), (8, "[B"), (9, "[S"), (10, "[I"), (11, "[J")];
/// The end of the first page of memory, where nothing lies.
const FIRST_PAGE: u64 = 4096;

pub(crate) fn surrounds_each_valid_spelled_case(cases: &[Case]) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases.iter().filter(|case| is_ordinary(case)) {
        count += 1;
        wrong.extend(lacking(case).into_iter().map(|lack| format!("{}: {lack}", case.id)));
    }
    if count < 200 {
        wrong.push(format!("{count} cases have a world"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn is_ordinary(case: &Case) -> bool {
    case.kind == CaseOrigin::Spelled && case.verdict == CaseVerdict::Valid && !case.tags().any(|tag| tag == "bare")
}

/// What is missing in the world around a case.
fn lacking(case: &Case) -> Vec<String> {
    if case.format.family() == Family::HPROF {
        return HprofWorld::read(&case.bytes, case.heap.unwrap_or_default()).lacking(case);
    }
    lacking_classes(case)
}

/// Of PHD and classic text: the bytes have the names, and the heap has the classes, outside of the first page.
fn lacking_classes(case: &Case) -> Vec<String> {
    let mut lacking = Vec::new();
    let [RightAnswer::Reads(_, heap)] = case.answers.as_slice() else { return vec!["has no heap".to_owned()] };
    let arrays = heap.objects.iter().filter_map(|object| match object.kind {
        ObjectKind::PrimitiveArray(element) => Some(array_class(element)),
        _ => None,
    });
    for name in CLASSES.into_iter().chain(arrays.collect::<BTreeSet<&str>>()) {
        let is_spelled = match case.format.family() == Family::CLASSIC {
            // Some texts end their lines otherwise.
            true => ["\n", "\r\n"].iter().any(|end| has(&case.bytes, format!(" CLS {name}{end}").as_bytes())),
            false => has(&case.bytes, &[&(name.len() as u16).to_be_bytes(), name.as_bytes()].concat()),
        };
        let class = heap.classes.iter().find(|class| class.name.as_bytes() == name.as_bytes());
        if class.is_none_or(|class| class.address.0 < FIRST_PAGE) || !is_spelled {
            lacking.push(format!("has no class {name}"));
        }
    }
    lacking
}

fn array_class(element: PrimitiveType) -> &'static str {
    match element {
        PrimitiveType::Boolean => "[Z",
        PrimitiveType::Char => "[C",
        PrimitiveType::Float => "[F",
        PrimitiveType::Double => "[D",
        PrimitiveType::Byte => "[B",
        PrimitiveType::Short => "[S",
        PrimitiveType::Int => "[I",
        PrimitiveType::Long => "[J",
    }
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// What is looked up in an HPROF dump: the tables of the file, and the contents of one of its heaps.
#[derive(Default)]
struct HprofWorld {
    size: usize,
    texts: BTreeMap<u64, Vec<u8>>,
    /// Names of loaded classes, by the class.
    names: BTreeMap<u64, u64>,
    traces: BTreeSet<u64>,
    cited: BTreeSet<u64>,
    identifiers: BTreeSet<u64>,
    classes: BTreeSet<u64>,
    roots: BTreeSet<u64>,
    elements: BTreeSet<u8>,
}

impl HprofWorld {
    fn read(dump: &[u8], heap: u64) -> HprofWorld {
        let start = dump.iter().position(|byte| *byte == 0).expect("a header") + 1;
        let mut world = HprofWorld { size: number(dump, start, 4) as usize, ..HprofWorld::default() };
        let size = world.size;
        let (mut at, mut current, mut is_open) = (start + 12, 0, false);
        while at < dump.len() {
            let (tag, length, body) = (dump[at], number(dump, at + 5, 4) as usize, at + 9);
            at = body + length;
            if tag == 0x0c && is_open {
                (current, is_open) = (current + 1, false);
            }
            match tag {
                1 => {
                    let id = world.identifier(dump, body);
                    world.texts.insert(id, dump[body + size..at].to_vec());
                }
                2 => {
                    let (class, name) = (world.identifier(dump, body + 4), number(dump, body + 8 + size, size));
                    world.names.insert(class, name);
                    world.cited.insert(number(dump, body + 4 + size, 4));
                }
                4 => drop(world.identifier(dump, body)),
                5 => drop(world.traces.insert(number(dump, body, 4))),
                10 => drop(world.cited.insert(number(dump, body + 4 + size, 4))),
                0x0c | 0x1c if current == heap => world.read_heap(&dump[body..at]),
                _ => {}
            }
            match tag {
                0x0c | 0x2c => (current, is_open) = (current + 1, false),
                0x1c => is_open = true,
                _ => {}
            }
        }
        world
    }

    /// The sub-records of a dump record.
    fn read_heap(&mut self, body: &[u8]) {
        let (size, mut at) = (self.size, 0);
        while at < body.len() {
            let tag = body[at];
            at += 1;
            let id = if tag == 0xfe { 0 } else { self.identifier(body, at) };
            match tag {
                0x20 => {
                    self.classes.insert(id);
                    self.cited.insert(number(body, at + size, 4));
                    at += 7 * size + 8;
                    // Pool entries and statics have values; fields have none.
                    for (name, has_value) in [(2, true), (size, true), (size, false)] {
                        let count = number(body, at, 2);
                        at += 2;
                        for _ in 0..count {
                            at += name + 1;
                            at += if has_value { self.width(body[at - 1]) } else { 0 };
                        }
                    }
                }
                0x21 => {
                    self.cited.insert(number(body, at + size, 4));
                    at += 2 * size + 8 + number(body, at + 2 * size + 4, 4) as usize;
                }
                0x22 => {
                    self.cited.insert(number(body, at + size, 4));
                    at += 2 * size + 8 + size * number(body, at + size + 4, 4) as usize;
                }
                0x23 | 0xc3 => {
                    self.cited.insert(number(body, at + size, 4));
                    let (length, element) = (number(body, at + size + 4, 4) as usize, body[at + size + 8]);
                    self.elements.insert(element);
                    at += size + 9 + if tag == 0x23 { length * self.width(element) } else { 0 };
                }
                0xfe => at += 4 + size,
                _ => {
                    self.roots.insert(id);
                    at += size
                        + match tag {
                            1 => size,
                            2 | 3 | 8 | 0x8e => 8,
                            4 | 6 => 4,
                            _ => 0,
                        };
                    if tag == 8 {
                        self.cited.insert(number(body, at - 4, 4));
                    }
                }
            }
        }
    }

    fn width(&self, element: u8) -> usize {
        match element {
            2 => self.size,
            4 | 8 => 1,
            5 | 9 => 2,
            6 | 10 => 4,
            7 | 11 => 8,
            other => panic!("{other} is no type"),
        }
    }

    fn identifier(&mut self, bytes: &[u8], at: usize) -> u64 {
        let id = number(bytes, at, self.size);
        self.identifiers.insert(id);
        id
    }

    fn lacking(&self, case: &Case) -> Vec<String> {
        let mut lacking = Vec::new();
        let arrays = ARRAYS.iter().filter(|(element, _)| self.elements.contains(element)).map(|(_, name)| *name);
        for name in CLASSES.into_iter().chain(arrays) {
            let has_name = |class: &&u64| {
                self.names.get(class).and_then(|id| self.texts.get(id)).is_some_and(|text| text == name.as_bytes())
            };
            match self.classes.iter().find(has_name) {
                None => lacking.push(format!("has no class {name}")),
                Some(class) if !self.roots.contains(class) => lacking.push(format!("{name} has no root")),
                Some(_) => {}
            }
        }
        // Serial numbers that nothing declares are what some cases are about.
        let is_about_traces = case.breaks.is_some_and(|(rule, _)| rule == "hprof.trace.unknown-serial");
        if let Some(trace) = self.cited.difference(&self.traces).next().filter(|_| !is_about_traces) {
            lacking.push(format!("cites the trace {trace}, which is not declared"));
        }
        let is_small = |id: &&u64| **id > 0 && **id <= FIRST_PAGE;
        if let Some(id) = self.identifiers.iter().find(is_small) {
            lacking.push(format!("has the identifier {id:#x}"));
        }
        lacking
    }
}

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes[at..at + width].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
