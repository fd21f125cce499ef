//! Made from `specs/phd.toml`: `HEAPSMITH_BLESS=1 cargo test --test project` writes it anew.

use crate::compare::Facet;
#[allow(unused_imports, reason = "a format need not have all of them")]
use crate::compare::carriage::{Carriage::{self, Changed, Exact, None}, Rule};

/// How each facet is carried, by kind of dump. What is not here is not carried.
pub(super) const FACETS: &[(Facet, &[(&str, Carriage)])] = &[
    (Facet::Address, &[("phd", Changed(Rule::Renumbered))]),
    (Facet::ArrayLength, &[("phd", Exact), ("phd/any", Changed(Rule::PrimitiveArrays)), ("phd4/j9-2.3", Changed(Rule::PrimitiveArrays)), ("phd4/sovereign", Changed(Rule::PrimitiveArrays)), ("phd6/as-documented", Changed(Rule::Swapped))]),
    (Facet::Class, &[("phd", Changed(Rule::ArrayClass))]),
    (Facet::ClassName, &[("phd", Changed(Rule::NameForm))]),
    (Facet::ClassReferences, &[("phd", Exact)]),
    (Facet::ClassWord, &[("phd", Changed(Rule::ArrayClass))]),
    (Facet::Hash16, &[("phd", Exact), ("phd4/sovereign", Changed(Rule::Low15Bits)), ("phd5/j9-2.6", Changed(Rule::Low15Bits)), ("phd6/openj9", Changed(Rule::Low15Bits))]),
    (Facet::Hash32, &[("phd", Exact), ("phd/*", Changed(Rule::ZeroIsNone)), ("phd/any", Exact), ("phd4/j9-2.3", Changed(Rule::Low15Bits)), ("phd5/j9-2.4", Changed(Rule::Low15Bits))]),
    (Facet::HashRandoms, &[("phd", Exact), ("phd/*", None), ("phd/any", Exact), ("phd4/sovereign", Exact)]),
    (Facet::HeaderTotals, &[("phd", Exact), ("phd/*", None), ("phd/any", Exact), ("phd4/sovereign", Exact)]),
    (Facet::InstanceSize, &[("phd", Changed(Rule::Rounded))]),
    (Facet::Kind, &[("phd", Exact)]),
    (Facet::ObjectSize, &[("phd", Changed(Rule::SizesInWords)), ("phd4", None), ("phd5", None), ("phd6/as-documented", Changed(Rule::Swapped))]),
    (Facet::RecordOrder, &[("phd", Changed(Rule::Reordered)), ("phd/any", Exact), ("phd4/sovereign", Exact), ("phd6/as-documented", Exact)]),
    (Facet::ReferenceOrder, &[("phd", Changed(Rule::Reordered))]),
    (Facet::References, &[("phd", Exact), ("phd4/j9-2.3", Changed(Rule::ArrayClassFirst))]),
    (Facet::Superclass, &[("phd", Exact)]),
    (Facet::VersionText, &[("phd", Exact), ("phd4/sovereign", None)]),
    (Facet::WordSize, &[("phd", Exact)]),
];
