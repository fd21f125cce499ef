import java.util.*;

/**
 * Who dominates whom among what roots reach, and how much each entry retains so.
 *
 * Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001): in the order of a walk depth first, turned round,
 * the dominator of an entry is the nearest common one of all that refer to it, until nothing changes.
 */
class Dominators {
    private final Set<HprofHeap.Entry> seen = new HashSet<>();
    private final Map<HprofHeap.Entry, Integer> places = new HashMap<>(); // in order
    private final List<HprofHeap.Entry> order = new ArrayList<>(); // each after what it leads to first
    private final int[] dominators; // by place; the last place stands for the roots together
    private final long[] entries, bytes; // retained, by place

    Dominators(List<HprofHeap.Entry> all) {
        for (HprofHeap.Entry entry : all) if (entry.isRoot) walk(entry);
        int top = order.size();
        List<List<Integer>> referring = new ArrayList<>();
        for (HprofHeap.Entry entry : order) referring.add(new ArrayList<>(entry.isRoot ? List.of(top) : List.of()));
        for (HprofHeap.Entry entry : order)
            for (HprofHeap.Entry to : entry.references) referring.get(places.get(to)).add(places.get(entry));
        dominators = new int[top + 1];
        Arrays.fill(dominators, -1);
        dominators[top] = top;
        for (boolean hasChanged = true; hasChanged; ) {
            hasChanged = false;
            for (int place = top - 1; place >= 0; place--) {
                int common = -1;
                for (int from : referring.get(place))
                    if (dominators[from] >= 0) common = common < 0 ? from : common(common, from);
                hasChanged |= dominators[place] != common;
                dominators[place] = common;
            }
        }
        entries = new long[top + 1];
        bytes = new long[top + 1];
        for (int place = 0; place < top; place++) { // an entry is left before its dominator
            entries[place]++;
            bytes[place] += order.get(place).bytes == null ? 0 : order.get(place).bytes;
            entries[dominators[place]] += entries[place];
            bytes[dominators[place]] += bytes[place];
        }
    }

    /** Adds to the order what an entry leads to, and then itself. A stack of its own: heaps are deeper than Java's. */
    private void walk(HprofHeap.Entry start) {
        Deque<HprofHeap.Entry> way = new ArrayDeque<>();
        Deque<Iterator<HprofHeap.Entry>> rest = new ArrayDeque<>();
        for (HprofHeap.Entry next = start; next != null || !way.isEmpty(); ) {
            if (next != null && seen.add(next)) {
                way.push(next);
                rest.push(next.references.iterator());
            }
            next = null;
            if (way.isEmpty()) break;
            if (rest.peek().hasNext()) {
                next = rest.peek().next();
                continue;
            }
            rest.pop();
            places.put(way.peek(), order.size());
            order.add(way.pop());
        }
    }

    /** The nearest place that dominates both: those of dominators are higher. */
    private int common(int one, int other) {
        while (one != other) {
            while (one < other) one = dominators[one];
            while (other < one) other = dominators[other];
        }
        return one;
    }

    /** The immediate dominator of an entry that roots reach; null if only the roots together dominate it. */
    HprofHeap.Entry of(HprofHeap.Entry entry) {
        int dominator = dominators[places.get(entry)];
        return dominator == order.size() ? null : order.get(dominator);
    }

    long retainedEntries(HprofHeap.Entry entry) { return entries[places.get(entry)]; }
    long retainedBytes(HprofHeap.Entry entry) { return bytes[places.get(entry)]; }
}
