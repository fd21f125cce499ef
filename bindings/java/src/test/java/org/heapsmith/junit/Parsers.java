package org.heapsmith.junit;

import java.nio.BufferUnderflowException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import toy.ToyParser;

/** Parsers as their authors would put them to test. Surefire runs no nested classes: HeapParserTest does. */
final class Parsers {
    private Parsers() {}

    /** Reads everything that it claims. */
    static class Right implements HeapParser {
        @Override
        public Claims claims() {
            return Claims.of("toy").version("1").facets("superclass", "class", "array-length", "elements", "primitive-contents")
                    .refusedBy(BufferUnderflowException.class);
        }

        @Override
        public void parse(Path dump, HeapSink heap) throws Exception {
            byte[] bytes = Files.readAllBytes(dump);
            if (bytes.length > 1 && bytes[0] == 0x1F && bytes[1] == (byte) 0x8B) {
                throw new Skip("gzip is not read");
            }
            new ToyParser(bytes, heap) {
                @Override
                protected long id4(int id) {
                    return id & 0xFFFF_FFFFL;
                }
            }.parse();
        }
    }

    /** The whole corpus of HPROF. */
    @HeapDumps(format = "hprof", explain = 0)
    static class Corpus extends Right {}

    /** Passes: a small dump, one that is refused, and random ones. */
    @HeapDumps(format = "hprof", filter = {"hprof-spelled-empty", "hprof-spelled-cut-in-header", "random-plain-*"},
            random = 10, seed = 1)
    static class Passing extends Right {}

    /** Takes identifiers of 4 bytes for signed numbers. */
    @HeapDumps(format = "hprof", filter = {"hprof-spelled-high-ids", "hprof-spelled-empty", "hprof-spelled-pair"}, explain = 300)
    static class Signed extends Right {
        @Override
        public void parse(Path dump, HeapSink heap) throws Exception {
            new ToyParser(Files.readAllBytes(dump), heap).parse();
        }
    }

    /** The same bug, and it is known. */
    @HeapDumps(format = "hprof", filter = {"hprof-spelled-high-ids", "hprof-spelled-empty"}, expected = "src/test/resources/expected.toml")
    static class SignedAsExpected extends Signed {}

    /** The file of expected failures has a case that passes. */
    @HeapDumps(format = "hprof", filter = "hprof-spelled-high-ids", expected = "src/test/resources/expected.toml")
    static class BetterThanExpected extends Right {}

    /** Something happens in one of two cases. */
    @HeapDumps(format = "hprof", filter = {"hprof-spelled-high-ids", "hprof-spelled-empty"}, timeLimit = 5, memory = 64, explain = 0)
    abstract static class Struck extends Right {
        abstract void strike() throws Exception;

        @Override
        public void parse(Path dump, HeapSink heap) throws Exception {
            byte[] bytes = Files.readAllBytes(dump);
            if (bytes.length > 31) { // hprof-spelled-high-ids: the other one is a header alone
                strike();
            }
            super.parse(dump, heap);
        }
    }

    static class Hanging extends Struck {
        @Override
        void strike() throws InterruptedException {
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    static class OutOfMemory extends Struck {
        @Override
        void strike() {
            List<byte[]> all = new ArrayList<>();
            while (true) {
                all.add(new byte[1 << 20]);
            }
        }
    }

    static class Exiting extends Struck {
        @Override
        void strike() {
            System.exit(0);
        }
    }

    static class Throwing extends Struck {
        @Override
        void strike() {
            System.out.println("a line that is no answer");
            throw new IllegalStateException("a table has no entry");
        }
    }

    static class RefusingWrongly extends Struck {
        @Override
        public Claims claims() {
            return super.claims().refusedBy(IllegalStateException.class, "at (?<offset>\\d+)$");
        }

        @Override
        void strike() {
            throw new IllegalStateException("bad bytes at 31");
        }
    }

    @HeapDumps(format = "hprof", filter = "hprof-spelled-empty")
    static class Misspelling extends Right {
        @Override
        public Claims claims() {
            return super.claims().facets("class-nmae");
        }
    }

    @HeapDumps(format = "hprof", filter = "no-such-case")
    static class Nothing extends Right {}

    @HeapDumps(format = "hprof", filter = "hprof-spelled-empty")
    static class Unmakeable extends Right {
          Unmakeable(int number) {}
    }
}
