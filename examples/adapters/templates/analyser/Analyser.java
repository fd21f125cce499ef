import java.io.IOException;
import java.nio.file.Path;
import java.util.*;

/**
 * An analyser that speaks the adapter protocol: a template for Java 11 and later, compiled together with Adapter.java. It says
 * who is reachable, who keeps whom alive, what each object retains, and a way from a root to it (specs/answers.md), and
 * counts objects by class.
 *
 * Put your library in the place of {@link HprofHeap} and {@link Dominators}, and leave out of hello what it has no answer to.
 */
public class Analyser implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.serve(new Analyser());
    }

    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "template", "version", "1", "language", "Java", "reads", List.of("hprof"),
                "levels", List.of("counts", "answers"), "heaps", true,
                // Every part that is named here is required in the line of each class and object that roots reach.
                "answers", List.of("reachability", "distances", "dominators", "retained-entries", "retained", "paths",
                        "sizes"), // leave out "sizes" if yours are not those of the dump, but with headers, say
                "counts", List.of("histogram", "histogram-bytes"),
                // Which references count: these are the defaults (heapsmith adapter readings).
                "readings", Adapter.object("answers.referents", "left-out", "answers.class-of-object", "counted",
                        "answers.thread-locals", "roots", "answers.references-of-class", "all",
                        "answers.class-of-class", "left-out", "answers.class-roots", "recorded",
                        "answers.class-objects", "entries"));
    }

    /** A line for each class and object that roots reach; what has no line is not reachable. */
    public void analyse(Path dump, int heap, Adapter.Listing answer) throws Adapter.Refusal, IOException {
        List<HprofHeap.Entry> entries = HprofHeap.read(dump, heap).entries(); // YOUR LIBRARY GOES HERE
        Map<HprofHeap.Entry, HprofHeap.Entry> before = nearest(entries);
        Dominators dominators = new Dominators(entries);
        for (HprofHeap.Entry entry : before.keySet()) {
            List<Object> path = path(before, entry);
            HprofHeap.Entry dominator = dominators.of(entry);
            answer.line(Adapter.object("address", Adapter.hex(entry.address), "distance", path.size() - 1,
                    "dominator", dominator == null ? null : Adapter.hex(dominator.address),
                    "retained", Adapter.object("entries", dominators.retainedEntries(entry),
                            "bytes", dominators.retainedBytes(entry)),
                    "bytes", entry.bytes, "path", path));
        }
    }

    /** Objects and their bytes by the name of the class; objects of a class without a name are left out. */
    public Map<String, Object> count(Path dump, int heap) throws Adapter.Refusal, IOException {
        Map<Object, long[]> rows = new LinkedHashMap<>();
        for (HprofHeap.Entry object : HprofHeap.read(dump, heap).objects()) {
            if (object.className == null) continue;
            long[] row = rows.computeIfAbsent(object.className, name -> new long[2]);
            row[0]++;
            row[1] += object.bytes == null ? 0 : object.bytes;
        }
        List<Object> histogram = new ArrayList<>();
        rows.forEach((name, row) -> histogram.add(Adapter.object("class", name, "objects", row[0], "bytes", row[1])));
        return Adapter.object("histogram", histogram);
    }

    /** For each entry that roots reach the one before it on a shortest path, null for what a root keeps: breadth first. */
    private static Map<HprofHeap.Entry, HprofHeap.Entry> nearest(List<HprofHeap.Entry> entries) {
        Map<HprofHeap.Entry, HprofHeap.Entry> before = new LinkedHashMap<>();
        Deque<HprofHeap.Entry> queue = new ArrayDeque<>();
        for (HprofHeap.Entry entry : entries) {
            if (!entry.isRoot) continue;
            before.put(entry, null);
            queue.add(entry);
        }
        while (!queue.isEmpty()) {
            HprofHeap.Entry from = queue.remove();
            for (HprofHeap.Entry to : from.references) {
                if (before.containsKey(to)) continue;
                before.put(to, from);
                queue.add(to);
            }
        }
        return before;
    }

    private static List<Object> path(Map<HprofHeap.Entry, HprofHeap.Entry> before, HprofHeap.Entry entry) {
        LinkedList<Object> path = new LinkedList<>();
        for (HprofHeap.Entry at = entry; at != null; at = before.get(at)) path.addFirst(Adapter.hex(at.address));
        return path;
    }
}
