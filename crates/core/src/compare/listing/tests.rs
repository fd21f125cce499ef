use crate::compare::fixture::heap_with_every_fact;
use crate::model::{ObjectKind, Surroundings};

use super::*;

fn listing_of(head: &ListingHead, heap: &Heap) -> String {
    let mut text = Vec::new();
    write(&mut text, head, heap, &HeapPlaces::from_order(heap)).expect("written");
    String::from_utf8(text).expect("text")
}

fn read_text(text: &str) -> Result<Listing, Error> {
    read(text.as_bytes())
}

#[test]
fn reads_back_every_fact() {
    let heap = heap_with_every_fact();
    let head = ListingHead { format: Some("hprof".to_owned()), heap: Some(1), ..head(&heap) };
    let text = listing_of(&head, &heap);
    let listing = read_text(&text).expect("a listing");
    assert_eq!(listing.head, head);
    assert_eq!(listing.heap, heap);
    assert_eq!(listing_of(&head, &listing.heap), text);
}

#[test]
fn round_trips_class_words_of_instances() {
    let mut heap = heap_with_every_fact();
    for object in heap.objects.iter_mut().filter(|object| object.kind == ObjectKind::Instance) {
        object.class_word = object.class;
    }
    let listing = read_text(&listing_of(&head(&heap), &heap)).expect("a listing");
    assert_eq!(listing.heap, heap);
}

#[test]
fn distinguishes_empty_from_unknown_lists() {
    let surroundings = Surroundings {
        roots: Some(Vec::new()),
        threads: Some(Vec::new()),
        traces: Some(Vec::new()),
        regions: Some(Vec::new()),
        events: Some(Vec::new()),
        times: None,
    };
    for surroundings in [surroundings, Surroundings::default()] {
        let heap = Heap { surroundings, ..Heap::default() };
        assert_eq!(read_text(&listing_of(&head(&heap), &heap)).expect("a listing").heap, heap);
    }
}

#[test]
fn every_line_follows_the_published_schema() {
    let heap = heap_with_every_fact();
    let text = listing_of(&head(&heap), &heap);
    let (first, lines) = text.split_once('\n').expect("a head");
    let mut schemas = boon::Schemas::new();
    let [of_head, of_line] =
        [("head", schemars::schema_for!(Keyed<'_, ListingHead>)), ("line", schemars::schema_for!(ListingLine<'_>))]
            .map(|(name, schema)| {
                let (mut compiler, place) = (boon::Compiler::new(), format!("https://heapsmith.example/{name}.json"));
                compiler.add_resource(&place, schema.to_value()).expect("a place");
                compiler.compile(&place, &mut schemas).expect("a schema")
            });
    let follows = |schema, line: serde_json::Value| schemas.validate(&line, schema).is_ok();
    assert!(follows(of_head, serde_json::from_str(first).expect("JSON")));
    for line in lines.lines() {
        assert!(follows(of_line, serde_json::from_str(line).expect("JSON")), "{line}");
    }
    assert!(!follows(of_line, serde_json::json!({"kind": "root", "root": "no-such", "object": "0x8"})));
    assert!(!follows(of_line, serde_json::json!({"kind": "event", "event": "no-such", "time": 0, "after": 0})));
}

#[test]
fn refuses_lines_that_contradict_themselves_or_lack_a_key() {
    for (line, message) in [
        (r#"{"kind":"object","address":"0x8","refs":[],"values":[]}"#, "expected one of refs, values and raw"),
        (r#"{"kind":"object-array","address":"0x8","refs":[],"elements":[]}"#, "expected refs or elements"),
        (r#"{"kind":"primitive-array","address":"0x8","element":"int","refs":[]}"#, "expected no refs"),
        (r#"{"kind":"primitive-array","address":"0x8"}"#, "missing field `element`"),
        (r#"{"kind":"primitive-array","address":"0x8","element":"object"}"#, "expected the element type of an array"),
        (r#"{"kind":"object","address":"0x8","values":[["byte","0x100"]]}"#, "expected the bits of byte"),
        (r#"{"kind":"object","address":"0x8","values":[["word","0x1"]]}"#, "expected the type of a field"),
        (r#"{"kind":"object","address":"0x8","raw":"abc"}"#, "expected bytes of two hexadecimal digits"),
        (r#"{"kind":"root","root":"java-frame","object":"0x8","thread":1}"#, "expected the key frame"),
        (r#"{"kind":"root","root":"jni-global","object":"0x8"}"#, "expected the key reference"),
        (r#"{"kind":"event","event":"text","time":0,"after":0,"id":"0x1"}"#, "missing field `text`"),
        (r#"{"kind":"nothing","address":"0x8"}"#, "unknown variant `nothing`"),
        (r#"{"address":"0x8"}"#, "missing field `kind`"),
    ] {
        let refused = read_text(&format!("{{\"listing\":1}}\n{line}\n")).map(|_| ()).expect_err(line).to_string();
        assert!(refused.contains("listing, line 2") && refused.contains(message), "{refused}");
    }
    let counted =
        read_text("{\"listing\":1,\"roots\":2}\n{\"kind\":\"root\",\"root\":\"unknown\",\"object\":\"0x8\"}\n");
    let refused = counted.map(|_| ()).expect_err("one root").to_string();
    assert!(refused.contains("expected 2 roots, as the first line states, found 1"), "{refused}");
}

#[test]
fn refuses_first_line_without_end_after_16_mebibytes() {
    let mut left = 64_u64 << 20;
    let endless = std::io::Read::take(std::io::repeat(b'x'), left);
    let mut input = std::io::BufReader::new(endless);
    let error = read(&mut input).expect_err("no end").to_string();
    assert_eq!(error, "listing, line 1: expected a line of at most 16777216 bytes, found more");
    left -= input.get_ref().limit();
    // What the reader holds ready comes on top.
    assert!((16 << 20..17 << 20).contains(&left), "{left} bytes were read");
}
