//! Running a program, with a time limit, and killing what it started.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use process_wrap::std::{CommandWrap, ProcessGroup};

use crate::error::Error;

/// How a run ended.
#[derive(Debug)]
pub enum Ran {
    /// It exited by itself.
    Exited {
        /// Exit code; `None` if a signal ended it.
        code: Option<i32>,
        /// How it ended, in words.
        how: String,
        /// Standard output, from its start.
        stdout: File,
        /// The end of standard error, for messages.
        stderr: String,
    },
    /// It was still running at the time limit.
    TimedOut,
    /// It wrote more than the limit to standard output.
    TooMuchOutput,
}

/// More than any listing of a case: a program that writes on is stopped.
const OUTPUT_LIMIT: u64 = 1 << 30;
/// Of standard error, what a message can show.
const STDERR_SHOWN: u64 = 2000;

/// Runs a command (program and arguments) until it exits or the time is up. Its process group is killed
/// in any case.
///
/// # Errors
/// If it cannot be started.
pub fn run(command: &[String], limit: Duration) -> Result<Ran, Error> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| Error::Usage("the command to check is empty".to_owned()))?;
    let failed = |e| Error::io(format!("running {program}"), e);
    // Files, not pipes: a program that fills one never blocks, and we never hold its output in memory.
    let mut stdout = tempfile::tempfile().map_err(failed)?;
    let mut stderr = tempfile::tempfile().map_err(failed)?;
    let mut built = Command::new(program);
    built
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(stdout.try_clone().map_err(failed)?)
        .stderr(stderr.try_clone().map_err(failed)?);
    let mut child = CommandWrap::from(built).wrap(ProcessGroup::leader()).spawn().map_err(failed)?;
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    let ended = loop {
        if let Some(status) = child.inner_mut().try_wait().map_err(failed)? {
            break Some(status);
        }
        let too_much = |file: &File| file.metadata().map(|m| m.len() > OUTPUT_LIMIT).unwrap_or(false);
        if too_much(&stdout) || too_much(&stderr) {
            let _ = child.kill();
            return Ok(Ran::TooMuchOutput);
        }
        if started.elapsed() >= limit {
            break None;
        }
        std::thread::sleep(pause.min(limit.saturating_sub(started.elapsed())));
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    // Whatever it started and left behind goes too.
    let _ = child.start_kill();
    let Some(status) = ended else {
        let _ = child.wait();
        return Ok(Ran::TimedOut);
    };
    let mut shown = Vec::new();
    let length = stderr.seek(SeekFrom::End(0)).map_err(failed)?;
    stderr.seek(SeekFrom::Start(length.saturating_sub(STDERR_SHOWN))).map_err(failed)?;
    stderr.take(STDERR_SHOWN).read_to_end(&mut shown).map_err(failed)?;
    stdout.seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(Ran::Exited {
        code: status.code(),
        how: describe(status),
        stdout,
        stderr: String::from_utf8_lossy(&shown).trim().to_owned(),
    })
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}
