//! Records: S2's own examples, white space, comments, their order.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        pages_objects(),
        pages_classes(),
        glued_to_a_line(),
        glued_to_its_type(),
        white_space(),
        over_lines(),
        tabs(),
        comments(),
        classes_first(),
        no_classes(),
        nothing(),
        only_trailers(),
        overlapping(),
        repeated_references(),
    ]
}

/// S2, Object records: a String and its characters, each with its class block, which lies outside of the heap. The
/// second record is glued to the references of the first, as the page has it today.
fn pages_objects() -> Case {
    let text = [
        "// Version: J2RE 6.0 IBM J9 2.4 AIX ppc-32 (JIT enabled)\n",
        "0x00436E90 [28] OBJ java/lang/String\n\t0x415319D8 0x00436EB0 ",
        "0x00436EB0 [44] OBJ [C\n\t0x41530F20\n",
        "0x415319D8 [32] CLS java/lang/String\n\t\n",
        "0x41530F20 [32] CLS [C\n\t\n",
        "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1\n",
        "// EOF: Total 'Objects',Refs(null) : 4,3(0)\n",
    ];
    let told = told()
        .but(|facts| facts.version_text = Some("J2RE 6.0 IBM J9 2.4 AIX ppc-32 (JIT enabled)".into()))
        .instance(0x0043_6e90, "java/lang/String", Some(0x4153_19d8), 28, &[0x0043_6eb0])
        .object(
            0x0043_6eb0,
            ObjectKind::PrimitiveArray(PrimitiveType::Char),
            "[C",
            Some(0x4153_0f20),
            44,
            Contents::Unknown,
        )
        .blocks()
        .class(0x4153_19d8, "java/lang/String", 32, &[])
        .class(0x4153_0f20, "[C", 32, &[]);
    valid("pages-objects", "the object records of IBM's page: class blocks first, one record glued", &text, 7, told)
        .showing(&["classic.record.glued", "classic.reference.class-block", "classic.number.size-meaning"])
}

/// S2, Class records, with the nulls that they list, and the totals that they make. The classes that it refers to are
/// not in the text.
fn pages_classes() -> Case {
    let text = [
        HEAD,
        "0x41532E68 [32] CLS java/lang/Runnable\n",
        "\t0x4152F018 0x41532E68 0x00000000 0x00000000 0x00499790\n",
        "0x00499790 [16] OBJ java/lang/Runnable\n\t\n",
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF: Total 'Objects',Refs(null) : 2,5(2)\n",
    ];
    let told = told()
        .nulls(None)
        .class(0x4153_2e68, "java/lang/Runnable", 32, &[0x4152_f018, 0x4153_2e68, 0, 0, 0x0049_9790])
        .instance(0x0049_9790, "java/lang/Runnable", Some(0x4153_2e68), 16, &[]);
    let at = behind(&text[..1]);
    valid("pages-classes", "a class record like that of IBM's page, with nulls and a static", &text, 5, told)
        .tolerated("classic.graph.dangling-reference", at)
        .showing(&["classic.reference.outside", "classic.reference.null", "classic.reference.class-meaning"])
}

/// An address with a size behind it begins a record wherever it stands.
fn glued_to_a_line() -> Case {
    let text = [HEAD, "0x00001000 [16] OBJ A\n\t0x00001000 0x00002000 [64] CLS A\n\t0x00001000 ", ONE_REFERENCE_EACH];
    let told = told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000]).class(0x2000, "A", 64, &[0x1000]);
    valid("glued", "a class record, and then a trailer, at the end of a line of references", &text, 5, told)
        .showing(&["classic.record.glued"])
}

const ONE_REFERENCE_EACH: &str = "\
// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0
// EOF:  Total 'Objects',Refs(null) : 2,2(0)
";

/// Up to the end of its line all is the type: a reference behind it would belong to the name.
fn glued_to_its_type() -> Case {
    let text = [HEAD, "0x00001000 [16] OBJ A 0x00001000\n\t\n", CLASS_A, END];
    let told = told().instance(0x1000, "A 0x00001000", None, 16, &[]).class(0x2000, "A", 64, &[]);
    let at = behind(&text[..1]);
    valid("reference-on-the-line-of-the-type", "what looks like a reference is part of the type", &text, 5, told)
        .tolerated("classic.graph.type", at)
        .showing(&["classic.record.layout"])
}

fn white_space() -> Case {
    let text = [
        "\n \n// Version:    test\n\n\n",
        "  0x00001000\t \t[16]  OBJ \t A  \n   \n\n   0x00001000\n\n\n 0x00002000[64]CLS A\n\n",
        "\t0x00001000  \n \n//Breakdown-Classes:1,Objects:1,ObjectArrays:0,PrimitiveArrays:0\n",
        "  //   EOF :  Total  'Objects' , Refs(null) :2 , 2 ( 0 )   \n\n \n",
    ];
    let told = told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000]).class(0x2000, "A", 64, &[0x1000]);
    valid("white-space", "more white space than any writer makes, and none where some is usual", &text, 6, told)
        .showing(&["classic.record.white-space", "classic.header.layout"])
}

fn over_lines() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00001000\n\t0x00002000 0x00001000\n0x00002000\n",
        CLASS_A,
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,4(0)\n",
    ];
    let told =
        told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000, 0x2000, 0x1000, 0x2000]).class(0x2000, "A", 64, &[]);
    valid("references-over-lines", "the references of an object on three lines", &text, 5, told)
        .showing(&["classic.record.white-space"])
}

fn tabs() -> Case {
    let text = [
        "//\tVersion:\ttest\n",
        "0x00001000\t[16]\tOBJ\tA\n0x00001000\t0x00002000\n",
        "0x00002000\t[64]\tCLS\tA\n",
        "//\tBreakdown\t-\tClasses:\t1,\tObjects:\t1,\tObjectArrays:\t0,\tPrimitiveArrays:\t0\n",
        "//\tEOF:\tTotal\t'Objects',Refs(null)\t:\t2,2(0)\n",
    ];
    let told = told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000, 0x2000]).class(0x2000, "A", 64, &[]);
    valid("tabs", "tabs in the place of spaces, and references without a tab", &text, 5, told)
        .showing(&["classic.record.white-space"])
}

/// Comments say nothing, even where they look like a record.
fn comments() -> Case {
    let text = [
        "// made by hand\n",
        HEAD,
        "//\n// 0x00003000 [16] OBJ B\n0x00001000 [16] OBJ A\n// between type and references of nobody\n",
        CLASS_A,
        "//// Breakdown\n",
        END,
    ];
    valid("comments", "comments, one of which looks like a record", &text, 9, told_one())
        .showing(&["classic.header.comment"])
}

fn classes_first() -> Case {
    let text = [
        HEAD,
        CLASS_A,
        "0x00001010 [16] OBJ B\n\t0x00001000 \n",
        OBJECT,
        "0x00002040 [64] CLS B\n\t\n",
        "0x00000010 [16] OBJ B\n\t\n",
        "// Breakdown - Classes: 2, Objects: 3, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 5,1(0)\n",
    ];
    let told = told()
        .class(0x2000, "A", 64, &[])
        .instance(0x1010, "B", Some(0x2040), 16, &[0x1000])
        .instance(0x1000, "A", Some(0x2000), 16, &[])
        .class(0x2040, "B", 64, &[])
        .instance(0x10, "B", Some(0x2040), 16, &[]);
    valid("classes-among-objects", "classes before and among the objects, which do not ascend", &text, 8, told)
        .showing(&["classic.file.order"])
}

fn no_classes() -> Case {
    let text = [
        HEAD,
        OBJECT,
        "// Breakdown - Classes: 0, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 1,0(0)\n",
    ];
    let told = told().instance(0x1000, "A", None, 16, &[]);
    valid("no-classes", "an object, and no class record", &text, 4, told)
        .tolerated("classic.graph.type", behind(&text[..1]))
}

fn nothing() -> Case {
    let told = told().but(|facts| facts.word_size = None).nulls(None);
    valid("only-a-version", "a version line and nothing else", &[HEAD], 1, told)
        .tolerated("classic.trailer.missing", behind(&[HEAD]))
}

fn only_trailers() -> Case {
    let text = [
        "// Breakdown - Classes: 0, Objects: 0, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 0,0(0)\n",
    ];
    let told = told().but(|facts| (facts.word_size, facts.version_text) = (None, None));
    valid("only-trailers", "trailers of nothing, without a version line", &text, 2, told)
        .noted("classic.header.missing", 0)
}

/// The second object lies inside the first: only the sizes tell.
fn overlapping() -> Case {
    let text = [
        HEAD,
        "0x00001000 [64] OBJ A\n\t\n0x00001010 [16] OBJ A\n\t\n",
        CLASS_A,
        "// Breakdown - Classes: 1, Objects: 2, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 3,0(0)\n",
    ];
    let told = told().instance(0x1000, "A", Some(0x2000), 64, &[]).instance(0x1010, "A", Some(0x2000), 16, &[]).class(
        0x2000,
        "A",
        64,
        &[],
    );
    valid("overlapping", "two objects that overlap", &text, 6, told).showing(&["classic.number.size-meaning"])
}

fn repeated_references() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00001000 0x00001000 0x00001000 \n",
        CLASS_A,
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,3(0)\n",
    ];
    let told = told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000, 0x1000, 0x1000]).class(0x2000, "A", 64, &[]);
    valid("repeated-references", "an object that refers to itself three times", &text, 5, told)
        .showing(&["classic.reference.array-order"])
}
