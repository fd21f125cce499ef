//! The rows of threads, stack traces and regions.

use crate::model::{Region, StackFrame, StackTrace, Thread};

use super::{Described, FactWalk, LineKinds, key};

impl Described for Thread {
    const LINES: LineKinds = &[("ThreadLine", "A thread.")];

    fn walk(walk: &mut impl FactWalk<Thread>) {
        always!(walk, serial, key("serial", "Thread serial number."));
        always!(walk, object, key("object", "The thread object."));
        known_name!(walk, name, key("name", "The thread's name."));
        field!(walk, trace, key("trace", "Serial of its stack trace."));
    }
}

impl Described for StackTrace {
    const LINES: LineKinds = &[("TraceLine", "A stack trace.")];

    fn walk(walk: &mut impl FactWalk<StackTrace>) {
        always!(walk, serial, key("serial", "Stack trace serial number."));
        always!(walk, thread, key("thread", "Serial of the thread that it belongs to; 0 for none."));
        always!(walk, frames, key("frames", "Frames, innermost first."));
    }
}

impl Described for StackFrame {
    const LINES: LineKinds = &[("FrameItem", "A stack frame, with its names.")];

    fn walk(walk: &mut impl FactWalk<StackFrame>) {
        name!(walk, method, key("method", "Method name.").written());
        name!(walk, signature, key("signature", "Method signature.").written());
        known_name!(walk, source, key("source", "Source file name."));
        field!(walk, class, key("class", "The declaring class."));
        always!(walk, line, key("line", "Line number: above 0 a line, -1 unknown, -2 compiled, -3 native."));
    }
}

impl Described for Region {
    const LINES: LineKinds = &[("RegionLine", "From here on the objects belong to this part of the heap.")];

    fn walk(walk: &mut impl FactWalk<Region>) {
        always!(walk, id, key("id", "The part's number."));
        name!(walk, name, key("name", "Its name.").written());
        always!(walk, after, key("after", "How many classes and objects stand before it in the file."));
    }
}
