//! A picture of how the bytes of a dump divide over kinds of record: a strip in the order of the file, and a row for
//! each kind.

use super::columns::{Columns, count};
use super::survey::{DumpSurvey, PartKinds};

/// Kinds with a colour of their own; all others share one.
const COLOURS: usize = 7;

/// Units of the picture from left to right, and from top to bottom.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;

/// The picture.
pub(super) struct BytePicture {
    pub(super) bars: Vec<Bar>,
    pub(super) rows: Vec<KindRow>,
    /// The part that the page shows in detail.
    pub(super) shown: Option<Bar>,
    /// The part that could not be read.
    pub(super) unread: Option<Bar>,
    /// The content of the picture, in a sentence.
    pub(super) title: String,
}

/// A rectangle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) colour: usize,
}

/// A kind of record.
pub(super) struct KindRow {
    pub(super) name: String,
    pub(super) colour: usize,
    pub(super) records: String,
    pub(super) bytes: String,
    pub(super) share: String,
    /// The share out of 100, as a number.
    pub(super) width: f64,
}

impl BytePicture {
    pub(super) fn from_survey(survey: &DumpSurvey) -> BytePicture {
        let kinds = &survey.kinds;
        let length = survey.length;
        let across = |offset: u64| WIDTH * share(offset, length);
        let whole =
            |from, to| Bar { x: across(from), y: 0.0, width: across(to) - across(from), height: HEIGHT, colour: 0 };
        let rows = kinds.by_size().into_iter().map(|index| {
            let kind = &kinds.0[index];
            let width = 100.0 * share(kind.bytes, length);
            KindRow {
                name: kind.name.clone(),
                colour: kinds.colour(index),
                records: if kind.records == 0 { String::new() } else { grouped(kind.records) },
                bytes: grouped(kind.bytes),
                share: if width < 0.1 { "< 0.1 %".to_owned() } else { format!("{width:.1} %") },
                width,
            }
        });
        let rows: Vec<KindRow> = rows.collect();
        let most: Vec<String> = rows.iter().take(3).map(|row| format!("{} {}", row.name, row.share)).collect();
        let window = survey.window.first().map(|line| whole(line.offset, survey.window_end));
        BytePicture {
            bars: bars(&survey.columns, kinds, across),
            title: format!("The bytes by kind of record, in the order of the file: {}", most.join(", ")),
            rows,
            shown: window,
            unread: (survey.read < length).then(|| whole(survey.read, length)),
        }
    }
}

/// Stretches of a single kind that follow each other are one bar; others are stacked.
fn bars(columns: &Columns, kinds: &PartKinds, across: impl Fn(u64) -> f64) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for (index, column) in columns.bytes.iter().enumerate() {
        let start = index as u64 * columns.width;
        let end = (start + columns.width).min(columns.length);
        let x = across(start);
        let width = across(end) - x;
        let mut colours: Vec<(usize, u64)> = Vec::new();
        column.iter().for_each(|(kind, bytes)| count(&mut colours, kinds.colour(*kind), *bytes));
        colours.sort_unstable();
        let mut y = 0.0;
        for (colour, bytes) in colours {
            let height = HEIGHT * share(bytes, end - start);
            let bar = Bar { x, y, width, height, colour };
            y += height;
            match bars.last_mut() {
                Some(last) if last.colour == colour && is_full(last) && is_full(&bar) => last.width += width,
                _ => bars.push(bar),
            }
        }
    }
    bars
}

fn is_full(bar: &Bar) -> bool {
    bar.height >= HEIGHT
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl PartKinds {
    /// The colour of a kind: 0 for that with the most bytes.
    pub(super) fn colour(&self, kind: usize) -> usize {
        let larger = |(index, other): (usize, &super::survey::KindTotals)| {
            let bytes = self.0[kind].bytes;
            other.bytes > bytes || (other.bytes == bytes && index < kind)
        };
        self.0.iter().enumerate().filter(|of| larger(*of)).count().min(COLOURS)
    }
}

/// A number with its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups() {
        let numbers = [0, 12, 123, 1234, 123_456, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }
}
