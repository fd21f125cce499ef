//! Growth of a cost with the size of the dump, judged from a few figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a cost grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "growth", rename_all = "kebab-case")]
pub enum Growth {
    /// The costs are too small, or too few, to be judged.
    #[default]
    NotMeasured,
    /// Like n log n, or less.
    NLogNOrLess {
        /// The exponent k for which the last three costs grow like n^k.
        exponent: f64,
    },
    /// Clearly more than n log n.
    AboveNLogN {
        /// The exponent k for which the last three costs grow like n^k.
        exponent: f64,
    },
}

/// The threshold of a clear excess.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrowthThreshold {
    /// The cost below which there is only noise.
    pub(super) least: f64,
    /// The factor over n log n by which a cost has to grow over the last two doublings.
    pub(super) factor: f64,
}

/// The factor over n log n for each of the two doublings: a single step, where a cache or a reserve is exceeded, is no
/// growth.
const EACH: f64 = 1.1;

impl GrowthThreshold {
    /// Judges the last three of some costs, each with the length of the dump that it belongs to, ascending.
    pub(super) fn judge(self, costs: &[(u64, f64)]) -> Growth {
        let [.., first, second, third] = costs else { return Growth::NotMeasured };
        // A cost that is not seen is taken for the most that it can be.
        let ratio = |from: &(u64, f64), to: &(u64, f64)| to.1.max(self.least) / from.1.max(self.least);
        let exponent = ratio(first, third).ln() / (third.0 as f64 / first.0 as f64).ln();
        let exceeds = |from, to, factor| ratio(from, to) > factor * n_log_n(from.0, to.0);
        let exceeds_each = exceeds(first, second, EACH) && exceeds(second, third, EACH);
        match exceeds(first, third, self.factor) && exceeds_each {
            true => Growth::AboveNLogN { exponent },
            false if first.1 < self.least => Growth::NotMeasured,
            false => Growth::NLogNOrLess { exponent },
        }
    }
}

impl Growth {
    /// Whether it is clearly more than n log n.
    pub fn is_above(self) -> bool {
        matches!(self, Growth::AboveNLogN { .. })
    }
}

/// The growth of n log n, as a factor.
fn n_log_n(from: u64, to: u64) -> f64 {
    let of = |n: u64| n as f64 * (n.max(2) as f64).ln();
    of(to) / of(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: GrowthThreshold = GrowthThreshold { least: 4.0, factor: 1.6 };

    /// The costs of 1000, 2000 and 4000.
    fn judged(costs: [f64; 3]) -> Growth {
        TIME.judge(&[(1000, costs[0]), (2000, costs[1]), (4000, costs[2])])
    }

    /// The exponent in tenths, if the growth is above n log n.
    fn above(growth: Growth) -> Option<i64> {
        match growth {
            Growth::AboveNLogN { exponent } => Some((exponent * 10.0).round() as i64),
            _ => None,
        }
    }

    #[test]
    fn constant_linear_and_n_log_n_costs_are_within() {
        // 1000 × 6.908, 2000 × 7.601 and 4000 × 8.294, by 1/1000: n ln n.
        for costs in [[50.0, 50.0, 50.0], [10.0, 20.0, 40.0], [6.908, 15.202, 33.176], [80.0, 40.0, 20.0]] {
            assert!(matches!(judged(costs), Growth::NLogNOrLess { .. }), "{costs:?}: {:?}", judged(costs));
        }
    }

    #[test]
    fn reports_exponent_of_squares_and_cubes() {
        assert_eq!(above(judged([10.0, 40.0, 160.0])), Some(20));
        assert_eq!(above(judged([10.0, 80.0, 640.0])), Some(30));
        // n^1.5 is 8 times as much, and n log n 4.8 times.
        assert_eq!(above(judged([10.0, 28.28, 80.0])), Some(15));
    }

    #[test]
    fn noise_is_not_growth() {
        // Each figure half as much again as it should be, or less.
        for costs in [[10.0, 30.0, 60.0], [7.0, 20.0, 50.0], [10.0, 14.0, 60.0]] {
            assert_eq!(above(judged(costs)), None, "{costs:?}");
        }
    }

    #[test]
    fn one_step_is_not_growth() {
        // More memory than a cache has, or a collection of garbage that comes once.
        assert_eq!(above(judged([10.0, 90.0, 180.0])), None);
        assert_eq!(above(judged([10.0, 20.0, 180.0])), None);
    }

    #[test]
    fn small_costs_are_not_judged_unless_the_growth_is_beyond_doubt() {
        assert_eq!(judged([0.1, 0.2, 0.4]), Growth::NotMeasured);
        assert_eq!(judged([0.1, 1.6, 25.6]), Growth::NotMeasured);
        assert_eq!(judged([-0.5, 5.0, 9.0]), Growth::NotMeasured);
        // At most 4, then 16 and 64: at least a square.
        assert_eq!(above(judged([1.0, 16.0, 64.0])), Some(20));
    }

    #[test]
    fn does_not_judge_fewer_than_three_sizes() {
        assert_eq!(TIME.judge(&[]), Growth::NotMeasured);
        assert_eq!(TIME.judge(&[(1000, 10.0), (2000, 1000.0)]), Growth::NotMeasured);
    }

    #[test]
    fn judges_last_three_sizes() {
        let costs = [(500, 9.0), (1000, 10.0), (2000, 40.0), (4000, 160.0)];
        assert_eq!(above(TIME.judge(&costs)), Some(20));
        let costs = [(1000, 10.0), (2000, 40.0), (4000, 160.0), (8000, 161.0), (16000, 162.0)];
        assert_eq!(above(TIME.judge(&costs)), None);
    }
}
