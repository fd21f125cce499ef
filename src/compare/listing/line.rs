//! [`Line`]: any line after the first.

use serde::{Deserialize, Serialize};

use crate::model::{Class, Object, ObjectKind, Region, StackTrace, Thread};

use super::event::EventLine;
use super::root::RootLine;
use super::{Keyed, Place};

/// A line of a listing after the first, by its kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Line<'h> {
    /// A class.
    Class(Keyed<'h, Class>),
    /// A plain instance.
    Object(Keyed<'h, Object, 0>),
    /// An array of references.
    ObjectArray(Keyed<'h, Object, 1>),
    /// An array of primitive values.
    PrimitiveArray(Keyed<'h, Object, 2>),
    /// A GC root.
    Root(RootLine),
    /// A thread.
    Thread(Keyed<'h, Thread>),
    /// A stack trace.
    Trace(Keyed<'h, StackTrace>),
    /// A part of the heap begins.
    Region(Keyed<'h, Region>),
    /// An entry of the process's log.
    Event(Box<EventLine<'h>>),
}

impl<'h> Line<'h> {
    pub(super) fn of_object(object: &'h Object, place: Place) -> Line<'h> {
        match object.kind {
            ObjectKind::Instance => Line::Object(Keyed::placed(object, place)),
            ObjectKind::ObjectArray => Line::ObjectArray(Keyed::placed(object, place)),
            ObjectKind::PrimitiveArray(_) => Line::PrimitiveArray(Keyed::placed(object, place)),
        }
    }
}

impl Line<'static> {
    /// Parses a line of any kind. Unknown keys are skipped.
    pub(super) fn parse(text: &str) -> serde_json::Result<Line<'static>> {
        #[derive(Deserialize)]
        struct Kinded {
            kind: Kind,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Class,
            Object,
            ObjectArray,
            PrimitiveArray,
            Root,
            Thread,
            Trace,
            Region,
            Event,
        }
        // It is the first key of most lines, and then a line need not be read twice.
        let first = text.strip_prefix("{\"kind\":").and_then(|rest| rest.split_once(','));
        let first = first.filter(|(_, rest)| !rest.contains("\"kind\""));
        let kind = match first.and_then(|(kind, _)| serde_json::from_str(kind).ok()) {
            Some(kind) => kind,
            None => serde_json::from_str::<Kinded>(text)?.kind,
        };
        Ok(match kind {
            Kind::Class => Line::Class(serde_json::from_str(text)?),
            Kind::Object => Line::Object(serde_json::from_str(text)?),
            Kind::ObjectArray => Line::ObjectArray(serde_json::from_str(text)?),
            Kind::PrimitiveArray => Line::PrimitiveArray(serde_json::from_str(text)?),
            Kind::Root => Line::Root(serde_json::from_str(text)?),
            Kind::Thread => Line::Thread(serde_json::from_str(text)?),
            Kind::Trace => Line::Trace(serde_json::from_str(text)?),
            Kind::Region => Line::Region(serde_json::from_str(text)?),
            Kind::Event => Line::Event(serde_json::from_str(text)?),
        })
    }
}
