import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** Collections that `samples.kdl` has as well, and a dump of them: `java Samples FILE`. */
public class Samples {
    static Object none = new HashMap<String, Object>();
    static Object one = texts(new HashMap<>(), 1);
    static Object twelve = texts(new HashMap<>(), 12);
    static Object thirteen = texts(new HashMap<>(), 13);
    static Object hundred = texts(new HashMap<>(), 100);
    static Object numbers = numbers();
    static Object mixed = mixed();
    static Object clash = clash();
    static Object again = again();
    static Object linked = texts(new LinkedHashMap<>(), 20);
    static Object concurrentNone = new ConcurrentHashMap<String, Object>();
    static Object concurrentEleven = texts(new ConcurrentHashMap<>(), 11);
    static Object concurrentTwelve = texts(new ConcurrentHashMap<>(), 12);
    static Object concurrentHundred = texts(new ConcurrentHashMap<>(), 100);
    static Object listNone = list(0);
    static Object listTen = list(10);
    static Object listEleven = list(11);
    static Object listHundred = list(100);
    static Object set = set(new HashSet<>(), 20);
    static Object linkedSet = set(new LinkedHashSet<>(), 5);
    static Object optional = Optional.of(new StringBuilder("a").append("b").toString());
    static Object[] boxes = {
        1, 127, 128, -129L, true, 'a', '\u00e9', 1.5f, 2.5, (byte) 3, (short) 4, 127, 127L, 3000000000L, '\u20ac', false
    };
    static Object text = new StringBuilder("Gr\u00f6\u00dfe \ud83d\ude00").toString();

    static Object texts(Map<String, Object> map, int count) {
        for (int i = 0; i < count; i++) {
            map.put("k" + i, i);
        }
        return map;
    }

    static Object numbers() {
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < 50; i++) {
            map.put(i * 1000, (long) i);
        }
        return map;
    }

    static Object mixed() {
        Map<Object, Object> map = new HashMap<>();
        map.put(null, 1);
        map.put(true, 2);
        map.put('c', 3);
        map.put(2.5, 4);
        map.put(3000000000L, 5);
        map.put(1.5f, 6);
        map.put("x" + map.size(), null);
        map.put("", 7);
        return map;
    }

    /** Keys of one hash: chains, and a table that grows because of one. */
    static Object clash() {
        String[] pairs = {"Aa", "BB"};
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            map.put(pairs[i & 1] + pairs[i >> 1 & 1] + pairs[i >> 2 & 1] + (i >> 3), i);
        }
        return map;
    }

    /** A key that is put twice keeps its place. */
    static Object again() {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("a" + 1, 1);
        map.put("b" + 1, 2);
        map.put("a" + 1, 3);
        return map;
    }

    static Object list(int count) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(i);
        }
        return list;
    }

    static Object set(Set<Object> set, int count) {
        for (int i = 0; i < count; i++) {
            set.add("e" + i);
        }
        return set;
    }

    public static void main(String[] arguments) throws Exception {
        new File(arguments[0]).delete();
        ManagementFactory.getPlatformMXBean(com.sun.management.HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
    }
}
