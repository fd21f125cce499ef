import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import shark.GcRoot;
import shark.HeapField;
import shark.HeapGraph;
import shark.HeapObject;
import shark.HeapObject.HeapClass;
import shark.HeapObject.HeapInstance;
import shark.HeapObject.HeapObjectArray;
import shark.HeapObject.HeapPrimitiveArray;
import shark.HeapValue;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.FieldRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.StaticFieldRecord;

/** What the library's graph tells, as a listing. */
class Graph {
    private static final List<String> FACETS = List.of("identifier-size", "header-version", "time-stamp", "address",
            "kind", "class-name", "superclass", "loader", "signers", "protection-domain", "instance-size", "statics",
            "class-trace", "class", "array-length", "field-values", "elements", "primitive-contents", "references",
            "object-trace", "string-text", "roots");

    static final Map<String, Object> HELLO = Adapter.object("reads", List.of("hprof"), "levels", List.of("listing"),
            "facets", facets(), "class_names", "java", "readings", Adapter.object("hprof.several-heaps", "joined",
                    "hprof.unpatched-length", "empty", "hprof.repeated-string", "last", "hprof.string-0", "string",
                    "hprof.undeclared-bytes", "raw", "hprof.surplus-bytes", "declared-fields",
                    "hprof.array-class", "array"),
            // The library documents that it leaves out roots of null, and sticky classes that it had already.
            "leaves_out", List.of("null-roots"), "roots", "once",
            // The library tells a boolean only as true or false, and texts as Java's strings.
            "booleans", "0/1", "names", "text");

    /** The place of one object is found by a walk over all of them: not in dumps with more. */
    private static final int MOST_PLACES = 3000;

    private final Library library;
    private final Values values;
    private final HeapGraph graph;
    private final boolean places;

    Graph(Library library) throws IOException {
        this.library = library;
        values = new Values(library.idSize);
        graph = library.graph();
        places = Library.MORE_FACETS.contains("record-order") && hasPlaces();
    }

    private static List<String> facets() {
        List<String> facets = new ArrayList<>(FACETS);
        facets.addAll(Library.MORE_FACETS);
        return facets;
    }

    void list(Adapter.Listing listing, boolean texts) throws IOException {
        Map<String, Object> head = values.head(library);
        if (!places) {
            head.put("omits", List.of("record-order"));
        }
        listing.line(head);
        for (Iterator<HeapClass> all = graph.getClasses().iterator(); all.hasNext();) {
            listing.line(placed(line(all.next())));
        }
        for (Iterator<HeapInstance> all = graph.getInstances().iterator(); all.hasNext();) {
            listing.line(placed(line(all.next(), texts)));
        }
        for (Iterator<HeapObjectArray> all = graph.getObjectArrays().iterator(); all.hasNext();) {
            listing.line(placed(line(all.next())));
        }
        for (Iterator<HeapPrimitiveArray> all = graph.getPrimitiveArrays().iterator(); all.hasNext();) {
            listing.line(placed(values.line(all.next().readRecord())));
        }
        // The library has one of several sticky classes that are equal: so it is done with all here.
        Set<Map<String, Object>> roots = new LinkedHashSet<>();
        for (GcRoot root : graph.getGcRoots()) {
            roots.add(values.root(root));
        }
        for (Map<String, Object> root : roots) {
            listing.line(root);
        }
    }

    /** Whether the places can be told: of several objects with one identifier the library tells the place of one. */
    private boolean hasPlaces() {
        Set<Long> seen = new HashSet<>();
        for (Iterator<HeapObject> all = graph.getObjects().iterator(); all.hasNext();) {
            if (!seen.add(all.next().getObjectId()) || seen.size() > MOST_PLACES) {
                return false;
            }
        }
        return true;
    }

    private Map<String, Object> placed(Map<String, Object> line) {
        if (places) {
            long bits = Long.parseUnsignedLong(((String) line.get("address")).substring(2), 16);
            int unused = 64 - 8 * library.idSize;
            line.put("record", Library.place(graph, bits << unused >> unused)); // with the sign, as the library has it
        }
        return line;
    }

    private Map<String, Object> line(HeapClass type) {
        ClassDumpRecord record = type.readRecord();
        Map<String, Object> line = values.line(record);
        line.put("address", values.id(type.getObjectId()));
        line.put("instance_size", Values.unsigned(type.getInstanceByteSize()));
        line.put("name", named(type::getName));
        HeapClass parent = found(type::getSuperclass);
        if (parent != null) {
            line.put("super", values.id(parent.getObjectId()));
        }
        List<Object> fields = new ArrayList<>();
        for (FieldRecord field : Library.fields(type)) {
            fields.add(Adapter.object("name", named(() -> Library.fieldName(type, field)),
                    "type", Values.type(field.getType())));
        }
        if (Library.MORE_FACETS.contains("fields")) {
            line.put("fields", fields);
        }
        List<Object> statics = new ArrayList<>();
        Iterator<HeapField> names = type.readStaticFields().iterator();
        for (StaticFieldRecord field : Library.statics(type)) {
            statics.add(Adapter.object("name", named(() -> names.next().getName()),
                    "type", Values.type(field.getType()), "value", values.bits(field.getValue())));
        }
        line.put("statics", statics);
        return line;
    }

    private Map<String, Object> line(HeapInstance instance, boolean texts) {
        Map<String, Object> line = Adapter.object("kind", "object", "address", values.id(instance.getObjectId()),
                "class", values.id(Library.classId(instance)),
                "trace", Values.unsigned(instance.readRecord().getStackTraceSerialNumber()));
        // Without a class or one of its superclasses the library does not say how the bytes are laid out.
        if (found(() -> chain(instance)) == null) {
            line.put("raw", HexFormat.of().formatHex(instance.readRecord().getFieldValues()));
            return line;
        }
        List<Object> fields = new ArrayList<>();
        for (Iterator<HeapField> all = instance.readFields().iterator(); all.hasNext();) {
            HeapValue value = all.next().getValue();
            fields.add(List.of(Values.type(value.getHolder()), values.bits(value.getHolder())));
        }
        line.put("values", fields);
        if (texts) {
            String text = named(() -> found(instance::readAsJavaString));
            if (text != null && !(text.isEmpty() && named(instance::getInstanceClassName).isEmpty())) {
                line.put("text", text);
            }
        }
        return line;
    }

    private static Object chain(HeapInstance instance) {
        Iterator<HeapClass> all = instance.getInstanceClass().getClassHierarchy().iterator();
        HeapClass last = null;
        while (all.hasNext()) {
            last = all.next();
        }
        return last;
    }

    private Map<String, Object> line(HeapObjectArray array) {
        List<Object> elements = new ArrayList<>();
        for (Iterator<HeapValue> all = array.readElements().iterator(); all.hasNext();) {
            elements.add(values.id(all.next().getAsObjectId()));
        }
        return Adapter.object("kind", "object-array", "address", values.id(array.getObjectId()),
                "array_class", values.id(Library.classId(array)), "length", elements.size(),
                "trace", Values.unsigned(array.readRecord().getStackTraceSerialNumber()), "elements", elements);
    }

    /** A name; "" where the library throws because the dump has none. */
    private static String named(Supplier<String> name) {
        try {
            return name.get();
        } catch (IllegalArgumentException none) {
            if (none.getMessage().startsWith("Hprof string ") || none.getMessage().startsWith("Unknown key ")) {
                return "";
            }
            throw none;
        }
    }

    /** What a reference leads to; null where the library throws because the dump does not have it. */
    private static <T> T found(Supplier<T> what) {
        try {
            return what.get();
        } catch (IllegalArgumentException none) { // documented by findObjectById
            if (none.getMessage().endsWith(" not found in heap dump.")) {
                return null;
            }
            throw none;
        }
    }
}
