package org.heapsmith;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Heaps that are built by names: what the listing of their dumps says. */
class HeapBuilderTest {
    /** The lines of a listing of a kind, in the order of addresses. */
    private static List<JsonObject> lines(HeapBuilder heap, String kind) {
        byte[] dump = heap.dump("hprof");
        String findings = Heapsmith.validate(dump);
        assertTrue(JsonParser.parseString(findings).getAsJsonObject().get("valid").getAsBoolean(), findings);
        return Heapsmith.listing(dump).lines().map(line -> JsonParser.parseString(line).getAsJsonObject())
                .filter(line -> line.has("kind") && line.get("kind").getAsString().equals(kind)).collect(Collectors.toList());
    }

    private static JsonObject at(HeapBuilder heap, String kind, String address) {
        return lines(heap, kind).stream().filter(line -> line.get("address").getAsString().equals(address)).findFirst().orElseThrow();
    }

    @Test
    void writesAHeapFile() {
        HeapBuilder heap = new HeapBuilder().library("jdk-21");
        heap.clazz("shop.Order").extending("shop.Base").field("shop.Order", "next").staticField("int", "made", 3);
        heap.clazz("shop.Base").field("int", "id");
        heap.object("first", "shop.Order").set("id", 1).set("next", HeapBuilder.reference("first"));
        heap.array("all", "shop.Order[]").elements(HeapBuilder.reference("first"), null);
        heap.string("s", "x").root("jni-global", "all");
        assertEquals("heap \"library\"=\"jdk-21\"\n"
                + "class \"shop.Order\" extends=\"shop.Base\" {\n"
                + "    field \"shop.Order\" \"next\"\n"
                + "    static \"int\" \"made\" 3\n"
                + "}\n"
                + "class \"shop.Base\" {\n"
                + "    field \"int\" \"id\"\n"
                + "}\n"
                + "object \"first\" \"shop.Order\" \"id\"=1 \"next\"=\"@first\"\n"
                + "array \"all\" \"shop.Order[]\" \"@first\" #null\n"
                + "string \"s\" \"x\"\n"
                + "root \"jni-global\" \"@all\"\n", heap.text());
        assertEquals("[[\"object\",\"0x7000\"],[\"int\",\"0x1\"]]", values(withAddress()));
    }

    private static HeapBuilder withAddress() {
        HeapBuilder heap = new HeapBuilder();
        heap.clazz("shop.Order").extending("shop.Base").field("shop.Order", "next");
        heap.clazz("shop.Base").field("int", "id");
        heap.object("first", "shop.Order").set("id", 1).set("next", HeapBuilder.reference("first")).fact("address", 0x7000);
        return heap.root("jni-global", "first");
    }

    /** The values of the object at 0x7000. */
    private static String values(HeapBuilder heap) {
        return at(heap, "object", "0x7000").get("values").toString();
    }

    @Test
    void writesValuesOfEveryType() {
        HeapBuilder heap = new HeapBuilder();
        heap.clazz("A").field("boolean", "z").field("char", "c").field("byte", "b").field("short", "s").field("int", "i")
                .field("long", "l").field("float", "f").field("double", "d").field("float", "nan").field("double", "inf")
                .field("double", "negative").field("Object", "o");
        heap.object("a", "A").fact("address", 0x7000).set("z", true).set("c", '\ud800').set("b", (byte) -1).set("s", (short) -2)
                .set("i", Integer.MIN_VALUE).set("l", Long.MAX_VALUE).set("f", 0.1f).set("d", 1e300)
                .set("nan", Float.intBitsToFloat(0x7f800001)).set("inf", Double.NEGATIVE_INFINITY).set("negative", -0.0)
                .set("o", HeapBuilder.address(0x1234));
        assertEquals("[[\"boolean\",\"0x1\"],[\"char\",\"0xd800\"],[\"byte\",\"0xff\"],[\"short\",\"0xfffe\"],[\"int\",\"0x80000000\"],"
                + "[\"long\",\"0x7fffffffffffffff\"],[\"float\",\"0x3dcccccd\"],[\"double\",\"0x7e37e43c8800759c\"],"
                + "[\"float\",\"0x7f800001\"],[\"double\",\"0xfff0000000000000\"],[\"double\",\"0x8000000000000000\"],"
                + "[\"object\",\"0x1234\"]]", values(heap));
    }

    @Test
    void boxesValuesInTheirOwnClass() {
        HeapBuilder heap = new HeapBuilder();
        Object[] all = {true, 'x', (byte) 1, (short) 2, 3, 4L, 1.5f, 2.5, Double.NaN, Float.NEGATIVE_INFINITY};
        HeapBuilder.ArrayNode array = heap.array("all", "Object[]").fact("address", 0x7000);
        for (Object value : all) {
            array.elements(HeapBuilder.boxed(value));
        }
        heap.root("jni-global", "all");
        List<JsonObject> objects = lines(heap, "object");
        List<JsonObject> classes = lines(heap, "class");
        JsonArray elements = at(heap, "object-array", "0x7000").getAsJsonArray("elements");
        for (int i = 0; i < all.length; i++) {
            String address = elements.get(i).getAsString();
            JsonObject box = objects.stream().filter(line -> line.get("address").getAsString().equals(address)).findFirst().orElseThrow();
            String name = classes.stream().filter(line -> line.get("address").equals(box.get("class"))).findFirst().orElseThrow()
                    .get("name").getAsString();
            assertEquals(all[i].getClass().getName().replace('.', '/'), name);
        }
        HeapBuilder.ArrayNode other = heap.array("other", "Object[]");
        assertThrows(IllegalArgumentException.class, () -> other.elements(HeapBuilder.boxed("x")));
    }

    @Test
    void writesElementsOfArrays() {
        HeapBuilder heap = new HeapBuilder();
        heap.array("a", "int[]").contents(new int[] {1, -1}).fact("address", 0x7000);
        heap.array("b", "char[]").elements('a', 'b').fact("address", 0x7100);
        heap.array("c", "long[]").length(2).fact("address", 0x7200);
        assertEquals("00000001ffffffff", at(heap, "primitive-array", "0x7000").get("contents").getAsString());
        assertEquals("00610062", at(heap, "primitive-array", "0x7100").get("contents").getAsString());
        assertEquals("00000000000000000000000000000000", at(heap, "primitive-array", "0x7200").get("contents").getAsString());
    }

    /** Every character of the first 256, those that end lines, change the direction or begin a file, and a pair of surrogates. */
    private static final String ODD = IntStream.range(0, 256).mapToObj(c -> String.valueOf((char) c)).collect(Collectors.joining())
            + "\u2028\u2029\u200b\u202e\u2066\ufeff\ufffe\uffff\ud83d\ude00";

    @Test
    void keepsEveryCharacterOfTextsAndNames() {
        for (String text : List.of(ODD, "", "@", "@@a", "@x?", "#null", "null", "-1", "{i}", "{{", "\\u{41}", "/*", "a/-b", "\"", "'", "_",
                "class:A", "0x1", "(bytes)", " ", "a b", "a.b", "b#2", "@address", "#", "\ud83d\ude00")) {
            HeapBuilder heap = new HeapBuilder();
            heap.clazz("A").field("int", text).staticField("int", text, 7).fact("address", 0x6000);
            heap.object("a", "A").set(text, 5).fact("address", 0x7000);
            heap.string("s", text).root("jni-global", "s");
            JsonObject line = at(heap, "class", "0x6000");
            assertEquals(text, name(line.getAsJsonArray("fields")), text);
            assertEquals(text, name(line.getAsJsonArray("statics")), text);
            assertEquals("[[\"int\",\"0x5\"]]", values(heap), text);
            assertTrue(lines(heap, "object").stream().anyMatch(object -> object.has("text") && object.get("text").isJsonPrimitive()
                    && object.get("text").getAsString().equals(text)), text);
        }
    }

    private static String name(JsonArray fields) {
        return fields.get(0).getAsJsonObject().get("name").getAsString();
    }

    @Test
    void keepsLoneSurrogates() {
        HeapBuilder heap = new HeapBuilder();
        heap.clazz("A").field("int", "x\ud800").fact("address", 0x6000);
        heap.object("a", "A").set("x\ud800", 5).fact("address", 0x7000);
        heap.string("s", "A\udc00").root("jni-global", "s");
        // Modified UTF-8 has three bytes for a surrogate: ed a0 80 for d800, ed b0 80 for dc00.
        assertEquals("{\"bytes\":\"78eda080\"}",
                at(heap, "class", "0x6000").getAsJsonArray("fields").get(0).getAsJsonObject().get("name").toString());
        assertEquals("[[\"int\",\"0x5\"]]", values(heap));
        assertTrue(lines(heap, "object").stream().anyMatch(line -> line.has("text")
                && line.get("text").toString().equals("{\"bytes\":\"41edb080\"}")));
    }

    @Test
    void keepsEveryCharacterOfNamesOfClasses() {
        for (String name : List.of("shop.Order$$Lambda/0x0000", "a b", "@A", "Größe", "package-info", "x\ud800", "{i}", "a\\\"b", "1",
                "shop..Order", "_b.c_", "日本.語")) {
            HeapBuilder heap = new HeapBuilder();
            // Before it is declared, too.
            heap.object("a", name).set("n", 5).set("next", HeapBuilder.classObject(name)).fact("address", 0x7000);
            heap.array("all", name + "[]").elements(HeapBuilder.reference("a")).fact("address", 0x7100);
            heap.clazz(name).field("int", "n").field("Object", "next").fact("address", 0x6000);
            JsonObject line = at(heap, "class", "0x6000");
            String expected = name.equals("x\ud800") ? "{\"bytes\":\"78eda080\"}"
                    : new com.google.gson.JsonPrimitive(name.contains("/") ? name : name.replace('.', '/')).toString();
            assertEquals(expected, line.get("name").toString());
            assertEquals("[[\"int\",\"0x5\"],[\"object\",\"0x6000\"]]", values(heap));
            assertEquals("[\"0x7000\"]", at(heap, "object-array", "0x7100").get("elements").toString());
        }
    }

    @Test
    void keepsEveryCharacterOfNamesOfObjects() {
        for (String name : List.of("a b", "{i}", "-1", "null", "a?b", "x@y", ODD)) {
            HeapBuilder heap = new HeapBuilder();
            heap.object(name, "java.lang.Object").fact("address", 0x7000);
            heap.root("jni-global", name);
            assertTrue(lines(heap, "root").stream().anyMatch(root -> root.get("object").getAsString().equals("0x7000")), name);
        }
        for (String name : List.of("", "_", "0x1", "class:A", "@a", "a?", "\ud800")) {
            assertThrows(IllegalArgumentException.class, () -> new HeapBuilder().object(name, "java.lang.Object"), name);
            assertThrows(IllegalArgumentException.class, () -> HeapBuilder.reference(name), name);
        }
    }

    @Test
    void setsAHiddenField() {
        HeapBuilder heap = new HeapBuilder();
        heap.clazz("shop.Base").field("int", "id");
        heap.clazz("shop.Order").extending("shop.Base").field("int", "id");
        heap.object("a", "shop.Order").set("id", 1).set("shop.Base", "id", 2).fact("address", 0x7000);
        assertEquals("[[\"int\",\"0x1\"],[\"int\",\"0x2\"]]", values(heap));
        assertThrows(IllegalArgumentException.class, () -> heap.object("b", "shop.Order").set("shop.Base", "a b", 2));
    }

    @Test
    void takesNodesOfAHeapFile() {
        HeapBuilder heap = new HeapBuilder();
        heap.clazz("shop.Main");
        heap.node("thread main { frame shop.Main.run line=42 }");
        String frames = lines(heap, "trace").stream().map(JsonObject::toString).filter(trace -> trace.contains("\"run\""))
                .collect(Collectors.joining());
        assertTrue(frames.contains("\"line\":42"), frames);
    }

    @Test
    void namesEveryMistakeWithItsLine() {
        HeapBuilder heap = new HeapBuilder();
        heap.object("a", "NoSuchClass");
        heap.root("jni-globl", "a");
        HeapsmithException failure = assertThrows(HeapsmithException.class, () -> heap.dump("hprof"));
        assertTrue(failure.getMessage().contains("1:") && failure.getMessage().contains("2:"), failure.getMessage());
        assertThrows(IllegalArgumentException.class, () -> heap.object("b", "A").set("x", new Object()));
    }
}
