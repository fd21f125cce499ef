//! Costs: times and memory, which differ between runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use heapsmith_core::interrupt::Remnant;

/// What two runs need not have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Run")]
pub struct RunCosts {
    /// Seconds from start to end.
    pub seconds: f64,
    /// How many cases ran at a time.
    pub jobs: u64,
    /// Milliseconds that each case took, by implementation and case id.
    pub milliseconds: BTreeMap<String, BTreeMap<String, f64>>,
    /// The most bytes of memory that the implementation had for each case, by implementation and case id: over the resident
    /// sets of the program and all that it started. Exact where one process serves the case and keeps running; of processes
    /// that end before the answer it is what they had when their limits were looked after, every 20 ms. Cases of which the
    /// system tells nothing are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peak_memory: BTreeMap<String, BTreeMap<String, u64>>,
    /// Temporary files and folders that could not be removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remnants: Vec<RemnantFacts>,
}

/// A temporary file or folder, or something that was put into one, which could not be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemnantFacts {
    /// Its path; of one that is very long the middle is missing.
    pub path: String,
    /// What the system said.
    pub reason: String,
}

impl From<Remnant> for RemnantFacts {
    fn from(Remnant { path, reason }: Remnant) -> RemnantFacts {
        RemnantFacts { path, reason }
    }
}

impl RunCosts {
    /// The case that took an implementation longest, with its milliseconds: of several the first.
    pub fn slowest(&self, label: &str) -> Option<(&str, f64)> {
        let asked = self.milliseconds.get(label)?.iter().filter(|(_, time)| **time > 0.0);
        let slowest = asked.rev().max_by(|(_, one), (_, two)| one.total_cmp(two));
        slowest.map(|(id, time)| (id.as_str(), *time))
    }

    /// The case for which it had most memory, in bytes.
    pub fn most_memory(&self, label: &str) -> Option<(&str, u64)> {
        let hungriest = self.peak_memory.get(label)?.iter().rev().max_by_key(|(_, bytes)| **bytes);
        hungriest.map(|(id, bytes)| (id.as_str(), *bytes))
    }

    /// The costs of two runs together.
    pub(in crate::check) fn merged_with(mut self, other: RunCosts) -> RunCosts {
        self.seconds += other.seconds;
        self.jobs = self.jobs.max(other.jobs);
        for (label, cases) in other.milliseconds {
            self.milliseconds.entry(label).or_default().extend(cases);
        }
        for (label, cases) in other.peak_memory {
            self.peak_memory.entry(label).or_default().extend(cases);
        }
        self.remnants.extend(other.remnants);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: Copy>(cases: &[(&str, T)]) -> BTreeMap<String, BTreeMap<String, T>> {
        let cases = cases.iter().map(|(id, value)| ((*id).to_owned(), *value));
        BTreeMap::from([("p".to_owned(), cases.collect())])
    }

    #[test]
    fn the_slowest_and_the_hungriest_case_are_found() {
        let run = RunCosts {
            milliseconds: of(&[("a", 2.5), ("b", 7.0), ("c", 7.0), ("not-asked", 0.0)]),
            peak_memory: of(&[("a", 900), ("b", 30)]),
            ..RunCosts::default()
        };
        assert_eq!((run.slowest("p"), run.most_memory("p")), (Some(("b", 7.0)), Some(("a", 900))));
        assert_eq!((run.slowest("q"), run.most_memory("q")), (None, None));
    }

    #[test]
    fn two_runs_have_the_cases_of_both() {
        let left = |path: &str| RemnantFacts { path: path.to_owned(), ..RemnantFacts::default() };
        let run = |id, jobs| RunCosts {
            seconds: 1.5,
            jobs,
            milliseconds: of(&[(id, 1.0)]),
            peak_memory: of(&[(id, 4096)]),
            remnants: vec![left(id)],
        };
        let both = run("a", 2).merged_with(run("b", 1));
        assert_eq!(both.remnants, [left("a"), left("b")]);
        assert_eq!((both.seconds, both.jobs), (3.0, 2));
        assert_eq!(both.milliseconds, of(&[("a", 1.0), ("b", 1.0)]));
        assert_eq!(both.peak_memory, of(&[("a", 4096), ("b", 4096)]));
    }
}
