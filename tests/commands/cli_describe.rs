//! The command `describe`, over a heap that is spelled by hand.

use pretty_assertions::assert_eq;

use super::bench::Bench;

const HEAP: &str = r#"{"listing":1,"format":"hprof","identifier_size":8}
{"kind":"class","address":"0x10","name":"shop/Order","super":"0x0","loader":"0x0","signers":"0x0","protection_domain":"0x0","instance_size":12,"statics":[],"constant_pool":[],"fields":[{"name":"id","type":"int"},{"name":"next","type":"object"}],"serial":1}
{"kind":"object","address":"0x100","class":"0x10","values":[["int","0x7"],["object","0x120"]]}
{"kind":"object","address":"0x120","class":"0x10","values":[["int","0xffffffff"],["object","0x140"]]}
{"kind":"object","address":"0x140","class":"0x10","values":[["int","0x0"],["object","0x0"]]}
{"kind":"root","root":"jni-global","object":"0x100","reference":"0x900"}
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("heap.jsonl", HEAP.as_bytes());
    bench.ok("encode heap.jsonl --format hprof --profile any -o heap.hprof");
    bench
}

#[test]
fn describes_a_dump_in_lines_by_name() {
    let bench = bench();
    let text = bench.ok("describe heap.jsonl");
    assert_eq!(
        text,
        "\
// 1 class and 3 objects
// Not written without --exact: 4 addresses, 1 serial number of a class, the order of the file
heap world=none instance-sizes=fields
header identifier-size=8
class shop.Order { int id; Object next }
object order1 shop.Order id=7 next=@order2
object order2 shop.Order id=-1 next=@order3
object order3 shop.Order
root jni-global @order1 reference=0x900
"
    );
    // Of the dump, the log and the times are known as well.
    let of_dump = bench.ok("describe heap.hprof");
    assert!(of_dump.contains("object order2 shop.Order id=-1 next=@order3\n"), "{of_dump}");
    bench.ok("describe heap.hprof --exact -o heap.kdl");
    let exact = bench.read("heap.kdl");
    assert!(String::from_utf8_lossy(&exact).contains(" @address=0x120"), "{}", String::from_utf8_lossy(&exact));
    assert!(bench.refused("describe heap.hprof -o heap.kdl").contains("--force"));
}

#[test]
fn a_dump_is_changed_by_its_text() {
    let bench = Bench::new();
    let heap = "class shop.Order { int id; Object notes }\nobject o shop.Order id=5 notes=@notes\n\
                map notes java.util.HashMap { entry a 1; entry b two }\nroot jni-global @o\n";
    bench.write("shop.kdl", heap.as_bytes());
    bench.ok("build shop.kdl --format hprof -o shop.hprof");
    let text = bench.ok("describe shop.hprof");
    assert!(text.contains("\nmap hashMap1 java.util.HashMap { entry a 1; entry b two }\n"), "{text}");
    let changed = text.replace("entry a 1", "entry a 2").replace("id=5", "id=6");
    assert_ne!(changed, text);
    bench.write("changed.kdl", changed.as_bytes());
    bench.ok("build changed.kdl --format hprof -o changed.hprof");
    assert_eq!(bench.ok("describe changed.hprof"), changed);
    let exact = bench.ok("describe shop.hprof --exact");
    assert!(exact.contains("heap world=none") && !exact.contains("\nmap "), "{exact}");
}

#[test]
fn describes_a_part_and_refuses_what_is_not_there() {
    let bench = bench();
    let part = bench.ok("describe heap.jsonl --from 0x120 --depth 0");
    assert!(part.contains("\nobject order1 shop.Order id=-1 next=@0x140\n"), "{part}");
    assert!(part.contains("// 1 reference leads out of it, written as addresses\n"), "{part}");
    assert!(bench.refused("describe heap.jsonl --depth 1").contains("--from ADDRESS"));
    assert!(bench.refused("describe heap.jsonl --from 0x121").contains("no class or object lies at 0x121"));
    assert!(bench.refused("describe heap.jsonl --class shop.Ordr").contains("shop.Order"));
    assert!(bench.refused("describe heap.hprof --heap 1").contains("there is no heap 1"));
}

#[test]
fn warns_of_a_heap_file_that_is_too_long_to_be_read() {
    let bench = Bench::new();
    // 2^23 bytes are 2^24 hexadecimal digits, which alone are as long as a heap file may be.
    let (length, digits) = (1 << 23, "a5".repeat(1 << 23));
    let array = format!(
        r#"{{"kind":"primitive-array","address":"0x100","element":"byte","length":{length},"contents":"{digits}"}}"#
    );
    bench.write(
        "long.jsonl",
        format!("{{\"listing\":1,\"format\":\"hprof\",\"identifier_size\":8}}\n{array}\n").as_bytes(),
    );
    let (code, _, said) = bench.run("describe long.jsonl -o long.kdl");
    let bytes = bench.read("long.kdl").len();
    assert_eq!(
        (code, said),
        (
            0,
            format!(
                "warning: the heap file has {bytes} bytes, and at most 16777216 of one are read; --from and --class describe \
                 a part\n"
            )
        )
    );
    assert!(
        bench.refused("build long.kdl --check").contains("long.kdl: read 16777216 bytes without coming to the end")
    );
}

#[test]
fn refuses_a_fact_without_words_by_its_address() {
    let bench = bench();
    bench.write("wrong.jsonl", HEAP.replace(r#"["int","0x0"],"#, "").as_bytes());
    let (code, _, message) = bench.run("describe wrong.jsonl -o wrong.kdl");
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("the 1 values of an object whose class has 2 fields, at 0x140"), "{message}");
    assert!(!bench.path("wrong.kdl").exists());
}
