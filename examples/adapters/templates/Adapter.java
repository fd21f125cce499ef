import java.io.*;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

import static java.nio.charset.StandardCharsets.*;
import static java.util.stream.Collectors.*;

/**
 * Connects a parser or writer of heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template for Java 11
 * and later, which runs as it is with {@code java Adapter.java}. Write a class like {@link Example} around your own
 * library, and name it in main.
 */
public class Adapter {
    public static void main(String[] arguments) throws IOException {
        serve(new Example()); // YOUR LIBRARY GOES HERE
    }

    /**
     * Your library. It needs no method for what hello does not promise.
     *
     * Throw Refusal for what the library throws, as it documents it, at a bad dump, or name its classes to {@link #refuse}.
     * Another IOException is reported as an error of the adapter. Let everything else through: it is reported as a crash,
     * and an Error ends the process.
     */
    public interface Parser {
        /** The answer to hello, but for the key protocol. What is in facets is required, where a dump has it. */
        Map<String, Object> hello(int protocol);

        /** Gives the lines of a listing, the head first (specs/listing.md). The heap is 0 without "heaps" in hello. */
        default void parse(Path dump, int heap, Listing listing) throws Refusal, Skip, IOException {
            throw new Skip("this adapter does not parse");
        }

        /** Gives a line about each class and object, for the level "answers" (specs/adapter.md, Answers). */
        default void analyse(Path dump, int heap, Listing answer) throws Refusal, Skip, IOException {
            throw new Skip("this adapter does not analyse");
        }

        /** The answer of the level "counts": the keys counts and histogram, as far as hello promises them. */
        default Map<String, Object> count(Path dump, int heap) throws Refusal, Skip, IOException {
            throw new Skip("this adapter does not count");
        }

        /** Writes the dump's heap to a file, which does not exist yet, in another format. */
        default void convert(Path dump, String from, String to, Path out) throws Refusal, Skip, IOException {
            throw new Skip("this adapter does not convert");
        }

        /** Writes the heap of a listing to a file, which does not exist yet. */
        default void encode(Path listing, String format, Path out) throws Refusal, Skip, IOException {
            throw new Skip("this adapter does not write");
        }
    }

    public interface Listing { void line(Map<String, Object> line) throws IOException; }
    /** The library does not take this dump: the reason and, if it is known, the offset of the bytes. */
    public static class Refusal extends Exception {
        final Object offset;
        public Refusal(String why, Object... at) { super(why); offset = at.length == 0 ? null : at[0]; }
    }
    /** This dump cannot be put to the library; the text says why. */
    public static class Skip extends Exception { public Skip(String reason) { super(reason); } }

    private static final List<Class<?>> REFUSALS = new ArrayList<>();
    /**
     * Names the classes of exceptions by which the library refuses a dump, as it documents it: {@code refuse(EOFException.class)}
     * in the constructor, say. They need not be declared anywhere, as those of a library in Kotlin are not.
     */
    public static void refuse(Class<?>... exceptions) { REFUSALS.addAll(List.of(exceptions)); }

    /** Where messages have the offset of the bad bytes: with it, the report names the rule that the dump breaks. */
    private static final Pattern OFFSET = Pattern.compile("(?i)\\b(?:at|offset)[ =]+(?:0x([0-9a-f]{1,15})|(\\d{1,18}))\\b");

    /** By facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing. */
    private static final Map<String, String> COUNTS = Map.of("roots", "roots", "root-objects", "roots", "threads",
            "threads", "stack-traces", "traces", "regions", "regions", "events", "events");

    private static final Set<Object> OMITS = new LinkedHashSet<>();
    /** Whether the lines are not to have a facet, of those that hello has in "omits": then it need not be read. */
    public static boolean omits(String facet) { return OMITS.contains(facet); }

    private static final Set<String> WARNINGS = new LinkedHashSet<>();
    /** Keeps, for the answer, what the library reports as wrong with a dump although it goes on. */
    public static void warn(String text) { WARNINGS.add(text); }

    public static void serve(Parser parser) throws IOException {
        // Standard output is for answers alone. Whatever else prints there gets standard error.
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            try {
                Map<?, ?> request = (Map<?, ?>) fromJson(line);
                Map<String, Object> answer = object("id", request.get("id"));
                answer.putAll(answer(parser, request));
                answers.write((toJson(answer) + "\n").getBytes(UTF_8));
            } catch (Throwable failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(134); // not exit: what the library has started could hold that up
            }
        }
        System.exit(0);
    }

    private static Map<String, Object> answer(Parser parser, Map<?, ?> request) {
        Object op = request.get("op");
        if (op.equals("hello")) {
            for (int protocol = 2; protocol > 0; protocol--) {
                if (!((List<?>) request.get("protocols")).contains(BigInteger.valueOf(protocol))) continue;
                Map<String, Object> hello = object("protocol", protocol);
                hello.putAll(parser.hello(protocol));
                return hello;
            }
        }
        if (!List.of("parse", "convert", "encode").contains(op))
            return object("status", "error", "message", "this adapter does not know " + op);
        WARNINGS.clear();
        OMITS.clear();
        if (request.get("omits") != null) OMITS.addAll((List<?>) request.get("omits"));
        try {
            Path path = Path.of(text(request, "path"));
            Path out = request.get("out") == null ? null : Path.of(text(request, "out"));
            int heap = request.get("heap") == null ? 0 : ((Number) request.get("heap")).intValue();
            Map<String, Object> accepted = object("status", "accept");
            if (op.equals("convert")) parser.convert(path, text(request, "from"), text(request, "to"), out);
            else if (op.equals("encode")) parser.encode(path, text(request, "format"), out);
            else if ("counts".equals(request.get("level"))) accepted.putAll(parser.count(path, heap));
            else if (!"answers".equals(request.get("level"))) list(parser, path, heap, out);
            else try (Writer answer = Files.newBufferedWriter(out)) {
                parser.analyse(path, heap, line -> answer.write(toJson(line) + "\n"));
            }
            if (!WARNINGS.isEmpty()) accepted.put("warnings", new ArrayList<>(WARNINGS));
            return accepted;
        } catch (Skip skip) {
            return object("status", "skip", "reason", skip.getMessage());
        } catch (Throwable failure) {
            if (failure instanceof Refusal || REFUSALS.stream().anyMatch(known -> known.isInstance(failure))) {
                return reject(failure, failure instanceof Refusal ? ((Refusal) failure).offset : null);
            }
            if (failure instanceof Error) throw (Error) failure;
            if (failure instanceof IOException || failure instanceof InvalidPathException) {
                return object("status", "error", "message", failure.toString());
            }
            // A crash; rethrow it to end the process, as it should if the library keeps state.
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            return object("status", "crash", "message", trace.toString());
        }
    }

    private static Map<String, Object> reject(Throwable refusal, Object offset) {
        String message = String.valueOf(refusal instanceof Refusal ? refusal.getMessage() : refusal);
        Matcher place = OFFSET.matcher(message);
        if (offset == null && place.find()) {
            offset = place.group(1) == null ? Long.parseLong(place.group(2)) : Long.parseLong(place.group(1), 16);
        }
        return object("status", "reject", "message", message, "offset", offset);
    }

    /** Writes a listing, whose head comes first, has numbers of what comes after it, and names what is left out. */
    private static void list(Parser parser, Path dump, int heap, Path out) throws Refusal, Skip, IOException {
        Map<String, Object> head = new LinkedHashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        List<String> lines = new ArrayList<>();
        parser.parse(dump, heap, line -> {
            if (head.isEmpty()) head.putAll(line);
            else lines.add(toJson(line));
            counts.merge(line.get("kind") + "s", 1, Integer::sum);
        });
        List<?> facets = (List<?>) parser.hello(2).get("facets");
        COUNTS.forEach((facet, key) -> {
            if (facets.contains(facet)) head.putIfAbsent(key, counts.getOrDefault(key, 0));
        });
        if (!OMITS.isEmpty()) head.put("omits", new ArrayList<>(OMITS));
        lines.add(0, toJson(head));
        Files.write(out, lines);
    }

    private static String text(Map<?, ?> request, String key) { return (String) request.get(key); }

    /** An object of JSON, from its keys and values in turn. */
    public static Map<String, Object> object(Object... entries) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) object.put((String) entries[i], entries[i + 1]);
        return object;
    }

    public static String hex(long bits) { return "0x" + Long.toHexString(bits); }

    private static final Pattern TOKEN = Pattern.compile("[{}\\[\\]]|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[-+.\\w]+");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))");

    /** What well-formed JSON stands for: a Map, List, String, Boolean, null, BigInteger or BigDecimal, all exact. */
    public static Object fromJson(String text) { return read(TOKEN.matcher(text)); }

    /** What the next tokens stand for: TOKEN for a closing bracket. */
    private static Object read(Matcher tokens) {
        String token = tokens.find() ? tokens.group() : "}";
        if ("}]".contains(token)) return TOKEN;
        if ("{[".contains(token)) {
            List<Object> items = new ArrayList<>();
            for (Object item; (item = read(tokens)) != TOKEN; ) items.add(item);
            return token.equals("{") ? object(items.toArray()) : items;
        }
        if (token.startsWith("\"")) return ESCAPE.matcher(token.substring(1, token.length() - 1)).replaceAll(escape ->
                Matcher.quoteReplacement("" + (escape.group(1) != null ? (char) Integer.parseInt(escape.group(1), 16)
                        : "\b\f\n\r\t\"\\/".charAt("bfnrt\"\\/".indexOf(escape.group(2))))));
        if (Character.isLetter(token.charAt(0))) return token.equals("null") ? null : Boolean.valueOf(token);
        // Not long or double: identifiers and counts may have 64 bits, without a sign.
        return token.matches("-?\\d+") ? (Object) new BigInteger(token) : new BigDecimal(token);
    }

    public static String toJson(Object value) {
        if (value instanceof Map) return ((Map<?, ?>) value).entrySet().stream()
                .map(entry -> toJson(entry.getKey()) + ":" + toJson(entry.getValue())).collect(joining(",", "{", "}"));
        if (value instanceof List)
            return ((List<?>) value).stream().map(Adapter::toJson).collect(joining(",", "[", "]"));
        if (!(value instanceof String)) return String.valueOf(value);
        return ((String) value).chars().mapToObj(c -> c < ' ' || c > '~' || c == '"' || c == '\\'
                ? String.format("\\u%04x", c) : String.valueOf((char) c)).collect(joining("", "\"", "\""));
    }

    /** The example: it reads HPROF, converts HPROF to HPROF, and writes PHD. Throw it away. */
    private static class Example implements Parser {
        public Map<String, Object> hello(int protocol) {
            return object("name", "template", "version", "1", "language", "Java", "reads", List.of("hprof"),
                    "levels", List.of("listing"), "facets", List.of("address", "kind", "superclass", "class",
                            "array-length", "elements", "primitive-contents"),
                    // "string-text" among the facets: the text of a java.lang.String, if the library works it out. Its
                    // line has object(..., "text", "abc").
                    // What a listing can leave out, such as "primitive-contents". `check --large` then asks for listings of
                    // dumps of gigabytes without it: declare it if the library does not hold such a dump. The example holds it whole.
                    "omits", List.of(),
                    // What the library makes of bytes that can be read in several ways. These are the defaults.
                    "readings", object("hprof.array-class", "array", "hprof.unpatched-length", "empty"),
                    // A converter or writer that loses what the format could hold adds it to its entry, in protocol 2
                    // only: "loses", List.of("hash-32"). An entry of writes is then object("to", "phd6", "loses", ...).
                    "converts", List.of(object("from", "hprof", "to", "hprof")), "writes", List.of("phd6"));
        }

        public void parse(Path dump, int heap, Listing listing) throws Refusal, Skip, IOException {
            new HprofReader().read(dump, listing);
        }

        /** The smallest converter: what can be read is copied. */
        public void convert(Path dump, String from, String to, Path out) throws Refusal, Skip, IOException {
            new HprofReader().read(dump, line -> { });
            Files.copy(dump, out);
        }

        public void encode(Path listing, String format, Path out) throws IOException {
            try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(out))) {
                new PhdWriter(file).write(Files.readAllLines(listing));
            }
        }
    }

    /** Version 6 in long records only, with gaps and references of four bytes, or eight where words have 64 bits. */
    private static class PhdWriter {
        private static final List<String> TYPES = List.of("boolean char float double byte short int long".split(" "));
        private final DataOutputStream data;
        private boolean is64, hasHash16;
        private long previous; // address

        PhdWriter(OutputStream file) { data = new DataOutputStream(file); }

        void write(List<String> listing) throws IOException {
            Map<?, ?> head = (Map<?, ?>) fromJson(listing.get(0));
            is64 = number(head.get("word_size")) == 64;
            hasHash16 = "every-16".equals(head.get("hashes"));
            data.writeUTF("portable heap dump");
            data.writeInt(6);
            data.writeInt((is64 ? 1 : 0) | (hasHash16 ? 2 : 0) | 4); // 4: of J9
            data.write(1);
            if (head.get("totals") instanceof Map) {
                data.write(1);
                data.writeInt((int) number(((Map<?, ?>) head.get("totals")).get("objects")));
                data.writeInt((int) number(((Map<?, ?>) head.get("totals")).get("references")));
            }
            if (head.get("hash_randoms") instanceof List) {
                data.write(3);
                for (Object random : (List<?>) head.get("hash_randoms")) data.writeInt((int) number(random));
            }
            if (head.get("version_text") != null) {
                data.write(4);
                text(head.get("version_text"));
            }
            data.write(2);
            data.write(2);
            List<Map<?, ?>> lines = new ArrayList<>();
            for (String line : listing.subList(1, listing.size())) lines.add((Map<?, ?>) fromJson(line));
            lines.sort(Comparator.comparing(line -> number(line.get("record")))); // the order of the file
            for (Map<?, ?> line : lines) record(line, (String) line.get("kind"));
            data.write(3);
        }

        private void record(Map<?, ?> line, String kind) throws IOException {
            int widths = is64 ? 0xF0 : 0xA0;
            int hashed = line.get("hash32") == null ? 0 : kind.equals("class") ? 8 : 2;
            boolean isPrimitive = kind.equals("primitive-array"), hasLength = line.get("length") != null;
            data.write(kind.equals("class") ? 6 : kind.equals("object") ? 4 : isPrimitive ? 7 : hasLength ? 8 : 5);
            data.write(hashed | (isPrimitive ? TYPES.indexOf((String) line.get("element")) << 5 | 0x10 : widths));
            long address = number(line.get("address"));
            word(address - previous >> 2);
            previous = address;
            if (kind.equals("class")) data.writeInt((int) number(line.get("instance_size")));
            else word(number(line.get(isPrimitive ? "length" : "class")));
            if (hasHash16) data.writeShort((int) number(line.get("hash16")));
            else if (hashed != 0) data.writeInt((int) number(line.get("hash32")));
            if (kind.equals("class")) {
                word(number(line.get("super")));
                text(line.get("name"));
            }
            if (!isPrimitive) {
                List<?> references = line.get("refs") == null ? List.of() : (List<?>) line.get("refs");
                data.writeInt(references.size());
                for (Object reference : references) word(number(reference) - address >> 2);
                if (hasLength) data.writeInt((int) number(line.get("length")));
            }
            if (kind.endsWith("array")) data.writeInt((int) (number(line.get("size")) >> 2));
        }

        private void word(long word) throws IOException {
            if (is64) data.writeLong(word);
            else data.writeInt((int) word);
        }

        /** A text, or the bytes of what is not valid text (specs/listing.md). */
        private void text(Object text) throws IOException {
            if (text instanceof String) data.writeUTF((String) text);
            if (!(text instanceof Map)) return;
            String digits = (String) ((Map<?, ?>) text).get("bytes");
            data.writeShort(digits.length() / 2);
            for (int i = 0; i < digits.length(); i += 2) data.write(Integer.parseInt(digits.substring(i, i + 2), 16));
        }

        /** A number, or an address or hash, whose hexadecimal digits fill up to 64 bits. What is unknown is 0. */
        private static long number(Object value) {
            if (value instanceof String) return Long.parseUnsignedLong(((String) value).substring(2), 16);
            return value == null ? 0 : ((Number) value).longValue();
        }
    }

    /** HPROF without names and fields. A layout: i an id, a digit that number of bytes, * as often as counted. */
    private static class HprofReader {
        private static final Map<String, String>
                RECORDS = map("1=i 2=4i4i 3=4 4=iiii44 5=444*i 6=2444884*1444444 7=4488 a=4i4iii b=4 d=44*44 e=42"),
                SUB_RECORDS = map("20=i4iiiiii4 21=i4i4 22=i44i 23=i441 c3=i441 1=ii 2=i44 3=i44 4=i4 5=i 6=i4 7=i "
                        + "8=i44 89=i 8a=i 8b=i 8c=i 8d=i 8e=i44 90=i fe=4i ff=i"),
                TYPES = map("2=i 4=1 5=2 6=4 7=8 8=1 9=2 a=4 b=8"),
                ELEMENTS = map("4=boolean 5=char 6=float 7=double 8=byte 9=short a=int b=long");
        private final Map<Long, long[]> classes = new HashMap<>(); // superclass, and bytes of the class's own fields
        private final List<long[]> instances = new ArrayList<>(); // class, and bytes of all fields
        private ByteBuffer data;
        private int idSize;

        private static Map<String, String> map(String text) {
            return Stream.of(text.split(" ")).map(entry -> entry.split("=")).collect(toMap(e -> e[0], e -> e[1]));
        }

        void read(Path dump, Listing listing) throws Refusal, Skip, IOException {
            data = ByteBuffer.wrap(Files.readAllBytes(dump));
            String header = new String(bytes(31), ISO_8859_1);
            if (header.startsWith("\37\213")) throw new Skip("this parser reads no gzip");
            if (!header.matches("(?s)JAVA PROFILE 1[.]0[.][123]\0{4}[\1\2\4\b].{8}")) throw new Refusal("no header", 0);
            idSize = header.charAt(22);
            listing.line(object("listing", 1));
            while (data.hasRemaining()) {
                long[] head = read("144");
                long end = data.position() + head[2];
                if (end > data.limit()) throw new Refusal("the file ends before " + end, end - head[2] - 9);
                data.limit((int) end);
                read(RECORDS.getOrDefault(Long.toHexString(head[0]), ""));
                while ((head[0] == 0x0C || head[0] == 0x1C) && data.hasRemaining()) subRecord(listing);
                data.limit(data.capacity()).position((int) end);
            }
            for (long[] instance : instances) layOut(instance[0], instance[1]);
        }

        /** Classes may follow their instances. Where a class or a superclass is missing, there is nothing to say. */
        private void layOut(long next, long left) throws Refusal {
            for (int above = 0; classes.containsKey(next); above++, next = classes.get(next)[0]) {
                if (above > classes.size()) throw new Refusal("the superclasses have no end");
                left -= classes.get(next)[1];
            }
            if (next == 0 && left < 0) throw new Refusal("an instance is shorter than its fields");
        }

        private void subRecord(Listing listing) throws Refusal, IOException {
            long tag = number('1');
            long[] numbers = read(known(tag, SUB_RECORDS));
            String address = hex(numbers[0]);
            if (tag == 0x20) {
                for (long left = number('2'); left > 0; left--) read(known(read("21")[1], TYPES)); // constant pool
                for (long left = number('2'); left > 0; left--) read(known(read("i1")[1], TYPES)); // static fields
                long own = 0; // the bytes of its fields
                for (long left = number('2'); left > 0; left--) own += size(known(read("i1")[1], TYPES).charAt(0));
                classes.put(numbers[0], new long[] {numbers[2], own});
                listing.line(object("kind", "class", "address", address, "super", hex(numbers[2])));
            } else if (tag == 0x21) {
                instances.add(new long[] {numbers[2], bytes(numbers[3]).length});
                listing.line(object("kind", "object", "address", address, "class", hex(numbers[2])));
            } else if (tag == 0x22) {
                List<String> elements = new ArrayList<>();
                for (long left = numbers[2]; left > 0; left--) elements.add(hex(number('i')));
                listing.line(object("kind", "object-array", "address", address, "array_class", hex(numbers[3]),
                        "length", numbers[2], "elements", elements));
            } else if (tag == 0x23 || tag == 0xC3) {
                String element = known(numbers[3], ELEMENTS);
                int size = tag == 0xC3 ? 0 : Integer.parseInt(known(numbers[3], TYPES)); // Android leaves contents out
                listing.line(object("kind", "primitive-array", "address", address, "length", numbers[2], "element",
                        element, "contents", size == 0 ? null : digits(bytes(numbers[2] * size))));
            }
        }

        private static String digits(byte[] bytes) {
            return IntStream.range(0, bytes.length).mapToObj(i -> String.format("%02x", bytes[i])).collect(joining());
        }

        private String known(long code, Map<String, String> layouts) throws Refusal {
            if (layouts.containsKey(Long.toHexString(code))) return layouts.get(Long.toHexString(code));
            throw new Refusal(hex(code) + " is unknown", (long) data.position());
        }

        private long[] read(String layout) throws Refusal {
            String[] parts = layout.split("[*]");
            long[] numbers = new long[parts[0].length()];
            for (int i = 0; i < numbers.length; i++) numbers[i] = number(parts[0].charAt(i));
            for (long left = parts.length == 1 ? 0 : numbers[numbers.length - 1]; left > 0; left--) read(parts[1]);
            return numbers;
        }

        private int size(int part) { return part == 'i' ? idSize : part - '0'; }
        private long number(int part) throws Refusal { return new BigInteger(1, bytes(size(part))).longValue(); }

        private byte[] bytes(long count) throws Refusal {
            if (count > data.remaining()) throw new Refusal("more bytes are due", (long) data.position());
            byte[] bytes = new byte[(int) count];
            data.get(bytes);
            return bytes;
        }
    }
}
