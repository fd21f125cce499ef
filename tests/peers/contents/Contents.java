import java.io.File;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import kotlin.sequences.Sequence;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.profiler.heapwalk.details.api.DetailsSupport;
import shark.CloseableHeapGraph;
import shark.HeapField;
import shark.HeapObject.HeapInstance;
import shark.HeapObject.HeapObjectArray;
import shark.HeapValue;
import shark.HprofHeapGraph;
import shark.HprofRecordTag;
import shark.internal.ChainingInstanceReferenceReader.VirtualInstanceReferenceReader;
import shark.internal.OpenJdkInstanceRefReaders;
import shark.internal.Reference;

/**
 * Reads what the static fields of the class Samples hold in an HPROF dump, and prints them as one line of JSON (see contents.py).
 *
 * <p>LeakCanary's Shark finds keys, values and elements of collections by its own readers of the JDK's; VisualVM says the text of each
 * object, and the number of elements, by its own providers of details.
 */
class Contents {
    private final CloseableHeapGraph graph;
    private final Heap heap;
    private final List<VirtualInstanceReferenceReader> readers = new ArrayList<>();

    private Contents(File dump) throws Exception {
        graph = HprofHeapGraph.Companion.openHeapGraph(dump, null, HprofRecordTag.Companion.getRootTags());
        heap = HeapFactory.createHeap(dump);
        for (OpenJdkInstanceRefReaders known : OpenJdkInstanceRefReaders.values()) {
            VirtualInstanceReferenceReader reader = known.create(graph);
            if (reader != null) {
                readers.add(reader);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(new Contents(new File(arguments[0])).samples());
    }

    private String samples() {
        Map<String, String> samples = new TreeMap<>();
        for (HeapField field : all(graph.findClassByName("Samples").readStaticFields())) {
            if (field.getValue().isNonNullReference()) {
                samples.put(quoted(field.getName()), sample(field.getValue()));
            }
        }
        return json(samples);
    }

    private String sample(HeapValue value) {
        if (value.getAsObject() instanceof HeapObjectArray array) {
            List<String> elements = new ArrayList<>();
            for (HeapValue element : all(array.readElements())) {
                elements.add(shown(element.getAsObjectId()));
            }
            return json(Map.of("\"elements\"", elements.toString()));
        }
        HeapInstance instance = value.getAsObject().getAsInstance();
        Map<String, String> sample = new TreeMap<>();
        sample.put("\"class\"", quoted(instance.getInstanceClassName()));
        sample.put("\"self\"", shown(instance.getObjectId()));
        for (VirtualInstanceReferenceReader reader : readers) {
            if (reader.matches(instance)) {
                boolean isMap = instance.getInstanceClassName().endsWith("Map");
                sample.put(isMap ? "\"entries\"" : "\"elements\"", references(instance, reader, isMap));
            }
        }
        HeapField inner = instance.get("java.util.Optional", "value");
        if (inner != null) {
            sample.put("\"elements\"", "[" + shown(inner.getValue().getAsObjectId()) + "]");
        }
        return json(sample);
    }

    /** A key is a reference with the name "key()", which that of its value follows; a null is no reference. */
    private String references(HeapInstance instance, VirtualInstanceReferenceReader reader, boolean isMap) {
        List<String> shown = new ArrayList<>();
        String key = null;
        for (Reference reference : all(reader.read(instance))) {
            String to = shown(reference.getValueObjectId());
            String name = reference.getLazyDetailsResolver().resolve().getName();
            if (!isMap) {
                shown.add(to);
            } else if (name.equals("key()")) {
                if (key != null) {
                    shown.add("[" + key + ",null]");
                }
                key = to;
            } else {
                shown.add("[" + key + "," + to + "]");
                key = null;
            }
        }
        if (key != null) {
            shown.add("[" + key + ",null]");
        }
        return shown.toString();
    }

    /** The class of an object, VisualVM's text of it, and Shark's one of a String, or an order's id. */
    private String shown(Long id) {
        if (id == null || id == 0) {
            return "null";
        }
        Instance instance = heap.getInstanceByID(id);
        List<String> shown = new ArrayList<>();
        shown.add(quoted(instance.getJavaClass().getName()));
        shown.add(quoted(DetailsSupport.getDetailsString(instance)));
        HeapInstance other = graph.findObjectById(id).getAsInstance();
        HeapField number = other == null ? null : other.get("shop.Order", "id");
        shown.add(quoted(number != null ? number.getValue().getAsInt().toString() : other == null ? null : other.readAsJavaString()));
        return shown.toString();
    }

    private static <T> Iterable<T> all(Sequence<? extends T> sequence) {
        return () -> {
            @SuppressWarnings("unchecked")
            Iterator<T> iterator = (Iterator<T>) sequence.iterator();
            return iterator;
        };
    }

    private static String json(Map<String, String> members) {
        List<String> shown = new ArrayList<>();
        members.forEach((name, value) -> shown.add(name + ":" + value));
        return "{" + String.join(",", shown) + "}";
    }

    private static String quoted(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            quoted.append(c < ' ' || c == '"' || c == '\\' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return quoted.append('"').toString();
    }
}
