//! Trailers and version lines: dialects, totals that are wrong, lines that are missing or stand twice.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = nested_arrays();
    cases.extend(wrong());
    cases.extend(missing());
    cases.extend(repeated());
    cases
}

const BREAKDOWN: &str = "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n";
const EOF: &str = "// EOF:  Total 'Objects',Refs(null) : 2,0(0)\n";

/// `[[I` is a primitive array to the native writer and an object array to jdmpview; other spellings may follow either.
fn nested_arrays() -> Vec<Case> {
    let make = |id, summary, breakdown: &str, eof: &str| {
        let text = [HEAD, "0x00001000 [16] OBJ [[I\n\t\n", "0x00002000 [64] CLS [[I\n\t\n", breakdown, eof];
        let told = told().array(0x1000, "[[I", Some(0x2000), 16, &[]).class(0x2000, "[[I", 64, &[]);
        valid(id, summary, &text, 5, told).showing(&["classic.trailer.dialect"])
    };
    let by_leaf = "// Breakdown - Classes: 1, Objects: 0, ObjectArrays: 0, PrimitiveArrays: 1\n";
    let by_kind = "// Breakdown - Classes: 1, Objects: 0, ObjectArrays: 1, PrimitiveArrays: 0\n";
    let tight = |text: &str| text.replace("s: ", "s:");
    let page = "// EOF: Total 'Objects',Refs(null) : 2,0(0)\n";
    let jdmpview = "// EOF: Total 'Objects',Refs(null) :2,0(0)\n";
    let at = behind(&[HEAD, "0x00001000 [16] OBJ [[I\n\t\n", "0x00002000 [64] CLS [[I\n\t\n"]);
    let counts = "classic.trailer.counts";
    vec![
        make("nested-native", "[[I counted by its leaf, in native trailers", by_leaf, EOF),
        make("nested-jdmpview", "[[I counted as an object array, in jdmpview's trailers", &tight(by_kind), jdmpview),
        make("nested-page-by-leaf", "[[I counted by its leaf, in trailers like IBM's page", by_leaf, page),
        make("nested-page-by-kind", "[[I counted as an object array, in trailers like IBM's page", by_kind, page),
        make("nested-native-by-kind", "[[I counted as an object array, in native trailers", by_kind, EOF)
            .tolerated(counts, at),
        make("nested-jdmpview-by-leaf", "[[I counted by its leaf, in jdmpview's trailers", &tight(by_leaf), jdmpview)
            .tolerated(counts, at),
    ]
}

/// Totals that are not those of the text, in each dialect's spelling.
fn wrong() -> Vec<Case> {
    let make = |id, summary, breakdown: &str, eof: &str| {
        valid(id, summary, &[HEAD, OBJECT, CLASS_A, breakdown, eof], 5, told_one())
    };
    let first = behind(&[HEAD, OBJECT, CLASS_A]);
    let tight = "// Breakdown - Classes:1, Objects:1, ObjectArrays:0, PrimitiveArrays:0\n";
    let (counts, total, references) = ("classic.trailer.counts", "classic.trailer.total", "classic.trailer.references");
    let last = |breakdown: &str| first + breakdown.len() as u64;
    vec![
        make(
            "wrong-counts",
            "an instance is counted as an array",
            "// Breakdown - Classes: 1, Objects: 0, ObjectArrays: 1, PrimitiveArrays: 0\n",
            EOF,
        )
        .tolerated(counts, first),
        make("wrong-total-native", "a total one too low", BREAKDOWN, &EOF.replace("2,0", "1,0"))
            .tolerated(total, last(BREAKDOWN)),
        valid(
            "wrong-references-native",
            "a reference that is not there, besides the nulls",
            &[HEAD, OBJECT, CLASS_A, BREAKDOWN, &EOF.replace("0(0)", "3(2)")],
            5,
            told_one().nulls(Some(2)),
        )
        .tolerated(references, last(BREAKDOWN)),
        make(
            "total-without-classes",
            "a total of objects alone",
            BREAKDOWN,
            "// EOF: Total 'Objects',Refs(null) : 1,0(0)\n",
        )
        .tolerated(total, last(BREAKDOWN)),
        make("wrong-total-jdmpview", "a total one too high", tight, "// EOF: Total 'Objects',Refs(null) :3,0(0)\n")
            .tolerated(total, last(tight)),
        make(
            "huge-totals",
            "totals of 2^64 - 1 in a text of 2 records",
            "// Breakdown - Classes: 18446744073709551615, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
            "// EOF:  Total 'Objects',Refs(null) : 2,0(0)\n",
        )
        .tolerated(counts, first),
        nulls_in_jdmpview(),
    ]
}

/// jdmpview lists each null that it counts; here three are stated and none is listed.
fn nulls_in_jdmpview() -> Case {
    let tight = "// Breakdown - Classes:1, Objects:1, ObjectArrays:0, PrimitiveArrays:0\n";
    let text = [HEAD, OBJECT, CLASS_A, tight, "// EOF: Total 'Objects',Refs(null) :2,3(3)\n"];
    valid("unlisted-nulls-jdmpview", "nulls that jdmpview would have listed", &text, 5, told_one().nulls(Some(3)))
        .tolerated("classic.trailer.references", behind(&text[..4]))
}

fn missing() -> Vec<Case> {
    let both = [HEAD, OBJECT, CLASS_A];
    let first = [HEAD, OBJECT, CLASS_A, BREAKDOWN];
    let second = [HEAD, OBJECT, CLASS_A, EOF];
    vec![
        valid("no-trailers", "neither trailer: the text may have been cut", &both, 3, told_one().nulls(None))
            .tolerated("classic.trailer.missing", behind(&both))
            .showing(&["classic.file.kept-prefix"]),
        valid("no-trailer-2", "trailer 1 alone", &first, 4, told_one().nulls(None))
            .tolerated("classic.trailer.missing", behind(&first))
            .showing(&["classic.file.kept-prefix"]),
        valid("no-trailer-1", "trailer 2 alone", &second, 4, told_one())
            .tolerated("classic.trailer.breakdown-missing", behind(&both)),
        valid(
            "no-last-line-end",
            "trailer 2 without a line end",
            &[HEAD, OBJECT, CLASS_A, END.trim_end()],
            5,
            told_one(),
        )
        .showing(&["classic.trailer.layout"]),
        valid("no-version", "no version line", &[OBJECT, CLASS_A, END], 4, unnamed())
            .noted("classic.header.missing", 0),
        valid("no-version-text", "a version line without a text", &["// Version:\n", OBJECT, CLASS_A, END], 5, empty())
            .showing(&["classic.header.layout"]),
    ]
}

fn unnamed() -> Told {
    told_one().but(|facts| facts.version_text = None)
}

fn empty() -> Told {
    told_one().but(|facts| facts.version_text = Some("".into()))
}

/// A class at 3000 that stands where no more records should.
const LATE: &str = "0x00003000 [64] CLS B\n\t\n";

fn late() -> Told {
    told_one().class(0x3000, "B", 64, &[])
}

fn repeated() -> Vec<Case> {
    let between = [HEAD, OBJECT, CLASS_A, BREAKDOWN, LATE, EOF];
    let two = [HEAD, OBJECT, CLASS_A, END, "// Version: second\n", LATE];
    let late_head = [OBJECT, HEAD, CLASS_A, END];
    vec![
        valid(
            "trailers-swapped",
            "trailer 2 in front of trailer 1",
            &[HEAD, OBJECT, CLASS_A, EOF, BREAKDOWN],
            5,
            told_one(),
        )
        .tolerated("classic.trailer.order", behind(&[HEAD, OBJECT, CLASS_A, EOF])),
        valid(
            "class-between-trailers",
            "a class between the trailers, which count it",
            &[
                HEAD,
                OBJECT,
                CLASS_A,
                "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
                LATE,
                "// EOF:  Total 'Objects',Refs(null) : 3,0(0)\n",
            ],
            6,
            late(),
        )
        .tolerated("classic.trailer.record-between", behind(&between[..4])),
        valid("class-behind-trailers", "a class behind trailer 2", &[HEAD, OBJECT, CLASS_A, END, LATE], 6, late())
            .overlooked("classic.trailer.record-behind", behind(&[HEAD, OBJECT, CLASS_A, END])),
        valid(
            "trailers-twice",
            "both trailers twice, the second time with other numbers",
            &[
                HEAD,
                OBJECT,
                CLASS_A,
                END,
                "// Breakdown - Classes: 7, Objects: 7, ObjectArrays: 7, PrimitiveArrays: 7\n",
                "// EOF:  Total 'Objects',Refs(null) : 28,9(9)\n",
            ],
            7,
            told_one(),
        )
        .tolerated("classic.trailer.repeated", behind(&[HEAD, OBJECT, CLASS_A, END])),
        valid("two-headers", "a second version line, and a class behind it: two dumps in one file", &two, 7, late())
            .overlooked("classic.header.single", behind(&two[..4])),
        valid("late-version", "the version line behind an object", &late_head, 5, told_one())
            .overlooked("classic.header.single", behind(&late_head[..1])),
        valid(
            "comment-behind-trailers",
            "a comment behind trailer 2",
            &[HEAD, OBJECT, CLASS_A, END, "// bye\n"],
            6,
            told_one(),
        )
        .tolerated("classic.trailer.comment-behind", behind(&[HEAD, OBJECT, CLASS_A, END]))
        .showing(&["classic.header.comment"]),
    ]
}
