//! Modified UTF-8 (The Java Virtual Machine Specification, 4.4.7): NUL is `C0 80`, and characters
//! beyond the Basic Multilingual Plane are two surrogates of three bytes each.

/// The modified UTF-8 of a text.
pub fn encode(text: &str) -> Vec<u8> {
    if is_plain(text.as_bytes()) {
        return text.as_bytes().to_vec();
    }
    encode_units(text.encode_utf16())
}

/// The modified UTF-8 of UTF-16 code units. An unpaired surrogate has three bytes, like any other unit from U+0800 on.
pub fn encode_units(units: impl Iterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.size_hint().0);
    for unit in units {
        match unit {
            0x0001..=0x007f => bytes.push(unit as u8),
            0x0000 | 0x0080..=0x07ff => {
                bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]);
            }
            0x0800..=0xffff => {
                bytes.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8])
            }
        }
    }
    bytes
}

/// The text of modified UTF-8, or `None` if no text has exactly these bytes (a lone surrogate, a raw
/// NUL, an overlong or four-byte form, a stray byte).
pub fn decode(bytes: &[u8]) -> Option<String> {
    if is_plain(bytes) {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let (units, rest) = decode_units(bytes);
    if rest.is_empty() { String::from_utf16(&units).ok() } else { None }
}

/// The UTF-16 code units of modified UTF-8, unpaired surrogates among them, and the bytes from the first on that is none.
pub fn decode_units(bytes: &[u8]) -> (Vec<u16>, &[u8]) {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((unit, used)) = next_unit(rest) {
        units.push(unit);
        rest = &rest[used..];
    }
    (units, rest)
}

/// The first code unit, and the number of its bytes.
fn next_unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let (unit, used) = match *bytes {
        [first @ 0x01..=0x7f, ..] => (u16::from(first), 1),
        [first @ 0xc0..=0xdf, b, ..] => (u16::from(first & 0x1f) << 6 | continuation(b)?, 2),
        [first @ 0xe0..=0xef, b, c, ..] => {
            (u16::from(first & 0x0f) << 12 | continuation(b)? << 6 | continuation(c)?, 3)
        }
        _ => return None,
    };
    let shortest = match unit {
        0x0001..=0x007f => 1,
        0x0000 | 0x0080..=0x07ff => 2,
        _ => 3,
    };
    (used == shortest).then_some((unit, used))
}

/// Whether these are characters of one byte, as most names are: they are the same in every form of UTF-8.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| (0x01..=0x7f).contains(byte))
}

/// Tells modified UTF-8 from other bytes, piece by piece. Unlike [`decode`] it takes unpaired surrogates, which
/// a JVM's strings may hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutf8Checker {
    begun: PartialCharacter,
    failed: bool,
}

/// The character that the pieces so far end inside of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PartialCharacter {
    #[default]
    Nothing,
    /// The first byte of two.
    Two(u8),
    /// The first byte of three.
    Three(u8),
    /// One more byte is due.
    Last,
}

impl Mutf8Checker {
    /// Takes the next piece.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.begun == PartialCharacter::Nothing && is_plain(bytes) {
            return;
        }
        for &byte in bytes {
            let continues = continuation(byte).is_some();
            let (fits, begun) = match (self.begun, byte) {
                (PartialCharacter::Nothing, 0x01..=0x7f) => (true, PartialCharacter::Nothing),
                (PartialCharacter::Nothing, 0xc0..=0xdf) => (true, PartialCharacter::Two(byte)),
                (PartialCharacter::Nothing, 0xe0..=0xef) => (true, PartialCharacter::Three(byte)),
                (PartialCharacter::Nothing, _) => (false, PartialCharacter::Nothing),
                // In two bytes stand U+0080 to U+07FF, and U+0000.
                (PartialCharacter::Two(first), _) => {
                    (continues && (first >= 0xc2 || (first, byte) == (0xc0, 0x80)), PartialCharacter::Nothing)
                }
                (PartialCharacter::Three(first), _) => {
                    (continues && (first > 0xe0 || byte >= 0xa0), PartialCharacter::Last)
                }
                (PartialCharacter::Last, _) => (continues, PartialCharacter::Nothing),
            };
            self.failed |= !fits;
            self.begun = begun;
        }
    }

    /// Whether all pieces together are modified UTF-8.
    pub fn is_valid(self) -> bool {
        !self.failed && self.begun == PartialCharacter::Nothing
    }
}

fn continuation(byte: u8) -> Option<u16> {
    (byte & 0xc0 == 0x80).then_some(u16::from(byte & 0x3f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_and_supplementary_characters_take_their_own_forms() {
        assert_eq!(encode("\0"), [0xc0, 0x80]);
        // U+1F600 is D83D DE00 in UTF-16.
        assert_eq!(encode("\u{1f600}"), [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);
        assert_eq!(encode("pkg/\u{dc}n\u{131}"), *b"pkg/\xc3\x9cn\xc4\xb1");
    }

    #[test]
    fn what_is_not_the_form_of_any_text_is_refused() {
        for bad in [
            &[0x00][..],               // raw NUL
            &[0xc1, 0x81],             // overlong A
            &[0xe0, 0x81, 0x81],       // overlong in three bytes
            &[0xed, 0xa0, 0x80],       // lone surrogate
            &[0xf0, 0x9f, 0x98, 0x80], // four-byte form
            &[0x80],                   // stray continuation
            &[0xc3],                   // cut short
            &[0xc3, 0x28],             // no continuation
            &[0xe2, 0x82],             // cut short
        ] {
            assert_eq!(decode(bad), None, "{bad:x?}");
        }
    }

    #[test]
    fn a_text_in_pieces_is_judged_like_the_whole_but_for_unpaired_surrogates() {
        let some =
            [0x00, 0x01, 0x41, 0x7f, 0x80, 0x81, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0];
        let mut checked = 0;
        for a in some {
            for b in some {
                for c in some {
                    for length in 0..=3 {
                        let text = &[a, b, c][..length];
                        for cut in 0..=length {
                            let mut checker = Mutf8Checker::default();
                            checker.feed(&text[..cut]);
                            checker.feed(&text[cut..]);
                            let is_surrogate = matches!(text, [0xed, 0xa0..=0xbf, 0x80..=0xbf]);
                            assert_eq!(checker.is_valid(), is_surrogate || decode(text).is_some(), "{text:x?} {cut}");
                            checked += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(checked, some.len().pow(3) * 10);
    }

    #[test]
    fn agrees_with_an_independent_implementation() {
        let mut state = 1_u64;
        for _ in 0..2_000 {
            let text: String = (0..8)
                .filter_map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    char::from_u32(((state >> 33) as u32 % 0x11_0000) >> (state >> 60))
                })
                .collect();
            let theirs = simd_cesu8::mutf8::encode(&text);
            assert_eq!(encode(&text), *theirs);
            assert_eq!(decode(&theirs).as_deref(), Some(text.as_str()));
        }
    }
}
