import java.io.File;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

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

/** An adapter for the heap library of NetBeans' profiler (see README.md). */
public class NetBeansAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        // Java does not look at this variable by itself, and the library makes files of its own.
        if (System.getenv("TMPDIR") != null) {
            System.setProperty("java.io.tmpdir", System.getenv("TMPDIR"));
        }
        Adapter.serve(new NetBeansAdapter(List.of(arguments)));
    }

    private final List<String> facets = new ArrayList<>(List.of("time-stamp", "identifier-size", "header-version",
            "address", "kind", "class-name", "superclass", "loader", "instance-size", "fields", "statics", "class",
            "array-length", "field-values", "elements", "primitive-contents", "references", "root-objects"));

    private final String version;

    private NetBeansAdapter(List<String> arguments) {
        version = arguments.get(0);
        if (arguments.contains("--without-names")) {
            facets.removeAll(List.of("class-name", "fields", "statics"));
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "NetBeans' heap library", "version", version, "language", "Java",
                "reads", List.of("hprof"), "levels", List.of("listing"), "heaps", true, "facets", facets,
                // What getName of a class gives.
                "class_names", "java",
                // What is public has no reference but as an object, so that one to nothing is null.
                "dangling", "null",
                // Values are texts: true or false, and NaN.
                "booleans", "0/1", "nans", "any",
                // A name that is not there is told as <unknown string>.
                "unnamed", "placeholder");
    }

    @Override
    public void parse(Path dump, int index, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        // The library keeps a cache beside the dump and believes it, so that every dump gets a place of its own.
        Path folder = Files.createTempDirectory("netbeans");
        try {
            Path own = folder.resolve("dump.hprof");
            Files.createSymbolicLink(own, dump);
            Heap heap;
            try {
                heap = HeapFactory.createHeap(own.toFile(), index);
            } catch (IOException refusal) { // the one exception that it documents
                throw new Adapter.Refusal(refusal.getMessage());
            }
            list(heap, listing);
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    private static void list(Heap heap, Adapter.Listing listing) throws IOException {
        Object buffer = get("HprofHeap", "dumpBuffer", heap);
        List<GCRoot> roots = new ArrayList<>();
        for (Object root : heap.getGCRoots()) {
            roots.add((GCRoot) root);
        }
        listing.line(Adapter.object("listing", 1, "identifier_size",
                Integer.toUnsignedLong((int) get("HprofByteBuffer", "idSize", buffer)),
                "header_version", "1.0." + get("HprofByteBuffer", "version", buffer),
                // The library's summary has the time, too, but counts all objects before it tells it.
                "time_stamp", new BigInteger(Long.toUnsignedString((long) get("HprofByteBuffer", "time", buffer))),
                "roots", roots.size()));
        for (Object type : heap.getAllClasses()) {
            listing.line(line((JavaClass) type));
        }
        for (Iterator<?> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance instance = (Instance) all.next();
            // The library makes an instance of every class.
            if (!instance.getClass().getSimpleName().equals("ClassDumpInstance")) {
                listing.line(line(instance));
            }
        }
        for (GCRoot root : roots) {
            Instance instance = root.getInstance();
            listing.line(Adapter.object("kind", "root", "root",
                    root.getKind().toLowerCase(Locale.ROOT).replace(' ', '-'), "object",
                    // That of a root of nothing is not public.
                    Adapter.hex(instance != null ? instance.getInstanceId() : (long) call(ROOT_ID, root)),
                    // A listing has to have these, and they are not judged without the facet "roots".
                    "reference", "0x0", "thread", 0, "frame", 0, "trace", 0));
        }
    }

    private static Map<String, Object> line(JavaClass type) {
        List<Object> fields = new ArrayList<>();
        for (Object field : type.getFields()) {
            fields.add(Adapter.object("name", ((Field) field).getName(), "type", typeOf((Field) field)));
        }
        List<Object> statics = new ArrayList<>();
        for (Object each : type.getStaticFieldValues()) {
            FieldValue value = (FieldValue) each;
            // The library adds a field for the loader, which is none of the dump's.
            if (!value.getField().getName().equals("<classLoader>")) {
                statics.add(Adapter.object("name", value.getField().getName(), "type", typeOf(value.getField()),
                        "value", Adapter.hex(bits(value))));
            }
        }
        JavaClass parent = type.getSuperClass();
        return Adapter.object("kind", "class", "address", Adapter.hex(type.getJavaClassId()), "name", type.getName(),
                "super", Adapter.hex(parent == null ? 0 : parent.getJavaClassId()),
                "loader", Adapter.hex(id(type.getClassLoader())), "instance_size",
                Integer.toUnsignedLong((int) call(RAW_SIZE, type)),
                "fields", fields, "statics", statics);
    }

    private static Map<String, Object> line(Instance instance) {
        String address = Adapter.hex(instance.getInstanceId());
        String type = Adapter.hex(instance.getJavaClass().getJavaClassId());
        if (instance instanceof ObjectArrayInstance array) {
            List<Object> elements = new ArrayList<>();
            for (Object element : array.getValues()) {
                elements.add(Adapter.hex(id((Instance) element)));
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
        for (Object value : instance.getFieldValues()) {
            values.add(List.of(typeOf(((FieldValue) value).getField()), Adapter.hex(bits((FieldValue) value))));
        }
        return Adapter.object("kind", "object", "address", address, "class", type, "values", values);
    }

    private static long id(Instance instance) {
        return instance == null ? 0 : instance.getInstanceId();
    }

    /** The library has null for the type of a code that is none, and reads on: told as an object's. */
    private static String typeOf(Field field) {
        return field.getType() == null ? "object" : field.getType().getName();
    }

    private static long bits(FieldValue value) {
        return value instanceof ObjectFieldValue reference ? id(reference.getInstance())
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
    private static final Method RAW_SIZE = method("ClassDump", "getRawInstanceSize");

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
