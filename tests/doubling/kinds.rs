//! HPROF dumps in which one kind of record grows, spelled by hand: identifiers of 4 bytes.

/// A kind of record, and a dump with that many of it.
pub(crate) type KindOfRecord = (&'static str, fn(usize) -> Vec<u8>);

/// Every kind of record, root, thread, trace, class, name and heap.
pub(crate) const KINDS: &[KindOfRecord] = &[
    ("texts", |n| dump(&each(n, |k| text(TEXT + k, &format!("t{k}"))), b"")),
    ("texts under one identifier", |n| dump(&each(n, |k| text(TEXT, &format!("t{k}"))), b"")),
    ("loaded classes", |n| dump(&each(n, |k| load(10 + k, place(k), OBJECT_NAME)), b"")),
    ("unloaded classes", |n| {
        dump(&each(n, |k| [load(10 + k, OBJECT, OBJECT_NAME), record(3, &word(10 + k))].concat()), b"")
    }),
    ("classes", |n| dump(&each(n, named), &each(n, |k| class(place(k), OBJECT, &[])))),
    ("classes of one name", |n| {
        dump(&each(n, |k| load(10 + k, place(k), OBJECT_NAME)), &each(n, |k| class(place(k), OBJECT, &[])))
    }),
    ("classes in a chain", |n| {
        let above = |k: u32| if k == 0 { OBJECT } else { place(k - 1) };
        dump(&each(n, named), &each(n, |k| class(place(k), above(k), &[])))
    }),
    ("classes with an instance each", |n| {
        let objects = each(n, |k| instance(place(n as u32 + k), place(k), &[place(n as u32)]));
        dump(&each(n, named), &[each(n, |k| class(place(k), OBJECT, &[FIELD_NAME])), objects].concat())
    }),
    ("fields", |n| {
        let fields: Vec<u32> = (0..n as u32).map(|k| TEXT + k).collect();
        let names = each(n, |k| text(TEXT + k, &format!("f{k}")));
        dump(&names, &[class(place(0), OBJECT, &fields), instance(place(1), place(0), &vec![0; n])].concat())
    }),
    ("frames", |n| {
        let frames: Vec<u32> = (0..n as u32).map(|k| TEXT + k).collect();
        dump(&[each(n, |k| frame(TEXT + k)), trace(9, 0, &frames)].concat(), b"")
    }),
    ("one frame in many places", |n| dump(&[frame(TEXT), trace(9, 0, &vec![TEXT; n])].concat(), b"")),
    ("traces", |n| dump(&each(n, |k| [frame(TEXT + k), trace(9 + k, 0, &[TEXT + k])].concat()), b"")),
    ("traces of one number", |n| dump(&each(n, |k| [frame(TEXT + k), trace(9, 0, &[TEXT + k])].concat()), b"")),
    ("started threads", |n| dump(&each(n, start), &each(n, plain))),
    ("started and ended threads", |n| {
        dump(&each(n, |k| [start(k), record(0x0b, &word(5 + k))].concat()), &each(n, plain))
    }),
    ("threads", |n| {
        let traces = each(n, |k| [frame(TEXT + k), trace(9 + k, 5 + k, &[TEXT + k]), start(k)].concat());
        let roots = each(n, |k| [plain(k), vec![0x08], word(place(k)), word(5 + k), word(9 + k)].concat());
        dump(&traces, &roots)
    }),
    ("threads with locals", |n| {
        let traces = each(n, |k| [frame(TEXT + k), trace(9 + k, 5 + k, &[TEXT + k])].concat());
        let local = |k: u32| [vec![0x03], word(place(0)), word(5 + k), word(0)].concat();
        let root = |k| [plain(k), vec![0x08], word(place(k)), word(5 + k), word(9 + k), local(k)].concat();
        dump(&traces, &each(n, root))
    }),
    ("allocation sites", |n| {
        let site = [vec![0], word(1), word(1), vec![0; 16]].concat();
        dump(&record(6, &[vec![0; 30], word(n as u32), site.repeat(n)].concat()), b"")
    }),
    ("samples", |n| {
        dump(&record(0x0d, &[word(0), word(n as u32), [word(1), word(1)].concat().repeat(n)].concat()), b"")
    }),
    ("heap summaries", |n| dump(&record(7, &[0; 24]).repeat(n), b"")),
    ("records of an unknown kind", |n| dump(&record(0xf0, b"1234").repeat(n), b"")),
    ("instances", |n| dump(b"", &each(n, plain))),
    ("instances in a list", |n| {
        let next = |k| instance(place(k), NODE, &[place(k + 1)]);
        dump(b"", &[class(NODE, OBJECT, &[FIELD_NAME]), each(n, next), plain(n as u32)].concat())
    }),
    ("arrays of objects", |n| dump(b"", &each(n, |k| array(place(k), &[place(0)])))),
    ("elements", |n| dump(b"", &array(place(0), &vec![place(0); n]))),
    ("arrays of bytes", |n| dump(b"", &each(n, |k| bytes(place(k), 1)))),
    ("bytes", |n| dump(b"", &bytes(place(0), 64 * n as u32))),
    ("segments", |n| [dump(b"", b""), each(n, |k| segment(&plain(k)))].concat()),
    ("heaps", |n| [dump(b"", b""), each(n, |k| [segment(&plain(k)), record(0x2c, b"")].concat())].concat()),
    ("regions", |n| dump(b"", &each(n, |k| [vec![0xfe], word(k), word(OBJECT_NAME), plain(k)].concat()))),
    ("roots of unknown kind", |n| rooted(n, |_| (0xff, Vec::new()))),
    ("JNI globals", |n| rooted(n, |k| (0x01, word(k)))),
    ("JNI locals", |n| rooted(n, |k| (0x02, [word(k), word(0)].concat()))),
    ("Java frames", |n| rooted(n, |k| (0x03, [word(k), word(0)].concat()))),
    ("native stacks", |n| rooted(n, |k| (0x04, word(k)))),
    ("sticky classes", |n| rooted(n, |_| (0x05, Vec::new()))),
    ("thread blocks", |n| rooted(n, |k| (0x06, word(k)))),
    ("monitors", |n| rooted(n, |_| (0x07, Vec::new()))),
    ("thread objects", |n| rooted(n, |k| (0x08, [word(5 + k), word(1)].concat()))),
    ("interned strings", |n| rooted(n, |_| (0x89, Vec::new()))),
    ("JNI monitors", |n| rooted(n, |k| (0x8e, [word(k), word(0)].concat()))),
];

const OBJECT_NAME: u32 = 0x101;
const ARRAY_NAME: u32 = 0x102;
const FIELD_NAME: u32 = 0x103;
const OBJECT: u32 = 0x2000;
const ARRAY: u32 = 0x2010;
const NODE: u32 = 0x2020;
/// Where texts and frames are that grow in number.
const TEXT: u32 = 0x90_0000;

/// The address of an object.
fn place(number: u32) -> u32 {
    0x10_0000 + 16 * number
}

fn word(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn each(number: usize, make: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    (0..number as u32).flat_map(make).collect()
}

fn record(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag, 0, 0, 0, 0], &word(body.len() as u32)[..], body].concat()
}

fn segment(body: &[u8]) -> Vec<u8> {
    record(0x1c, body)
}

/// A dump with more records before the heap, and more sub-records in it. It has no end, so that segments can follow.
fn dump(records: &[u8], heap: &[u8]) -> Vec<u8> {
    let names = [text(OBJECT_NAME, "java/lang/Object"), text(ARRAY_NAME, "[Ljava/lang/Object;"), text(FIELD_NAME, "f")];
    let known = [names.concat(), load(1, OBJECT, OBJECT_NAME), load(2, ARRAY, ARRAY_NAME), trace(1, 0, &[])].concat();
    let heap = segment(&[class(OBJECT, 0, &[]), class(ARRAY, OBJECT, &[]), heap.to_vec()].concat());
    [b"JAVA PROFILE 1.0.3\0\0\0\0\x04", &[0; 8][..], &known, records, &heap].concat()
}

/// Objects, and a root for each: its tag, and what follows the object.
fn rooted(number: usize, root: fn(u32) -> (u8, Vec<u8>)) -> Vec<u8> {
    let root = |k| {
        let (tag, rest) = root(k);
        [plain(k), vec![tag], word(place(k)), rest].concat()
    };
    dump(b"", &each(number, root))
}

fn text(id: u32, text: &str) -> Vec<u8> {
    record(0x01, &[&word(id)[..], text.as_bytes()].concat())
}

fn load(serial: u32, class: u32, name: u32) -> Vec<u8> {
    record(0x02, &[word(serial), word(class), word(1), word(name)].concat())
}

/// The name of a class, and its LOAD CLASS.
fn named(number: u32) -> Vec<u8> {
    [text(TEXT + 0x1_0000 + number, &format!("C{number}")), load(10 + number, place(number), TEXT + 0x1_0000 + number)]
        .concat()
}

fn frame(id: u32) -> Vec<u8> {
    record(0x04, &[word(id), word(OBJECT_NAME), word(OBJECT_NAME), word(OBJECT_NAME), word(1), word(3)].concat())
}

fn trace(serial: u32, thread: u32, frames: &[u32]) -> Vec<u8> {
    let frames: Vec<u8> = frames.iter().flat_map(|frame| frame.to_be_bytes()).collect();
    record(0x05, &[word(serial), word(thread), word(frames.len() as u32 / 4), frames].concat())
}

fn start(number: u32) -> Vec<u8> {
    let names = [word(OBJECT_NAME), word(OBJECT_NAME), word(OBJECT_NAME)].concat();
    record(0x0a, &[word(5 + number), word(place(number)), word(1), names].concat())
}

fn class(id: u32, superclass: u32, fields: &[u32]) -> Vec<u8> {
    let size = word(4 * fields.len() as u32);
    let fields: Vec<u8> = fields.iter().flat_map(|name| [&word(*name)[..], &[2]].concat()).collect();
    let count = (fields.len() as u16 / 5).to_be_bytes();
    [&[0x20], &word(id)[..], &word(1), &word(superclass), &[0; 20], &size, &[0; 4], &count, &fields].concat()
}

fn instance(id: u32, class: u32, values: &[u32]) -> Vec<u8> {
    let values: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    [&[0x21], &word(id)[..], &word(1), &word(class), &word(values.len() as u32), &values].concat()
}

/// An instance without fields.
fn plain(number: u32) -> Vec<u8> {
    instance(place(number), OBJECT, &[])
}

fn array(id: u32, elements: &[u32]) -> Vec<u8> {
    let count = word(elements.len() as u32);
    let elements: Vec<u8> = elements.iter().flat_map(|element| element.to_be_bytes()).collect();
    [&[0x22], &word(id)[..], &word(1), &count, &word(ARRAY), &elements].concat()
}

fn bytes(id: u32, count: u32) -> Vec<u8> {
    [&[0x23], &word(id)[..], &word(1), &word(count), &[8], &vec![7; count as usize]].concat()
}
