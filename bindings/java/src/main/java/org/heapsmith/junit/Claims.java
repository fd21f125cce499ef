package org.heapsmith.junit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a parser reports, and what it does in its own way. specs/adapter.md has every declaration; {@code heapsmith facets} and {@code
 * heapsmith adapter readings} print the names. A name that heapsmith does not know fails a test of the run.
 */
public final class Claims {
    /** Keys of hello that are none of the declarations of specs/adapter.md. */
    private static final Set<String> OTHER_KEYS = Set.of("name", "version", "language", "reads", "heaps", "omits");

    private final Map<String, Object> declarations = new LinkedHashMap<>();
    private final Set<String> facets = new LinkedHashSet<>(List.of("address", "kind"));
    private final Map<String, String> readings = new LinkedHashMap<>();
    private final List<KnownRefusal> refusals = new ArrayList<>();

    private Claims(String name) {
        declarations.put("name", name);
        declarations.put("version", "");
        declarations.put("language", "Java");
    }

    /**
     * Begins the claims of a parser.
     *
     * @param name the name of the parser in reports
     * @return the claims
     */
    public static Claims of(String name) {
        return new Claims(name);
    }

    /**
     * Gives the version of the parser.
     *
     * @param version the version in reports
     * @return this
     */
    public Claims version(String version) {
        declarations.put("version", version);
        return this;
    }

    /**
     * Names the formats that the parser reads. Without it, these are the format of {@link HeapDumps}, or all.
     *
     * @param formats of {@code hprof}, {@code phd4}, {@code phd5}, {@code phd6}, {@code phd}, {@code classic}
     * @return this
     */
    public Claims reads(String... formats) {
        declarations.put("reads", List.of(formats));
        return this;
    }

    /**
     * Names the facets that the parser reports. Addresses and kinds are always among them.
     *
     * @param names facets, such as {@code class-name}, {@code fields}, {@code roots}
     * @return this
     */
    public Claims facets(String... names) {
        facets.addAll(List.of(names));
        return this;
    }

    /**
     * Declares something of the protocol that is a choice.
     *
     * @param key a key of specs/adapter.md, such as {@code statics}
     * @param choice the choice, such as {@code by-name}
     * @return this
     */
    public Claims declare(String key, String choice) {
        declarations.put(key, choice);
        return this;
    }

    /**
     * Declares something of the protocol that is a list of choices.
     *
     * @param key a key of specs/adapter.md, such as {@code skips}
     * @param choices the choices; they add up
     * @return this
     */
    public Claims declareAll(String key, String... choices) {
        List<String> all = new ArrayList<>();
        if (declarations.get(key) instanceof List) {
            ((List<?>) declarations.get(key)).forEach(choice -> all.add((String) choice));
        }
        all.addAll(List.of(choices));
        declarations.put(key, all);
        return this;
    }

    /**
     * Declares which of several right readings the parser follows. What is not declared is found out.
     *
     * @param name a reading, such as {@code hprof.array-class}
     * @param choice the choice, such as {@code elements}
     * @return this
     */
    public Claims reading(String name, String choice) {
        readings.put(name, choice);
        return this;
    }

    /**
     * Declares that names of classes are those of Java's source, such as {@code java.lang.String} and {@code int[]}.
     *
     * @return this
     */
    public Claims javaNames() {
        return declare("class_names", "java");
    }

    /**
     * Declares that names are text: bytes that are not valid text are replaced.
     *
     * @return this
     */
    public Claims textNames() {
        return declare("names", "text");
    }

    /**
     * Declares that what has no name in the dump has a placeholder for one.
     *
     * @return this
     */
    public Claims placeholderNames() {
        return declare("unnamed", "placeholder");
    }

    /**
     * Declares that a boolean is true or false, whatever its byte is.
     *
     * @return this
     */
    public Claims booleans01() {
        return declare("booleans", "0/1");
    }

    /**
     * Declares that NaNs may be made quiet.
     *
     * @return this
     */
    public Claims quietNans() {
        return declare("nans", "quiet");
    }

    /**
     * Declares that neither sign nor payload of a NaN is kept.
     *
     * @return this
     */
    public Claims anyNans() {
        return declare("nans", "any");
    }

    /**
     * Declares that a reference to what is not in the dump is null.
     *
     * @return this
     */
    public Claims danglingNull() {
        return declare("dangling", "null");
    }

    /**
     * Declares that objects have other identifiers than the dump's.
     *
     * @return this
     */
    public Claims opaqueIdentifiers() {
        return declare("identifies", "opaque");
    }

    /**
     * Declares that equal roots are listed once.
     *
     * @return this
     */
    public Claims rootsOnce() {
        return declare("roots", "once");
    }

    /**
     * Declares that static fields come in any order.
     *
     * @return this
     */
    public Claims staticsInAnyOrder() {
        return declare("statics", "any-order");
    }

    /**
     * Declares that static fields come from a map by name.
     *
     * @return this
     */
    public Claims staticsByName() {
        return declare("statics", "by-name");
    }

    /**
     * Declares that instance fields come in any order, and values in the same.
     *
     * @return this
     */
    public Claims fieldsInAnyOrder() {
        return declare("fields", "any-order");
    }

    /**
     * Declares that {@link HeapSink#heap} is looked at in a dump with several heaps.
     *
     * @return this
     */
    public Claims severalHeaps() {
        declarations.put("heaps", true);
        return this;
    }

    /**
     * Says by which exception the parser refuses a dump. Any other exception is a crash.
     *
     * @param exception the class of the exception; its subclasses count, too
     * @return this
     */
    public Claims refusedBy(Class<? extends Exception> exception) {
        refusals.add(new KnownRefusal(exception, null));
        return this;
    }

    /**
     * Says by which exception, with which message, the parser refuses a dump.
     *
     * @param exception the class of the exception; its subclasses count, too
     * @param pattern a regular expression that has to be found in the message; a group {@code (?<offset>...)} in it is the offset of
     *     the first bad byte, decimal or with {@code 0x}
     * @return this
     */
    public Claims refusedBy(Class<? extends Exception> exception, String pattern) {
        refusals.add(new KnownRefusal(exception, Pattern.compile(pattern)));
        return this;
    }

    /** The answer to hello, but for its id and protocol. */
    Map<String, Object> hello(String format) {
        Map<String, Object> hello = new LinkedHashMap<>(declarations);
        hello.putIfAbsent("reads", format.isEmpty() ? List.of("hprof", "phd", "classic") : List.of(format));
        hello.put("levels", List.of("listing"));
        hello.put("facets", List.copyOf(facets));
        hello.put("readings", readings);
        return hello;
    }

    /**
     * Refuses keys and choices that heapsmith does not know: it would pass over them without a word, or refuse each case.
     *
     * @param known the choices by key, as {@code heapsmith adapter readings --json} has them
     */
    void check(Map<String, List<String>> known) {
        for (Map.Entry<String, Object> entry : declarations.entrySet()) {
            List<String> choices = known.get(entry.getKey());
            if (OTHER_KEYS.contains(entry.getKey())) {
                continue;
            } else if (choices == null) {
                throw new IllegalArgumentException("the claims declare \"" + entry.getKey() + "\", and the declarations are "
                        + String.join(", ", known.keySet()) + "; `heapsmith adapter readings` explains them");
            }
            List<?> declared = entry.getValue() instanceof List ? (List<?>) entry.getValue() : List.of(entry.getValue());
            for (Object choice : declared) {
                if (!choices.contains(choice)) {
                    throw new IllegalArgumentException("the claims declare \"" + entry.getKey() + "\" as \"" + choice
                            + "\", and the choices are " + String.join(", ", choices) + "; `heapsmith adapter readings` explains them");
                }
            }
        }
    }

    boolean reports(String facet) {
        return facets.contains(facet);
    }

    /** The refusal that an exception is; null for a crash. */
    Refusal refusal(Throwable failure) {
        if (failure instanceof Refusal) {
            return (Refusal) failure;
        }
        for (KnownRefusal known : refusals) {
            Refusal refusal = known.match(failure);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    private static final class KnownRefusal {
        private final Class<? extends Exception> exception;
        private final Pattern pattern;

        KnownRefusal(Class<? extends Exception> exception, Pattern pattern) {
            this.exception = exception;
            this.pattern = pattern;
        }

        Refusal match(Throwable failure) {
            if (!exception.isInstance(failure)) {
                return null;
            }
            if (pattern == null) {
                return new Refusal(failure.toString());
            }
            Matcher matcher = pattern.matcher(String.valueOf(failure.getMessage()));
            return matcher.find() ? new Refusal(failure.toString(), offset(matcher)) : null;
        }

        private long offset(Matcher matcher) {
            // A pattern without such a group has no place.
            if (!pattern.pattern().contains("(?<offset>") || matcher.group("offset") == null) {
                return -1;
            }
            try {
                return Long.decode(matcher.group("offset").replaceFirst("^0+(?=[0-9])", ""));
            } catch (NumberFormatException e) {
                return -1;
            }
        }
    }
}
