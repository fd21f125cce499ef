import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import java.util.zip.*;

/** The classes and objects of one heap of an HPROF dump, and who refers to whom: the example of Analyser. Throw it away. */
class HprofHeap {
    /** A class or an object. */
    static class Entry {
        final long address;
        Long bytes; // as the dump records it; null where it does not
        Object className; // of an object; null for a class, and where the class has no name
        boolean isRoot;
        final List<Entry> references = new ArrayList<>();

        private final List<Long> to = new ArrayList<>(); // addresses
        private long type; // address of the class
        private byte[] values; // of an instance

        private Entry(long address) { this.address = address; }
    }

    /** What a class declares, and where it refers to. */
    private static class ClassRecord {
        Entry entry;
        long superclass, instanceSize;
        final List<long[]> fields = new ArrayList<>(); // identifier of the name, type
    }

    /** Sizes in bytes by the code of a type; a reference has that of an identifier. */
    private static final Map<Integer, Integer> SIZES = Map.of(4, 1, 5, 2, 6, 4, 7, 8, 8, 1, 9, 2, 10, 4, 11, 8);
    private static final List<String> ARRAYS = List.of("boolean[]", "char[]", "float[]", "double[]", "byte[]",
            "short[]", "int[]", "long[]"); // by the code, from 4
    private static final int REFERENCE = 2, UNREACHABLE = 0x90;
    /** Other fields of a root than its object: i for an identifier, digits for bytes. */
    private static final Map<Integer, String> ROOTS = new HashMap<>();
    static {
        String[] roots = "ff= 1=i 2=44 3=44 4=4 5= 6=4 7= 8=44 89= 8a= 8b= 8c= 8d= 8e=44 90=".split(" ");
        for (String root : roots) ROOTS.put(Integer.parseInt(root.split("=")[0], 16), (root + " ").split("=")[1].trim());
    }
    /** Records of the log; from the star on as often as the number before it says. */
    private static final Map<Integer, String> LOG = Map.of(3, "4", 4, "iiii44", 5, "444*i", 6, "2444884*1444444",
            7, "4488", 10, "4i4iii", 11, "4", 13, "44*44", 14, "42");

    private final List<ClassRecord> classes = new ArrayList<>();
    private final List<Entry> objects = new ArrayList<>();
    private final List<Long> rooted = new ArrayList<>();
    private boolean hasBegun;
    /** The texts and names of classes that are known where the heap ends. */
    private Map<Long, byte[]> texts;
    private Map<Long, Long> namesOfClasses;

    /** Reads one heap of a file, by its place among them. */
    static HprofHeap read(Path dump, int index) throws Adapter.Refusal, IOException {
        return new Reader(Files.readAllBytes(dump)).heap(index);
    }

    List<Entry> objects() { return objects; }

    /** Every class and object, one of each address: an object before a class, the first of several. */
    List<Entry> entries() {
        Map<Long, Entry> all = new LinkedHashMap<>();
        for (Entry object : objects) all.putIfAbsent(object.address, object);
        for (ClassRecord record : classes) all.putIfAbsent(record.entry.address, record.entry);
        for (Entry entry : all.values())
            for (long to : entry.to) if (to != 0 && all.containsKey(to)) entry.references.add(all.get(to));
        for (long root : rooted) if (all.containsKey(root)) all.get(root).isRoot = true;
        return new ArrayList<>(all.values());
    }

    /** Lays out instances, when all classes are known: these may follow them. */
    private void finish(Reader file) throws Adapter.Refusal, IOException {
        Map<Long, ClassRecord> byAddress = new HashMap<>();
        for (ClassRecord record : classes) byAddress.putIfAbsent(record.entry.address, record);
        for (Entry object : objects) {
            if (object.className != null) continue; // an array of a primitive type
            ClassRecord type = byAddress.get(object.type);
            byte[] name = type == null ? new byte[0] : file.nameOfClass(object.type);
            object.className = name.length == 0 ? null : text(name);
            if (object.values == null) continue;
            object.bytes = type == null ? null : type.instanceSize;
            layOut(object, byAddress, file);
        }
    }

    /** The references of an instance: the fields of its own class come first. Without one of its classes, none are known. */
    private static void layOut(Entry object, Map<Long, ClassRecord> byAddress, Reader file) throws Adapter.Refusal {
        Set<Long> owners = new LinkedHashSet<>();
        for (long next = object.type; next != 0; next = byAddress.get(next).superclass) {
            if (!owners.add(next)) throw new Adapter.Refusal("a class is its own superclass");
            if (!byAddress.containsKey(next)) return;
        }
        ByteBuffer values = ByteBuffer.wrap(object.values);
        for (long owner : owners) {
            boolean isReference = isNamed(file.nameOfClass(owner), "java/lang/ref/Reference");
            for (long[] field : byAddress.get(owner).fields) {
                int size = field[1] == REFERENCE ? file.idSize : SIZES.get((int) field[1]);
                if (size > values.remaining()) throw new Adapter.Refusal("an instance is shorter than its fields");
                long value = number(values, size);
                // The collector may clear it.
                boolean isReferent = isReference && isNamed(file.text(field[0]), "referent");
                if (field[1] == REFERENCE && !isReferent) object.to.add(value);
            }
        }
        if (values.hasRemaining() && !owners.isEmpty())
            throw new Adapter.Refusal("an instance has more bytes than its fields");
    }

    private static boolean isNamed(byte[] name, String text) {
        return new String(name, StandardCharsets.ISO_8859_1).replace('.', '/').equals(text);
    }

    private static long number(ByteBuffer from, int size) {
        long number = 0;
        for (int i = 0; i < size; i++) number = number << 8 | from.get() & 0xFF;
        return number;
    }

    /** Modified UTF-8 as text; other bytes in the form of specs/listing.md. */
    private static Object text(byte[] bytes) throws IOException {
        try {
            byte[] counted = ByteBuffer.allocate(2 + bytes.length).putShort((short) bytes.length).put(bytes).array();
            String text = new DataInputStream(new ByteArrayInputStream(counted)).readUTF();
            ByteArrayOutputStream again = new ByteArrayOutputStream();
            new DataOutputStream(again).writeUTF(text);
            boolean isSame = Arrays.equals(again.toByteArray(), counted);
            if (isSame && StandardCharsets.UTF_16.newEncoder().canEncode(text)) return text;
        } catch (UTFDataFormatException other) {
            // No text: below.
        }
        return Adapter.object("bytes", IntStream.range(0, bytes.length)
                .mapToObj(i -> String.format("%02x", bytes[i])).collect(Collectors.joining()));
    }

    /** A file record by record. */
    private static class Reader {
        private final ByteBuffer data;
        private final int idSize;
        private final Map<Long, byte[]> texts = new HashMap<>();
        private final Map<Long, Long> namesOfClasses = new HashMap<>();
        private final List<HprofHeap> heaps = new ArrayList<>();
        private HprofHeap heap = new HprofHeap();

        Reader(byte[] file) throws Adapter.Refusal, IOException {
            data = ByteBuffer.wrap(unpacked(file));
            String header = new String(take(31), StandardCharsets.ISO_8859_1);
            if (!header.matches("(?s)JAVA PROFILE 1[.]0[.][123]\0{4}[\1\2\4\b].{8}"))
                throw new Adapter.Refusal("no header", 0);
            idSize = header.charAt(22);
            while (data.hasRemaining()) record();
            if (heap.hasBegun || heaps.isEmpty()) end();
        }

        private static byte[] unpacked(byte[] file) throws Adapter.Refusal, IOException {
            if (file.length < 2 || file[0] != 0x1F || file[1] != (byte) 0x8B) return file;
            try (InputStream packed = new GZIPInputStream(new ByteArrayInputStream(file))) {
                return packed.readAllBytes();
            } catch (ZipException | EOFException damaged) {
                throw new Adapter.Refusal(damaged.toString());
            }
        }

        HprofHeap heap(int index) throws Adapter.Refusal, IOException {
            HprofHeap asked = heaps.get(index);
            if (index + 1 < heaps.size()) { // What stands after the last one counts for that.
                texts.clear();
                texts.putAll(asked.texts);
                namesOfClasses.clear();
                namesOfClasses.putAll(asked.namesOfClasses);
            }
            asked.finish(this);
            return asked;
        }

        /** A text; without characters where no record has it. */
        byte[] text(Long identifier) { return texts.getOrDefault(identifier, new byte[0]); }

        byte[] nameOfClass(Long address) { return text(namesOfClasses.get(address)); }

        private void end() {
            heap.texts = new HashMap<>(texts);
            heap.namesOfClasses = new HashMap<>(namesOfClasses);
            heaps.add(heap);
            heap = new HprofHeap();
        }

        private void record() throws Adapter.Refusal {
            int tag = (int) number(1);
            number(4); // time
            long length = number(4), end = data.position() + length;
            if (end > data.limit()) throw new Adapter.Refusal("the file ends before " + end, (long) data.position() - 9);
            if (tag == 0x0C && heap.hasBegun) end();
            data.limit((int) end);
            if (tag == 0x01) {
                texts.put(number(idSize), take(data.remaining()));
            } else if (tag == 0x02) {
                number(4); // serial number
                long address = number(idSize);
                number(4); // stack trace
                namesOfClasses.put(address, number(idSize));
            } else if (tag == 0x0C || tag == 0x1C) {
                heap.hasBegun = true;
                while (data.hasRemaining()) subRecord((int) number(1));
            } else {
                skip(LOG.getOrDefault(tag, ""));
            }
            data.limit(data.capacity()).position((int) end);
            if (tag == 0x0C || tag == 0x2C && heap.hasBegun) end();
        }

        private void subRecord(int tag) throws Adapter.Refusal {
            if (tag == 0xFE) { // a part of Android's heap
                skip("4i");
                return;
            }
            if (!ROOTS.containsKey(tag) && !List.of(0x20, 0x21, 0x22, 0x23, 0xC3).contains(tag))
                throw new Adapter.Refusal("a sub-record with the tag " + tag, (long) data.position() - 1);
            long address = number(idSize);
            if (ROOTS.containsKey(tag)) {
                if (tag != UNREACHABLE) heap.rooted.add(address);
                skip(ROOTS.get(tag));
                return;
            }
            Entry entry = new Entry(address);
            number(4); // stack trace
            if (tag == 0x20) {
                classRecord(entry);
                return;
            }
            heap.objects.add(entry);
            if (tag == 0x21) {
                entry.type = number(idSize);
                entry.values = take(number(4));
            } else if (tag == 0x22) {
                long length = number(4);
                entry.type = number(idSize);
                entry.bytes = length * idSize;
                if (entry.bytes > data.remaining()) take(entry.bytes);
                for (long left = length; left > 0; left--) entry.to.add(number(idSize));
            } else {
                long length = number(4);
                int type = type();
                if (type == REFERENCE) throw new Adapter.Refusal("a primitive array of references");
                entry.bytes = length * SIZES.get(type);
                entry.className = ARRAYS.get(type - 4);
                if (tag == 0x23) take(entry.bytes); // Android leaves contents out
            }
            entry.to.add(entry.type); // an object refers to its class
        }

        private void classRecord(Entry entry) throws Adapter.Refusal {
            ClassRecord record = new ClassRecord();
            record.entry = entry;
            record.superclass = number(idSize);
            entry.to.add(record.superclass);
            for (int i = 0; i < 3; i++) entry.to.add(number(idSize)); // loader, signers, protection domain
            skip("ii");
            record.instanceSize = number(4);
            for (long left = number(2); left > 0; left--) { // constant pool
                number(2);
                value(entry);
            }
            for (long left = number(2); left > 0; left--) { // static fields
                number(idSize);
                value(entry);
            }
            for (long left = number(2); left > 0; left--) record.fields.add(new long[] {number(idSize), type()});
            heap.classes.add(record);
        }

        private void value(Entry entry) throws Adapter.Refusal {
            int type = type();
            long value = number(type == REFERENCE ? idSize : SIZES.get(type));
            if (type == REFERENCE) entry.to.add(value);
        }

        private int type() throws Adapter.Refusal {
            int type = (int) number(1);
            if (type == REFERENCE || SIZES.containsKey(type)) return type;
            throw new Adapter.Refusal("the type " + type, (long) data.position() - 1);
        }

        private void skip(String layout) throws Adapter.Refusal {
            String[] parts = layout.split("[*]");
            long last = 0;
            for (char part : parts[0].toCharArray()) last = number(part == 'i' ? idSize : part - '0');
            for (long left = parts.length == 1 ? 0 : last; left > 0; left--) skip(parts[1]);
        }

        private long number(int size) throws Adapter.Refusal {
            if (size > data.remaining()) throw new Adapter.Refusal("more bytes are due", (long) data.position());
            return HprofHeap.number(data, size);
        }

        private byte[] take(long count) throws Adapter.Refusal {
            if (count > data.remaining()) throw new Adapter.Refusal("more bytes are due", (long) data.position());
            byte[] bytes = new byte[(int) count];
            data.get(bytes);
            return bytes;
        }
    }
}
