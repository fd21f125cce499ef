package org.heapsmith;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The functions of the library, over a dump that is spelled by hand. */
class HeapsmithTest {
    /** The example of specs/listing.md: two classes, an object, an array of references and an int[2]. */
    private static final byte[] TINY = bytes("0012 706f727461626c65206865617020 64756d70 00000006 00000004 01"
            + "04 0004 74696e79 02"
            + "02"
            + "04 43 0420 00001040 0000cafe 00000002 04 0a"
            + "08 01 04 00001040 00000001 fc 00000003 00000006"
            + "38 06 02 00000004"
            + "06 00 d6 00000008 00000000 0010 6a6176612f6c616e672f4f626a656374 00000000"
            + "06 08 10 00000010 00001234 00001000 0001 41 00000001 f0"
            + "03");

    /** What specs/listing.md says of it, in other spellings: decimal numbers, other orders. */
    private static final String ANSWER = "{\"listing\":1,\"word_size\":32,\"version_text\":\"tiny\",\"hashes\":\"where-used-32\"}\n"
            + "{\"kind\":\"class\",\"address\":4160,\"record\":4,\"name\":\"A\",\"super\":4096,\"instance_size\":16,\"hash32\":4660,\"refs\":[4096]}\n"
            + "{\"kind\":\"class\",\"address\":4096,\"record\":3,\"name\":\"java/lang/Object\",\"super\":0,\"instance_size\":8,\"refs\":[]}\n"
            + "{\"kind\":\"object\",\"address\":4224,\"record\":0,\"class\":4160,\"hash32\":51966,\"refs\":[4240,4264]}\n"
            + "{\"kind\":\"object-array\",\"address\":4240,\"record\":1,\"class\":4160,\"length\":3,\"size\":24,\"refs\":[4224]}\n"
            + "{\"kind\":\"primitive-array\",\"address\":4264,\"record\":2,\"element\":\"int\",\"length\":2,\"size\":16}\n";

    private static byte[] bytes(String hexadecimal) {
        String digits = hexadecimal.replace(" ", "");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < digits.length(); i += 2) {
            bytes.write(Integer.parseInt(digits.substring(i, i + 2), 16));
        }
        return bytes.toByteArray();
    }

    private static JsonObject json(String text) {
        return JsonParser.parseString(text).getAsJsonObject();
    }

    @Test
    void generatesTheDumpOfARecipe() {
        byte[] dump = Heapsmith.generate("preset=tiny,objects=20,seed=7,format=hprof");
        assertEquals("JAVA PROFILE 1.0.", new String(dump, 0, 17, StandardCharsets.ISO_8859_1));
        assertArrayEquals(dump, Heapsmith.generate("preset=tiny,objects=20,seed=7,format=hprof"));
        byte[] other = Heapsmith.generate("preset=tiny,objects=20,seed=8,format=hprof");
        assertFalse(java.util.Arrays.equals(dump, other));
    }

    @Test
    void refusesAWrongRecipeWithTheReason() {
        HeapsmithException failure = assertThrows(HeapsmithException.class, () -> Heapsmith.generate("objcts=20"));
        assertEquals(HeapsmithException.Status.ARGUMENT, failure.status());
        assertTrue(failure.getMessage().contains("objcts"), failure.getMessage());
    }

    @Test
    void refusesADumpAboveTheLimit() {
        HeapsmithException failure =
                assertThrows(HeapsmithException.class, () -> Heapsmith.generate("preset=tiny,objects=20,format=hprof", 100));
        assertEquals(HeapsmithException.Status.LIMIT, failure.status());
        assertThrows(IllegalArgumentException.class, () -> Heapsmith.generate("preset=tiny", -1));
    }

    @Test
    void buildsTheDumpOfAHeapFile() {
        byte[] dump = Heapsmith.build("class A { int n }\nobject a A n=77 @address=0x7000\nroot jni-global @a\n", "hprof");
        String line = Heapsmith.listing(dump).lines().filter(text -> text.contains("\"0x7000\"") && text.contains("\"object\""))
                .findFirst().orElseThrow();
        assertEquals("[[\"int\",\"0x4d\"]]", json(line).get("values").toString());
        HeapsmithException failure = assertThrows(HeapsmithException.class, () -> Heapsmith.build("object a B", "hprof"));
        assertEquals(HeapsmithException.Status.ARGUMENT, failure.status());
        assertTrue(failure.getMessage().contains("B"), failure.getMessage());
        assertThrows(HeapsmithException.class, () -> Heapsmith.build("class A", "hrpof"));
        assertThrows(HeapsmithException.class, () -> Heapsmith.build("class A", "hprof", 100));
    }

    @Test
    void makesADumpOfAFuzzersBytes() {
        String options = "preset=tiny,objects=5,seed=1,format=hprof";
        assertArrayEquals(Heapsmith.generate(options), Heapsmith.dumpFromBytes(options, new byte[0]));
        // The first two bytes are added to the seed.
        byte[] next = Heapsmith.dumpFromBytes(options, new byte[] {1, 0});
        byte[] other = Heapsmith.dumpFromBytes(options, new byte[] {0, 1});
        byte[] seed2 = Heapsmith.generate("preset=tiny,objects=5,seed=2,format=hprof");
        // The first two bytes are a number with its low byte first.
        assertArrayEquals(seed2, next);
        assertFalse(java.util.Arrays.equals(next, other));
        assertThrows(HeapsmithException.class, () -> Heapsmith.dumpFromBytes(options, new byte[0], 10));
    }

    @Test
    void mutatesADumpWithinALimit() {
        byte[] changed = Heapsmith.mutate(TINY, 1, 4096);
        assertFalse(java.util.Arrays.equals(TINY, changed));
        assertArrayEquals(changed, Heapsmith.mutate(TINY, 1, 4096));
        for (long seed = 0; seed < 100; seed++) {
            assertTrue(Heapsmith.mutate(TINY, seed, TINY.length).length <= TINY.length);
        }
        // No bytes become a small dump.
        assertTrue(Heapsmith.isDump(Heapsmith.mutate(new byte[0], 1, 1 << 20)));
    }

    @Test
    void crossesTwoDumpsOver() {
        byte[] one = Heapsmith.generate("preset=tiny,objects=5,seed=1,format=hprof");
        byte[] other = Heapsmith.generate("preset=tiny,objects=5,seed=2,format=hprof");
        byte[] crossed = Heapsmith.crossOver(one, other, 3, 1 << 20);
        assertArrayEquals(crossed, Heapsmith.crossOver(one, other, 3, 1 << 20));
        assertFalse(java.util.Arrays.equals(one, crossed));
        assertTrue(Heapsmith.crossOver(one, other, 3, one.length).length <= one.length);
    }

    @Test
    void knowsADumpByItsBeginning() {
        assertTrue(Heapsmith.isDump(TINY));
        assertTrue(Heapsmith.isDump("JAVA PROFILE 1.0.2\0\0\0\0\bxxxxxxxx".getBytes(StandardCharsets.ISO_8859_1)));
        assertFalse(Heapsmith.isDump(new byte[0]));
        assertFalse(Heapsmith.isDump(new byte[] {'P', 'K', 3, 4}));
    }

    @Test
    void validatesADump() {
        assertTrue(json(Heapsmith.validate(TINY)).get("valid").getAsBoolean());
        byte[] cut = java.util.Arrays.copyOf(TINY, 60);
        assertFalse(json(Heapsmith.validate(cut)).get("valid").getAsBoolean());
    }

    @Test
    void listsTheHeapOfADump() {
        List<String> lines = Heapsmith.listing(TINY).lines().collect(Collectors.toList());
        // specs/listing.md has these lines.
        assertEquals(6, lines.size());
        assertEquals("{\"kind\":\"object\",\"address\":\"0x1080\",\"record\":0,\"offset\":38,\"class\":\"0x1040\",\"hash32\":\"0xcafe\","
                + "\"refs\":[\"0x1090\",\"0x10a8\"]}", lines.get(3));
        HeapsmithException failure =
                assertThrows(HeapsmithException.class, () -> Heapsmith.listing(java.util.Arrays.copyOf(TINY, 60)));
        assertEquals(HeapsmithException.Status.INVALID, failure.status());
        assertThrows(HeapsmithException.class, () -> Heapsmith.listing(TINY, 1));
        assertThrows(IllegalArgumentException.class, () -> Heapsmith.listing(TINY, -1));
    }

    @Test
    void answersWhatAnAnalyserShouldFind() {
        byte[] dump = Heapsmith.build("heap world=none\nclass java.lang.Object @address=0x100\nclass A extends=java.lang.Object { A next }\n"
                + "object a A next=@b\nobject b A\nobject lost A\nroot jni-global @a\n", "hprof");
        JsonObject answers = json(Heapsmith.answers(dump));
        // The root keeps a, which refers to b; nothing refers to the third object.
        assertEquals(2, answers.getAsJsonObject("reachable").get("objects").getAsInt());
        assertEquals(1, answers.getAsJsonObject("unreachable").get("objects").getAsInt());
        assertThrows(HeapsmithException.class, () -> Heapsmith.answers(dump, 7));
    }

    @Test
    void comparesAListing() {
        Comparison same = Heapsmith.compareListing(TINY, ANSWER);
        assertTrue(same.isSame(), same::report);
        Comparison other = Heapsmith.compareListing(TINY, ANSWER.replace("\"length\":2", "\"length\":3"));
        assertFalse(other.isSame());
        assertTrue(other.report().contains("array-length"), other::report);
        assertThrows(HeapsmithException.class, () -> Heapsmith.compareListing(TINY, "no listing"));
        assertThrows(IllegalArgumentException.class, () -> Heapsmith.compareListing(TINY, "\ud800"));
    }

    @Test
    void comparesADigest() {
        String digest = Heapsmith.digest(TINY);
        assertTrue(Heapsmith.compareDigest(TINY, digest).isSame());
        byte[] other = TINY.clone();
        other[TINY.length - 2] ^= 4; // the superclass's reference
        assertFalse(Heapsmith.compareDigest(other, digest).isSame());
        assertThrows(HeapsmithException.class, () -> Heapsmith.compareDigest(TINY, "{}"));
    }

    @Test
    void givesTheCasesOfTheCorpus() {
        Set<String> ids = Heapsmith.corpus().map(CorpusCase::id).collect(Collectors.toSet());
        assertTrue(ids.size() > 1000, () -> ids.size() + " cases");
        assertTrue(ids.contains("phd5-spelled-wrap"));
        CorpusCase wrap = Heapsmith.corpus().filter(one -> one.id().equals("phd5-spelled-wrap")).findFirst().orElseThrow();
        // README and docs/parser.md show this dump: 189 bytes, with the gap fc000000 at offset 0x21.
        assertEquals(189, wrap.dump().length);
        assertArrayEquals(bytes("fc000000"), java.util.Arrays.copyOfRange(wrap.dump(), 0x21, 0x25));
        assertEquals("phd5", json(wrap.description()).get("format").getAsString());
        assertTrue(wrap.answers().get(0).listing().orElseThrow().contains("\"0xf0000000\""));
        CorpusCase cut = Heapsmith.corpus().filter(one -> one.id().equals("hprof-spelled-cut-in-header")).findFirst().orElseThrow();
        assertTrue(cut.answers().get(0).listing().isEmpty());
    }

    @Test
    void worksFromSeveralThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Integer>> tasks = IntStream.range(0, 200).<Callable<Integer>>mapToObj(i -> () -> {
                // Each thread has the reason of its own failure.
                String wrong = "wrong" + i + "=1";
                HeapsmithException failure = assertThrows(HeapsmithException.class, () -> Heapsmith.generate(wrong));
                assertTrue(failure.getMessage().contains("wrong" + i), failure.getMessage());
                return Heapsmith.mutate(TINY, i, 4096).length;
            }).collect(Collectors.toList());
            for (var done : threads.invokeAll(tasks)) {
                assertTrue(done.get() > 0);
            }
        } finally {
            threads.shutdown();
        }
    }
}
