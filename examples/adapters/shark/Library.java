import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import kotlin.jvm.JvmClassMappingKt;
import shark.CloseableHeapGraph;
import shark.FileSourceProvider;
import shark.HeapGraph;
import shark.HeapObject.HeapClass;
import shark.HeapObject.HeapInstance;
import shark.HeapObject.HeapObjectArray;
import shark.HprofHeader;
import shark.HprofHeapGraph;
import shark.HprofPrimitiveArrayStripper;
import shark.HprofRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.FieldRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord.StaticFieldRecord;
import shark.HprofRecordTag;
import shark.HprofWriter;
import shark.OnHprofRecordListener;
import shark.StreamingHprofReader;
import shark.StreamingRecordReaderAdapter;

/** What the versions of Shark have under different names: here of 2.14 and 3.0-alpha-8. older/ has that of 2.4. */
class Library implements Closeable {
    /** What the graph of this version tells and that of an older one does not. */
    static final List<String> MORE_FACETS = List.of("fields", "record-order");

    final String version;
    final int idSize;
    final long time;
    private final File dump;
    private final HprofHeader header;
    private CloseableHeapGraph graph;

    Library(File dump) throws IOException {
        this.dump = dump;
        header = HprofHeader.Companion.parseHeaderOf(dump);
        version = header.getVersion().getVersionString();
        idSize = header.getIdentifierByteSize();
        time = header.getHeapDumpTimestamp();
    }

    void read(OnHprofRecordListener listener) throws IOException {
        StreamingHprofReader reader = StreamingHprofReader.Companion.readerFor(dump, header);
        StreamingRecordReaderAdapter.Companion.asStreamingRecordReader(reader)
                .readRecords(Set.of(JvmClassMappingKt.getKotlinClass(HprofRecord.class)), listener);
    }

    HeapGraph graph() throws IOException {
        // Every kind of root: by default the library leaves out those that do not matter for leaks.
        EnumSet<HprofRecordTag> roots = HprofRecordTag.Companion.getRootTags();
        graph = HprofHeapGraph.Companion.openHeapGraph(new FileSourceProvider(dump), null, roots);
        return graph;
    }

    @Override
    public void close() throws IOException {
        if (graph != null) {
            graph.close();
        }
    }

    HprofWriter writer(File out) throws IOException {
        return HprofWriter.Companion.openWriterFor(out, header);
    }

    static void strip(File dump, File out) {
        new HprofPrimitiveArrayStripper().stripPrimitiveArrays(dump, out);
    }

    static List<StaticFieldRecord> statics(HeapClass type) {
        return type.readRecordStaticFields();
    }

    static List<FieldRecord> fields(HeapClass type) {
        return type.readRecordFields();
    }

    static String fieldName(HeapClass type, FieldRecord field) {
        return type.instanceFieldName(field);
    }

    static long classId(HeapInstance instance) {
        return instance.getInstanceClassId();
    }

    static long classId(HeapObjectArray array) {
        return array.getArrayClassId();
    }

    /** The place of an object in the file, from 0. */
    static Integer place(HeapGraph graph, long id) {
        return graph.findHeapDumpIndex(id) - 1;
    }
}
