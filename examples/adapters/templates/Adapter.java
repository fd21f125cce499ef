import java.io.*;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

import static java.nio.charset.StandardCharsets.*;
import static java.util.stream.Collectors.*;

/**
 * Puts a parser of heap dumps behind heapsmith's adapter protocol (specs/adapter.md): a template, which runs as it is
 * with {@code java Adapter.java}. Write a class like {@link Hprof} around your own parser, and name it in main.
 */
public class Adapter {
    public static void main(String[] arguments) throws IOException {
        serve(new Hprof()); // YOUR PARSER GOES HERE
    }

    public interface Parser {
        /** The answer to hello. What is in facets is owed, where a dump has it: begin with few. */
        Map<String, Object> hello();

        /**
         * Gives the lines of a listing, the head first (specs/listing.md). Throws Refusal for what the library throws,
         * as it documents it, at a bad dump. An IOException is told as an error of the adapter. Everything else should
         * be let through: it ends the process, and is told as a crash. The heap is 0 unless hello says "heaps", true.
         */
        void parse(Path dump, int heap, Listing listing) throws Refusal, Skip, IOException;
    }

    public interface Listing { void line(Map<String, Object> line) throws IOException; }
    /** The parser does not take this dump. */
    public static class Refusal extends Exception { public Refusal(String message) { super(message); } }
    /** This dump cannot be put to the parser; the text says why. */
    public static class Skip extends Exception { public Skip(String reason) { super(reason); } }

    public static void serve(Parser parser) throws IOException {
        // Standard output is for answers alone. Whatever else prints there gets standard error.
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = requests.readLine()) != null; ) {
            try {
                Map<?, ?> request = (Map<?, ?>) read(TOKEN.matcher(line));
                Map<String, Object> answer = object("id", request.get("id"));
                answer.putAll(answer(parser, request));
                answers.write((json(answer) + "\n").getBytes(UTF_8));
            } catch (Throwable failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(134); // not exit: what the parser has started could hold that up
            }
        }
        System.exit(0);
    }

    private static Map<String, Object> answer(Parser parser, Map<?, ?> request) {
        Object op = request.get("op");
        if (op.equals("hello") && ((List<?>) request.get("protocols")).contains(1L)) return parser.hello();
        if (!op.equals("parse")) return object("status", "error", "message", "this adapter does not know " + op);
        try (Writer out = Files.newBufferedWriter(Path.of((String) request.get("out")))) {
            int heap = request.get("heap") instanceof Long index ? index.intValue() : 0;
            parser.parse(Path.of((String) request.get("path")), heap, line -> out.write(json(line) + "\n"));
            return object("status", "accept");
        } catch (Refusal refusal) {
            return object("status", "reject", "message", refusal.getMessage());
        } catch (Skip skip) {
            return object("status", "skip", "reason", skip.getMessage());
        } catch (IOException | InvalidPathException failure) {
            return object("status", "error", "message", failure.toString());
        }
    }

    /** An object of JSON, from its keys and values in turn. */
    public static Map<String, Object> object(Object... entries) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) object.put((String) entries[i], entries[i + 1]);
        return object;
    }

    public static String hex(long bits) { return "0x" + Long.toHexString(bits); }

    private static final Pattern TOKEN = Pattern.compile("[{}\\[\\]]|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[-+.\\w]+");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(.{4})|(.))");

    /** What the next tokens of well-formed JSON stand for: TOKEN for a closing bracket. */
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
        return token.matches("-?\\d{1,18}") ? (Object) Long.valueOf(token) : Double.valueOf(token);
    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> map) return map.entrySet().stream()
                .map(entry -> json(entry.getKey()) + ":" + json(entry.getValue())).collect(joining(",", "{", "}"));
        if (value instanceof List<?> list) return list.stream().map(Adapter::json).collect(joining(",", "[", "]"));
        if (!(value instanceof String text)) return String.valueOf(value);
        return text.chars().mapToObj(c -> c < ' ' || c > '~' || c == '"' || c == '\\' ? String.format("\\u%04x", c)
                : String.valueOf((char) c)).collect(joining("", "\"", "\""));
    }

    /** The example: HPROF, but no names and fields. A layout: i an id, a digit so many bytes, * as often as counted. */
    private static class Hprof implements Parser {
        private static final Map<String, String>
                RECORDS = map("1=i 2=4i4i 3=4 4=iiii44 5=444*i 6=2444884*1444444 7=4488 a=4i4iii b=4 d=44*44 e=42"),
                SUB_RECORDS = map("20=i4iiiiii4 21=i4i4 22=i44i 23=i441 c3=i441 1=ii 2=i44 3=i44 4=i4 5=i 6=i4 7=i "
                        + "8=i44 89=i 8a=i 8b=i 8c=i 8d=i 8e=i44 90=i fe=4i ff=i"),
                TYPES = map("2=i 4=1 5=2 6=4 7=8 8=1 9=2 a=4 b=8"),
                ELEMENTS = map("4=boolean 5=char 6=float 7=double 8=byte 9=short a=int b=long");
        private ByteBuffer data;
        private int idSize;

        private static Map<String, String> map(String text) {
            return Stream.of(text.split(" ")).map(entry -> entry.split("=")).collect(toMap(e -> e[0], e -> e[1]));
        }

        public Map<String, Object> hello() {
            return object("protocol", 1, "name", "template", "version", "1", "language", "Java", "reads",
                    List.of("hprof"), "levels", List.of("listing"), "facets",
                    List.of("address kind superclass class array-length elements primitive-contents".split(" ")));
        }

        public void parse(Path dump, int heap, Listing listing) throws Refusal, Skip, IOException {
            data = ByteBuffer.wrap(Files.readAllBytes(dump));
            String header = new String(bytes(31), ISO_8859_1);
            if (header.startsWith("\37\213")) throw new Skip("this parser reads no gzip");
            if (!header.matches("(?s)JAVA PROFILE 1[.]0[.][123]\0{4}[\1\2\4\b].{8}")) throw new Refusal("no header");
            idSize = header.charAt(22);
            listing.line(object("listing", 1));
            while (data.hasRemaining()) {
                long[] head = read("144");
                long end = data.position() + head[2];
                if (end > data.limit()) throw new Refusal("the file ends before " + end);
                data.limit((int) end);
                read(RECORDS.getOrDefault(Long.toHexString(head[0]), ""));
                while ((head[0] == 0x0C || head[0] == 0x1C) && data.hasRemaining()) subRecord(listing);
                data.limit(data.capacity()).position((int) end);
            }
        }

        private void subRecord(Listing listing) throws Refusal, IOException {
            long tag = number('1');
            long[] numbers = read(known(tag, SUB_RECORDS));
            String address = hex(numbers[0]);
            if (tag == 0x20) {
                for (long left = number('2'); left > 0; left--) read(known(read("21")[1], TYPES)); // constant pool
                for (long left = number('2'); left > 0; left--) read(known(read("i1")[1], TYPES)); // static fields
                for (long left = number('2'); left > 0; left--) known(read("i1")[1], TYPES); // fields
                listing.line(object("kind", "class", "address", address, "super", hex(numbers[2])));
            } else if (tag == 0x21) {
                bytes(numbers[3]);
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
                        element, "contents", size == 0 ? null : HexFormat.of().formatHex(bytes(numbers[2] * size))));
            }
        }

        private static String known(long code, Map<String, String> layouts) throws Refusal {
            if (!layouts.containsKey(Long.toHexString(code))) throw new Refusal(hex(code) + " is unknown");
            return layouts.get(Long.toHexString(code));
        }

        private long[] read(String layout) throws Refusal {
            String[] parts = layout.split("[*]");
            long[] numbers = new long[parts[0].length()];
            for (int i = 0; i < numbers.length; i++) numbers[i] = number(parts[0].charAt(i));
            for (long left = parts.length == 1 ? 0 : numbers[numbers.length - 1]; left > 0; left--) read(parts[1]);
            return numbers;
        }

        private long number(int part) throws Refusal {
            return new BigInteger(1, bytes(part == 'i' ? idSize : part - '0')).longValue();
        }

        private byte[] bytes(long count) throws Refusal {
            if (count > data.remaining()) throw new Refusal("what ends at " + data.limit() + " is too short");
            byte[] bytes = new byte[(int) count];
            data.get(bytes);
            return bytes;
        }
    }
}
