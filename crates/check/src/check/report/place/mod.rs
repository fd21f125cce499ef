//! The place where a program ended, by what it wrote: the exception, and the first frame of the user's own code. What a language
//! brings along, such as its standard library, is not the user's.

mod call_stack;
mod frame;
mod go;
mod jdk;
mod native;
mod python;
mod rust;

/// The exception, panic or error with the frame that it came from; `None`, if the text has neither.
pub(super) fn find_place(text: &str) -> Option<String> {
    native::find_sanitizer_error(text)
        .or_else(|| rust::find_panic(text))
        .or_else(|| go::find_panic(text))
        .or_else(|| python::find_exception(text))
        .or_else(|| call_stack::find_exception(text))
        .or_else(|| native::find_abort(text))
}

#[cfg(test)]
mod tests {
    use crate::check::report::place::find_place;

    /// Texts that programs really wrote, with other names and shorter where they repeat themselves.
    #[track_caller]
    fn assert_place(text: &str, place: &str) {
        assert_eq!(find_place(text).as_deref(), Some(place), "{text}");
        assert_eq!(find_place(&format!("exit code 1: {text}")).as_deref(), Some(place), "{text}");
    }

    #[test]
    fn a_rust_panic_has_a_place_and_a_message() {
        let text = "thread 'main' panicked at src/parser.rs:139:30:\nunhandled tag 16\nnote: run with";
        assert_place(text, "panicked at src/parser.rs:139:30: unhandled tag …");
        // On any machine, it is the same.
        let text = "thread 'main' panicked at /home/me/.cargo/registry/src/host-1949/a-0.1.0/src/lib.rs:7:1:\nno";
        assert_place(text, "panicked at a-0.1.0/src/lib.rs:7:1: no");
        // Before 1.73.
        let text = "thread 'main' panicked at 'no such tag: 7', src/parser.rs:9:5\nnote: run with";
        assert_place(text, "panicked at src/parser.rs:9:5: no such tag: …");
    }

    #[test]
    fn a_rust_panic_of_the_standard_library_has_the_frame_of_the_users_code() {
        let text = "thread 'main' panicked at /rustc/4eb161250e340c8f48f66e2b929ef4a5bed7c181/library/core/src/alloc/layout.rs:7:9:\n\
                    capacity overflow\nstack backtrace:\n   0: rust_begin_unwind\n             at \
                    /rustc/4eb161250e340c8f48f66e2b929ef4a5bed7c181/library/std/src/panicking.rs:692:5\n   1: core::panicking::panic_fmt\n\
                    \x20            at /rustc/4eb161250e340c8f48f66e2b929ef4a5bed7c181/library/core/src/panicking.rs:75:14\n   2: \
                    parser::record\n             at ./src/parser.rs:12:9\n   3: parser::main\n             at ./src/main.rs:3:5\n";
        assert_place(text, "panicked at src/parser.rs:12:9: capacity overflow");
    }

    #[test]
    fn a_python_traceback_has_the_last_frame_of_the_users_code() {
        let text = "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in <module>\n    f()\n  \
                    File \"/a/c.py\", line 9, in f\n    g[1]\nKeyError: 1\n";
        assert_place(text, "KeyError in f (c.py:9)");
        let text = "Traceback (most recent call last):\n  File \"/opt/reader/main.py\", line 12, in main\n    header(data)\n  File \
                    \"/opt/reader/header.py\", line 3, in header\n    return json.loads(b)\n           ^^^^^^^^^^^^^\n  File \
                    \"/usr/lib/python3.11/json/__init__.py\", line 346, in loads\n    return _default_decoder.decode(s)\n  File \
                    \"/usr/lib/python3.11/json/decoder.py\", line 353, in raw_decode\n    obj, end = self.scan_once(s, idx)\n\
                    json.decoder.JSONDecodeError: Expecting property name: line 1 column 2 (char 1)\n";
        assert_place(text, "json.decoder.JSONDecodeError in header (header.py:3)");
        // Packages that are installed are the user's.
        let text = "Traceback (most recent call last):\n  File \"/usr/lib/python3.11/site-packages/shark/read.py\", line 40, in tag\n    \
                    raise Refusal\nshark.read.Refusal\n";
        assert_place(text, "shark.read.Refusal in tag (read.py:40)");
    }

    #[test]
    fn the_message_of_a_python_exception_may_have_several_lines() {
        let text = "Traceback (most recent call last):\n  File \"/a/b.py\", line 3, in <module>\n    f()\nValueError: bad record\n\
                    See the File \"format\"\nand so on\n";
        assert_place(text, "ValueError in <module> (b.py:3)");
        let text = "Traceback (most recent call last):\n  File \"/a/b.py\", line 2, in f\n    return f(n + 1)\n  File \"/a/b.py\", line 2, \
                    in f\n    return f(n + 1)\n  [Previous line repeated 996 more times]\nRecursionError: maximum recursion depth exceeded\n";
        assert_place(text, "RecursionError in f (b.py:2)");
    }

    #[test]
    fn of_python_exceptions_the_direct_cause_counts() {
        let first = "Traceback (most recent call last):\n  File \"/a/c.py\", line 6, in record\n    n = sizes[tag]\nKeyError: 7\n";
        let last = "Traceback (most recent call last):\n  File \"/a/c.py\", line 9, in <module>\n    main()\n  File \"/a/c.py\", line 8, in \
                    main\n    raise ValueError(\"no tag\") from e\nValueError: no tag\n";
        let because = "\nThe above exception was the direct cause of the following exception:\n\n";
        assert_place(&[first, because, last].concat(), "KeyError in record (c.py:6)");
        let during = "\nDuring handling of the above exception, another exception occurred:\n\n";
        assert_place(&[first, during, last].concat(), "ValueError in main (c.py:8)");
    }

    #[test]
    fn a_group_of_python_exceptions_has_a_frame() {
        let text = "  + Exception Group Traceback (most recent call last):\n  |   File \"/a/b.py\", line 9, in <module>\n  |     main()\n  | \
                    ExceptionGroup: two (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call \
                    last):\n    |   File \"/a/b.py\", line 4, in part\n    |     raise KeyError(1)\n    | KeyError: 1\n    \
                    +------------------------------------\n";
        assert_place(text, "KeyError in part (b.py:4)");
    }

    #[test]
    fn a_jvm_trace_has_the_last_cause_and_its_first_frame() {
        let text = "Exception in thread \"main\" java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\n\
                    Caused by: java.io.EOFException\n\tat a.D.e(D.java:7)\n\tat a.B.c(B.java:2)\n";
        assert_place(text, "java.io.EOFException at a.D.e(D.java:7)");
        let text = "Exception in thread \"main\" java.lang.Error: no\n\tat a.B.c(B.java:1)\n";
        assert_place(text, "java.lang.Error at a.B.c(B.java:1)");
        let text =
            "java.lang.NullPointerException: Cannot invoke \"a.B.c()\" because \"d\" is null\n\tat a.D.e(D.java:7)\n";
        assert_place(text, "java.lang.NullPointerException at a.D.e(D.java:7)");
        assert_eq!(find_place("killed by SIGSEGV"), None);
    }

    #[test]
    fn a_message_of_a_jvm_exception_may_have_several_lines() {
        let text = "Exception in thread \"main\" java.lang.IllegalStateException: record 7\nis cut\n\tat shop.hprof.P.main(P.java:5)\n";
        assert_place(text, "java.lang.IllegalStateException at shop.hprof.P.main(P.java:5)");
        // An exception of another name.
        assert_place("shop.hprof.Refusal: no\n\tat shop.P.main(P.kt:5)\n", "shop.hprof.Refusal at shop.P.main(P.kt:5)");
    }

    #[test]
    fn frames_of_the_jdk_are_those_of_its_modules_and_not_of_a_prefix() {
        let text = "Exception in thread \"main\" java.lang.IllegalStateException: record 7\n\tat shop.hprof.P.main(P.java:5)\nCaused by: \
                    java.io.EOFException\n\tat java.base/java.io.DataInputStream.readInt(DataInputStream.java:386)\n\tat \
                    shop.hprof.P.read(P.java:4)\n\t... 1 more\n";
        assert_place(text, "java.io.EOFException at shop.hprof.P.read(P.java:4)");
        // The reader of OpenJDK's own tests, and that of a JDK of 2010, are programs like any other.
        let text = "java.io.IOException: no\n\tat java.base@21.0.5/java.io.DataInputStream.readInt(DataInputStream.java:386)\n\tat \
                    jdk.test.lib.hprof.parser.HprofReader.read(HprofReader.java:9)\n";
        assert_place(text, "java.io.IOException at jdk.test.lib.hprof.parser.HprofReader.read(HprofReader.java:9)");
        let text = "java.io.EOFException\n\tat java.io.DataInputStream.readInt(DataInputStream.java:392)\n\tat \
                    com.sun.tools.hat.internal.parser.HprofReader.read(HprofReader.java:9)\n";
        assert_place(
            text,
            "java.io.EOFException at com.sun.tools.hat.internal.parser.HprofReader.read(HprofReader.java:9)",
        );
        // OpenJ9's reader is a module of some JDKs, and is what is tested.
        let text = "java.io.IOException: no\n\tat java.base/java.io.DataInputStream.readFully(DataInputStream.java:203)\n\tat \
                    openj9.dtfj/com.ibm.dtfj.phd.PHDImage.<init>(PHDImage.java:80)\n";
        assert_place(text, "java.io.IOException at com.ibm.dtfj.phd.PHDImage.<init>(PHDImage.java:80)");
        let text = "java.lang.NumberFormatException: null\n\tat java.lang.Integer.parseInt(Integer.java:542)\n\tat \
                    sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)\n\tat app//shop.Q.f(Q.kt:7)\n";
        assert_place(text, "java.lang.NumberFormatException at shop.Q.f(Q.kt:7)");
    }

    #[test]
    fn frames_that_a_cause_shares_with_its_consequence_count() {
        let text = "java.lang.IllegalStateException: no\n\tat shop.P.open(P.java:5)\n\tat shop.P.main(P.java:2)\nCaused by: \
                    java.io.EOFException\n\tat java.base/java.io.RandomAccessFile.readFully(RandomAccessFile.java:444)\n\t... 1 more\n";
        assert_place(text, "java.io.EOFException at shop.P.main(P.java:2)");
        // Not those of what was suppressed.
        let text = "java.io.IOException: no\n\tat java.base/java.io.X.x(X.java:1)\n\tSuppressed: java.lang.Error: closed\n\t\tat \
                    shop.Q.close(Q.java:3)\nCaused by: java.io.EOFException\n\tat shop.P.read(P.java:9)\n";
        assert_place(text, "java.io.EOFException at shop.P.read(P.java:9)");
    }

    #[test]
    fn of_several_jvm_traces_the_last_counts() {
        let text = "WARN skipped\njava.lang.RuntimeException: seen\n\tat shop.Log.warn(Log.java:1)\nException in thread \"main\" \
                    java.lang.Error: no\n\tat shop.P.main(P.java:5)\n";
        assert_place(text, "java.lang.Error at shop.P.main(P.java:5)");
        // A gap in the middle of a trace is none between two.
        let text = "java.lang.StackOverflowError\n\tat shop.P.f(P.java:5)\n... 70000 bytes are left out ...\n\tat shop.P.g(P.java:6)\n";
        assert_place(text, "java.lang.StackOverflowError at shop.P.f(P.java:5)");
    }

    #[test]
    fn a_node_trace_has_the_first_frame_outside_of_node() {
        let text = "node:internal/buffer:88\n  throw new ERR_OUT_OF_RANGE(type || 'offset',\n  ^\n\nRangeError [ERR_OUT_OF_RANGE]: The \
                    value of \"offset\" is out of range. It must be >= 0 and <= 0. Received 16\n    at boundsError \
                    (node:internal/buffer:88:9)\n    at Buffer.readUInt32BE (node:internal/buffer:311:5)\n    at Parser.record \
                    (/opt/reader/p.js:1:65)\n    at main (/opt/reader/p.js:2:53)\n    at Object.<anonymous> (/opt/reader/p.js:3:1)\n    at \
                    Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at Function.executeUserEntryPoint [as runMain] \
                    (node:internal/modules/run_main:164:12) {\n  code: 'ERR_OUT_OF_RANGE'\n}\n\nNode.js v20.20.2\n";
        assert_place(text, "RangeError at Parser.record (p.js:1:65)");
        let text = "/opt/reader/q.js:1\nconst o = {}; [1].forEach(x => o.a.b);\n                                   ^\n\nTypeError: Cannot \
                    read properties of undefined (reading 'b')\n    at /opt/reader/q.js:1:36\n    at Array.forEach (<anonymous>)\n    at \
                    node:internal/main/run_main_module:28:49\n\nNode.js v20.20.2\n";
        assert_place(text, "TypeError at q.js:1:36");
        let text = "file:///opt/reader/r.mjs:2\n  ^\n\nError: no heap\n    at async load (file:///opt/reader/r.mjs:2:9)\n    at new Parser \
                    (file:///opt/reader/r.mjs:7:5) {\n  [cause]: RangeError: Invalid array length\n      at fill \
                    (file:///opt/reader/s.mjs:4:11)\n}\n\nNode.js v22.11.0\n";
        assert_place(text, "RangeError at fill (s.mjs:4:11)");
    }

    #[test]
    fn a_go_panic_has_the_first_frame_outside_of_go() {
        let text = "panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\n\
                    encoding/binary.bigEndian.Uint32(...)\n\t/usr/local/go/src/encoding/binary/binary.go:177\n\
                    main.(*Parser).record(0xc000012345, {0xc00001c0a8, 0x3, 0x3})\n\t/opt/reader/main.go:4 +0x1d\nmain.main()\n\
                    \t/opt/reader/main.go:5 +0xb\nexit status 2\n";
        assert_place(
            text,
            "panic: runtime error: index out of range […] with length … in main.(*Parser).record (main.go:4)",
        );
        let text = "panic: assignment to entry in nil map [recovered]\n\tpanic: bad tag\n\ngoroutine 1 [running]:\n\
                    panic({0x4b0320?, 0x581250?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\n\
                    example.com/gop/heap.f(...)\n\t/root/go/pkg/mod/example.com/gop@v1.2.3/heap/heap.go:3\nmain.main()\n\t/opt/main.go:4 +0x45\n";
        assert_place(text, "panic: bad tag in example.com/gop/heap.f (heap.go:3)");
        let text = "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\nruntime \
                    stack:\nruntime.throw({0x46b6ee?, 0x0?})\n\t/usr/local/go/src/runtime/panic.go:1101 +0x48\n\ngoroutine 1 \
                    [running]:\nmain.f(0x1)\n\t/opt/reader/main.go:3 +0x1d\n";
        assert_place(text, "fatal error: stack overflow in main.f (main.go:3)");
    }

    #[test]
    fn a_dotnet_trace_has_the_innermost_exception_and_the_first_frame_outside_of_dotnet() {
        let text = "Unhandled exception. System.IndexOutOfRangeException: Index was outside the bounds of the array.\n   at \
                    System.BitConverter.ToInt32(Byte[] value, Int32 startIndex)\n   at Reader.Parser.Record(Byte tag, Int32 length) in \
                    /src/reader/Parser.cs:line 12\n   at Program.<Main>$(String[] args) in /src/reader/Program.cs:line 3\n";
        assert_place(text, "System.IndexOutOfRangeException at Reader.Parser.Record (Parser.cs:12)");
        let text = "Unhandled exception. System.InvalidOperationException: no heap\n ---> System.IO.EndOfStreamException: Unable to read \
                    beyond the end of the stream.\n   at System.IO.BinaryReader.ReadInt32()\n   at Reader.Parser.Head()\n   --- End of \
                    inner exception stack trace ---\n   at Reader.Parser.Open(String path)\n   at Program.<Main>$(String[] args)\n";
        assert_place(text, "System.IO.EndOfStreamException at Reader.Parser.Head");
    }

    #[test]
    fn the_error_of_a_sanitizer_has_the_frame_of_the_users_code() {
        let text = "=================================================================\n==9267==ERROR: AddressSanitizer: \
                    heap-buffer-overflow on address 0x602000000014 at pc 0x55c16864629f bp 0x7ffc710e1420 sp 0x7ffc710e1418\nREAD of \
                    size 4 at 0x602000000014 thread T0\n    #0 0x7fcfc8238d2c in __interceptor_memcpy \
                    ../../../../src/libsanitizer/sanitizer_common/sanitizer_common_interceptors.inc:827\n    #1 0x55c16864629e in read_u4 \
                    /opt/reader/a.c:4\n    #2 0x55c16864633f in main /opt/reader/a.c:5\n    #3 0x7fcfc8045249 in __libc_start_call_main \
                    ../sysdeps/nptl/libc_start_call_main.h:58\n\n0x602000000016 is located 0 bytes to the right of 6-byte \
                    region\nallocated by thread T0 here:\n    #0 0x7fcfc82b89cf in __interceptor_malloc \
                    ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69\n";
        assert_place(text, "AddressSanitizer: heap-buffer-overflow in read_u4 (a.c:4)");
        let text = "AddressSanitizer:DEADLYSIGNAL\n==12==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc \
                    0x0000004f3a5d bp 0x7ffd T0)\n    #0 0x4f3a5d in Parser::record(unsigned char, int) /opt/reader/p.cc:12:15\n";
        assert_place(text, "AddressSanitizer: SEGV in Parser::record(unsigned char, int) (p.cc:12:15)");
        let text = "src/b.c:1:48: runtime error: index 5 out of bounds for type 'int [4]'\n";
        assert_place(text, "runtime error: index … out of bounds for type … (b.c:1:48)");
    }

    #[test]
    fn an_abort_of_c_has_a_place_or_an_exception() {
        assert_place("reader: src/e.c:2: read_u4: Assertion `n > 4' failed.\n", "assertion in read_u4 (e.c:2)");
        let text = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  basic_string::at: __n (which is 10) >= \
                    this->size() (which is 3)\n";
        assert_place(text, "std::out_of_range: basic_string::at: __n (which is …) >= this->size() (which is …)");
    }

    #[test]
    fn other_texts_have_no_place() {
        for text in [
            "",
            "exit code 2: no memory",
            "ended by SIGSEGV",
            "error at offset 7 (of 9)\n at the end (3)",
            "Traceback (most recent call last)",
            "goroutine 1 [running]:\npanic: ",
            "panicked at",
            "==1==ERROR: AddressSanitizer: ",
            ": runtime error: ",
            "Caused by: \n\tat ",
            "\tat (:1:1)",
            "  File \"",
        ] {
            find_place(text);
        }
        assert_eq!(find_place("error at offset 7 (of 9)\n at the end (3)"), None);
        assert_eq!(find_place("exit code 2: no memory"), None);
    }
}
