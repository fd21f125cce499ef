import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import com.android.ahat.heapdump.AhatArrayInstance;
import com.android.ahat.heapdump.AhatClassObj;
import com.android.ahat.heapdump.AhatInstance;
import com.android.ahat.heapdump.AhatSnapshot;
import com.android.ahat.heapdump.FieldValue;
import com.android.ahat.heapdump.HprofFormatException;
import com.android.ahat.heapdump.Parser;
import com.android.ahat.heapdump.RootType;
import com.android.ahat.heapdump.Value;

/** An adapter for ahat, Android's heap analysis tool (see README.md). */
public class AhatAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.serve(new AhatAdapter(List.of(arguments)));
    }

    private final String version;
    private final List<String> facets = new ArrayList<>(List.of("address", "kind", "class-name", "superclass", "loader",
            "instance-size", "fields", "statics", "class", "array-length", "field-values", "elements",
            "primitive-contents", "references", "string-text", "root-objects"));

    private AhatAdapter(List<String> arguments) {
        version = arguments.get(0);
        if (arguments.contains("--without-texts")) {
            facets.remove("string-text");
        }
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "ahat", "version", version, "language", "Java", "reads", List.of("hprof"),
                "levels", List.of("listing"), "facets", facets,
                // All names of classes are told as ART writes them.
                "class_names", "java",
                // A reference to what is not in the dump is null to it.
                "dangling", "null", "booleans", "0/1", "unnamed", "placeholder", "names", "text",
                // An instance has a set of kinds of roots.
                "roots", "one-per-kind", "leaves_out", List.of("dangling-roots", "null-roots"),
                // "Id size ... not supported."
                "identifier_sizes", List.of("4", "8"));
    }

    @Override
    public void parse(Path dump, int heap, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        AhatSnapshot snapshot;
        try {
            snapshot = new Parser(dump.toFile()).parse();
        } catch (HprofFormatException refusal) {
            throw new Adapter.Refusal(refusal.toString());
        }
        // The snapshot looks instances up by identifier, and has no public list of all.
        Iterable<?> all = (Iterable<?>) field(snapshot, "mInstances");
        listing.line(Adapter.object("listing", 1));
        for (Object each : all) {
            AhatInstance instance = (AhatInstance) each;
            listing.line(instance.isClassObj() ? line(instance.asClassObj()) : line(instance));
        }
        for (Object each : all) {
            AhatInstance instance = (AhatInstance) each;
            if (instance.isRoot()) {
                for (RootType type : instance.getRootTypes()) {
                    listing.line(Adapter.object("kind", "root", "root", kind(type), "object", address(instance),
                            "reference", "0x0", "thread", 0, "frame", -1, "trace", 0));
                }
            }
        }
    }

    private static String kind(RootType type) {
        return switch (type) {
            case MONITOR -> "monitor-used";
            case THREAD -> "thread-object";
            default -> type.name().toLowerCase().replace('_', '-');
        };
    }

    private static Map<String, Object> line(AhatClassObj type) {
        List<Object> fields = new ArrayList<>();
        for (com.android.ahat.heapdump.Field field : type.getInstanceFields()) {
            fields.add(Adapter.object("name", name(field.name), "type", typeOf(field.type.name)));
        }
        List<Object> statics = new ArrayList<>();
        for (FieldValue field : type.getStaticFieldValues()) {
            statics.add(Adapter.object("name", name(field.name), "type", typeOf(field.type.name),
                    "value", value(field.value)));
        }
        return Adapter.object("kind", "class", "address", address(type), "name", name(type.getName()),
                "super", address(type.getSuperClassObj()), "loader", address(type.getClassLoader()),
                "instance_size", type.getInstanceSize() & 0xFFFFFFFFL, "fields", fields, "statics", statics);
    }

    private static Map<String, Object> line(AhatInstance instance) {
        AhatClassObj type = instance.getClassObj();
        if (instance.isArrayInstance()) {
            AhatArrayInstance array = instance.asArrayInstance();
            // The type of an array without elements stands in the name of its class alone, as it does to the library.
            String element = PRIMITIVES.get(array.getLength() > 0
                    ? Value.getType(array.getValue(0)).name : instance.getClassName().replaceFirst("\\[\\]$", ""));
            if (element == null) {
                List<Object> elements = new ArrayList<>();
                array.getValues().forEach(value -> elements.add(value(value)));
                return Adapter.object("kind", "object-array", "address", address(instance),
                        "array_class", address(type), "length", array.getLength(), "elements", elements);
            }
            StringBuilder contents = new StringBuilder();
            array.getValues().forEach(value -> contents.append(digits(value)));
            return Adapter.object("kind", "primitive-array", "address", address(instance), "element", element,
                    "length", array.getLength(), "contents", contents.toString());
        }
        List<Object> values = new ArrayList<>();
        for (FieldValue field : instance.asClassInstance().getInstanceFields()) {
            values.add(List.of(typeOf(field.type.name), value(field.value)));
        }
        Map<String, Object> line = Adapter.object("kind", "object", "address", address(instance), "class", address(type),
                "values", values);
        String text = instance.asString();
        if (text != null) {
            line.put("text", text(text));
        }
        return line;
    }

    /** A char[] may have lone surrogates, which are no text of JSON. */
    private static Object text(String text) {
        StringBuilder units = new StringBuilder();
        text.chars().forEach(unit -> units.append(HexFormat.of().toHexDigits((char) unit)));
        return Adapter.object("utf16", units.toString());
    }

    /** The library has a text of its own for the string with the identifier 0. */
    private static String name(String name) {
        return name.equals("???") ? "" : name;
    }

    private static final Map<String, String> PRIMITIVES = Map.of("boolean", "boolean", "char", "char", "float", "float",
            "double", "double", "byte", "byte", "short", "short", "int", "int", "long", "long");

    private static String typeOf(String name) {
        return PRIMITIVES.getOrDefault(name, "object");
    }

    private static String address(AhatInstance instance) {
        return Adapter.hex(instance == null ? 0 : instance.getId());
    }

    private static String value(Value value) {
        return value == null || value.isAhatInstance() ? address(value == null ? null : value.asAhatInstance())
                : "0x" + digits(value);
    }

    /** Only some values have getters; the text of others is a number in decimal. */
    private static String digits(Value value) {
        HexFormat hex = HexFormat.of();
        return switch (Value.getType(value)) {
            case BOOLEAN -> (boolean) field(value, "mBool") ? "01" : "00";
            case BYTE -> hex.toHexDigits((byte) field(value, "mByte"));
            case CHAR -> hex.toHexDigits((char) field(value, "mChar"));
            case SHORT -> hex.toHexDigits((short) field(value, "mShort"));
            case INT -> hex.toHexDigits((int) field(value, "mInt"));
            case FLOAT -> hex.toHexDigits(Float.floatToRawIntBits((float) field(value, "mFloat")));
            case LONG -> hex.toHexDigits((long) field(value, "mLong"));
            case DOUBLE -> hex.toHexDigits(Double.doubleToRawLongBits((double) field(value, "mDouble")));
            default -> throw new IllegalStateException("no primitive value");
        };
    }

    private static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
