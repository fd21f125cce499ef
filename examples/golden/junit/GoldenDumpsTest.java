import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs a parser over golden dumps (`heapsmith corpus export -o golden`): copy this file, and call your parser in `parse`. It
 * needs Java 11, JUnit 5 and no other library. The system property `golden` names the folder; without it, `golden`.
 */
class GoldenDumpsTest {
    private static final Path FOLDER = Path.of(System.getProperty("golden", "golden"));
    /** The facets that this parser knows, by the kind of line and its key. Begin with few. */
    private static final Map<String, Map<String, String>> FACETS = Map.of(
            "class", Map.of("super", "superclass"),
            "object", Map.of("class", "class"),
            "object-array", Map.of("array_class", "class", "length", "array-length", "elements", "elements"),
            "primitive-array", Map.of("element", "kind", "length", "array-length", "contents", "primitive-contents"));

    /** YOUR PARSER GOES HERE. The lines of classes and objects; null if the parser refuses the dump. */
    private static List<Map<String, Object>> parse(Path dump) throws IOException {
        try {
            return ToyParser.parse(dump);
        } catch (ToyParser.Refusal refusal) {
            return null;
        }
    }

    private final Map<String, Object> manifest = json(Files.readString(FOLDER.resolve("manifest.json")));

    GoldenDumpsTest() throws IOException { }

    @TestFactory
    Stream<DynamicTest> cases() {
        return list(manifest, "cases").stream().map(GoldenDumpsTest::object)
                .map(entry -> DynamicTest.dynamicTest((String) entry.get("id"), () -> check(entry)));
    }

    private void check(Map<String, Object> entry) throws IOException {
        assumeTrue("hprof".equals(entry.get("format")), "this parser reads HPROF only");
        assumeTrue(!entry.containsKey("heap"), "this parser reads files with one heap only");
        Path dump = FOLDER.resolve((String) object(entry.get("dump")).get("path"));
        List<Map<String, Object>> found = parse(dump);
        Difference first = null;
        for (Object answer : list(entry, "answers")) {
            Difference difference = difference(object(object(answer).get("listing")), found);
            if (difference == null) return;
            if (first == null) first = difference;
        }
        fail(message(entry, dump, first));
    }

    private static class Difference {
        String facet, address;
        Object expected, found;

        Difference(String facet, String address, Object expected, Object found) {
            this.facet = facet;
            this.address = address;
            this.expected = expected;
            this.found = found;
        }
    }

    /** The first fact that is not as in this answer; null if there is none. */
    private static Difference difference(Map<String, Object> listing, List<Map<String, Object>> lines) throws IOException {
        if (listing == null || lines == null) {
            String expected = listing == null ? "a refusal" : "a heap", found = lines == null ? "a refusal" : "a heap";
            return expected.equals(found) ? null : new Difference("verdict", null, expected, found);
        }
        List<Map<String, Object>> right = new ArrayList<>();
        for (String line : Files.readAllLines(FOLDER.resolve((String) listing.get("path")))) right.add(json(line));
        right.removeIf(line -> !line.containsKey("kind") || !FACETS.containsKey(line.get("kind")));
        Map<String, Map<String, Object>> expected = byAddress(right), found = byAddress(lines);
        Set<String> keys = new LinkedHashSet<>(expected.keySet());
        keys.addAll(found.keySet());
        for (String key : keys) {
            String address = key.split(" ")[0];
            boolean isIn = expected.containsKey(key) && found.containsKey(key);
            Map<String, Object> one = expected.getOrDefault(key, Map.of("kind", "nothing"));
            Map<String, Object> other = found.getOrDefault(key, Map.of("kind", "nothing"));
            if (!one.get("kind").equals(other.get("kind")))
                return new Difference(isIn ? "kind" : "address", address, one.get("kind"), other.get("kind"));
            for (Map.Entry<String, String> facet : FACETS.get(one.get("kind")).entrySet()) {
                Object fact = one.get(facet.getKey()), told = other.get(facet.getKey());
                if (fact != null && !fact.equals(told)) return new Difference(facet.getValue(), address, fact, told);
            }
        }
        return null;
    }

    /** Lines by their address; of several with one address, by their order too. */
    private static Map<String, Map<String, Object>> byAddress(List<Map<String, Object>> lines) {
        Map<String, Integer> seen = new HashMap<>();
        Map<String, Map<String, Object>> keyed = new LinkedHashMap<>();
        for (Map<String, Object> line : lines) {
            String address = (String) line.get("address");
            keyed.put(address + " " + seen.merge(address, 1, Integer::sum), line);
        }
        return keyed;
    }

    /** What is wrong, by which rule, and the bytes that say it. */
    private String message(Map<String, Object> entry, Path dump, Difference wrong) throws IOException {
        Place place = place(entry, wrong);
        byte[] data = Files.readAllBytes(dump);
        if (data.length > 1 && data[0] == 0x1F && data[1] == (byte) 0x8B)
            data = new GZIPInputStream(new ByteArrayInputStream(data)).readAllBytes();
        StringBuilder bytes = new StringBuilder();
        for (long at = place.offset; at < Math.min(place.offset + Math.min(place.length, 16), data.length); at++)
            bytes.append(String.format(" %02x", data[(int) at]));
        Map<String, Object> rule = object(object(manifest.get("rules")).get(place.rule));
        return String.join("\n",
                entry.get("id") + ": " + entry.get("summary"),
                "  facet:    " + wrong.facet + (wrong.address == null ? "" : " at " + wrong.address),
                "  expected: " + wrong.expected,
                "  found:    " + wrong.found,
                "  rule:     " + place.rule + ": " + (rule == null ? "" : rule.get("statement")),
                "  bytes:    " + place.offset + " to " + (place.offset + place.length) + ":" + bytes);
    }

    /** A rule, and the bytes that rely on it. Of several, the one with the smaller rank is the better guess. */
    private static class Place {
        String rule;
        int rank;
        long offset, length;

        Place(String rule, int rank, long offset, long length) {
            this.rule = rule;
            this.rank = rank;
            this.offset = offset;
            this.length = length;
        }

        static Place of(String rule, int rank, Object bytes) {
            return new Place(rule, rank, ((Number) ((List<?>) bytes).get(1)).longValue(), ((Number) ((List<?>) bytes).get(2)).longValue());
        }
    }

    private Place place(Map<String, Object> entry, Difference wrong) {
        if (wrong.facet.equals("verdict")) {
            Map<String, Object> finding = object(entry.get("finding"));
            return finding == null ? new Place(null, 0, 0, 0)
                    : new Place((String) finding.get("rule"), 0, ((Number) finding.get("offset")).longValue(), 1);
        }
        Set<Object> about = new LinkedHashSet<>();
        for (Object rules : object(entry.get("about")).values()) about.addAll((List<?>) rules);
        List<Place> records = new ArrayList<>(), guesses = new ArrayList<>();
        for (Object bytes : list(entry, "records"))
            if (wrong.address.equals(((List<?>) bytes).get(0))) records.add(Place.of(null, 0, bytes));
        for (Map.Entry<String, Object> rule : object(entry.get("relies")).entrySet()) {
            List<Object> facets = list(object(object(manifest.get("rules")).get(rule.getKey())), "facets");
            if (!facets.contains(wrong.facet) && !facets.contains("all")) continue;
            int rank = (about.contains(rule.getKey()) ? 0 : 4) + (facets.contains(wrong.facet) ? 0 : 2);
            for (Object bytes : (List<?>) rule.getValue()) {
                if (!wrong.address.equals(((List<?>) bytes).get(0))) continue;
                Place guess = Place.of(rule.getKey(), rank, bytes);
                // Bytes of the record itself say more than those elsewhere, such as its name.
                boolean isOutside = records.stream().noneMatch(record -> record.offset <= guess.offset && guess.offset < record.offset + record.length);
                guess.rank += isOutside ? 1 : 0;
                guesses.add(guess);
            }
        }
        Optional<Place> best = guesses.stream().min(Comparator.comparingInt(guess -> guess.rank));
        return best.orElse(records.isEmpty() ? new Place(null, 0, 0, 0) : records.get(0));
    }

    private static final Pattern TOKEN = Pattern.compile("[{}\\[\\]]|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[-+.\\w]+");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))");

    /** Well-formed JSON: a Map, List, String, Boolean, Long, BigDecimal or null. */
    private static Map<String, Object> json(String text) { return object(read(TOKEN.matcher(text))); }

    /** What the next tokens stand for: TOKEN for a closing bracket. */
    private static Object read(Matcher tokens) {
        String token = tokens.find() ? tokens.group() : "}";
        if ("}]".contains(token)) return TOKEN;
        if ("{[".contains(token)) {
            List<Object> items = new ArrayList<>();
            for (Object item; (item = read(tokens)) != TOKEN; ) items.add(item);
            if (token.equals("[")) return items;
            Map<String, Object> object = new LinkedHashMap<>();
            for (int i = 0; i < items.size(); i += 2) object.put((String) items.get(i), items.get(i + 1));
            return object;
        }
        if (token.startsWith("\"")) return ESCAPE.matcher(token.substring(1, token.length() - 1)).replaceAll(escape ->
                Matcher.quoteReplacement("" + (escape.group(1) != null ? (char) Integer.parseInt(escape.group(1), 16)
                        : "\b\f\n\r\t\"\\/".charAt("bfnrt\"\\/".indexOf(escape.group(2))))));
        if (Character.isLetter(token.charAt(0))) return token.equals("null") ? null : Boolean.valueOf(token);
        return token.matches("-?\\d{1,18}") ? (Object) Long.valueOf(token) : new BigDecimal(token);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) { return (Map<String, Object>) value; }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Map<String, Object> object, String key) { return (List<Object>) object.get(key); }
}
