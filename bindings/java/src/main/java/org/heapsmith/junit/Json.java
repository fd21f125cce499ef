package org.heapsmith.junit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Values as specs/listing.md spells them. */
final class Json {
    static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private Json() {}

    static String hex(long bits) {
        return "0x" + Long.toHexString(bits);
    }

    /** A text; its UTF-16 code units where it has a lone surrogate, which JSON cannot hold. */
    static Object text(String text) {
        if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            return text;
        }
        StringBuilder digits = new StringBuilder();
        text.chars().forEach(c -> digits.append(String.format("%04x", c)));
        return Map.of("utf16", digits.toString());
    }

    static String digits(byte[] bytes) {
        StringBuilder digits = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            digits.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return digits.toString();
    }

    /** The bits of a value of a type: an object's is its address. */
    static String bits(String type, long bits) {
        switch (type) {
            case "boolean":
            case "byte":
                return hex(bits & 0xFF);
            case "char":
            case "short":
                return hex(bits & 0xFFFF);
            case "int":
            case "float":
                return hex(bits & 0xFFFF_FFFFL);
            default:
                return hex(bits);
        }
    }

    /** The name of the primitive type that an object of Java boxes. */
    static String type(Object value) {
        if (value instanceof Boolean) {
            return "boolean";
        } else if (value instanceof Character) {
            return "char";
        } else if (value instanceof Byte) {
            return "byte";
        } else if (value instanceof Short) {
            return "short";
        } else if (value instanceof Integer) {
            return "int";
        } else if (value instanceof Long) {
            return "long";
        } else if (value instanceof Float) {
            return "float";
        } else if (value instanceof Double) {
            return "double";
        }
        throw new IllegalArgumentException("expected a value of a primitive type, found "
                + (value == null ? "null; reference(0) is one" : value.getClass().getName()));
    }

    /** The bits of what an object of Java boxes. */
    static long bits(Object value) {
        if (value instanceof Boolean) {
            return (Boolean) value ? 1 : 0;
        } else if (value instanceof Character) {
            return (Character) value;
        } else if (value instanceof Float) {
            return Float.floatToRawIntBits((Float) value);
        } else if (value instanceof Double) {
            return Double.doubleToRawLongBits((Double) value);
        }
        return ((Number) value).longValue();
    }
}
