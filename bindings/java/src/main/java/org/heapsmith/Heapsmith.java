package org.heapsmith;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The functions of heapsmith's library: dumps are bytes, and facts about them are texts, in the forms that the program {@code
 * heapsmith} prints.
 *
 * <p>What is made has a limit in bytes: {@link #MAX_SIZE}, or a limit of one's own where a method takes one. A method throws a
 * {@link HeapsmithException} where the library fails, with the reason. All methods may be called from several threads.
 */
public final class Heapsmith {
    /** The most bytes of a dump or a text, unless a method takes another limit: 256 MiB. */
    public static final int MAX_SIZE = 256 << 20;

    private Heapsmith() {}

    /**
     * Makes the dump of a recipe.
     *
     * @param recipe a recipe, such as {@code preset=tiny,objects=20,seed=7,format=hprof}
     * @return the dump
     */
    public static byte[] generate(String recipe) {
        return generate(recipe, MAX_SIZE);
    }

    /**
     * Makes the dump of a recipe.
     *
     * @param recipe a recipe, such as {@code preset=tiny,objects=20,seed=7,format=hprof}
     * @param maxSize the most bytes of the dump
     * @return the dump
     */
    public static byte[] generate(String recipe, int maxSize) {
        byte[] text = utf8(recipe, "the recipe");
        return bytes(out -> library().heapsmith_generate(text, size(text), limit(maxSize), out));
    }

    /**
     * Builds the dump of a heap file. What the format does not record of it is left out.
     *
     * @param heapFile the text of the heap file; {@link HeapBuilder#text} writes one
     * @param format a format, such as {@code hprof}, or a format and a profile, such as {@code phd6/openj9}
     * @return the dump
     */
    public static byte[] build(String heapFile, String format) {
        return build(heapFile, format, MAX_SIZE);
    }

    /**
     * Builds the dump of a heap file. What the format does not record of it is left out.
     *
     * @param heapFile the text of the heap file; {@link HeapBuilder#text} writes one
     * @param format a format, such as {@code hprof}, or a format and a profile, such as {@code phd6/openj9}
     * @param maxSize the most bytes of the dump
     * @return the dump
     */
    public static byte[] build(String heapFile, String format, int maxSize) {
        byte[] text = utf8(heapFile, "the heap file");
        byte[] name = utf8(format, "the format");
        return bytes(out -> library().heapsmith_build(text, size(text), name, size(name), limit(maxSize), out));
    }

    /**
     * Makes a dump of a fuzzer's bytes, so that bytes that differ little give dumps that do. No bytes give the dump of the options.
     *
     * @param options a recipe, such as {@code preset=tiny,objects=20,format=hprof}
     * @param bytes the fuzzer's bytes: the first two are added to the seed, each eight of the following ones decide one change
     * @return the dump
     */
    public static byte[] dumpFromBytes(String options, byte[] bytes) {
        return dumpFromBytes(options, bytes, MAX_SIZE);
    }

    /**
     * Makes a dump of a fuzzer's bytes, so that bytes that differ little give dumps that do. No bytes give the dump of the options.
     *
     * @param options a recipe, such as {@code preset=tiny,objects=20,format=hprof}
     * @param bytes the fuzzer's bytes: the first two are added to the seed, each eight of the following ones decide one change
     * @param maxSize the most bytes of the dump
     * @return the dump
     */
    public static byte[] dumpFromBytes(String options, byte[] bytes, int maxSize) {
        byte[] text = utf8(options, "the options");
        return bytes(out -> library().heapsmith_dump_from_bytes(
                text, size(text), bytes, size(bytes), limit(maxSize), out));
    }

    /**
     * Changes an input by a seed. A dump mostly stays readable to its end; no bytes become a small dump; bytes that are no dump are
     * changed without regard to a format.
     *
     * @param bytes the input
     * @param seed the seed; the same input and seed give the same bytes
     * @param maxSize the most bytes of the output
     * @return the output
     */
    public static byte[] mutate(byte[] bytes, long seed, int maxSize) {
        return bytes(out -> library().heapsmith_mutate(bytes, size(bytes), seed, limit(maxSize), out));
    }

    /**
     * Crosses two inputs over: the output is the first one with some records of the other.
     *
     * @param one the first input
     * @param other the other input; where it is no dump of the same format, the first one is changed as by {@link #mutate}
     * @param seed the seed; the same inputs and seed give the same bytes
     * @param maxSize the most bytes of the output
     * @return the output
     */
    public static byte[] crossOver(byte[] one, byte[] other, long seed, int maxSize) {
        return bytes(out -> library().heapsmith_cross_over(
                one, size(one), other, size(other), seed, limit(maxSize), out));
    }

    /**
     * Says whether bytes begin like a dump of any format.
     *
     * @param bytes the bytes
     * @return whether they do
     */
    public static boolean isDump(byte[] bytes) {
        return library().heapsmith_is_dump(bytes, size(bytes)) != 0;
    }

    /**
     * Gives the findings of a dump. A dump that breaks rules is no failure: the report says so.
     *
     * @param dump the dump
     * @return JSON, as {@code heapsmith validate --json} prints it
     */
    public static String validate(byte[] dump) {
        return text(out -> library().heapsmith_validate(dump, size(dump), limit(MAX_SIZE), out));
    }

    /**
     * Gives the listing of a dump's first heap.
     *
     * @param dump a dump that can be read to its end
     * @return JSON Lines, as {@code heapsmith decode} prints them
     */
    public static String listing(byte[] dump) {
        return listing(dump, 0);
    }

    /**
     * Gives the listing of a heap of a dump.
     *
     * @param dump a dump that can be read to its end
     * @param heap the index of the heap, from 0
     * @return JSON Lines, as {@code heapsmith decode} prints them
     */
    public static String listing(byte[] dump, int heap) {
        return text(out -> library().heapsmith_listing(dump, size(dump), index(heap), limit(MAX_SIZE), out));
    }

    /**
     * Gives what an analyser should find in a dump's first heap.
     *
     * @param dump a dump that can be read to its end
     * @return JSON, as {@code heapsmith answers --json} prints it
     */
    public static String answers(byte[] dump) {
        return answers(dump, 0);
    }

    /**
     * Gives what an analyser should find in a heap of a dump.
     *
     * @param dump a dump that can be read to its end
     * @param heap the index of the heap, from 0
     * @return JSON, as {@code heapsmith answers --json} prints it
     */
    public static String answers(byte[] dump, int heap) {
        return text(out -> library().heapsmith_answers(dump, size(dump), index(heap), limit(MAX_SIZE), out));
    }

    /**
     * Gives the digest of a dump's first heap.
     *
     * @param dump a dump that can be read to its end
     * @return JSON, as {@code heapsmith digest --buckets --json} prints it
     */
    public static String digest(byte[] dump) {
        return digest(dump, 0);
    }

    /**
     * Gives the digest of a heap of a dump.
     *
     * @param dump a dump that can be read to its end
     * @param heap the index of the heap, from 0
     * @return JSON, as {@code heapsmith digest --buckets --json} prints it
     */
    public static String digest(byte[] dump, int heap) {
        return text(out -> library().heapsmith_digest(dump, size(dump), index(heap), limit(MAX_SIZE), out));
    }

    /**
     * Compares a dump's first heap with the listing that a program made of it.
     *
     * @param dump a dump that can be read to its end
     * @param listing the listing, as specs/listing.md says
     * @return the outcome
     */
    public static Comparison compareListing(byte[] dump, String listing) {
        return compareListing(dump, 0, listing);
    }

    /**
     * Compares a heap of a dump with the listing that a program made of it.
     *
     * @param dump a dump that can be read to its end
     * @param heap the index of the heap, from 0
     * @param listing the listing, as specs/listing.md says
     * @return the outcome
     */
    public static Comparison compareListing(byte[] dump, int heap, String listing) {
        byte[] other = utf8(listing, "the listing");
        return comparison(out -> library().heapsmith_compare_listing(
                dump, size(dump), index(heap), other, size(other), limit(MAX_SIZE), out));
    }

    /**
     * Compares a dump's first heap with the digest that a program made of it.
     *
     * @param dump a dump that can be read to its end
     * @param digest the digest, as specs/digest.md says
     * @return the outcome
     */
    public static Comparison compareDigest(byte[] dump, String digest) {
        return compareDigest(dump, 0, digest);
    }

    /**
     * Compares a heap of a dump with the digest that a program made of it.
     *
     * @param dump a dump that can be read to its end
     * @param heap the index of the heap, from 0
     * @param digest the digest, as specs/digest.md says
     * @return the outcome
     */
    public static Comparison compareDigest(byte[] dump, int heap, String digest) {
        byte[] other = utf8(digest, "the digest");
        return comparison(out -> library().heapsmith_compare_digest(
                dump, size(dump), index(heap), other, size(other), limit(MAX_SIZE), out));
    }

    /**
     * Gives the cases of the corpus by id, one after the other. The first call takes some seconds.
     *
     * @return the cases, each made when the stream comes to it
     */
    public static Stream<CorpusCase> corpus() {
        NativeLibrary.Size.ByReference count = new NativeLibrary.Size.ByReference();
        ensure(library().heapsmith_corpus_count(count), false);
        return IntStream.range(0, Math.toIntExact(count.getValue())).mapToObj(Heapsmith::corpusCase);
    }

    static Optional<String> corpusAnswer(int number, int answer) {
        NativeLibrary.Buffer out = new NativeLibrary.Buffer();
        try {
            int status = library().heapsmith_corpus_answer(index(number), index(answer), limit(MAX_SIZE), out);
            ensure(status, true);
            return status == NativeLibrary.NO ? Optional.empty() : Optional.of(string(out));
        } finally {
            library().heapsmith_free(out);
        }
    }

    private static CorpusCase corpusCase(int number) {
        NativeLibrary.Buffer dump = new NativeLibrary.Buffer();
        NativeLibrary.Buffer description = new NativeLibrary.Buffer();
        try {
            ensure(library().heapsmith_corpus_case(index(number), limit(MAX_SIZE), dump, description), false);
            return new CorpusCase(number, contents(dump), string(description));
        } finally {
            library().heapsmith_free(dump);
            library().heapsmith_free(description);
        }
    }

    /** A call that fills a buffer. */
    private interface Call {
        int into(NativeLibrary.Buffer out);
    }

    private static byte[] bytes(Call call) {
        NativeLibrary.Buffer out = new NativeLibrary.Buffer();
        try {
            ensure(call.into(out), false);
            return contents(out);
        } finally {
            library().heapsmith_free(out);
        }
    }

    private static String text(Call call) {
        return new String(bytes(call), StandardCharsets.UTF_8);
    }

    private static Comparison comparison(Call call) {
        NativeLibrary.Buffer out = new NativeLibrary.Buffer();
        try {
            int status = call.into(out);
            ensure(status, true);
            return new Comparison(status == NativeLibrary.OK, string(out));
        } finally {
            library().heapsmith_free(out);
        }
    }

    private static byte[] contents(NativeLibrary.Buffer buffer) {
        // A buffer without bytes has a null pointer.
        return buffer.data == null ? new byte[0] : buffer.data.getByteArray(0, Math.toIntExact(buffer.length.longValue()));
    }

    private static String string(NativeLibrary.Buffer buffer) {
        return new String(contents(buffer), StandardCharsets.UTF_8);
    }

    /** Throws unless a status says that the call was done, or, where that is an answer, that there is nothing to give. */
    private static void ensure(int status, boolean noIsAnswer) {
        if (status != NativeLibrary.OK && !(noIsAnswer && status == NativeLibrary.NO)) {
            String reason = library().heapsmith_last_error();
            HeapsmithException.Status kind = HeapsmithException.Status.ofCode(status);
            throw new HeapsmithException(kind, reason == null ? "status " + status + " without a reason" : reason);
        }
    }

    private static NativeLibrary.Size size(byte[] bytes) {
        return new NativeLibrary.Size(bytes.length);
    }

    private static NativeLibrary.Size limit(int maxSize) {
        if (maxSize < 0) {
            throw new IllegalArgumentException("the most bytes: expected 0 or more, found " + maxSize);
        }
        return new NativeLibrary.Size(maxSize);
    }

    private static NativeLibrary.Size index(int index) {
        if (index < 0) {
            throw new IllegalArgumentException("the index of a heap: expected 0 or more, found " + index);
        }
        return new NativeLibrary.Size(index);
    }

    /** The bytes of a text. A lone surrogate has none, and is not replaced in silence. */
    private static byte[] utf8(String text, String what) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(what + " has a lone surrogate, which UTF-8 cannot hold", e);
        }
    }

    /** The library, which the first call loads; a failure is the failure of each call. */
    private static synchronized NativeLibrary library() {
        if (library == null) {
            library = NativeLibrary.load();
        }
        return library;
    }

    private static NativeLibrary library;
}
