//! Heap files: values, names, repeats, and every mistake with its place.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use heapsmith::compare::compare;
use heapsmith::heap_file::{DescribeOptions, HeapFile, HeapFileError, HeapFileErrors, describe};
use heapsmith::model::{Address, Contents, Dump, Heap, Object, RootKind};
use heapsmith::{Error, Format, validate};

fn heap_of(text: &str) -> Heap {
    let file = HeapFile::parse(text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    file.into_dump().expect("a heap").heaps.remove(0)
}

fn errors_of(text: &str) -> Vec<String> {
    let errors = HeapFile::parse(text, &[]).expect_err("mistakes");
    errors.errors.iter().map(ToString::to_string).collect()
}

fn objects_of<'h>(heap: &'h Heap, class: &str) -> Vec<&'h Object> {
    let class = heap.classes.iter().find(|known| known.name == class.into()).expect("a class").address;
    heap.objects.iter().filter(|object| object.class == Some(class)).collect()
}

fn bits(object: &Object) -> Vec<u64> {
    let Contents::Fields(values) = &object.contents else { panic!("{object:?}") };
    values.iter().map(|value| value.bits).collect()
}

fn examples() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/heaps");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("a text"))).collect()
}

fn described(heap: &Heap) -> String {
    let dump = Dump { heaps: vec![heap.clone()], tail: Vec::new() };
    let mut text = Vec::new();
    describe(&dump, &DescribeOptions::default(), &mut text).expect("a heap file");
    String::from_utf8(text).expect("text")
}

/// The heap file of an example is about as long as the example, with its repeats written out and without random parts.
#[test]
fn heap_files_of_examples_are_about_as_short_as_the_examples() {
    // The lines of each, with these numbers of turns, counted by hand.
    let turns =
        [("1000 {", "10 {"), ("10000", "10"), ("5000", "10"), ("65535", "15"), ("100 {", "10 {"), ("200 {", "20 {")];
    let lines = [12, 23, 25, 11, 29, 16, 5, 32, 7, 8, 3, 5];
    for ((path, text), written) in examples().into_iter().zip(lines) {
        let text = turns.iter().fold(text, |text, (many, few)| text.replace(many, few));
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("random")).collect();
        let found = described(&heap_of(&kept.join("\n")));
        let count = found.lines().filter(|line| !line.starts_with("//")).count();
        assert!(count <= 2 * written, "{}: {count} lines for {written}\n{found}", path.display());
    }
}

/// Short forms are as they are read, and one that is changed by hand is built.
#[test]
fn heap_files_of_heaps_have_the_forms_in_which_they_were_written() {
    let text = "\
heap library=jdk-21
class shop.Order { int id; Object note }
class shop.Shop { static Object orders @hashMap1; static Object seen @hashSet1 }
map hashMap1 java.util.HashMap modCount=7 { entry a 1; entry b \"x y\"; entry @order1 #null hash=-5; entry 2.5 @order1 }
list arrayList1 java.util.ArrayList 300 (long)1 one @hashMap1
set hashSet1 java.util.HashSet a b 1
object order1 shop.Order id=7 note=1
object optional1 java.util.Optional value=@order1
object threadLocal1 java.lang.ThreadLocal
thread main daemon=#true {
    frame shop.Shop.run file=Shop.java line=42 { local @order1 }
    jni-local @optional1
    thread-local @threadLocal1 9
}
root jni-global @arrayList1
root jni-global @hashSet1
";
    let heap = heap_of(text);
    let found = described(&heap);
    let lines = |text: &str| -> BTreeSet<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let (given, found_lines) = (lines(text), lines(&found));
    let missing: Vec<&String> = given.difference(&found_lines).collect();
    assert_eq!(missing, Vec::<&String>::new(), "{found}");
    let changed = heap_of(&found.replace("entry a 1", "entry a 8"));
    assert_eq!(changed.objects.len(), heap.objects.len() + 1, "a boxed value of its own");
    assert_eq!(described(&heap_of(&found)), found);
}

/// A map whose table no HashMap would have is told object by object.
#[test]
fn collections_that_were_altered_are_plain_objects() {
    let heap = heap_of(
        "map m java.util.HashMap { entry a 1; entry b 2; entry c 3 }\nmap n java.util.HashMap { entry a 1 }\n\
         list l java.util.ArrayList 1 2\nroot jni-global @m\nroot jni-global @n\nroot jni-global @l\n",
    );
    let text = described(&heap);
    assert_eq!(text.matches("\nmap ").count() + text.matches("\nlist ").count(), 3, "{text}");
    let alter = |change: &dyn Fn(&mut Vec<Address>) -> bool| {
        let mut altered = heap.clone();
        let arrays = altered.objects.iter_mut().filter_map(|object| match &mut object.contents {
            Contents::Elements(elements) => Some(elements),
            _ => None,
        });
        assert_eq!(arrays.map(change).filter(|changed| *changed).count(), 1);
        described(&altered)
    };
    // Two buckets trade their chains.
    let text = alter(&|elements| {
        let used = elements.iter().filter(|element| !element.is_null()).count();
        let is_large = elements.len() == 16 && used == 3;
        if is_large {
            elements.reverse();
        }
        is_large
    });
    assert_eq!(text.matches("\nmap ").count(), 1, "{text}");
    assert!(
        text.contains("\nobject hashMap1 java.util.HashMap ") && text.contains(" java.util.HashMap$Node "),
        "{text}"
    );
    // An element after the last one.
    let text = alter(&|elements| {
        let is_list = elements.len() == 10;
        if is_list {
            elements[9] = elements[0];
        }
        is_list
    });
    assert!(text.contains("\nobject arrayList1 java.util.ArrayList ") && !text.contains("\nlist "), "{text}");
}

/// Names of classes as Java has them, which some writers' dumps hold.
#[test]
fn names_of_classes_may_have_the_form_of_java() {
    let heap =
        heap_of("heap names=java\nclass shop.Order\nclass (raw)\"shop/Raw\" id=raw\narray a \"shop.Order[]\" #null\n");
    let names: Vec<String> = heap.classes.iter().map(|class| class.name.to_string()).collect();
    for name in ["java.lang.Object", "shop.Order", "int[]", "shop.Order[]", "shop/Raw"] {
        assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
    }
    let text = described(&heap);
    assert!(
        text.contains("\nheap library=jdk-17 names=java\nclass shop.Order\nclass (raw)\"shop/Raw\" id=shop.Raw\n"),
        "{text}"
    );
    assert!(errors_of("heap names=perl")[0].contains("\"perl\" is none of jvm, java"));
}

#[test]
fn reads_values_by_types_of_fields() {
    let heap = heap_of(
        "class V { boolean z; char c; float f; double d; byte b; short s; int i; long j; Object o }\n\
         object _ V z=#true c=€ f=1.5 d=-0.0 b=-128 s=0x7fff i=-2147483648 j=9223372036854775807 o=#null\n\
         object _ V c=0xd800 f=(bits)0x7fc00001 d=#inf b=(bits)0xff i=1_000\n\
         object _ V f=#nan d=#-inf\n",
    );
    let objects = objects_of(&heap, "V");
    assert_eq!(bits(objects[0]), [1, 0x20ac, 0x3fc0_0000, 1 << 63, 0x80, 0x7fff, 0x8000_0000, i64::MAX as u64, 0]);
    let infinite = 0x7ff0_0000_0000_0000;
    assert_eq!(bits(objects[1]), [0, 0xd800, 0x7fc0_0001, infinite, 0xff, 0, 1000, 0, 0]);
    assert_eq!(bits(objects[2]), [0, 0, 0x7fc0_0000, infinite | 1 << 63, 0, 0, 0, 0, 0]);
}

#[test]
fn finds_fields_of_superclasses_and_hidden_ones() {
    let heap = heap_of(
        "class A { int id; int own }\nclass B extends=A { int id }\nobject _ B id=1 A.id=2 own=3\n\
         class C { int x; int x }\nobject _ C x=4 \"x#2\"=5",
    );
    // The class's own fields come first.
    assert_eq!(bits(objects_of(&heap, "B")[0]), [1, 2, 3]);
    assert_eq!(bits(objects_of(&heap, "C")[0]), [4, 5]);
}

#[test]
fn makes_objects_in_place_texts_and_boxes() {
    let heap = heap_of(
        "class A { Object o; String s; \"int[]\" numbers; Long j }\n\
         object a A o=7 s=hello j=5 { numbers \"int[]\" 1 -1 }\nobject b A o=7 s=\"@@at\"\nobject c A { o A s=inner }",
    );
    let [a, b, c, inner] = objects_of(&heap, "A")[..] else { panic!("four") };
    let at = |address: u64| heap.objects.iter().find(|object| object.address.0 == address).expect("an object");
    assert_eq!(bits(a)[0], bits(b)[0], "small numbers are one object");
    assert_eq!(bits(at(bits(a)[0])), [7]);
    assert_eq!(at(bits(a)[2]).contents, Contents::Primitives(vec![0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]));
    assert_eq!(objects_of(&heap, "java/lang/Long").len(), 1);
    assert_eq!(bits(c)[0], inner.address.0);
    // JDK 17 lists fields in reverse: `value`, the first one, is the last.
    let text = at(bits(b)[1]);
    assert_eq!(at(bits(text)[3]).contents, Contents::Primitives(b"@at".to_vec()));
}

#[test]
fn repeats_compute_names_and_values() {
    let heap = heap_of(
        "let n=5\nclass N { int id; N next; String s }\n\
         repeat \"{n}\" { object \"n{i}\" N id=\"{i*2+1}\" next=\"@n{i+1}?\" s=\"item {i}, {{}}\" }\nroot jni-global @n4",
    );
    let nodes = objects_of(&heap, "N");
    assert_eq!(nodes.iter().map(|node| bits(node)[0]).collect::<Vec<_>>(), [1, 3, 5, 7, 9]);
    for pair in nodes.windows(2) {
        assert_eq!(bits(pair[0])[1], pair[1].address.0);
    }
    assert_eq!(bits(nodes[4])[1], 0);
    let mut texts = heap.objects.iter().filter_map(|object| match &object.contents {
        Contents::Primitives(bytes) => String::from_utf8(bytes.clone()).ok(),
        _ => None,
    });
    assert!(texts.any(|text| text == "item 3, {}"));
    let root = heap.surroundings.roots.as_ref().expect("roots").last().expect("a root");
    assert_eq!((root.object, root.kind), (nodes[4].address, RootKind::JniGlobal(heapsmith::model::Address(0))));
}

/// Readers of a dump find the byte order of texts in StringUTF16, as in dumps of 17.0.15 and 25.0.2.
#[test]
fn heaps_have_byte_order_of_texts() {
    let shifts = ["HI_BYTE_SHIFT 0x0", "LO_BYTE_SHIFT 0x8", "MAX_LENGTH 0x3fffffff", "$assertionsDisabled 0x1"];
    for (library, is_reversed) in [("jdk-17", true), ("jdk-25", false)] {
        let heap = heap_of(&format!("heap library={library}\nstring s 日本"));
        let class = heap.classes.iter().find(|class| class.name == "java/lang/StringUTF16".into()).expect("the class");
        let statics = class.statics.iter().flatten();
        let mut statics: Vec<String> = statics.map(|own| format!("{} {:#x}", own.name, own.value.bits)).collect();
        if is_reversed {
            statics.reverse();
        }
        assert_eq!(statics, shifts, "{library}");
        let array = heap.objects.iter().find_map(|object| match &object.contents {
            Contents::Primitives(bytes) => Some(bytes),
            _ => None,
        });
        assert_eq!(array, Some(&vec![0xe5, 0x65, 0x2c, 0x67]), "{library}");
    }
    // A String of JDK 8 has an array of characters.
    let heap = heap_of("heap library=jdk-8\nstring s 日本");
    assert!(heap.classes.iter().all(|class| class.name != "java/lang/StringUTF16".into()));
}

/// A repeat that is computed in each visit gives the objects that one in memory gives.
#[test]
fn computed_repeats_are_those_in_memory() {
    let text = |count: u64| {
        format!(
            "class N {{ int id; N next; String s; \"byte[]\" data; \"N[]\" all }}\n\
             repeat {count} {{ object \"n{{i}}\" N id=\"{{i%7}}\" next=\"@n{{i+1}}?\" s=\"t{{i%3}}\" {{ \
             data \"byte[]\" length=4; all \"N[]\" \"@n{{i-1}}?\" #null }} }}\nroot jni-global @n0"
        )
    };
    // 20,000 are computed, and 40 are not.
    let (few, many) = (heap_of(&text(40)), heap_of(&text(20_000)));
    let facts = |heap: &Heap, count: usize| -> Vec<String> {
        let nodes = objects_of(heap, "N");
        let place = |address: u64| nodes.iter().position(|node| node.address.0 == address);
        let at = |address: u64| heap.objects.iter().find(|object| object.address.0 == address).expect("an object");
        let shown = |object: &Object| {
            let values = bits(object);
            let text = at(bits(at(values[2]))[3]).contents.clone();
            let Contents::Elements(all) = &at(values[4]).contents else { panic!("an array") };
            let all: Vec<_> = all.iter().map(|to| place(to.0)).collect();
            format!(
                "{} {:?} {text:?} {:?} {all:?} {:?}",
                values[0],
                place(values[1]),
                at(values[3]).contents,
                object.size
            )
        };
        nodes.iter().take(count).map(|node| shown(node)).collect()
    };
    assert_eq!(facts(&few, 39), facts(&many, 39));
    assert_eq!(many.objects.len(), 20_000 * 5);
    let report = validate(&*many.write(Format::HPROF).expect("a dump"));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

#[test]
fn says_every_mistake_with_its_place() {
    let text = "class shop.Order { int id; byte kind; char grade; shop.Order next }\n\
                object o1 shop.Order id=1 nxet=@o2\n\
                object o2 shop.Order kind=300\n\
                object o2 shop.Order grade=\"ab\"\n\
                class shop.Late extends=shop.Base\n\
                object o3 shop.Ordre\n\
                array a int 1 2\n\
                array b \"int[]\" 1 x\n\
                root jni-globl @o1\n\
                root jni-local @o1\n\
                thread main { frme shop.Order.run }\n\
                obj o4 shop.Order\n\
                map m HashMap { entry a @o5 }\n\
                object o6 shop.Order id=1 id=2\n\
                repeat 3 { object \"x{j}\" shop.Order }\n";
    let expected = [
        "2:27: no field \"nxet\" in shop.Order; it has id, kind, grade, next; did you mean next?",
        "3:22: kind: 300 is no byte (-128 to 127)",
        "4:8: o2 stands twice, first at line 3",
        "5:17: no class \"shop.Base\"; did you mean shop.Late or shop.Order?",
        "6:11: no class \"shop.Ordre\"; did you mean shop.Order or shop.Late?",
        "7:9: int is no type of arrays; write \"int[]\"",
        "8:19: \"x\" is no int (-2147483648 to 2147483647)",
        "9:6: no kind of root is \"jni-globl\"; did you mean jni-global or jni-local?",
        "10:1: a root of the kind jni-local has thread=",
        "11:15: no \"frme\" here; expected frame, local, jni-local, thread-local; did you mean frame?",
        "12:1: no kind of node is \"obj\"; it is one of class, object, array, string, map, list, set, thread, root, repeat, leak, texts, shape, random, header, @trace, @thread, @region, @event",
        "13:25: @o5 is no object; did you mean o1, o2 or o3?",
        "14:27: the property \"id\" stands twice",
        "15:19: {j} has \"j\", which is neither a number nor one of i; a brace as such is written twice",
    ];
    let found = errors_of(text);
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn says_where_syntax_is_broken() {
    for (text, expected) in [
        ("class A {\n int id\n", "1:9: No closing '}' for child block"),
        ("class A { int id }\nobject \"x A", "2:8: Expected quoted string"),
        ("class A { int id } }\n", "1:20: Expected end of document"),
        ("object a A 0x\n", "1:12: Expected hexadecimal number"),
        ("array a (\n", "1:10: invalid contents inside type annotation"),
        ("object a A id=\n", "1:15: Expected property value"),
        ("class A { int id }\n\nobject größe A id=\nobject b A id=1\n", "3:19: Expected property value"),
        ("class A { int id }\nobject a A x=3 id=#maybe text=\"a=b\"\n", "2:20: Expected property value"),
        ("string a b x=\"c=d\" y=12e5x z=1\n", "1:26: Expected property value"),
        ("string a b x=\"\"\"\n  c=\n  \"\"\"\nstring b c y={}\n", "4:14: Expected property value"),
        ("object a A {\n b C c=\"x\n}\n", "2:8: Unexpected newline in single-line quoted string"),
    ] {
        let found = errors_of(text);
        assert!(found.iter().any(|error| error.starts_with(expected)), "{text}: {found:?}");
    }
    let deep = format!("class A {}", "{ x ".repeat(5_000));
    assert!(errors_of(&deep)[0].contains("more than 100 braces"));
}

/// Columns are characters, whatever bytes they take.
#[test]
fn columns_count_characters() {
    let found = errors_of("string größe \"日本\" x=1\nobject _ Nothing");
    assert!(found.iter().any(|error| error.starts_with("2:10: no class \"Nothing\"")), "{found:?}");
}

/// Describes a heap in both forms and builds both again: the exact one is the same heap.
fn describe_and_build_again(dump: &Dump, changed: &str) {
    for exact in [false, true] {
        let mut text = Vec::new();
        let described = describe(dump, &DescribeOptions::default().exact(exact), &mut text);
        described.unwrap_or_else(|refusal| panic!("{refusal} in\n{changed}"));
        let text = String::from_utf8(text).expect("a text");
        let again = HeapFile::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors} in\n{text}\nof\n{changed}"));
        let again = again.into_dump().expect("a heap");
        assert_eq!(again.heaps.len(), dump.heaps.len(), "{changed}");
        for (before, after) in dump.heaps.iter().zip(&again.heaps) {
            assert_eq!(after.objects.len(), before.objects.len(), "{changed}");
            let comparison = compare(before, after, &BTreeSet::new());
            assert!(
                !exact || comparison.differences.is_empty(),
                "{:?} in\n{text}\nof\n{changed}",
                comparison.differences
            );
        }
    }
}

/// Whatever is cut or changed, the file is refused with a place, or built; and what is built survives `describe`.
#[test]
fn refuses_or_builds_whatever_is_changed() {
    let (mut refused, mut built) = (0, 0);
    let mut refuse = |errors: &HeapFileErrors| {
        refused += 1;
        let is_placed = |error: &HeapFileError| error.line > 0 && !error.message.is_empty();
        assert!(!errors.errors.is_empty() && errors.errors.iter().all(is_placed), "{errors}");
    };
    for (_, text) in examples() {
        // Large parts take time and show nothing else.
        let text = text.replace("65535", "15").replace("10000", "10").replace("5000", "5").replace("20000", "20");
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        for (number, at) in places.iter().enumerate().filter(|(number, _)| number % 13 == 0) {
            let rest = &text[*at..];
            let after = rest.chars().next().map_or(0, char::len_utf8);
            let replaced = ["{", "\"", "@", "9", " ", "é", "}", "=", "?", "-"][number / 13 % 10];
            for changed in [text[..*at].to_owned(), format!("{}{replaced}{}", &text[..*at], &rest[after..])] {
                match HeapFile::parse(&changed, &[]) {
                    Err(errors) => refuse(&errors),
                    // A value of a repeat may turn out to be too large only when it is computed.
                    Ok(file) => match file.into_dump() {
                        Err(Error::HeapFile(errors)) => refuse(&errors),
                        Err(error) => panic!("{error}"),
                        Ok(dump) => {
                            built += 1;
                            describe_and_build_again(&dump, &changed);
                        }
                    },
                }
            }
        }
    }
    assert!(refused > 200 && built > 40, "{refused} refused, {built} built");
}

/// The bytes of the objects that a leak adds are its share of all, whatever holds them.
#[test]
fn leaks_have_their_share_of_bytes() {
    let rest =
        "class S { \"byte[]\" data }\nclass K { static Object o @x }\nobject x S { data \"byte[]\" length=400000 }\n";
    let bytes = |heap: &Heap| heap.objects.iter().map(|object| object.size.expect("a size").0).sum::<u64>();
    let before = bytes(&heap_of(rest)) as f64;
    for holder in
        ["java.util.HashMap", "java.util.ArrayList", "java.lang.ThreadLocal", "java.lang.ClassLoader", "static"]
    {
        let heap = heap_of(&format!("{rest}leak share=0.8 holder={holder} of=S\n"));
        let share = 1.0 - before / bytes(&heap) as f64;
        assert!((0.795..0.805).contains(&share), "{holder}: {share}");
        let report = validate(&*heap.write(Format::HPROF).expect("a dump"));
        assert!(report.findings.is_empty(), "{holder}: {:?}", report.findings);
    }
}
