//! Names of random classes and fields.

use super::oddity::{Oddities, Oddity};
use crate::draw::Draw;

/// The name of classes that there are several of, each by another loader.
pub(super) const TWIN: &str = "pkg/Twin";

/// The name of a random class. Without oddities all of them are ASCII and differ. `twins` says how many [`TWIN`]s there may
/// still be.
pub(super) fn class_name(index: u64, oddities: Oddities, twins: usize, draw: &mut dyn Draw) -> String {
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
    .filter(|(oddity, _)| oddities.has(*oddity))
    .map(|(_, name)| name)
    .collect();
    if !odd.is_empty() && draw.one_in(2) {
        return draw.pick(&odd).clone();
    }
    match draw.below(8) {
        0 | 1 => format!("pkg/Outer$Inner{index}"),
        2 => format!("pkg/Outer$$Lambda$14+0x00007f6d9c00{index:04x}"),
        _ => format!("pkg/sub/Class{index}"),
    }
}

/// The name of a class's own field. Without oddities no class has a field of the same name as its superclass.
pub(super) fn field_name(class: usize, index: usize, oddities: Oddities) -> String {
    let odd = [
        (Oddity::NonAsciiNames, "\u{fc}\u{20ac}"),
        (Oddity::SupplementaryNames, "\u{1f600}"),
        (Oddity::NulNames, "a\u{0}b"),
    ];
    let odd = odd.into_iter().filter(|(oddity, _)| index == 0 && oddities.has(*oddity)).map(|(_, name)| name).next();
    let name = if oddities.has(Oddity::ShadowedFields) { format!("f{index}") } else { format!("c{class}f{index}") };
    odd.map_or(name.clone(), |odd| format!("{name}{odd}"))
}
