//! Other values of fields, spelled in the width that the fields have.

/// A field that is to have another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedField {
    /// Its name, as `inspect --bytes` shows it.
    pub name: &'static str,
    /// Offset of its first byte.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// Its value, if it is a number.
    pub value: Option<i64>,
}

impl EditedField {
    /// The bytes of another value: of a number in the field's own width, or else of bytes in hexadecimal after 0x or of a
    /// text, as many as the field has.
    ///
    /// # Errors
    /// If the field cannot have the value: the reason.
    pub fn bytes_of(&self, value: &str) -> Result<Vec<u8>, String> {
        let EditedField { name, length, .. } = *self;
        if self.value.is_some() && length <= 8 {
            let wanted = parse_number(value).ok_or_else(|| {
                format!("{name} is a number, and {value:?} is none; it is decimal, or hexadecimal after 0x")
            })?;
            let (least, most) = (-(1_i128 << (8 * length - 1)), (1_i128 << (8 * length)) - 1);
            if !(least..=most).contains(&wanted) {
                let bytes = if length == 1 { "1 byte".to_owned() } else { format!("{length} bytes") };
                return Err(format!("{name} has {bytes}, which hold {least} to {most}, and not {value}"));
            }
            return Ok(wanted.to_be_bytes()[16 - length..].to_vec());
        }
        let bytes = match value.strip_prefix("0x") {
            Some(digits) => {
                parse_bytes(digits).ok_or_else(|| format!("{value} is no pairs of hexadecimal digits after 0x"))?
            }
            None => value.as_bytes().to_vec(),
        };
        if bytes.len() == length {
            Ok(bytes)
        } else {
            let given = bytes.len();
            Err(format!("{name} has {length} bytes, and {value:?} {given}; a value has as many bytes as its field"))
        }
    }
}

/// A number: decimal, or hexadecimal after 0x.
pub fn parse_number(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(i128::from),
        None => text.parse().ok(),
    }
}

fn parse_bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn spells_value_in_width_of_field() {
        let field = |length, value| EditedField { name: "gap", offset: 7, length, value };
        let (number, text) = (|length| field(length, Some(1)), |length| field(length, None));
        for (field, value, bytes) in [
            (number(1), "255", Ok(vec![0xff])),
            (number(1), "-128", Ok(vec![0x80])),
            (number(2), "0x1ff", Ok(vec![1, 0xff])),
            (number(8), "0xffffffffffffffff", Ok(vec![0xff; 8])),
            (number(1), "256", Err("gap has 1 byte, which hold -128 to 255, and not 256")),
            (number(2), "-32769", Err("gap has 2 bytes, which hold -32768 to 65535, and not -32769")),
            (number(2), "x", Err("gap is a number, and \"x\" is none; it is decimal, or hexadecimal after 0x")),
            (text(3), "abc", Ok(b"abc".to_vec())),
            (text(2), "0xc0Ff", Ok(vec![0xc0, 0xff])),
            (text(2), "0xc", Err("0xc is no pairs of hexadecimal digits after 0x")),
            (text(2), "abc", Err("gap has 2 bytes, and \"abc\" 3; a value has as many bytes as its field")),
        ] {
            assert_eq!(field.bytes_of(value), bytes.map_err(str::to_owned), "{value}");
        }
    }
}
