import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import shark.HprofRecord;
import shark.HprofRecord.HeapDumpRecord.GcRootRecord;
import shark.HprofRecord.HeapDumpRecord.HeapDumpInfoRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.FieldRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.StaticFieldRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.InstanceDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ObjectArrayDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord;
import shark.HprofRecord.LoadClassRecord;
import shark.HprofRecord.StackFrameRecord;
import shark.HprofRecord.StackTraceRecord;
import shark.HprofRecord.StringRecord;

/**
 * What the library's record reader tells, as a listing. Names stand in records of their own, which are looked up here,
 * as a user has to; the last record with an identifier counts.
 */
class Records {
    static final Map<String, Object> HELLO = Adapter.object("reads", List.of("hprof"), "levels", List.of("listing"),
            "facets", List.of("identifier-size", "header-version", "time-stamp", "address", "kind", "class-name",
                    "superclass", "loader", "signers", "protection-domain", "instance-size", "fields", "statics",
                    "class-serial", "class-trace", "class", "array-length", "elements", "primitive-contents",
                    "object-trace", "roots", "stack-traces", "regions", "record-order", "root-order"),
            "readings", Adapter.object("hprof.several-heaps", "joined", "hprof.unpatched-length", "empty",
                    "hprof.repeated-string", "last", "hprof.string-0", "string", "hprof.regions", "as-stated",
                    "hprof.repeated-class", "every-record", "hprof.repeated-object", "every-record"),
            // The library tells a boolean only as true or false, and texts as Java's strings.
            "booleans", "0/1", "names", "text");

    private final Library library;
    private final Values values;
    private final Map<Long, String> texts = new HashMap<>();
    private final Map<Integer, LoadClassRecord> classes = new HashMap<>();
    private final Map<Long, LoadClassRecord> loaded = new HashMap<>();
    private final Map<Long, StackFrameRecord> frames = new HashMap<>();
    private final Map<Integer, StackTraceRecord> traces = new LinkedHashMap<>();
    private final List<Map<String, Object>> lines = new ArrayList<>();
    /** Lines that need names, which can come later in the file. */
    private final List<Runnable> later = new ArrayList<>();
    private int place;

    Records(Library library) {
        this.library = library;
        values = new Values(library.idSize);
    }

    void list(Adapter.Listing listing) throws IOException {
        library.read((position, record) -> add(record));
        later.forEach(Runnable::run);
        for (StackTraceRecord trace : traces.values()) {
            lines.add(line(trace));
        }
        listing.line(values.head(library));
        for (Map<String, Object> line : lines) {
            listing.line(line);
        }
    }

    private void add(HprofRecord record) {
        if (record instanceof StringRecord text) {
            texts.put(text.getId(), text.getString());
        } else if (record instanceof LoadClassRecord type) {
            LoadClassRecord own = new LoadClassRecord(type.getClassSerialNumber(), type.getId(),
                    type.getStackTraceSerialNumber(), type.getClassNameStringId()); // 2.4 uses one again and again
            classes.put(own.getClassSerialNumber(), own);
            loaded.put(own.getId(), own);
        } else if (record instanceof StackFrameRecord frame) {
            frames.put(frame.getId(), frame);
        } else if (record instanceof StackTraceRecord trace) {
            traces.put(trace.getStackTraceSerialNumber(), trace);
        } else if (record instanceof GcRootRecord root) {
            Map<String, Object> line = values.root(root.getGcRoot());
            line.put("after", place);
            lines.add(line);
        } else if (record instanceof HeapDumpInfoRecord info) {
            Map<String, Object> line = Adapter.object("kind", "region", "id", Values.unsigned(info.getHeapId()),
                    "after", place);
            lines.add(line);
            later.add(() -> line.put("name", name(info.getHeapNameStringId())));
        } else if (record instanceof ClassDumpRecord type) {
            Map<String, Object> line = values.line(type);
            line.put("record", place++);
            lines.add(line);
            later.add(() -> names(type, line));
        } else if (record instanceof InstanceDumpRecord instance) {
            lines.add(Adapter.object("kind", "object", "address", values.id(instance.getId()), "record", place++,
                    "class", values.id(instance.getClassId()),
                    "trace", Values.unsigned(instance.getStackTraceSerialNumber())));
        } else if (record instanceof ObjectArrayDumpRecord array) {
            List<Object> elements = new ArrayList<>();
            for (long element : array.getElementIds()) {
                elements.add(values.id(element));
            }
            lines.add(Adapter.object("kind", "object-array", "address", values.id(array.getId()), "record", place++,
                    "array_class", values.id(array.getArrayClassId()), "length", elements.size(),
                    "trace", Values.unsigned(array.getStackTraceSerialNumber()), "elements", elements));
        } else if (record instanceof PrimitiveArrayDumpRecord array) {
            Map<String, Object> line = values.line(array);
            line.put("record", place++);
            lines.add(line);
        }
    }

    private String name(long id) {
        return texts.getOrDefault(id, "");
    }

    private void names(ClassDumpRecord type, Map<String, Object> line) {
        LoadClassRecord load = loaded.get(type.getId());
        line.put("name", load == null ? "" : name(load.getClassNameStringId()));
        if (load != null) {
            line.put("serial", Values.unsigned(load.getClassSerialNumber()));
        }
        List<Object> fields = new ArrayList<>();
        for (FieldRecord field : type.getFields()) {
            fields.add(Adapter.object("name", name(field.getNameStringId()), "type", Values.type(field.getType())));
        }
        List<Object> statics = new ArrayList<>();
        for (StaticFieldRecord field : type.getStaticFields()) {
            statics.add(Adapter.object("name", name(field.getNameStringId()), "type", Values.type(field.getType()),
                    "value", values.bits(field.getValue())));
        }
        line.put("fields", fields);
        line.put("statics", statics);
    }

    private Map<String, Object> line(StackTraceRecord trace) {
        List<Object> listed = new ArrayList<>();
        for (long id : trace.getStackFrameIds()) {
            StackFrameRecord frame = frames.get(id);
            if (frame != null) {
                LoadClassRecord type = classes.get(frame.getClassSerialNumber());
                listed.add(Adapter.object("method", name(frame.getMethodNameStringId()),
                        "signature", name(frame.getMethodSignatureStringId()),
                        "source", name(frame.getSourceFileNameStringId()),
                        "class", type == null ? null : values.id(type.getId()), "line", frame.getLineNumber()));
            }
        }
        return Adapter.object("kind", "trace", "serial", Values.unsigned(trace.getStackTraceSerialNumber()),
                "thread", Values.unsigned(trace.getThreadSerialNumber()), "frames", listed);
    }
}
