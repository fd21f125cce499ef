//! One property of a format, chosen by the environment variable `HEAPSMITH_PROPERTY`, as `phd:decode_never_panics`; or,
//! without it, by an input's first byte, so that all of them share one corpus.
#![no_main]

use std::env;
use std::sync::LazyLock;

use heapsmith::properties::{self, Property};

static CHOSEN: LazyLock<Option<Property>> = LazyLock::new(|| {
    let name = env::var("HEAPSMITH_PROPERTY").ok()?;
    let chosen = properties::named(&name);
    assert!(chosen.is_some(), "there is no property {name}; there are:\n{}", names().join("\n"));
    chosen
});

fn names() -> Vec<String> {
    let names = |format: &properties::Properties| {
        let format = *format;
        format.all().map(move |(name, _)| format!("{}:{name}", format.format)).collect::<Vec<_>>()
    };
    properties::ALL.iter().flat_map(names).collect()
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(property) = *CHOSEN {
        return property(bytes);
    }
    let all: Vec<Property> = properties::ALL.iter().flat_map(|format| format.all()).map(|(_, property)| property).collect();
    if let Some((first, rest)) = bytes.split_first() {
        all[usize::from(*first) % all.len()](rest);
    }
});
