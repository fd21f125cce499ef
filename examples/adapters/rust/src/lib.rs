//! The loop of the adapter protocol (`specs/adapter.md`) for adapters that parse.
//!
//! A panic of a library is reported as a crash. The libraries here keep nothing from one dump to the next, so that the process goes on.

use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What an adapter says of itself: the keys of the answer to `hello` but for `id` and `protocol`.
pub type Hello = Map<String, Value>;

/// What `accept` carries beside `id` and `status`, by level.
pub type Accepted = Map<String, Value>;

/// A question of the operation `parse`.
#[derive(Debug, Deserialize)]
pub struct Parse {
    pub path: PathBuf,
    pub level: String,
    /// For `listing` alone.
    #[serde(default)]
    pub out: PathBuf,
}

/// Why a dump was not read.
#[derive(Debug)]
pub enum Failure {
    /// The implementation says so, and perhaps where.
    Refused { message: String, offset: Option<usize> },
    /// It panicked: what and where.
    Panicked(String),
    /// The adapter did not get as far as to ask it.
    Own(String),
}

/// What the last panic said.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn panic() -> std::sync::MutexGuard<'static, String> {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Failure {
    pub fn refused(message: impl ToString) -> Self {
        Self::Refused { message: message.to_string(), offset: None }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Own(error.to_string())
    }
}

#[derive(Deserialize)]
struct Request {
    id: u64,
    op: String,
    #[serde(default)]
    protocols: Vec<u64>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Answers requests until standard input ends.
pub fn serve(hello: &Hello, mut parse: impl FnMut(&Parse) -> Result<Accepted, Failure>) -> io::Result<()> {
    panic::set_hook(Box::new(|told| *panic() = told.to_string()));
    let mut asked = |question: Parse| {
        let done = panic::catch_unwind(AssertUnwindSafe(|| parse(&question)));
        done.unwrap_or_else(|_| Err(Failure::Panicked(panic().clone())))
    };
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let mut answer = match request.op.as_str() {
            "hello" => greet(hello, &request.protocols),
            "parse" => status(question(hello, request.rest).and_then(&mut asked)),
            other => status(Err(Failure::Own(format!("no such operation: {other}")))),
        };
        answer.insert("id".to_owned(), request.id.into());
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn greet(hello: &Hello, protocols: &[u64]) -> Map<String, Value> {
    if !protocols.contains(&1) {
        return status(Err(Failure::Own("this adapter speaks version 1 of the protocol alone".to_owned())));
    }
    let mut answer = hello.clone();
    answer.insert("protocol".to_owned(), 1.into());
    answer
}

/// What was not declared is not asked of the implementation.
fn question(hello: &Hello, rest: Map<String, Value>) -> Result<Parse, Failure> {
    for (key, declared) in [("format", "reads"), ("level", "levels")] {
        let asked = rest.get(key).unwrap_or(&Value::Null);
        if !hello[declared].as_array().is_some_and(|all| all.contains(asked)) {
            return Err(Failure::Own(format!("{key} {asked} is not declared")));
        }
    }
    serde_json::from_value(Value::Object(rest)).map_err(|error| Failure::Own(error.to_string()))
}

fn status(done: Result<Accepted, Failure>) -> Map<String, Value> {
    let (status, mut answer) = match done {
        Ok(accepted) => ("accept", accepted),
        Err(Failure::Refused { message, offset }) => {
            let mut answer = object(json!({ "message": message }));
            answer.extend(offset.map(|offset| ("offset".to_owned(), offset.into())));
            ("reject", answer)
        }
        Err(Failure::Panicked(message)) => ("crash", object(json!({ "message": message }))),
        Err(Failure::Own(message)) => ("error", object(json!({ "message": message }))),
    };
    answer.insert("status".to_owned(), status.into());
    answer
}

/// The keys of an object written with `json!`.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
