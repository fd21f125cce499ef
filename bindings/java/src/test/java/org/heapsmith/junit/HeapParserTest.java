package org.heapsmith.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs the parsers of {@link Parsers} as JUnit would, and looks at what their dynamic tests come to. */
class HeapParserTest {
    private static final String HIGH = "hprof-spelled-high-ids";
    private static final String EMPTY = "hprof-spelled-empty";

    @TempDir
    private Path folder;

    @AfterEach
    void clearProperties() {
        System.clearProperty("heapsmith.only");
        System.clearProperty("heapsmith.report");
    }

    /** What each test came to, by its name: {@code passed}, or how it ended and its message. */
    private static Map<String, String> run(Class<?> parser) {
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter").selectors(selectClass(parser)).execute();
        Map<String, String> outcomes = new LinkedHashMap<>();
        for (Event event : results.allEvents().finished().list()) {
            TestExecutionResult result = event.getRequiredPayload(TestExecutionResult.class);
            String message = result.getThrowable().map(failure -> " " + failure.getMessage()).orElse("");
            boolean isContainer = event.getTestDescriptor().isContainer();
            if (!isContainer || !message.isEmpty()) {
                outcomes.put(event.getTestDescriptor().getDisplayName(), (result.getStatus() + message).toLowerCase(java.util.Locale.ROOT));
            }
        }
        return outcomes;
    }

    private static void assertContains(String outcome, String... parts) {
        for (String part : parts) {
            assertTrue(String.valueOf(outcome).contains(part), () -> "no " + part + " in:\n" + outcome);
        }
    }

    @Test
    void passesARightParserOverTheWholeCorpus() {
        Map<String, String> outcomes = run(Parsers.Corpus.class);
        assertTrue(outcomes.size() > 500, () -> outcomes.size() + " tests");
        outcomes.forEach((id, outcome) -> assertTrue(outcome.equals("successful") || outcome.contains("gzip is not read"), outcome));
        assertTrue(outcomes.containsValue("aborted gzip is not read"));
    }

    @Test
    void asksAboutRandomDumpsToo() {
        Map<String, String> outcomes = run(Parsers.Passing.class);
        assertEquals("successful", outcomes.get(EMPTY));
        assertEquals("successful", outcomes.get("hprof-spelled-cut-in-header"));
        assertTrue(outcomes.keySet().stream().anyMatch(id -> id.startsWith("random-plain-")), outcomes::toString);
    }

    @Test
    void failsAWrongFactWithItsBytesItsCauseAndItsPair() {
        Map<String, String> outcomes = run(Parsers.Signed.class);
        assertEquals("successful", outcomes.get(EMPTY));
        // The identifiers of the case are 80000000 and above, as specs/cases spells them.
        assertContains(outcomes.get(HIGH), "failed hprof-spelled-high-ids > address at 0x8", "expected class, found the same at 0xffffffff80001000",
                "bytes:   offset 0x", "rule:    hprof.id.unsigned", "cause:   fails where", "pair:    passes with ", "fails with ", "the class object id of class dump",
                "dumps:   -dheapsmith.report=dir keeps both", "repeat:  mvn test -dheapsmith.only=hprof-spelled-high-ids");
        String cause = outcomes.keySet().stream().filter(name -> name.startsWith("Fails where")).findFirst().orElse("none");
        assertContains(outcomes.get(cause), "failed fails where", "the smallest is hprof-spelled-high-ids", "pair:    passes with ");
    }

    @Test
    void keepsTheReportAndThePairOnRequest() throws IOException {
        System.setProperty("heapsmith.report", folder.toString());
        String outcome = run(Parsers.Signed.class).get(HIGH);
        assertContains(outcome, "dumps:   " + folder.toString().toLowerCase(java.util.Locale.ROOT));
        Path report = folder.resolve(Parsers.Signed.class.getName());
        assertTrue(Files.isRegularFile(report.resolve("report.html")));
        try (Stream<Path> files = Files.walk(report)) {
            long dumps = files.filter(path -> path.toString().endsWith(".hprof")).count();
            assertTrue(dumps >= 2, () -> dumps + " dumps");
        }
    }

    @Test
    void asksAboutOneCase() {
        System.setProperty("heapsmith.only", HIGH);
        Map<String, String> outcomes = run(Parsers.Signed.class);
        assertEquals(HIGH, outcomes.keySet().iterator().next());
        assertFalse(outcomes.containsKey(EMPTY));
        assertContains(outcomes.get(HIGH), "failed hprof-spelled-high-ids > address");
    }

    @Test
    void abortsWhereTheOneCaseIsNone() {
        System.setProperty("heapsmith.only", "phd-no-such-case");
        assertContains(run(Parsers.Signed.class).get("phd-no-such-case"), "aborted", "has no such case");
    }

    @Test
    void abortsAnExpectedFailure() {
        Map<String, String> outcomes = run(Parsers.SignedAsExpected.class);
        assertEquals("successful", outcomes.get(EMPTY));
        assertContains(outcomes.get(HIGH), "aborted expected: identifiers of 4 bytes are taken for signed numbers",
                "https://example.org/issues/12", "fail");
        assertFalse(outcomes.values().stream().anyMatch(outcome -> outcome.startsWith("failed")), outcomes::toString);
    }

    @Test
    void failsAPassThatIsExpectedToFail() {
        assertContains(run(Parsers.BetterThanExpected.class).get(HIGH), "failed hprof-spelled-high-ids passes",
                "identifiers of 4 bytes are taken for signed numbers", "delete");
    }

    @Test
    void failsTheOneCaseThatHangs() {
        Map<String, String> outcomes = run(Parsers.Hanging.class);
        assertEquals("successful", outcomes.get(EMPTY));
        assertContains(outcomes.get(HIGH), "failed hprof-spelled-high-ids > hang");
    }

    @Test
    void failsTheOneCaseThatRunsOutOfMemory() {
        Map<String, String> outcomes = run(Parsers.OutOfMemory.class);
        assertEquals("successful", outcomes.get(EMPTY));
        assertContains(outcomes.get(HIGH), "failed hprof-spelled-high-ids > crash", "outofmemoryerror", "parsers$outofmemory.strike");
    }

    @Test
    void failsTheOneCaseThatExits() {
        Map<String, String> outcomes = run(Parsers.Exiting.class);
        assertEquals("successful", outcomes.get(EMPTY));
        assertContains(outcomes.get(HIGH), "failed hprof-spelled-high-ids > crash");
    }

    @Test
    void failsTheOneCaseThatThrowsWithItsStack() {
        Map<String, String> outcomes = run(Parsers.Throwing.class);
        assertEquals("successful", outcomes.get(EMPTY));
        assertContains(outcomes.get(HIGH), "failed hprof-spelled-high-ids > crash", "illegalstateexception: a table has no entry",
                "parsers$throwing.strike");
    }

    @Test
    void takesAnExceptionOfTheClaimsForARefusal() {
        assertContains(run(Parsers.RefusingWrongly.class).get(HIGH), "failed hprof-spelled-high-ids > wrong-verdict: expected accept",
                "bad bytes at 31");
    }

    @Test
    void failsUnknownNamesOfTheClaims() {
        Map<String, String> outcomes = run(Parsers.Misspelling.class);
        assertContains(outcomes.get("claims"), "failed", "class-nmae");
    }

    @Test
    void saysWhyNothingWasJudged() {
        String all = run(Parsers.Nothing.class).values().stream().collect(Collectors.joining("\n"));
        assertContains(all, "failed", "exit code 2", "no-such-case");
    }

    @Test
    void saysThatAClassCannotBeMadeAnew() {
        IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> new CheckRun(Parsers.Unmakeable.class).tests());
        assertContains(failure.getMessage(), "org.heapsmith.junit.Parsers$Unmakeable", "a constructor without parameters");
    }

    @Test
    void leavesNoTemporaryFolder() throws IOException {
        run(Parsers.Signed.class);
        try (Stream<Path> left = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            long pid = ProcessHandle.current().pid();
            assertFalse(left.anyMatch(path -> path.getFileName().toString().startsWith("heapsmith-check-" + pid + "-")));
        }
    }
}
