import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.openjdk.jol.heap.HeapDumpException;
import org.openjdk.jol.heap.HeapDumpReader;
import org.openjdk.jol.info.ClassData;
import org.openjdk.jol.util.Multiset;

/** An adapter for the heap dump reader of JOL, which counts (see README.md). */
public class JolAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.refuse(HeapDumpException.class);
        Adapter.serve(new JolAdapter(List.of(arguments)));
    }

    private final List<String> counts =
            new ArrayList<>(List.of("classes", "instances", "object-arrays", "primitive-arrays"));
    private final String version;

    private JolAdapter(List<String> arguments) {
        version = arguments.get(0);
        if (arguments.contains("--with-histogram")) {
            counts.add("histogram");
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "JOL's heap dump reader", "version", version, "language", "Java",
                "reads", List.of("hprof"), "levels", List.of("counts"), "counts", counts,
                "identifier_sizes", List.of("4", "8"));
    }

    @Override
    public Map<String, Object> count(Path dump, int heap) throws Adapter.Refusal, IOException {
        Counter counter = new Counter(dump);
        Multiset<ClassData> all;
        try {
            all = counter.parse();
        } catch (HeapDumpException refusal) { // the one exception that it declares besides IOException
            throw new Adapter.Refusal(refusal.getMessage());
        }
        long objectArrays = 0;
        Map<String, Long> byName = new LinkedHashMap<>();
        for (ClassData type : all.keys()) {
            if (type == null) {
                continue; // instances whose class the library has not met: it counts them, and says no more of them
            }
            String name = type.isArray() ? type.arrayClass() : type.name();
            if (type.isArray() && name.equals("Object[]")) { // all arrays of objects; others are of primitive types
                objectArrays += all.count(type);
            }
            if (name != null) {
                byName.merge(name, all.count(type), Long::sum);
            }
        }
        List<Object> histogram = new ArrayList<>();
        byName.forEach((name, objects) -> histogram.add(Adapter.object("class", name, "objects", objects)));
        return Adapter.object("counts", Adapter.object("classes", counter.classes, "instances", counter.instances,
                "object-arrays", objectArrays, "primitive-arrays", counter.primitiveArrays), "histogram", histogram);
    }

    private static class Counter extends HeapDumpReader {
        private int classes;
        private int instances;
        private int primitiveArrays;

        Counter(Path dump) throws IOException {
            super(dump.toFile());
        }

        @Override
        protected void visitClass(long id, String name, List<Integer> oopIdx, int oopSize) {
            classes++;
        }

        @Override
        protected void visitInstance(long id, long klassID, byte[] bytes) {
            instances++;
        }

        @Override
        protected void visitPrimArray(long id, String componentType, int count, byte[] bytes) {
            primitiveArrays++;
        }
    }
}
