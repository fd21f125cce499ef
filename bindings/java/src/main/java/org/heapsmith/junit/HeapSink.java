package org.heapsmith.junit;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes what a parser finds in a dump. Each line is written to a file when the next one begins, so that no heap is held in memory.
 *
 * <p>Classes, objects and roots may come in any order. A fact that is not given is unknown; a list that is known to be empty is given
 * as such, by {@code fields()} or {@code elements()} without arguments. Addresses are in bytes, and null is 0.
 */
public final class HeapSink {
    /** By facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing. */
    private static final Map<String, String> COUNTS = Map.of(
            "roots", "roots", "root-objects", "roots", "threads", "threads", "stack-traces", "traces", "regions", "regions",
            "events", "events");

    private final Claims claims;
    private final String format;
    private final int heap;
    private final List<String> omits;
    private final Path bodyFile;
    private final BufferedWriter body;
    private final Map<String, Object> head = new LinkedHashMap<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final List<String> warnings = new ArrayList<>();
    private ListingLine<?> line;

    HeapSink(Claims claims, String format, int heap, List<String> omits) throws IOException {
        this.claims = claims;
        this.format = format;
        this.heap = heap;
        this.omits = omits;
        bodyFile = Files.createTempFile("listing", ".jsonl");
        body = Files.newBufferedWriter(bodyFile);
    }

    /**
     * Gives the format of the dump: {@code hprof}, {@code phd4}, {@code phd5}, {@code phd6} or {@code classic}.
     *
     * @return the format
     */
    public String format() {
        return format;
    }

    /**
     * Gives the heap that is asked for; 0 unless the parser claims {@link Claims#severalHeaps}.
     *
     * @return the index of the heap in its dump, from 0
     */
    public int heap() {
        return heap;
    }

    /**
     * Gives the facets that are to be left out, of those that the parser declares under {@code omits}.
     *
     * @return the facets
     */
    public List<String> omits() {
        return omits;
    }

    /**
     * Notes what the parser reports as wrong with the dump although it goes on.
     *
     * @param text the parser's warning
     */
    public void warn(String text) {
        warnings.add(text);
    }

    /**
     * Gives a fact of the dump's head by the key of specs/listing.md, such as {@code identifier_size}.
     *
     * @param key the key
     * @param value a text, a number, or a list of such
     * @return this
     */
    public HeapSink head(String key, Object value) {
        head.put(key, value instanceof String ? Json.text((String) value) : value);
        return this;
    }

    /**
     * Begins a class.
     *
     * @param address the address of the class object
     * @return its line
     */
    public ClassLine clazz(long address) {
        return begin("class", new ClassLine()).putAddress("address", address);
    }

    /**
     * Begins a plain instance.
     *
     * @param address its address
     * @param clazz the address of its class
     * @return its line
     */
    public ObjectLine object(long address, long clazz) {
        return begin("object", new ObjectLine()).putAddress("address", address).putAddress("class", clazz);
    }

    /**
     * Begins an array of references.
     *
     * @param address its address
     * @return its line
     */
    public ObjectArrayLine objectArray(long address) {
        return begin("object-array", new ObjectArrayLine()).putAddress("address", address);
    }

    /**
     * Begins an array of a primitive type.
     *
     * @param address its address
     * @param element the type of its elements, such as {@code int}
     * @return its line
     */
    public PrimitiveArrayLine primitiveArray(long address, String element) {
        return begin("primitive-array", new PrimitiveArrayLine()).putAddress("address", address).put("element", element);
    }

    /**
     * Begins a GC root.
     *
     * @param kind the kind, such as {@code jni-global}
     * @param object the address of the object or class that it keeps
     * @return its line
     */
    public RootLine root(String kind, long object) {
        return begin("root", new RootLine()).put("root", kind).putAddress("object", object);
    }

    /**
     * Begins a thread.
     *
     * @param serial its serial number
     * @param object the address of its object
     * @return its line
     */
    public ThreadLine thread(long serial, long object) {
        return begin("thread", new ThreadLine()).put("serial", serial).putAddress("object", object);
    }

    /**
     * Begins a stack trace.
     *
     * @param serial its serial number
     * @param thread the serial number of its thread, 0 for none
     * @return its line
     */
    public TraceLine trace(long serial, long thread) {
        return begin("trace", new TraceLine()).put("serial", serial).put("thread", thread).frames();
    }

    /**
     * Begins a line of another kind: {@code region} or {@code event}.
     *
     * @param kind the kind
     * @return its line
     */
    public PlainLine line(String kind) {
        return begin(kind, new PlainLine());
    }

    /** A line without methods of its own. */
    public static final class PlainLine extends ListingLine<PlainLine> {
        private PlainLine() {}

        @Override
        PlainLine self() {
            return this;
        }
    }

    /** A class. */
    public static final class ClassLine extends ListingLine<ClassLine> {
        private ClassLine() {}

        @Override
        ClassLine self() {
            return this;
        }

        /**
         * Gives the name.
         *
         * @param name the name as the dump has it, or that of Java's source if the claims say so; null where it has none
         * @return this
         */
        public ClassLine name(String name) {
            return putText("name", name);
        }

        /**
         * Gives the superclass.
         *
         * @param address its address, 0 for none
         * @return this
         */
        public ClassLine superclass(long address) {
            return putAddress("super", address);
        }

        /**
         * Gives the class loader.
         *
         * @param address its address, 0 for the boot loader
         * @return this
         */
        public ClassLine loader(long address) {
            return putAddress("loader", address);
        }

        /**
         * Gives the signers.
         *
         * @param address their address, 0 for none
         * @return this
         */
        public ClassLine signers(long address) {
            return putAddress("signers", address);
        }

        /**
         * Gives the protection domain.
         *
         * @param address its address, 0 for none
         * @return this
         */
        public ClassLine protectionDomain(long address) {
            return putAddress("protection_domain", address);
        }

        /**
         * Gives the size of an instance.
         *
         * @param bytes the size as the record has it
         * @return this
         */
        public ClassLine instanceSize(long bytes) {
            return put("instance_size", bytes);
        }

        /**
         * Says that instance fields are known; {@link #field} adds one.
         *
         * @return this
         */
        public ClassLine fields() {
            facts.computeIfAbsent("fields", unknown -> new ArrayList<>());
            return this;
        }

        /**
         * Adds an instance field that the class itself declares.
         *
         * @param type the type: {@code object}, or the keyword of a primitive type
         * @param name the name
         * @return this
         */
        public ClassLine field(String type, String name) {
            return add("fields", named(name, type));
        }

        /**
         * Says that static fields are known; {@link #staticField} adds one.
         *
         * @return this
         */
        public ClassLine statics() {
            facts.computeIfAbsent("statics", unknown -> new ArrayList<>());
            return this;
        }

        /**
         * Adds a static field.
         *
         * @param type the type: {@code object}, or the keyword of a primitive type
         * @param name the name
         * @param bits the value: its bits, or an address
         * @return this
         */
        public ClassLine staticField(String type, String name, long bits) {
            Map<String, Object> field = named(name, type);
            field.put("value", Json.bits(type, bits));
            return add("statics", field);
        }

        /**
         * Gives the references, where their places are not known.
         *
         * @param addresses the addresses, in the order of the file
         * @return this
         */
        public ClassLine references(long... addresses) {
            return putAddresses("refs", addresses);
        }

        private static Map<String, Object> named(String name, String type) {
            Map<String, Object> field = new LinkedHashMap<>();
            field.put("name", name == null ? null : Json.text(name));
            field.put("type", type);
            return field;
        }
    }

    /** A plain instance. */
    public static final class ObjectLine extends ListingLine<ObjectLine> {
        private ObjectLine() {}

        @Override
        ObjectLine self() {
            return this;
        }

        /**
         * Gives the values of the fields of primitive types and says that there are no others, if there are none. Values go on after
         * those that were given before: the fields of the class itself first, then those of its superclasses.
         *
         * @param values booleans, characters and numbers, each in the class of the field's type
         * @return this
         */
        public ObjectLine values(Object... values) {
            facts.computeIfAbsent("values", unknown -> new ArrayList<>());
            for (Object value : values) {
                bits(Json.type(value), Json.bits(value));
            }
            return this;
        }

        /**
         * Adds the value of a field that is a reference.
         *
         * @param address the address, 0 for null
         * @return this
         */
        public ObjectLine reference(long address) {
            return bits("object", address);
        }

        /**
         * Adds the value of a field of any type.
         *
         * @param type the type: {@code object}, or the keyword of a primitive type
         * @param bits the bits of the value; those beyond the type's width are left out
         * @return this
         */
        public ObjectLine bits(String type, long bits) {
            return add("values", List.of(type, Json.bits(type, bits)));
        }

        /**
         * Gives the bytes of the fields, where the dump lacks the class or one of its superclasses.
         *
         * @param bytes the bytes
         * @return this
         */
        public ObjectLine raw(byte[] bytes) {
            return put("raw", Json.digits(bytes));
        }

        /**
         * Gives the references, where their places are not known.
         *
         * @param addresses the addresses, in the order of the file
         * @return this
         */
        public ObjectLine references(long... addresses) {
            return putAddresses("refs", addresses);
        }

        /**
         * Gives the text of a java.lang.String.
         *
         * @param text the text; lone surrogates are kept
         * @return this
         */
        public ObjectLine text(String text) {
            return putText("text", text);
        }
    }

    /** An array of references. */
    public static final class ObjectArrayLine extends ListingLine<ObjectArrayLine> {
        private ObjectArrayLine() {}

        @Override
        ObjectArrayLine self() {
            return this;
        }

        /**
         * Gives the array's own class.
         *
         * @param address the address of the class
         * @return this
         */
        public ObjectArrayLine arrayClass(long address) {
            return putAddress("array_class", address);
        }

        /**
         * Gives PHD's class word.
         *
         * @param address the class word as the record has it
         * @return this
         */
        public ObjectArrayLine classWord(long address) {
            return putAddress("class", address);
        }

        /**
         * Gives the number of elements, where these are not given.
         *
         * @param length the number
         * @return this
         */
        public ObjectArrayLine length(long length) {
            return put("length", length);
        }

        /**
         * Gives every element, and so the length.
         *
         * @param addresses the addresses by position, 0 for null
         * @return this
         */
        public ObjectArrayLine elements(long... addresses) {
            facts.putIfAbsent("length", addresses.length);
            return putAddresses("elements", addresses);
        }

        /**
         * Gives the references, where their positions are not known.
         *
         * @param addresses the addresses, in the order of the file
         * @return this
         */
        public ObjectArrayLine references(long... addresses) {
            return putAddresses("refs", addresses);
        }
    }

    /** An array of a primitive type. */
    public static final class PrimitiveArrayLine extends ListingLine<PrimitiveArrayLine> {
        private PrimitiveArrayLine() {}

        @Override
        PrimitiveArrayLine self() {
            return this;
        }

        /**
         * Gives the number of elements, where these are not given as an array of Java.
         *
         * @param length the number
         * @return this
         */
        public PrimitiveArrayLine length(long length) {
            return put("length", length);
        }

        /**
         * Gives the elements as bytes.
         *
         * @param bytes the elements one after the other, each big-endian
         * @return this
         */
        public PrimitiveArrayLine bytes(byte[] bytes) {
            return put("contents", Json.digits(bytes));
        }

        /**
         * Gives the elements, and so the length.
         *
         * @param array an array of the elements' type, such as {@code int[]}
         * @return this
         */
        public PrimitiveArrayLine elements(Object array) {
            int length = Array.getLength(array);
            StringBuilder digits = new StringBuilder();
            for (int i = 0; i < length; i++) {
                Object element = Array.get(array, i);
                int width = width(Json.type(element));
                String hexadecimal = String.format("%016x", Json.bits(element));
                digits.append(hexadecimal, 16 - 2 * width, 16);
            }
            facts.putIfAbsent("length", length);
            return put("contents", digits.toString());
        }

        private static int width(String type) {
            switch (type) {
                case "boolean":
                case "byte":
                    return 1;
                case "char":
                case "short":
                    return 2;
                case "int":
                case "float":
                    return 4;
                default:
                    return 8;
            }
        }
    }

    /** A GC root. */
    public static final class RootLine extends ListingLine<RootLine> {
        private RootLine() {}

        @Override
        RootLine self() {
            return this;
        }

        /**
         * Gives the id of the JNI global reference.
         *
         * @param id the id
         * @return this
         */
        public RootLine reference(long id) {
            return putAddress("reference", id);
        }

        /**
         * Gives the thread.
         *
         * @param serial its serial number
         * @return this
         */
        public RootLine thread(long serial) {
            return put("thread", serial);
        }

        /**
         * Gives the frame in the thread's stack trace.
         *
         * @param number its number, -1 for none
         * @return this
         */
        public RootLine frame(int number) {
            return put("frame", number);
        }

        /**
         * Gives the stack trace.
         *
         * @param serial its serial number
         * @return this
         */
        public RootLine trace(long serial) {
            return put("trace", serial);
        }

        /**
         * Says how many classes and objects stand before the root in the file.
         *
         * @param count the number
         * @return this
         */
        public RootLine after(long count) {
            return put("after", count);
        }
    }

    /** A thread. */
    public static final class ThreadLine extends ListingLine<ThreadLine> {
        private ThreadLine() {}

        @Override
        ThreadLine self() {
            return this;
        }

        /**
         * Gives the name.
         *
         * @param name the name; null where the dump has none
         * @return this
         */
        public ThreadLine name(String name) {
            return putText("name", name);
        }

        /**
         * Gives the stack trace.
         *
         * @param serial its serial number
         * @return this
         */
        public ThreadLine trace(long serial) {
            return put("trace", serial);
        }
    }

    /** A stack trace. */
    public static final class TraceLine extends ListingLine<TraceLine> {
        private TraceLine() {}

        @Override
        TraceLine self() {
            return this;
        }

        private TraceLine frames() {
            facts.computeIfAbsent("frames", unknown -> new ArrayList<>());
            return this;
        }

        /**
         * Adds a frame. The innermost one comes first.
         *
         * @param clazz the address of the declaring class, 0 if it was never loaded
         * @param method the method's name
         * @param signature the method's signature
         * @param source the source file
         * @param line the line; -1 unknown, -2 compiled, -3 native
         * @return this
         */
        public TraceLine frame(long clazz, String method, String signature, String source, int line) {
            Map<String, Object> frame = new LinkedHashMap<>();
            frame.put("method", method == null ? null : Json.text(method));
            frame.put("signature", signature == null ? null : Json.text(signature));
            frame.put("source", source == null ? null : Json.text(source));
            frame.put("class", clazz == 0 ? null : Json.hex(clazz));
            frame.put("line", line);
            return add("frames", frame);
        }
    }

    List<String> warnings() {
        return Collections.unmodifiableList(warnings);
    }

    /** Writes the listing: the head, whose counts are known now, and the lines. */
    void writeTo(Path out) throws IOException {
        flush();
        body.close();
        Map<String, Object> first = new LinkedHashMap<>();
        first.put("listing", 1);
        first.putAll(head);
        COUNTS.forEach((facet, key) -> {
            if (claims.reports(facet)) {
                first.putIfAbsent(key, counts.getOrDefault(key, 0L));
            }
        });
        try (var listing = Files.newOutputStream(out)) {
            listing.write((Json.GSON.toJson(first) + "\n").getBytes(StandardCharsets.UTF_8));
            Files.copy(bodyFile, listing);
        }
    }

    /** Removes the file that has the lines. */
    void discard() {
        // What the parser threw is of more interest.
        try {
            body.close();
        } catch (IOException e) {
            System.err.println("heapsmith: closing " + bodyFile + ": " + e);
        }
        try {
            Files.deleteIfExists(bodyFile);
        } catch (IOException e) {
            System.err.println("heapsmith: not removed: " + bodyFile + ": " + e);
        }
    }

    private <T extends ListingLine<T>> T begin(String kind, T next) {
        flush();
        line = next;
        counts.merge(kind + "s", 1L, Long::sum);
        return next.put("kind", kind);
    }

    private void flush() {
        if (line == null) {
            return;
        }
        try {
            Json.GSON.toJson(line.facts, body);
            body.write('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("writing the listing", e);
        }
        line = null;
    }
}
