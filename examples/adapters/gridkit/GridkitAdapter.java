import java.io.File;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

import org.gridkit.jvmtool.heapdump.HeapWalker;
import org.netbeans.lib.profiler.heap.Field;
import org.netbeans.lib.profiler.heap.FieldValue;
import org.netbeans.lib.profiler.heap.GCRoot;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;
import org.netbeans.lib.profiler.heap.ObjectArrayInstance;
import org.netbeans.lib.profiler.heap.ObjectFieldValue;
import org.netbeans.lib.profiler.heap.PrimitiveArrayInstance;

/** An adapter for gridkit's heap library (see README.md). */
public class GridkitAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        // Java does not look at this variable by itself, and the library makes files of its own.
        if (System.getenv("TMPDIR") != null) {
            System.setProperty("java.io.tmpdir", System.getenv("TMPDIR"));
        }
        Adapter.serve(new GridkitAdapter(List.of(arguments)));
    }

    private static final List<String> FACETS = List.of("time-stamp", "identifier-size", "header-version",
            "address", "kind", "class-name", "superclass", "loader", "fields", "statics", "class",
            "array-length", "field-values", "elements", "primitive-contents", "references", "root-objects",
            "string-text");

    private final boolean isFast;
    private final String version;

    private GridkitAdapter(List<String> arguments) {
        isFast = arguments.contains("--fast");
        version = arguments.get(0);
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", isFast ? "gridkit's fast heap" : "gridkit's heap library", "version", version,
                "language", "Java", "reads", List.of("hprof"), "levels", List.of("listing"),
                // createFastHeap takes no index.
                "heaps", !isFast, "facets", FACETS,
                // What getName of a class gives.
                "class_names", "java",
                // What is public has no reference but as an object, so that one to nothing is null.
                "dangling", "null",
                // Values are texts: true or false, and NaN.
                "booleans", "0/1", "nans", "any",
                // A name that is not there is told as <unknown string>.
                "unnamed", "placeholder",
                // Version 1.0.3 is refused.
                "android", "skipped");
    }

    @Override
    public void parse(Path dump, int index, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        Heap heap;
        try {
            heap = isFast ? HeapFactory.createFastHeap(dump.toFile()) : HeapFactory.createHeap(dump.toFile(), index);
        } catch (IOException refusal) { // the one exception that it documents
            throw new Adapter.Refusal(refusal.getMessage());
        }
        list(heap, listing);
    }

    private void list(Heap heap, Adapter.Listing listing) throws IOException {
        Object buffer = get("HprofHeap", "dumpBuffer", heap);
        List<GCRoot> roots = new ArrayList<>(heap.getGCRoots());
        listing.line(Adapter.object("listing", 1, "identifier_size",
                Integer.toUnsignedLong((int) get("HprofByteBuffer", "idSize", buffer)),
                "header_version", "1.0." + get("HprofByteBuffer", "version", buffer),
                // The library's summary has the time, too, but counts all objects before it tells it.
                "time_stamp", new BigInteger(Long.toUnsignedString((long) get("HprofByteBuffer", "time", buffer))),
                "roots", roots.size()));
        for (JavaClass type : heap.getAllClasses()) {
            listing.line(line(type));
        }
        for (Instance instance : heap.getAllInstances()) {
            listing.line(line(instance));
        }
        for (GCRoot root : roots) {
            listing.line(Adapter.object("kind", "root", "root",
                    root.getKind().toLowerCase(Locale.ROOT).replace(' ', '-'),
                    // Asked for as an object, a root of nothing is null, or an exception.
                    "object", Adapter.hex((long) call(ROOT_ID, root)),
                    // A listing has to have these, and they are not judged without the facet "roots".
                    "reference", "0x0", "thread", 0, "frame", 0, "trace", 0));
        }
    }

    private Map<String, Object> line(JavaClass type) {
        List<Object> fields = new ArrayList<>();
        for (Field field : type.getFields()) {
            fields.add(Adapter.object("name", field.getName(), "type", typeOf(field)));
        }
        List<Object> statics = new ArrayList<>();
        for (FieldValue value : type.getStaticFieldValues()) {
            // The library adds a field for the loader, which is none of the dump's.
            if (!value.getField().getName().equals("<classLoader>")) {
                statics.add(Adapter.object("name", value.getField().getName(), "type", typeOf(value.getField()),
                        "value", Adapter.hex(bits(value))));
            }
        }
        JavaClass parent = type.getSuperClass();
        return Adapter.object("kind", "class", "address", Adapter.hex(type.getJavaClassId()), "name", type.getName(),
                "super", Adapter.hex(parent == null ? 0 : parent.getJavaClassId()),
                "loader", Adapter.hex(id(type::getClassLoader)), "fields", fields, "statics", statics);
    }

    private Map<String, Object> line(Instance instance) {
        String address = Adapter.hex(instance.getInstanceId());
        String type = Adapter.hex(instance.getJavaClass().getJavaClassId());
        if (instance instanceof ObjectArrayInstance array) {
            List<Object> elements = new ArrayList<>();
            List<Instance> all = array.getValues();
            for (int i = 0; i < array.getLength(); i++) {
                int place = i;
                elements.add(Adapter.hex(id(() -> all.get(place))));
            }
            return Adapter.object("kind", "object-array", "address", address, "array_class", type,
                    "length", array.getLength(), "elements", elements);
        }
        if (instance instanceof PrimitiveArrayInstance array) {
            // The library looks for a class of this name, and the type is that.
            String element = array.getJavaClass().getName().replace("[]", "");
            StringBuilder contents = new StringBuilder();
            for (Object value : array.getValues()) {
                contents.append(HexFormat.of().toHexDigits(bits(element, (String) value), digits(element)));
            }
            return Adapter.object("kind", "primitive-array", "address", address, "element", element,
                    "length", array.getLength(), "contents", contents.toString());
        }
        List<Object> values = new ArrayList<>();
        for (FieldValue value : instance.getFieldValues()) {
            values.add(List.of(typeOf(value.getField()), Adapter.hex(bits(value))));
        }
        Map<String, Object> line =
                Adapter.object("kind", "object", "address", address, "class", type, "values", values);
        if (instance.getJavaClass().getName().equals("java.lang.String")) {
            line.put("text", text(HeapWalker.stringValue(instance)));
        }
        return line;
    }

    /** A text with half a pair of surrogates is no JSON. */
    private static Object text(String text) {
        if (text.codePoints().noneMatch(code -> code >= 0xD800 && code <= 0xDFFF)) {
            return text;
        }
        StringBuilder units = new StringBuilder();
        text.chars().forEach(unit -> units.append(HexFormat.of().toHexDigits(unit, 4)));
        return Adapter.object("utf16", units.toString());
    }

    /** The fast heap has an exception of its own where it finds no object of an identifier: told as null. */
    private static long id(Supplier<Instance> reference) {
        try {
            Instance instance = reference.get();
            return instance == null ? 0 : instance.getInstanceId();
        } catch (IllegalArgumentException exception) {
            // Version 0.3.8 does not have this class.
            if (exception.getClass().getSimpleName().equals("IllegalInstanceIDException")) {
                return 0;
            }
            throw exception;
        }
    }

    /** The library has null for the type of a code that is none, and reads on: told as an object's. */
    private static String typeOf(Field field) {
        return field.getType() == null ? "object" : field.getType().getName();
    }

    private static long bits(FieldValue value) {
        return value instanceof ObjectFieldValue reference ? id(reference::getInstance)
                : bits(typeOf(value.getField()), value.getValue());
    }

    /** The library tells values as texts. */
    private static long bits(String type, String text) {
        return switch (type) {
            case "boolean" -> Boolean.parseBoolean(text) ? 1 : 0;
            case "char" -> text.charAt(0);
            case "float" -> Float.floatToIntBits(Float.parseFloat(text)) & 0xFFFFFFFFL;
            case "double" -> Double.doubleToLongBits(Double.parseDouble(text));
            case "byte" -> Byte.parseByte(text) & 0xFFL;
            case "short" -> Short.parseShort(text) & 0xFFFFL;
            case "int" -> Integer.parseInt(text) & 0xFFFFFFFFL;
            default -> Long.parseLong(text);
        };
    }

    private static int digits(String type) {
        return switch (type) {
            case "boolean", "byte" -> 2;
            case "char", "short" -> 4;
            case "float", "int" -> 8;
            default -> 16;
        };
    }

    // What the library knows, but has no public method for.
    private static final Method ROOT_ID = method("HprofGCRoot", "getInstanceId");

    private static Object get(String type, String field, Object of) {
        try {
            return open(type(type).getDeclaredField(field)).get(of);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Object call(Method method, Object on) {
        try {
            return method.invoke(on);
        } catch (InvocationTargetException failure) { // the library's own
            throw failure.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(failure);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Method method(String type, String name) {
        try {
            return open(type(type).getDeclaredMethod(name));
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName("org.netbeans.lib.profiler.heap." + name);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }
}
