use std::io::{Write, stdin};
use std::time::Duration;

use clap::{Args, Subcommand};
use heapsmith::check::{Budget, Kind, Subject, Sweeper, examine, serve};
use heapsmith::error::Error;
use heapsmith::interrupt;

use crate::{Answer, terminal};

/// Adapters: programs that put a parser, a converter or a writer behind the protocol of specs/adapter.md.
#[derive(Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: Command,
}

/// Checks an adapter against the protocol, and says what to mend.
///
/// Whether its answers are right is for `check` to find out. Exit code 0: nothing to mend.
///
/// Example: heapsmith adapter test 'python3 adapter.py'
#[derive(Args)]
struct TestOpts {
    /// The adapter: a command, quoted as for a shell.
    #[arg(value_name = "CMD ARGS")]
    command: String,
    /// Seconds for an answer.
    #[arg(long, default_value_t = 10.0)]
    time_limit: f32,
    /// A JSON report.
    #[arg(long)]
    json: bool,
}

impl TestOpts {
    fn run(self) -> Result<Answer, Error> {
        let words = shell_words::split(&self.command)
            .map_err(|e| Error::Usage(format!("{:?} cannot be split into words: {e}", self.command)))?;
        if words.is_empty() {
            return Err(Error::Usage("there is no command".to_owned()));
        }
        let time = Duration::try_from_secs_f32(self.time_limit)
            .map_err(|e| Error::Usage(format!("--time-limit {}: {e}", self.time_limit)))?;
        let supervisor = std::env::current_exe().map_err(|e| Error::io("finding heapsmith's own program", e))?;
        let budget = Budget::default().time(time);
        let stop = interrupt::gently();
        let (kind, command) = (Kind::Adapter, self.command);
        let subject = Subject { kind, command, words, supervisor, budget, level: None, stop: stop.clone() };
        let _sweeper = Sweeper::new()?;
        let told = examine(&subject)?;
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            let text = serde_json::to_string(&told).map_err(|e| failed(e.into()))?;
            writeln!(terminal::data(), "{text}").map_err(failed)?;
        } else {
            let mut out = terminal::stdout();
            for step in &told.steps {
                match &step.mend {
                    None => writeln!(out, "{}    {}", terminal::good("ok"), step.what),
                    Some(mend) => {
                        let mend = mend.replace('\n', "\n      ");
                        writeln!(out, "{}  {}\n      {mend}", terminal::bad("mend"), step.what)
                    }
                }
                .map_err(failed)?;
            }
        }
        Ok(match stop.signal() {
            Some(signal) => Answer::Interrupted(signal),
            None if told.is_fine() => Answer::Yes,
            None => Answer::No,
        })
    }
}

#[derive(Subcommand)]
enum Command {
    Test(TestOpts),
    /// The reference decoder, converter and writer behind the protocol, on standard input and output.
    Serve,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        match self.command {
            Command::Test(opts) => opts.run(),
            Command::Serve => {
                serve(stdin().lock(), terminal::data())?;
                Ok(Answer::Yes)
            }
        }
    }
}
