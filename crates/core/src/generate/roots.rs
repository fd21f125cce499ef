//! Roots, threads and their stack traces.

use crate::draw::Draw;
use crate::model::{Address, Class, Name, Root, RootKind, Serial, StackFrame, StackTrace, Thread};

use super::classes::{ClassPlan, ClassRole};
use super::library::Library;
use super::names::thread_name;
use super::oddity::Oddity;
use super::options::{AddressSpace, GenerateOptions, Naming, ROOT_KINDS};
use super::plan::{ObjectPlan, ObjectPurpose};
use super::program;

/// Draws roots, threads and their stack traces. The first trace has no thread and no frames: objects without an
/// allocation site name it.
pub(super) fn draw_roots(
    options: &GenerateOptions,
    planned: &ClassPlan,
    plan: &ObjectPlan,
    classes: &[Class],
    draw: &mut dyn Draw,
) -> (Vec<Root>, Vec<Thread>, Vec<StackTrace>) {
    let sticky = classes.iter().map(|class| Root { object: class.address, kind: RootKind::StickyClass, after: None });
    let mut roots: Vec<Root> = sticky.collect();
    let jni_references = if options.addresses == AddressSpace::Memory { 1 << 20 } else { 1 << 5 };
    let (mut threads, mut traces) = (Vec::new(), Vec::new());
    let objects = plan.with_purpose(ObjectPurpose::Thread);
    if objects.is_empty() {
        return (roots, threads, traces);
    }
    let serials = options.library.first_serials();
    let (first_thread, first_trace) = options.serials.map_or(serials, |serial| (serial, serial));
    traces.push(StackTrace { serial: Serial(first_trace), thread: Serial(0), frames: [].into() });
    // What the JVM holds, of which nothing else is the owner.
    for object in plan.ownerless() {
        let kind = RootKind::JniGlobal(Address(draw.below(jni_references) * 8));
        roots.push(Root { object, kind, after: None });
    }
    let plain = planned.with_role(|role| role == ClassRole::Plain);
    // Unknown, and native. That a method is compiled (-2) the hprof agent alone says.
    let lines: &[i32] =
        if options.library == Library::Jdk6 { &[1, 42, 65_535, -1, -2, -3] } else { &[1, 42, 65_535, -1, -3] };
    let every = options.oddities.has(Oddity::EveryRoot);
    let last = objects.len() as u32;
    for (object, number) in objects.into_iter().zip(1_u32..) {
        let (thread, trace) = (Serial(first_thread.wrapping_add(number - 1)), Serial(first_trace.wrapping_add(number)));
        threads.push(Thread {
            serial: thread,
            object,
            name: Some(Name::from_text(&thread_name(number, options))),
            trace: Some(trace),
        });
        let depth = match &options.frames {
            Some(lengths) => lengths.draw(draw).max(every.into()),
            None => draw.between(every.into(), 3),
        };
        let frames = (0..depth).map(|depth| {
            if options.names == Naming::Program {
                return program::frame(depth, &classes[*draw.pick(&plain)], draw);
            }
            StackFrame {
                method: Name::from_text(&format!("m{depth}")),
                signature: Name::from_text("()V"),
                source: draw.one_in(2).then(|| Name::from_text("Source.java")),
                class: Some(classes[*draw.pick(&plain)].address),
                line: *draw.pick(lines),
            }
        });
        let frames: Vec<StackFrame> = frames.collect();
        let of = if options.library.has_traces_of_threads() { thread } else { Serial(0) };
        traces.push(StackTrace { serial: trace, thread: of, frames: frames.into() });
        // An ended thread is no root; only the hprof agent records it.
        if options.library == Library::Jdk6 && number == last && number > 1 {
            continue;
        }
        roots.push(Root { object, kind: RootKind::ThreadObject(thread, trace), after: None });
        // One of each kind, and where more are asked for, more of the usual ones.
        let has_every = every && options.roots.least() <= ROOT_KINDS;
        for number in 0..if has_every { ROOT_KINDS } else { options.roots.draw(draw) } {
            let frame = if depth == 0 || draw.one_in(3) { -1 } else { draw.below(depth) as i32 };
            let kind = match if every && number < ROOT_KINDS { number } else { draw.below(3) } {
                0 => RootKind::JniGlobal(Address(draw.below(jni_references) * 8)),
                1 => RootKind::JniLocal(thread, frame),
                // A local of a Java frame has one, at whatever depth.
                2 if depth > 0 && options.frames.is_some() && draw.one_in(2) => {
                    RootKind::JavaFrame(thread, depth as i32 - 1)
                }
                2 if depth > 0 => RootKind::JavaFrame(thread, draw.below(depth) as i32),
                2 => RootKind::JniLocal(thread, frame),
                3 => RootKind::NativeStack(thread),
                4 => RootKind::ThreadBlock(thread),
                5 => RootKind::MonitorUsed,
                _ => RootKind::Unknown,
            };
            roots.push(Root { object: *draw.pick(&plan.addresses), kind, after: None });
        }
        let locals = options.locals.as_ref().filter(|_| depth > 0).map_or(0, |locals| locals.draw(draw));
        for _ in 0..locals {
            let kind = RootKind::JavaFrame(thread, draw.below(depth) as i32);
            roots.push(Root { object: *draw.pick(&plan.addresses), kind, after: None });
        }
    }
    (roots, threads, traces)
}
