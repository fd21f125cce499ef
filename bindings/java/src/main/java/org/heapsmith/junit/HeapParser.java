package org.heapsmith.junit;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * A test class around a parser of heap dumps: heapsmith runs the parser over its cases, and each is a dynamic test.
 *
 * <p>The class has a constructor without parameters, and is annotated by {@link HeapDumps} unless the defaults of that are right.
 * Parsers run in processes of their own, with limits: in them, objects of this class are made anew, and one reads many dumps.
 *
 * <p>System properties: {@code heapsmith.only=ID} asks about one case; {@code heapsmith.report=DIR} keeps the report, with the dumps of
 * failed cases, in a folder below DIR with the name of the class.
 */
public interface HeapParser {
    /**
     * Says what the parser reports. What is claimed is required, where a dump has it.
     *
     * @return the claims
     */
    Claims claims();

    /**
     * Parses a dump, and gives what is in it.
     *
     * @param dump the path of the dump; nothing may be written beside it
     * @param heap takes classes, objects and roots, in any order
     * @throws Refusal if the parser does not take the dump
     * @throws Skip if the dump cannot be put to the parser
     * @throws Exception whatever the parser throws: a refusal if the claims say so, else a crash
     */
    void parse(Path dump, HeapSink heap) throws Exception;

    /**
     * Makes the dynamic tests: one for each case, then the causes of failures. JUnit calls it.
     *
     * @return the tests
     */
    @TestFactory
    default Stream<DynamicNode> heapDumps() {
        return new CheckRun(getClass()).tests();
    }
}
