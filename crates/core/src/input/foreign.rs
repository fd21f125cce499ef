//! Files that are no heap dumps and are given as such: what they are, and what to do.

/// A kind of file that is no heap dump.
struct ForeignFile {
    /// Bytes with which it begins, from an offset on.
    at: usize,
    start: &'static [u8],
    name: &'static str,
    /// What a person who has one can do.
    advice: &'static str,
}

const UNPACK: &str = "unpack it, and give the dump inside";

const FOREIGN: &[ForeignFile] = &[
    kind(0, b"PK\x03\x04", "a zip archive", UNPACK),
    kind(257, b"ustar", "a tar archive", UNPACK),
    kind(0, b"BZh", "data compressed with bzip2", "decompress it with bunzip2"),
    kind(0, b"\xfd7zXZ\0", "data compressed with xz", "decompress it with unxz"),
    kind(0, b"\x28\xb5\x2f\xfd", "data compressed with Zstandard", "decompress it with unzstd"),
    kind(0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    kind(0, b"\x04\x22\x4d\x18", "data compressed with LZ4", "decompress it with unlz4"),
    kind(
        0,
        b"\x7fELF",
        "an ELF file, such as a core dump",
        "make a heap dump of a core: jhsdb jmap --binaryheap --exe java --core FILE, or jdmpview -core FILE",
    ),
    kind(
        0,
        b"MDMP",
        "a minidump of Windows",
        "make a heap dump of it: jhsdb jmap --binaryheap --exe java.exe --core FILE",
    ),
    kind(
        0,
        b"FLR\0",
        "a recording of JDK Flight Recorder",
        "it has no heap; make a dump with jcmd PID GC.heap_dump FILE",
    ),
    kind(
        0,
        b"0SECTION",
        "a javacore of OpenJ9",
        "it has no heap; the heap dump of the same moment is a .phd file beside it",
    ),
    kind(
        0,
        b"{\"snapshot\":",
        "a heap snapshot of V8",
        "it is no dump of a JVM; the developer tools of Chromium open it",
    ),
    kind(0, b"Nettrace", "a trace of .NET", "it is no dump of a JVM"),
    kind(0, b"== dumpstate:", "a bug report of Android", "it has no heap; make a dump with am dumpheap"),
    kind(0, b"\xca\xfe\xba\xbe", "a class file", "give a heap dump"),
    kind(0, b"\xac\xed\0\x05", "serialized Java objects", "give a heap dump"),
    kind(0, b"SkFWQSBQUk9GSUxF", "an HPROF dump in Base64", "decode it: base64 -d FILE"),
    kind(0, b"ABJwb3J0YWJsZSBoZWFw", "a PHD in Base64", "decode it: base64 -d FILE"),
    kind(0, b"Ly8gVmVyc2lvbj", "a classic heap dump in Base64", "decode it: base64 -d FILE"),
    kind(0, b"H4sI", "compressed data in Base64", "decode it: base64 -d FILE"),
];

const fn kind(at: usize, start: &'static [u8], name: &'static str, advice: &'static str) -> ForeignFile {
    ForeignFile { at, start, name, advice }
}

/// The kind of a file that begins like this, and what to do with it; `None` where nothing is known.
pub(crate) fn name_foreign(start: &[u8]) -> Option<String> {
    let told = |name: &str, advice: &str| Some(format!("{name}; {advice}"));
    if let Some(kind) =
        FOREIGN.iter().find(|kind| start.get(kind.at..).is_some_and(|rest| rest.starts_with(kind.start)))
    {
        return told(kind.name, kind.advice);
    }
    let text = start.trim_ascii_start();
    let is_html = |begin: &[u8]| text.get(..begin.len()).is_some_and(|first| first.eq_ignore_ascii_case(begin));
    if is_html(b"<!doctype html") || is_html(b"<html") {
        return told(
            "a page in HTML",
            "it may be the message of a server instead of the dump: look at it in a browser",
        );
    }
    let is_json = matches!(text.first(), Some(b'{' | b'[')) && std::str::from_utf8(&text[..text.len().min(64)]).is_ok();
    if is_json { told("text in JSON", "a listing is read by `encode`, `compare` and `digest`") } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_no_dump() {
        let mut tar = vec![b'a'; 257];
        tar.extend_from_slice(b"ustar\x0000");
        for (start, name) in [
            (&b"PK\x03\x04\x14\0"[..], "zip"),
            (&tar, "tar"),
            (b"\x7fELF\x02\x01", "jhsdb"),
            (b"\n<!DOCTYPE HTML PUBLIC", "HTML"),
            (b"{\"snapshot\":{\"meta\":", "V8"),
            (b"[1, 2]", "JSON"),
            (b"SkFWQSBQUk9GSUxFIDEuMC4y", "base64 -d"),
        ] {
            let told = name_foreign(start).expect("it is known");
            assert!(told.contains(name), "{told}");
        }
        assert_eq!(name_foreign(b"JAVA PROFILE 1.0.2\0"), None);
        assert_eq!(name_foreign(b""), None);
    }
}
