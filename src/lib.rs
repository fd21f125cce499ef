//! Synthesises JVM heap dumps and tests whether parsers and converters get them right.
pub mod bytes;
pub mod error;
pub mod generate;
pub mod model;
pub mod phd;
