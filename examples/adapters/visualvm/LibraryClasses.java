import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A dump with the classes of the Java library without which VisualVM's says nothing of any object, where the dump lacks
 * them: those of java.lang.ref, which it looks for before it looks for a path; and for identifiers of 8 bytes one whose
 * static fields tell how wide references were in the virtual machine. Nothing refers to them, and no root keeps them.
 */
class LibraryClasses {
    private static final String REFERENCE = "java/lang/ref/Reference";
    private static final List<String> KINDS = List.of("java/lang/ref/WeakReference", "java/lang/ref/SoftReference",
            "java/lang/ref/FinalReference", "java/lang/ref/PhantomReference");
    private static final String WIDTHS = "java/util/concurrent/FutureTask";

    private final ByteBuffer dump;
    private final int idSize;
    private final Map<Long, String> texts = new HashMap<>();
    private final Map<String, Long> classes = new HashMap<>();
    private final Set<Long> ids = new HashSet<>();
    private int heap = -1; // where the first record of a heap stands
    private long free; // the next identifier that is not used

    private LibraryClasses(byte[] bytes) {
        dump = ByteBuffer.wrap(bytes);
        while (dump.get() != 0) {} // the header's text
        idSize = dump.getInt();
        dump.getLong();
    }

    /** The dump, or the same bytes where the classes are there, or where they cannot be added. */
    static byte[] added(byte[] bytes) throws IOException {
        try {
            LibraryClasses dump = new LibraryClasses(bytes);
            return dump.idSize == 4 || dump.idSize == 8 ? dump.added() : bytes;
        } catch (RuntimeException damaged) { // the library shall say what it makes of that
            return bytes;
        }
    }

    private byte[] added() throws IOException {
        survey();
        if (heap < 0) {
            return dump.array();
        }
        ByteArrayOutputStream tables = new ByteArrayOutputStream(), dumped = new ByteArrayOutputStream();
        Long base = classes.get(REFERENCE);
        if (base == null) {
            base = type(tables, dumped, REFERENCE, 0, List.of(), List.of("referent"));
        }
        for (String kind : KINDS) {
            if (!classes.containsKey(kind)) {
                type(tables, dumped, kind, base, List.of(), List.of());
            }
        }
        if (idSize == 8 && !classes.containsKey(WIDTHS)) {
            type(tables, dumped, WIDTHS, 0, List.of("runnerOffset", "waitersOffset"), List.of());
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(dump.array(), 0, heap);
        out.write(tables.toByteArray());
        // The classes come first in the first record of a heap, whose length grows.
        DataOutputStream data = new DataOutputStream(out);
        data.write(dump.array(), heap, 5);
        data.writeInt(dump.getInt(heap + 5) + dumped.size());
        data.write(dumped.toByteArray());
        data.write(dump.array(), heap + 9, dump.array().length - heap - 9);
        return out.toByteArray();
    }

    /** Finds the classes, the first record of a heap, and what could be an identifier. */
    private void survey() {
        while (dump.remaining() >= 9) {
            int at = dump.position(), tag = dump.get();
            dump.getInt();
            int end = Math.addExact(dump.getInt(), dump.position());
            if (tag == 1) {
                long id = id();
                texts.put(id, new String(dump.array(), dump.position(), end - dump.position(), StandardCharsets.UTF_8));
            } else if (tag == 2) {
                dump.getInt();
                long id = id();
                dump.getInt();
                String name = texts.getOrDefault(id(), "").replace('.', '/');
                if (name.equals(REFERENCE) || name.equals(WIDTHS) || KINDS.contains(name)) {
                    classes.put(name, id);
                }
            } else if ((tag == 0x0c || tag == 0x1c) && heap < 0) {
                heap = at;
            }
            dump.position(end);
        }
        // Every run of as many bytes as an identifier has counts as one that is taken.
        for (int at = 0; at + idSize <= dump.limit(); at++) {
            ids.add(idSize == 8 ? dump.getLong(at) : dump.getInt(at) & 0xFFFFFFFFL);
        }
        free = 0x7EEEE000L;
    }

    private long id() {
        return idSize == 8 ? dump.getLong() : dump.getInt() & 0xFFFFFFFFL;
    }

    private long unused() {
        do {
            free += 16;
        } while (ids.contains(free));
        return free;
    }

    private void id(DataOutputStream data, long id) throws IOException {
        if (idSize == 8) {
            data.writeLong(id);
        } else {
            data.writeInt((int) id);
        }
    }

    private long text(ByteArrayOutputStream tables, String text) throws IOException {
        DataOutputStream data = new DataOutputStream(tables);
        long id = unused();
        data.write(1);
        data.writeInt(0);
        data.writeInt(idSize + text.length());
        id(data, id);
        data.writeBytes(text);
        return id;
    }

    /** Adds a class with static fields of type long, with the values 0, 8, ..., and others for references. */
    private long type(ByteArrayOutputStream tables, ByteArrayOutputStream dumped, String name, long base,
            List<String> statics, List<String> fields) throws IOException {
        long text = text(tables, name), id = unused();
        DataOutputStream data = new DataOutputStream(tables);
        data.write(2);
        data.writeInt(0);
        data.writeInt(8 + 2 * idSize);
        data.writeInt((int) id); // its serial number
        id(data, id);
        data.writeInt(0);
        id(data, text);
        data = new DataOutputStream(dumped);
        data.write(0x20);
        id(data, id);
        data.writeInt(0);
        id(data, base);
        data.write(new byte[5 * idSize]);
        data.writeInt(idSize * fields.size());
        data.writeShort(0); // no constants
        data.writeShort(statics.size());
        for (int i = 0; i < statics.size(); i++) {
            id(data, text(tables, statics.get(i)));
            data.write(11);
            data.writeLong(8 * i);
        }
        data.writeShort(fields.size());
        for (String field : fields) {
            id(data, text(tables, field));
            data.write(2);
        }
        return id;
    }
}
