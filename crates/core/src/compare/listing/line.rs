//! [`ListingLine`]: any line after the first.

use serde::{Deserialize, Serialize};

use crate::model::{Class, Object, ObjectKind, Region, StackTrace, Thread};

use super::event::EventLine;
use super::root::RootLine;
use super::{Keyed, RecordPlace};

/// A line of a listing after the first, by its kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[cfg_attr(feature = "schemas", schemars(rename = "Line"))]
pub enum ListingLine<'h> {
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

impl<'h> ListingLine<'h> {
    pub(super) fn from_object(object: &'h Object, place: RecordPlace) -> ListingLine<'h> {
        match object.kind {
            ObjectKind::Instance => ListingLine::Object(Keyed::at_place(object, place)),
            ObjectKind::ObjectArray => ListingLine::ObjectArray(Keyed::at_place(object, place)),
            ObjectKind::PrimitiveArray(_) => ListingLine::PrimitiveArray(Keyed::at_place(object, place)),
        }
    }
}

impl ListingLine<'static> {
    /// Parses a line of any kind. Unknown keys are skipped.
    pub(super) fn parse(text: &str) -> serde_json::Result<ListingLine<'static>> {
        #[derive(Deserialize)]
        struct KindedLine {
            kind: LineKind,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum LineKind {
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
            None => serde_json::from_str::<KindedLine>(text)?.kind,
        };
        Ok(match kind {
            LineKind::Class => ListingLine::Class(serde_json::from_str(text)?),
            LineKind::Object => ListingLine::Object(serde_json::from_str(text)?),
            LineKind::ObjectArray => ListingLine::ObjectArray(serde_json::from_str(text)?),
            LineKind::PrimitiveArray => ListingLine::PrimitiveArray(serde_json::from_str(text)?),
            LineKind::Root => ListingLine::Root(serde_json::from_str(text)?),
            LineKind::Thread => ListingLine::Thread(serde_json::from_str(text)?),
            LineKind::Trace => ListingLine::Trace(serde_json::from_str(text)?),
            LineKind::Region => ListingLine::Region(serde_json::from_str(text)?),
            LineKind::Event => ListingLine::Event(serde_json::from_str(text)?),
        })
    }
}
