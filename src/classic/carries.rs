//! Made from `specs/classic.toml`: `HEAPSMITH_BLESS=1 cargo test --test project` writes it anew.

use crate::compare::Facet;
#[allow(unused_imports, reason = "a format need not have all of them")]
use crate::compare::carriage::{Carriage::{self, Changed, Exact, None}, Rule};

/// How each facet is carried, by kind of dump. What is not here is not carried.
pub(super) const FACETS: &[(Facet, &[(&str, Carriage)])] = &[
    (Facet::Address, &[("classic", Changed(Rule::Renumbered))]),
    (Facet::Class, &[("classic", Changed(Rule::ClassByName)), ("classic/ibm-j9", Exact)]),
    (Facet::ClassName, &[("classic", Changed(Rule::NameForm))]),
    (Facet::ClassObjectSize, &[("classic", Exact)]),
    (Facet::ClassReferences, &[("classic", Exact)]),
    (Facet::ClassWord, &[("classic", Changed(Rule::ArrayClass))]),
    (Facet::Elements, &[("classic", Changed(Rule::AsReferences)), ("classic/openj9", None)]),
    (Facet::Kind, &[("classic", Exact)]),
    (Facet::NullReferences, &[("classic", Exact), ("classic/*", Changed(Rule::Counted)), ("classic/any", Exact)]),
    (Facet::ObjectSize, &[("classic", Exact)]),
    (Facet::RecordOrder, &[("classic", Changed(Rule::Reordered)), ("classic/any", Exact)]),
    (Facet::ReferenceOrder, &[("classic", Changed(Rule::Reordered))]),
    (Facet::References, &[("classic", Exact)]),
    (Facet::VersionText, &[("classic", Exact)]),
    (Facet::WordSize, &[("classic", Exact), ("classic/any", Changed(Rule::AsSpelled))]),
];
