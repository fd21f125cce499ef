import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import kotlin.jvm.JvmClassMappingKt;
import kotlin.reflect.KClass;
import shark.GcRoot;
import shark.HeapGraph;
import shark.HeapObject.HeapClass;
import shark.HeapObject.HeapInstance;
import shark.HeapObject.HeapObjectArray;
import shark.Hprof;
import shark.HprofHeapGraph;
import shark.HprofPrimitiveArrayStripper;
import shark.HprofRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.FieldRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.StaticFieldRecord;
import shark.HprofWriter;
import shark.OnHprofRecordListener;

/** What the versions of Shark have under different names: here of 2.4. */
class Library implements Closeable {
    static final List<String> MORE_FACETS = List.of();

    final String version;
    final int idSize;
    final long time;
    private final File dump;
    private final Hprof hprof;

    Library(File dump) throws IOException {
        this.dump = dump;
        hprof = Hprof.Companion.open(dump);
        version = hprof.getHprofVersion().getVersionString();
        idSize = hprof.getReader().getIdentifierByteSize();
        time = hprof.getHeapDumpTimestamp();
    }

    void read(OnHprofRecordListener listener) throws IOException {
        try (Hprof once = Hprof.Companion.open(dump)) {
            once.getReader().readHprofRecords(Set.of(JvmClassMappingKt.getKotlinClass(HprofRecord.class)), listener);
        }
    }

    HeapGraph graph() throws IOException {
        Set<KClass<? extends GcRoot>> roots = new HashSet<>();
        for (Class<?> kind : GcRoot.class.getDeclaredClasses()) {
            if (GcRoot.class.isAssignableFrom(kind)) {
                roots.add(JvmClassMappingKt.getKotlinClass(kind.asSubclass(GcRoot.class)));
            }
        }
        return HprofHeapGraph.Companion.indexHprof(hprof, null, roots);
    }

    @Override
    public void close() {
        hprof.close();
    }

    HprofWriter writer(File out) throws IOException {
        return HprofWriter.Companion.open(out, idSize, hprof.getHprofVersion());
    }

    static void strip(File dump, File out) {
        new HprofPrimitiveArrayStripper().stripPrimitiveArrays(dump, out);
    }

    static List<StaticFieldRecord> statics(HeapClass type) {
        return type.readRecord().getStaticFields();
    }

    static List<FieldRecord> fields(HeapClass type) {
        return List.of();
    }

    static String fieldName(HeapClass type, FieldRecord field) {
        return null;
    }

    static long classId(HeapInstance instance) {
        return instance.readRecord().getClassId();
    }

    static long classId(HeapObjectArray array) {
        return array.readRecord().getArrayClassId();
    }

    static Integer place(HeapGraph graph, long id) {
        return null;
    }
}
