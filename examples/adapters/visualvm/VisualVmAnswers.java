import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
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
            "answers.class-roots", "recorded");

    static void answer(Heap heap, Adapter.Listing answer) throws IOException {
        List<Instance> entries = new ArrayList<>();
        for (JavaClass type : heap.getAllClasses()) {
            Instance instance = heap.getInstanceByID(type.getJavaClassId());
            if (instance != null) {
                entries.add(instance);
            }
        }
        for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance instance = all.next();
            if (!instance.getClass().getSimpleName().equals("ClassDumpInstance")) {
                entries.add(instance);
            }
        }
        for (Instance entry : entries) {
            List<Object> path = path(entry);
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
    private static List<Object> path(Instance entry) {
        List<Object> path = new ArrayList<>();
        for (Instance step = entry; step != null; step = step.getNearestGCRootPointer()) {
            path.add(Adapter.hex(step.getInstanceId()));
            if (step.isGCRoot()) {
                Collections.reverse(path);
                return path;
            }
        }
        return List.of();
    }
}
