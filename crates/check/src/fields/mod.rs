//! The fields of dumps, and what can be said of one without knowing its format: experiments ask which of it makes a program
//! fail, and the grid of the corpus whether a case has it.

mod field_tests;
mod probed_field;
mod relations;

pub use field_tests::{FieldListEnd, NumberTest, TextTest, ValueRelation};
pub use probed_field::{
    ProbedField, ProbedFieldKey, binary_number, decompressed, fields, list_ends, records, unless_damaged,
};
pub use relations::visit_relations;
