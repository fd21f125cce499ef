import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import shark.GcRoot;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.ClassDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.BooleanArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.ByteArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.CharArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.DoubleArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.FloatArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.IntArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.LongArrayDump;
import shark.HprofRecord.HeapDumpRecord.ObjectRecord.PrimitiveArrayDumpRecord.ShortArrayDump;
import shark.ValueHolder;

/** The library's values as a listing has them. */
class Values {
    private static final List<String> TYPES = List.of("object", "", "boolean", "char", "float", "double", "byte",
            "short", "int", "long");

    private final long idMask;

    Values(int idSize) {
        idMask = idSize == 1 || idSize == 2 || idSize == 4 ? (1L << 8 * idSize) - 1 : -1;
    }

    /** An identifier. The library widens it with its sign, and documents that its size makes it whole again. */
    String id(long id) {
        return Adapter.hex(id & idMask);
    }

    /** A number of 32 bits without a sign, which the library has as an int. */
    static long unsigned(int number) {
        return Integer.toUnsignedLong(number);
    }

    static String type(int code) {
        return code < 2 || code > 11 || code == 3 ? "object" : TYPES.get(code - 2);
    }

    /** The bits of a value, without signs that Java adds. */
    String bits(ValueHolder value) {
        if (value instanceof ValueHolder.ReferenceHolder reference) return id(reference.getValue());
        if (value instanceof ValueHolder.BooleanHolder bool) return bool.getValue() ? "0x1" : "0x0";
        if (value instanceof ValueHolder.CharHolder character) return Adapter.hex(character.getValue());
        if (value instanceof ValueHolder.FloatHolder number)
            return Adapter.hex(unsigned(Float.floatToRawIntBits(number.getValue())));
        if (value instanceof ValueHolder.DoubleHolder number)
            return Adapter.hex(Double.doubleToRawLongBits(number.getValue()));
        if (value instanceof ValueHolder.ByteHolder number) return Adapter.hex(number.getValue() & 0xFF);
        if (value instanceof ValueHolder.ShortHolder number) return Adapter.hex(number.getValue() & 0xFFFF);
        if (value instanceof ValueHolder.IntHolder number) return Adapter.hex(unsigned(number.getValue()));
        return Adapter.hex(((ValueHolder.LongHolder) value).getValue());
    }

    static String type(ValueHolder value) {
        String name = value.getClass().getSimpleName().replace("Holder", "").toLowerCase();
        return name.equals("reference") ? "object" : name;
    }

    Map<String, Object> head(Library library) {
        return Adapter.object("listing", 1, "identifier_size", unsigned(library.idSize),
                "header_version", library.version.replace("JAVA PROFILE ", ""),
                "time_stamp", new BigInteger(Long.toUnsignedString(library.time)));
    }

    /** A class but for its names, its fields and its static fields. */
    Map<String, Object> line(ClassDumpRecord type) {
        return Adapter.object("kind", "class", "address", id(type.getId()), "super", id(type.getSuperclassId()),
                "loader", id(type.getClassLoaderId()), "signers", id(type.getSignersId()),
                "protection_domain", id(type.getProtectionDomainId()),
                "instance_size", unsigned(type.getInstanceSize()),
                "trace", unsigned(type.getStackTraceSerialNumber()));
    }

    Map<String, Object> line(PrimitiveArrayDumpRecord array) {
        StringBuilder contents = new StringBuilder();
        HexFormat hex = HexFormat.of();
        String element;
        if (array instanceof BooleanArrayDump dump) {
            element = "boolean";
            for (boolean item : dump.getArray()) contents.append(item ? "01" : "00");
        } else if (array instanceof CharArrayDump dump) {
            element = "char";
            for (char item : dump.getArray()) contents.append(hex.toHexDigits(item));
        } else if (array instanceof FloatArrayDump dump) {
            element = "float";
            for (float item : dump.getArray()) contents.append(hex.toHexDigits(Float.floatToRawIntBits(item)));
        } else if (array instanceof DoubleArrayDump dump) {
            element = "double";
            for (double item : dump.getArray()) contents.append(hex.toHexDigits(Double.doubleToRawLongBits(item)));
        } else if (array instanceof ByteArrayDump dump) {
            element = "byte";
            contents.append(hex.formatHex(dump.getArray()));
        } else if (array instanceof ShortArrayDump dump) {
            element = "short";
            for (short item : dump.getArray()) contents.append(hex.toHexDigits(item));
        } else if (array instanceof IntArrayDump dump) {
            element = "int";
            for (int item : dump.getArray()) contents.append(hex.toHexDigits(item));
        } else {
            element = "long";
            for (long item : ((LongArrayDump) array).getArray()) contents.append(hex.toHexDigits(item));
        }
        return Adapter.object("kind", "primitive-array", "address", id(array.getId()), "element", element,
                "length", array.getSize(), "trace", unsigned(array.getStackTraceSerialNumber()),
                "contents", contents.toString());
    }

    Map<String, Object> root(GcRoot root) {
        Map<String, Object> line = Adapter.object("kind", "root", "root", kind(root), "object", id(root.getId()));
        if (root instanceof GcRoot.JniGlobal global) {
            line.put("reference", id(global.getJniGlobalRefId()));
        } else if (root instanceof GcRoot.JniLocal local) {
            line.putAll(frame(local.getThreadSerialNumber(), local.getFrameNumber()));
        } else if (root instanceof GcRoot.JavaFrame frame) {
            line.putAll(frame(frame.getThreadSerialNumber(), frame.getFrameNumber()));
        } else if (root instanceof GcRoot.JniMonitor monitor) {
            // The library has other words for the two: "stack trace serial number" and "stack depth".
            line.putAll(frame(monitor.getStackTraceSerialNumber(), monitor.getStackDepth()));
        } else if (root instanceof GcRoot.NativeStack stack) {
            line.put("thread", unsigned(stack.getThreadSerialNumber()));
        } else if (root instanceof GcRoot.ThreadBlock block) {
            line.put("thread", unsigned(block.getThreadSerialNumber()));
        } else if (root instanceof GcRoot.ThreadObject thread) {
            line.put("thread", unsigned(thread.getThreadSerialNumber()));
            line.put("trace", unsigned(thread.getStackTraceSerialNumber()));
        }
        return line;
    }

    private static Map<String, Object> frame(int thread, int frame) {
        return Adapter.object("thread", unsigned(thread), "frame", frame);
    }

    /** JniGlobal is jni-global, and so all others. */
    private static String kind(GcRoot root) {
        return root.getClass().getSimpleName().replaceAll("(?<=.)(?=[A-Z])", "-").toLowerCase();
    }
}
