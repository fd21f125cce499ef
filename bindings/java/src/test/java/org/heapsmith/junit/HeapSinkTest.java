package org.heapsmith.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.heapsmith.Comparison;
import org.heapsmith.HeapBuilder;
import org.heapsmith.Heapsmith;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The listing that a sink writes. */
class HeapSinkTest {
    @TempDir
    private Path folder;

    private interface Parse {
        void into(HeapSink heap);
    }

    private String listing(Claims claims, Parse parse) throws IOException {
        Path out = folder.resolve("listing.jsonl");
        HeapSink heap = new HeapSink(claims, "hprof", 0, List.of());
        parse.into(heap);
        heap.writeTo(out);
        heap.discard();
        return Files.readString(out);
    }

    @Test
    void writesEveryKindOfLine() throws IOException {
        String listing = listing(Claims.of("x").facets("roots", "threads", "stack-traces", "regions"), heap -> {
            heap.head("identifier_size", 4).head("header_version", "1.0.2");
            heap.clazz(0x1000).name("A").superclass(0).loader(-1).signers(0).protectionDomain(0).instanceSize(8).field("int", "n")
                    .staticField("double", "half", 0x3fe0000000000000L).staticField("byte", "b", -1).put("serial", 1);
            heap.object(0x2000, 0x1000).values(-1, true, 'A', (byte) -1, (short) -1, 1L, 1f, 1d).reference(0x2010).bits("boolean", 2);
            heap.object(0x2100, 0x1000).values().text("a\ud800");
            heap.objectArray(0x2010).arrayClass(0x1100).elements(0x2000, 0, 0x2028);
            heap.primitiveArray(0x2028, "char").elements(new char[] {'A', '\u263a'});
            heap.primitiveArray(0x2038, "int").length(2).bytes(new byte[] {0, 0, 0, 1, -1, -1, -1, -1});
            heap.root("java-frame", 0x2000).thread(1).frame(0).after(4);
            heap.thread(1, 0x2000).name("main").trace(2);
            heap.trace(2, 1).frame(0x1000, "main", "()V", null, 7).frame(0, "run", "()V", "A.java", -1);
        });
        assertEquals("{\"listing\":1,\"identifier_size\":4,\"header_version\":\"1.0.2\",COUNTS}\n"
                + "{\"kind\":\"class\",\"address\":\"0x1000\",\"name\":\"A\",\"super\":\"0x0\",\"loader\":\"0xffffffffffffffff\",\"signers\":\"0x0\","
                + "\"protection_domain\":\"0x0\",\"instance_size\":8,\"fields\":[{\"name\":\"n\",\"type\":\"int\"}],"
                + "\"statics\":[{\"name\":\"half\",\"type\":\"double\",\"value\":\"0x3fe0000000000000\"},{\"name\":\"b\",\"type\":\"byte\",\"value\":\"0xff\"}],"
                + "\"serial\":1}\n"
                + "{\"kind\":\"object\",\"address\":\"0x2000\",\"class\":\"0x1000\",\"values\":[[\"int\",\"0xffffffff\"],[\"boolean\",\"0x1\"],[\"char\",\"0x41\"],"
                + "[\"byte\",\"0xff\"],[\"short\",\"0xffff\"],[\"long\",\"0x1\"],[\"float\",\"0x3f800000\"],[\"double\",\"0x3ff0000000000000\"],"
                + "[\"object\",\"0x2010\"],[\"boolean\",\"0x2\"]]}\n"
                + "{\"kind\":\"object\",\"address\":\"0x2100\",\"class\":\"0x1000\",\"values\":[],\"text\":{\"utf16\":\"0061d800\"}}\n"
                + "{\"kind\":\"object-array\",\"address\":\"0x2010\",\"array_class\":\"0x1100\",\"length\":3,\"elements\":[\"0x2000\",\"0x0\",\"0x2028\"]}\n"
                + "{\"kind\":\"primitive-array\",\"address\":\"0x2028\",\"element\":\"char\",\"length\":2,\"contents\":\"0041263a\"}\n"
                + "{\"kind\":\"primitive-array\",\"address\":\"0x2038\",\"element\":\"int\",\"length\":2,\"contents\":\"00000001ffffffff\"}\n"
                + "{\"kind\":\"root\",\"root\":\"java-frame\",\"object\":\"0x2000\",\"thread\":1,\"frame\":0,\"after\":4}\n"
                + "{\"kind\":\"thread\",\"serial\":1,\"object\":\"0x2000\",\"name\":\"main\",\"trace\":2}\n"
                + "{\"kind\":\"trace\",\"serial\":2,\"thread\":1,\"frames\":[{\"method\":\"main\",\"signature\":\"()V\",\"class\":\"0x1000\",\"line\":7},"
                + "{\"method\":\"run\",\"signature\":\"()V\",\"source\":\"A.java\",\"line\":-1}]}\n",
                listing.replaceFirst("(\"header_version\":\"1.0.2\",)[^}]*}", "$1COUNTS}"));
        String head = listing.lines().findFirst().orElseThrow();
        for (String count : List.of("\"roots\":1", "\"threads\":1", "\"traces\":1", "\"regions\":0")) {
            assertTrue(head.contains(count), head);
        }
        assertFalse(head.contains("events"), head);
    }

    @Test
    void writesAListingThatHeapsmithReads() throws IOException {
        HeapBuilder builder = new HeapBuilder().heap("world", "none");
        builder.clazz("java.lang.Object").fact("address", 0x1000);
        builder.clazz("A").extending("java.lang.Object").field("int", "n").fact("address", 0x1100);
        builder.object("a", "A").set("n", 3).fact("address", 0x2000);
        byte[] dump = builder.root("sticky-class", HeapBuilder.classObject("A")).node("root jni-global @a reference=0x77").dump("hprof");
        Claims claims = Claims.of("x").facets("roots");
        Comparison same = Heapsmith.compareListing(dump, answer(claims, 3));
        assertTrue(same.isSame(), same::report);
        Comparison other = Heapsmith.compareListing(dump, answer(claims, 4));
        assertFalse(other.isSame());
        assertTrue(other.report().contains("field-values"), other::report);
    }

    private String answer(Claims claims, int n) throws IOException {
        return listing(claims, heap -> {
            heap.head("omits", List.of("root-order"));
            heap.root("jni-global", 0x2000).reference(0x77);
            heap.clazz(0x1100).name("A").superclass(0x1000).field("int", "n");
            heap.clazz(0x1000).name("java/lang/Object").superclass(0).fields().statics();
            heap.object(0x2000, 0x1100).values(n);
            heap.root("sticky-class", 0x1100);
        });
    }

    @Test
    void refusesAValueOfNoPrimitiveType() throws IOException {
        HeapSink heap = new HeapSink(Claims.of("x"), "hprof", 0, List.of());
        assertThrows(IllegalArgumentException.class, () -> heap.object(1, 2).values("text"));
        assertThrows(IllegalArgumentException.class, () -> heap.object(1, 2).values((Object) null));
        heap.discard();
    }
}
