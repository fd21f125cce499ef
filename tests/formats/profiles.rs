//! Writers for which there is no dump at hand, spelled by hand from the documents and rules.

use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Heap, IdentityHash, Object, ObjectKind, PrimitiveType,
    WordSize,
};
use heapsmith::phd::Version;
use heapsmith::phd::lower::{self, LowerOptions};
use heapsmith::validate::{ValidateOptions, validate};
use hex_literal::hex;
use pretty_assertions::assert_eq;

/// Two classes and an array class at 0x1000, 0x1040 and 0x1080; three objects after them.
fn heap(hashes: HashRegime) -> Heap {
    let hash = |bits| match hashes {
        HashRegime::Every16 => Some(IdentityHash::Bits16(bits as u16)),
        HashRegime::WhereUsed32 => Some(IdentityHash::Bits32(bits)),
    };
    let class = |address, name: &str, superclass| Class {
        address: Address(address),
        name: name.into(),
        superclass: Some(Address(superclass)),
        instance_size: Some(ByteLen(16)),
        references: Some(Vec::new()),
        hash: if hashes == HashRegime::Every16 { hash(0x0c0c) } else { None },
        ..Class::default()
    };
    Heap {
        facts: Facts {
            word_size: Some(WordSize::Bits32),
            version_text: Some("J9".into()),
            hash_regime: Some(hashes),
            hash_randoms: Some((0x11, 0x22)),
            ..Facts::default()
        },
        classes: vec![class(0x1000, "A", 0), class(0x1040, "B", 0x1000), class(0x1080, "[LB;", 0x1000)],
        objects: vec![
            Object {
                class: Some(Address(0x1040)),
                hash: hash(0x1234),
                contents: Contents::References(vec![Address(0x1110)]),
                ..Object::new(Address(0x1100), ObjectKind::Instance)
            },
            // B[3] with a null in the middle.
            Object {
                class: Some(Address(0x1080)),
                hash: if hashes == HashRegime::Every16 { hash(0x2345) } else { None },
                length: Some(3),
                size: Some(ByteLen(40)),
                contents: Contents::Elements(vec![Address(0x1100), Address::NULL, Address(0x1110)]),
                ..Object::new(Address(0x1110), ObjectKind::ObjectArray)
            },
            Object {
                hash: if hashes == HashRegime::Every16 { hash(0x3456) } else { None },
                length: Some(4),
                size: Some(ByteLen(32)),
                ..Object::new(Address(0x1140), ObjectKind::PrimitiveArray(PrimitiveType::Int))
            },
        ],
        ..Heap::default()
    }
}

fn written(version: Version, profile: &str, hashes: HashRegime) -> Vec<u8> {
    let options = LowerOptions::new(version).with_profile(profile).expect("a profile of this version");
    lower::to_bytes(&heap(hashes), &options).expect("writable")
}

/// S0 to the letter: the array's size before its length, "hashed" and "hashed and moved" as tabled.
#[test]
fn as_documented_profile_follows_documentation_literally() {
    let header = hex!(
        "0012" "706f727461626c6520686561702064756d70" "00000006" "00000004" "01" "04" "0002" "4a39" "02" "02"
    );
    let records: [&[u8]; 6] = [
        // Long object: gap 0x440 units in 2 bytes, references of 1 byte, flags hashed and moved.
        &hex!("04" "43" "0440" "00001040" "00001234" "00000001" "04"),
        // Object array, tag 8: gap 4; class word B; no hash; references by index; 10 words, then length 3.
        &hex!("08" "00" "04" "00001040" "00000002" "fc" "00" "0000000a" "00000003"),
        // int[4]: gap 12; length 4; 8 words.
        &hex!("38" "0c" "04" "00000008"),
        // Classes last: 0x1000 is -0x50 units from 0x1140.
        &hex!("06" "00" "b0" "00000010" "00000000" "0001" "41" "00000000"),
        &hex!("06" "00" "10" "00000010" "00001000" "0001" "42" "00000000"),
        &hex!("06" "00" "10" "00000010" "00001000" "0004" "5b4c423b" "00000000"),
    ];
    let whole = [&header[..], &records.concat(), &hex!("03")].concat();
    assert_eq!(written(Version::V6, "as-documented", HashRegime::WhereUsed32), whole);
}

/// J9 2.3: a 16-bit hash in every record, classes first, tag 5 with the base class and the array class
/// as reference 0, the rest in reverse.
#[test]
fn j9_2_3_writes_base_class_and_array_class_into_tag_5() {
    let records: [&[u8]; 6] = [
        &hex!("06" "40" "0400" "00000010" "0c0c" "00000000" "0001" "41" "00000000"),
        &hex!("06" "00" "10" "00000010" "0c0c" "00001000" "0001" "42" "00000000"),
        &hex!("06" "00" "10" "00000010" "0c0c" "00001000" "0004" "5b4c423b" "00000000"),
        // Medium: an uncached class, gap 0x20.
        &hex!("48" "20" "00001040" "1234" "04"),
        // Tag 5, flag 0x01: gap 4; class word B; three references: [LB; (-0x24 units), then 0x1110
        // and 0x1100 from the last index to the first.
        &hex!("05" "01" "04" "00001040" "2345" "00000003" "dc" "00" "fc"),
        &hex!("38" "0c" "04" "3456"),
    ];
    let header = hex!(
        "0012" "706f727461626c6520686561702064756d70" "00000004" "00000006" "01" "04" "0002" "4a39" "02" "02"
    );
    let whole = [&header[..], &records.concat(), &hex!("03")].concat();
    assert_eq!(written(Version::V4, "j9-2.3", HashRegime::Every16), whole);
}

/// Sovereign: units of 8 bytes, totals and random numbers, tag 5 in index order, hash by record flag.
#[test]
fn sovereign_counts_in_units_of_8_and_states_totals() {
    let records: [&[u8]; 6] = [
        // Long for its hash, flag 0x02 alone: 0x1100 is 0x220 units; its reference is 2 units on.
        &hex!("04" "42" "0220" "00001040" "00001234" "00000001" "02"),
        &hex!("05" "00" "02" "00001040" "00000002" "fe" "00"),
        &hex!("38" "06" "04"),
        &hex!("06" "00" "d8" "00000010" "00000000" "0001" "41" "00000000"),
        &hex!("06" "00" "08" "00000010" "00001000" "0001" "42" "00000000"),
        &hex!("06" "00" "08" "00000010" "00001000" "0004" "5b4c423b" "00000000"),
    ];
    let header = hex!(
        "0012" "706f727461626c6520686561702064756d70" "00000004" "00000000" "01"
        "01" "00000006" "00000003" // six objects with the classes, three references
        "03" "00000011" "00000022"
        "02" "02"
    );
    let whole = [&header[..], &records.concat(), &hex!("03")].concat();
    assert_eq!(written(Version::V4, "sovereign", HashRegime::WhereUsed32), whole);
}

/// Where bytes do not decide, `validate` names the signs for each reading.
#[test]
fn validate_notes_signs_of_each_reading() {
    let notes = |dump: Vec<u8>, rule: &str| {
        let report = validate(&Input::from_memory("dump", dump), ValidateOptions::default()).expect("readable");
        let found = report.findings.iter().find(|f| f.rule.0 == rule);
        found.map(|f| f.found.clone()).unwrap_or_else(|| panic!("no {rule}: {:?}", report.findings))
    };
    // E2: an array of 10 words and 3 elements, its numbers swapped.
    let swapped = written(Version::V6, "as-documented", HashRegime::WhereUsed32);
    let e2 = notes(swapped, "phd.object-array.field-order");
    assert!(e2.starts_with("1 arrays whose numbers fit only with the instance size first (S0's text), 0"), "{e2}");
    // E12: the J9 flag, or its absence.
    let native = notes(written(Version::V6, "openj9", HashRegime::WhereUsed32), "phd.object-array.reference-order");
    assert!(native.contains("the J9 flag speaks for reverse index order"), "{native}");
    let forward = notes(written(Version::V4, "sovereign", HashRegime::WhereUsed32), "phd.object-array.reference-order");
    assert!(forward.contains("speaks for index order"), "{forward}");
    // E15: component class against base class and reference 0.
    let component = notes(written(Version::V6, "openj9", HashRegime::WhereUsed32), "phd.object-array.class-word");
    assert!(component.contains("speaks for the component class"), "{component}");
    let base = notes(written(Version::V4, "j9-2.3", HashRegime::Every16), "phd.object-array.class-word");
    assert!(base.contains("speaks for the base class with the array class as reference 0"), "{base}");
    // E22: whether bit 15 is ever set.
    let hashes = notes(written(Version::V5, "j9-2.4", HashRegime::Every16), "phd.hash.16-bit-value");
    assert!(hashes.contains("bit 15 is never set"), "{hashes}");
    // E11: a reference 0 that equals the class word.
    let mut heap = heap(HashRegime::WhereUsed32);
    heap.objects[0].contents = Contents::References(vec![Address(0x1040)]);
    let dump = lower::to_bytes(&heap, &LowerOptions::new(Version::V6)).expect("writable");
    let e11 = notes(dump, "phd.references.first-is-class");
    assert!(e11.contains("the DTFJ reader drops this reference"), "{e11}");
}

#[test]
fn refuses_heap_that_dump_cannot_express() {
    let refusal = |change: fn(&mut Heap), version| {
        let mut heap = heap(HashRegime::WhereUsed32);
        change(&mut heap);
        let options = LowerOptions::new(version).word(WordSize::Bits32);
        lower::to_bytes(&heap, &options).expect_err("not writable").to_string()
    };
    let v6 = Version::V6;
    assert!(refusal(|h| h.objects[0].address = Address(0x1102), v6).contains("0x1102 is not a multiple of 4"));
    assert!(refusal(|h| h.objects[2].address = Address(1 << 32), v6).contains("does not fit the dump's 32-bit words"));
    assert!(
        refusal(|h| h.objects[2].length = None, v6).contains("the array length of the object at 0x1140 is unknown")
    );
    assert!(refusal(|h| h.objects[2].length = Some(1 << 31), v6).contains("holds at most 2147483647"));
    assert!(refusal(|h| h.objects[0].class = None, v6).contains("the class of the object at 0x1100 is unknown"));
    assert!(
        refusal(|h| h.objects[1].size = Some(ByteLen(42)), v6).contains("the size of the array at 0x1110 is 42 bytes")
    );
    assert!(refusal(|h| h.objects[1].length = Some(1), v6).contains("1 elements and 2 references"));
    assert!(refusal(|h| h.objects[0].contents = Contents::Unknown, v6).contains("what it refers to"));
    assert!(refusal(|h| h.classes[0].references = None, v6).contains("what it refers to"));
    assert!(refusal(|h| h.classes[0].superclass = None, v6).contains("the superclass of the object at 0x1000"));
    assert!(refusal(|h| h.classes[0].instance_size = Some(ByteLen(1 << 32)), v6).contains("4294967295"));
    assert!(refusal(|h| h.classes[0].name = "n".repeat(65_536).as_str().into(), v6).contains("65535"));
    assert!(refusal(|h| h.facts.version_text = Some("n".repeat(65_536).as_str().into()), v6).contains("65536 bytes"));
    let unaligned = |h: &mut Heap| h.objects[0].address = Address(0x1104);
    let mut heap = heap(HashRegime::WhereUsed32);
    unaligned(&mut heap);
    let sovereign = LowerOptions::new(Version::V4).with_profile("sovereign").expect("a profile");
    let error = lower::to_bytes(&heap, &sovereign).expect_err("units of 8 bytes");
    assert!(error.to_string().contains("0x1104 is not a multiple of 8"), "{error}");
}
