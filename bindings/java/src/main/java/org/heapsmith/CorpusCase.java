package org.heapsmith;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A case of heapsmith's corpus: a dump, and every answer that is right. */
public final class CorpusCase {
    private final int number;
    private final byte[] dump;
    private final String description;
    private final JsonObject facts;

    CorpusCase(int number, byte[] dump, String description) {
        this.number = number;
        this.dump = dump;
        this.description = description;
        this.facts = JsonParser.parseString(description).getAsJsonObject();
    }

    /**
     * Gives the case's id, such as {@code hprof-spelled-empty}.
     *
     * @return the id
     */
    public String id() {
        return facts.get("id").getAsString();
    }

    /**
     * Gives the case's description: JSON, as {@code corpus/manifest.json} has it.
     *
     * @return the description
     */
    public String description() {
        return description;
    }

    /**
     * Gives the bytes of the dump.
     *
     * @return a copy of the bytes
     */
    public byte[] dump() {
        return dump.clone();
    }

    /**
     * Gives every answer that is right, the one of the default reading first. Listings are made by this call.
     *
     * @return the answers
     */
    public List<Answer> answers() {
        List<Answer> answers = new ArrayList<>();
        for (JsonElement answer : facts.getAsJsonArray("answers")) {
            String reading = answer.getAsJsonObject().get("reading").getAsString();
            answers.add(new Answer(reading, Heapsmith.corpusAnswer(number, answers.size())));
        }
        return Collections.unmodifiableList(answers);
    }

    @Override
    public String toString() {
        return id();
    }

    /** A right answer about a case: a listing, or a refusal. */
    public static final class Answer {
        private final String reading;
        private final Optional<String> listing;

        Answer(String reading, Optional<String> listing) {
            this.reading = reading;
            this.listing = listing;
        }

        /**
         * Gives the reading of the format under which the answer is right.
         *
         * @return the reading, in words
         */
        public String reading() {
            return reading;
        }

        /**
         * Gives the listing.
         *
         * @return the listing; none where the dump has to be refused
         */
        public Optional<String> listing() {
            return listing;
        }
    }
}
