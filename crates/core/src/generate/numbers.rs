//! Counts and lists, as options and shapes spell them.

/// The separator of a list's names.
pub(super) const JOIN: char = '+';

/// Parses a count: digits with `_` among them, an exponent, and as many digits after a point as the exponent has room
/// for.
pub(super) fn parse_count(text: &str) -> Option<u64> {
    let digits = |text: &str| {
        let is_spelled = text.starts_with(|c: char| c.is_ascii_digit()) && !text.ends_with('_');
        let is_all = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        (is_spelled && is_all).then(|| text.replace('_', ""))?.parse::<u64>().ok()
    };
    match text.split_once('e') {
        None => digits(text),
        Some((count, exponent)) => {
            let exponent = u32::try_from(digits(exponent)?).ok()?;
            let (whole, fraction) = count.split_once('.').unwrap_or((count, ""));
            // Each digit after the point takes one power of ten.
            let places = u32::try_from(fraction.len()).ok()?;
            let is_spelled = !whole.is_empty()
                && fraction.bytes().all(|byte| byte.is_ascii_digit())
                && count.len() != whole.len() + 1;
            let power = 10_u64.checked_pow(exponent.checked_sub(places).filter(|_| is_spelled)?)?;
            digits(&format!("{whole}{fraction}"))?.checked_mul(power)
        }
    }
}

/// The shortest spelling of a count.
pub(super) fn count_text(count: u64) -> String {
    let zeros = (1..20).take_while(|zeros| count.is_multiple_of(10_u64.pow(*zeros))).count();
    if count > 0 && zeros >= 5 { format!("{}e{zeros}", count / 10_u64.pow(zeros as u32)) } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_every_spelling() {
        for (text, value) in [("0", 0), ("1000000", 1_000_000), ("1e6", 1_000_000), ("20_000", 20_000), ("25e1", 250)] {
            assert_eq!(parse_count(text), Some(value), "{text}");
        }
        for (text, value) in [("6.5e7", 65_000_000), ("1.25e2", 125), ("0.5e1", 5), ("1_0.5e1", 105)] {
            assert_eq!(parse_count(text), Some(value), "{text}");
        }
        for text in [
            "",
            "-1",
            "1.5",
            "e6",
            "1e",
            "1e20",
            "_1",
            "1_",
            "1e6e1",
            " 1",
            "99999999999999999999",
            "1.25e1",
            "1.e3",
            ".5e1",
            "1.5_0e3",
            "1.-5e3",
        ] {
            assert_eq!(parse_count(text), None, "{text}");
        }
        assert_eq!(count_text(1_000_000), "1e6");
        assert_eq!(count_text(25_000_000), "25e6");
        assert_eq!(count_text(20_000), "20000");
        assert_eq!(count_text(0), "0");
    }
}
