import java.io.*;
import java.math.BigInteger;
import java.nio.*;
import java.nio.file.*;
import java.util.*;
import java.util.zip.GZIPInputStream;

import static java.nio.charset.StandardCharsets.*;

/** Reads HPROF dumps of one heap. Adapter.java, the template for Java, serves the protocol. */
public class Hprof implements Adapter.Parser {
    private static final List<String> TYPES = List.of(
            "", "", "object", "", "boolean", "char", "float", "double", "byte", "short", "int", "long");

    record Field(long name, int type) { }
    record Type(String superclass, List<Field> fields) { }

    private ByteBuffer data;
    private int idSize;
    private List<Map<String, Object>> lines;
    private Map<Long, String> strings;
    private Map<String, Long> classNames;
    private Map<String, Type> classes;

    public static void main(String[] arguments) throws IOException { Adapter.serve(new Hprof()); }

    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "honest parser of HPROF", "version", "1", "language", "Java",
                "reads", List.of("hprof"), "levels", List.of("listing"), "names", "text",
                "identifier_sizes", List.of("4", "8"),
                "facets", List.of("identifier-size", "header-version", "time-stamp", "address", "kind", "class-name",
                        "superclass", "loader", "instance-size", "fields", "statics", "class", "array-length",
                        "field-values", "elements", "references", "primitive-contents", "roots", "record-order"));
    }

    public void parse(Path dump, int heap, Adapter.Listing listing) throws Adapter.Refusal, Adapter.Skip, IOException {
        byte[] bytes = Files.readAllBytes(dump);
        if (bytes.length > 1 && bytes[0] == 0x1F && bytes[1] == (byte) 0x8B) {
            try (InputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                bytes = unzipped.readAllBytes();
            } catch (IOException failure) {
                throw new Adapter.Refusal("cannot be decompressed: " + failure.getMessage());
            }
        }
        data = ByteBuffer.wrap(bytes);
        lines = new ArrayList<>();
        strings = new HashMap<>();
        classNames = new HashMap<>();
        classes = new HashMap<>();
        Map<String, Object> head;
        try {
            head = readHeader();
            readRecords();
            finish();
        } catch (BufferUnderflowException end) {
            throw new Adapter.Refusal("unexpected end", (long) data.position());
        }
        head.put("roots", lines.stream().filter(line -> line.get("kind").equals("root")).count());
        listing.line(head);
        for (Map<String, Object> line : lines) listing.line(line);
    }

    private Map<String, Object> readHeader() throws Adapter.Refusal {
        String text = new String(bytes(19), ISO_8859_1);
        if (!text.matches("JAVA PROFILE 1\\.0\\.[123]\0")) throw new Adapter.Refusal("not an HPROF dump", 0);
        idSize = data.getInt();
        if (!List.of(1, 2, 4, 8).contains(idSize)) throw new Adapter.Refusal("identifiers of " + idSize + " bytes", 19);
        return Adapter.object("listing", 1, "identifier_size", idSize, "header_version", text.substring(13, 18),
                "time_stamp", new BigInteger(Long.toUnsignedString(data.getLong())));
    }

    private void readRecords() throws Adapter.Refusal {
        while (data.hasRemaining()) {
            int tag = data.get() & 0xFF;
            data.getInt(); // time
            long length = unsigned();
            if (length > data.remaining()) throw new BufferUnderflowException();
            int end = data.position() + (int) length;
            data.limit(end);
            switch (tag) {
                case 0x01 -> strings.put(id(), text(bytes(data.remaining())));
                case 0x02 -> loadClass();
                case 0x0C, 0x1C -> { while (data.hasRemaining()) subRecord(); }
                default -> { } // stacks, statistics and whatever else there may be
            }
            data.limit(data.capacity()).position(end);
        }
    }

    private void loadClass() throws Adapter.Refusal {
        if (data.getInt() == 0) throw new Adapter.Refusal("a class with the serial number 0", (long) data.position());
        String address = reference();
        data.getInt(); // stack trace
        long name = id();
        if (!strings.containsKey(name)) return; // the class has no name
        classNames.put(address, name);
    }

    private void subRecord() throws Adapter.Refusal {
        int tag = data.get();
        if (tag == 0xFE) { // the part of an Android heap
            data.getInt();
            id();
            return;
        }
        String address = reference();
        switch (tag) {
            case 0x01 -> root("jni-global", address, "reference", Adapter.hex(unsigned()));
            case 0x02 -> root("jni-local", address, "thread", unsigned(), "frame", data.getInt());
            case 0x03 -> root("java-frame", address, "thread", unsigned(), "frame", data.getInt());
            case 0x04 -> root("native-stack", address, "thread", unsigned());
            case 0x05 -> root("sticky-class", address);
            case 0x06 -> root("thread-block", address, "thread", unsigned());
            case 0x07 -> root("monitor-used", address);
            case 0x08 -> root("thread-object", address, "thread", unsigned(), "trace", unsigned());
            case 0x20 -> classDump(address);
            case 0x21 -> instance(address);
            case 0x22 -> objectArray(address);
            case 0x23, 0xC3 -> primitiveArray(address, tag == 0x23);
            case 0x89 -> root("interned-string", address);
            case 0x8A -> root("finalizing", address);
            case 0x8B -> root("debugger", address);
            case 0x8C -> root("reference-cleanup", address);
            case 0x8D -> root("vm-internal", address);
            case 0x8E -> root("jni-monitor", address, "thread", unsigned(), "frame", data.getInt());
            case 0x90 -> root("unreachable", address);
            case 0xFF -> root("unknown", address);
            default -> throw new Adapter.Refusal("unknown sub-record " + tag, (long) data.position() - 1 - idSize);
        }
    }

    private void root(String kind, String address, Object... facts) {
        Map<String, Object> line = Adapter.object("kind", "root", "root", kind, "object", address);
        line.putAll(Adapter.object(facts));
        lines.add(line);
    }

    private void classDump(String address) throws Adapter.Refusal {
        data.getInt(); // stack trace
        String superclass = reference(), loader = reference();
        for (int i = 0; i < 4; i++) id(); // signers, protection domain, reserved
        long size = unsigned();
        for (int left = data.getShort() & 0xFFFF; left > 0; left--) { // constant pool
            data.getShort();
            value(type());
        }
        List<Object> statics = new ArrayList<>();
        for (int left = data.getShort() & 0xFFFF; left > 0; left--) {
            long name = id();
            int type = type();
            statics.add(Adapter.object("name", name, "type", TYPES.get(type), "value", value(type)));
        }
        List<Field> fields = new ArrayList<>();
        for (int left = data.getShort() & 0xFFFF; left > 0; left--) fields.add(new Field(id(), type()));
        classes.put(address, new Type(superclass, fields));
        lines.add(Adapter.object("kind", "class", "address", address, "super", superclass,
                "loader", loader, "instance_size", size, "statics", statics, "fields", fields));
    }

    private void instance(String address) {
        data.getInt(); // stack trace
        String type = reference();
        lines.add(Adapter.object("kind", "object", "address", address, "class", type, "values", bytes(unsigned())));
    }

    private void objectArray(String address) {
        data.getInt(); // stack trace
        long length = unsigned();
        String type = reference();
        List<String> elements = new ArrayList<>();
        for (long i = 0; i < length; i++) elements.add(reference());
        lines.add(Adapter.object("kind", "object-array", "address", address, "array_class", type, "length", length,
                "elements", elements));
    }

    private void primitiveArray(String address, boolean hasContents) throws Adapter.Refusal {
        data.getInt(); // stack trace
        long length = unsigned();
        int type = type();
        if (type == 2) throw new Adapter.Refusal("a primitive array of objects", (long) data.position() - 1);
        Map<String, Object> line = Adapter.object("kind", "primitive-array", "address", address,
                "element", TYPES.get(type), "length", length);
        if (hasContents) line.put("contents", HexFormat.of().formatHex(bytes(length * size(type))));
        lines.add(line);
    }

    /** Tells names and values, which can depend on what stands later in the file. */
    private void finish() throws Adapter.Refusal {
        for (Map<String, Object> line : lines) {
            if (line.get("kind").equals("class")) {
                line.put("name", name(classNames.getOrDefault(line.get("address"), 0L)));
                List<Object> fields = new ArrayList<>();
                for (Object each : (List<?>) line.get("fields")) {
                    Field field = (Field) each;
                    fields.add(Adapter.object("name", name(field.name), "type", TYPES.get(field.type)));
                }
                line.put("fields", fields);
                for (Object field : (List<?>) line.get("statics")) {
                    @SuppressWarnings("unchecked") Map<String, Object> facts = (Map<String, Object>) field;
                    facts.put("name", name((Long) facts.get("name")));
                }
            } else if (line.get("kind").equals("object")) {
                byte[] bytes = (byte[]) line.remove("values");
                List<Field> layout = layout((String) line.get("class"));
                if (layout == null) {
                    line.put("raw", HexFormat.of().formatHex(bytes));
                    continue;
                }
                data = ByteBuffer.wrap(bytes);
                List<Object> values = new ArrayList<>();
                for (Field field : layout) values.add(List.of(TYPES.get(field.type), value(field.type)));
                if (data.hasRemaining()) throw new Adapter.Refusal(line.get("address") + " is longer than its fields");
                line.put("values", values);
            }
        }
    }

    /** The fields of an instance: those of the class, then those of its superclasses; null if the class is unknown. */
    private List<Field> layout(String type) throws Adapter.Refusal {
        if (!classes.containsKey(type)) return null;
        List<Field> layout = new ArrayList<>();
        for (int depth = 0; !type.equals("0x0"); depth++) {
            if (depth > classes.size()) throw new Adapter.Refusal("the superclasses have no end");
            Type current = classes.get(type);
            layout.addAll(current.fields);
            type = current.superclass;
        }
        return layout;
    }

    private String name(long id) { return strings.getOrDefault(id, ""); }

    // What dumps are made of

    private long unsigned() { return data.getInt() & 0xFFFFFFFFL; }

    private long id() { return idSize == 8 ? data.getLong() : unsigned(); }

    private String reference() { return Adapter.hex(id()); }

    private byte[] bytes(long count) {
        if (count > data.remaining()) throw new BufferUnderflowException();
        byte[] bytes = new byte[(int) count];
        data.get(bytes);
        return bytes;
    }

    /** Modified UTF-8 is what readUTF takes, up to 65535 bytes of it. Some writers have plain UTF-8. */
    private static String text(byte[] bytes) {
        if (bytes.length > 0xFFFF) return new String(bytes, UTF_8);
        ByteBuffer counted = ByteBuffer.allocate(bytes.length + 2).putShort((short) bytes.length).put(bytes);
        try {
            String text = new DataInputStream(new ByteArrayInputStream(counted.array())).readUTF();
            return new String(text.getBytes(UTF_8), UTF_8); // without unpaired surrogates
        } catch (IOException plain) {
            return new String(bytes, UTF_8);
        }
    }

    private int type() throws Adapter.Refusal {
        int type = data.get();
        if (type < 2 || type == 3 || type > 11) throw new Adapter.Refusal("type " + type, (long) data.position() - 1);
        return type;
    }

    private int size(int type) {
        return switch (type) {
            case 2 -> idSize;
            case 5, 9 -> 2;
            case 6, 10 -> 4;
            case 7, 11 -> 8;
            default -> 1;
        };
    }

    private Object value(int type) {
        return switch (type) {
            case 2 -> reference();
            case 4 -> data.get() & 0xFF;
            case 5 -> (int) data.getChar();
            case 6 -> Adapter.hex(Float.floatToIntBits(data.getFloat()) & 0xFFFFFFFFL);
            case 7 -> Adapter.hex(Double.doubleToLongBits(data.getDouble()));
            case 8 -> data.get();
            case 9 -> data.getShort();
            case 10 -> data.getInt();
            default -> data.getLong();
        };
    }
}
