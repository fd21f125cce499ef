//! Numbers of large cases: sums of products of integers, of `n` (how much the case has of what makes it large) and of `i`
//! (which repetition it is, from 0). They are computed modulo 2^64, as lengths that wrap are.

use std::fmt;

/// A number that may depend on `n` and `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberFormula {
    text: String,
    terms: Vec<FormulaTerm>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FormulaTerm {
    is_negative: bool,
    factors: Vec<FormulaFactor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormulaFactor {
    Plain(u64),
    N,
    I,
}

impl NumberFormula {
    /// Reads `43+13*n`: products of `n`, `i` and integers, hexadecimal ones with `0x` in front.
    pub(super) fn read(text: &str) -> Result<NumberFormula, String> {
        let wrong = || format!("{text:?} is no sum of products of integers, n and i");
        let mut terms = Vec::new();
        for sum in text.split_inclusive(['+', '-']) {
            let is_negative = terms.last().is_some_and(|(_, next)| *next == Some('-'));
            let next = sum.chars().last().filter(|last| matches!(last, '+' | '-'));
            let product = if next.is_some() { &sum[..sum.len() - 1] } else { sum };
            let factors = product.split('*').map(factor).collect::<Option<Vec<FormulaFactor>>>().ok_or_else(wrong)?;
            terms.push((FormulaTerm { is_negative, factors }, next));
        }
        match terms.last() {
            Some((_, None)) => {}
            _ => return Err(wrong()),
        }
        Ok(NumberFormula { text: text.to_owned(), terms: terms.into_iter().map(|(term, _)| term).collect() })
    }

    /// Its value.
    pub(super) fn value(&self, n: u64, i: u64) -> u64 {
        self.terms.iter().fold(0, |sum: u64, term| {
            let product = term.factors.iter().fold(1, |product: u64, factor| {
                product.wrapping_mul(match factor {
                    FormulaFactor::Plain(plain) => *plain,
                    FormulaFactor::N => n,
                    FormulaFactor::I => i,
                })
            });
            if term.is_negative { sum.wrapping_sub(product) } else { sum.wrapping_add(product) }
        })
    }

    /// Whether it is another in each repetition.
    pub(super) fn has_i(&self) -> bool {
        self.terms.iter().any(|term| term.factors.contains(&FormulaFactor::I))
    }

    /// The number as text with `n` replaced, for readers.
    pub(super) fn substitute(&self, n: u64) -> String {
        if self.has_i() { self.text.replace('n', &n.to_string()) } else { self.value(n, 0).to_string() }
    }
}

impl fmt::Display for NumberFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn factor(text: &str) -> Option<FormulaFactor> {
    let number = || match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match text {
        "n" => Some(FormulaFactor::N),
        "i" => Some(FormulaFactor::I),
        _ => number().map(FormulaFactor::Plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_products_are_computed_modulo_two_to_the_64th() {
        let value = |text: &str, n, i| NumberFormula::read(text).expect("it is a number").value(n, i);
        assert_eq!(value("43+13*n", 400_000, 0), 5_200_043);
        assert_eq!(value("0x10000+8*i", 0, 3), 0x10018);
        assert_eq!(value("n-1-i", 10, 4), 5);
        assert_eq!(value("n-1", 0, 0), u64::MAX);
        assert_eq!(NumberFormula::read("0x10+n*i").expect("it is a number").substitute(7), "0x10+7*i");
        assert_eq!(NumberFormula::read("n-1").expect("it is a number").substitute(7), "6");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for wrong in ["", "n+", "-n", "m", "2**n", "0x", "1 + n"] {
            assert!(NumberFormula::read(wrong).is_err(), "{wrong}");
        }
    }
}
