//! The command `heapsmith`.

use std::process::ExitCode;

fn main() -> ExitCode {
    heapsmith::command::run()
}
