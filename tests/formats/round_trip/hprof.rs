//! Generated heaps through every HPROF profile and size of identifiers and back; and what they reach.

use std::collections::BTreeSet;

use heapsmith::error::DecodeError;
use heapsmith::format::Lowering;
use heapsmith::generate::{Oddities, Oddity, Placement, from_seed};
use heapsmith::hprof::lower::{self, LowerOptions, PROFILES};
use heapsmith::hprof::record::RecordBody;
use heapsmith::hprof::sub_record::RootRecord;
use heapsmith::hprof::{DecodeStep, Decoder, IdSize, Profile, RecordTag, SubRecord, SubRecordTag, lift};
use heapsmith::lower::Adherence;
use heapsmith::model::{
    Address, Class, Contents, Dump, FieldType, Heap, ObjectKind, PrimitiveType, Root, RootKind, Value,
};
use pretty_assertions::assert_eq;

/// Every profile and framing, with identifiers of every size.
fn writers(seed: u64) -> impl Iterator<Item = LowerOptions> {
    let framed = PROFILES
        .iter()
        .flat_map(|profile: &'static Profile| profile.framings.iter().map(move |framing| (profile, framing)));
    framed.flat_map(move |(profile, framing)| {
        let options = LowerOptions::default().profile(profile).framing(framing).seed(seed);
        IdSize::ALL.map(|id_size| options.id_size(id_size))
    })
}

fn generated(options: &LowerOptions, objects: usize, seed: u64) -> Heap {
    let placement = if seed.is_multiple_of(2) { Placement::Mixed } else { Placement::Ordered };
    let generated = Lowering::from(*options).generate_options(objects, None);
    // Plain heaps, and those that have everything.
    // One byte does not number as many fields and frames.
    let is_left_out = |oddity: &Oddity| match oddity {
        Oddity::NoLibraryObjects => true,
        Oddity::ManyFields | Oddity::DeepStacks => options.id_size == Some(IdSize::One),
        _ => false,
    };
    let odd = Oddities::ALL.iter().filter(|oddity| !is_left_out(oddity)).collect();
    let oddities = if seed % 4 < 2 { generated.oddities } else { odd };
    from_seed(&generated.placement(placement).oddities(oddities), seed)
}

fn lifted(dump: &[u8]) -> Dump {
    let (whole, ended) = lift::dump(|| Ok(Decoder::new(dump)?)).expect("an HPROF dump");
    ended.expect("a whole dump");
    whole.dump
}

#[test]
fn every_profile_round_trips_carried_facts() {
    for seed in 0..8 {
        for options in writers(seed) {
            let mut dump = Dump { heaps: vec![generated(&options, 70, seed)], tail: Vec::new() };
            let mut written = Vec::new();
            lower::write_dump(&mut dump, &options, &mut written).expect("writable");
            let carried = lower::carry_dump(&mut dump, &options).expect("writable");
            assert!(carried == lifted(&written), "{options:?}");
        }
    }
}

/// The heap itself against the dump, without the step that says what a profile carries.
#[test]
fn every_profile_agrees_with_the_heap_on_objects_and_fields() {
    for seed in 0..8 {
        for options in writers(seed) {
            let heap = generated(&options, 70, seed);
            let found = lifted(&lower::to_bytes(&heap, &options).expect("writable")).heaps.swap_remove(0);
            let is_primitive = |class: &Class| PRIMITIVE.iter().any(|name| class.name == (*name).into());
            let primitives: BTreeSet<_> = heap.classes.iter().filter(|c| is_primitive(c)).map(|c| c.address).collect();
            let inside = |heap: &Heap| -> Vec<_> {
                let objects = heap.objects.iter().filter(|object| !primitives.contains(&object.address));
                objects.map(|o| (o.address, o.kind, o.length, o.contents.clone())).collect()
            };
            assert!(inside(&heap) == inside(&found), "{options:?}");
            let mut classes = found.classes.clone();
            classes.sort_by_key(|class| class.address);
            let mut expected = heap.classes.clone();
            let name = options.profile.name;
            // Only ART has the classes of primitive types among its classes, if others have java/lang/Class for them.
            let has_class = heap.classes.iter().any(|class| class.name == "java/lang/Class".into());
            let has_primitives = !has_class || matches!(name, "art" | "any");
            expected.retain(|class| has_primitives || !is_primitive(class));
            expected.sort_by_key(|class| class.address);
            assert_eq!(expected.len(), classes.len(), "{options:?}");
            // The serviceability agent and ART tell no owners of a class.
            let has_signers = !matches!(name, "sa" | "art");
            for (class, found) in expected.iter().zip(&classes) {
                let signers = if has_signers { class.signers } else { Some(Address::NULL) };
                assert_eq!(
                    (class.address, class.name.to_jvm_form(), class.superclass, class.loader, signers),
                    (found.address, found.name.to_jvm_form(), found.superclass, found.loader, found.signers),
                );
                assert_eq!((&class.statics, &class.fields), (&found.statics, &found.fields));
            }
            // Kinds that the writer does not have are gone, and so are threads that are no threads.
            let tags = tags(name);
            let is_told = |root: &&Root| tags.contains(&tag(root)) && root.kind.thread().is_none();
            let is_sticky = |root: &&Root| {
                root.kind == RootKind::StickyClass && matches!(name.split('-').next(), Some("hotspot" | "agent"))
            };
            let objects = |heap: &Heap| -> Vec<_> {
                let roots = heap.surroundings.roots.iter().flatten().filter(is_told).filter(|root| !is_sticky(root));
                let mut objects: Vec<_> = roots.map(|root| (tag(root), root.object)).collect();
                objects.sort_unstable();
                objects
            };
            let (mut before, after) = (objects(&heap), objects(&found));
            if name == "art" {
                // No root without numbers twice.
                before.dedup_by(|one, two| one == two && one.0 != 0x01);
            }
            let count = |heap: &Heap| heap.surroundings.roots.iter().flatten().count();
            if name == "any" {
                // All of them, though where Android's sub-records are missing its kinds are unknown.
                assert_eq!(count(&heap), count(&found), "{options:?}");
            } else {
                assert_eq!(before, after, "{options:?}");
            }
            let found_tags: BTreeSet<u8> = found.surroundings.roots.iter().flatten().map(tag).collect();
            assert!(found_tags.iter().all(|tag| tags.contains(tag)), "{options:?}: {found_tags:02x?}");
        }
    }
}

const PRIMITIVE: [&str; 9] = ["boolean", "byte", "char", "short", "int", "long", "float", "double", "void"];

fn tag(root: &Root) -> u8 {
    RootRecord { object: root.object, kind: root.kind }.tag().0
}

/// The tags of the roots that a profile's writer has: of the real dumps, and of ART's source.
fn tags(profile: &str) -> &'static [u8] {
    match profile {
        "hotspot-8" => &[0x01, 0x02, 0x03, 0x05, 0x07, 0x08],
        "hotspot-11" | "hotspot-17" | "hotspot-21" | "hotspot-25" => &[0x01, 0x02, 0x03, 0x05, 0x08],
        "sa" => &[0x02, 0x08],
        "agent" => &[0xff, 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08],
        "art" => &[0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x89, 0x8b, 0x8d, 0x8e],
        "any" => &[0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x90],
        other => panic!("{other} is a new profile"),
    }
}

#[test]
fn the_generator_reaches_every_record_sub_record_root_type_and_shape() {
    let mut reached = BTreeSet::new();
    for seed in 0..12 {
        for options in writers(seed) {
            let heap = generated(&options, 70, seed);
            shapes(&heap, &mut reached);
            records(&lower::to_bytes(&heap, &options).expect("writable"), &mut reached);
        }
    }
    let missing: Vec<String> = expected().difference(&reached).cloned().collect();
    assert_eq!(missing, Vec::<String>::new());
}

fn kind(kind: FieldType) -> String {
    match kind {
        FieldType::Object => "object".to_owned(),
        FieldType::Primitive(kind) => kind.to_string(),
    }
}

fn records(dump: &[u8], reached: &mut BTreeSet<String>) {
    let mut decoder = Decoder::new(dump).expect("an HPROF dump");
    let mut put = |what: String| {
        reached.insert(what);
    };
    decoder
        .visit::<DecodeError, _>(|step| {
            match step {
                DecodeStep::Record(_, record) => {
                    put(format!("record {}", record.tag()));
                    if let RecordBody::Unknown(..) = record.body {
                        put("unknown record".to_owned());
                    }
                    if let RecordBody::Trace(trace) = &record.body {
                        put(format!("trace with frames: {}", !trace.frames.is_empty()));
                    }
                }
                DecodeStep::Segment(_, segment) => {
                    put(format!("record {}", segment.tag));
                    if segment.stated == 0 {
                        put("empty segment".to_owned());
                    }
                }
                DecodeStep::Sub(at, sub_record) => {
                    put(format!("sub-record {}", sub_record.tag()));
                    if at.rest > 0 {
                        put("contents in pieces".to_owned());
                    }
                    let of = |value: &Value| kind(value.kind);
                    match sub_record {
                        SubRecord::Class(class) => {
                            class.fields.iter().for_each(|(_, field)| put(format!("field of {}", kind(*field))));
                            class.statics.iter().for_each(|(_, value)| put(format!("static of {}", of(value))));
                            class
                                .constant_pool
                                .iter()
                                .for_each(|(_, value)| put(format!("pool entry of {}", of(value))));
                            put(format!("signers: {}", !class.signers.is_null()));
                            put(format!("protection domain: {}", !class.protection_domain.is_null()));
                        }
                        SubRecord::PrimitiveArray(array) => {
                            let empty = if array.head.length == 0 { "empty " } else { "" };
                            put(format!("{empty}array of {}", array.head.element));
                        }
                        SubRecord::ObjectArray(array) => {
                            let empty = if array.length == 0 { "empty " } else { "" };
                            put(format!("{empty}array of object"));
                        }
                        _ => {}
                    }
                }
                DecodeStep::More(_) | DecodeStep::SegmentEnd(_) => {}
            }
            Ok(())
        })
        .expect("a whole dump");
}

/// What no single record shows.
fn shapes(heap: &Heap, reached: &mut BTreeSet<String>) {
    let mut names = BTreeSet::new();
    for class in &heap.classes {
        if !names.insert(&class.name) {
            let loaders: BTreeSet<_> =
                heap.classes.iter().filter(|other| other.name == class.name).map(|other| other.loader).collect();
            reached.insert(format!("one name, loaders: {}", loaders.len().min(2)));
        }
        let superclass = heap.classes.iter().find(|other| Some(other.address) == class.superclass);
        let fields = superclass.and_then(|superclass| superclass.fields.as_ref());
        let own = || class.fields.iter().flatten();
        if own().any(|own| fields.is_some_and(|fields| fields.iter().any(|field| field.name == own.name))) {
            reached.insert("shadowed field".to_owned());
        }
    }
    let string = heap.classes.iter().find(|class| class.name == "java/lang/String".into());
    for object in heap.objects.iter().filter(|object| object.class == string.map(|class| class.address)) {
        if let Contents::Fields(values) = &object.contents
            && let Some(value) = values.first().and_then(|value| value.as_reference())
            && let Some(array) = heap.objects.iter().find(|object| object.address == value)
            && let ObjectKind::PrimitiveArray(element) = array.kind
        {
            reached.insert(format!("string of {element}"));
        }
    }
    let traces: BTreeSet<_> = heap.objects.iter().map(|object| object.trace.is_some()).collect();
    reached.insert(format!("kinds of allocation: {}", traces.len()));
    reached.insert(format!("regions: {}", heap.surroundings.regions.as_ref().map_or(0, Vec::len).min(2)));
}

/// All that the format has, spelled out.
fn expected() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    all.extend(RecordTag::FORMS.iter().map(|form| format!("record {}", form.name)));
    all.extend(SubRecordTag::FORMS.iter().map(|form| format!("sub-record {}", form.name)));
    let kinds = PrimitiveType::ALL.map(|kind| kind.to_string());
    for kind in kinds.iter().map(String::as_str).chain(["object"]) {
        all.extend(
            ["field of", "static of", "pool entry of", "array of", "empty array of"].map(|w| format!("{w} {kind}")),
        );
    }
    for either in [false, true] {
        all.extend(["signers", "protection domain", "trace with frames"].map(|what| format!("{what}: {either}")));
    }
    let shapes = [
        "unknown record",
        "empty segment",
        "contents in pieces",
        "one name, loaders: 2",
        "shadowed field",
        "string of char",
        "string of byte",
        "kinds of allocation: 2",
        "regions: 0",
        "regions: 1",
        "regions: 2",
    ];
    all.extend(shapes.map(str::to_owned));
    all
}

#[test]
fn a_heap_keeps_its_order_and_log_where_the_writer_adheres_to_it() {
    for seed in 0..4 {
        for options in writers(seed).filter(|options| !options.profile.is_seeded()) {
            let written = lower::to_bytes(&generated(&options, 40, seed), &options).expect("writable");
            let heap = lifted(&written).heaps.swap_remove(0);
            let as_heap = options.adherence(Adherence::Heap);
            assert!(lower::to_bytes(&heap, &as_heap).expect("writable") == written, "{options:?}");
        }
    }
}
