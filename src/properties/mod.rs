//! What always holds, as functions of a fuzzer's bytes.
//!
//! Each property is stated by its name and panics when it is violated. The target in `fuzz/` calls
//! them under libFuzzer, by format and name; the tests call them with random and corpus bytes on stable Rust.
//! What is the same for every format is in [`subject`].

pub mod classic;
pub mod conversion;
pub mod hprof;
pub mod phd;
pub mod subject;

/// A property of a fuzzer's bytes.
pub type Property = fn(&[u8]);

/// The properties of one format.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// The format's name, which stands before those of the properties.
    pub format: &'static str,
    /// Those that take the bytes for a dump.
    pub of_bytes: &'static [(&'static str, Property)],
    /// Those that draw a heap, and a way to write it, from the bytes.
    pub of_heaps: &'static [(&'static str, Property)],
}

/// Every format's properties.
pub const ALL: &[Properties] = &[
    subject::properties::<phd::Phd>(),
    subject::properties::<hprof::Hprof>(),
    subject::properties::<classic::Classic>(),
    conversion::PROPERTIES,
];

impl Properties {
    /// Every property, by name.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Property)> {
        self.of_bytes.iter().chain(self.of_heaps).copied()
    }
}

/// The property of this name: that of the format, a colon, and its own.
pub fn named(name: &str) -> Option<Property> {
    let (format, name) = name.split_once(':')?;
    let properties = ALL.iter().find(|properties| properties.format == format)?;
    properties.all().find(|(own, _)| *own == name).map(|(_, property)| property)
}
