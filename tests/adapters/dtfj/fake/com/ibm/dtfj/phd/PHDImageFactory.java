package com.ibm.dtfj.phd;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.DataInputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;

import com.ibm.dtfj.image.CorruptData;
import com.ibm.dtfj.image.CorruptDataException;
import com.ibm.dtfj.image.DataUnavailable;
import com.ibm.dtfj.image.Image;
import com.ibm.dtfj.image.ImageAddressSpace;
import com.ibm.dtfj.image.ImageFactory;
import com.ibm.dtfj.image.ImagePointer;
import com.ibm.dtfj.image.ImageProcess;
import com.ibm.dtfj.java.JavaClass;
import com.ibm.dtfj.java.JavaClassLoader;
import com.ibm.dtfj.java.JavaHeap;
import com.ibm.dtfj.java.JavaObject;
import com.ibm.dtfj.java.JavaReference;
import com.ibm.dtfj.java.JavaRuntime;

/**
 * A stand-in for DTFJ's reader of PHD, for tests: it has the ways of the real one that an adapter has to cope with.
 *
 * Classes that the dump lacks are synthesised, without an ID or without a name; methods throw where a class is missing;
 * what cannot be read is a CorruptData among the objects, which has their interface as well; references are added,
 * dropped and turned round; hashes are doubled and computed.
 */
public class PHDImageFactory implements ImageFactory {
    @Override
    public Image getImage(File dump) throws IOException {
        InputStream bytes = new ByteArrayInputStream(Files.readAllBytes(dump.toPath()));
        // By the name, as the real one.
        if (dump.getName().endsWith(".gz")) bytes = new GZIPInputStream(bytes);
        try {
            return new Dump(new DataInputStream(new ByteArrayInputStream(bytes.readAllBytes())));
        } catch (IOException failure) {
            throw new IOException("Error parsing PHD file", failure);
        }
    }

    private static final String[] ARRAYS = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    private static final List<String> PRIMITIVES =
            List.of("boolean", "char", "float", "double", "byte", "short", "int", "long");
    /** For a superclass of which nothing is known. */
    private static final long UNKNOWN = -1;

    /** A part that cannot be read: it is a CorruptData, and looks like an object and a class. */
    private static Object corrupt(String message, Long address) {
        Class<?>[] faces = {CorruptData.class, JavaObject.class, JavaClass.class};
        return Proxy.newProxyInstance(PHDImageFactory.class.getClassLoader(), faces, (self, method, arguments) -> {
            if (method.getName().equals("toString")) return message;
            if (!method.getName().equals("getAddress")) throw new IllegalStateException(message);
            return address == null ? null : (ImagePointer) () -> address;
        });
    }

    private static CorruptDataException exception(String message, Long address) {
        return new CorruptDataException((CorruptData) corrupt(message, address));
    }

    /** Image, address space, process, runtime, heap and class loader in one. */
    @SuppressWarnings("rawtypes")
    private static class Dump
            implements Image, ImageAddressSpace, ImageProcess, JavaRuntime, JavaClassLoader, JavaHeap {
        private final DataInputStream data;
        private final int version, flags, shift;
        private final boolean is64, isJ9, hasHash16;
        private final int[] randoms = new int[2];
        private final List<Thing> objects = new ArrayList<>();
        private final Map<Long, Type> classes = new LinkedHashMap<>();
        /** Those without an ID. */
        private final Set<Type> synthesised = new LinkedHashSet<>();
        private String text = "unknown";
        private String broken;
        private boolean wordsAreArrays;

        Dump(DataInputStream data) throws IOException {
            this.data = data;
            if (!text().equals("portable heap dump")) throw new IOException("bad header");
            version = data.readInt();
            if (version < 4 || version > 6) throw new IOException("unexpected version: " + version);
            flags = data.readInt();
            is64 = (flags & 1) != 0;
            isJ9 = (flags & 4) != 0;
            hasHash16 = (flags & 2) != 0 && isJ9;
            shift = isJ9 || version == 5 ? 2 : 3;
            if (data.read() != 1) throw new IOException("no header");
            for (int tag; (tag = data.readUnsignedByte()) != 2; ) {
                if (tag == 1) data.readLong();
                else if (tag == 3) for (int i = 0; i < 2; i++) randoms[i] = data.readInt();
                else if (tag == 4) text = text();
                else throw new IOException("unrecognized tag: " + tag);
            }
            if (data.read() != 2) throw new IOException("no body");
            try {
                body();
            } catch (EOFException end) {
                broken = "Truncated dump found while building object " + objects.size();
            } catch (IOException failure) {
                broken = "Building object " + objects.size() + ": " + failure.getMessage();
            }
            complete();
        }

        private String text() throws IOException {
            return new String(bytes(data.readUnsignedShort()), StandardCharsets.UTF_8);
        }

        private byte[] bytes(int count) throws IOException {
            byte[] bytes = new byte[count];
            data.readFully(bytes);
            return bytes;
        }

        /** A signed number of 1, 2, 4 or 8 bytes. */
        private long number(int width) throws IOException {
            return width == 0 ? data.readByte() : width == 1 ? data.readShort() : width == 2 ? data.readInt()
                    : data.readLong();
        }

        private long word() throws IOException { return is64 ? data.readLong() : data.readInt() & 0xFFFFFFFFL; }

        private long address(long from, int width) throws IOException {
            long address = from + (number(width) << shift);
            return is64 ? address : address & 0xFFFFFFFFL;
        }

        private int hash(long address, boolean isStored) throws IOException {
            if (hasHash16) {
                int half = data.readShort() & 0x7FFF;
                return half << 16 | half;
            }
            if (isStored) return data.readInt();
            return isJ9 ? 0 : (Integer.rotateRight((int) (address >>> 3) ^ randoms[0], 17) ^ randoms[1]) >>> 1;
        }

        private List<Long> references(long address, long word, int count, int width) throws IOException {
            List<Long> references = new ArrayList<>();
            if (count < 0) throw new IOException("too many references");
            for (int i = 0; i < count; i++) {
                long reference = address(address, width);
                if (!isJ9 || i > 0 || reference != word) references.add(reference);
            }
            return references;
        }

        private void body() throws IOException {
            long[] slots = new long[4];
            int slot = 0;
            long address = 0;
            for (int tag; (tag = data.readUnsignedByte()) != 3; ) {
                int bits = tag;
                if (tag < 0x20 && tag >= 4 && tag <= 8) bits = data.readUnsignedByte();
                if (tag >= 0x80) {
                    address = address(address, tag >> 2 & 1);
                    long word = slots[tag >> 5 & 3];
                    int hash = hash(address, false);
                    add(new Thing(this, address, word, hash), references(address, word, tag >> 3 & 3, tag & 3));
                } else if (tag >= 0x40) {
                    address = address(address, tag >> 2 & 1);
                    long word = slots[slot++ & 3] = word();
                    int hash = hash(address, false);
                    add(new Thing(this, address, word, hash), references(address, word, tag >> 3 & 7, tag & 3));
                } else if (tag >= 0x20) {
                    int width = tag & 3;
                    address = address(address, width);
                    long length = number(width);
                    length &= width == 0 ? 0xFF : width == 1 ? 0xFFFF : -1;
                    Thing array = new Thing(this, address, tag >> 2 & 7, hash(address, false));
                    add(array.sized((int) length, size()), List.of());
                } else if (tag == 7) {
                    boolean isLong = (bits & 0x10) != 0;
                    address = address(address, !isLong ? 0 : is64 ? 3 : 2);
                    long length = isLong ? word() : data.readUnsignedByte();
                    Thing array = new Thing(this, address, bits >> 5, hash(address, (bits & 2) != 0));
                    add(array.sized((int) length, size()), List.of());
                } else if (tag == 6) {
                    address = address(address, bits >> 6);
                    data.readInt();
                    int hash = hash(address, (bits & 8) != 0);
                    Type type = new Type(this, address, word(), text());
                    type.hash = hash;
                    type.references = references(address, UNKNOWN, data.readInt(), bits >> 4 & 3);
                    classes.put(address, type);
                } else if (tag == 4 || tag == 5 || tag == 8) {
                    address = address(address, bits >> 6);
                    long word = word();
                    if (tag == 4) slots[slot++ & 3] = word;
                    int hash = hash(address, (bits & 2) != 0), count = data.readInt();
                    List<Long> references = references(address, word, count, bits >> 4 & 3);
                    Thing thing = new Thing(this, address, word, hash);
                    if (tag != 4) {
                        Collections.reverse(references);
                        thing.sized(tag == 8 ? data.readInt() : count, size());
                        thing.isObjectArray = true;
                    }
                    add(thing, references);
                } else {
                    throw new IOException("unexpected tag: " + tag);
                }
            }
        }

        private void add(Thing thing, List<Long> references) {
            thing.references = references;
            objects.add(thing);
        }

        private long size() throws IOException { return version == 6 ? (data.readInt() & 0xFFFFFFFFL) * 4 : UNKNOWN; }

        /** Gives every object its class, and synthesises those that are missing. */
        private void complete() {
            Type object = named("java/lang/Object"), ofClasses = named("java/lang/Class");
            long root = object == null ? UNKNOWN : object.address;
            if (object == null) synthesised.add(new Type(this, 0, 0, "java/lang/Object"));
            if (ofClasses == null) synthesised.add(new Type(this, 0, root, "java/lang/Class"));
            for (String name : ARRAYS) if (named(name) == null) synthesised.add(new Type(this, 0, root, name));
            wordsAreArrays = objects.stream().filter(thing -> thing.isObjectArray && classes.containsKey(thing.word))
                    .allMatch(thing -> classes.get(thing.word).name.startsWith("["));
            for (Thing thing : objects) {
                if (!thing.isObjectArray) {
                    thing.type = thing.length >= 0 ? named(ARRAYS[(int) thing.word]) : placeholder(thing.word);
                } else if (version == 4 && isJ9) {
                    placeholder(thing.word);
                    if (thing.references.isEmpty()) continue;
                    thing.type = placeholder(thing.references.remove(0));
                    thing.length--;
                } else {
                    thing.type = arrayOf(placeholder(thing.word));
                }
            }
        }

        /** The class at an address, or one without a name. */
        private Type placeholder(long address) {
            return classes.computeIfAbsent(address, at -> new Type(this, at, UNKNOWN, null));
        }

        private Type arrayOf(Type type) {
            if (wordsAreArrays) return type;
            String name = type.name == null ? null : type.name.startsWith("[") ? "[" + type.name
                    : PRIMITIVES.contains(type.name) ? ARRAYS[PRIMITIVES.indexOf(type.name)] : "[L" + type.name + ";";
            List<Type> all = new ArrayList<>();
            for (Type other : classes.values()) if (name != null && name.equals(other.name)) all.add(other);
            if (all.size() > 1) return null; // it cannot decide
            if (!all.isEmpty()) return all.get(0);
            Type array = new Type(this, 0, UNKNOWN, name);
            synthesised.add(array);
            return array;
        }

        private Type named(String name) {
            for (Type type : classes.values()) if (name.equals(type.name)) return type;
            for (Type type : synthesised) if (name.equals(type.name)) return type;
            return null;
        }

        private Object target(long address) {
            Type type = classes.get(address);
            return type != null ? type : new Thing(this, address, 0, 0);
        }

        @Override public Iterator getAddressSpaces() { return List.of(this).iterator(); }
        @Override public Iterator getProcesses() { return List.of(this).iterator(); }
        @Override public Iterator getRuntimes() { return List.of(this).iterator(); }
        @Override public Iterator getJavaClassLoaders() { return List.of(this).iterator(); }
        @Override public Iterator getHeaps() { return List.of(this).iterator(); }
        @Override public int getPointerSize() { return is64 ? 64 : 32; }
        @Override public String getVersion() { return text; }
        @Override public void close() { }

        @Override
        public Iterator getDefinedClasses() {
            List<Object> all = new ArrayList<>(classes.values());
            all.addAll(synthesised);
            if (broken != null) all.add(corrupt(broken, null));
            return all.iterator();
        }

        @Override
        public Iterator getObjects() {
            List<Object> all = new ArrayList<>(objects);
            if (broken != null) all.add(corrupt(broken, 0L));
            return all.iterator();
        }
    }

    private static JavaReference reference(int type, Object target) {
        return new JavaReference() {
            @Override public int getReferenceType() { return type; }
            @Override public Object getTarget() { return target; }
        };
    }

    @SuppressWarnings("rawtypes")
    private static class Type implements JavaClass {
        private final Dump dump;
        private final long address, parent;
        private final String name;
        private List<Long> references;
        private int hash;

        Type(Dump dump, long address, long parent, String name) {
            this.dump = dump;
            this.address = address;
            this.parent = name != null && PRIMITIVES.contains(name) ? 0 : parent;
            this.name = name;
        }

        @Override public ImagePointer getID() { return address == 0 ? null : () -> address; }

        @Override
        public String getName() throws CorruptDataException {
            if (name == null) throw exception("No class name available", address);
            return name;
        }

        @Override
        public JavaClass getSuperclass() throws CorruptDataException {
            if (parent == 0) return null;
            if (parent == UNKNOWN) throw exception("No superclass available", null);
            Type type = dump.classes.get(parent);
            if (type == null || "java/lang/Class".equals(type.name)) throw exception("Superclass not found", parent);
            return type;
        }

        @Override public boolean isArray() throws CorruptDataException { return getName().startsWith("["); }

        @Override
        public JavaClass getComponentType() throws CorruptDataException {
            if (!isArray()) throw new IllegalArgumentException(name + " is not an array");
            String component = name.startsWith("[L") ? name.substring(2, name.length() - 1) : name.substring(1);
            for (Type type : dump.classes.values()) if (component.equals(type.name)) return type;
            throw exception("component type for " + name + " is not found", address);
        }

        @Override
        public JavaObject getObject() {
            if (address == 0) return null;
            Thing thing = new Thing(dump, address, 0, hash);
            thing.type = references == null ? null : dump.named("java/lang/Class");
            return thing;
        }

        @Override
        public Iterator getReferences() {
            List<Object> all = new ArrayList<>();
            all.add(reference(JavaReference.REFERENCE_CLASS_LOADER, dump.target(0x10)));
            try {
                JavaClass parent = getSuperclass();
                if (parent != null) all.add(reference(JavaReference.REFERENCE_SUPERCLASS, parent));
            } catch (CorruptDataException missing) {
                // It is left out.
            }
            for (long to : references) all.add(reference(JavaReference.REFERENCE_UNKNOWN, dump.target(to)));
            return all.iterator();
        }
    }

    @SuppressWarnings("rawtypes")
    private static class Thing implements JavaObject {
        private final Dump dump;
        private final long address, word;
        private final int hash;
        private Type type;
        private List<Long> references = List.of();
        private int length = -1;
        private long size = UNKNOWN;
        private boolean isObjectArray;

        Thing(Dump dump, long address, long word, int hash) {
            this.dump = dump;
            this.address = address;
            this.word = word;
            this.hash = hash;
        }

        private Thing sized(int length, long size) {
            this.length = length;
            this.size = size;
            return this;
        }

        @Override public ImagePointer getID() { return () -> address; }

        @Override
        public JavaClass getJavaClass() throws CorruptDataException {
            if (type == null) throw exception("Unable to get type for object", address);
            return type;
        }

        @Override public boolean isArray() { return length >= 0; }

        @Override
        public int getArraySize() {
            if (length < 0) throw new IllegalArgumentException("not an array");
            return length;
        }

        @Override
        public long getSize() throws CorruptDataException {
            if (size != UNKNOWN) return size;
            getJavaClass();
            return 16 + 8L * length;
        }

        @Override
        public long getHashcode() throws DataUnavailable, CorruptDataException {
            getJavaClass();
            if (hash == 0 && !dump.isJ9) throw new DataUnavailable("no hashcode available");
            return hash;
        }

        @Override
        public long getPersistentHashcode() throws DataUnavailable, CorruptDataException {
            if (!dump.isJ9) throw new DataUnavailable("hashcode not persistent");
            return getHashcode();
        }

        @Override
        public Iterator getReferences() {
            List<Object> all = new ArrayList<>();
            all.add(reference(JavaReference.REFERENCE_CLASS, type));
            all.add(reference(JavaReference.REFERENCE_LOADED_CLASS, dump.target(0x10)));
            int kind = length < 0 ? JavaReference.REFERENCE_FIELD : JavaReference.REFERENCE_ARRAY_ELEMENT;
            for (long to : references) all.add(reference(kind, dump.target(to)));
            return all.iterator();
        }
    }
}
