//! Distributions of lengths and counts, shares, and the mixture of kinds. All draw integers, so that no result depends
//! on a machine's rounding.

use std::fmt;

use crate::draw::Draw;

use crate::generate::numbers::{JOIN, parse_count};

/// A distribution of lengths or counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lengths {
    /// One length.
    Constant(u64),
    /// Any length of a range, equally often.
    Uniform(u64, u64),
    /// Lengths from 0 on with this mean, longer ones exponentially rarer.
    Geometric(u64),
    /// Lengths of a range from 1 or more on by a power law: twice a length is reached half as often.
    Power(u64, u64),
    /// The numbers at which widths change.
    Edges,
    /// One of some lengths.
    Among(Vec<u64>),
}

/// The greatest numbers of 7, 8, 15 and 16 bits, those after them, 0 and 1.
const EDGES: [u64; 10] = [0, 1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536];

/// The factor by which a geometric number exceeds its mean less often than once in 10^13 draws.
const UNSEEN: u64 = 32;

impl Lengths {
    /// The greatest length that may be asked for: an object is drawn in memory.
    pub const MOST: u64 = 1 << 24;

    /// Examples of the spelling of each distribution, with descriptions.
    pub const SPELLINGS: [(&'static str, &'static str); 7] = [
        ("8", "always 8"),
        ("constant:8", "the same"),
        ("uniform:0..24", "from 0 to 24, each as often"),
        ("geometric:12", "from 0 on, ever rarer, 12 on average"),
        ("power:1..65536", "from 1 to 65536, twice the length half as often"),
        ("among:0+64+128", "one of these"),
        ("edges", "0, 1, 127, 128, 255, 256, 32767, 32768, 65535 or 65536"),
    ];

    /// Draws a length.
    pub fn draw(&self, draw: &mut dyn Draw) -> u64 {
        match self {
            Lengths::Constant(length) => *length,
            Lengths::Uniform(low, high) => draw.between(*low, (*high).max(*low)),
            Lengths::Geometric(mean) => geometric(*mean, draw),
            Lengths::Power(low, high) => {
                let (low, high) = ((*low).max(1), (*high).max(*low).max(1));
                let above = draw.below(high - low + 1);
                (u128::from(low) * u128::from(high) / u128::from(high - above)) as u64
            }
            Lengths::Edges => *draw.pick(&EDGES),
            Lengths::Among(lengths) if lengths.is_empty() => 0,
            Lengths::Among(lengths) => *draw.pick(lengths),
        }
    }

    /// The mean of the lengths, rounded up; for a power law at most twice the mean.
    pub(super) fn mean(&self) -> u64 {
        match self {
            Lengths::Constant(length) | Lengths::Geometric(length) => *length,
            Lengths::Uniform(low, high) => (*low).midpoint((*high).max(*low)) + 1,
            // Each doubling is as long on average as the one before.
            Lengths::Power(low, high) => 2 * (*low).max(1) * u64::from((*high / (*low).max(1)).max(1).ilog2() + 1),
            Lengths::Edges => EDGES.iter().sum::<u64>() / EDGES.len() as u64 + 1,
            Lengths::Among(lengths) => lengths.iter().sum::<u64>() / lengths.len().max(1) as u64 + 1,
        }
    }

    /// The least of the lengths.
    pub(crate) fn least(&self) -> u64 {
        match self {
            Lengths::Constant(length) => *length,
            Lengths::Uniform(low, _) => *low,
            Lengths::Power(low, _) => (*low).max(1),
            Lengths::Geometric(_) => 0,
            Lengths::Edges => EDGES[0],
            Lengths::Among(lengths) => lengths.iter().copied().min().unwrap_or_default(),
        }
    }

    /// The greatest length; without a bound, a length that no feasible number of draws exceeds.
    pub(crate) fn greatest(&self) -> u64 {
        match self {
            Lengths::Constant(length) => *length,
            Lengths::Uniform(low, high) | Lengths::Power(low, high) => (*low).max(*high),
            Lengths::Geometric(mean) => mean.saturating_mul(UNSEEN).min(Lengths::MOST),
            Lengths::Edges => EDGES[EDGES.len() - 1],
            Lengths::Among(lengths) => lengths.iter().copied().max().unwrap_or_default(),
        }
    }

    /// The distribution that a text spells.
    pub(super) fn read(text: &str) -> Option<Lengths> {
        let length = |text: &str| parse_count(text).filter(|length| *length <= Lengths::MOST);
        let range = |text: &str| {
            let (low, high) = text.split_once("..")?;
            let (low, high) = (length(low)?, length(high)?);
            (low <= high).then_some((low, high))
        };
        let Some((kind, value)) = text.split_once(':') else {
            return if text == "edges" { Some(Lengths::Edges) } else { length(text).map(Lengths::Constant) };
        };
        match kind {
            "constant" => length(value).map(Lengths::Constant),
            "uniform" => range(value).map(|(low, high)| Lengths::Uniform(low, high)),
            "geometric" => length(value).map(Lengths::Geometric),
            "power" => range(value).filter(|(low, _)| *low > 0).map(|(low, high)| Lengths::Power(low, high)),
            "among" => value.split(JOIN).map(length).collect::<Option<Vec<u64>>>().map(Lengths::Among),
            _ => None,
        }
    }
}

impl fmt::Display for Lengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lengths::Constant(length) => write!(f, "constant:{length}"),
            Lengths::Uniform(low, high) => write!(f, "uniform:{low}..{high}"),
            Lengths::Geometric(mean) => write!(f, "geometric:{mean}"),
            Lengths::Power(low, high) => write!(f, "power:{low}..{high}"),
            Lengths::Edges => f.write_str("edges"),
            Lengths::Among(lengths) => {
                let lengths: Vec<String> = lengths.iter().map(u64::to_string).collect();
                write!(f, "among:{}", lengths.join(&JOIN.to_string()))
            }
        }
    }
}

/// Draws a geometric number. Its bits are independent: bit `i` is set with the odds `ratio^(2^i)` to 1.
fn geometric(mean: u64, draw: &mut dyn Draw) -> u64 {
    // Parts of 2^32.
    const ONE: u64 = 1 << 32;
    let mut odds = ((u128::from(mean) << 32) / (u128::from(mean) + 1)) as u64;
    let (mut length, mut bit) = (0, 0);
    while odds > 0 && 1 << bit <= Lengths::MOST {
        let chance = ((u128::from(odds) << 32) / u128::from(ONE + odds)) as u64;
        length |= u64::from(draw.below(ONE) < chance) << bit;
        odds = ((u128::from(odds) * u128::from(odds)) >> 32) as u64;
        bit += 1;
    }
    length.min(Lengths::MOST)
}

/// A fraction of one, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share(u32);

impl Share {
    const ONE: u32 = 1_000_000;

    /// A number of millionths, at most a million.
    pub fn millionths(millionths: u32) -> Share {
        Share(millionths.min(Share::ONE))
    }

    /// Draws true with this probability. A share of 0 draws nothing.
    pub fn draw(self, draw: &mut dyn Draw) -> bool {
        self.0 > 0 && draw.below(Share::ONE.into()) < self.0.into()
    }

    /// The share that a text spells: digits, and up to six after a point.
    pub(super) fn read(text: &str) -> Option<Share> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_spelled = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_spelled(whole) || !is_spelled(fraction) || fraction.len() > 6 || whole.len() > 1 {
            return None;
        }
        let millionths = format!("{whole}{fraction:0<6}").parse::<u32>().ok()?;
        (millionths <= Share::ONE).then_some(Share(millionths))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:06}", self.0 % Share::ONE);
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{}", self.0 / Share::ONE),
            fraction => write!(f, "{}.{fraction}", self.0 / Share::ONE),
        }
    }
}

/// Weights of the kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectMix {
    /// Instances of random classes.
    pub instances: u32,
    /// Strings; the characters of each are one more object.
    pub strings: u32,
    /// Arrays of primitive elements.
    pub primitive_arrays: u32,
    /// Arrays of references.
    pub object_arrays: u32,
}

impl Default for ObjectMix {
    fn default() -> ObjectMix {
        ObjectMix { instances: 4, strings: 1, primitive_arrays: 2, object_arrays: 1 }
    }
}

/// A kind of object that an [`ObjectMix`] weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::generate) enum MixedKind {
    Instance,
    String,
    PrimitiveArray,
    ObjectArray,
}

impl ObjectMix {
    /// The sum of all weights.
    pub(super) fn sum(self) -> u64 {
        [self.instances, self.strings, self.primitive_arrays, self.object_arrays].into_iter().map(u64::from).sum()
    }

    /// Draws a kind, by its weight.
    pub(in crate::generate) fn draw(self, draw: &mut dyn Draw) -> MixedKind {
        let drawn = draw.below(self.sum());
        let instances = u64::from(self.instances);
        let strings = instances + u64::from(self.strings);
        let primitive_arrays = strings + u64::from(self.primitive_arrays);
        match drawn {
            _ if drawn < instances => MixedKind::Instance,
            _ if drawn < strings => MixedKind::String,
            _ if drawn < primitive_arrays => MixedKind::PrimitiveArray,
            _ => MixedKind::ObjectArray,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{DrawStream, SeedDraw};

    fn sample(lengths: &Lengths, count: usize) -> Vec<u64> {
        let mut draw = SeedDraw::new(3, DrawStream::Heap);
        (0..count).map(|_| lengths.draw(&mut draw)).collect()
    }

    #[test]
    fn distributions_have_their_bounds_and_means() {
        assert_eq!(sample(&Lengths::Constant(8), 3), [8, 8, 8]);
        assert!(sample(&Lengths::Uniform(2, 5), 500).iter().all(|length| (2..=5).contains(length)));
        for mean in [0, 1, 12, 1000] {
            let lengths = sample(&Lengths::Geometric(mean), 20_000);
            let found = lengths.iter().sum::<u64>() as f64 / 20_000.0;
            assert!((found - mean as f64).abs() <= 0.05 * mean as f64, "{found} for {mean}");
            // A geometric number is 0 once in as many times as its mean is, and one.
            let zeros = lengths.iter().filter(|length| **length == 0).count() as u64;
            assert!((20_000 / (mean + 1)).abs_diff(zeros) < 250, "{zeros} zeros for {mean}");
        }
        let lengths = sample(&Lengths::Power(1, 65_536), 20_000);
        assert!(lengths.iter().all(|length| (1..=65_536).contains(length)));
        for least in [2, 16, 256] {
            let found = lengths.iter().filter(|length| **length >= least).count() as u64;
            assert!(found.abs_diff(20_000 / least) < 4 * 20_000_u64.isqrt() / least.isqrt(), "{found} from {least} on");
        }
        let edges: std::collections::BTreeSet<u64> = sample(&Lengths::Edges, 500).into_iter().collect();
        assert!(edges.into_iter().eq([0, 1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536]));
    }

    #[test]
    fn distributions_and_shares_are_read_as_they_are_written() {
        for (text, _) in &Lengths::SPELLINGS[1..] {
            assert_eq!(Lengths::read(text).expect("a distribution").to_string(), *text);
        }
        assert_eq!(Lengths::read("8"), Some(Lengths::Constant(8)));
        for text in ["", "uniform:5..4", "uniform:5", "power:0..4", "among:", "normal:3", "edges:1", "1e9"] {
            assert_eq!(Lengths::read(text), None, "{text}");
        }
        for (text, millionths) in [("0", 0), ("1", 1_000_000), ("0.25", 250_000), ("0.000001", 1)] {
            assert_eq!(Share::read(text), Some(Share(millionths)));
            assert_eq!(Share(millionths).to_string(), text);
        }
        for text in ["", "1.5", "-0.1", ".5", "0.", "0.1234567", "1e-1"] {
            assert_eq!(Share::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_share_is_true_as_often() {
        let mut draw = SeedDraw::new(1, DrawStream::Heap);
        let count = (0..10_000).filter(|_| Share(250_000).draw(&mut draw)).count();
        assert!(count.abs_diff(2500) < 200, "{count}");
        assert!((0..100).all(|_| !Share(0).draw(&mut draw) && Share(1_000_000).draw(&mut draw)));
    }
}
