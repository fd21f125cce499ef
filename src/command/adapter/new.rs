//! A new adapter: a folder with a template, its README and a workflow; or a new harness for a fuzzing engine.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::error::Error;
use crate::output::Output;
use clap::{Args, ValueEnum};

use super::facet_page::facet_page;
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
    /// The library that has the parser, for java and kotlin: the template is a project of Maven that depends on it. Without it,
    /// java's is no project of Maven, and kotlin's depends on no library.
    #[arg(long, value_name = "GROUP:ARTIFACT:VERSION")]
    maven: Option<MavenCoordinates>,
}

/// A library in a repository of Maven.
#[derive(Clone)]
struct MavenCoordinates {
    group: String,
    artifact: String,
    version: String,
}

impl FromStr for MavenCoordinates {
    type Err = Error;

    fn from_str(text: &str) -> Result<MavenCoordinates, Error> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&c);
        match text.split(':').collect::<Vec<_>>()[..] {
            [group, artifact, version]
                if [group, artifact, version].iter().all(|part| !part.is_empty() && part.chars().all(is_plain)) =>
            {
                let (group, artifact, version) = (group.to_owned(), artifact.to_owned(), version.to_owned());
                Ok(MavenCoordinates { group, artifact, version })
            }
            _ => Err(Error::Usage(
                "expected GROUP:ARTIFACT:VERSION, such as org.gridkit.jvmtool:hprof-heap:0.16".to_owned(),
            )),
        }
    }
}

impl MavenCoordinates {
    /// The library as a dependency in a pom.
    fn dependency(&self) -> String {
        let MavenCoordinates { group, artifact, version } = self;
        format!(
            "<dependency>\n      <groupId>{group}</groupId>\n      <artifactId>{artifact}</artifactId>\n      \
             <version>{version}</version>\n    </dependency>"
        )
    }
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Begin in Python", "heapsmith adapter new python my-parser"),
        (
            "Begin in Java, with a library that Maven finds",
            "heapsmith adapter new java --maven org.gridkit.jvmtool:hprof-heap:0.16 my-parser",
        ),
        ("Begin a harness for libFuzzer", "heapsmith adapter new libfuzzer my-fuzzer"),
    ],
    exit_codes: &[],
};

#[derive(Clone, Copy, ValueEnum)]
enum TemplateLanguage {
    /// Python 3.9 or later, without packages.
    Python,
    /// Java 11 or later, without libraries; with --maven, a project for Maven.
    Java,
    /// Java 11 or later, for a heap analyser: reachability, dominators, retained sizes, paths.
    JavaAnalyser,
    /// Kotlin for Java 11 or later, a project for Maven.
    Kotlin,
    /// JavaScript for Node.js 18 or later, without packages.
    #[value(alias = "javascript")]
    Node,
    /// Go 1.21 or later, without other modules.
    Go,
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
    /// A harness in Python for atheris.
    Atheris,
    /// A harness in C for ClusterFuzzLite and OSS-Fuzz.
    Clusterfuzzlite,
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
const CLUSTERFUZZLITE: HarnessTemplate = HarnessTemplate {
    files: &[
        PARSER,
        ("harness.c", include_str!("../../../examples/engines/libfuzzer/harness.c")),
        (
            ".clusterfuzzlite/build.sh",
            include_str!("../../../examples/engines/clusterfuzzlite/clusterfuzzlite/build.sh"),
        ),
        (
            ".clusterfuzzlite/Dockerfile",
            include_str!("../../../examples/engines/clusterfuzzlite/clusterfuzzlite/Dockerfile"),
        ),
        (
            ".clusterfuzzlite/project.yaml",
            include_str!("../../../examples/engines/clusterfuzzlite/clusterfuzzlite/project.yaml"),
        ),
        (
            ".clusterfuzzlite/workflow.yml",
            include_str!("../../../examples/engines/clusterfuzzlite/clusterfuzzlite/workflow.yml"),
        ),
        ("README.md", include_str!("../../../examples/engines/clusterfuzzlite/README.md")),
    ],
    command: "cat README.md",
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

const ATHERIS: HarnessTemplate = HarnessTemplate {
    files: &[
        ("fuzz.py", include_str!("../../../examples/engines/atheris/fuzz.py")),
        ("README.md", include_str!("../../../examples/engines/atheris/README.md")),
    ],
    command: "python3 fuzz.py -max_len=65536",
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
    /// What its README says of the project, if Maven builds it.
    maven: Option<&'static str>,
    /// Whether it answers with listings, so that the page of facets is written beside it.
    lists: bool,
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
    maven: None,
    lists: true,
};
const JAVA: AdapterTemplate = AdapterTemplate {
    files: &[("Adapter.java", include_str!("../../../examples/adapters/templates/Adapter.java"))],
    place: "parse",
    build: Some("javac -d build Adapter.java"),
    command: "java -cp build Adapter",
    maven: None,
    lists: true,
};
const JAVA_MAVEN: AdapterTemplate = AdapterTemplate {
    files: &[
        ("src/main/java/Adapter.java", include_str!("../../../examples/adapters/templates/Adapter.java")),
        ("pom.xml", include_str!("../../../examples/adapters/templates/maven/pom.xml")),
    ],
    place: "parse",
    build: Some("mvn -q package"),
    command: "java -jar target/adapter.jar",
    maven: Some(MAVEN_PROJECT),
    lists: true,
};
const KOTLIN: AdapterTemplate = AdapterTemplate {
    files: &[
        (
            "src/main/kotlin/Adapter.kt",
            include_str!("../../../examples/adapters/templates/kotlin/src/main/kotlin/Adapter.kt"),
        ),
        (
            "src/main/kotlin/Hprof.kt",
            include_str!("../../../examples/adapters/templates/kotlin/src/main/kotlin/Hprof.kt"),
        ),
        ("pom.xml", include_str!("../../../examples/adapters/templates/kotlin/pom.xml")),
    ],
    place: "parse",
    build: Some("mvn -q package"),
    command: "java -jar target/adapter.jar",
    maven: Some(MAVEN_PROJECT),
    lists: true,
};
const NODE: AdapterTemplate = AdapterTemplate {
    files: &[
        ("adapter.mjs", include_str!("../../../examples/adapters/templates/node/adapter.mjs")),
        ("package.json", include_str!("../../../examples/adapters/templates/node/package.json")),
    ],
    place: "parse",
    build: None,
    command: "node adapter.mjs",
    maven: None,
    lists: true,
};
const GO: AdapterTemplate = AdapterTemplate {
    files: &[
        ("main.go", include_str!("../../../examples/adapters/templates/go/main.go")),
        ("hprof.go", include_str!("../../../examples/adapters/templates/go/hprof.go")),
        ("go.mod", include_str!("../../../examples/adapters/templates/go/go.mod")),
    ],
    place: "parse",
    build: Some("go build"),
    command: "./NAME",
    maven: None,
    lists: true,
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
    maven: None,
    lists: false,
};
const RUST: AdapterTemplate = AdapterTemplate {
    files: &[
        ("src/main.rs", include_str!("../../../examples/adapters/templates/rust/src/main.rs")),
        ("Cargo.toml", include_str!("../../../examples/adapters/templates/rust/manifest.toml")),
    ],
    place: "parse",
    build: Some("cargo build --release"),
    command: "target/release/NAME",
    maven: None,
    lists: true,
};
const SHELL: AdapterTemplate = AdapterTemplate {
    files: &[("adapter.sh", include_str!("../../../examples/adapters/templates/shell/adapter.sh"))],
    place: "parser",
    build: None,
    command: "sh adapter.sh",
    maven: None,
    lists: false,
};
const README: &str = include_str!("../../../examples/adapters/templates/new.md");
/// What stands in a pom in the place of the parser's library.
const NO_DEPENDENCY: &str = "<!-- YOUR PARSER GOES HERE. -->";
const MAVEN_PROJECT: &str = "`mvn -q package` compiles it into `target/adapter.jar` and copies the libraries of `pom.xml`, and what they \
                             need, into `target/lib/`, where the manifest of the jar names each.";
const FACET_PAGE: &str = "facets.md";
/// What stands before and after the name of a template in its files.
const NAME_MARKS: [(&str, &str); 8] = [
    ("name\": \"", "\""),
    ("name\", \"", "\""),
    ("name\":\"", "\""),
    ("name\" to \"", "\""),
    ("name: \"", "\""),
    ("name = \"", "\""),
    ("<artifactId>", "</artifactId>"),
    ("module ", "\n"),
];
const WORKFLOW: &str = include_str!("../../../examples/adapters/templates/new.yml");

impl TemplateLanguage {
    /// The template, which may have to be one that takes a library of Maven.
    fn template(self, library: Option<&MavenCoordinates>) -> Result<Template, Error> {
        let template = match self {
            TemplateLanguage::Java if library.is_some() => Template::Adapter(JAVA_MAVEN),
            TemplateLanguage::Kotlin => Template::Adapter(KOTLIN),
            TemplateLanguage::Python => Template::Adapter(PYTHON),
            TemplateLanguage::Java => Template::Adapter(JAVA),
            TemplateLanguage::Node => Template::Adapter(NODE),
            TemplateLanguage::Go => Template::Adapter(GO),
            TemplateLanguage::JavaAnalyser => Template::Adapter(JAVA_ANALYSER),
            TemplateLanguage::Rust => Template::Adapter(RUST),
            TemplateLanguage::Shell => Template::Adapter(SHELL),
            TemplateLanguage::Libfuzzer => Template::Harness(LIBFUZZER),
            TemplateLanguage::Afl => Template::Harness(AFL),
            TemplateLanguage::CargoFuzz => Template::Harness(CARGO_FUZZ),
            TemplateLanguage::Jazzer => Template::Harness(JAZZER),
            TemplateLanguage::Atheris => Template::Harness(ATHERIS),
            TemplateLanguage::Clusterfuzzlite => Template::Harness(CLUSTERFUZZLITE),
        };
        let is_built_by_maven = matches!(&template, Template::Adapter(adapter) if adapter.maven.is_some());
        if library.is_some() && !is_built_by_maven {
            let name = self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
            return Err(Error::Usage(format!(
                "--maven with {name}: expected java or kotlin, whose projects Maven builds; choose one of them, or leave --maven out"
            )));
        }
        Ok(template)
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
        let template = self.language.template(self.maven.as_ref())?;
        let folder = PathBuf::from(name);
        std::fs::create_dir(&folder).map_err(|e| Error::io(format!("creating the folder {name}"), e))?;
        let (files, next) = match template {
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
        let project = template.maven.map(|text| format!("\n\n{text}")).unwrap_or_default();
        let page = if template.lists {
            format!("\n   `{FACET_PAGE}` lists them, with their keys and types.")
        } else {
            String::new()
        };
        let filled = |text: &str, build: &str| {
            let text = text.replace("PROJECT", &project).replace("FACETS", &page);
            let text = text.replace("BUILD", build).replace("COMMAND", template.command);
            text.replace("FILE", file).replace("PLACE", template.place).replace("NAME", name)
        };
        let dependency = self.maven.as_ref().map(MavenCoordinates::dependency);
        let named = |text: &str| {
            let text = NAME_MARKS.iter().fold(text.to_owned(), |text, (before, after)| {
                text.replace(&format!("{before}template{after}"), &format!("{before}{name}{after}"))
            });
            text.replace(NO_DEPENDENCY, dependency.as_deref().unwrap_or(NO_DEPENDENCY))
        };
        let sources = template.files.iter().map(|(path, text)| ((*path).to_owned(), named(text)));
        let facets = template.lists.then(|| (FACET_PAGE.to_owned(), facet_page()));
        let readme = ("README.md".to_owned(), filled(README, &shell));
        let workflow = (".github/workflows/heapsmith.yml".to_owned(), filled(WORKFLOW, &step));
        sources.chain(facets).chain([readme, workflow]).collect()
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
