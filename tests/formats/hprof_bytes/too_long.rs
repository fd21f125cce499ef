//! Lists and bodies that are longer than the fields for their lengths can say.

use std::borrow::Cow;

use heapsmith::error::LowerError;
use heapsmith::hprof::record::{Record, RecordBody};
use heapsmith::hprof::sub_record::{ClassDump, SubRecord};
use heapsmith::hprof::{IdSize, encode};
use heapsmith::model::{Address, FieldType, PrimitiveType, Serial, TextId, Value};
use pretty_assertions::assert_eq;

const LIMIT: usize = 65_535;

fn class(pool: usize, statics: usize, fields: usize) -> SubRecord<'static> {
    let value = Value::primitive(PrimitiveType::Int, 1);
    SubRecord::Class(ClassDump {
        id: Address(0x1000),
        trace: Serial(1),
        superclass: Address::NULL,
        loader: Address::NULL,
        signers: Address::NULL,
        protection_domain: Address::NULL,
        reserved: [0; 2],
        instance_size: 0,
        constant_pool: vec![(1, value); pool],
        statics: vec![(TextId(1), value); statics],
        fields: vec![(TextId(1), FieldType::Object); fields],
    })
}

#[test]
fn the_longest_lists_of_a_class_are_written_and_longer_ones_are_errors_that_append_nothing() {
    let mut out = b"before".to_vec();
    encode::sub_record(&mut out, IdSize::Four, &class(LIMIT, LIMIT, LIMIT)).expect("the longest lists");
    let length = out.len();
    let rows = [
        ("the constant pool", class(LIMIT + 1, 0, 0)),
        ("the list of static fields", class(0, LIMIT + 1, 0)),
        ("the list of instance fields", class(0, 0, LIMIT + 1)),
    ];
    for (what, class) in rows {
        let error = LowerError::TooLong { what, length: 65_536, unit: "entries", limit: 65_535 };
        assert_eq!(encode::sub_record(&mut out, IdSize::Four, &class), Err(error));
        assert_eq!(out.len(), length, "{what}");
    }
}

#[test]
fn a_body_of_four_gibibytes_is_an_error_that_appends_nothing() {
    let text = Record { time: 0, body: RecordBody::Text(TextId(1), Cow::Borrowed(b"abcd")), rest: Cow::Borrowed(&[]) };
    let mut out = b"before".to_vec();
    let most = u64::from(u32::MAX) - 8;
    let error =
        LowerError::TooLong { what: "the body of a record", length: 1 << 32, unit: "bytes", limit: 0xffff_ffff };
    assert_eq!(encode::record(&mut out, IdSize::Four, &text, most + 1), Err(error));
    assert_eq!(out, b"before");
    // What comes after the head may be longer than anybody has room for.
    assert!(encode::record(&mut out, IdSize::Four, &text, u64::MAX).is_err());
    encode::record(&mut out, IdSize::Four, &text, most).expect("the longest body");
    assert_eq!(out[6..15], [0x01, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
}
