//! A terminal for commands: what they write there, as it comes and up to its end.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What no command writes, and the terminal passes as it is.
const END: &[u8] = b"\0end\0";

pub(crate) struct Terminal {
    /// Open until the end: once every such file is closed, a read may end with an error before the last bytes came
    /// (Linux asks for bytes first and whether the other side is closed second, and both may come in between).
    side: File,
    said: Receiver<Vec<u8>>,
}

impl Terminal {
    pub(crate) fn open() -> Terminal {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a pseudo-terminal");
        let name = ptsname(&terminal, Vec::new()).expect("it has a name");
        let side = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).expect("it opens");
        let (sender, said) = channel();
        let mut terminal = File::from(terminal);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read) = terminal.read(&mut buffer) {
                if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { side, said }
    }

    /// For an output of a command.
    pub(crate) fn side(&self) -> Stdio {
        self.side.try_clone().expect("a file").into()
    }

    /// What came until nothing came for that long.
    pub(crate) fn until_quiet(&self, quiet: Duration) -> Vec<u8> {
        let mut output = Vec::new();
        loop {
            match self.said.recv_timeout(quiet) {
                Ok(more) => output.extend(more),
                Err(RecvTimeoutError::Timeout) => return output,
                Err(RecvTimeoutError::Disconnected) => panic!("the terminal is open until the end"),
            }
        }
    }

    /// What else came, after the command has ended.
    pub(crate) fn rest(mut self) -> Vec<u8> {
        self.side.write_all(END).expect("the terminal is open");
        let mut output = Vec::new();
        while !output.ends_with(END) {
            output.extend(self.said.recv().expect("the end is still to come"));
        }
        output.truncate(output.len() - END.len());
        output
    }
}
