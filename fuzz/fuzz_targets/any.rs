//! One property of a format, chosen by the environment variable `HEAPSMITH_PROPERTY`, as `phd:decode_never_panics`; or,
//! without it, by an input's first byte, so that all of them share one corpus.
#![no_main]

use std::env;
use std::sync::LazyLock;

use heapsmith::properties::{self, Property};

static CHOSEN: LazyLock<Option<Property>> = LazyLock::new(|| {
    let name = env::var("HEAPSMITH_PROPERTY").ok()?;
    let chosen = properties::by_name(&name);
    assert!(chosen.is_some(), "there is no property {name}; there are:\n{}", names().join("\n"));
    chosen
});

static EACH: LazyLock<Vec<Property>> = LazyLock::new(|| {
    let every =
        |properties: properties::FormatProperties| properties.iter().map(|(_, property)| property).collect::<Vec<_>>();
    properties::all_properties().into_iter().flat_map(every).collect()
});

fn names() -> Vec<String> {
    let names = |properties: properties::FormatProperties| {
        properties.iter().map(move |(name, _)| format!("{}:{name}", properties.of)).collect::<Vec<_>>()
    };
    properties::all_properties().into_iter().flat_map(names).collect()
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(property) = *CHOSEN {
        return property(bytes);
    }
    if let Some((first, rest)) = bytes.split_first() {
        EACH[usize::from(*first) % EACH.len()](rest);
    }
});
