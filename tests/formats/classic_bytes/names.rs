//! Names that are no plain ASCII, and those that no text can hold.

use heapsmith::bytes::ebcdic::CodePage;
use heapsmith::classic::{Charset, Encoding, Newline};
use heapsmith::model::Name;
use pretty_assertions::assert_eq;

use super::heap::{named, options, read, whole, written};

const IBM_1047: Encoding = Encoding { charset: Charset::Ebcdic(CodePage::Ibm1047), newline: Newline::Nel };
const IBM_037: Encoding = Encoding { charset: Charset::Ebcdic(CodePage::Ibm037), newline: Newline::Lf };

/// The bytes between `OBJ` and the end of the type, found by what stands around them.
fn spelled(name: &Name, profile: &str) -> Vec<u8> {
    let dump = written(&named(name), &options(profile, Encoding::default())).expect("writable");
    let start = dump.windows(9).position(|w| w == b" [8] OBJ ").expect("an object") + 9;
    let end = start + dump[start..].windows(3).position(|w| w == b"\n\t\n" || w == b"\n\t0").expect("its end");
    dump[start..end].to_vec()
}

#[test]
fn characters_are_stored_as_each_writer_has_them() {
    for (name, native, jdmpview) in [
        ("p/\u{dc}", b"p/\xc3\x9c".as_slice(), b"p/\xc3\x9c".as_slice()),
        ("\u{4e2d}", b"\xe4\xb8\xad", b"\xe4\xb8\xad"),
        // U+1F600: two surrogates of three bytes each, or four bytes.
        ("\u{1f600}", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x9f\x98\x80"),
        ("a\0b", b"a\xc0\x80b", b"a\0b"),
    ] {
        let name = Name::from_text(name);
        assert_eq!(spelled(&name, "openj9"), native, "{name}");
        assert_eq!(spelled(&name, "jdmpview"), jdmpview, "{name}");
        for profile in ["openj9", "ibm-j9", "jdmpview"] {
            let dump = written(&named(&name), &options(profile, Encoding::default())).expect("writable");
            assert_eq!(whole(&dump).objects[0].class_name.as_ref(), Some(&name), "{profile}");
        }
    }
}

#[test]
fn keeps_names_that_are_not_utf_8() {
    let latin1 = Name::from_bytes(*b"p/\xdcnf");
    let dump = written(&named(&latin1), &options("openj9", Encoding::default())).expect("writable");
    assert!(dump.windows(6).any(|window| window == b"p/\xdcnf\n"));
    assert_eq!(whole(&dump).classes[0].name, latin1);
    let lone = Name::from_bytes(*b"A\xed\xa0\xbd");
    let dump = written(&named(&lone), &options("openj9", Encoding::default())).expect("writable");
    assert_eq!(whole(&dump).classes[0].name, lone);
}

#[test]
fn odd_names_come_back_from_every_profile_and_encoding() {
    for name in [
        "pkg/A$$Lambda$14/0x00007f6d9c007228",
        "pkg/A$$Lambda$14+0x00007f6d9c007228",
        "0x1000",
        "0x1000 [8] OBJ x",
        "//",
        "// EOF",
        "with spaces  in\tit",
        "[8]",
        "]",
        "OBJ",
        "line\nbreak",
        "line\nbr\neak",
        "line \n[8]",
        "line\n/",
        "line\n0",
        "line\n00x1",
        "a\r\rb",
        "\u{b}",
        "\u{c}",
        "a\u{a0}",
        "\0",
        "",
    ] {
        let name = Name::from_text(name);
        for profile in ["openj9", "ibm-j9", "jdmpview"] {
            for encoding in [Encoding::default(), IBM_1047, IBM_037] {
                let dump = written(&named(&name), &options(profile, encoding)).expect("writable");
                let heap = whole(&dump);
                assert_eq!((heap.objects.len(), heap.classes.len()), (1, 1), "{name:?}, {profile}, {encoding:?}");
                assert_eq!(heap.objects[0].class_name.as_ref(), Some(&name), "{profile}, {encoding:?}");
                assert_eq!(heap.classes[0].name, name, "{profile}, {encoding:?}");
            }
        }
    }
}

#[test]
fn refuses_name_that_would_be_read_as_another() {
    for (name, shown) in [
        (" A", " A"),
        ("A ", "A "),
        ("A\t", "A\\t"),
        ("A\r", "A\\r"),
        ("\rA", "\\rA"),
        ("\nA", "\\nA"),
        ("A\n", "A\\n"),
        ("A\n0x", "A\\n0x"),
        ("A\n0X1", "A\\n0X1"),
        ("A\n//", "A\\n//"),
        ("A\n B", "A\\n B"),
        ("A\n\tB", "A\\n\\tB"),
        ("A\n\nB", "A\\n\\nB"),
        ("A\n\rB", "A\\n\\rB"),
    ] {
        for (profile, encoding, charset) in [
            ("openj9", Encoding::default(), "utf-8"),
            ("jdmpview", Encoding::default(), "utf-8"),
            ("ibm-j9", IBM_1047, "ibm-1047"),
        ] {
            let error = written(&named(&name.into()), &options(profile, encoding)).expect_err(name).to_string();
            let expected = format!(
                "the name {shown} cannot be written in {charset}: classic text escapes nothing, and its white space or \
                 line breaks would be read otherwise"
            );
            assert_eq!(error, expected);
        }
    }
}

#[test]
fn a_name_without_a_spelling_in_the_encoding_is_refused_by_name() {
    let lone = Name::from_bytes(*b"A\xed\xa0\xbd");
    let error = |name: &Name, profile, encoding| {
        written(&named(name), &options(profile, encoding)).expect_err("no spelling").to_string()
    };
    let expected = "the name A\\xed\\xa0\\xbd cannot be written in utf-8: its bytes are no text";
    assert_eq!(error(&lone, "jdmpview", Encoding::default()), expected);
    let expected = "the name A\\xed\\xa0\\xbd cannot be written in ibm-037: its bytes are no text";
    assert_eq!(error(&lone, "openj9", IBM_037), expected);
    let expected = "the name pkg/n\u{131} cannot be written in ibm-1047, which has no characters beyond ISO 8859-1";
    assert_eq!(error(&"pkg/n\u{131}".into(), "openj9", IBM_1047), expected);
}

#[test]
fn a_version_text_is_one_line_and_keeps_its_spaces() {
    let with = |version: &str| {
        let mut heap = named(&"A".into());
        heap.facts.version_text = Some(version.into());
        written(&heap, &options("openj9", Encoding::default()))
    };
    for version in ["J2RE 6.0  IBM J9 2.5 ", "", "// Version: x", "0x1 [8] OBJ A", "\u{dc}"] {
        let dump = with(version).expect("writable");
        assert!(dump.starts_with(format!("// Version: {version}\n0x").as_bytes()));
        assert_eq!(whole(&dump).facts.version_text, Some(version.into()));
    }
    for version in ["a\nb", " a", "\ta", "a\r"] {
        let error = with(version).expect_err("no line of text").to_string();
        assert!(error.contains(": a version text "), "{error}");
    }
}

/// A name goes on after a line break, and begins with none.
#[test]
fn keeps_empty_type_without_consuming_next_line() {
    for text in [
        "0x1 [8] OBJ \n\t0x2 \n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n",
        "0x1 [8] OBJ\n0x2\n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n",
        "0x1 [8] OBJ\r\n0x2\r\n// EOF: Total 'Objects',Refs(null) : 1,1(0)\r\n",
    ] {
        let heap = whole(text.as_bytes());
        assert_eq!(heap.objects[0].class_name.as_ref(), Some(&"".into()), "{text:?}");
        assert_eq!(heap.objects[0].references().count(), 1, "{text:?}");
    }
    let (heap, ended) = read(b"0x1 [8] OBJ \njava/lang/String\n");
    assert_eq!(heap.objects.len(), 0);
    let error = ended.expect_err("no type").to_string();
    assert!(error.starts_with("line 2, column 1, offset 13 (0xd), record 0, reference: expected"), "{error}");
}
