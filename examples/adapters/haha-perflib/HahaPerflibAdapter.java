import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.squareup.haha.perflib.ArrayInstance;
import com.squareup.haha.perflib.ClassInstance;
import com.squareup.haha.perflib.ClassObj;
import com.squareup.haha.perflib.Field;
import com.squareup.haha.perflib.Heap;
import com.squareup.haha.perflib.HprofParser;
import com.squareup.haha.perflib.Instance;
import com.squareup.haha.perflib.RootObj;
import com.squareup.haha.perflib.RootType;
import com.squareup.haha.perflib.Snapshot;
import com.squareup.haha.perflib.Type;
import com.squareup.haha.perflib.io.MemoryMappedFileBuffer;

/** An adapter for perflib, the reader of heap dumps in HAHA 2 (see README.md). */
public class HahaPerflibAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.serve(new HahaPerflibAdapter(arguments.length > 0 ? arguments[0] : ""));
    }

    private static final List<String> FACETS = List.of("identifier-size", "address", "kind", "class-name", "superclass",
            "loader", "instance-size", "fields", "statics", "class", "array-length", "field-values", "elements",
            "primitive-contents", "references", "root-objects");

    private final String version;

    private HahaPerflibAdapter(String version) {
        this.version = version;
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "HAHA's perflib", "version", version, "language", "Java",
                "reads", List.of("hprof"), "levels", List.of("listing"), "facets", FACETS,
                // It looks references up, so that null is what it tells of one to nothing.
                "dangling", "null", "booleans", "0/1", "names", "text", "statics", "by-name", "unnamed", "absent");
    }

    @Override
    public void parse(Path dump, int index, Adapter.Listing listing) throws IOException {
        MemoryMappedFileBuffer buffer = new MemoryMappedFileBuffer(dump.toFile());
        Snapshot snapshot;
        PrintStream before = System.err;
        ByteArrayOutputStream caught = new ByteArrayOutputStream();
        System.setErr(new PrintStream(caught, true));
        try {
            snapshot = new HprofParser(buffer).parse();
        } finally {
            System.setErr(before);
        }
        // The parser catches every exception, prints it, and gives what it has until then. That print is the one sign.
        String printed = caught.toString();
        if (!printed.isEmpty()) {
            Adapter.warn(printed);
        }
        list(snapshot, listing, !printed.isEmpty());
    }

    private interface Line {
        Map<String, Object> get();
    }

    /** Of a snapshot that is not complete, what the library fails at is left out. */
    private static void list(Snapshot snapshot, Adapter.Listing listing, boolean incomplete) throws IOException {
        List<Line> lines = new ArrayList<>();
        for (Heap heap : snapshot.getHeaps()) {
            for (ClassObj type : heap.getClasses()) {
                lines.add(() -> line(type));
            }
            for (Instance instance : heap.getInstances()) {
                lines.add(() -> line(instance));
            }
        }
        for (RootObj root : snapshot.getGCRoots()) {
            lines.add(() -> Adapter.object("kind", "root", "root", kind(root.getRootType()), "object",
                    Adapter.hex(root.getUniqueId()), "reference", 0, "thread", 0, "frame", 0, "trace", 0));
        }
        Integer idSize = null;
        try {
            idSize = snapshot.getTypeSize(Type.OBJECT);
        } catch (RuntimeException none) {
            if (!incomplete) {
                throw none;
            }
        }
        listing.line(Adapter.object("listing", 1, "identifier_size", idSize));
        for (Line line : lines) {
            try {
                listing.line(line.get());
            } catch (RuntimeException none) {
                if (!incomplete) {
                    throw none;
                }
            }
        }
    }

    /** The library's names for the kinds that its parser makes of the tags of sub-records. */
    private static String kind(RootType type) {
        switch (type) {
            case NATIVE_STATIC: return "jni-global";
            case NATIVE_LOCAL: return "jni-local";
            case JAVA_LOCAL: return "java-frame";
            case SYSTEM_CLASS: return "sticky-class";
            case BUSY_MONITOR: return "monitor-used";
            case NATIVE_MONITOR: return "jni-monitor";
            default: return type.name().toLowerCase().replace('_', '-');
        }
    }

    private static Map<String, Object> line(ClassObj type) {
        List<Object> fields = new ArrayList<>();
        for (Field field : type.getFields()) {
            fields.add(Adapter.object("name", field.getName(), "type", name(field.getType())));
        }
        List<Object> statics = new ArrayList<>();
        for (Map.Entry<Field, Object> value : type.getStaticFieldValues().entrySet()) {
            Field field = value.getKey();
            statics.add(Adapter.object("name", field.getName(), "type", name(field.getType()),
                    "value", bits(field.getType(), value.getValue())));
        }
        return Adapter.object("kind", "class", "address", address(type), "name", type.getClassName(),
                "super", address(type.getSuperClassObj()), "loader", address(type.getClassLoader()),
                "instance_size", type.getInstanceSize(), "fields", fields, "statics", statics);
    }

    private static Map<String, Object> line(Instance instance) {
        if (instance instanceof ClassInstance) {
            List<Object> values = new ArrayList<>();
            for (ClassInstance.FieldValue value : ((ClassInstance) instance).getValues()) {
                Type type = value.getField().getType();
                values.add(List.of(name(type), bits(type, value.getValue())));
            }
            return Adapter.object("kind", "object", "address", address(instance), "class",
                    address(instance.getClassObj()), "values", values);
        }
        ArrayInstance array = (ArrayInstance) instance;
        Type type = array.getArrayType();
        Object[] values = array.getValues();
        if (type == Type.OBJECT) {
            List<Object> elements = new ArrayList<>();
            for (Object value : values) {
                elements.add(bits(type, value));
            }
            return Adapter.object("kind", "object-array", "address", address(array), "array_class",
                    address(array.getClassObj()), "length", values.length, "elements", elements);
        }
        StringBuilder contents = new StringBuilder();
        for (Object value : values) {
            contents.append(bits(type, value).substring(2));
        }
        return Adapter.object("kind", "primitive-array", "address", address(array), "element", name(type),
                "length", values.length, "contents", contents.toString());
    }

    /** The library has null for the type of a code that is none, and reads on: told as an object's. */
    private static String name(Type type) {
        return type == null ? "object" : type.name().toLowerCase();
    }

    private static String address(Instance instance) {
        return Adapter.hex(instance == null ? 0 : instance.getUniqueId());
    }

    /** The digits of a value, as many as its type has. */
    private static String bits(Type type, Object value) {
        switch (type) {
            case OBJECT: return address((Instance) value);
            case BOOLEAN: return (Boolean) value ? "0x01" : "0x00";
            case CHAR: return String.format("0x%04x", (int) (Character) value);
            case FLOAT: return String.format("0x%08x", Float.floatToRawIntBits((Float) value));
            case DOUBLE: return String.format("0x%016x", Double.doubleToRawLongBits((Double) value));
            case BYTE: return String.format("0x%02x", (Byte) value);
            case SHORT: return String.format("0x%04x", (Short) value);
            case INT: return String.format("0x%08x", (Integer) value);
            default: return String.format("0x%016x", (Long) value);
        }
    }
}
