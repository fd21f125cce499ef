//! Bytes of each kind of record in equal stretches of a dump.

/// Columns of the strip, at most; it has at least half of them once the dump has that many bytes.
const COLUMNS: u64 = 160;

/// Bytes of each kind in equal stretches of a dump, whose length is not known beforehand: where there are too many stretches,
/// two become one.
pub(super) struct Columns {
    /// Bytes of a stretch.
    pub(super) width: u64,
    pub(super) bytes: Vec<Vec<(usize, u64)>>,
    pub(super) length: u64,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns { width: 1, bytes: Vec::new(), length: 0 }
    }
}

impl Columns {
    /// The dump has this many bytes at least.
    pub(super) fn reach(&mut self, length: u64) {
        self.length = self.length.max(length);
        while self.length > self.width.saturating_mul(COLUMNS) {
            self.width *= 2;
            let pairs = self.bytes.chunks(2).map(|pair| {
                let mut both = pair[0].clone();
                pair[1..].iter().flatten().for_each(|(kind, bytes)| count(&mut both, *kind, *bytes));
                both
            });
            self.bytes = pairs.collect();
        }
    }

    /// Bytes of a kind, from an offset to another, after all that were added before.
    pub(super) fn add(&mut self, kind: usize, from: u64, to: u64) {
        self.reach(to);
        let mut from = from;
        while from < to {
            let column = from / self.width;
            let end = to.min((column + 1) * self.width);
            // There are no more than a few of them.
            let index = usize::try_from(column).unwrap_or(usize::MAX).min(COLUMNS as usize);
            self.bytes.resize_with(self.bytes.len().max(index + 1), Vec::new);
            count(&mut self.bytes[index], kind, end - from);
            from = end;
        }
    }
}

pub(super) fn count(column: &mut Vec<(usize, u64)>, kind: usize, bytes: u64) {
    match column.iter_mut().find(|(of, _)| *of == kind) {
        Some((_, sum)) => *sum += bytes,
        None => column.push((kind, bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_hold_every_byte_whatever_the_length() {
        for length in [1, 159, 160, 161, 1000, 123_457] {
            let mut columns = Columns::default();
            let mut at = 0;
            let mut sums = [0; 3];
            while at < length {
                let to = length.min(at + 1 + at % 7);
                columns.add((at % 3) as usize, at, to);
                sums[(at % 3) as usize] += to - at;
                at = to;
            }
            assert!(
                columns.bytes.len() as u64 <= COLUMNS && (columns.bytes.len() as u64 >= COLUMNS / 2 || length < 80)
            );
            let all = || columns.bytes.iter().flatten();
            let of = |wanted| all().filter(|(kind, _)| *kind == wanted).map(|(_, bytes)| bytes).sum::<u64>();
            assert_eq!([0, 1, 2].map(of), sums, "{length}");
            let (last, all) = columns.bytes.split_last().expect("there are some");
            let sum = |column: &[(usize, u64)]| column.iter().map(|(_, bytes)| bytes).sum::<u64>();
            assert!(all.iter().all(|column| sum(column) == columns.width) && sum(last) <= columns.width);
        }
    }
}
