import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import shark.HprofRecord.HeapDumpEndRecord;
import shark.HprofWriter;

/** An adapter for the libraries of LeakCanary's Shark (see README.md): the first argument says for which of them. */
public class SharkAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.serve(new SharkAdapter(List.of(arguments)));
    }

    /** What the record reader and the writer of the library document as ignored: the writer's dumps cannot have it. */
    private static final List<String> IGNORED = List.of("constant-pool", "threads", "dump-times", "unloads",
            "allocation-sites", "heap-summaries", "cpu-samples", "control-settings", "unknown-records", "events");

    private final String part;
    private final String version;
    private final List<String> without;

    private SharkAdapter(List<String> arguments) {
        part = arguments.get(0);
        version = arguments.get(1);
        without = arguments.subList(2, arguments.size());
        if (!List.of("records", "graph", "strip", "write").contains(part)) {
            throw new IllegalArgumentException("one of records, graph, strip and write, not " + part);
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        String name = Map.of("records", "Shark's record reader", "graph", "Shark's heap graph",
                "strip", "Shark's array stripper", "write", "Shark's writer").get(part);
        Map<String, Object> hello = Adapter.object("name", name, "version", version, "language", "Kotlin");
        if (part.equals("records") || part.equals("graph")) {
            hello.putAll(part.equals("records") ? Records.HELLO : Graph.HELLO);
            List<Object> facets = new ArrayList<>((List<?>) hello.get("facets"));
            facets.removeAll(without);
            hello.put("facets", facets);
        } else {
            List<String> loses = new ArrayList<>(IGNORED);
            if (part.equals("strip")) {
                loses.addAll(List.of("primitive-contents", "string-text"));
            }
            loses.addAll(without);
            // The library tells a boolean only as true or false.
            hello.put("converts", List.of(Adapter.object("from", "hprof", "to", "hprof", "loses", loses,
                    "booleans", "0/1", "names", "text")));
        }
        return hello;
    }

    @Override
    public void parse(Path dump, int heap, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        try (Library library = new Library(dump.toFile())) {
            if (part.equals("records")) {
                new Records(library).list(listing);
            } else {
                new Graph(library).list(listing, !without.contains("string-text"));
            }
        } catch (IOException | RuntimeException failure) {
            throw refusal(failure);
        }
    }

    @Override
    public void convert(Path dump, String from, String to, Path out) throws Adapter.Refusal, IOException {
        try {
            if (part.equals("strip")) {
                Library.strip(dump.toFile(), out.toFile());
                return;
            }
            try (Library library = new Library(dump.toFile()); HprofWriter writer = library.writer(out.toFile())) {
                library.read((position, record) -> {
                    // The writer makes these itself, as it says where it refuses them.
                    if (!(record instanceof HeapDumpEndRecord)) {
                        writer.write(record);
                    }
                });
            }
        } catch (IOException | RuntimeException failure) {
            throw refusal(failure);
        }
    }

    /**
     * The library documents one exception, and has texts about the dump in some others that it throws itself. What
     * comes from elsewhere, such as an index that is out of bounds, is no refusal.
     */
    private static Adapter.Refusal refusal(Exception failure) {
        boolean own = failure.getStackTrace().length > 0
                && failure.getStackTrace()[0].getClassName().startsWith("shark.")
                && (failure.getClass() == IllegalArgumentException.class
                        || failure.getClass() == IllegalStateException.class
                        || failure.getClass() == UnsupportedOperationException.class);
        if (own || failure instanceof IOException) {
            return new Adapter.Refusal(failure.getStackTrace()[0] + ": " + failure);
        }
        throw (RuntimeException) failure;
    }
}
