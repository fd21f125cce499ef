//! Where writers end their segments: rows worked out by hand, and their rules in a few lines beside ours.

use heapsmith::hprof::lower::{self, LowerOptions};
use heapsmith::hprof::{IdSize, decode::Decoder};
use heapsmith::model::{
    Address, Class, Contents, Field, FieldType, Heap, Object, ObjectKind, PrimitiveType, Region, Root, RootKind, Serial,
};
use pretty_assertions::assert_eq;

use super::dump::{Seen, name, steps_of};
use super::writers::{framed, options};

/// A sub-record of this many bytes with identifiers of 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sub {
    /// 71 bytes, and 9 for each field.
    Class(u64),
    /// 25 bytes and more.
    Instance(u64),
    /// 18 bytes and more; with identifiers of 4 bytes 14.
    Array(u64),
    /// 9 bytes; with identifiers of 4 bytes 5.
    Root,
    /// 17 bytes: a JNI local, which the serviceability agent writes as well, and first of all its thread.
    Local,
}

use Sub::{Array, Instance, Local};

impl Sub {
    fn bytes(self) -> u64 {
        match self {
            Sub::Class(bytes) | Instance(bytes) | Array(bytes) => bytes,
            Sub::Root => 9,
            Local => 17,
        }
    }
}

const MIB: u64 = 1_048_576;

fn heap_of(subs: &[Sub], id: u64) -> Heap {
    let mut heap = Heap::default();
    let mut roots = Vec::new();
    for (at, sub) in subs.iter().enumerate() {
        let address = Address(0x1000 + 8 * at as u64);
        let bytes = |before: u64| vec![0; usize::try_from(sub.bytes() - before).expect("it fits memory")];
        match sub {
            Sub::Class(_) => heap.classes.push(Class {
                address,
                name: name("C"),
                superclass: Some(Address(0)),
                statics: Some(Vec::new()),
                fields: Some(vec![
                    Field { name: name("C"), kind: FieldType::Object };
                    ((sub.bytes() - 71) / 9) as usize
                ]),
                ..Class::default()
            }),
            Instance(_) => heap.objects.push(Object {
                class: Some(Address(1)),
                contents: Contents::Raw(bytes(9 + 2 * id)),
                ..Object::new(address, ObjectKind::Instance)
            }),
            Array(_) => {
                let contents = bytes(10 + id);
                heap.objects.push(Object {
                    length: Some(contents.len() as u64),
                    contents: Contents::Primitives(contents),
                    ..Object::new(address, ObjectKind::PrimitiveArray(PrimitiveType::Byte))
                });
            }
            Sub::Root => roots.push(Root { object: address, kind: RootKind::Unknown, after: None }),
            Local => {
                let is_thread = |root: &Root| matches!(root.kind, RootKind::ThreadObject(..));
                let kind = match roots.iter().any(is_thread) {
                    false => RootKind::ThreadObject(Serial(1), Serial(1)),
                    true => RootKind::JniLocal(Serial(1), -1),
                };
                roots.push(Root { object: address, kind, after: None });
            }
        }
    }
    heap.surroundings.roots = Some(roots);
    heap
}

/// The offset of the first dump record, and the lengths of all of them.
fn cuts(heap: &Heap, options: &LowerOptions) -> (u64, Vec<u64>) {
    let file = lower::to_bytes(heap, options).expect("the heap can be said");
    let (mut at, mut first, mut lengths) = (31, None, Vec::new());
    while at < file.len() {
        let length = u64::from(u32::from_be_bytes(file[at + 5..at + 9].try_into().expect("four bytes")));
        if file[at] == 0x0c || file[at] == 0x1c {
            first.get_or_insert(at as u64);
            lengths.push(length);
        }
        at += 9 + length as usize;
    }
    assert_eq!(at, file.len(), "records chain to the end");
    (first.expect("a dump record"), lengths)
}

fn lengths(options: &LowerOptions, subs: &[Sub]) -> Vec<u64> {
    let wide = options.id_size(IdSize::Eight);
    cuts(&heap_of(subs, 8), &wide).1
}

fn arrays(lengths: &[u64]) -> Vec<Sub> {
    lengths.iter().copied().map(Array).collect()
}

#[test]
fn hotspot_17_continues_in_rest_of_buffer_after_segment() {
    let options = options("hotspot-17");
    // Header, three strings and trace 1 take 31 + 23 + 20 + 21 + 21 = 116 bytes of the first MiB. A segment's head takes 9.
    assert_eq!(cuts(&heap_of(&[Array(18)], 8), &options).0, 116);
    let rows: [(&[u64], &[u64]); 13] = [
        (&[1000, 18, 30], &[1048]),
        // 1,048,576 - 116 - 9 bytes fit exactly; what follows begins another.
        (&[1_048_451, 100], &[1_048_451, 100]),
        (&[1_048_351, 100, 100], &[1_048_451, 100]),
        (&[1_048_352, 100, 100], &[1_048_352, 200]),
        // A byte more does not: alone in its segment, which takes a byte of the next buffer. There
        // 1,048,576 - 1 - 9 - 100 bytes more fit.
        (&[1_048_452, 100, 1_048_466], &[1_048_452, 1_048_566]),
        (&[1_048_452, 100, 1_048_467, 18], &[1_048_452, 100, 1_048_467, 18]),
        // 10,240 bytes are left: given up. The next segment has a whole buffer.
        (&[1_038_211, 20_000, 1_000], &[1_038_211, 21_000]),
        (&[1_038_211, 20_000, 1_028_567, 18], &[1_038_211, 1_048_567, 18]),
        // 10,241 are left, and used: 20,000 do not fit in them and stand alone.
        (&[1_038_210, 20_000, 1_000, 18], &[1_038_210, 20_000, 1_018]),
        // 10,241 fill them; then a new buffer comes.
        (&[1_038_210, 10_241, 1_048_567, 18], &[1_048_451, 1_048_567, 18]),
        // 10,242 are alone, after another head, and take ten bytes of the new one.
        (&[1_038_210, 10_242, 1_048_457, 100, 18], &[1_038_210, 10_242, 1_048_557, 18]),
        (&[1_038_210, 10_242, 1_048_457, 101, 18], &[1_038_210, 10_242, 1_048_457, 119]),
        // Three buffers' worth alone: 125 + 3,000,000 bytes are 2 MiB and 902,973. 145,603 are left.
        (&[3_000_000, 145_594, 18], &[3_000_000, 145_594, 18]),
    ];
    for (lengths_in, expected) in rows {
        assert_eq!(lengths(&options, &arrays(lengths_in)), expected, "{lengths_in:?}");
    }
    // The largest that is no longer alone in those 145,603, told by what joins it.
    assert_eq!(lengths(&options, &arrays(&[3_000_000, 145_500, 94, 18])), [3_000_000, 145_594, 18]);
    assert_eq!(lengths(&options, &arrays(&[3_000_000, 145_500, 95, 18])), [3_000_000, 145_500, 113]);
}

#[test]
fn hotspot_25_fills_a_buffer_of_1_mib_and_11_one_of_8() {
    for (profile, buffer) in [("hotspot-25", MIB), ("hotspot-11", 8 * MIB)] {
        let options = options(profile);
        let full = buffer - 9;
        let rows: [(&[u64], &[u64]); 7] = [
            (&[18, 19, 20], &[57]),
            (&[full, 18], &[full, 18]),
            (&[full - 500, 500, 18], &[full, 18]),
            (&[full - 500, 501, 18], &[full - 500, 519]),
            (&[full + 1, 18, 19], &[full + 1, 37]),
            (&[18, full + 1, 18, 19], &[18, full + 1, 37]),
            // What is alone leaves a whole buffer for the next.
            (&[full * 2, full - 18, 18, 18], &[full * 2, full, 18]),
        ];
        for (lengths_in, expected) in rows {
            assert_eq!(lengths(&options, &arrays(lengths_in)), expected, "{profile}: {lengths_in:?}");
        }
    }
    // Older ones of 11 have one segment for all of it.
    let giant = framed("hotspot-11", 1);
    assert_eq!(lengths(&giant, &arrays(&[5_000_000, 5_000_000, 18])), [10_000_018]);
}

#[test]
fn hotspot_8_and_the_serviceability_agent_write_a_heap_in_one_record() {
    // The agent has a thread more, which is no object.
    for (profile, more) in [("hotspot-8", 0), ("sa", 0), ("agent", 17)] {
        let subs = [Sub::Class(71), Instance(25), Array(3_000_000), Array(18), Local];
        assert_eq!(lengths(&options(profile), &subs), [71 + 25 + 3_000_000 + 18 + 17 + more], "{profile}");
        assert_eq!(lengths(&options(profile), &[]), [more], "{profile}");
    }
}

#[test]
fn the_serviceability_agent_of_17_compressing_gives_each_array_a_segment() {
    let options = framed("sa", 1);
    let rows: [(&[Sub], &[u64]); 9] = [
        (&[Instance(100), Array(200), Array(300), Instance(400), Local], &[100, 200, 300, 417]),
        (&[Array(18), Local], &[18, 17]),
        (&[Sub::Class(71), Sub::Class(80), Instance(25), Array(18)], &[176, 18]),
        // A segment closes after the instance with which it and its head exceed 1 MiB.
        (&[Instance(1_048_567), Instance(100), Instance(50)], &[1_048_667, 50]),
        (&[Instance(1_048_568), Instance(100), Instance(50)], &[1_048_568, 150]),
        (&[Instance(1_048_500), Instance(68), Instance(50)], &[1_048_568, 50]),
        (&[Sub::Class(71), Instance(1_048_497), Instance(50)], &[1_048_568, 50]),
        // Roots do not close one.
        (&[Instance(1_048_560), Local, Local, Local, Local], &[1_048_628]),
        // An array is alone however large it is.
        (&[Instance(25), Array(3_000_000), Instance(25)], &[25, 3_000_000, 25]),
    ];
    for (subs, expected) in rows {
        assert_eq!(lengths(&options, subs), expected, "{subs:?}");
    }
}

#[test]
fn the_serviceability_agent_of_25_compressing_gives_everything_a_segment() {
    let subs = [Sub::Class(71), Sub::Class(98), Instance(25), Array(18), Array(2_000_000), Local, Local];
    assert_eq!(lengths(&framed("sa", 2), &subs), [71, 98, 25, 18, 2_000_000, 17, 17]);
}

/// The segments of ART's arrays, with identifiers of 4 bytes, in heaps that begin before these entries.
fn art(lengths: &[u64], roots: usize, regions: &[(u32, u64)]) -> Vec<u64> {
    let subs: Vec<Sub> = [vec![Sub::Root; roots], arrays(lengths)].concat();
    let mut heap = heap_of(&subs, 4);
    let region = |&(id, after)| Region { id, name: name("app"), after };
    heap.surroundings.regions = Some(regions.iter().map(region).collect());
    cuts(&heap, &options("art")).1
}

#[test]
fn art_ends_segment_after_128_objects_or_4096_bytes() {
    assert_eq!(art(&[14; 128], 0, &[]), [1792]);
    assert_eq!(art(&[14; 129], 0, &[]), [1792, 14]);
    assert_eq!(art(&[14; 257], 0, &[]), [1792, 1792, 14]);
    // Roots count as well.
    assert_eq!(art(&[14; 29], 100, &[]), [500 + 28 * 14, 14]);
    assert_eq!(art(&[14; 3], 256, &[]), [640, 640, 42]);
    // 9 + 4086 bytes are not full, and 9 + 4087 are.
    assert_eq!(art(&[4086, 14, 14], 0, &[]), [4100, 14]);
    assert_eq!(art(&[4087, 14, 14], 0, &[]), [4087, 28]);
    assert_eq!(art(&[20, 1_000_000, 14], 0, &[]), [1_000_020, 14]);
}

#[test]
fn art_keeps_heap_info_with_its_object_and_does_not_count_it() {
    let (app, zygote) = (0x41, 0x5a);
    // Nine bytes at the start of each segment.
    assert_eq!(art(&[14; 129], 0, &[(app, 0)]), [9 + 1792, 9 + 14]);
    assert_eq!(art(&[4077, 14, 14], 0, &[(app, 0)]), [4100, 9 + 14]);
    assert_eq!(art(&[4078, 14, 14], 0, &[(app, 0)]), [4087, 9 + 28]);
    // The last of 128 objects in another heap; and the first of the next segment.
    assert_eq!(art(&[14; 129], 0, &[(app, 0), (zygote, 127)]), [9 + 1792 + 9, 9 + 14]);
    assert_eq!(art(&[14; 129], 0, &[(app, 0), (zygote, 128)]), [9 + 1792, 9 + 14]);
    // One of 4095 bytes with its head, which the info takes over the limit.
    assert_eq!(art(&[4077, 14, 14], 0, &[(app, 0), (zygote, 1)]), [9 + 4077 + 9 + 14, 9 + 14]);
}

#[test]
fn art_repeats_heap_info_in_each_segment() {
    let mut heap = heap_of(&arrays(&[14; 300]), 4);
    let region = |id, after| Region { id, name: name("app"), after };
    heap.surroundings.regions = Some(vec![region(0x41, 0), region(0x5a, 200)]);
    let file = lower::to_bytes(&heap, &options("art")).expect("the heap can be said");
    let (seen, ended) = steps_of(&mut Decoder::new(&file[..]).expect("a sound header"));
    ended.expect("sound");
    let mut shape = String::new();
    for step in &seen {
        match step {
            Seen::Segment(..) => shape.push('('),
            Seen::SegmentEnd(_) => shape.push(')'),
            Seen::Sub(at, _) if at.bytes[0] == 0xfe => shape.push(at.bytes[4] as char),
            Seen::Sub(..) => shape.push('.'),
            _ => {}
        }
    }
    let dots = |count: usize| ".".repeat(count);
    assert_eq!(shape, format!("(A{})(A{}Z{})(Z{})", dots(128), dots(72), dots(56), dots(44)));
}

/// HotSpot's buffer in 17, as its rule was measured.
fn pool(before: u64, subs: &[Sub]) -> Vec<u64> {
    struct Pool {
        used: u64,
        cap: u64,
        pos: u64,
    }
    impl Pool {
        fn flush(&mut self) {
            if self.pos > 0 {
                self.used += self.pos;
                if MIB - self.used <= 10_240 {
                    self.used = 0;
                }
            }
            self.cap = MIB - self.used;
            self.pos = 0;
        }
        fn raw(&mut self, mut n: u64) {
            while n > self.cap - self.pos {
                n -= self.cap - self.pos;
                self.pos = self.cap;
                self.flush();
            }
            self.pos += n;
        }
    }
    let mut pool = Pool { used: 0, cap: MIB, pos: 0 };
    pool.raw(before);
    let (mut segments, mut open, mut huge) = (Vec::new(), 0, false);
    for sub in subs {
        let length = sub.bytes();
        if open > 0 && (huge || length > pool.cap - pool.pos) {
            segments.push(std::mem::take(&mut open));
            pool.flush();
        }
        if open == 0 {
            if pool.pos > 0 {
                pool.flush();
            }
            pool.raw(9);
            huge = length > pool.cap - 9;
        }
        pool.raw(length);
        open += length;
    }
    segments.extend(Some(open).filter(|&open| open > 0));
    segments
}

/// A buffer that only sub-records go through.
fn own(buffer: u64, subs: &[Sub]) -> Vec<u64> {
    let (mut segments, mut open, mut huge) = (Vec::new(), 0, false);
    for length in subs.iter().map(|sub| sub.bytes()) {
        if open > 0 && (huge || length > buffer - 9 - open) {
            segments.push(std::mem::take(&mut open));
        }
        huge = if open == 0 { length > buffer - 9 } else { huge };
        open += length;
    }
    segments.extend(Some(open).filter(|&open| open > 0));
    segments
}

/// The serviceability agent of 17, compressing.
fn by_arrays(subs: &[Sub]) -> Vec<u64> {
    let (mut segments, mut current) = (Vec::new(), 0);
    for sub in subs {
        if let Array(length) = sub {
            segments.extend(Some(std::mem::take(&mut current)).filter(|&current| current > 0));
            segments.push(*length);
        } else {
            current += sub.bytes();
            if *sub != Local && current + 9 > MIB {
                segments.push(std::mem::take(&mut current));
            }
        }
    }
    segments.extend(Some(current).filter(|&current| current > 0));
    segments
}

/// Numbers that look drawn.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn cuts_random_heaps_by_rule_of_writer() {
    let mut draw = Draw(7);
    for round in 0..30 {
        // Classes first, then objects, then roots, as these writers have them. Every third heap is of large objects.
        let largest = [500, 60_000, 1_500_000][round % 3];
        let mut subs: Vec<Sub> = (0..draw.below(40)).map(|_| Sub::Class(71 + 9 * draw.below(200))).collect();
        for _ in 0..[3000, 120, 8][round % 3] {
            let length = draw.below(largest);
            subs.push(if draw.below(3) == 0 { Instance(25 + length) } else { Array(18 + length) });
        }
        subs.extend(vec![Local; draw.below(500) as usize]);
        let mut heap = heap_of(&subs, 8);
        // Up to 2 MiB of a name: the log may be longer than the buffer.
        if let Some(class) = heap.classes.first_mut() {
            class.name = name(&"n".repeat([10, 300_000, 1_048_000, 2_000_000][draw.below(4) as usize]));
        }
        let cuts = |options: LowerOptions| cuts(&heap, &options.id_size(IdSize::Eight));
        let (before, found) = cuts(options("hotspot-17"));
        assert_eq!(found, pool(before, &subs), "round {round}, hotspot-17");
        assert_eq!(cuts(options("hotspot-11")).1, own(8 * MIB, &subs), "round {round}, hotspot-11");
        assert_eq!(cuts(framed("sa", 1)).1, by_arrays(&subs), "round {round}, sa");
        // Here roots come before the objects.
        let is = |wanted: fn(&Sub) -> bool| subs.iter().copied().filter(wanted).collect::<Vec<_>>();
        let order = [
            is(|sub| matches!(sub, Sub::Class(_))),
            is(|sub| *sub == Local),
            is(|sub| matches!(sub, Instance(_) | Array(_))),
        ];
        assert_eq!(cuts(options("hotspot-25")).1, own(MIB, &order.concat()), "round {round}, hotspot-25");
    }
}
