//! Names of a whole program: of its classes and those of the Java library, of fields, methods, source files and
//! threads, and texts that only the JVM uses.

use crate::draw::Draw;
use crate::model::{Name, StackFrame};

use super::library::Library;

/// Packages of the library, whose classes the boot loader defines, and of a program.
const OF_LIBRARY: [&str; 8] = [
    "java/util/concurrent",
    "java/lang/invoke",
    "java/time/format",
    "java/util/stream",
    "jdk/internal/loader",
    "jdk/internal/reflect",
    "sun/security/provider",
    "sun/nio/ch",
];
const OF_PROGRAM: [&str; 6] = [
    "com/example/orders",
    "com/example/orders/internal",
    "com/example/catalogue",
    "com/example/web/filter",
    "org/sample/cache",
    "org/sample/transport/http",
];

const SUBJECTS: [&str; 16] = [
    "Order",
    "Customer",
    "Session",
    "Cache",
    "Http",
    "Connection",
    "Event",
    "Tree",
    "Resource",
    "Module",
    "Method",
    "Type",
    "Locale",
    "Buffer",
    "Task",
    "Stream",
];
const MIDDLES: [&str; 16] = [
    "Entry",
    "Node",
    "Access",
    "State",
    "Lookup",
    "Name",
    "Value",
    "Reference",
    "Range",
    "Batch",
    "Service",
    "Index",
    "Key",
    "Group",
    "Policy",
    "Source",
];
const ROLES: [&str; 16] = [
    "Factory", "Handler", "Impl", "Builder", "Listener", "Provider", "Resolver", "Info", "Queue", "Map", "Filter",
    "Reader", "Writer", "Context", "Registry", "Set",
];

const ADJECTIVES: [&str; 23] = [
    "next", "parent", "cached", "default", "last", "first", "pending", "current", "max", "min", "root", "shared",
    "local", "base", "target", "source", "total", "active", "open", "raw", "inner", "outer", "known",
];
const NOUNS: [&str; 24] = [
    "Name", "Value", "Count", "Table", "Owner", "State", "Type", "Key", "Size", "Index", "Node", "Lock", "Time",
    "Limit", "Flags", "Path", "Handler", "Entry", "Level", "Buffer", "Listener", "Order", "Group", "Id",
];

const METHODS: [(&str, &str); 16] = [
    ("run", "()V"),
    ("call", "()Ljava/lang/Object;"),
    ("get", "(Ljava/lang/Object;)Ljava/lang/Object;"),
    ("accept", "(Ljava/lang/Object;)V"),
    ("apply", "(Ljava/lang/Object;)Ljava/lang/Object;"),
    ("process", "(Ljava/lang/String;I)Z"),
    ("await", "(JLjava/util/concurrent/TimeUnit;)Z"),
    ("poll", "(J)Ljava/lang/Object;"),
    ("read", "([BII)I"),
    ("handle", "(Ljava/lang/Object;)Z"),
    ("lambda$start$0", "()V"),
    ("access$000", "()I"),
    ("doFilter", "(Ljava/lang/Object;Ljava/lang/Object;)V"),
    ("loadAll", "(Ljava/util/Collection;)Ljava/util/Map;"),
    ("<init>", "(Ljava/lang/Object;)V"),
    ("invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;"),
];
/// Methods in which a thread waits.
const NATIVE: [(&str, &str); 5] =
    [("wait0", "(J)V"), ("park", "(ZJ)V"), ("sleep0", "(J)V"), ("readBytes", "([BII)I"), ("accept", "()I")];

const THREADS: [&str; 7] = [
    "main",
    "Reference Handler",
    "Finalizer",
    "Signal Dispatcher",
    "Notification Thread",
    "Common-Cleaner",
    "process reaper",
];

/// Words that many strings of a program share.
const WORDS: [&str; 24] = [
    "",
    "id",
    "name",
    "java.base",
    "UTF-8",
    "true",
    "value",
    "en_US",
    "colour",
    "java.lang.Object",
    "com.example.orders",
    "META-INF/MANIFEST.MF",
    "status",
    "jdk.internal.loader",
    "application/json",
    "winter garden",
    "list",
    "Content-Type",
    "key",
    "travel history",
    "open",
    "/usr/lib/jvm/lib",
    "SHA-256",
    "steel",
];

/// Draws the name of a random class; the number makes it unique.
pub(super) fn class_name(index: u64, draw: &mut dyn Draw) -> String {
    let package = if draw.one_in(3) { *draw.pick(&OF_PROGRAM) } else { *draw.pick(&OF_LIBRARY) };
    // A number that has no divisor in common with that of all names: each comes once before one comes again.
    let all = (SUBJECTS.len() * MIDDLES.len() * ROLES.len()) as u64;
    let place = (index * 1571 % all) as usize;
    let again = if index < all { String::new() } else { (index / all).to_string() };
    let subject = SUBJECTS[place % SUBJECTS.len()];
    let middle = MIDDLES[place / SUBJECTS.len() % MIDDLES.len()];
    let role = ROLES[place / (SUBJECTS.len() * MIDDLES.len())];
    match draw.below(16) {
        0 => format!("{package}/{subject}{middle}{role}{again}$1"),
        1..=5 => format!("{package}/{subject}{role}{again}${middle}"),
        _ => format!("{package}/{subject}{middle}{role}{again}"),
    }
}

/// Whether the boot loader defines the class of this name.
pub(super) fn is_of_library(name: &str) -> bool {
    OF_LIBRARY.iter().any(|package| name.starts_with(package))
}

/// Draws the name of a class that the JVM generated for a lambda expression, as dumps of the library have it (HotSpot
/// 11, 17, 21 and 25; the compiler of Android generates an ordinary class instead).
pub(super) fn hidden_name(index: u64, library: Library, draw: &mut dyn Draw) -> String {
    let package = if draw.one_in(2) { *draw.pick(&OF_PROGRAM) } else { *draw.pick(&OF_LIBRARY) };
    let host = format!("{package}/{}{}", *draw.pick(&SUBJECTS), *draw.pick(&ROLES));
    let address = 0x7f4f_ac00_0000 + 0x1000 + 0x228 * index;
    match library {
        Library::Jdk21 | Library::Jdk25 => format!("{host}$$Lambda+0x{address:016x}"),
        Library::Jdk17 | Library::Jdk17Declared => format!("{host}$$Lambda${index}+0x{address:016x}"),
        Library::Android => format!("{host}$$ExternalSyntheticLambda{index}"),
        Library::Jdk6 | Library::Jdk8 | Library::Jdk11 | Library::J9 => format!("{host}$$Lambda${index}"),
    }
}

/// The name of a class's own field: no two classes share one.
pub(super) fn field_name(class: usize, index: usize) -> String {
    let (adjective, again) = (ADJECTIVES[index % ADJECTIVES.len()], index / ADJECTIVES.len());
    let noun = NOUNS[class % NOUNS.len()];
    let middle = MIDDLES[class / NOUNS.len() % MIDDLES.len()];
    let rest = class / (NOUNS.len() * MIDDLES.len());
    let number = |number: usize| if number == 0 { String::new() } else { number.to_string() };
    format!("{adjective}{middle}{noun}{}{}", number(rest), if again == 0 { String::new() } else { format!("_{again}") })
}

/// The name of a static field.
pub(super) fn static_name(index: u64) -> String {
    let (adjective, noun) = (ADJECTIVES[index as usize % ADJECTIVES.len()], NOUNS[index as usize % NOUNS.len()]);
    format!("{}_{}", adjective.to_uppercase(), noun.to_uppercase())
}

pub(super) fn thread_name(number: u32) -> String {
    let place = number.saturating_sub(1) as usize;
    THREADS.get(place).map_or_else(|| format!("pool-1-thread-{}", place + 1 - THREADS.len()), |name| (*name).to_owned())
}

/// Draws a word that many strings share, by its number; later ones are rarer.
pub(super) fn word(draw: &mut dyn Draw) -> u8 {
    let last = WORDS.len() as u64 - 1;
    draw.below(last + 1).min(draw.below(last + 1)) as u8
}

pub(super) fn text_of(word: u8) -> &'static str {
    WORDS[word as usize % WORDS.len()]
}

/// The hash that a string of the word has once it was asked for.
pub(super) fn hash_of(word: u8) -> u32 {
    text_of(word).bytes().fold(0, |hash: u32, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
}

/// A frame in a method of a class; the innermost one may be native.
pub(super) fn frame(depth: u64, class: &crate::model::Class, draw: &mut dyn Draw) -> StackFrame {
    let name = class.name.to_string();
    let is_native = depth == 0 && draw.below(8) < 5;
    let (method, signature) = if is_native { *draw.pick(&NATIVE) } else { *draw.pick(&METHODS) };
    // The library of most JVMs is compiled without lines.
    let has_lines = !is_native && (!is_of_library(&name) || draw.one_in(2));
    StackFrame {
        method: Name::from_text(method),
        signature: Name::from_text(signature),
        source: has_lines.then(|| Name::from_text(&source_of(&name))),
        class: Some(class.address),
        line: match (is_native, has_lines) {
            (true, _) => -3,
            (_, true) => draw.between(20, 900) as i32,
            _ => -1,
        },
    }
}

/// The source file of a class: that of its outermost class.
fn source_of(class: &str) -> String {
    let name = class.rsplit('/').next().unwrap_or_default();
    let outermost = name.split('$').next().unwrap_or_default();
    format!("{outermost}.java")
}

/// A text that the JVM uses, and a dump's objects do not: of methods, signatures and attributes.
pub(super) fn symbol(number: u32) -> String {
    let at = number as usize;
    let (subject, role) = (SUBJECTS[at % SUBJECTS.len()], ROLES[at / SUBJECTS.len() % ROLES.len()]);
    let (adjective, noun) = (ADJECTIVES[at % ADJECTIVES.len()], NOUNS[at / ADJECTIVES.len() % NOUNS.len()]);
    match number % 4 {
        0 => format!("{adjective}{noun}{number}"),
        1 => format!("(L{}/{subject}{role};I)L{subject}{number};", OF_PROGRAM[at % OF_PROGRAM.len()]),
        2 => format!("get{subject}{noun}{number}"),
        _ => format!("lambda${adjective}{role}${number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{DrawStream, SeedDraw};
    use std::collections::BTreeSet;

    #[test]
    fn names_differ() {
        let mut draw = SeedDraw::new(1, DrawStream::Heap);
        let classes: BTreeSet<String> = (0..9000).map(|index| class_name(index, &mut draw)).collect();
        assert_eq!(classes.len(), 9000);
        let fields = (0..900).flat_map(|class| (0..50).map(move |index| field_name(class, index)));
        assert_eq!(fields.collect::<BTreeSet<String>>().len(), 900 * 50);
        assert_eq!((0..9000).map(symbol).collect::<BTreeSet<String>>().len(), 9000);
        assert_eq!((0..300).map(static_name).collect::<BTreeSet<String>>().len(), 300);
        assert_eq!((1..=40).map(thread_name).collect::<BTreeSet<String>>().len(), 40);
    }

    #[test]
    fn hidden_classes_are_named_as_in_dumps_of_each_jvm() {
        let name = |library| hidden_name(3, library, &mut SeedDraw::new(1, DrawStream::Heap));
        assert!(name(Library::Jdk11).ends_with("$$Lambda$3"));
        assert!(name(Library::Jdk17).ends_with("$$Lambda$3+0x00007f4fac001678"));
        assert!(name(Library::Jdk25).ends_with("$$Lambda+0x00007f4fac001678"));
        assert!(name(Library::Android).ends_with("$$ExternalSyntheticLambda3"));
    }

    /// `"id".hashCode()` is 105 * 31 + 100.
    #[test]
    fn a_word_has_the_hash_of_its_string() {
        let id = (0..24).find(|word| text_of(*word) == "id").expect("a word");
        assert_eq!((hash_of(id), hash_of(0)), (3355, 0));
    }

    #[test]
    fn a_source_file_is_that_of_the_outermost_class() {
        assert_eq!(source_of("a/b/Order$Entry$1"), "Order.java");
        assert_eq!(source_of("Main"), "Main.java");
    }
}
