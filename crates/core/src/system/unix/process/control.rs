//! Messages between `check` and a supervisor: over a socket that is the supervisor's standard input, and that nothing
//! it starts has.
//!
//! `check` sends the three streams of the program, as descriptors. The supervisor sends how the program ended, when all
//! is gone. That `check` is gone is the end of the socket.

use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::cmsg_space;
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

use crate::system::program::ProgramEnd;

/// The standard streams of a program: what it reads, what it prints, and its messages.
pub(super) type Streams = [OwnedFd; 3];

/// The time for which the last message of a supervisor that is gone is waited for.
const LAST: Duration = Duration::from_secs(1);
/// No program that is started inherits the streams by accident; not every system can say that while it hands them over.
#[cfg(target_os = "linux")]
const RECEIVING: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const RECEIVING: RecvFlags = RecvFlags::empty();
/// The beginning of the last message where there was no program.
const NOT_STARTED: &str = "not started: ";
const SHORTAGE: &str = "too little: ";
/// The most bytes of a last message; a longer one is cut.
const LONGEST: u64 = 4096;

/// Hands a program's streams over.
pub(super) fn send(socket: &UnixStream, streams: &Streams) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let streams = streams.each_ref().map(AsFd::as_fd);
    let fits = control.push(SendAncillaryMessage::ScmRights(&streams));
    debug_assert!(fits, "the space is for three");
    sendmsg(socket, &[IoSlice::new(b"s")], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives a program's streams.
pub(super) fn receive(socket: impl AsFd) -> io::Result<Streams> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RECEIVING)?;
    let rights = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(rights) => Some(rights.collect::<Vec<OwnedFd>>()),
        _ => None,
    });
    let rights = rights.unwrap_or_default();
    if RECEIVING.is_empty() {
        rights.iter().try_for_each(|stream| fcntl_setfd(stream, FdFlags::CLOEXEC))?;
    }
    match rights.len() {
        0 => Err(io::Error::new(io::ErrorKind::InvalidInput, "three streams were expected on standard input")),
        // The system leaves out what would be too many open files.
        _ => rights.try_into().map_err(|_| Errno::MFILE.into()),
    }
}

/// The last message of a supervisor: how its program ended.
pub(super) fn encode_end(ended: &ProgramEnd) -> String {
    match ended {
        ProgramEnd::By(status) => format!("{}\n", status.into_raw()),
        ProgramEnd::NotStarted(why) => format!("{NOT_STARTED}{}\n", why.replace('\n', " ")),
        ProgramEnd::Shortage(why) => format!("{SHORTAGE}{}\n", why.replace('\n', " ")),
        ProgramEnd::Killed => "killed\n".to_owned(),
    }
}

/// The end of a program by the last message of its supervisor, which is gone. Only whole lines count: a supervisor that
/// was killed may have sent half of one.
pub(super) fn receive_end(socket: &UnixStream) -> ProgramEnd {
    let mut text = Vec::new();
    if socket.set_read_timeout(Some(LAST)).is_ok() {
        let _ = socket.take(LONGEST).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let Some(line) = text.strip_suffix('\n') else { return ProgramEnd::Killed };
    if let Some(why) = line.strip_prefix(NOT_STARTED) {
        return ProgramEnd::NotStarted(why.to_owned());
    }
    if let Some(why) = line.strip_prefix(SHORTAGE) {
        return ProgramEnd::Shortage(why.to_owned());
    }
    line.parse().map_or(ProgramEnd::Killed, |raw| ProgramEnd::By(ExitStatus::from_raw(raw)))
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};

    use super::*;

    #[test]
    fn streams_go_over_the_socket() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let (mut reader, writer) = pipe().expect("a pipe");
        let (other, _) = pipe().expect("a pipe");
        send(&ours, &[writer.into(), other.try_clone().expect("a copy").into(), other.into()]).expect("they go");
        let [first, ..] = receive(&theirs).expect("they come");
        std::fs::File::from(first).write_all(b"text").expect("it is read");
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("it ends: no other copy is open");
        assert_eq!(text, "text");
        drop(ours);
        assert!(receive(&theirs).is_err(), "nothing came");
    }

    #[test]
    fn last_words_are_understood_if_they_are_whole() {
        let by = |raw| ProgramEnd::By(ExitStatus::from_raw(raw));
        let (missing, short) =
            (ProgramEnd::NotStarted("no such file".to_owned()), ProgramEnd::Shortage("no thread".to_owned()));
        for word in [by(0), by(256), by(9), missing, short, ProgramEnd::Killed] {
            let (ours, mut theirs) = UnixStream::pair().expect("a pair");
            theirs.write_all(encode_end(&word).as_bytes()).expect("it is read");
            drop(theirs);
            assert_eq!(receive_end(&ours), word);
        }
        for half in ["", "25", "not started: no su"] {
            let (ours, mut theirs) = UnixStream::pair().expect("a pair");
            theirs.write_all(half.as_bytes()).expect("it is read");
            drop(theirs);
            assert_eq!(receive_end(&ours), ProgramEnd::Killed, "{half:?}");
        }
    }
}
