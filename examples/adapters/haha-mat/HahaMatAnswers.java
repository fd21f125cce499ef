import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.eclipse.mat.snapshot.ISnapshot;

/** What the library says of who keeps whom alive (specs/answers.md), as lines of an answer. */
class HahaMatAnswers {
    static final List<String> PARTS = List.of("reachability", "distances", "dominators", "retained", "paths");

    /** Which references its search follows (README.md). */
    static final Map<String, Object> READINGS = Adapter.object("answers.referents", "left-out",
            "answers.class-of-object", "counted", "answers.thread-locals", "of-thread",
            "answers.references-of-class", "superclass-loader-statics", "answers.class-of-class", "counted",
            "answers.class-objects", "entries");

    /** The snapshot has what roots reach, and nothing else. */
    static void answer(ISnapshot snapshot, MissingClasses missing, Adapter.Listing answer) throws Exception {
        for (int id = 0; id < snapshot.getSnapshotInfo().getNumberOfObjects(); id++) {
            long address = snapshot.mapIdToAddress(id);
            // The boot loader that the library makes up has the address 0.
            if (address != 0 && (missing == null || !missing.added(address))) {
                int dominator = snapshot.getImmediateDominatorId(id);
                List<Object> path = path(snapshot, id);
                answer.line(Adapter.object("address", Adapter.hex(address), "distance",
                        path == null ? null : path.size() - 1, "dominator",
                        dominator < 0 ? null : Adapter.hex(snapshot.mapIdToAddress(dominator)),
                        "retained", Adapter.object("bytes", snapshot.getRetainedHeapSize(id)),
                        "bytes", snapshot.getHeapSize(id), "path", path));
            }
        }
    }

    /** The first path that the library gives, which is a shortest one, turned round. */
    private static List<Object> path(ISnapshot snapshot, int id) throws Exception {
        int[] ids = snapshot.getPathsFromGCRoots(id, null).getNextShortestPath();
        if (ids == null) {
            return null;
        }
        List<Object> path = new ArrayList<>();
        for (int step : ids) {
            path.add(Adapter.hex(snapshot.mapIdToAddress(step)));
        }
        Collections.reverse(path);
        return path;
    }
}
