import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A copy of a dump with java.lang.Class and java.lang.ClassLoader, without which the library fails on every dump, where the
 * heap that is asked for lacks one of them. Nothing in the dump refers to them. They stand first in that heap.
 */
class MissingClasses {
    private final ByteBuffer dump;
    private final int idSize;
    private final Map<Long, String> texts = new HashMap<>();
    private final Map<Long, String> names = new HashMap<>();
    private final Set<String> dumped = new HashSet<>();
    private final Set<Long> ids = new HashSet<>();
    private final Set<Long> added = new HashSet<>();
    private int first = -1; // where the first dump record of the heap stands
    private int end; // where the heap ends
    private byte[] changed;

    private MissingClasses(byte[] bytes) {
        dump = ByteBuffer.wrap(bytes);
        while (dump.get() != 0) {
            // the header's text
        }
        idSize = dump.getInt();
        dump.getLong();
    }

    /** Null where nothing is to add, or where a class cannot be added: the library shall say what it makes of that. */
    static MissingClasses of(byte[] bytes, int heap) throws IOException {
        try {
            MissingClasses classes = new MissingClasses(bytes);
            return (classes.idSize == 4 || classes.idSize == 8) && classes.add(heap) ? classes : null;
        } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException damaged) {
            return null;
        }
    }

    byte[] dump() {
        return changed;
    }

    boolean added(long address) {
        return added.contains(address);
    }

    private boolean add(int heap) throws IOException {
        survey(heap);
        if (first < 0) {
            return false;
        }
        ByteArrayOutputStream tables = new ByteArrayOutputStream(), classes = new ByteArrayOutputStream();
        for (String name : new String[] {"java/lang/Class", "java/lang/ClassLoader"}) {
            if (!dumped.contains(name)) {
                added.add(type(tables, classes, name));
            }
        }
        if (added.isEmpty()) {
            return false;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(out);
        data.write(dump.array(), 0, first);
        data.write(tables.toByteArray());
        data.write(dump.array(), first, 5);
        data.writeInt(dump.getInt(first + 5) + classes.size());
        data.write(classes.toByteArray());
        data.write(dump.array(), first + 9, dump.array().length - first - 9);
        changed = out.toByteArray();
        return true;
    }

    /** Finds the heap, the classes of the two names that stand in it, and what could be an identifier. */
    private void survey(int heap) {
        int ended = 0;
        while (dump.remaining() >= 9) {
            int at = dump.position(), tag = dump.get();
            dump.getInt();
            int length = dump.getInt(), start = dump.position();
            boolean cut = length < 0 || length > dump.remaining();
            boolean skipped = tag != 1 && tag != 2 && tag != 0x0c && tag != 0x1c;
            if (cut && !skipped || tag == 1 && length < idSize || tag == 2 && length < 8 + 2 * idSize) {
                throw new IllegalArgumentException("damaged");
            }
            int next = cut ? dump.limit() : start + length;
            if (tag == 1) {
                long id = id();
                texts.put(id, new String(dump.array(), dump.position(), next - dump.position(),
                        StandardCharsets.ISO_8859_1));
            } else if (tag == 2) {
                dump.getInt();
                long id = id();
                dump.getInt();
                names.put(id, texts.getOrDefault(id(), "").replace('.', '/'));
            } else if (tag == 0x0c || tag == 0x1c) {
                if (ended == heap) {
                    first = first < 0 ? at : first;
                    end = next;
                }
                ended += tag == 0x0c ? 1 : 0;
            } else if (tag == 0x2c) {
                ended++;
            }
            dump.position(next);
        }
        // Every run of as many bytes as an identifier has counts as one that is taken, and a class of one of the two names
        // as dumped where 0x20 and its identifier stand in the heap.
        for (int at = 0; at + idSize <= dump.limit(); at++) {
            long id = idSize == 8 ? dump.getLong(at) : dump.getInt(at) & 0xFFFFFFFFL;
            ids.add(id);
            if (first >= 0 && at > first + 9 && at < end && dump.get(at - 1) == 0x20 && names.containsKey(id)) {
                dumped.add(names.get(id));
            }
        }
    }

    private long id() {
        return idSize == 8 ? dump.getLong() : dump.getInt() & 0xFFFFFFFFL;
    }

    private long unused() {
        long free = 0x7EEEE000L;
        while (!ids.add(free)) {
            free += 16;
        }
        return free;
    }

    private long type(ByteArrayOutputStream tables, ByteArrayOutputStream classes, String name) throws IOException {
        long text = unused(), address = unused();
        DataOutputStream data = new DataOutputStream(tables);
        data.writeByte(1);
        data.writeInt(0);
        data.writeInt(idSize + name.length());
        id(data, text);
        data.writeBytes(name);
        data.writeByte(2);
        data.writeInt(0);
        data.writeInt(8 + 2 * idSize);
        data.writeInt((int) text); // a serial number that no other class is likely to have
        id(data, address);
        data.writeInt(0);
        id(data, text);
        DataOutputStream record = new DataOutputStream(classes);
        record.writeByte(0x20);
        id(record, address);
        record.writeInt(0);
        record.write(new byte[6 * idSize + 4 + 6]); // references, the instance size, and three counts: all 0
        return address;
    }

    private void id(DataOutputStream data, long id) throws IOException {
        if (idSize == 8) {
            data.writeLong(id);
        } else {
            data.writeInt((int) id);
        }
    }
}
