package org.heapsmith;

import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A heap that is built by names: classes, objects, arrays, strings and roots. It writes a heap file (docs/heap-file.md), and {@link
 * #dump} makes a dump of that in any format.
 *
 * <pre>{@code
 * HeapBuilder heap = new HeapBuilder();
 * heap.clazz("shop.Order").field("int", "id").field("shop.Order", "next");
 * heap.object("first", "shop.Order").set("id", 1).set("next", HeapBuilder.reference("second"));
 * heap.object("second", "shop.Order").set("id", 2).set("next", HeapBuilder.reference("first"));
 * heap.root("jni-global", "first");
 * byte[] dump = heap.dump("hprof");
 * }</pre>
 *
 * <p>Names may be used before they are given. A value is null, a {@link Boolean}, {@link Character} or {@link Number} for a field of
 * that type, a {@link String} for an object of java.lang.String of its own, or a {@link #reference}. A number for a reference is boxed
 * as a heap file boxes it; {@link #boxed} boxes it in its own class. What a heap file can say and this class cannot is a {@link #node}.
 */
public final class HeapBuilder {
    private final StringBuilder head = new StringBuilder();
    private final List<Node> nodes = new ArrayList<>();
    /** The ids of classes whose names a heap file has as bytes: no name of Java has a hyphen. */
    private final Map<String, String> ids = new HashMap<>();

    /** Begins a heap with the classes of JDK 17 and words of 64 bits. */
    public HeapBuilder() {}

    /**
     * Says which library's classes the heap has.
     *
     * @param library a library, such as {@code jdk-21}, {@code android} or {@code j9}
     * @return this
     */
    public HeapBuilder library(String library) {
        return heap("library", library);
    }

    /**
     * Gives a property of the heap: {@code word}, {@code compressed-references}, {@code world} and others.
     *
     * @param key a key of the node {@code heap}
     * @param value its value: a text, a number or a boolean
     * @return this
     */
    public HeapBuilder heap(String key, Object value) {
        head.append(' ').append(spell(key)).append('=').append(value instanceof String ? spell((String) value) : value(value));
        return this;
    }

    /**
     * Declares a class. Any text is a name; one with a slash, such as that of a hidden class, keeps its dots in a dump.
     *
     * @param name the name as {@link Class#getName} gives it, such as {@code shop.Order}; no name of an array
     * @return the class, for fields
     */
    public ClassNode clazz(String name) {
        ClassNode node = new ClassNode();
        node.line.append("class ");
        if (isJavaName(name)) {
            node.line.append(spell(name));
        } else {
            node.line.append(bytes(name)).append(" id=").append(spell(type(name)));
        }
        return add(node);
    }

    /**
     * Makes an instance of a class. What nothing gives is zero or null.
     *
     * @param name the object's name in this heap
     * @param type the name of the class: declared here, or one of the library's
     * @return the object, for the values of its fields
     */
    public ObjectNode object(String name, String type) {
        ObjectNode node = new ObjectNode();
        node.line.append("object ").append(spell(checkedName(name))).append(' ').append(spell(type(type)));
        return add(node);
    }

    /**
     * Makes an array.
     *
     * @param name the array's name in this heap
     * @param type the type, such as {@code int[]} or {@code shop.Order[]}
     * @return the array, for its elements
     */
    public ArrayNode array(String name, String type) {
        ArrayNode node = new ArrayNode();
        node.line.append("array ").append(spell(checkedName(name))).append(' ').append(spell(type(type)));
        return add(node);
    }

    /**
     * Makes a java.lang.String with an array of its own.
     *
     * @param name the string's name in this heap
     * @param text its text; lone surrogates are kept
     * @return this
     */
    public HeapBuilder string(String name, String text) {
        Node node = new Node();
        node.line.append("string ").append(spell(checkedName(name))).append(' ').append(value(text));
        add(node);
        return this;
    }

    /**
     * Makes a GC root.
     *
     * @param kind the kind, such as {@code jni-global} or {@code sticky-class}
     * @param name the name of the object that the root keeps
     * @return this
     */
    public HeapBuilder root(String kind, String name) {
        return root(kind, reference(name));
    }

    /**
     * Makes a GC root.
     *
     * @param kind the kind, such as {@code jni-global} or {@code sticky-class}
     * @param target what the root keeps
     * @return this
     */
    public HeapBuilder root(String kind, Reference target) {
        Node node = new Node();
        node.line.append("root ").append(spell(kind)).append(' ').append(value(target));
        add(node);
        return this;
    }

    /**
     * Adds a node as a heap file spells it, such as {@code thread main { frame shop.Main.run line=42 }}.
     *
     * @param text one or more nodes
     * @return this
     */
    public HeapBuilder node(String text) {
        Node node = new Node();
        node.line.append(text);
        add(node);
        return this;
    }

    /**
     * Refers to an object of this heap.
     *
     * @param name the object's name
     * @return the reference, as a value
     */
    public static Reference reference(String name) {
        return new Reference(checkedName(name), null);
    }

    /**
     * Refers to the class object of a class.
     *
     * @param type the name of the class
     * @return the reference, as a value
     */
    public static Reference classObject(String type) {
        return new Reference(null, type);
    }

    /**
     * Refers to an address, whether anything lies there or not.
     *
     * @param address the address
     * @return the reference, as a value
     */
    public static Reference address(long address) {
        return new Reference("0x" + Long.toHexString(address), null);
    }

    /**
     * Boxes a value in its own class: a {@link Byte} in a java.lang.Byte.
     *
     * @param value a boolean, a character or a number
     * @return the value of a field whose type is a class
     */
    public static Boxed boxed(Object value) {
        return new Boxed(value);
    }

    /**
     * Gives the text of the heap file.
     *
     * @return the text, in KDL 2
     */
    public String text() {
        StringBuilder text = new StringBuilder();
        if (head.length() > 0) {
            text.append("heap").append(head).append('\n');
        }
        for (Node node : nodes) {
            node.write(text);
        }
        return text.toString();
    }

    /**
     * Makes a dump of the heap. What the format does not record is left out.
     *
     * @param format a format, such as {@code hprof}, or a format and a profile, such as {@code hprof/hotspot-21}
     * @return the dump
     * @throws HeapsmithException if the heap has a mistake; the message has all of them, by the lines of {@link #text}
     */
    public byte[] dump(String format) {
        return Heapsmith.build(text(), format);
    }

    @Override
    public String toString() {
        return text();
    }

    private <T extends Node> T add(T node) {
        nodes.add(node);
        return node;
    }

    /** A node of the heap file: a line and its children. */
    private static class Node {
        final StringBuilder line = new StringBuilder();
        final List<String> children = new ArrayList<>();

        void write(StringBuilder text) {
            text.append(line);
            if (!children.isEmpty()) {
                text.append(" {\n");
                children.forEach(child -> text.append("    ").append(child).append('\n'));
                text.append('}');
            }
            text.append('\n');
        }
    }

    /** A class of the heap. */
    public final class ClassNode extends Node {
        private ClassNode() {}

        /**
         * Names the superclass; without it, that is java.lang.Object.
         *
         * @param type the name of the superclass
         * @return this
         */
        public ClassNode extending(String type) {
            line.append(" extends=").append(spell(type(type)));
            return this;
        }

        /**
         * Adds an instance field, after those that were added before.
         *
         * @param type the type: a primitive one, or the name of a class
         * @param name the name
         * @return this
         */
        public ClassNode field(String type, String name) {
            children.add("field " + spell(type(type)) + " " + name(name));
            return this;
        }

        /**
         * Adds a static field.
         *
         * @param type the type: a primitive one, or the name of a class
         * @param name the name
         * @param value the value
         * @return this
         */
        public ClassNode staticField(String type, String name, Object value) {
            children.add("static " + spell(type(type)) + " " + name(name) + " " + value(value));
            return this;
        }

        /**
         * Gives a fact of the class that is none of its fields.
         *
         * @param key a key without the sign {@code @}: {@code address}, {@code hash}, {@code size}, {@code serial} and others
         * @param value the fact
         * @return this
         */
        public ClassNode fact(String key, Object value) {
            line.append(' ').append(spell("@" + key)).append('=').append(factValue(value));
            return this;
        }
    }

    /** An instance of the heap. */
    public final class ObjectNode extends Node {
        private ObjectNode() {}

        /**
         * Gives the value of a field: of its class, or of the nearest superclass that has a field of this name.
         *
         * @param field the name of the field
         * @param value the value
         * @return this
         */
        public ObjectNode set(String field, Object value) {
            // A property's key may have a class and a number, and cannot begin with @; a name of Java has none of that.
            if (isIdentifier(field)) {
                line.append(' ').append(spell(field)).append('=').append(value(value));
            } else {
                children.add("@field " + name(field) + " " + value(value));
            }
            return this;
        }

        /**
         * Gives the value of a field that a subclass hides.
         *
         * @param type the name of the class that declares the field: a name of Java
         * @param field the name of the field: a name of Java
         * @param value the value
         * @return this
         */
        public ObjectNode set(String type, String field, Object value) {
            if (!isJavaName(type) || !isIdentifier(field)) {
                throw new IllegalArgumentException("expected names of Java for a class and a field, found " + type + " and " + field);
            }
            line.append(' ').append(spell(type + "." + field)).append('=').append(value(value));
            return this;
        }

        /**
         * Gives a fact of the object that is none of its fields.
         *
         * @param key a key without the sign {@code @}: {@code address}, {@code hash}, {@code size}, {@code trace} and others
         * @param value the fact
         * @return this
         */
        public ObjectNode fact(String key, Object value) {
            line.append(' ').append(spell("@" + key)).append('=').append(factValue(value));
            return this;
        }
    }

    /** An array of the heap. */
    public final class ArrayNode extends Node {
        private ArrayNode() {}

        /**
         * Gives the elements, one by one.
         *
         * @param elements values
         * @return this
         */
        public ArrayNode elements(Object... elements) {
            for (Object element : elements) {
                line.append(' ').append(value(element));
            }
            return this;
        }

        /**
         * Gives the elements as an array of Java has them.
         *
         * @param array an array of a primitive type, such as {@code int[]}
         * @return this
         */
        public ArrayNode contents(Object array) {
            for (int i = 0; i < Array.getLength(array); i++) {
                line.append(' ').append(value(Array.get(array, i)));
            }
            return this;
        }

        /**
         * Gives the number of the elements, which are zero or null.
         *
         * @param length the number
         * @return this
         */
        public ArrayNode length(long length) {
            line.append(" length=").append(length);
            return this;
        }

        /**
         * Gives a fact of the array that is none of its elements.
         *
         * @param key a key without the sign {@code @}: {@code address}, {@code hash}, {@code size}, {@code trace} and others
         * @param value the fact
         * @return this
         */
        public ArrayNode fact(String key, Object value) {
            line.append(' ').append(spell("@" + key)).append('=').append(factValue(value));
            return this;
        }
    }

    /** A reference, as the value of a field or an element. */
    public static final class Reference {
        private final String name;
        private final String type;

        private Reference(String name, String type) {
            this.name = name;
            this.type = type;
        }
    }

    /** A value in an object of its own class. */
    public static final class Boxed {
        private final Object value;

        private Boxed(Object value) {
            this.value = value;
        }
    }

    /** A type as a heap file has it: of a class with another name than Java's, its id. */
    private String type(String type) {
        String element = type;
        while (element.endsWith("[]")) {
            element = element.substring(0, element.length() - 2);
        }
        if (isJavaName(element)) {
            return type;
        }
        return ids.computeIfAbsent(element, unknown -> "odd-class-" + ids.size()) + type.substring(element.length());
    }

    /** A fact, whose number has no sign: an address may have 64 bits. */
    private String factValue(Object value) {
        return value instanceof Long ? Long.toUnsignedString((Long) value) : value instanceof String ? spell((String) value) : value(value);
    }

    private String value(Object value) {
        if (value == null) {
            return "#null";
        } else if (value instanceof Reference) {
            Reference target = (Reference) value;
            return spell("@" + (target.type == null ? target.name : "class:" + type(target.type)));
        } else if (value instanceof Boxed) {
            return boxedValue(((Boxed) value).value);
        } else if (value instanceof String) {
            String text = (String) value;
            return isText(text) ? spell(text.startsWith("@") ? "@" + text : text) : units(text);
        } else {
            return primitive(value);
        }
    }

    private static String primitive(Object value) {
        if (value instanceof Boolean) {
            return "#" + value;
        } else if (value instanceof Character) {
            return Integer.toString((Character) value);
        } else if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
            return value.toString();
        } else if (value instanceof Float) {
            float number = (Float) value;
            int bits = Float.floatToRawIntBits(number);
            return Float.isFinite(number) ? value.toString() : "(bits)0x" + Integer.toHexString(bits);
        } else if (value instanceof Double) {
            double number = (Double) value;
            long bits = Double.doubleToRawLongBits(number);
            return Double.isFinite(number) ? value.toString() : "(bits)0x" + Long.toHexString(bits);
        }
        throw new IllegalArgumentException("expected null, a boolean, a character, a number of a primitive type, a text or a "
                + "reference, found " + value.getClass().getName());
    }

    private static String boxedValue(Object value) {
        String type;
        if (value instanceof Integer) {
            type = "int";
        } else if (value instanceof Character) {
            type = "char";
        } else if (value == null || value instanceof String) {
            throw new IllegalArgumentException("expected a boolean, a character or a number to box, found " + value);
        } else {
            type = value.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
        }
        boolean isFinite = !(value instanceof Number) || Double.isFinite(((Number) value).doubleValue());
        // A value has one annotation: what is not finite has a word of its own here.
        String word = isFinite ? primitive(value)
                : Double.isNaN(((Number) value).doubleValue()) ? "#nan" : ((Number) value).doubleValue() > 0 ? "#inf" : "#-inf";
        return "(" + type + ")" + word;
    }

    /** A name as a dump has it: its text, or its bytes where it has a lone surrogate. */
    private static String name(String name) {
        return isText(name) ? spell(name.startsWith("@") ? "@" + name : name) : bytes(name);
    }

    private static String checkedName(String name) {
        if (name.isEmpty() || name.equals("_") || name.startsWith("0x") || name.startsWith("class:") || name.startsWith("@")
                || name.endsWith("?") || !isText(name)) {
            throw new IllegalArgumentException("the name of an object is a text without lone surrogates, not empty and not _, that "
                    + "does not begin with 0x, class: or @ and does not end with ?; found " + name);
        }
        return name;
    }

    /** A text in quotes. Whatever is neither a letter nor a digit nor a common sign of ASCII is escaped. */
    private static String spell(String text) {
        if (!isText(text)) {
            throw new IllegalArgumentException("a lone surrogate in " + text + ", where a heap file has a text");
        }
        StringBuilder spelled = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            boolean isPlain = c < 0x7F && (Character.isLetterOrDigit(c) || " !#$%&'()*+,-.:;<=>?@[]^_`|~".indexOf(c) >= 0);
            if (isPlain) {
                spelled.append((char) c);
            } else {
                spelled.append("\\u{").append(Integer.toHexString(c)).append('}');
            }
        });
        return spelled.append('"').toString();
    }

    /** The modified UTF-8 of a name. */
    private static String bytes(String name) {
        StringBuilder digits = new StringBuilder("(bytes)\"");
        for (char c : name.toCharArray()) {
            if (c != 0 && c < 0x80) {
                digits.append(String.format("%02x", (int) c));
            } else if (c < 0x800) {
                digits.append(String.format("%02x%02x", 0xC0 | c >> 6, 0x80 | c & 0x3F));
            } else {
                digits.append(String.format("%02x%02x%02x", 0xE0 | c >> 12, 0x80 | c >> 6 & 0x3F, 0x80 | c & 0x3F));
            }
        }
        return digits.append('"').toString();
    }

    private static String units(String text) {
        StringBuilder digits = new StringBuilder("(utf16)\"");
        text.chars().forEach(c -> digits.append(String.format("%04x", c)));
        return digits.append('"').toString();
    }

    /** Whether a text has no lone surrogate. */
    private static boolean isText(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static boolean isJavaName(String name) {
        for (String part : name.split("\\.", -1)) {
            if (!isIdentifier(part)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isIdentifier(String name) {
        return isText(name) && !name.isEmpty() && Character.isJavaIdentifierStart(name.codePointAt(0))
                && name.codePoints().allMatch(c -> Character.isJavaIdentifierPart(c) && !Character.isIdentifierIgnorable(c));
    }
}
