//! What was meant by the id of a rule that there is not.

use heapsmith::error::{Error, nearest};

use super::rules;

/// The error that there is no such rule, with those whose ids are nearest.
pub(super) fn unknown(wanted: &str) -> Error {
    let ids = nearest(wanted, rules(|_, _| true).iter().map(|(_, rule)| rule.id)).join(", ");
    Error::Usage(format!("there is no rule {wanted:?}; the nearest are {ids} (--list shows all)"))
}
