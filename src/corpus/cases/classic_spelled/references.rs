//! References: nulls, class blocks, what leads nowhere.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        nulls_as_0x0(),
        nulls_padded(),
        nulls_counted(),
        all_null(),
        blocks(),
        blocks_but_one(),
        by_chance(),
        blocks_outside(),
        dangling(),
        in_a_primitive_array(),
        without_statics(),
        to_class_objects(),
    ];
    cases.extend(nulls_on_both_sides());
    cases
}

/// Native trailers of an object array and one instance, with these references.
fn end(references: &str) -> String {
    format!(
        "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 1, PrimitiveArrays: 0\n\
         // EOF:  Total 'Objects',Refs(null) : 4,{references}\n"
    )
}

const ARRAY: &str = "0x00001010 [32] OBJ [LA;\n\t";
const ARRAY_CLASS: &str = "0x00002040 [64] CLS [LA;\n\t\n";

fn with_array(elements: &[u64]) -> Told {
    told()
        .instance(0x1000, "A", Some(0x2000), 16, &[])
        .array(0x1010, "[LA;", Some(0x2040), 32, elements)
        .class(0x2000, "A", 64, &[])
        .class(0x2040, "[LA;", 64, &[])
}

/// jdmpview: `0x0` in every place, so that positions are known but for their direction.
fn nulls_as_0x0() -> Case {
    let end = "// Breakdown - Classes:2, Objects:1, ObjectArrays:1, PrimitiveArrays:0\n\
               // EOF: Total 'Objects',Refs(null) :4,4(3)\n";
    let text = [HEAD, OBJECT, ARRAY, "0x0 0x00001000 0x0 0x0 \n", CLASS_A, ARRAY_CLASS, end];
    let told = with_array(&[0, 0x1000, 0, 0]).nulls(None);
    valid("nulls-as-0x0", "a sparse array as jdmpview spells it", &text, 7, told).showing(&[
        "classic.reference.null",
        "classic.reference.array-order",
        "classic.trailer.dialect",
    ])
}

fn nulls_padded() -> Case {
    let text = [
        HEAD,
        OBJECT,
        ARRAY,
        "0x00000000 0x00001000 0x0000000000000000000 0x00000000 \n",
        CLASS_A,
        ARRAY_CLASS,
        "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 1, PrimitiveArrays: 0\n",
        "// EOF: Total 'Objects',Refs(null) : 4,4(3)\n",
    ];
    let told = with_array(&[0, 0x1000, 0, 0]).nulls(None);
    valid("nulls-padded", "nulls of as many digits as other references, and of more", &text, 7, told)
        .showing(&["classic.reference.null"])
}

/// The native writer: one element is listed, and where it is in the array is lost.
fn nulls_counted() -> Case {
    let end = end("4(3)");
    let text = [HEAD, OBJECT, ARRAY, "0x00001000 \n", CLASS_A, ARRAY_CLASS, &end];
    valid(
        "nulls-counted",
        "a sparse array as the native writer spells it",
        &text,
        7,
        with_array(&[0x1000]).nulls(Some(3)),
    )
    .showing(&["classic.trailer.unlisted-nulls", "classic.reference.array-order"])
}

fn all_null() -> Case {
    let end = end("9(9)");
    let text = [HEAD, OBJECT, ARRAY, "\n", CLASS_A, ARRAY_CLASS, &end];
    valid("all-null", "no reference is listed, and nine are null", &text, 7, with_array(&[]).nulls(Some(9)))
        .showing(&["classic.trailer.unlisted-nulls"])
}

/// Nulls listed, in trailers that the native writer spells: nothing says by which rule they count.
fn nulls_on_both_sides() -> [Case; 2] {
    let make = |id, summary, totals: &str| {
        let end = end(totals);
        let text = [HEAD, OBJECT, ARRAY, "0x0 0x00001000 \n", CLASS_A, ARRAY_CLASS, &end];
        valid(id, summary, &text, 7, with_array(&[0, 0x1000]).nulls(None))
    };
    let at = behind(&[HEAD, OBJECT, ARRAY, "0x0 0x00001000 \n", CLASS_A, ARRAY_CLASS]) + 75;
    [
        make("nulls-listed-natively", "nulls are listed and counted in trailers of the native spelling", "2(1)")
            .showing(&["classic.trailer.dialect"]),
        make("nulls-listed-and-dropped", "a null is listed, and two more are stated", "4(3)")
            .tolerated("classic.trailer.references", at)
            .showing(&["classic.trailer.dialect"]),
    ]
}

/// Every object begins with its class block, the primitive array too.
fn blocks() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00002000 0x00001010 0x00000000 \n",
        "0x00001010 [16] OBJ [I\n\t0x00002040 \n",
        CLASS_A,
        "0x00002040 [64] CLS [I\n\t0x00002000 \n",
        "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1\n",
        "// EOF: Total 'Objects',Refs(null) : 4,5(1)\n",
    ];
    let told = told()
        .nulls(None)
        .instance(0x1000, "A", Some(0x2000), 16, &[0x1010, 0])
        .ints(0x1010, Some(0x2040), 16)
        .blocks()
        .class(0x2000, "A", 64, &[])
        .class(0x2040, "[I", 64, &[0x2000]);
    valid("class-blocks", "the first reference of every object is its class block", &text, 7, told)
        .showing(&["classic.reference.class-block", "classic.reference.outside"])
}

/// One object without its class block, and no reference is one.
fn blocks_but_one() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00002000 0x00001010 \n",
        "0x00001010 [16] OBJ A\n\t0x00001000 \n",
        CLASS_A,
        "// Breakdown - Classes: 1, Objects: 2, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 3,3(0)\n",
    ];
    let told = told()
        .instance(0x1000, "A", Some(0x2000), 16, &[0x2000, 0x1010])
        .instance(0x1010, "A", Some(0x2000), 16, &[0x1000])
        .class(0x2000, "A", 64, &[]);
    valid("class-blocks-but-one", "an object refers to its class first, and another does not", &text, 6, told)
        .showing(&["classic.reference.class-block"])
}

/// In a text of the native writer, objects that happen to refer to their class: both readings are right.
fn by_chance() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00002000 \n",
        CLASS_A,
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,1(0)\n",
    ];
    let block = told().instance(0x1000, "A", Some(0x2000), 16, &[]).blocks().class(0x2000, "A", 64, &[]);
    let own = told().instance(0x1000, "A", Some(0x2000), 16, &[0x2000]).class(0x2000, "A", 64, &[]);
    let case =
        valid("class-block-by-chance", "the only object refers to its class and to nothing else", &text, 5, block);
    Case {
        verdict: Verdict::Ambiguous,
        shows: vec!["classic.reference.class-block"],
        answers: case
            .answers
            .into_iter()
            .map(|answer| match answer {
                Answer::Reads(_, heap) => Answer::Reads("the reference is a class block", heap),
                refusal => refusal,
            })
            .chain([Answer::Reads("the reference is the object's own", Box::new(own.0))])
            .collect(),
        ..case
    }
}

/// Totals that leave the class blocks out.
fn blocks_outside() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00002000 0x00001000 \n",
        CLASS_A,
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF: Total 'Objects',Refs(null) : 2,1(0)\n",
    ];
    let told = told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000]).blocks().class(0x2000, "A", 64, &[]);
    valid("class-blocks-not-counted", "class blocks that the total leaves out", &text, 5, told)
        .showing(&["classic.trailer.dialect", "classic.reference.class-block"])
}

fn dangling() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00001008 0x00001000 0x00003000 \n",
        "0x00002000 [64] CLS A\n\t0x00003000 \n",
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,4(0)\n",
    ];
    let told =
        told().instance(0x1000, "A", Some(0x2000), 16, &[0x1008, 0x1000, 0x3000]).class(0x2000, "A", 64, &[0x3000]);
    valid("dangling", "references into an object and to nothing, kept as they are", &text, 5, told)
        .tolerated("classic.graph.dangling-reference", behind(&text[..1]))
}

fn in_a_primitive_array() -> Case {
    let text = [
        HEAD,
        OBJECT,
        "0x00001010 [16] OBJ [I\n\t0x00001000 \n",
        CLASS_A,
        "0x00002040 [64] CLS [I\n\t\n",
        "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1\n",
        "// EOF:  Total 'Objects',Refs(null) : 4,1(0)\n",
    ];
    let ints = ObjectKind::PrimitiveArray(PrimitiveType::Int);
    let told = told()
        .instance(0x1000, "A", Some(0x2000), 16, &[])
        .object(0x1010, ints, "[I", Some(0x2040), 16, Contents::References(addresses(&[0x1000])))
        .class(0x2000, "A", 64, &[])
        .class(0x2040, "[I", 64, &[]);
    valid("reference-in-a-primitive-array", "an int[] with a reference", &text, 7, told)
        .tolerated("classic.reference.primitive-array", behind(&text[..2]))
}

/// What the class A holds in its statics is listed by no class record, and only the array refers to it.
fn without_statics() -> Case {
    let end = end("1(0)");
    let text = [HEAD, OBJECT, ARRAY, "0x00001000 \n", CLASS_A, ARRAY_CLASS, &end];
    valid(
        "without-statics",
        "class records without statics, as of IBM Java 6 and 7 at first",
        &text,
        7,
        with_array(&[0x1000]),
    )
    .showing(&["classic.class.missing-statics", "classic.reference.class-meaning"])
}

/// Objects and classes refer to class objects, as in OpenJ9, where these lie in the heap.
fn to_class_objects() -> Case {
    let text = [
        HEAD,
        "0x00001000 [16] OBJ A\n\t0x00001000 0x00002000 \n",
        "0x00002000 [64] CLS A\n\t0x00002000 0x00001000 0x00001000 \n",
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,5(0)\n",
    ];
    let told = told().instance(0x1000, "A", Some(0x2000), 16, &[0x1000, 0x2000]).class(
        0x2000,
        "A",
        64,
        &[0x2000, 0x1000, 0x1000],
    );
    valid("to-class-objects", "references to a class, one of them its own", &text, 5, told)
        .showing(&["classic.reference.class-meaning"])
}
