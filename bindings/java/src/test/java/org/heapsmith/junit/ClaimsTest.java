package org.heapsmith.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What claims say to heapsmith. */
class ClaimsTest {
    @Test
    void declareWhatTheProtocolKnows() throws Exception {
        Map<String, Object> hello = Claims.of("x").javaNames().textNames().placeholderNames().booleans01().quietNans().danglingNull()
                .opaqueIdentifiers().rootsOnce().staticsInAnyOrder().fieldsInAnyOrder().hello("hprof");
        Map<String, Object> others = Claims.of("x").anyNans().staticsByName().hello("hprof");
        Map<String, List<String>> known = CheckRun.declarations();
        int declared = 0;
        for (Map<String, Object> all : List.of(hello, others)) {
            for (Map.Entry<String, Object> entry : all.entrySet()) {
                if (!Set.of("name", "version", "language", "reads", "levels", "facets", "readings").contains(entry.getKey())) {
                    assertTrue(known.getOrDefault(entry.getKey(), List.of()).contains(entry.getValue()), entry::toString);
                    declared++;
                }
            }
        }
        assertEquals(12, declared);
    }

    @Test
    void areRefusedWhereHeapsmithDoesNotKnowThem() throws Exception {
        Map<String, List<String>> known = CheckRun.declarations();
        Claims.of("x").declare("statics", "by-name").declareAll("skips", "end-thread").declareAll("omits", "elements").check(known);
        assertContains(Claims.of("x").declare("statcs", "by-name"), known, "\"statcs\"", "statics");
        assertContains(Claims.of("x").declare("statics", "sorted"), known, "\"sorted\"", "any-order");
        assertContains(Claims.of("x").declareAll("skips", "end-thread", "threads"), known, "\"threads\"", "end-thread");
    }

    private static void assertContains(Claims claims, Map<String, List<String>> known, String... parts) {
        String message = assertThrows(IllegalArgumentException.class, () -> claims.check(known)).getMessage();
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void addUp() {
        Map<String, Object> hello = Claims.of("x").version("2").facets("roots").facets("fields", "roots").reads("phd5", "phd6")
                .declareAll("skips", "stack-trace").declareAll("skips", "end-thread", "start-thread").reading("phd.hash-16", "15-bits")
                .severalHeaps().hello("phd");
        assertEquals("{\"name\":\"x\",\"version\":\"2\",\"language\":\"Java\",\"reads\":[\"phd5\",\"phd6\"],"
                + "\"skips\":[\"stack-trace\",\"end-thread\",\"start-thread\"],\"heaps\":true,\"levels\":[\"listing\"],"
                + "\"facets\":[\"address\",\"kind\",\"roots\",\"fields\"],\"readings\":{\"phd.hash-16\":\"15-bits\"}}", Json.GSON.toJson(hello));
        assertEquals(List.of("hprof"), Claims.of("x").hello("hprof").get("reads"));
        assertEquals(List.of("hprof", "phd", "classic"), Claims.of("x").hello("").get("reads"));
    }

    @Test
    void tellRefusalsFromCrashes() {
        Claims claims = Claims.of("x").refusedBy(EOFException.class)
                .refusedBy(IllegalStateException.class, "(at|offset) (?<offset>\\w+)").refusedBy(ArithmeticException.class, "overflow");
        assertEquals(-1, claims.refusal(new EOFException()).offset());
        assertEquals(4191, claims.refusal(new IllegalStateException("bad tag at 4191")).offset());
        assertEquals(4191, claims.refusal(new IllegalStateException("bad tag at 004191")).offset());
        assertEquals(31, claims.refusal(new IllegalStateException("bad tag, offset 0x1f")).offset());
        assertEquals(-1, claims.refusal(new IllegalStateException("bad tag at somewhere")).offset());
        assertEquals("java.lang.IllegalStateException: bad tag at 7", claims.refusal(new IllegalStateException("bad tag at 7")).getMessage());
        assertEquals(-1, claims.refusal(new ArithmeticException("an overflow")).offset());
        assertEquals(12, claims.refusal(new Refusal("no header", 12)).offset());
        assertNull(claims.refusal(new ArithmeticException("/ by zero")));
        assertNull(claims.refusal(new IllegalStateException()));
        assertNull(claims.refusal(new IOException("at 7")));
    }
}
