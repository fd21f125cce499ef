//! Made from `specs/hprof.toml`: `HEAPSMITH_BLESS=1 cargo test --test project` writes it anew.

use crate::compare::Facet;
#[allow(unused_imports, reason = "a format need not have all of them")]
use crate::compare::carriage::{Carriage::{self, Changed, Exact, None}, Rule};

/// How each facet is carried, by kind of dump. What is not here is not carried.
pub(super) const FACETS: &[(Facet, &[(&str, Carriage)])] = &[
    (Facet::Address, &[("hprof", Changed(Rule::Renumbered))]),
    (Facet::AllocationSites, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
    (Facet::ArrayLength, &[("hprof", Exact)]),
    (Facet::Class, &[("hprof", Changed(Rule::ArrayClass))]),
    (Facet::ClassName, &[("hprof", Changed(Rule::NameForm))]),
    (Facet::ClassSerial, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
    (Facet::ClassTrace, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog)), ("hprof/any", Exact)]),
    (Facet::ClassWord, &[("hprof", Changed(Rule::ArrayClass))]),
    (Facet::ConstantPool, &[("hprof", Exact), ("hprof/*", None), ("hprof/agent", Exact), ("hprof/any", Exact)]),
    (Facet::ControlSettings, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
    (Facet::CpuSamples, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
    (Facet::DumpTimes, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog)), ("hprof/agent", Exact), ("hprof/any", Exact)]),
    (Facet::Elements, &[("hprof", Exact)]),
    (Facet::Events, &[("hprof", Changed(Rule::OwnLog))]),
    (Facet::FieldValues, &[("hprof", Exact)]),
    (Facet::Fields, &[("hprof", Exact)]),
    (Facet::HeaderVersion, &[("hprof", Changed(Rule::OwnLog))]),
    (Facet::HeapSummaries, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
    (Facet::IdentifierSize, &[("hprof", Changed(Rule::Derived)), ("hprof/*", Exact), ("hprof/agent", None), ("hprof/art", None)]),
    (Facet::InstanceSize, &[("hprof", Changed(Rule::FieldBytes))]),
    (Facet::Kind, &[("hprof", Exact)]),
    (Facet::Loader, &[("hprof", Exact)]),
    (Facet::ObjectTrace, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog)), ("hprof/any", Exact)]),
    (Facet::PrimitiveContents, &[("hprof", Exact)]),
    (Facet::ProtectionDomain, &[("hprof", Exact), ("hprof/sa", None)]),
    (Facet::RecordOrder, &[("hprof", Changed(Rule::Reordered)), ("hprof/any", Exact), ("hprof/art", Exact)]),
    (Facet::ReferenceOrder, &[("hprof", Changed(Rule::Reordered))]),
    (Facet::References, &[("hprof", Exact)]),
    (Facet::Regions, &[("hprof", Exact), ("hprof/*", None), ("hprof/any", Changed(Rule::Android)), ("hprof/art", Exact)]),
    (Facet::RootOrder, &[("hprof", Changed(Rule::Reordered))]),
    (Facet::Roots, &[("hprof", Exact), ("hprof/*", Changed(Rule::PlainRoots)), ("hprof/art", Exact), ("hprof/sa", Changed(Rule::ThreadRoots))]),
    (Facet::Signers, &[("hprof", Exact), ("hprof/sa", None)]),
    (Facet::StackTraces, &[("hprof", Exact)]),
    (Facet::Statics, &[("hprof", Exact)]),
    (Facet::Strings, &[("hprof", Exact), ("hprof/sa", Changed(Rule::OwnLog))]),
    (Facet::Superclass, &[("hprof", Exact)]),
    (Facet::Threads, &[("hprof", Exact), ("hprof/*", Changed(Rule::Nameless)), ("hprof/agent", Exact), ("hprof/any", Exact), ("hprof/sa", Changed(Rule::BareThreads))]),
    (Facet::TimeStamp, &[("hprof", Exact)]),
    (Facet::UnknownRecords, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
    (Facet::Unloads, &[("hprof", Exact), ("hprof/*", Changed(Rule::OwnLog))]),
];
