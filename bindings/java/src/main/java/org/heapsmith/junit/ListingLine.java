package org.heapsmith.junit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A line of a listing (specs/listing.md): its keys and values, in the order in which they were given. The line is written when the next
 * one begins.
 *
 * @param <T> the kind of line
 */
public abstract class ListingLine<T extends ListingLine<T>> {
    final Map<String, Object> facts = new LinkedHashMap<>();

    ListingLine() {}

    abstract T self();

    /**
     * Gives a fact by the key of specs/listing.md, for those that have no method.
     *
     * @param key the key
     * @param value a text, a number, a boolean, or a list or map of such
     * @return this
     */
    public T put(String key, Object value) {
        facts.put(key, value);
        return self();
    }

    T putText(String key, String text) {
        return text == null ? self() : put(key, Json.text(text));
    }

    T putAddress(String key, long address) {
        return put(key, Json.hex(address));
    }

    T putAddresses(String key, long[] addresses) {
        List<String> all = new ArrayList<>(addresses.length);
        for (long address : addresses) {
            all.add(Json.hex(address));
        }
        return put(key, all);
    }

    T add(String key, Object item) {
        @SuppressWarnings("unchecked")
        List<Object> items = (List<Object>) facts.computeIfAbsent(key, unknown -> new ArrayList<>());
        items.add(item);
        return self();
    }
}
