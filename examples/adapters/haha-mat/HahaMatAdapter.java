import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.eclipse.mat.SnapshotException;
import org.eclipse.mat.parser.internal.SnapshotFactory;
import org.eclipse.mat.parser.model.ClassImpl;
import org.eclipse.mat.snapshot.ISnapshot;
import org.eclipse.mat.snapshot.SnapshotInfo;
import org.eclipse.mat.snapshot.model.Field;
import org.eclipse.mat.snapshot.model.FieldDescriptor;
import org.eclipse.mat.snapshot.model.GCRootInfo;
import org.eclipse.mat.snapshot.model.IClass;
import org.eclipse.mat.snapshot.model.IInstance;
import org.eclipse.mat.snapshot.model.IObject;
import org.eclipse.mat.snapshot.model.IObjectArray;
import org.eclipse.mat.snapshot.model.IPrimitiveArray;
import org.eclipse.mat.snapshot.model.ObjectReference;
import org.eclipse.mat.util.VoidProgressListener;

/** An adapter for the parser of Eclipse MAT in HAHA 1 (see README.md). */
public class HahaMatAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        // Java does not look at this variable by itself.
        if (System.getenv("TMPDIR") != null) {
            System.setProperty("java.io.tmpdir", System.getenv("TMPDIR"));
        }
        Adapter.serve(new HahaMatAdapter(List.of(arguments)));
    }

    private final List<String> facets = new ArrayList<>(List.of("identifier-size", "header-version", "time-stamp",
            "address", "kind", "class-name", "superclass", "loader", "fields", "statics", "class", "array-length",
            "field-values", "elements", "primitive-contents", "references"));

    private final String version;
    private final boolean withClasses;
    private final boolean withRoots;

    private HahaMatAdapter(List<String> arguments) {
        version = arguments.isEmpty() ? "" : arguments.get(0);
        withClasses = arguments.contains("--with-classes");
        withRoots = arguments.contains("--with-roots");
        if (withRoots) {
            facets.add("root-objects");
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "HAHA's Eclipse MAT", "version", version, "language", "Java",
                "reads", List.of("hprof"), "levels", List.of("listing", "answers"), "heaps", true, "facets", facets,
                "answers", HahaMatAnswers.PARTS, "readings", HahaMatAnswers.READINGS,
                "class_names", "java", "dangling", "told", "booleans", "0/1", "names", "text", "unnamed", "placeholder",
                // What it documents: "Only 32bit and 64bit dumps are supported."
                "identifier_sizes", List.of(4, 8),
                // A boot loader at the address 0, which may be a root then, and classes of arrays that are not there.
                "makes_up", List.of("classes", "null-objects", "null-roots"), "leaves_out", List.of("dangling-roots"));
    }

    private interface Question {
        void of(ISnapshot snapshot, MissingClasses missing) throws Exception;
    }

    @Override
    public void parse(Path dump, int index, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        // It else drops what no root reaches.
        ask(dump, index, Map.of("keep_unreachable_objects", "true"),
                (snapshot, missing) -> list(snapshot, missing, listing));
    }

    @Override
    public void analyse(Path dump, int index, Adapter.Listing answer) throws Adapter.Refusal, IOException {
        ask(dump, index, Map.of(), (snapshot, missing) -> HahaMatAnswers.answer(snapshot, missing, answer));
    }

    private void ask(Path dump, int index, Map<String, String> options, Question question)
            throws Adapter.Refusal, IOException {
        // The library keeps indexes beside the dump, so that every dump gets a place of its own.
        Path folder = Files.createTempDirectory("haha-mat");
        SnapshotFactory factory = new SnapshotFactory();
        ISnapshot snapshot = null;
        try {
            Path own = folder.resolve("dump.hprof");
            MissingClasses missing = withClasses ? MissingClasses.of(Files.readAllBytes(dump), index) : null;
            if (missing == null) {
                Files.createSymbolicLink(own, dump);
            } else {
                Files.write(own, missing.dump());
            }
            System.setProperty("MAT_HPROF_DUMP_NR", "" + index);
            snapshot = factory.openSnapshot(own.toFile(), options,
                    new VoidProgressListener() {
                        @Override
                        public void sendUserMessage(Severity severity, String message, Throwable exception) {
                            if (severity != Severity.INFO) {
                                Adapter.warn(exception == null ? message : message + ": " + exception);
                            }
                        }
                    });
            question.of(snapshot, missing);
        } catch (SnapshotException refusal) { // the one exception that openSnapshot documents
            throw refused(refusal);
        } catch (RuntimeException failure) {
            // The library's own rule: a SnapshotException in a RuntimeException is meant. Others it throws on.
            if (failure.getCause() instanceof SnapshotException) {
                throw refused((SnapshotException) failure.getCause());
            }
            throw failure;
        } catch (IOException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        } finally {
            if (snapshot != null) {
                factory.dispose(snapshot);
            }
            try (Stream<Path> all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
            }
        }
    }

    private static Adapter.Refusal refused(SnapshotException refusal) {
        return new Adapter.Refusal(String.valueOf(refusal.getMessage()));
    }

    private void list(ISnapshot snapshot, MissingClasses missing, Adapter.Listing listing) throws Exception {
        SnapshotInfo info = snapshot.getSnapshotInfo();
        // The time is unsigned in the dump.
        listing.line(Adapter.object("listing", 1, "identifier_size", info.getIdentifierSize(),
                "header_version", HEADERS.get(info.getProperty("hprof.version")),
                "time_stamp",
                new java.math.BigInteger(Long.toUnsignedString(info.getCreationDate().getTime()))));
        for (int id = 0; id < info.getNumberOfObjects(); id++) {
            IObject object = snapshot.getObject(id);
            if (missing == null || !missing.added(object.getObjectAddress())) {
                listing.line(line(object));
            }
        }
        if (withRoots) {
            for (int id : snapshot.getGCRoots()) {
                for (GCRootInfo root : snapshot.getGCRootInfo(id)) {
                    // These are none of the dump's: keep_unreachable_objects makes them.
                    if (root.getType() != GCRootInfo.Type.UNREACHABLE
                            && (missing == null || !missing.added(root.getObjectAddress()))) {
                        listing.line(Adapter.object("kind", "root", "root", KINDS.get(root.getType()), "object",
                                Adapter.hex(root.getObjectAddress()), "reference", 0, "thread", 0, "frame", 0,
                                "trace", 0));
                    }
                }
            }
            Roots.ofThreads(snapshot, root -> listing.line(Adapter.object("kind", "root", "root",
                    KINDS.get(root.getType()), "object", Adapter.hex(root.getObjectAddress()), "reference", 0,
                    "thread", 0, "frame", 0, "trace", 0)));
        }
    }

    /** The library's names of the versions that a header has. */
    private static final Map<Object, String> HEADERS = Map.of("JDK12BETA4", "1.0.1", "JDK6", "1.0.2",
            "ANDROID103", "1.0.3");

    private static final Map<Integer, String> KINDS = Map.of(GCRootInfo.Type.UNKNOWN, "unknown",
            GCRootInfo.Type.SYSTEM_CLASS, "sticky-class", GCRootInfo.Type.NATIVE_LOCAL, "jni-local",
            GCRootInfo.Type.NATIVE_STATIC, "jni-global", GCRootInfo.Type.THREAD_BLOCK, "thread-block",
            GCRootInfo.Type.BUSY_MONITOR, "monitor-used", GCRootInfo.Type.JAVA_LOCAL, "java-frame",
            GCRootInfo.Type.NATIVE_STACK, "native-stack", GCRootInfo.Type.THREAD_OBJ, "thread-object");

    private static Map<String, Object> line(IObject object) {
        String address = Adapter.hex(object.getObjectAddress());
        if (object instanceof IClass) {
            return line(address, (ClassImpl) object);
        }
        String type = Adapter.hex(object.getClazz().getObjectAddress());
        if (object instanceof IObjectArray) {
            List<Object> elements = new ArrayList<>();
            for (long element : ((IObjectArray) object).getReferenceArray()) {
                elements.add(Adapter.hex(element));
            }
            return Adapter.object("kind", "object-array", "address", address, "array_class", type,
                    "length", ((IObjectArray) object).getLength(), "elements", elements);
        }
        if (object instanceof IPrimitiveArray) {
            IPrimitiveArray array = (IPrimitiveArray) object;
            StringBuilder contents = new StringBuilder();
            Object values = array.getValueArray();
            for (int i = 0; i < java.lang.reflect.Array.getLength(values); i++) {
                contents.append(digits(java.lang.reflect.Array.get(values, i)));
            }
            return Adapter.object("kind", "primitive-array", "address", address, "element", type(array.getType()),
                    "length", array.getLength(), "contents", contents.toString());
        }
        List<Object> values = new ArrayList<>();
        for (Field field : ((IInstance) object).getFields()) {
            values.add(List.of(type(field.getType()), value(field.getValue())));
        }
        return Adapter.object("kind", "object", "address", address, "class", type, "values", values);
    }

    private static Map<String, Object> line(String address, ClassImpl type) {
        List<Object> fields = new ArrayList<>();
        for (FieldDescriptor field : type.getFieldDescriptors()) {
            fields.add(Adapter.object("name", field.getName(), "type", type(field.getType())));
        }
        List<Object> statics = new ArrayList<>();
        for (Field field : type.getStaticFields()) {
            statics.add(Adapter.object("name", field.getName(), "type", type(field.getType()),
                    "value", value(field.getValue())));
        }
        return Adapter.object("kind", "class", "address", address, "name", type.getName(),
                "super", Adapter.hex(type.getSuperClassAddress()),
                "loader", Adapter.hex(type.getClassLoaderAddress()), "fields", fields, "statics", statics);
    }

    private static final List<String> TYPES =
            List.of("object", "", "boolean", "char", "float", "double", "byte", "short", "int", "long");

    /** The library has the dump's own code for a type, also where it is none: told as an object's. */
    private static String type(int code) {
        return code >= 4 && code - 2 < TYPES.size() ? TYPES.get(code - 2) : "object";
    }

    private static String value(Object value) {
        if (value == null) {
            return "0x0";
        }
        return value instanceof ObjectReference ? Adapter.hex(((ObjectReference) value).getObjectAddress())
                : "0x" + digits(value);
    }

    private static String digits(Object value) {
        switch (value.getClass().getSimpleName()) {
            case "Boolean": return (Boolean) value ? "01" : "00";
            case "Character": return String.format("%04x", (int) (Character) value);
            case "Float": return String.format("%08x", Float.floatToRawIntBits((Float) value));
            case "Double": return String.format("%016x", Double.doubleToRawLongBits((Double) value));
            case "Byte": return String.format("%02x", (Byte) value);
            case "Short": return String.format("%04x", (Short) value);
            case "Integer": return String.format("%08x", (Integer) value);
            default: return String.format("%016x", (Long) value);
        }
    }
}
