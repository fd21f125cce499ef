//! The rows of the process's log.

use crate::compare::spelling::ListedNumber;
use crate::model::{
    AllocationSite, AllocationSites, ControlSettings, CpuSamples, Frame, HeapSummary, LoadClass, Name, Serial,
    StartThread, TextId, Trace,
};

use super::{Described, Fact, FactWalk, LineKinds, key, set_slot};

/// A string: the entry has no type of its own, and neither have those of unloaded classes, ended threads and unknown
/// records.
impl Described for (TextId, Name) {
    fn walk(walk: &mut impl FactWalk<(TextId, Name)>) {
        always!(walk, 0, key("id", "Its identifier."));
        always!(walk, 1, key("text", "The string."));
    }
}

impl Described for Serial {
    const LINES: LineKinds = &[("", "A class was unloaded."), ("", "A thread ended.")];

    fn walk(walk: &mut impl FactWalk<Serial>) {
        walk.always(key("serial", "Class serial number.").for_lines(1), |s| s, |s| s);
        walk.always(key("serial", "Thread serial number.").for_lines(2), |s| s, |s| s);
    }
}

impl Described for (u8, Vec<u8>) {
    fn walk(walk: &mut impl FactWalk<(u8, Vec<u8>)>) {
        always!(walk, 0, key("tag", "The tag."));
        always!(walk, 1, key("body", "The bytes."));
    }
}

impl Described for LoadClass {
    fn walk(walk: &mut impl FactWalk<LoadClass>) {
        always!(walk, serial, key("serial", "Class serial number."));
        always!(walk, class, key("class", "The class object."));
        always!(walk, trace, key("trace", "Serial of the stack trace of the loading."));
        always!(walk, name, key("name", "Identifier of the class's name."));
    }
}

impl Described for Frame {
    fn walk(walk: &mut impl FactWalk<Frame>) {
        always!(walk, id, key("id", "The frame's identifier."));
        always!(walk, method, key("method", "Identifier of the method's name."));
        always!(walk, signature, key("signature", "Identifier of the method's signature."));
        always!(walk, source, key("source", "Identifier of the source file's name; 0 if unknown."));
        always!(walk, class, key("class", "Serial of the declaring class."));
        always!(walk, line, key("line", "Line number: above 0 a line, -1 unknown, -2 compiled, -3 native."));
    }
}

impl Described for Trace {
    fn walk(walk: &mut impl FactWalk<Trace>) {
        always!(walk, serial, key("serial", "Stack trace serial number."));
        always!(walk, thread, key("thread", "Thread serial number; 0 for none."));
        always!(walk, frames, key("frames", "Identifiers of the frames, innermost first."));
    }
}

impl Described for AllocationSites {
    fn walk(walk: &mut impl FactWalk<AllocationSites>) {
        always!(walk, flags, key("flags", "1 incremental, 2 sorted by allocation, 4 whether to force a collection."));
        let about = "Sites below this part of the total are left out: the bits of an IEEE 754 float.";
        walk.key(
            key("cutoff", about).always(),
            |sites| Some(Fact::Bits(sites.cutoff.into())),
            |sites, bits: ListedNumber| set_slot(&mut sites.cutoff, bits.narrow("a float")?),
        );
        always!(walk, totals, key("totals", "Totals."));
        always!(walk, sites, key("sites", "The sites."));
    }
}

impl Described for AllocationSite {
    const LINES: LineKinds = &[("Site", "An allocation site.")];

    fn walk(walk: &mut impl FactWalk<AllocationSite>) {
        always!(walk, array, key("array", "0 for plain objects; of arrays the type code of the elements."));
        always!(walk, class, key("class", "Class serial number; 0 while the class is being loaded."));
        always!(walk, trace, key("trace", "Stack trace serial number."));
        always!(walk, live_bytes, key("live_bytes", "Bytes that are live."));
        always!(walk, live_instances, key("live_instances", "Instances that are live."));
        always!(walk, allocated_bytes, key("allocated_bytes", "Bytes ever allocated."));
        always!(walk, allocated_instances, key("allocated_instances", "Instances ever allocated."));
    }
}

impl Described for HeapSummary {
    const LINES: LineKinds = &[("Totals", "Totals of the heap.")];

    fn walk(walk: &mut impl FactWalk<HeapSummary>) {
        always!(walk, live_bytes, key("live_bytes", "Bytes that are live."));
        always!(walk, live_instances, key("live_instances", "Instances that are live."));
        always!(walk, allocated_bytes, key("allocated_bytes", "Bytes ever allocated."));
        always!(walk, allocated_instances, key("allocated_instances", "Instances ever allocated."));
    }
}

impl Described for StartThread {
    fn walk(walk: &mut impl FactWalk<StartThread>) {
        always!(walk, serial, key("serial", "Thread serial number."));
        always!(walk, object, key("object", "The thread object."));
        always!(walk, trace, key("trace", "Serial of the stack trace of the start."));
        always!(walk, name, key("name", "Identifier of the thread's name."));
        always!(walk, group, key("group", "Identifier of its group's name."));
        always!(walk, parent_group, key("parent_group", "Identifier of the name of its group's parent."));
    }
}

impl Described for CpuSamples {
    fn walk(walk: &mut impl FactWalk<CpuSamples>) {
        always!(walk, total, key("total", "Total number of samples."));
        always!(walk, traces, key("traces", "Samples by stack trace."));
    }
}

impl Described for (u32, Serial) {
    const LINES: LineKinds = &[("Samples", "Samples of one stack trace.")];

    fn walk(walk: &mut impl FactWalk<(u32, Serial)>) {
        always!(walk, 0, key("samples", "Number of samples."));
        always!(walk, 1, key("trace", "Stack trace serial number."));
    }
}

impl Described for ControlSettings {
    fn walk(walk: &mut impl FactWalk<ControlSettings>) {
        always!(walk, flags, key("flags", "1 allocation traces, 2 CPU sampling."));
        always!(walk, depth, key("depth", "Depth of stack traces."));
    }
}
