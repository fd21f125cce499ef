package toy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.heapsmith.junit.HeapSink;
import org.heapsmith.junit.Refusal;

/** A toy parser of HPROF: classes, objects and arrays, without names and values. It has one bug; yours takes its place. */
public class ToyParser {
    private final ByteBuffer data;
    private final int idSize;
    private final HeapSink heap;

    /** Begins to read a dump, whose classes, objects and arrays the sink takes. */
    public ToyParser(byte[] dump, HeapSink heap) throws Refusal {
        this.data = ByteBuffer.wrap(dump);
        this.heap = heap;
        String header = new String(dump, 0, Math.min(31, dump.length), StandardCharsets.ISO_8859_1);
        if (!header.matches("(?s)JAVA PROFILE 1[.]0[.][123]\0\0\0\0[\1\2\4\b].{8}")) {
            throw new Refusal("no HPROF header", 0);
        }
        idSize = header.charAt(22);
        data.position(31);
    }

    /** Reads the dump to its end. */
    public void parse() throws Refusal {
        while (data.hasRemaining()) {
            int tag = data.get();
            data.getInt();
            long end = (data.getInt() & 0xFFFF_FFFFL) + data.position();
            if (end > data.limit()) {
                throw new Refusal("the file ends inside a record", data.position() - 4);
            }
            data.limit((int) end);
            while ((tag == 0x0C || tag == 0x1C) && data.hasRemaining()) {
                subRecord(data.get() & 0xFF);
            }
            data.limit(data.capacity()).position((int) end);
        }
    }

    private void subRecord(int tag) throws Refusal {
        if (tag == 0x20) {
            classDump();
        } else if (tag == 0x21) {
            long address = id();
            data.getInt();
            heap.object(address, id());
            skip(data.getInt());
        } else if (tag == 0x22) {
            HeapSink.ObjectArrayLine array = heap.objectArray(id());
            data.getInt();
            long[] elements = new long[counted(data.getInt(), idSize)];
            array.arrayClass(id());
            for (int i = 0; i < elements.length; i++) {
                elements[i] = id();
            }
            array.elements(elements);
        } else if (tag == 0x23 || tag == 0xC3) { // Android's has no elements
            long address = id();
            data.getInt();
            int length = data.getInt();
            int type = data.get();
            if (type < 4 || type > 11) {
                throw new Refusal("an array of no primitive type", data.position() - 1);
            }
            HeapSink.PrimitiveArrayLine array = heap.primitiveArray(address,
                    "boolean char float double byte short int long".split(" ")[type - 4]).length(length & 0xFFFF_FFFFL);
            if (tag == 0x23) {
                byte[] elements = new byte[counted(length, width(type)) * width(type)];
                data.get(elements);
                array.bytes(elements);
            }
        } else {
            root(tag);
        }
    }

    private void classDump() throws Refusal {
        HeapSink.ClassLine line = heap.clazz(id());
        data.getInt();
        line.superclass(id());
        skip(5L * idSize + 4);
        for (int left = data.getShort() & 0xFFFF; left > 0; left--) {
            skip(2); // an entry of the constant pool
            skip(width(data.get()));
        }
        for (int left = data.getShort() & 0xFFFF; left > 0; left--) {
            id(); // the name of a static field
            skip(width(data.get()));
        }
        for (int left = data.getShort() & 0xFFFF; left > 0; left--) {
            id(); // the name of a field
            width(data.get());
        }
    }

    private void root(int tag) throws Refusal {
        switch (tag) {
            case 0x01: skip(2L * idSize); break;
            case 0x02: case 0x03: case 0x08: case 0x8E: skip(idSize + 8); break;
            case 0x04: case 0x06: case 0xFE: skip(idSize + 4); break;
            case 0x05: case 0x07: case 0x89: case 0x8A: case 0x8B: case 0x8C: case 0x8D: case 0x90: case 0xFF: skip(idSize); break;
            default: throw new Refusal("an unknown sub-record", data.position() - 1);
        }
    }

    private long id() {
        return idSize == 8 ? data.getLong() : idSize == 4 ? id4(data.getInt()) : idSize == 2 ? data.getShort() & 0xFFFF : data.get() & 0xFF;
    }

    /** THE BUG: identifiers are unsigned. With {@code id & 0xFFFF_FFFFL} this parser passes. */
    protected long id4(int id) {
        return id;
    }

    private int width(int type) throws Refusal {
        if (type < 2 || type == 3 || type > 11) {
            throw new Refusal("an unknown type", data.position() - 1);
        }
        return type == 2 ? idSize : 1 << (type & 3);
    }

    private int counted(int count, int width) throws Refusal {
        if ((count & 0xFFFF_FFFFL) * width > data.remaining()) {
            throw new Refusal("more elements than the record has room for");
        }
        return count;
    }

    private void skip(long bytes) throws Refusal {
        if (bytes < 0 || bytes > data.remaining()) {
            throw new Refusal("a length that the record has no room for");
        }
        data.position(data.position() + (int) bytes);
    }
}
