//! Synthesises JVM heap dumps and tests whether parsers and converters get them right.
pub mod bytes;
pub mod check;
pub mod compare;
pub mod corpus;
pub mod corrupt;
pub mod error;
pub mod format;
pub mod generate;
pub mod input;
pub mod model;
pub mod output;
pub mod phd;
pub mod properties;
pub mod validate;
