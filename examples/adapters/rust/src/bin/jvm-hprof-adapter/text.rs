//! The library gives the bytes of a text; a listing has the text that they are in modified UTF-8, or the bytes.

use std::fmt::Write;

use serde_json::{Value, json};

pub fn value(bytes: &[u8]) -> Value {
    match modified_utf8(bytes) {
        Some(text) => text.into(),
        None => json!({ "bytes": hex(bytes) }),
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// `None` for what no text is written as: overlong forms other than that of U+0000, zero bytes, lone surrogates.
fn modified_utf8(bytes: &[u8]) -> Option<String> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, following)) = rest.split_first() {
        let more = match first {
            0x01..=0x7f => 0,
            0xc0..=0xdf => 1,
            0xe0..=0xef => 2,
            _ => return None,
        };
        let (followers, rest_of_text) = following.split_at_checked(more)?;
        let mut unit = u16::from(if more == 0 { first } else { first & (0x3f >> more) });
        for follower in followers {
            if follower & 0xc0 != 0x80 {
                return None;
            }
            unit = unit << 6 | u16::from(follower & 0x3f);
        }
        let least = [0x01, 0x80, 0x800][more];
        if unit < least && !(unit == 0 && more == 1) {
            return None;
        }
        units.push(unit);
        rest = rest_of_text;
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::modified_utf8;

    #[test]
    fn texts_are_those_of_the_virtual_machine() {
        let told = |bytes: &[u8]| modified_utf8(bytes);
        assert_eq!(told(b"a\xc0\x80b").as_deref(), Some("a\0b"));
        assert_eq!(told("\u{e9}\u{20ac}".as_bytes()).as_deref(), Some("\u{e9}\u{20ac}"));
        assert_eq!(told(b"\xed\xa0\xbd\xed\xb8\x80").as_deref(), Some("\u{1f600}"));
        for wrong in [&b"\0"[..], b"\xed\xa0\x80", b"\xc1\x81", b"\xe0\x80\x80", b"\xf0\x9f\x98\x80", b"\xc3", b"\x80"]
        {
            assert_eq!(told(wrong), None, "{wrong:x?}");
        }
    }
}
