//! Repetitions in files of `specs/cases/`: in texts and listings between `$(` and `)`, in bytes as words.

/// The largest number of times. A mistake in a table must not fill the memory.
const MOST: u64 = 1 << 20;

/// A count of repetitions.
pub(super) fn count(text: &str) -> Result<usize, String> {
    match text.parse::<u64>() {
        Ok(count) if count <= MOST => Ok(count as usize),
        _ => Err(format!("{text:?} is no count of repetitions up to {MOST}")),
    }
}

/// The numbers of `FIRST..LAST+STEP`, or downwards of `FIRST..LAST-STEP`: hexadecimal with as many digits as the first one
/// has, which may have `0x` in front. None where the word is no such row.
pub(super) fn row(word: &str) -> Result<Option<impl Iterator<Item = String>>, String> {
    let Some((first, rest)) = word.split_once("..") else { return Ok(None) };
    let is_down = rest.contains('-');
    let (last, step) = rest.split_once(['+', '-']).unwrap_or((rest, "1"));
    let wrong = || format!("{word:?} is no row FIRST..LAST+STEP or FIRST..LAST-STEP of hexadecimal numbers");
    let (prefix, digits) = first.strip_prefix("0x").map_or(("", first), |digits| ("0x", digits));
    let number = |digits: &str| u64::from_str_radix(digits.trim_start_matches("0x"), 16).map_err(|_| wrong());
    let (from, to, step, width) = (number(first)?, number(last)?, number(step)?, digits.len());
    let (low, high) = if is_down { (to, from) } else { (from, to) };
    if step == 0 || high < low || (high - low) / step >= MOST {
        return Err(wrong());
    }
    let numbers =
        (0..=(high - low) / step).map(move |index| if is_down { from - index * step } else { from + index * step });
    Ok(Some(numbers.map(move |number| format!("{prefix}{number:0width$x}"))))
}

/// A text in which `$(TEXT*COUNT)` is the text repeated, and `$(FIRST..LAST+STEP|BETWEEN)` a row of numbers with a text
/// between them.
pub(super) fn spread(text: &str) -> Result<String, String> {
    let mut parts = text.split("$(");
    let mut spread = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // An item that is repeated may have brackets of its own; what ends is a count, or the text between numbers.
        let (body, rest) = part.split_once(')').ok_or_else(|| format!("$({part} has no end"))?;
        let (numbers, between) = body.split_once('|').unwrap_or((body, ","));
        if let Some((item, times)) = body.rsplit_once('*') {
            spread += &item.repeat(count(times)?);
        } else if let Some(row) = row(numbers)? {
            spread += &row.collect::<Vec<_>>().join(between);
        } else {
            return Err(format!("$({body}) is neither TEXT*COUNT nor FIRST..LAST+STEP"));
        }
        spread += rest;
    }
    Ok(spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_repeated_and_numbers_stand_in_a_row() {
        assert_eq!(spread(r#"{"name":"$(ab*3)c"}"#), Ok(r#"{"name":"abababc"}"#.to_owned()));
        assert_eq!(spread(r#"["$(0x8..0x18+8|",")"]"#), Ok(r#"["0x8","0x10","0x18"]"#.to_owned()));
        assert_eq!(spread("$(0x0ff..0x101| )"), Ok("0x0ff 0x100 0x101".to_owned()));
        assert_eq!(spread("$(0x18..0x8-8)"), Ok("0x18,0x10,0x08".to_owned()));
        assert_eq!(spread(r#"[$({"a":1},*2){"a":1}]"#), Ok(r#"[{"a":1},{"a":1},{"a":1}]"#.to_owned()));
    }

    #[test]
    fn a_row_of_bytes_has_the_width_of_its_first_number() {
        let row: Option<Vec<String>> = row("00fe..0102+2").expect("it is a row").map(Iterator::collect);
        assert_eq!(row, Some(vec!["00fe".to_owned(), "0100".to_owned(), "0102".to_owned()]));
    }

    #[test]
    fn what_is_no_repetition_is_refused() {
        for wrong in ["$(ab)", "$(ab*x)", "$(a*9999999)", "$(0x2..0x1)", "$(0x1..0x2+0)", "$(a*3"] {
            assert!(spread(wrong).is_err(), "{wrong}");
        }
    }
}
