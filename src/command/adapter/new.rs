//! A new adapter: a folder with a template, its README and a workflow; or a new harness for a fuzzing engine.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::output::Output;
use clap::{Args, ValueEnum};

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, terminal};

/// Writes a folder with a template of an adapter, its README and a file for CI; or one of a harness for a fuzzing engine.
///
/// The template works as it is: it has a small HPROF parser where yours goes; that of a shell calls a program and judges its
/// exit code alone.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(super) struct AdapterNewOpts {
    /// The language of the adapter, or the engine.
    #[arg(value_enum)]
    language: TemplateLanguage,
    /// Name of the parser, and of the new folder: letters, digits, `-` and `_`.
    name: String,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Begin in Python", "heapsmith adapter new python my-parser"),
        ("Begin with an analyser in Java", "heapsmith adapter new java-analyser my-analyser"),
        ("Begin a harness for libFuzzer", "heapsmith adapter new libfuzzer my-fuzzer"),
    ],
    exit_codes: &[],
};

#[derive(Clone, Copy, ValueEnum)]
enum TemplateLanguage {
    /// Python 3.9 or later, without packages.
    Python,
    /// Java 11 or later, without libraries.
    Java,
    /// Java 11 or later, for a heap analyser: reachability, dominators, retained sizes, paths.
    JavaAnalyser,
    /// Rust, with the crate serde_json.
    Rust,
    /// A POSIX shell; only verdicts are judged.
    Shell,
    /// A harness in C for libFuzzer.
    Libfuzzer,
    /// A harness in C for AFL++.
    Afl,
    /// A harness in Rust for cargo-fuzz.
    CargoFuzz,
    /// A harness in Java for Jazzer.
    Jazzer,
}

/// The template of a harness for a fuzzing engine. NAME stands for the parser.
struct HarnessTemplate {
    files: &'static [(&'static str, &'static str)],
    /// The command that begins.
    command: &'static str,
}

const PARSER: (&str, &str) = ("parser.h", include_str!("../../../examples/engines/parser.h"));
const LIBFUZZER: HarnessTemplate = HarnessTemplate {
    files: &[
        PARSER,
        ("harness.c", include_str!("../../../examples/engines/libfuzzer/harness.c")),
        ("Makefile", include_str!("../../../examples/engines/libfuzzer/Makefile")),
        ("README.md", include_str!("../../../examples/engines/libfuzzer/README.md")),
    ],
    command: "make run HEAPSMITH=/path/to/the/libraries",
};
const AFL: HarnessTemplate = HarnessTemplate {
    files: &[
        PARSER,
        ("harness.c", include_str!("../../../examples/engines/afl/harness.c")),
        ("Makefile", include_str!("../../../examples/engines/afl/Makefile")),
        ("README.md", include_str!("../../../examples/engines/afl/README.md")),
    ],
    command: "make run HEAPSMITH=/path/to/the/libraries",
};
const CARGO_FUZZ: HarnessTemplate = HarnessTemplate {
    files: &[
        ("fuzz/fuzz_targets/parse.rs", include_str!("../../../examples/engines/cargo-fuzz/fuzz/fuzz_targets/parse.rs")),
        ("fuzz/Cargo.toml", include_str!("../../../examples/engines/cargo-fuzz/fuzz/manifest.toml")),
        ("README.md", include_str!("../../../examples/engines/cargo-fuzz/README.md")),
    ],
    command: "cargo +nightly fuzz run parse",
};
const JAZZER: HarnessTemplate = HarnessTemplate {
    files: &[
        (
            "src/test/java/ParserFuzzTest.java",
            include_str!("../../../examples/engines/jazzer/src/test/java/ParserFuzzTest.java"),
        ),
        ("src/test/java/Parser.java", include_str!("../../../examples/engines/jazzer/src/test/java/Parser.java")),
        ("pom.xml", include_str!("../../../examples/engines/jazzer/pom.xml")),
        ("README.md", include_str!("../../../examples/engines/jazzer/README.md")),
    ],
    command: "JAZZER_FUZZ=1 mvn test",
};

/// The template of an adapter in one language, with the texts that take the place of its placeholders.
struct AdapterTemplate {
    /// Files with their texts, the one to change first.
    files: &'static [(&'static str, &'static str)],
    /// The function to change.
    place: &'static str,
    /// The command that has to be run first.
    build: Option<&'static str>,
    command: &'static str,
}

/// A template of either kind.
enum Template {
    Adapter(AdapterTemplate),
    Harness(HarnessTemplate),
}

const PYTHON: AdapterTemplate = AdapterTemplate {
    files: &[("adapter.py", include_str!("../../../examples/adapters/templates/adapter.py"))],
    place: "parse",
    build: None,
    command: "python3 adapter.py",
};
const JAVA: AdapterTemplate = AdapterTemplate {
    files: &[("Adapter.java", include_str!("../../../examples/adapters/templates/Adapter.java"))],
    place: "parse",
    build: Some("javac -d build Adapter.java"),
    command: "java -cp build Adapter",
};
const JAVA_ANALYSER: AdapterTemplate = AdapterTemplate {
    files: &[
        ("Analyser.java", include_str!("../../../examples/adapters/templates/analyser/Analyser.java")),
        ("Dominators.java", include_str!("../../../examples/adapters/templates/analyser/Dominators.java")),
        ("HprofHeap.java", include_str!("../../../examples/adapters/templates/analyser/HprofHeap.java")),
        ("Adapter.java", include_str!("../../../examples/adapters/templates/Adapter.java")),
    ],
    place: "analyse",
    build: Some("javac -d build *.java"),
    command: "java -cp build Analyser",
};
const RUST: AdapterTemplate = AdapterTemplate {
    files: &[
        ("src/main.rs", include_str!("../../../examples/adapters/templates/rust/src/main.rs")),
        ("Cargo.toml", include_str!("../../../examples/adapters/templates/rust/manifest.toml")),
    ],
    place: "parse",
    build: Some("cargo build --release"),
    command: "target/release/NAME",
};
const SHELL: AdapterTemplate = AdapterTemplate {
    files: &[("adapter.sh", include_str!("../../../examples/adapters/templates/shell/adapter.sh"))],
    place: "parser",
    build: None,
    command: "sh adapter.sh",
};
const README: &str = include_str!("../../../examples/adapters/templates/new.md");
const WORKFLOW: &str = include_str!("../../../examples/adapters/templates/new.yml");

impl TemplateLanguage {
    fn template(self) -> Template {
        match self {
            TemplateLanguage::Python => Template::Adapter(PYTHON),
            TemplateLanguage::Java => Template::Adapter(JAVA),
            TemplateLanguage::JavaAnalyser => Template::Adapter(JAVA_ANALYSER),
            TemplateLanguage::Rust => Template::Adapter(RUST),
            TemplateLanguage::Shell => Template::Adapter(SHELL),
            TemplateLanguage::Libfuzzer => Template::Harness(LIBFUZZER),
            TemplateLanguage::Afl => Template::Harness(AFL),
            TemplateLanguage::CargoFuzz => Template::Harness(CARGO_FUZZ),
            TemplateLanguage::Jazzer => Template::Harness(JAZZER),
        }
    }
}

impl AdapterNewOpts {
    pub(super) fn run(self) -> Result<CommandOutcome, Error> {
        let name = &self.name;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_plain) {
            let expected = "expected a letter, then letters, digits, - and _; choose such a name";
            return Err(Error::Usage(format!("the name {name:?}: {expected}")));
        }
        let folder = PathBuf::from(name);
        std::fs::create_dir(&folder).map_err(|e| Error::io(format!("creating the folder {name}"), e))?;
        let (files, next) = match self.language.template() {
            Template::Adapter(template) => {
                let command = template.command.replace("NAME", name);
                let build = template.build.map(|build| format!("{build} && ")).unwrap_or_default();
                (self.files(&template), format!("{build}heapsmith adapter test '{command}'"))
            }
            Template::Harness(template) => {
                let filled = |(path, text): &(&str, &str)| ((*path).to_owned(), text.replace("NAME", name));
                (template.files.iter().map(filled).collect(), template.command.to_owned())
            }
        };
        let mut written = Vec::new();
        for (path, text) in files {
            write_file(&folder.join(&path), &text)?;
            written.push(path);
        }
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        writeln!(out, "written to {name}: {}", written.join(", ")).map_err(failed)?;
        writeln!(out, "next: cd {name} && {next}").map_err(failed)?;
        Ok(CommandOutcome::Yes)
    }

    /// The files with their texts.
    fn files(&self, template: &AdapterTemplate) -> Vec<(String, String)> {
        let (file, name) = (template.files.first().map_or("", |(path, _)| path), &self.name);
        let (shell, step) = match template.build {
            Some(build) => (format!("{build}\n"), format!("      - run: {build}\n")),
            None => (String::new(), String::new()),
        };
        let filled = |text: &str, build: &str| {
            let text = text.replace("BUILD", build).replace("COMMAND", template.command);
            text.replace("FILE", file).replace("PLACE", template.place).replace("NAME", name)
        };
        let named = |text: &str| {
            ["name\": \"", "name\", \"", "name\":\"", "name = \""].iter().fold(text.to_owned(), |text, before| {
                text.replace(&format!("{before}template\""), &format!("{before}{name}\""))
            })
        };
        let sources = template.files.iter().map(|(path, text)| ((*path).to_owned(), named(text)));
        let readme = ("README.md".to_owned(), filled(README, &shell));
        let workflow = (".github/workflows/heapsmith.yml".to_owned(), filled(WORKFLOW, &step));
        sources.chain([readme, workflow]).collect()
    }
}

fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |e| Error::io(format!("writing {}", path.display()), e);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut output = Output::create(path, false)?;
    output.write_all(text.as_bytes()).map_err(failed)?;
    output.finish()
}
