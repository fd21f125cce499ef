//! The classes of every program, with the fields of one Java library.
//!
//! Names, types and order are those of CLASS DUMPs of real dumps. HotSpot lists instance fields in reverse order of
//! declaration up to JDK 17, and in order of declaration from JDK 21 on, as the serviceability agent always does.

use crate::model::{Field, FieldType, PrimitiveType};

/// The Java library whose classes a heap has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Library {
    /// JDK 6 as its profiling agent records it (a real dump of 6u31).
    Jdk6,
    /// JDK 8 (a real dump of 8u5).
    Jdk8,
    /// JDK 11 (a dump of 11.0.13).
    Jdk11,
    /// JDK 17 (a dump of 17.0.15).
    #[default]
    Jdk17,
    /// JDK 17 with fields in order of declaration, as the serviceability agent lists them.
    Jdk17Declared,
    /// JDK 21 (a dump of 21.0.8).
    Jdk21,
    /// JDK 25 (a dump of 25.0.2).
    Jdk25,
    /// Android (its runtime's hprof.cc: a String has `count`, `hash`, and a `value` that the writer adds; the fields of
    /// the common superclass, class and monitor, are listed as well); its threads are taken from JDK 17.
    Android,
    /// OpenJ9 for Java 11 (its Class.java); its other classes are taken from JDK 17.
    J9,
}

impl Library {
    /// Every library.
    pub const ALL: [Library; 9] = [
        Library::Jdk6,
        Library::Jdk8,
        Library::Jdk11,
        Library::Jdk17,
        Library::Jdk17Declared,
        Library::Jdk21,
        Library::Jdk25,
        Library::Android,
        Library::J9,
    ];
}

/// A library class.
pub(crate) struct LibraryClass {
    pub(crate) name: &'static str,
    /// Instance fields, in the order of a dump.
    pub(crate) fields: Vec<Field>,
    /// Static fields with their bits; references are null.
    pub(crate) statics: Vec<(Field, u64)>,
}

impl Library {
    /// The classes of every heap, `java/lang/Object` first.
    pub(crate) fn classes(self) -> Vec<LibraryClass> {
        let rows = [
            ("java/lang/Object", self.object(), ""),
            ("java/lang/Class", self.class(), ""),
            ("java/lang/String", self.string(), self.string_statics()),
            ("java/lang/ClassLoader", self.class_loader(), ""),
            ("java/lang/Thread", self.thread(), ""),
            ("java/lang/System", "", self.system_statics()),
        ];
        rows.into_iter()
            .map(|(name, fields, statics)| {
                let mut statics: Vec<(Field, u64)> = statics.split_whitespace().map(parse).collect();
                if self.reverses() {
                    statics.reverse();
                }
                LibraryClass { name, fields: self::fields(fields, self), statics }
            })
            .collect()
    }

    /// The element type of the arrays that hold a String's characters.
    pub(crate) fn text_element(self) -> PrimitiveType {
        match self {
            Library::Jdk6 | Library::Jdk8 | Library::Android => PrimitiveType::Char,
            _ => PrimitiveType::Byte,
        }
    }

    /// Whether a thread's name is an array of characters and not a String (before JDK 8u102).
    pub(crate) fn has_character_names(self) -> bool {
        matches!(self, Library::Jdk6 | Library::Jdk8)
    }

    /// The serial numbers of the first thread and of the trace without frames: those of the hprof agent (dump
    /// of agent 6), or those of HotSpot.
    pub(crate) fn first_serials(self) -> (u32, u32) {
        if self == Library::Jdk6 { (200_001, 300_000) } else { (1, 1) }
    }

    /// Whether a trace names its thread: none does in the dump of agent 6.
    pub(crate) fn has_traces_of_threads(self) -> bool {
        self != Library::Jdk6
    }

    /// Whether fields stand in reverse order of declaration.
    pub(super) fn reverses(self) -> bool {
        matches!(self, Library::Jdk8 | Library::Jdk11 | Library::Jdk17)
    }

    fn object(self) -> &'static str {
        if self == Library::Android { "shadow$_klass_:L shadow$_monitor_:I" } else { "" }
    }

    fn string(self) -> &'static str {
        match self {
            Library::Jdk6 => "value:L offset:I count:I hash:I",
            Library::Jdk8 => "value:L hash:I",
            Library::Jdk11 => "value:L coder:B hash:I",
            Library::Android => "count:I hash:I value:L",
            Library::Jdk17 | Library::Jdk17Declared | Library::Jdk21 | Library::Jdk25 | Library::J9 => {
                "value:L coder:B hash:I hashIsZero:Z"
            }
        }
    }

    fn string_statics(self) -> &'static str {
        match self {
            Library::Jdk6 | Library::Jdk8 => {
                "serialVersionUID:J=a0f0a4387a3bb342 serialPersistentFields:L CASE_INSENSITIVE_ORDER:L"
            }
            Library::Jdk11 => {
                "serialVersionUID:J=a0f0a4387a3bb342 COMPACT_STRINGS:Z=1 serialPersistentFields:L \
                 CASE_INSENSITIVE_ORDER:L LATIN1:B UTF16:B=1"
            }
            Library::Jdk17 | Library::Jdk17Declared | Library::Jdk21 | Library::Jdk25 => {
                "serialVersionUID:J=a0f0a4387a3bb342 COMPACT_STRINGS:Z=1 serialPersistentFields:L REPL:C=fffd \
                 CASE_INSENSITIVE_ORDER:L LATIN1:B UTF16:B=1"
            }
            Library::Android | Library::J9 => "serialVersionUID:J=a0f0a4387a3bb342 CASE_INSENSITIVE_ORDER:L",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Library::Jdk6 => {
                "cachedConstructor:L newInstanceCallerCache:L name:L declaredFields:L publicFields:L declaredMethods:L \
                 publicMethods:L declaredConstructors:L publicConstructors:L declaredPublicFields:L \
                 declaredPublicMethods:L classRedefinedCount:I lastRedefinedCount:I genericInfo:L enumConstants:L \
                 enumConstantDirectory:L annotations:L declaredAnnotations:L annotationType:L"
            }
            Library::Jdk8 => {
                "cachedConstructor:L newInstanceCallerCache:L name:L reflectionData:L classRedefinedCount:I \
                 genericInfo:L enumConstants:L enumConstantDirectory:L annotationData:L annotationType:L \
                 classValueMap:L"
            }
            Library::Jdk11 => {
                "cachedConstructor:L newInstanceCallerCache:L name:L module:L classLoader:L packageName:L \
                 componentType:L reflectionData:L classRedefinedCount:I genericInfo:L enumConstants:L \
                 enumConstantDirectory:L annotationData:L annotationType:L classValueMap:L"
            }
            Library::Jdk17 | Library::Jdk17Declared | Library::Jdk21 => {
                "cachedConstructor:L name:L module:L classLoader:L classData:L packageName:L componentType:L \
                 reflectionData:L classRedefinedCount:I genericInfo:L enumConstants:L enumConstantDirectory:L \
                 annotationData:L annotationType:L classValueMap:L"
            }
            Library::Jdk25 => {
                "cachedConstructor:L name:L module:L classLoader:L classData:L signers:L modifiers:C primitive:Z \
                 packageName:L componentType:L protectionDomain:L reflectionData:L classRedefinedCount:I genericInfo:L \
                 enumConstants:L enumConstantDirectory:L annotationData:L annotationType:L classValueMap:L"
            }
            // Its own fields are listed as static ones of each class.
            Library::Android => "",
            Library::J9 => {
                "vmRef:J classLoader:L module:L protectionDomain:L classNameString:L annotationVars:L classValueMap:L \
                 enumVars:L initializationLock:L methodHandleCache:L classRepoHolder:L annotationCache:L \
                 cachedInterfaces:L cachedDeclaringClass:L cachedEnclosingClass:L nestHost:L"
            }
        }
    }

    fn class_loader(self) -> &'static str {
        match self {
            Library::Jdk6 => {
                "parent:L package2certs:L nocerts:L classes:L domains:L packages:L defaultDomain:L nativeLibraries:L \
                 defaultAssertionStatus:Z packageAssertionStatus:L classAssertionStatus:L"
            }
            Library::Jdk8 => {
                "parent:L parallelLockMap:L package2certs:L classes:L defaultDomain:L domains:L packages:L \
                 nativeLibraries:L assertionLock:L defaultAssertionStatus:Z packageAssertionStatus:L \
                 classAssertionStatus:L"
            }
            Library::Jdk11 => {
                "parent:L name:L unnamedModule:L nameAndId:L parallelLockMap:L package2certs:L classes:L \
                 defaultDomain:L packages:L nativeLibraries:L assertionLock:L defaultAssertionStatus:Z \
                 packageAssertionStatus:L classAssertionStatus:L classLoaderValueMap:L"
            }
            Library::Android => "packages:L parent:L proxyCache:L allocator:J classTable:J",
            Library::Jdk17 | Library::Jdk17Declared | Library::Jdk21 | Library::Jdk25 | Library::J9 => {
                "parent:L name:L unnamedModule:L nameAndId:L parallelLockMap:L package2certs:L classes:L \
                 defaultDomain:L packages:L libraries:L assertionLock:L defaultAssertionStatus:Z \
                 packageAssertionStatus:L classAssertionStatus:L classLoaderValueMap:L"
            }
        }
    }

    fn thread(self) -> &'static str {
        match self {
            Library::Jdk6 => {
                "name:L priority:I threadQ:L eetop:J single_step:Z daemon:Z stillborn:Z target:L group:L \
                 contextClassLoader:L inheritedAccessControlContext:L threadLocals:L inheritableThreadLocals:L \
                 stackSize:J nativeParkEventPointer:J tid:J threadStatus:I parkBlocker:L blocker:L blockerLock:L \
                 stopBeforeStart:Z throwableFromStop:L me:L uncaughtExceptionHandler:L"
            }
            Library::Jdk8 => {
                "name:L priority:I threadQ:L eetop:J single_step:Z daemon:Z stillborn:Z target:L group:L \
                 contextClassLoader:L inheritedAccessControlContext:L threadLocals:L inheritableThreadLocals:L \
                 stackSize:J nativeParkEventPointer:J tid:J threadStatus:I parkBlocker:L blocker:L blockerLock:L \
                 uncaughtExceptionHandler:L threadLocalRandomSeed:J threadLocalRandomProbe:I \
                 threadLocalRandomSecondarySeed:I"
            }
            Library::Jdk11 => {
                "name:L priority:I daemon:Z stillborn:Z eetop:J target:L group:L contextClassLoader:L \
                 inheritedAccessControlContext:L threadLocals:L inheritableThreadLocals:L stackSize:J tid:J \
                 threadStatus:I parkBlocker:L blocker:L blockerLock:L uncaughtExceptionHandler:L \
                 threadLocalRandomSeed:J threadLocalRandomProbe:I threadLocalRandomSecondarySeed:I"
            }
            Library::Jdk17 | Library::Jdk17Declared | Library::Android | Library::J9 => {
                "name:L priority:I daemon:Z interrupted:Z stillborn:Z eetop:J target:L group:L contextClassLoader:L \
                 inheritedAccessControlContext:L threadLocals:L inheritableThreadLocals:L stackSize:J tid:J \
                 threadStatus:I parkBlocker:L blocker:L blockerLock:L uncaughtExceptionHandler:L \
                 threadLocalRandomSeed:J threadLocalRandomProbe:I threadLocalRandomSecondarySeed:I"
            }
            Library::Jdk21 => {
                "eetop:J tid:J name:L interrupted:Z contextClassLoader:L inheritedAccessControlContext:L holder:L \
                 threadLocals:L inheritableThreadLocals:L scopedValueBindings:L interruptLock:L parkBlocker:L \
                 nioBlocker:L cont:L uncaughtExceptionHandler:L threadLocalRandomSeed:J threadLocalRandomProbe:I \
                 threadLocalRandomSecondarySeed:I container:L headStackableScopes:L"
            }
            Library::Jdk25 => {
                "eetop:J tid:J name:L interrupted:Z contextClassLoader:L holder:L threadLocals:L \
                 inheritableThreadLocals:L scopedValueBindings:L interruptLock:L parkBlocker:L nioBlocker:L cont:L \
                 uncaughtExceptionHandler:L threadLocalRandomSeed:J threadLocalRandomProbe:I \
                 threadLocalRandomSecondarySeed:I container:L headStackableScopes:L"
            }
        }
    }

    fn system_statics(self) -> &'static str {
        match self {
            Library::Jdk6 => "in:L out:L err:L security:L cons:L props:L",
            Library::Jdk8 => "in:L out:L err:L security:L cons:L props:L lineSeparator:L",
            Library::Jdk11 => "in:L out:L err:L security:L cons:L props:L lineSeparator:L bootLayer:L",
            Library::Jdk21 => {
                "in:L out:L err:L initialIn:L NEVER:I=1 MAYBE:I=2 allowSecurityManager:I=1 security:L \
                 notSupportedJnuEncoding:L cons:L initialErrStream:L props:L lineSeparator:L bootLayer:L"
            }
            Library::Jdk25 => {
                "in:L out:L err:L initialIn:L initialErr:L notSupportedJnuEncoding:L cons:L props:L lineSeparator:L \
                 bootLayer:L"
            }
            Library::Android => "in:L out:L err:L props:L lineSeparator:L",
            Library::Jdk17 | Library::Jdk17Declared | Library::J9 => {
                "in:L out:L err:L NEVER:I=1 MAYBE:I=2 allowSecurityManager:I=2 security:L cons:L initialErrStream:L \
                 props:L lineSeparator:L bootLayer:L"
            }
        }
    }
}

/// The fields of a row, in the order in which dumps of the library have them.
pub(super) fn fields(text: &'static str, library: Library) -> Vec<Field> {
    let mut fields: Vec<Field> = text.split_whitespace().map(|field| parse(field).0).collect();
    if library.reverses() {
        fields.reverse();
    }
    fields
}

/// `name:T` or `name:T=bits`, as in the tables above: the letters are those of descriptors, and bits hexadecimal.
pub(super) fn parse(text: &'static str) -> (Field, u64) {
    let (field, bits) = text.split_once('=').unwrap_or((text, "0"));
    let (name, letter) = field.split_once(':').unwrap_or((field, "L"));
    let primitive = PrimitiveType::ALL.into_iter().find(|kind| letter.starts_with(kind.signature()));
    let kind = primitive.map_or(FieldType::Object, FieldType::Primitive);
    (Field { name: name.into(), kind }, u64::from_str_radix(bits, 16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(library: Library, class: &str, reference: u64) -> u64 {
        let class = library.classes().into_iter().find(|c| c.name == class).expect("a class of the library");
        let of = |field: &Field| match field.kind {
            FieldType::Object => reference,
            FieldType::Primitive(kind) => kind.size(),
        };
        class.fields.iter().map(of).sum()
    }

    /// The instance sizes that CLASS DUMPs of real dumps state, in the order String, Class, ClassLoader, Thread.
    #[test]
    fn instance_sizes_are_those_of_real_dumps() {
        let names = ["java/lang/String", "java/lang/Class", "java/lang/ClassLoader", "java/lang/Thread"];
        for (library, reference, sizes) in [
            (Library::Jdk6, 4, [16, 76, 41, 100]),
            (Library::Jdk8, 8, [12, 84, 89, 155]),
            (Library::Jdk11, 8, [13, 116, 113, 138]),
            (Library::Jdk17, 8, [14, 116, 113, 139]),
            (Library::Jdk17Declared, 8, [14, 116, 113, 139]),
            (Library::Jdk21, 8, [14, 116, 113, 145]),
            (Library::Jdk25, 8, [14, 135, 113, 137]),
        ] {
            assert_eq!(names.map(|name| bytes(library, name, reference)), sizes, "{library:?}");
        }
    }

    #[test]
    fn every_field_has_a_name_of_its_own_and_strings_refer_to_their_characters() {
        for library in Library::ALL {
            for class in library.classes() {
                let mut names: Vec<_> = class.fields.iter().map(|field| field.name.clone()).collect();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), class.fields.len(), "{library:?}: {}", class.name);
            }
            let classes = library.classes();
            let string = classes.iter().find(|class| class.name == "java/lang/String").expect("String");
            let value = string.fields.iter().find(|field| field.name == "value".into()).expect("value");
            assert_eq!(value.kind, FieldType::Object, "{library:?}");
        }
    }
}
