//! Names of random classes and fields.

use super::oddity::Oddity;
use super::options::{GenerateOptions, LONGEST_NAME, Naming};
use super::program;
use crate::draw::Draw;

/// The name that several classes share, each defined by another loader.
pub(super) const TWIN: &str = "pkg/Twin";

/// Draws the name of a random class. Without oddities all names are ASCII and differ. `twins` is the number of
/// [`TWIN`]s that may still follow.
pub(super) fn class_name(index: u64, options: &GenerateOptions, twins: usize, draw: &mut dyn Draw) -> String {
    let name = short_name(index, options, twins, draw);
    match &options.name_lengths {
        Some(lengths) if name != TWIN => lengthened(name, lengths.draw(draw).min(LONGEST_NAME)),
        _ => name,
    }
}

fn short_name(index: u64, options: &GenerateOptions, twins: usize, draw: &mut dyn Draw) -> String {
    let oddities = options.oddities;
    if oddities.has(Oddity::TwinClasses) && twins > 1 {
        return TWIN.to_owned();
    }
    let odd: Vec<String> = [
        (Oddity::NonAsciiNames, format!("pkg/\u{dc}n\u{131}\u{20ac}{index}")),
        (Oddity::SupplementaryNames, format!("pkg/\u{1f600}{index}")),
        (Oddity::NulNames, format!("pkg/Nul\u{0}{index}")),
        (Oddity::TwinClasses, if twins > 0 { TWIN.to_owned() } else { format!("{TWIN}{index}") }),
    ]
    .into_iter()
    .filter(|(oddity, _)| is_odd(*oddity, options))
    .map(|(_, name)| name)
    .collect();
    match options.names {
        Naming::Java => return java_name(index, draw),
        Naming::Program => return program::class_name(index, draw),
        Naming::Plain | Naming::Odd => {}
    }
    if !odd.is_empty() && draw.one_in(2) {
        return draw.pick(&odd).clone();
    }
    match draw.below(8) {
        0 | 1 => format!("pkg/Outer$Inner{index}"),
        2 => format!("pkg/Outer$$Lambda$14+0x00007f6d9c00{index:04x}"),
        _ => format!("pkg/sub/Class{index}"),
    }
}

/// Whether names have the oddity, by itself or because all names are odd.
fn is_odd(oddity: Oddity, options: &GenerateOptions) -> bool {
    options.oddities.has(oddity) || options.names == Naming::Odd && oddity != Oddity::TwinClasses
}

const PACKAGES: [&str; 6] =
    ["com/example/orders", "com/example/orders/api", "org/sample/cache", "net/acme/web/filter", "java/util", "a"];
const SUBJECTS: [&str; 8] = ["Order", "Customer", "Session", "Cache", "Http", "Connection", "Event", "Tree"];
const ROLES: [&str; 8] = ["Service", "Factory", "Entry", "Handler", "Listener", "Impl", "Builder", "Node"];

/// A name as in programs; the number makes it unique.
fn java_name(index: u64, draw: &mut dyn Draw) -> String {
    let (package, subject, role) = (*draw.pick(&PACKAGES), *draw.pick(&SUBJECTS), *draw.pick(&ROLES));
    match draw.below(8) {
        0 => format!("{package}/{subject}{role}${index}"),
        1 | 2 => format!("{package}/{subject}{index}${role}"),
        3 => format!("{package}/{subject}{role}$$Lambda${index}+0x00007f6d9c00{index:04x}"),
        _ => format!("{package}/{subject}{role}{index}"),
    }
}

/// A name, padded to a number of bytes.
fn lengthened(mut name: String, bytes: u64) -> String {
    let length = crate::model::Name::from_text(&name).as_bytes().len() as u64;
    name.extend((b'a'..=b'z').cycle().map(char::from).take(bytes.saturating_sub(length) as usize));
    name
}

/// The name of a class's own field. Without oddities no field has the name of a superclass's field.
pub(super) fn field_name(class: usize, index: usize, options: &GenerateOptions) -> String {
    const WORDS: [&str; 8] = ["id", "name", "next", "value", "size", "owner", "table", "state"];
    let odd = [
        (Oddity::NonAsciiNames, "\u{fc}\u{20ac}"),
        (Oddity::SupplementaryNames, "\u{1f600}"),
        (Oddity::NulNames, "a\u{0}b"),
    ];
    let odd = odd.into_iter().filter(|(oddity, _)| index == 0 && is_odd(*oddity, options)).map(|(_, name)| name).next();
    let name = match options.names {
        _ if options.oddities.has(Oddity::ShadowedFields) => format!("f{index}"),
        Naming::Java => format!("{}{class}_{index}", WORDS[(class + index) % WORDS.len()]),
        Naming::Plain | Naming::Odd => format!("c{class}f{index}"),
        Naming::Program => program::field_name(class, index),
    };
    let name = odd.map_or(name.clone(), |odd| format!("{name}{odd}"));
    // The same in every class, where fields hide those of superclasses.
    let is_long = options.oddities.has(Oddity::LongNames);
    if is_long { lengthened(name, 60 + index as u64 * 37 % 240) } else { name }
}

/// The name of the thread of this number, from 1.
pub(super) fn thread_name(number: u32, options: &GenerateOptions) -> String {
    if options.names == Naming::Program { program::thread_name(number) } else { format!("thread-{number}") }
}
