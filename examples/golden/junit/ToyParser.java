import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** A toy parser of HPROF with one bug: it takes identifiers of 4 bytes for signed numbers. Yours takes its place. */
class ToyParser {
    /** The parser does not take this dump. */
    static class Refusal extends Exception {
        private static final long serialVersionUID = 1;
        Refusal(String message) { super(message); }
    }

    // A letter for each field: I an identifier, a digit that many bytes. The list after * comes as often as the last field says.
    private static final Map<Integer, String> RECORDS = Map.of(1, "I", 2, "4I4I", 3, "4", 4, "IIII44", 5, "444*I",
            6, "2444884*1444444", 7, "4488", 10, "4I4III", 13, "44*44", 14, "42");
    private static final Map<Integer, String> ROOTS = Map.ofEntries(Map.entry(1, "II"), Map.entry(2, "I44"),
            Map.entry(3, "I44"), Map.entry(4, "I4"), Map.entry(5, "I"), Map.entry(6, "I4"), Map.entry(7, "I"),
            Map.entry(8, "I44"), Map.entry(0x89, "I"), Map.entry(0x8A, "I"), Map.entry(0x8B, "I"), Map.entry(0x8C, "I"),
            Map.entry(0x8D, "I"), Map.entry(0x8E, "I44"), Map.entry(0x90, "I"), Map.entry(0xFE, "4I"), Map.entry(0xFF, "I"));
    private static final Map<Integer, String> TYPES = Map.of(2, "I", 4, "1", 5, "2", 6, "4", 7, "8", 8, "1", 9, "2", 10, "4",
            11, "8");
    private static final List<String> ELEMENTS = List.of("boolean char float double byte short int long".split(" "));

    private final ByteBuffer data;
    private final int idSize;
    private final List<Map<String, Object>> lines = new ArrayList<>();

    private ToyParser(byte[] bytes) throws Refusal {
        data = ByteBuffer.wrap(bytes);
        String header = new String(take(31), StandardCharsets.ISO_8859_1);
        if (!header.matches("(?s)JAVA PROFILE 1[.]0[.][123]\0{4}[\1\2\4\b].{8}")) throw new Refusal("no HPROF header");
        idSize = header.charAt(22);
    }

    /** The classes and objects of a dump in its order, as lines of a listing. */
    static List<Map<String, Object>> parse(Path path) throws IOException, Refusal {
        byte[] bytes = Files.readAllBytes(path);
        if (bytes.length > 1 && bytes[0] == 0x1F && bytes[1] == (byte) 0x8B)
            bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
        ToyParser parser = new ToyParser(bytes);
        while (parser.data.hasRemaining()) parser.record();
        return parser.lines;
    }

    private void record() throws Refusal {
        List<Long> head = read("144");
        long end = data.position() + head.get(2);
        if (end > data.limit()) throw new Refusal("the file ends inside a record");
        data.limit((int) end);
        int tag = head.get(0).intValue();
        read(tag == 11 ? "4" : RECORDS.getOrDefault(tag, ""));
        while ((tag == 0x0C || tag == 0x1C) && data.hasRemaining()) subRecord();
        data.limit(data.capacity()).position((int) end);
    }

    private void subRecord() throws Refusal {
        int tag = (int) one('1');
        if (tag == 0x20) {
            List<Long> fields = read("I4IIIIII4");
            for (long left = one('2'); left > 0; left--) value("2"); // the constant pool
            for (long left = one('2'); left > 0; left--) value("I"); // static fields
            for (long left = one('2'); left > 0; left--) type(read("I1").get(1)); // fields
            line("class", fields.get(0), "super", hex(fields.get(2)));
        } else if (tag == 0x21) {
            List<Long> fields = read("I4I4");
            take(fields.get(3));
            line("object", fields.get(0), "class", hex(fields.get(2)));
        } else if (tag == 0x22) {
            List<Long> fields = read("I44I");
            List<String> elements = new ArrayList<>();
            for (long left = fields.get(2); left > 0; left--) elements.add(hex(one('I')));
            line("object-array", fields.get(0), "array_class", hex(fields.get(3)), "length", fields.get(2), "elements", elements);
        } else if (tag == 0x23 || tag == 0xC3) { // Android leaves contents out
            List<Long> fields = read("I441");
            long code = fields.get(3);
            if (code < 4 || code > 11) throw new Refusal("the element type " + code + " is unknown");
            String contents = tag == 0xC3 ? null : digits(take(fields.get(2) * (type(code).charAt(0) - '0')));
            line("primitive-array", fields.get(0), "element", ELEMENTS.get((int) code - 4), "length", fields.get(2),
                    "contents", contents);
        } else if (ROOTS.containsKey(tag)) {
            read(ROOTS.get(tag));
        } else {
            throw new Refusal("the sub-record " + hex(tag) + " is unknown");
        }
    }

    /** A field, its type and its value. */
    private void value(String before) throws Refusal {
        List<Long> fields = read(before + "1");
        read(type(fields.get(1)));
    }

    private static String type(long code) throws Refusal {
        String type = TYPES.get((int) code);
        if (type == null) throw new Refusal("the type " + code + " is unknown");
        return type;
    }

    private List<Long> read(String layout) throws Refusal {
        String[] parts = layout.split("[*]");
        List<Long> fields = new ArrayList<>();
        for (char field : parts[0].toCharArray()) fields.add(one(field));
        for (long left = parts.length == 1 ? 0 : fields.get(fields.size() - 1); left > 0; left--) read(parts[1]);
        return fields;
    }

    private long one(char field) throws Refusal {
        byte[] bytes = take(field == 'I' ? idSize : field - '0');
        // THE BUG: identifiers are unsigned. With `new BigInteger(1, bytes)` for all fields this parser passes.
        return (field == 'I' && idSize == 4 ? new BigInteger(bytes) : new BigInteger(1, bytes)).longValue();
    }

    private byte[] take(long count) throws Refusal {
        if (count > data.remaining()) throw new Refusal("the data end inside a field");
        byte[] bytes = new byte[(int) count];
        data.get(bytes);
        return bytes;
    }

    private void line(String kind, long address, Object... facts) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", kind);
        line.put("address", hex(address));
        for (int i = 0; i < facts.length; i += 2) line.put((String) facts[i], facts[i + 1]);
        lines.add(line);
    }

    private static String hex(long bits) { return "0x" + Long.toHexString(bits); }

    private static String digits(byte[] bytes) {
        StringBuilder digits = new StringBuilder();
        for (byte b : bytes) digits.append(String.format("%02x", b));
        return digits.toString();
    }
}
