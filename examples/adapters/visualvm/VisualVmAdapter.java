import java.io.File;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
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
import java.util.Map;
import java.util.stream.Stream;

import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;

/** An adapter for VisualVM's heap library (see README.md). */
public class VisualVmAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        // Java does not look at this variable by itself, and the library makes files of its own.
        if (System.getenv("TMPDIR") != null) {
            System.setProperty("java.io.tmpdir", System.getenv("TMPDIR"));
        }
        Adapter.serve(new VisualVmAdapter(List.of(arguments)));
    }

    private final List<String> facets = new ArrayList<>(List.of("time-stamp", "address", "kind", "class-name",
            "superclass", "loader", "fields", "statics", "class", "array-length", "field-values", "elements",
            "primitive-contents", "references"));

    private final boolean withClasses;

    private VisualVmAdapter(List<String> arguments) {
        withClasses = arguments.contains("--with-classes");
        if (arguments.contains("--without-names")) {
            facets.removeAll(List.of("class-name", "fields", "statics"));
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "VisualVM's heap library", "version", "2.1.5", "language", "Java",
                "reads", List.of("hprof"), "levels", List.of("listing", "answers"), "heaps", true, "facets", facets,
                "answers", VisualVmAnswers.PARTS, "readings", VisualVmAnswers.READINGS,
                // The library tells a boolean only as true or false.
                "booleans", "0/1");
    }

    @Override
    public void parse(Path dump, int index, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        ask(dump, index, null, heap -> list(heap, listing));
    }

    @Override
    public void analyse(Path dump, int index, Adapter.Listing answer) throws Adapter.Refusal, IOException {
        byte[] changed = withClasses ? LibraryClasses.added(Files.readAllBytes(dump)) : null;
        ask(dump, index, changed, heap -> VisualVmAnswers.answer(heap, answer));
    }

    private interface Question {
        void of(Heap heap) throws Adapter.Refusal, IOException;
    }

    private static void ask(Path dump, int index, byte[] changed, Question question)
            throws Adapter.Refusal, IOException {
        // The library keeps a cache beside the dump and believes it, so that every dump gets a place of its own.
        Path folder = Files.createTempDirectory("visualvm");
        try {
            Path own = folder.resolve("dump.hprof");
            if (changed == null) {
                Files.createSymbolicLink(own, dump);
            } else {
                Files.write(own, changed);
            }
            Heap heap;
            try {
                heap = HeapFactory.createHeap(own.toFile(), index);
            } catch (IOException refusal) { // the one exception that it documents
                throw new Adapter.Refusal(refusal.getMessage());
            }
            question.of(heap);
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    private static void list(Heap heap, Adapter.Listing listing) throws IOException {
        // The library's summary has the time, too, but fails where a dump has no java.lang.System.
        listing.line(Adapter.object("listing", 1, "time_stamp",
                new BigInteger(Long.toUnsignedString((long) call(TIME, buffer(heap))))));
        for (JavaClass type : heap.getAllClasses()) {
            listing.line(line(type));
        }
        for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance instance = all.next();
            // The library makes an instance of every class. An object whose class it does not find is none at all.
            if (!instance.getClass().getSimpleName().equals("ClassDumpInstance")) {
                listing.line(line(heap, instance));
            }
        }
    }

    private static Map<String, Object> line(JavaClass type) {
        List<Object> fields = new ArrayList<>();
        for (var field : type.getFields()) {
            if (!field.isStatic()) {
                fields.add(Adapter.object("name", text(field.getName()), "type", typeOf(field)));
            }
        }
        List<Object> statics = new ArrayList<>();
        for (FieldValue value : type.getStaticFieldValues()) {
            // The library adds a field for the loader, which is none of the dump's.
            if (!value.getField().getName().equals("<classLoader>")) {
                Object bits = call(value instanceof ObjectFieldValue ? STATIC_REFERENCE : STATIC_VALUE, value);
                statics.add(Adapter.object("name", text(value.getField().getName()),
                        "type", typeOf(value.getField()), "value", Adapter.hex(bits(bits))));
            }
        }
        JavaClass parent = type.getSuperClass();
        return Adapter.object("kind", "class", "address", Adapter.hex(type.getJavaClassId()),
                "name", text((String) call(NAME, call(LOAD_CLASS, type))),
                "super", Adapter.hex(parent == null ? 0 : parent.getJavaClassId()),
                "loader", Adapter.hex((long) call(LOADER, type)), "fields", fields, "statics", statics);
    }

    /** The library has a text of its own for what has no name in the dump. */
    private static String text(String name) {
        return name.matches("<unresolved string 0x[0-9a-f]+>") ? "" : name;
    }

    /** The library has null for the type of a code that is none, and reads on: told as an object's. */
    private static String typeOf(org.graalvm.visualvm.lib.jfluid.heap.Field field) {
        return field.getType() == null ? "object" : field.getType().getName();
    }

    private static Map<String, Object> line(Heap heap, Instance instance) {
        String address = Adapter.hex(instance.getInstanceId());
        String type = Adapter.hex(instance.getJavaClass().getJavaClassId());
        if (instance instanceof ObjectArrayInstance array) {
            List<Object> elements = new ArrayList<>();
            long offset = (long) call(OBJECT_ELEMENTS, array);
            int size = (int) call(ID_SIZE, buffer(heap));
            for (int i = 0; i < array.getLength(); i++, offset += size) {
                elements.add(Adapter.hex((long) call(VALUE_AT, null, buffer(heap), offset, (byte) 2)));
            }
            return Adapter.object("kind", "object-array", "address", address, "array_class", type,
                    "length", array.getLength(), "elements", elements);
        }
        if (instance instanceof PrimitiveArrayInstance array) {
            byte code = (byte) call(PRIMITIVE_TYPE, array);
            int size = (int) call(SIZE_OF_TYPE, heap, code);
            long offset = (long) call(PRIMITIVE_ELEMENTS, array);
            StringBuilder contents = new StringBuilder();
            for (int i = 0; i < array.getLength(); i++, offset += size) {
                long bits = bits(call(VALUE_AT, null, buffer(heap), offset, code));
                contents.append(HexFormat.of().toHexDigits(bits, 2 * size));
            }
            return Adapter.object("kind", "primitive-array", "address", address, "element", ELEMENTS.get(code - 4),
                    "length", array.getLength(), "contents", contents.toString());
        }
        List<Object> values = new ArrayList<>();
        for (FieldValue value : instance.getFieldValues()) {
            values.add(List.of(typeOf(value.getField()), Adapter.hex(bits(call(INSTANCE_VALUE, value)))));
        }
        return Adapter.object("kind", "object", "address", address, "class", type, "values", values);
    }

    private static final List<String> ELEMENTS =
            List.of("boolean", "char", "float", "double", "byte", "short", "int", "long");

    /** The library tells a boolean only as true or false. */
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

    // What is public gives a reference to nothing as null, a number as decimal text, and the name of a class in another
    // form than the dump's. What the library itself reads is one step further.
    private static final Method INSTANCE_VALUE = method("HprofInstanceValue", "getTypeValue");
    private static final Method STATIC_VALUE = method("HprofFieldValue", "getTypeValue");
    private static final Method STATIC_REFERENCE = method("HprofFieldObjectValue", "getInstanceID");
    private static final Method VALUE_AT =
            method("HprofInstanceValue", "getTypeValue", type("HprofByteBuffer"), long.class, byte.class);
    private static final Method OBJECT_ELEMENTS = method("ObjectArrayDump", "getOffset");
    private static final Method PRIMITIVE_ELEMENTS = method("PrimitiveArrayDump", "getArrayStartOffset");
    private static final Method PRIMITIVE_TYPE = method("PrimitiveArrayDump", "getType");
    private static final Method SIZE_OF_TYPE = method("HprofHeap", "getValueSize", byte.class);
    private static final Method ID_SIZE = method("HprofByteBuffer", "getIDSize");
    private static final Method TIME = method("HprofByteBuffer", "getTime");
    private static final Method LOAD_CLASS = method("ClassDump", "getLoadClass");
    private static final Method LOADER = method("ClassDump", "getClassLoaderId");
    private static final Method NAME = method("LoadClass", "getVMName");

    private static Object buffer(Heap heap) {
        try {
            Field buffer = type("HprofHeap").getDeclaredField("dumpBuffer");
            return open(buffer).get(heap);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Object call(Method method, Object on, Object... arguments) {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException failure) { // the library's own
            throw failure.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(failure);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Method method(String type, String name, Class<?>... parameters) {
        try {
            return open(type(type).getDeclaredMethod(name, parameters));
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName("org.graalvm.visualvm.lib.jfluid.heap." + name);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }
}
