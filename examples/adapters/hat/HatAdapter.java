import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import jdk.test.lib.hprof.model.JavaClass;
import jdk.test.lib.hprof.model.JavaField;
import jdk.test.lib.hprof.model.JavaHeapObject;
import jdk.test.lib.hprof.model.JavaObject;
import jdk.test.lib.hprof.model.JavaObjectArray;
import jdk.test.lib.hprof.model.JavaStatic;
import jdk.test.lib.hprof.model.JavaThing;
import jdk.test.lib.hprof.model.JavaValueArray;
import jdk.test.lib.hprof.model.Root;
import jdk.test.lib.hprof.model.Snapshot;
import jdk.test.lib.hprof.parser.Reader;

/**
 * An adapter for the readers that come of HAT: the test library of the JDK and, under another name of the package, jhat
 * (see README.md).
 */
public class HatAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.serve(new HatAdapter(List.of(arguments)));
    }

    private final String name;
    private final String version;
    private final List<String> facets = new ArrayList<>(List.of("identifier-size", "address", "kind", "class-name",
            "superclass", "loader", "signers", "protection-domain", "instance-size", "fields", "statics", "class",
            "array-length", "field-values", "elements", "primitive-contents", "references", "string-text"));
    private final boolean withRoots;

    private HatAdapter(List<String> arguments) {
        name = arguments.get(0);
        version = arguments.get(1);
        withRoots = arguments.contains("--with-roots");
        if (withRoots) {
            facets.add("root-objects");
        }
        if (arguments.contains("--without-texts")) {
            facets.remove("string-text");
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", name, "version", version, "language", "Java", "reads", List.of("hprof"),
                "levels", List.of("listing"), "facets", facets, "heaps", true,
                // Names of classes have dots for slashes.
                "class_names", "java",
                // What is not in the dump is told as a text, in arrays as null.
                "dangling", "null", "booleans", "0/1", "unnamed", "placeholder", "names", "text",
                // Others are refused: "I can only deal with 4 or 8."
                "identifier_sizes", List.of("4", "8"));
    }

    @Override
    public void parse(Path dump, int heap, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        PrintStream before = System.out;
        System.setOut(new PrintStream(new Warnings(), true));
        try {
            Snapshot snapshot;
            try {
                // With the call stacks, as the library's HprofParser and jhat read by default.
                snapshot = Reader.readFile(dump + "#" + (heap + 1), true, 0);
            } catch (IOException refusal) { // the one exception that it declares
                throw new Adapter.Refusal(refusal.toString());
            }
            try {
                list(snapshot, listing);
            } finally {
                if (snapshot instanceof AutoCloseable) {
                    close((AutoCloseable) (Object) snapshot);
                }
            }
        } finally {
            System.setOut(before);
        }
    }

    private static void close(AutoCloseable snapshot) {
        try {
            snapshot.close();
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void list(Snapshot snapshot, Adapter.Listing listing) throws IOException {
        List<Root> roots = new ArrayList<>();
        for (Root root : snapshot.getRootsArray()) { // before it adds some, for the static fields of classes
            roots.add(root);
        }
        snapshot.resolve(false);
        listing.line(Adapter.object("listing", 1, "identifier_size", snapshot.getIdentifierSize()));
        for (Enumeration<JavaHeapObject> all = snapshot.getThings(); all.hasMoreElements();) {
            JavaHeapObject thing = all.nextElement();
            if (thing instanceof JavaClass) {
                JavaClass type = (JavaClass) thing;
                if (!(type.getId() == -1 && type.getName().startsWith("unknown-class<@"))) { // none of the dump's
                    listing.line(line(type));
                }
            } else {
                listing.line(line(thing));
            }
        }
        if (withRoots) {
            for (Root root : roots) {
                listing.line(Adapter.object("kind", "root", "root", KINDS.get(root.getType()),
                        "object", Adapter.hex(root.getId()), "reference", "0x0", "thread", 0, "frame", -1, "trace", 0));
            }
        }
    }

    /** By the numbers of Root. */
    private static final List<String> KINDS = List.of("", "unknown", "sticky-class", "jni-local", "jni-global",
            "thread-block", "monitor-used", "java-frame", "native-stack");

    private static Map<String, Object> line(JavaClass type) {
        List<Object> fields = new ArrayList<>();
        for (JavaField field : type.getFields()) {
            fields.add(Adapter.object("name", field.getName(), "type", typeOf(field.getSignature())));
        }
        List<Object> statics = new ArrayList<>();
        for (JavaStatic field : type.getStatics()) {
            String signature = field.getField().getSignature();
            statics.add(Adapter.object("name", field.getField().getName(), "type", typeOf(signature),
                    "value", value(signature, field.getValue())));
        }
        return Adapter.object("kind", "class", "address", Adapter.hex(type.getId()), "name", javaName(type.getName()),
                "super", address(type.getSuperclass()), "loader", address(type.getLoader()),
                "signers", address(type.getSigners()), "protection_domain", address(type.getProtectionDomain()),
                // getInstanceSize() adds what a header is thought to take.
                "instance_size", Integer.toUnsignedLong((int) field(type, "instanceSize")),
                "fields", fields, "statics", statics);
    }

    private static Map<String, Object> line(JavaHeapObject thing) {
        String address = Adapter.hex(thing.getId());
        JavaClass type = thing.getClazz();
        String typeAddress = type.getId() == -1 ? null : address(type); // -1: one that the library has made
        if (thing instanceof JavaObjectArray) {
            List<Object> elements = new ArrayList<>();
            for (JavaThing element : ((JavaObjectArray) thing).getElements()) {
                elements.add(address(element));
            }
            return Adapter.object("kind", "object-array", "address", address, "array_class", typeAddress,
                    "length", ((JavaObjectArray) thing).getLength(), "elements", elements);
        }
        if (thing instanceof JavaValueArray) {
            JavaValueArray array = (JavaValueArray) thing;
            String signature = String.valueOf((char) array.getElementType());
            Object elements = array.getElements();
            StringBuilder contents = new StringBuilder();
            for (int i = 0; i < Array.getLength(elements); i++) {
                Object element = Array.get(elements, i);
                Object value = element instanceof JavaThing ? field(element, "value") : element;
                contents.append(HexFormat.of().toHexDigits(bits(value), 2 * SIZES.get("ZCFDBSIJ".indexOf(signature))));
            }
            return Adapter.object("kind", "primitive-array", "address", address, "element", typeOf(signature),
                    "length", array.getLength(), "contents", contents.toString());
        }
        JavaObject object = (JavaObject) thing;
        Map<String, Object> line = Adapter.object("kind", "object", "address", address, "class", typeAddress,
                "values", values(object));
        if (type.isString() && object.getField("value") instanceof JavaValueArray) {
            line.put("text", text(object.toString()));
        }
        return line;
    }

    /** A char[] may have lone surrogates, which are no text of JSON. */
    private static Object text(String text) {
        StringBuilder units = new StringBuilder();
        text.chars().forEach(unit -> units.append(HexFormat.of().toHexDigits((char) unit)));
        return Adapter.object("utf16", units.toString());
    }

    /** The library has the fields of superclasses first. */
    private static List<Object> values(JavaObject object) {
        JavaThing[] values = object.getFields();
        List<Object> result = new ArrayList<>();
        if (values.length == 0) { // also what it gives where it cannot read them
            return result;
        }
        int end = values.length;
        for (JavaClass type = object.getClazz(); type != null; type = type.getSuperclass()) {
            JavaField[] fields = type.getFields();
            end -= fields.length;
            for (int i = 0; i < fields.length; i++) {
                String signature = fields[i].getSignature();
                result.add(List.of(typeOf(signature), value(signature, values[end + i])));
            }
        }
        return result;
    }

    private static String value(String signature, JavaThing value) {
        return typeOf(signature).equals("object") ? address(value) : Adapter.hex(bits(field(value, "value")));
    }

    /** Null, and what is not in the dump, are no heap objects. */
    private static String address(JavaThing thing) {
        return Adapter.hex(thing instanceof JavaHeapObject ? ((JavaHeapObject) thing).getId() : 0);
    }

    private static final List<String> TYPES =
            List.of("boolean", "char", "float", "double", "byte", "short", "int", "long");
    private static final List<Integer> SIZES = List.of(1, 2, 4, 8, 1, 2, 4, 8);

    private static String typeOf(String signature) {
        int index = "ZCFDBSIJ".indexOf(signature.charAt(0));
        return index < 0 ? "object" : TYPES.get(index);
    }

    private static final Pattern ARRAY = Pattern.compile("(\\[+)(?:L([^;]+);|([ZCFDBSIJ]))", Pattern.DOTALL);

    /** The name of an array's class as Java source has it; other names are told so by the library. */
    private static String javaName(String name) {
        var array = ARRAY.matcher(name);
        if (!array.matches()) {
            return name;
        }
        return (array.group(2) != null ? array.group(2) : typeOf(array.group(3))) + "[]".repeat(array.group(1).length());
    }

    private static long bits(Object value) {
        return switch (value.getClass().getSimpleName()) {
            case "Boolean" -> (boolean) value ? 1 : 0;
            case "Character" -> (char) value;
            case "Float" -> Float.floatToRawIntBits((float) value) & 0xFFFFFFFFL;
            case "Double" -> Double.doubleToRawLongBits((double) value);
            case "Byte" -> (byte) value & 0xFFL;
            case "Short" -> (short) value & 0xFFFFL;
            case "Integer" -> (int) value & 0xFFFFFFFFL;
            default -> (long) value;
        };
    }

    /** Values have no getters. */
    private static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** What the library prints. Of this, the two that say that a dump is broken are kept. */
    private static class Warnings extends OutputStream {
        private final StringBuilder line = new StringBuilder();

        @Override
        public void write(int character) {
            if (character != '\n') {
                line.append((char) character);
                return;
            }
            if (line.toString().matches("WARNING: (Unexpected EOF|Error reading heap dump).*")) {
                Adapter.warn(line.toString());
            }
            line.setLength(0);
        }
    }
}
