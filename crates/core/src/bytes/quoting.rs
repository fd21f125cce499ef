//! Bytes in messages: text stands in quotation marks with escapes, other bytes are pairs of hexadecimal digits.

/// A text in quotation marks, with escapes for control characters, quotation marks and what is not ASCII.
#[doc(hidden)]
pub fn quoted(text: &[u8]) -> String {
    format!("\"{}\"", text.escape_ascii())
}

/// Bytes that may be text: quoted, if they are.
#[doc(hidden)]
pub fn quoted_or_hex(bytes: &[u8]) -> String {
    let is_text = bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    if is_text { quoted(bytes) } else { hex(bytes) }
}

fn hex(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|&byte| hexadecimal(&[byte])).collect();
    pairs.join(" ")
}

/// Hexadecimal digits.
#[doc(hidden)]
pub const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two hexadecimal digits for each byte.
#[doc(hidden)]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_look_different() {
        assert_eq!(quoted_or_hex(b"a \"b\"\n"), r#""a \"b\"\n""#);
        assert_eq!(quoted_or_hex(b"\x7fELF\x02"), "7f 45 4c 46 02");
        assert_eq!(quoted(b"caf\xe9"), r#""caf\xe9""#);
    }
}
