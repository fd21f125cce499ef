//! Panics of Rust.

use crate::check::report::template::template;

/// `thread 'main' panicked at src/main.rs:2:5:`, and the message in the next line, as Rust has it since 1.73; before, it was
/// `thread 'main' panicked at 'message', src/main.rs:2:5`.
pub(super) fn find_panic(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("panicked at ")?;
    let (first, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let (place, message) = match first.strip_prefix('\'').and_then(|quoted| quoted.rsplit_once("', ")) {
        Some((message, place)) => (place, message),
        None => (first.trim_end_matches(':'), rest.lines().next().unwrap_or_default()),
    };
    let place = if is_of_rust(place) { own_place(rest).unwrap_or(place) } else { place };
    Some(format!("panicked at {}: {}", without_registry(place), template(message)))
}

/// The place of the first frame of a backtrace that is not of the standard library.
fn own_place(backtrace: &str) -> Option<&str> {
    let places = backtrace.lines().filter_map(|line| line.trim_start().strip_prefix("at "));
    places.map(|place| place.trim_start_matches("./")).find(|place| !is_of_rust(place))
}

fn is_of_rust(place: &str) -> bool {
    place.starts_with("/rustc/") || place.starts_with("library/")
}

/// A place in the sources of a crate, without the folder in which cargo keeps them on a machine.
fn without_registry(place: &str) -> &str {
    let below = place.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/'));
    below.map_or(place, |(_, rest)| rest)
}
