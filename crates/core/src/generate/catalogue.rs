//! The catalogue of a library: every class of it whose fields are known, by name.

use crate::model::Field;

use super::collections::collection_classes;
use super::library::{Library, fields, parse};

/// A class of the Java library.
#[derive(Clone, Debug)]
pub(crate) struct CatalogueClass {
    pub(crate) name: &'static str,
    /// The superclass's name; empty for `java/lang/Object`.
    pub(crate) superclass: &'static str,
    /// Instance fields, in the order of a dump.
    pub(crate) fields: Vec<Field>,
    /// Static fields with their bits; references are null.
    pub(crate) statics: Vec<(Field, u64)>,
}

/// The name of the class that has the byte order of texts.
pub(crate) const UTF16_CLASS: &str = "java/lang/StringUTF16";

const OBJECT: &str = "java/lang/Object";
const NUMBER: &str = "java/lang/Number";

/// Classes beside those of every heap and the collections, with the JDK from which on they are there: name, superclass,
/// fields, static fields. Fields are those of CLASS DUMPs of 17.0.15 and 25.0.2, in the order of declaration.
#[rustfmt::skip]
const ROWS: [(&str, &str, &str, &str, u32); 20] = [
    ("java/lang/Boolean", OBJECT, "value:Z", "", 0),
    ("java/lang/Character", OBJECT, "value:C", "", 0),
    ("java/lang/Byte", NUMBER, "value:B", "", 0),
    ("java/lang/Short", NUMBER, "value:S", "", 0),
    ("java/lang/Float", NUMBER, "value:F", "", 0),
    ("java/util/LinkedHashSet", "java/util/HashSet", "", "", 0),
    ("java/lang/ref/Reference", OBJECT, "referent:L queue:L next:L discovered:L", "", 0),
    ("java/lang/ref/WeakReference", "java/lang/ref/Reference", "", "", 0),
    ("java/lang/ref/SoftReference", "java/lang/ref/Reference", "timestamp:J", "clock:J", 0),
    ("java/lang/ref/PhantomReference", "java/lang/ref/Reference", "", "", 0),
    ("java/lang/ref/FinalReference", "java/lang/ref/Reference", "", "", 0),
    ("java/lang/ThreadLocal", OBJECT, "threadLocalHashCode:I", "HASH_INCREMENT:I=61c88647", 0),
    ("java/lang/ThreadLocal$ThreadLocalMap", OBJECT, "table:L size:I threshold:I", "INITIAL_CAPACITY:I=10", 0),
    ("java/lang/ThreadLocal$ThreadLocalMap$Entry", "java/lang/ref/WeakReference", "value:L", "", 0),
    ("java/lang/Runnable", OBJECT, "", "", 0),
    ("java/lang/Thread$FieldHolder", OBJECT, "group:L task:L stackSize:J priority:I daemon:Z threadStatus:I", "", 19),
    ("java/lang/BaseVirtualThread", "java/lang/Thread", "", "", 21),
    ("java/lang/VirtualThread", "java/lang/BaseVirtualThread",
        "scheduler:L cont:L runContinuation:L state:I parkPermit:Z carrierThread:L termination:L", "", 21),
    ("java/lang/Throwable", OBJECT,
        "backtrace:L detailMessage:L cause:L stackTrace:L depth:I suppressedExceptions:L", "", 0),
    ("java/lang/Exception", "java/lang/Throwable", "", "", 0),
];

/// Fields of classes in later libraries, in place of those above, with the JDK from which on they are there (dump of 25.0.2).
#[rustfmt::skip]
const LATER_LAYOUTS: [(&str, &str, u32); 3] = [
    ("java/util/LinkedHashMap", "head:L tail:L accessOrder:Z putMode:I", 21),
    ("java/lang/Thread$FieldHolder",
        "group:L task:L stackSize:J priority:I daemon:Z threadStatus:I terminatingThreadLocals:L", 25),
    ("java/lang/VirtualThread",
        "scheduler:L cont:L runContinuation:L state:I parkPermit:Z blockPermit:Z onWaitingList:Z next:L notified:Z \
         timedWaitSeqNo:B timeout:J timeoutTask:L carrierThread:L termination:L", 25),
];

impl Library {
    /// The JDK of the library, as its number.
    fn version(self) -> u32 {
        match self {
            Library::Jdk6 => 6,
            Library::Jdk8 => 8,
            Library::Jdk11 | Library::J9 => 11,
            Library::Jdk17 | Library::Jdk17Declared | Library::Android => 17,
            Library::Jdk21 => 21,
            Library::Jdk25 => 25,
        }
    }

    /// Whether collections are laid out as the catalogue has them: since JDK 8.
    pub(crate) fn has_collections(self) -> bool {
        self.version() >= 8
    }

    /// The class that has the byte order of texts, here that of little-endian machines (dumps of 17.0.15 and 25.0.2). A HotSpot
    /// since JDK 9 always has it, and readers look it up for texts that are not Latin-1.
    fn utf16_class(self) -> Option<CatalogueClass> {
        let is_there = self.version() >= 9 && !matches!(self, Library::Android | Library::J9);
        is_there.then(|| {
            let statics = "HI_BYTE_SHIFT:I LO_BYTE_SHIFT:I=8 MAX_LENGTH:I=3fffffff $assertionsDisabled:Z=1";
            let mut statics: Vec<(Field, u64)> = statics.split_whitespace().map(parse).collect();
            if self.reverses() {
                statics.reverse();
            }
            CatalogueClass { name: UTF16_CLASS, superclass: OBJECT, fields: Vec::new(), statics }
        })
    }

    /// Every class whose fields are known, superclasses first.
    pub(crate) fn catalogue(self) -> Vec<CatalogueClass> {
        let world = self.classes().into_iter().map(|class| CatalogueClass {
            name: class.name,
            superclass: if class.name == OBJECT { "" } else { OBJECT },
            fields: class.fields,
            statics: class.statics,
        });
        let collections = collection_classes(self).map(|class| CatalogueClass {
            name: class.name,
            superclass: class.superclass,
            fields: class.fields,
            statics: if class.name == "java/util/HashSet" { vec![parse("PRESENT:L")] } else { Vec::new() },
        });
        let rows = ROWS.iter().filter(|row| row.4 <= self.version()).map(|(name, superclass, own, statics, _)| {
            CatalogueClass {
                name,
                superclass,
                fields: fields(own, self),
                statics: statics.split_whitespace().map(parse).collect(),
            }
        });
        let mut all: Vec<CatalogueClass> = world.chain(self.utf16_class()).chain(collections).chain(rows).collect();
        for class in &mut all {
            let later = LATER_LAYOUTS.iter().find(|(name, _, since)| *name == class.name && *since <= self.version());
            if let Some((_, own, _)) = later {
                class.fields = fields(own, self);
            }
        }
        all
    }
}
