import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;

/** What the library says of who keeps whom alive (specs/answers.md), as lines of an answer. */
class VisualVmAnswers {
    static final List<String> PARTS = List.of("reachability", "distances", "retained", "paths");

    /** Which references its search follows (README.md). */
    static final Map<String, Object> READINGS = Adapter.object("answers.referents", "left-out",
            "answers.class-of-object", "of-instances", "answers.thread-locals", "roots",
            "answers.references-of-class", "loader-statics", "answers.class-of-class", "counted",
            "answers.class-roots", "recorded", "answers.class-objects", "entries");

    static void answer(Heap heap, Adapter.Listing answer) throws IOException {
        Map<Long, Instance> entries = new LinkedHashMap<>(); // one of each identifier
        for (JavaClass type : heap.getAllClasses()) {
            Instance instance = heap.getInstanceByID(type.getJavaClassId());
            if (instance != null) {
                entries.putIfAbsent(instance.getInstanceId(), instance);
            }
        }
        for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance instance = all.next();
            if (!instance.getClass().getSimpleName().equals("ClassDumpInstance")) {
                entries.putIfAbsent(instance.getInstanceId(), instance);
            }
        }
        Map<Long, Long> pointers = new HashMap<>();
        for (Instance entry : entries.values()) {
            Instance pointer = entry.isGCRoot() ? null : entry.getNearestGCRootPointer();
            if (entry.isGCRoot() || pointer != null) {
                pointers.put(entry.getInstanceId(), entry.isGCRoot() ? null : (Long) pointer.getInstanceId());
            }
        }
        for (Instance entry : entries.values()) {
            List<Object> path = path(entry.getInstanceId(), pointers);
            if (!path.isEmpty()) {
                answer.line(line(entry, path));
            }
        }
    }

    private static Map<String, Object> line(Instance entry, List<Object> path) {
        long retained = entry.getRetainedSize();
        return Adapter.object("address", Adapter.hex(entry.getInstanceId()), "distance", path.size() - 1,
                // -1 is no size.
                "retained", Adapter.object("bytes", retained < 0 ? null : retained), "bytes", entry.getSize(),
                "path", path);
    }

    /** The way that the library shows from an object to its nearest root, turned round; empty where there is none. */
    private static List<Object> path(Long entry, Map<Long, Long> pointers) {
        List<Object> path = new ArrayList<>();
        for (Long step = entry; step != null; step = pointers.get(step)) {
            if (!pointers.containsKey(step)) {
                return List.of();
            }
            path.add(Adapter.hex(step));
        }
        Collections.reverse(path);
        return path;
    }
}
