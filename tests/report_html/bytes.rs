//! The page of a dump's bytes.

use std::collections::BTreeMap;

use heapsmith::format::{DumpFile, Family};
use heapsmith::generate::{GenerateOptions, from_seed};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::page::bytes::{self, BytePageOptions};
use heapsmith::{Format, corpus};

use crate::browse;

/// The page, and the message of the error that it gives back.
fn page_of(dump: &[u8], options: BytePageOptions) -> (String, Option<String>) {
    let dump =
        DumpFile::new(Input::from_memory("dump", dump.to_vec()), ReadOptions::default()).expect("memory can be read");
    let mut page = Vec::new();
    let ended = bytes::write(&dump, options, &mut page).expect("memory can be read and written");
    (String::from_utf8(page).expect("text"), ended.map(|error| error.to_string()))
}

fn case(id: &str) -> Vec<u8> {
    let cases = corpus::cases().expect("the corpus");
    cases.into_iter().find(|case| case.id == id).unwrap_or_else(|| panic!("no case {id}")).bytes.to_vec()
}

/// A field as its row shows it.
#[derive(Debug)]
struct Row {
    offset: u64,
    bytes: Vec<u8>,
    more: u64,
    wrong: bool,
}

/// What stands between two texts.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} after {start}")).0
}

/// The rows of all tables of fields, in the order of the page.
fn rows(page: &str) -> Vec<Row> {
    let rows = page.split("<tr").filter(|row| row.contains("<td class=\"hex\">"));
    let row = |row: &str| {
        let cell = between(row, "<td class=\"offset\">", "</td>");
        let digits = cell.trim_end_matches("</a>").rsplit('>').next().unwrap_or(cell);
        let (hex, more) = match between(row, "<td class=\"hex\">", "</td>").split_once('<') {
            Some((hex, cut)) => (hex, between(cut, "and ", " more").parse().expect("a number")),
            None => (between(row, "<td class=\"hex\">", "</td>"), 0),
        };
        Row {
            offset: u64::from_str_radix(digits, 16).unwrap_or_else(|e| panic!("{cell}: {e}")),
            bytes: hex.split_whitespace().map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect(),
            more,
            wrong: row.starts_with(" class=\"wrong\""),
        }
    };
    rows.map(row).collect()
}

/// Bytes in fields that the page counts and does not show.
fn left_out(page: &str) -> u64 {
    let cut = page.split("<tr class=\"cut\">").skip(1);
    cut.map(|row| between(row, "fields of ", " bytes are left out").parse::<u64>().expect("a number")).sum()
}

/// Bytes of each kind of record, as the table of kinds has them.
fn kinds(page: &str) -> BTreeMap<String, u64> {
    let rows = page.split("<tr><th scope=\"row\">").skip(1);
    let row = |row: &str| {
        let name = between(row, "\">", "</span>").to_owned();
        let bytes = row.split("<td>").nth(2).and_then(|cell| cell.split('<').next()).expect("a cell");
        (name, bytes.replace(',', "").parse().expect("a number"))
    };
    rows.map(row).collect()
}

#[test]
fn every_byte_of_a_dump_stands_in_its_page_once() {
    for id in ["phd4-sovereign-32", "phd6-openj9-64", "hprof-hotspot-21-4", "hprof-art-4", "classic-openj9-32"] {
        let dump = case(id);
        let (page, error) = page_of(&dump, BytePageOptions::default());
        assert_eq!(error, None, "{id}");
        let mut rows = rows(&page);
        rows.sort_by_key(|row| row.offset);
        let shown: u64 = rows.iter().map(|row| row.bytes.len() as u64 + row.more).sum();
        assert_eq!(shown + left_out(&page), dump.len() as u64, "{id}");
        for row in &rows {
            let at = row.offset as usize;
            assert_eq!(row.bytes, dump[at..at + row.bytes.len()], "{id} at {at:#x}");
        }
        assert_eq!(kinds(&page).values().sum::<u64>(), dump.len() as u64, "{id}");
        assert!(page.contains("All records are listed."), "{id}");
        assert!(page.contains("read to the end") && !page.contains("id=\"stop\""), "{id}");
    }
}

#[test]
fn a_page_of_a_broken_dump_begins_with_the_error_and_the_fields_of_its_record() {
    // Where reading stops, and the fields of that record, by hand.
    let expected = [
        ("phd-cut-in-a-record", 0x38e, "phd.file.truncated", 9),
        ("hprof-spelled-id-size-3", 0x13, "hprof.header.id-size", 4),
    ];
    for (id, offset, rule, fields) in expected {
        let dump = case(id);
        let (page, error) = page_of(&dump, BytePageOptions::default());
        let error = error.unwrap_or_else(|| panic!("{id} is broken"));
        assert!(error.contains(&format!("({offset:#x})")), "{error}");
        let section = between(&page, "<section id=\"stop\"", "</section>");
        assert!(section.contains(rule) && section.contains(&format!("({offset:#x})")), "{id}: {section}");
        assert!(page.find("<section id=\"stop\"") < page.find("<section id=\"kinds\""), "{id}");
        let broken = rows(section);
        assert_eq!(broken.len(), fields, "{id}");
        assert_eq!(
            broken.iter().map(|row| row.wrong).collect::<Vec<_>>(),
            [vec![false; fields - 1], vec![true]].concat()
        );
        assert_eq!(broken[fields - 1].offset, offset, "{id}");
        let all = rows(&page);
        assert_eq!(all.iter().filter(|row| row.wrong).count(), 1, "{id}: once");
        let bytes: u64 = all.iter().map(|row| row.bytes.len() as u64 + row.more).sum();
        assert_eq!(
            bytes + left_out(&page),
            offset + broken[fields - 1].bytes.len() as u64,
            "{id}: every byte up to there"
        );
    }
}

#[test]
fn an_empty_file_and_a_text_have_a_page() {
    for dump in [&b""[..], b"Hello, world\n"] {
        let (page, error) = page_of(dump, BytePageOptions::default());
        assert!(error.is_some() && page.contains("id=\"stop\"") && page.contains("No record could be read"));
        assert_eq!(rows(&page).len(), 1);
    }
}

#[test]
fn shows_missing_end_tag_as_tolerated() {
    let mut dump = case("phd6-openj9-64");
    assert_eq!(dump.pop(), Some(3), "the end tag");
    let (page, error) = page_of(&dump, BytePageOptions::default());
    assert!(
        error.is_some()
            && page.contains("readers tolerate that the end is missing")
            && page.contains("<span class=\"state known\"")
    );
}

/// A dump with many records, and where each begins.
fn many() -> (Vec<u8>, Vec<u64>) {
    let heap = from_seed(&GenerateOptions::default().objects(20_000), 7);
    let dump = heap.write(Format::HPROF).expect("a dump").into_bytes();
    let file =
        DumpFile::new(Input::from_memory("dump", dump.clone()), ReadOptions::default()).expect("memory can be read");
    let mut starts = Vec::new();
    let list = file.records().expect("a dump").list(&mut |listed| {
        if let heapsmith::format::ListedPart::Record(line) = listed {
            starts.push(line.offset);
        }
        Ok(())
    });
    list.expect("it is sound");
    (dump, starts)
}

fn listed(page: &str) -> Vec<u64> {
    let records = page.split("id=\"r").skip(1).filter_map(|rest| rest.split('"').next());
    records.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn lists_records_from_offset_and_counts_the_others() {
    let (dump, starts) = many();
    let all = starts.len() as u64;
    assert!(all > 20_000);
    let (page, _) = page_of(&dump, BytePageOptions::default());
    assert_eq!(listed(&page), (0..1000).collect::<Vec<_>>());
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    for (from, first) in [(0, 0), (starts[500], 500), (starts[500] + 1, 500), (starts[501] - 1, 500)] {
        let (page, _) = page_of(&dump, BytePageOptions::default().from(from).records(3));
        assert_eq!(listed(&page), [first, first + 1, first + 2], "from {from}");
        assert_eq!(page.contains(&format!("{first} records left out")), first > 0);
        let rest = (all - first - 3).to_string();
        assert!(page.contains(&format!("{},{} records left out", &rest[..rest.len() - 3], &rest[rest.len() - 3..])));
        assert_eq!(kinds(&page).values().sum::<u64>(), dump.len() as u64, "the picture has all of them");
    }
    let (page, error) = page_of(&dump, BytePageOptions::default().from(dump.len() as u64));
    assert!(error.is_none() && listed(&page).is_empty() && page.contains("No record has a byte at offset"));
}

#[test]
fn lists_records_before_error_of_large_broken_dump() {
    let (dump, starts) = many();
    let broken = 15_000;
    let cut = &dump[..starts[broken] as usize + 5];
    let (page, error) = page_of(cut, BytePageOptions::default().records(3));
    assert!(error.is_some());
    let before = broken as u64 - 8..=broken as u64;
    assert_eq!(listed(&page), (0..3).chain(before).collect::<Vec<_>>());
    assert!(page.contains("14,989 records left out"));
    let last = rows(between(&page, "<section id=\"stop\"", "</section>"));
    assert_eq!(last[0].offset, starts[broken]);
}

#[test]
fn counts_present_bytes_of_truncated_contents() {
    // A primitive array of 4 MiB in a segment, of which 3 MiB and 5 bytes are there.
    let mut dump = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0".to_vec();
    dump.extend(b"\x1c\0\0\0\0\x00\x40\x00\x0e");
    dump.extend(b"\x23\0\0\x10\0\0\0\0\x01\x00\x40\0\0\x08");
    let contents = dump.len() as u64;
    dump.resize(dump.len() + (3 << 20) + 5, 7);
    let (page, error) = page_of(&dump, BytePageOptions::default());
    assert!(error.is_some());
    let rows = rows(between(&page, "<section id=\"stop\"", "</section>"));
    assert_eq!(rows[0].offset, contents - 14, "the record that begins the contents");
    assert!(rows.iter().all(|row| row.bytes.len() <= 64) && rows.last().is_some_and(|row| row.wrong));
    let bytes: u64 = rows.iter().map(|row| row.bytes.len() as u64 + row.more).sum();
    assert_eq!(rows[0].offset + bytes, dump.len() as u64);
    assert!(kinds(&page).values().sum::<u64>() <= dump.len() as u64, "{:?}", kinds(&page));
    assert!(page.len() < 100_000, "{} bytes", page.len());
}

#[test]
fn a_page_is_the_same_each_time() {
    let dump = case("hprof-art-4");
    assert!(page_of(&dump, BytePageOptions::default()) == page_of(&dump, BytePageOptions::default()));
}

/// Text that would break a page.
const HOSTILE: &str =
    "<script>window.broken=1</script><img src=x onerror=\"window.broken=2\">&amp;\u{1b}[31m\u{202e}abc";

/// A dump of every kind of record of HPROF's golden one, with names that are hostile and long, which is cut in a record.
fn sample() -> Vec<u8> {
    let mut dump = case("hprof-hotspot-21-4");
    let long = "a/rather/long/package/name/".repeat(40);
    for (id, text) in [(1u32, HOSTILE), (2, long.as_str())] {
        dump.push(1);
        dump.extend(0u32.to_be_bytes());
        dump.extend((4 + text.len() as u32).to_be_bytes());
        dump.extend(id.to_be_bytes());
        dump.extend(text.as_bytes());
    }
    dump.extend(b"\x02\0\0\0\0\0\0\0\x10\0\0\0\x01\0\0");
    dump
}

#[test]
fn hostile_names_are_text_in_the_page() {
    let (page, error) = page_of(&sample(), BytePageOptions::default());
    assert!(error.is_some_and(|error| error.contains("class object id")));
    assert!(page.contains("&#60;script&#62;window.broken=1"));
    assert_eq!(page.matches("<script").count(), 1, "only our own");
    assert_eq!(page.matches("<img").count(), 0);
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    assert_eq!(Family::ALL.len(), 3, "a page of each is tried above");
}

#[test]
fn the_page_of_bytes_can_be_used_in_a_browser() {
    let (page, _) = page_of(&sample(), BytePageOptions::default());
    browse("bytes.mjs", "bytes.html", &page);
}
