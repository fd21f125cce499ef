use crate::compare::fixture::heap_with_every_fact;
use crate::model::{Contents, ObjectKind, PrimitiveType, Static, Surroundings, Value};

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
        (
            r#"{"kind":"object","address":"0x8","values":[["byte","0x100"]]}"#,
            "expected a value of the type byte (-128 to 127; or its 8 bits like \"0x1f\"), found \"0x100\"",
        ),
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
fn reads_decimal_numbers_wherever_hexadecimal_ones_stand() {
    let hexadecimal = concat!(
        r#"{"listing":1,"hash_randoms":["0x1234","0xffffffff"]}"#,
        "\n",
        r#"{"kind":"class","address":"0x1000","name":"A","super":"0x0","hash32":"0xcafe","refs":["0x2000","0x0"]}"#,
        "\n",
        r#"{"kind":"object","address":"0xffffffffffffffff","class":"0x1000","values":[["object","0x2000"]]}"#,
        "\n",
        r#"{"kind":"object-array","address":"0x2000","elements":["0x0","0x1000"]}"#,
        "\n",
        r#"{"kind":"root","root":"jni-global","object":"0x1000","reference":"0x7"}"#,
        "\n",
        r#"{"kind":"event","event":"text","after":0,"time":0,"id":"0x1f","text":"t"}"#,
        "\n",
    );
    let decimal = concat!(
        r#"{"listing":1,"hash_randoms":[4660,"4294967295"]}"#,
        "\n",
        r#"{"kind":"class","address":4096,"name":"A","super":0,"hash32":"51966","refs":[8192,"0"]}"#,
        "\n",
        r#"{"kind":"object","address":18446744073709551615,"class":"4096","values":[["object",8192]]}"#,
        "\n",
        r#"{"kind":"object-array","address":8192,"elements":[0,"4096"]}"#,
        "\n",
        r#"{"kind":"root","root":"jni-global","object":4096,"reference":"7"}"#,
        "\n",
        r#"{"kind":"event","event":"text","after":0,"time":0,"id":31,"text":"t"}"#,
        "\n",
    );
    let [expected, found] = [hexadecimal, decimal].map(|text| read_text(text).expect("a listing"));
    assert_eq!((found.head, found.heap), (expected.head, expected.heap));
}

/// The bits that a value has, or the end of the message about it.
fn bits_of(kind: &str, spelled: &str) -> Result<u64, String> {
    let line =
        format!("{{\"listing\":1}}\n{{\"kind\":\"object\",\"address\":8,\"values\":[[\"{kind}\",{spelled}]]}}\n");
    match read_text(&line) {
        Ok(listing) => match &listing.heap.objects[0].contents {
            Contents::Fields(values) => Ok(values[0].bits),
            other => panic!("{other:?}"),
        },
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn reads_values_as_java_has_them() {
    for (kind, spelled, bits) in [
        ("int", "-1", 0xffff_ffff),
        ("int", "\"-1\"", 0xffff_ffff),
        ("byte", "-128", 0x80),
        ("short", "32767", 0x7fff),
        ("long", "-9223372036854775808", 1 << 63),
        ("long", "\"9223372036854775807\"", (1 << 63) - 1),
        ("boolean", "true", 1),
        ("boolean", "false", 0),
        ("boolean", "255", 0xff),
        ("char", "\"A\"", 0x41),
        ("char", "\"6\"", 0x36),
        ("char", "\"\\u20ac\"", 0x20ac),
        ("char", "65535", 0xffff),
        ("double", "1.5", 0x3ff8_0000_0000_0000),
        ("double", "\"1.5\"", 0x3ff8_0000_0000_0000),
        ("double", "-2", 0xc000_0000_0000_0000),
        ("double", "-0.0", 1 << 63),
        ("double", "4.9e-324", 1),
        ("double", "\"NaN\"", 0x7ff8_0000_0000_0000),
        ("double", "\"-Infinity\"", 0xfff0_0000_0000_0000),
        ("float", "0.1", 0x3dcc_cccd),
        ("float", "\"Infinity\"", 0x7f80_0000),
        ("float", "\"NaN\"", 0x7fc0_0000),
        ("float", "16777217", 0x4b80_0000),
        ("float", "1", 0x3f80_0000),
        // Hexadecimal digits are bits, whatever the type.
        ("float", "\"0x1\"", 1),
        ("char", "\"0x41\"", 0x41),
        ("object", "\"31\"", 31),
    ] {
        assert_eq!(bits_of(kind, spelled), Ok(bits), "{kind} {spelled}");
    }
}

#[test]
fn refuses_values_out_of_range_with_the_range() {
    for (kind, spelled, message) in [
        ("byte", "128", "a value of the type byte (-128 to 127; or its 8 bits like \"0x1f\"), found 128"),
        ("short", "-32769", "(-32768 to 32767; or its 16 bits like \"0x1f\"), found -32769"),
        ("int", "2147483648", "(-2147483648 to 2147483647; or"),
        ("int", "1.0", "found 1.0"),
        ("int", "\"ten\"", "found \"ten\""),
        ("long", "\"9223372036854775808\"", "(-9223372036854775808 to 9223372036854775807; or"),
        ("boolean", "256", "(true, false, or 0 to 255; or"),
        ("boolean", "\"yes\"", "found \"yes\""),
        ("char", "\"ab\"", "(a string of one character up to U+FFFF, or 0 to 65535; or"),
        ("char", "\"\"", "found \"\""),
        ("char", "\"\u{1f600}\"", "found"),
        ("float", "1e39", "(-3.4028235e38 to 3.4028235e38, \"NaN\", \"Infinity\", \"-Infinity\"; or its 32 bits"),
        ("float", "\"inf\"", "found \"inf\""),
        ("double", "\"1e309\"", "(-1.7976931348623157e308 to 1.7976931348623157e308, \"NaN\""),
        ("double", "true", "found true"),
        ("object", "-8", "an address, a number from 0 to 2^64 - 1 like \"0x1f\" or 31, found -8"),
    ] {
        let refused = bits_of(kind, spelled).expect_err(spelled);
        assert!(
            refused.starts_with("listing, line 2, key values[0]: expected ") && refused.contains(message),
            "{refused}"
        );
    }
}

#[test]
fn reads_value_of_static_field_in_front_of_its_type() {
    let line = |statics: &str| {
        let text =
            format!("{{\"listing\":1}}\n{{\"kind\":\"class\",\"address\":8,\"name\":\"A\",\"statics\":[{statics}]}}\n");
        read_text(&text).map(|listing| listing.heap.classes[0].statics.clone()).map_err(|e| e.to_string())
    };
    let value = Value::primitive(PrimitiveType::Short, 0xfffe);
    let due = Some(vec![Static { name: "s".into(), value }]);
    assert_eq!(line(r#"{"value":-2,"type":"short","name":"s"}"#), Ok(due.clone()));
    assert_eq!(line(r#"{"name":"s","type":"short","value":"0xfffe"}"#), Ok(due));
    let refused = line(r#"{"value":-2,"type":"char","name":"s"},{"value":1,"type":"int"},{"value":0}"#);
    let refused = refused.expect_err("two errors");
    let [first, second] = refused.lines().collect::<Vec<_>>()[..] else { panic!("{refused}") };
    assert!(first.starts_with("listing, line 2, key statics[0]: ") && first.ends_with("found -2"), "{first}");
    assert_eq!(second, "listing, line 2, key statics[2]: missing field `type`");
}

#[test]
fn reports_every_error_with_its_line_and_key() {
    let text = concat!(
        r#"{"listing":1,"word_size":"64","omits":["hashes","roots"]}"#,
        "\n",
        r#"{"kind":"object","address":"4g","class":"0x8","values":[["int",1],["itn",1],["byte",300]],"hash16":"0x10000"}"#,
        "\n",
        r#"{"kind":"instance","address":"0x10"}"#,
        "\n",
        r#"{"kind":"primitive-array","address":"0x18","element":"bite","length":-1}"#,
        "\n",
        r#"{"kind":"root","root":"java-fram","object":"0x10"}"#,
        "\n",
        "{\"kind\":\"object\"\n",
        r#"{"kind":"trace","serial":1,"thread":0,"frames":[{"line":-1},{"line":"x","class":true}]}"#,
        "\n",
        r#"{"kind":"event","event":"texts","after":0,"time":0}"#,
        "\n",
        r#"{"kind":"event","event":"text","after":-1,"time":0,"id":"t"}"#,
        "\n",
        r#"{"kind":"event","event":"text","after":0,"time":0,"id":8}"#,
        "\n",
        r#"{"kind":"object","address":"0x20"}"#,
        "\n",
    );
    let error = read_text(text).map(|_| ()).expect_err("errors").to_string();
    let found: Vec<(&str, &str)> = error
        .lines()
        .map(|line| line.strip_prefix("listing, line ").and_then(|l| l.split_once(": ")).expect(line))
        .collect();
    let places: Vec<&str> = found.iter().map(|(place, _)| *place).collect();
    assert_eq!(
        places,
        [
            "1, key omits[0]",
            "1, key word_size",
            "2, key address",
            "2, key hash16",
            "2, key values[1]",
            "2, key values[2]",
            "3, key kind",
            "4, key element",
            "4, key length",
            "5, key root",
            "6",
            "7, key frames[1].class",
            "7, key frames[1].line",
            "8, key event",
            "9, key after",
            "9, key id",
            "10",
        ],
        "{error}"
    );
    for part in [
        "expected a number from 0 to 2^64 - 1 like \"0x1f\" or 31, found \"4g\"",
        "expected a hash of 16 bits, at most 0xffff, found 0x10000",
        "expected the type of a field (object, boolean, char, float, double, byte, short, int, long), found \"itn\"; did you mean int",
        "; did you mean byte",
        "unknown variant `instance`, expected one of `class`, `object`,",
        "; did you mean java-frame",
        "; did you mean text?",
        "missing field `text`",
    ] {
        assert!(error.contains(part), "{part}\n{error}");
    }
}

#[test]
fn names_the_key_of_a_lone_surrogate() {
    let of = |line: &str| {
        let listing = ["{\"listing\":1}\n", line, "\n"].concat();
        read_text(&listing).map(|_| ()).expect_err("an error").to_string()
    };
    let wrong = "expected text, or {\"bytes\":...} for what is not valid text, found a lone surrogate";
    for (line, key) in [
        (r#"{"kind":"class","address":8,"name":"a\ud800"}"#, "name"),
        (
            r#"{"kind":"class","address":8,"name":"\uD83D\uDE00","fields":[{"name":"\\ud800","type":"int"},{"name":"\udc00!","type":"int"}]}"#,
            "fields[1].name",
        ),
        (r#"{"kind":"object","address":8,"class":1,"values":[["char","\ud800\ud800"]]}"#, "values[0][1]"),
    ] {
        assert_eq!(of(line), format!("listing, line 2, key {key}: {wrong}"));
    }
    // Digits that are none, and text after it that is no JSON.
    for line in [r#"{"kind":"class","address":8,"name":"\ud8zz"}"#, r#"{"kind":"class","name":"\ud800"#] {
        assert!(of(line).starts_with("listing, line 2: "), "{}", of(line));
    }
}

#[test]
fn names_the_key_of_a_null_and_of_a_value_of_another_type() {
    let of = |line: &str| {
        let listing = ["{\"listing\":1}\n", line, "\n"].concat();
        read_text(&listing).map(|_| ()).expect_err("an error").to_string()
    };
    for (line, wrong) in [
        (
            r#"{"kind":"class","address":8,"fields":[{"name":"a","type":null}]}"#,
            "key fields[0].type: invalid type: null, expected the type of a field (object, boolean, char, float, double, byte, short, int, long)",
        ),
        (
            r#"{"kind":"class","address":8,"name":7}"#,
            "key name: invalid type: integer `7`, expected a string, or an object with the key `bytes` or `utf16`",
        ),
        (
            r#"{"kind":"class","address":8,"instance_size":"7"}"#,
            "key instance_size: invalid type: string \"7\", expected u64",
        ),
        (
            r#"{"kind":"class","address":8,"instance_size":{"bytes":7}}"#,
            "key instance_size: invalid type: map {\"bytes\":7}, expected u64",
        ),
    ] {
        assert_eq!(of(line), format!("listing, line 2, {wrong}"));
    }
}

#[test]
fn lists_twenty_errors_and_counts_lines_with_more() {
    let bad = "{\"kind\":\"object\",\"address\":\"x\"}\n";
    let message = |lines: usize| {
        let error = read_text(&["{\"listing\":1}\n", &bad.repeat(lines)].concat()).map(|_| ()).expect_err("errors");
        error.to_string().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(message(20).len(), 20);
    let many = message(25);
    assert_eq!((many.len(), &*many[20]), (21, "listing: more errors in 5 other lines"));
    // Those of one line are no more.
    let items = format!("{{\"kind\":\"object\",\"address\":8,\"refs\":[{}]}}\n", vec!["\"x\""; 30].join(","));
    let error = read_text(&["{\"listing\":1}\n", &items].concat()).map(|_| ()).expect_err("errors").to_string();
    assert_eq!(error.lines().count(), 21);
    assert!(error.ends_with("key refs[19]: expected a number from 0 to 2^64 - 1 like \"0x1f\" or 31, found \"x\"\nlisting: more errors in 1 other line"), "{error}");
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
