//! The rows of threads, stack traces and regions.

use crate::model::{Region, StackFrame, StackTrace, Thread};

use super::{Described, Walk, key};

impl Described for Thread {
    const LINES: &'static [(&'static str, &'static str)] = &[("ThreadLine", "A thread.")];

    fn blank(_: u8) -> Thread {
        Thread { serial: Default::default(), object: Default::default(), name: None, trace: None }
    }

    fn walk(walk: &mut impl Walk<Thread>) {
        walk.always(key("serial", "Thread serial number."), |t| &t.serial, |t| &mut t.serial);
        walk.always(key("object", "The thread object."), |t| &t.object, |t| &mut t.object);
        walk.field(key("name", "The thread's name."), |t| &t.name, |t| &mut t.name);
        walk.field(key("trace", "Serial of its stack trace."), |t| &t.trace, |t| &mut t.trace);
    }
}

impl Described for StackTrace {
    const LINES: &'static [(&'static str, &'static str)] = &[("TraceLine", "A stack trace.")];

    fn blank(_: u8) -> StackTrace {
        StackTrace { serial: Default::default(), thread: Default::default(), frames: [].into() }
    }

    fn walk(walk: &mut impl Walk<StackTrace>) {
        walk.always(key("serial", "Stack trace serial number."), |t| &t.serial, |t| &mut t.serial);
        let about = "Serial of the thread that it belongs to; 0 for none.";
        walk.always(key("thread", about), |t| &t.thread, |t| &mut t.thread);
        walk.always(key("frames", "Frames, innermost first."), |t| &t.frames, |t| &mut t.frames);
    }
}

impl Described for StackFrame {
    const LINES: &'static [(&'static str, &'static str)] = &[("FrameItem", "A stack frame, with its names.")];

    fn blank(_: u8) -> StackFrame {
        StackFrame { method: Default::default(), signature: Default::default(), source: None, class: None, line: 0 }
    }

    fn walk(walk: &mut impl Walk<StackFrame>) {
        walk.always(key("method", "Method name."), |f| &f.method, |f| &mut f.method);
        walk.always(key("signature", "Method signature."), |f| &f.signature, |f| &mut f.signature);
        walk.field(key("source", "Source file name."), |f| &f.source, |f| &mut f.source);
        walk.field(key("class", "The declaring class."), |f| &f.class, |f| &mut f.class);
        let about = "Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.";
        walk.always(key("line", about), |f| &f.line, |f| &mut f.line);
    }
}

impl Described for Region {
    const LINES: &'static [(&'static str, &'static str)] =
        &[("RegionLine", "From here on the objects belong to this part of the heap.")];

    fn blank(_: u8) -> Region {
        Region { id: 0, name: Default::default(), after: 0 }
    }

    fn walk(walk: &mut impl Walk<Region>) {
        walk.always(key("id", "The part's number."), |r| &r.id, |r| &mut r.id);
        walk.always(key("name", "Its name."), |r| &r.name, |r| &mut r.name);
        walk.always(
            key("after", "How many classes and objects stand before it in the file."),
            |r| &r.after,
            |r| &mut r.after,
        );
    }
}
