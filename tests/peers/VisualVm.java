import java.io.File;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;

/**
 * Reads an HPROF dump with VisualVM's heap library and prints what it found as one line of JSON (see
 * README.md).
 *
 * <p>A file with several dumps is read dump by dump, and the counts are added up.
 */
class VisualVm {
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: java -cp org-graalvm-visualvm-lib-jfluid-heap.jar VisualVm.java DUMP");
            System.exit(2);
        }
        // The library keeps a cache beside the dump and believes it, so the dump is given another place.
        Path folder = Files.createTempDirectory("peer-visualvm");
        // A hook, because a reader that never returns is ended from outside.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        try {
            Path link = folder.resolve("dump.hprof");
            Files.createSymbolicLink(link, Path.of(arguments[0]).toRealPath());
            System.out.println(new VisualVm().census(link.toFile()));
        } catch (Throwable failure) {
            System.err.println(oneLine(failure));
            System.exit(1);
        }
    }

    private final Map<String, Long> classes = new TreeMap<>();
    private long instances;
    private long objectArrays;
    private long primitiveArrays;
    private long roots;
    private long classDumps;
    private long fields;
    private long elements;

    private String census(File dump) throws Exception {
        int dumps = 1;
        for (int i = 0; i < dumps; i++) {
            Heap heap = HeapFactory.createHeap(dump, i);
            if (i == 0) {
                dumps = HeapFactory.getTotalNumberOfSegments(heap);
            }
            add(heap);
        }
        String counts = classes.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ":" + entry.getValue())
                .collect(Collectors.joining(",", "{", "}"));
        return String.format(
                "{\"peer\":\"visualvm\",\"classes\":%s,\"instances\":%d,\"object_arrays\":%d,\"primitive_arrays\":%d,"
                        + "\"roots\":%d,\"class_dumps\":%d,\"strings\":null,"
                        + "\"field_checksum\":\"%016x\",\"element_checksum\":\"%016x\"}",
                counts, instances, objectArrays, primitiveArrays, roots, classDumps, fields, elements);
    }

    private void add(Heap heap) throws Exception {
        roots += heap.getGCRoots().size();
        for (JavaClass type : heap.getAllClasses()) {
            classDumps++;
            if (type.getInstancesCount() != 0) {
                classes.merge(type.getName(), (long) type.getInstancesCount(), Long::sum);
            }
        }
        for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance instance = all.next();
            if (instance instanceof ObjectArrayInstance array) {
                objectArrays++;
                addElements(heap, array);
            } else if (instance instanceof PrimitiveArrayInstance array) {
                primitiveArrays++;
                addElements(heap, array);
            } else if (!instance.getClass().getSimpleName().equals("ClassDumpInstance")) {
                instances++;
                for (FieldValue value : instance.getFieldValues()) {
                    fields += bits(VALUE_OF_FIELD.invoke(value));
                }
            }
        }
    }

    private void addElements(Heap heap, ObjectArrayInstance array) throws Exception {
        Object buffer = BUFFER.get(heap);
        long offset = (long) OBJECT_ELEMENTS.invoke(array);
        for (int i = 0; i < array.getLength(); i++) {
            elements += bits(VALUE_AT.invoke(null, buffer, offset, (byte) 2));
            offset += (int) ID_SIZE.invoke(buffer);
        }
    }

    private void addElements(Heap heap, PrimitiveArrayInstance array) throws Exception {
        Object buffer = BUFFER.get(heap);
        byte type = (byte) PRIMITIVE_TYPE.invoke(array);
        int size = (int) SIZE_OF_TYPE.invoke(heap, type);
        long offset = (long) PRIMITIVE_ELEMENTS.invoke(array);
        for (int i = 0; i < array.getLength(); i++) {
            elements += bits(VALUE_AT.invoke(null, buffer, offset, type));
            offset += size;
        }
    }

    /** The library tells a boolean only as true or false, so any other byte than 0 counts as 1. */
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

    // What is public gives a dangling reference as null and a number as decimal text. What the library
    // itself reads is one step later.
    private static final String PACKAGE = "org.graalvm.visualvm.lib.jfluid.heap.";
    private static final Method VALUE_OF_FIELD = method("HprofInstanceValue", "getTypeValue");
    private static final Method VALUE_AT =
            method("HprofInstanceValue", "getTypeValue", type("HprofByteBuffer"), long.class, byte.class);
    private static final Method OBJECT_ELEMENTS = method("ObjectArrayDump", "getOffset");
    private static final Method PRIMITIVE_ELEMENTS = method("PrimitiveArrayDump", "getArrayStartOffset");
    private static final Method PRIMITIVE_TYPE = method("PrimitiveArrayDump", "getType");
    private static final Method SIZE_OF_TYPE = method("HprofHeap", "getValueSize", byte.class);
    private static final Method ID_SIZE = method("HprofByteBuffer", "getIDSize");
    private static final java.lang.reflect.Field BUFFER = buffer();

    private static Method method(String type, String name, Class<?>... parameters) {
        try {
            return open(type(type).getDeclaredMethod(name, parameters));
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static java.lang.reflect.Field buffer() {
        try {
            return open(type("HprofHeap").getDeclaredField("dumpBuffer"));
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static Class<?> type(String name) {
        try {
            return Class.forName(PACKAGE + name);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }

    private static String oneLine(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.toString().replace('\n', ' ');
        StackTraceElement[] trace = cause.getStackTrace();
        return trace.length == 0 ? message : message + " at " + trace[0];
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c < ' ' || c == '"' || c == '\\' || c > '~') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException failure) {
            System.err.println(failure);
        }
    }
}
