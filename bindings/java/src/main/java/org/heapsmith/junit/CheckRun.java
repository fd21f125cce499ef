package org.heapsmith.junit;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.heapsmith.NativeFiles;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicNode;
import org.opentest4j.TestAbortedException;

/** A run of {@code heapsmith check} over a parser, as dynamic tests. */
final class CheckRun {
    private static final String ONLY = "heapsmith.only";
    private static final String REPORT = "heapsmith.report";
    /** What a process may have besides the Java heap, in MiB: its code, its threads, and files in memory. */
    private static final int MEMORY_BESIDES = 1024;
    /** The most seconds for experiments. */
    private static final int EXPLAIN_SECONDS = 60;
    /** Seconds from one line about progress to the next. */
    private static final int PROGRESS_SECONDS = 15;
    /** Exit code of a run that judged nothing. */
    private static final int NOTHING_JUDGED = 2;

    private final Class<?> parser;
    private final HeapDumps options;
    private final String only = System.getProperty(ONLY);

    CheckRun(Class<?> parser) {
        this.parser = parser;
        HeapDumps given = parser.getAnnotation(HeapDumps.class);
        this.options = given == null ? Defaults.class.getAnnotation(HeapDumps.class) : given;
    }

    /** Has the values that the annotation has by default. */
    @HeapDumps
    private static final class Defaults {}

    Stream<DynamicNode> tests() {
        Claims claims;
        try {
            // What is wrong with the class itself is one failure, not one of each case.
            claims = ParserProcess.make(parser).claims();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(parser.getName() + " is made anew in the process of the parser: it has to be a class of its "
                    + "own, or a static one, with a constructor without parameters", e);
        }
        try {
            claims.check(declarations());
            return run();
        } catch (IOException e) {
            throw new UncheckedIOException("running heapsmith check over " + parser.getName() + ": " + e.getMessage(), e);
        }
    }

    /** What can be declared: the choices by key. */
    static Map<String, List<String>> declarations() throws IOException {
        Process process = new ProcessBuilder(NativeFiles.command().toString(), "adapter", "readings", "--json")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        process.getOutputStream().close();
        Map<String, List<String>> known = new LinkedHashMap<>();
        try (Reader text = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            JsonElement printed = JsonParser.parseReader(text);
            if (!printed.isJsonObject()) {
                throw new IOException("expected a JSON object of heapsmith adapter readings --json, found none; is "
                        + NativeFiles.command() + " the program heapsmith?");
            }
            JsonObject readings = printed.getAsJsonObject();
            for (JsonElement declaration : readings.getAsJsonArray("declarations")) {
                List<String> choices = new ArrayList<>();
                for (JsonElement choice : declaration.getAsJsonObject().getAsJsonArray("choices")) {
                    choices.add(choice.getAsJsonObject().get("name").getAsString());
                }
                known.put(declaration.getAsJsonObject().get("key").getAsString(), choices);
            }
        }
        return known;
    }

    private Stream<DynamicNode> run() throws IOException {
        Path temporary = Files.createTempDirectory("heapsmith-check-" + ProcessHandle.current().pid() + "-");
        try {
            String kept = System.getProperty(REPORT);
            Path report = kept == null ? temporary.resolve("report") : Path.of(kept).toAbsolutePath().resolve(parser.getName());
            Files.createDirectories(report.getParent());
            int code = check(temporary, report);
            Path json = report.resolve("report.json");
            String messages = Files.readString(temporary.resolve("messages"));
            if (code >= NOTHING_JUDGED || !Files.exists(json)) {
                if (only != null && messages.contains("no case")) {
                    return Stream.of(dynamicTest(only, () -> {
                        throw new TestAbortedException(parser.getName() + " has no such case");
                    }));
                }
                throw new IllegalStateException("heapsmith check ended with exit code " + code + " over " + parser.getName() + ":\n"
                        + messages.strip());
            }
            if (!messages.isBlank()) {
                System.err.println(messages.strip());
            }
            try (Reader text = Files.newBufferedReader(json)) {
                return tests(new CheckReport(text, kept == null ? null : report));
            }
        } finally {
            delete(temporary);
        }
    }

    private Stream<DynamicNode> tests(CheckReport report) {
        List<DynamicNode> nodes = new ArrayList<>();
        if (!report.ignored().isEmpty()) {
            nodes.add(dynamicTest("claims", () -> Assertions.fail("the claims have names that heapsmith does not know: "
                    + String.join(", ", report.ignored()) + "; `heapsmith facets` and `heapsmith adapter readings` print those that it knows")));
        }
        for (CheckReport.CaseResult result : report.results()) {
            nodes.add(dynamicTest(result.id(), result::judge));
        }
        if (!report.causes().isEmpty()) {
            nodes.add(dynamicContainer("causes",
                    report.causes().stream().map(cause -> dynamicTest(cause.sentence(), cause::judge))));
        }
        return nodes.stream();
    }

    /** Runs the program, and gives its exit code. */
    private int check(Path temporary, Path report) throws IOException {
        List<String> command = command(temporary, report);
        Path messages = temporary.resolve("messages");
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Files.createFile(temporary.resolve("nothing")).toFile()))
                .redirectOutput(temporary.resolve("output").toFile())
                .redirectError(messages.toFile())
                .start();
        // A signal ends the run, with everything that it started, and leaves no folder.
        Thread end = new Thread(() -> {
            stop(process);
            delete(temporary);
        });
        try {
            Runtime.getRuntime().addShutdownHook(end);
            for (int seconds = 0; !process.waitFor(PROGRESS_SECONDS, TimeUnit.SECONDS); ) {
                seconds += PROGRESS_SECONDS;
                System.err.println("heapsmith: checking " + parser.getName() + ", " + seconds + " s");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            stop(process);
            try {
                Runtime.getRuntime().removeShutdownHook(end);
            } catch (IllegalStateException e) {
                // The virtual machine ends already: the hook runs.
            }
        }
    }

    private static void stop(Process process) {
        process.destroy();
        boolean wasInterrupted = Thread.interrupted();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            wasInterrupted = true;
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> command(Path temporary, Path report) throws IOException {
        List<String> command = new ArrayList<>(List.of(NativeFiles.command().toString(), "check"));
        command.addAll(List.of("--adapter", adapter(temporary)));
        command.addAll(List.of("--report", report.toString(), "--force", "--allow-skips"));
        if (!options.format().isEmpty()) {
            command.addAll(List.of("--format", options.format()));
        }
        command.addAll(List.of("--random", Integer.toString(options.random())));
        command.addAll(List.of("--seed", Long.toUnsignedString(options.seed())));
        for (String filter : only == null ? options.filter() : new String[] {only}) {
            command.addAll(List.of("--filter", filter));
        }
        if (!options.expected().isEmpty()) {
            command.addAll(List.of("--expected", Path.of(options.expected()).toAbsolutePath().toString()));
        }
        command.addAll(List.of("--time-limit", Integer.toString(options.timeLimit())));
        command.addAll(List.of("--memory-limit", Integer.toString(options.memory() + MEMORY_BESIDES)));
        if (only != null || options.explain() == 0) {
            command.add("--no-explain");
        } else {
            command.addAll(List.of("--explain", Integer.toString(options.explain())));
            command.addAll(List.of("--explain-time", Integer.toString(EXPLAIN_SECONDS)));
        }
        return command;
    }

    /** The command of the adapter: a virtual machine whose arguments stand in a file, since a class path may be long. */
    private String adapter(Path temporary) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-Xmx" + options.memory() + "m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData"));
        arguments.addAll(List.of(options.jvmArguments()));
        arguments.addAll(List.of("-cp", String.join(System.getProperty("path.separator"), classPath())));
        arguments.add(ParserProcess.class.getName());
        arguments.add(parser.getName());
        if (!options.format().isEmpty()) {
            arguments.add(options.format());
        }
        Path file = temporary.resolve("arguments");
        Files.write(file, arguments.stream().map(CheckRun::quotedForJava).collect(Collectors.toList()));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return quotedForShell(java.toString()) + " " + quotedForShell("@" + file);
    }

    /** The class path of this virtual machine, with what its module path has, as far as the parser's class is found in it. */
    private Set<String> classPath() {
        Set<String> path = new LinkedHashSet<>();
        for (String property : List.of("java.class.path", "jdk.module.path")) {
            String value = System.getProperty(property);
            if (value != null && !value.isEmpty()) {
                path.addAll(List.of(value.split(System.getProperty("path.separator"))));
            }
        }
        // A launcher may have loaded classes by a loader of its own.
        for (Class<?> needed : List.of(parser, ParserProcess.class, com.google.gson.Gson.class, org.junit.jupiter.api.Test.class,
                org.junit.platform.commons.annotation.Testable.class)) {
            path.add(root(needed));
        }
        return path;
    }

    /** The folder or jar that has a class. */
    private static String root(Class<?> type) {
        String name = type.getName().replace('.', '/') + ".class";
        URL url = type.getResource("/" + name);
        if (url == null) {
            throw new IllegalStateException("the class " + type.getName() + " is in no file, so no process can be started with it");
        }
        String place = url.toString();
        try {
            if (url.getProtocol().equals("jar")) {
                return Path.of(new URI(place.substring("jar:".length(), place.indexOf("!/")))).toString();
            }
            return Path.of(new URI(place.substring(0, place.length() - name.length()))).toString();
        } catch (URISyntaxException | IllegalArgumentException | java.nio.file.FileSystemNotFoundException e) {
            throw new IllegalStateException("the class " + type.getName() + " is at " + place + ", and a folder or a jar was expected", e);
        }
    }

    /** An argument in a file of arguments of {@code java}. */
    private static String quotedForJava(String argument) {
        return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String quotedForShell(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private static synchronized void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("heapsmith: not removed: " + folder + ": " + e);
        }
    }
}
