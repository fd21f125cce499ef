//! Types: nothing in them is escaped.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        plain_and_odd(),
        array_classes(),
        line_break(),
        line_break_before_an_address(),
        non_ascii(),
        surrogates(),
        stray_bytes(),
        no_name(),
        signatures(),
    ];
    cases.extend(same_name_twice());
    cases
}

/// One class for each name, with an object of it; classes at 2000 and every 40 behind, objects at 1000 and every 10.
fn of_names(id: &str, summary: &str, names: &[(&[u8], Name)]) -> Case {
    let mut bytes = HEAD.as_bytes().to_vec();
    let mut told = told();
    let line = |address: u64, rest: &str, name: &[u8]| {
        [format!("0x{address:08X} {rest} ").as_bytes(), name, b"\n\t\n"].concat()
    };
    for ((text, name), n) in names.iter().zip(0..) {
        bytes.extend(line(0x1000 + 0x10 * n, "[16] OBJ", text));
        told = told.instance(0x1000 + 0x10 * n, name.clone(), Some(0x2000 + 0x40 * n), 16, &[]);
    }
    for ((text, name), n) in names.iter().zip(0..) {
        bytes.extend(line(0x2000 + 0x40 * n, "[64] CLS", text));
        told = told.class(0x2000 + 0x40 * n, name.clone(), 64, &[]);
    }
    let many = names.len();
    bytes.extend(
        format!(
            "// Breakdown - Classes: {many}, Objects: {many}, ObjectArrays: 0, PrimitiveArrays: 0\n\
             // EOF:  Total 'Objects',Refs(null) : {},0(0)\n",
            2 * many
        )
        .bytes(),
    );
    of_bytes(id, summary, bytes, 3 + 2 * many as u64, told)
}

/// Spaces, brackets, what looks like other parts of a record, hidden classes, dots beside slashes.
fn plain_and_odd() -> Case {
    let names = [
        "p/A",
        "p.A",
        "with a space",
        "with  two\tand a tab",
        "a[b]c]",
        "A [16] OBJ B",
        "A$$Lambda$14+0x00007f6d9c007228",
        "A$$Lambda/0x7f",
        "A//B",
        "(x)'y',z:",
        "OBJ",
        "0",
        "0y",
        "/",
        "La/b;",
        "I",
    ];
    let names: Vec<_> = names.iter().map(|name| (name.as_bytes(), Name::from(*name))).collect();
    of_names("odd-names", "names with white space, brackets and slashes, of hidden classes, and of one letter", &names)
        .showing(&["classic.name.characters", "classic.name.types"])
}

/// The kind of an object is that of its type; two dimensions of a primitive type hold references.
fn array_classes() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ [I\n\t\n",
        "0x00001010 [16] OBJ [[I\n\t0x00001000 \n",
        "0x00001020 [16] OBJ [Lp/A;\n\t\n",
        "0x00001030 [16] OBJ [[[Lp/A;\n\t\n",
        "0x00002000 [64] CLS [I\n\t\n0x00002040 [64] CLS [[I\n\t\n",
        "0x00002080 [64] CLS [Lp/A;\n\t\n0x000020C0 [64] CLS [[[Lp/A;\n\t\n",
        "// Breakdown - Classes: 4, Objects: 0, ObjectArrays: 2, PrimitiveArrays: 2\n",
        "// EOF:  Total 'Objects',Refs(null) : 8,1(0)\n",
    ];
    let told = told()
        .ints(0x1000, Some(0x2000), 16)
        .array(0x1010, "[[I", Some(0x2040), 16, &[0x1000])
        .array(0x1020, "[Lp/A;", Some(0x2080), 16, &[])
        .array(0x1030, "[[[Lp/A;", Some(0x20c0), 16, &[])
        .class(0x2000, "[I", 64, &[])
        .class(0x2040, "[[I", 64, &[])
        .class(0x2080, "[Lp/A;", 64, &[])
        .class(0x20c0, "[[[Lp/A;", 64, &[]);
    valid("array-classes", "arrays of one, two and three dimensions", &text, 11, told).showing(&["classic.name.types"])
}

/// A name that runs on in the next line.
fn line_break() -> Case {
    let text = [HEAD, "0x00001000 [16] OBJ A\nB\n\t\n", "0x00002000 [64] CLS A\nB\n\t\n", END];
    let told = told().instance(0x1000, "A\nB", Some(0x2000), 16, &[]).class(0x2000, "A\nB", 64, &[]);
    valid("name-with-a-line-break", "a name with a line break in it", &text, 5, told)
        .tolerated("classic.name.line-break", behind(&text[..1]) + 21)
        .showing(&["classic.name.characters"])
}

/// A name with a line break and then 0x, which is a record to every reader.
fn line_break_before_an_address() -> Case {
    let text = [HEAD, "0x00001000 [16] OBJ A\n0x00001000 B\n\t\n", CLASS_A, END];
    refused(
        "name-that-looks-like-a-reference",
        "a name whose second line begins like a reference and goes on otherwise",
        &text,
        1,
        "classic.record.start",
        behind(&text[..1]) + 33,
    )
}

/// U+00DC, U+0131 and U+1F600 as the JVM has it (modified UTF-8) and as jdmpview writes it (standard UTF-8); NUL in two
/// bytes and in one.
fn non_ascii() -> Case {
    let name = |bytes: &[u8]| Name::from_bytes(bytes);
    let names: [(&[u8], Name); 6] = [
        (b"\xc3\x9c", name(b"\xc3\x9c")),
        (b"n\xc4\xb1", name(b"n\xc4\xb1")),
        (b"m\xed\xa0\xbd\xed\xb8\x80", name(b"m\xed\xa0\xbd\xed\xb8\x80")),
        (b"s\xf0\x9f\x98\x80", name(b"s\xed\xa0\xbd\xed\xb8\x80")),
        (b"a\xc0\x80b", name(b"a\xc0\x80b")),
        (b"c\x00d", name(b"c\xc0\x80d")),
    ];
    of_names("non-ascii", "names in standard and in modified UTF-8, with NUL and beyond the BMP", &names)
        .showing(&["classic.name.characters"])
}

/// Half of a surrogate pair: Java allows it in a name, and it is no text.
fn surrogates() -> Case {
    let names: [(&[u8], Name); 1] = [(b"p/\xed\xb0\x80", Name::from_bytes(*b"p/\xed\xb0\x80"))];
    of_names("lone-surrogate", "a name with half of a surrogate pair, kept as bytes", &names)
        .tolerated("classic.name.encoding", behind(&[HEAD]) + 22)
        .showing(&["classic.name.characters"])
}

fn stray_bytes() -> Case {
    let names: [(&[u8], Name); 1] = [(b"p/\xdcb\xff", Name::from_bytes(*b"p/\xdcb\xff"))];
    of_names("latin-1-name", "a name in ISO 8859-1, kept as bytes", &names)
        .tolerated("classic.name.encoding", behind(&[HEAD]) + 22)
        .showing(&["classic.name.characters"])
}

fn no_name() -> Case {
    let text = [HEAD, "0x00001000 [16] OBJ\n\t\n", "0x00002000 [64] CLS \n\t\n", END];
    let told = told().instance(0x1000, "", Some(0x2000), 16, &[]).class(0x2000, "", 64, &[]);
    valid("no-name", "an object and a class without a type", &text, 5, told)
        .tolerated("classic.name.empty", behind(&text[..1]) + 19)
}

/// Brackets that are no signature are taken for arrays of references.
fn signatures() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ [V\n\t\n0x00001010 [16] OBJ [\n\t\n",
        "0x00002000 [64] CLS [V\n\t\n0x00002040 [64] CLS [\n\t\n",
        "// Breakdown - Classes: 2, Objects: 0, ObjectArrays: 2, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 4,0(0)\n",
    ];
    let told = told()
        .array(0x1000, "[V", Some(0x2000), 16, &[])
        .array(0x1010, "[", Some(0x2040), 16, &[])
        .class(0x2000, "[V", 64, &[])
        .class(0x2040, "[", 64, &[]);
    valid("no-signature", "arrays of void and of nothing", &text, 7, told)
        .tolerated("classic.name.signature", behind(&text[..1]) + 20)
        .showing(&["classic.name.types"])
}

/// Two classes of one name: the class of an object is known where there is a class block, and nowhere else.
fn same_name_twice() -> [Case; 2] {
    let text = |first: &str, second: &str, total: &str| {
        [
            HEAD.to_owned(),
            format!("0x00001000 [16] OBJ A\n\t{first}\n0x00001010 [16] OBJ A\n\t{second}\n"),
            format!("{CLASS_A}0x00002040 [64] CLS A\n\t\n"),
            "// Breakdown - Classes: 2, Objects: 2, ObjectArrays: 0, PrimitiveArrays: 0\n".to_owned(),
            format!("// EOF: Total 'Objects',Refs(null) : 4,{total}(0)\n"),
        ]
    };
    let classes = |told: Told| told.class(0x2000, "A", 64, &[]).class(0x2040, "A", 64, &[]);
    let at = behind(&[HEAD]);
    let open = text("", "", "0");
    let told_open = told().instance(0x1000, "A", None, 16, &[]).instance(0x1010, "A", None, 16, &[]);
    let known = text("0x00002000 ", "0x00002040 ", "2");
    let told_known = told().instance(0x1000, "A", Some(0x2000), 16, &[]).instance(0x1010, "A", Some(0x2040), 16, &[]);
    let parts = |text: &[String; 5]| text.concat();
    [
        valid(
            "same-name-twice",
            "two classes of one name: which an object has is open",
            &[&parts(&open)],
            7,
            classes(told_open),
        )
        .noted("classic.graph.same-name", at + 24 * 3)
        .showing(&["classic.reference.class-by-name"]),
        valid(
            "same-name-twice-blocks",
            "two classes of one name, and objects with class blocks",
            &[&parts(&known)],
            7,
            classes(told_known.blocks()),
        )
        .noted("classic.graph.same-name", at + 35 * 2 + 24)
        .showing(&["classic.reference.class-by-name", "classic.reference.class-block"]),
    ]
}
