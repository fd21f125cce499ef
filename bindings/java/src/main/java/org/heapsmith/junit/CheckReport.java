package org.heapsmith.junit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.Reader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** The report of {@code heapsmith check} about one implementation (specs/schemas/check.schema.json). */
final class CheckReport {
    private final JsonObject tested;
    /** The folder in which the report stays; null if it does not. */
    private final Path folder;
    private final Map<String, JsonObject> summaries = new HashMap<>();
    private final List<Cause> causes = new ArrayList<>();
    private final Map<String, Cause> causeOf = new HashMap<>();

    CheckReport(Reader text, Path folder) {
        JsonObject report = JsonParser.parseReader(text).getAsJsonObject();
        this.folder = folder;
        tested = report.getAsJsonArray("implementations").get(0).getAsJsonObject();
        for (JsonElement facts : report.getAsJsonArray("cases")) {
            summaries.put(string(facts.getAsJsonObject(), "id"), facts.getAsJsonObject());
        }
        for (JsonElement element : array(tested, "causes")) {
            Cause cause = new Cause(element.getAsJsonObject());
            causes.add(cause);
            for (JsonElement id : array(cause.facts, "cases")) {
                causeOf.put(id.getAsString(), cause);
            }
        }
    }

    List<CaseResult> results() {
        List<CaseResult> results = new ArrayList<>();
        for (JsonElement result : array(tested, "results")) {
            results.add(new CaseResult(result.getAsJsonObject()));
        }
        return results;
    }

    List<Cause> causes() {
        return causes;
    }

    /** What the claims have by names that are not known. */
    List<String> ignored() {
        List<String> names = new ArrayList<>();
        JsonObject declared = object(tested, "declared");
        if (declared != null) {
            array(declared, "ignored").forEach(name -> names.add(name.getAsString()));
        }
        return names;
    }

    /** The outcome of a case. */
    final class CaseResult {
        private final JsonObject facts;
        private final JsonObject outcome;

        CaseResult(JsonObject facts) {
            this.facts = facts;
            this.outcome = facts.getAsJsonObject("outcome");
        }

        String id() {
            return string(facts, "id");
        }

        /** Passes, aborts or fails, as the case did. */
        void judge() {
            String verdict = string(outcome, "verdict");
            JsonObject expected = object(facts, "expected");
            if (verdict.equals("pass")) {
                if (expected != null) {
                    throw new AssertionFailedError(id() + " passes, and the file of expected failures has it: \"" + string(expected, "reason")
                            + "\"; delete the case there");
                }
            } else if (verdict.equals("skip")) {
                throw new TestAbortedException(detail());
            } else if (expected != null) {
                String link = string(expected, "link");
                throw new TestAbortedException("expected: " + string(expected, "reason") + (link == null ? "" : " (" + link + ")") + "; "
                        + verdict + ": " + detail());
            } else {
                throw failure(verdict);
            }
        }

        private AssertionFailedError failure(String verdict) {
            String right = string(outcome, "expected");
            String found = string(outcome, "found");
            StringBuilder text = new StringBuilder(id()).append(" > ");
            if (verdict.equals("fail")) {
                text.append(string(outcome, "fact"));
                String address = string(outcome, "address");
                text.append(address == null ? "" : " at " + address).append(": ");
            } else {
                text.append(verdict).append(": ");
            }
            text.append(right == null ? detail() : "expected " + right + ", found " + found);
            line(text, "dump", summary());
            line(text, "bytes", bytes());
            JsonObject evidence = object(facts, "evidence");
            line(text, "rule", evidence == null ? null : string(evidence, "rule"));
            Cause cause = causeOf.get(id());
            if (cause != null) {
                line(text, "cause", cause.sentence());
                cause.addPair(text);
            }
            line(text, "repeat", "mvn test -Dheapsmith.only=" + id());
            return right == null ? new AssertionFailedError(text.toString()) : new AssertionFailedError(text.toString(), right, found);
        }

        private String summary() {
            JsonObject summary = summaries.get(id());
            return summary == null ? null : string(summary, "summary");
        }

        /** The bytes that state the wrong fact. */
        private String bytes() {
            JsonObject evidence = object(facts, "evidence");
            if (evidence == null) {
                return null;
            }
            StringBuilder text = new StringBuilder("offset 0x").append(Long.toHexString(evidence.get("offset").getAsLong()));
            if (evidence.has("record") && !evidence.get("record").isJsonNull()) {
                text.append(", record ").append(evidence.get("record").getAsLong());
            }
            String separator = ": ";
            for (JsonElement field : array(evidence, "fields")) {
                JsonObject facts = field.getAsJsonObject();
                if (facts.get("wrong").getAsBoolean()) {
                    text.append(separator).append(string(facts, "bytes")).append(" (").append(string(facts, "name")).append(')');
                    separator = ", ";
                }
            }
            return text.toString();
        }

        /** What the outcome says, whatever its verdict is. */
        private String detail() {
            List<String> parts = new ArrayList<>();
            for (Map.Entry<String, JsonElement> entry : outcome.entrySet()) {
                JsonElement value = entry.getValue();
                if (!entry.getKey().equals("verdict") && value.isJsonPrimitive() && value.getAsJsonPrimitive().isString()) {
                    parts.add(value.getAsString());
                }
            }
            return String.join("; ", parts);
        }
    }

    /** What several failures have in common. */
    final class Cause {
        private final JsonObject facts;

        Cause(JsonObject facts) {
            this.facts = facts;
        }

        String sentence() {
            return string(facts, "sentence");
        }

        /** Fails, if a case of the cause does. */
        void judge() {
            int cases = array(facts, "cases").size();
            StringBuilder text = new StringBuilder(sentence());
            line(text, "cases", cases + ", the smallest is " + string(facts, "example"));
            line(text, "rule", string(facts, "rule"));
            addPair(text);
            line(text, "repeat", "mvn test -Dheapsmith.only=" + string(facts, "example"));
            if (facts.get("unexpected").getAsLong() == 0) {
                throw new TestAbortedException("expected: " + text);
            }
            throw new AssertionFailedError(text.toString());
        }

        /** Adds the two dumps that differ in nothing else. */
        void addPair(StringBuilder text) {
            JsonObject pair = object(facts, "pair");
            if (pair == null) {
                return;
            }
            JsonObject passes = pair.getAsJsonObject("passes");
            JsonObject fails = pair.getAsJsonObject("fails");
            line(text, "pair", "passes with " + string(passes, "differing") + ", fails with " + string(fails, "differing") + " at offset 0x"
                    + Long.toHexString(pair.get("offset").getAsLong()) + ": " + string(pair, "place"));
            line(text, "fails", string(pair, "wrong"));
            line(text, "dumps", folder == null ? "-Dheapsmith.report=DIR keeps both, with a page about all failures"
                    : folder.resolve(string(passes, "file")) + " and " + folder.resolve(string(fails, "file")));
        }
    }

    private static void line(StringBuilder text, String label, String value) {
        if (value != null && !value.isEmpty()) {
            text.append(String.format("%n  %-9s", label + ":")).append(value.replace("\n", "\n           "));
        }
    }

    /** The text of a key; null where there is none. */
    private static String string(JsonObject object, String key) {
        JsonElement value = object.get(key);
        return value == null || value.isJsonNull() ? null : value.getAsString();
    }

    private static JsonObject object(JsonObject object, String key) {
        JsonElement value = object.get(key);
        return value == null || value.isJsonNull() ? null : value.getAsJsonObject();
    }

    private static JsonArray array(JsonObject object, String key) {
        JsonElement value = object.get(key);
        return value == null || value.isJsonNull() ? new JsonArray() : value.getAsJsonArray();
    }
}
