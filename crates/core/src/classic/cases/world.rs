//! The place of an ordinary world in a text: its classes in front of the first record. The trailers count them.

use crate::family::case::{Insertion, JoinedDump, WorldJoin, WorldRecords};

pub(in crate::classic) const WORLD: WorldJoin = WorldJoin { layout, join };

/// The words in front of the numbers of the trailers that count classes.
const COUNTS: [&[u8]; 2] = [b"Classes", b"Refs(null)"];

/// The digits of the first address.
fn layout(text: &[u8]) -> Option<&'static str> {
    let digits = text.get(first_record(text)? + 2..)?;
    match digits.iter().position(|byte| !byte.is_ascii_hexdigit())? {
        8 => Some("addresses of 8 digits"),
        16 => Some("addresses of 16 digits"),
        _ => None,
    }
}

/// Where the first line begins that begins with an address.
fn first_record(text: &[u8]) -> Option<usize> {
    let is_start = |at: usize| text[at..].starts_with(b"0x") && (at == 0 || text[at - 1] == b'\n');
    (0..text.len()).find(|at| is_start(*at))
}

fn join(text: &[u8], world: &WorldRecords) -> Option<JoinedDump> {
    let (start, mut classes) = (first_record(text)?, world.heap.concat());
    // The lines of the world end as the first one of the case does.
    let first_end = text.iter().position(|byte| *byte == b'\n').filter(|end| *end > 0);
    if first_end.is_some_and(|end| text[end - 1] == b'\r') {
        classes =
            classes.into_iter().flat_map(|byte| [&b"\r"[usize::from(byte != b'\n')..], &[byte]].concat()).collect();
    }
    let mut bytes = text.to_vec();
    let mut insertions = vec![Insertion { offset: start, length: classes.len(), records: world.heap.len() as u64 }];
    let words = |words: &'static [u8]| {
        (0..text.len()).filter(move |at| text[*at..].starts_with(words)).map(|at| at + words.len())
    };
    let mut counts: Vec<usize> = COUNTS.into_iter().flat_map(words).collect();
    counts.sort_unstable();
    // From the last place to the first one, so that the offsets stay right.
    for after in counts.into_iter().rev() {
        let blanks = text[after..].iter().take_while(|byte| b" \t:".contains(byte)).count();
        let digits = text[after + blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = after + blanks..after + blanks + digits;
        let stated = std::str::from_utf8(&text[number.clone()]).ok().and_then(|digits| digits.parse::<u64>().ok());
        // A number that is none, or too large, is what its case is about.
        if let Some(count) = stated.and_then(|stated| stated.checked_add(world.heap.len() as u64)) {
            let counted = format!("{count:0digits$}");
            insertions.push(Insertion { offset: number.end, length: counted.len() - digits, records: 0 });
            bytes.splice(number, counted.into_bytes());
        }
    }
    bytes.splice(start..start, classes);
    Some(JoinedDump { bytes, insertions, is_in_front: true, log_records: Vec::new() })
}
