package org.heapsmith;

import com.sun.jna.IntegerType;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import java.util.Map;

/** The functions of heapsmith.h, under their own names. */
interface NativeLibrary extends Library {
    /** HEAPSMITH_ABI_VERSION of the header that these functions follow. */
    int ABI_VERSION = 1;

    int OK = 0;
    int NO = 1;

    int heapsmith_abi_version();

    void heapsmith_free(Buffer buffer);

    String heapsmith_last_error();

    int heapsmith_validate(byte[] dump, Size length, Size maxSize, Buffer out);

    int heapsmith_listing(byte[] dump, Size length, Size heap, Size maxSize, Buffer out);

    int heapsmith_answers(byte[] dump, Size length, Size heap, Size maxSize, Buffer out);

    int heapsmith_digest(byte[] dump, Size length, Size heap, Size maxSize, Buffer out);

    int heapsmith_compare_listing(
            byte[] dump, Size length, Size heap, byte[] listing, Size listingLength, Size maxSize, Buffer out);

    int heapsmith_compare_digest(
            byte[] dump, Size length, Size heap, byte[] digest, Size digestLength, Size maxSize, Buffer out);

    int heapsmith_corpus_count(Size.ByReference out);

    int heapsmith_corpus_case(Size number, Size maxSize, Buffer dump, Buffer description);

    int heapsmith_corpus_answer(Size number, Size answer, Size maxSize, Buffer out);

    int heapsmith_generate(byte[] recipe, Size recipeLength, Size maxSize, Buffer out);

    int heapsmith_build(byte[] text, Size textLength, byte[] format, Size formatLength, Size maxSize, Buffer out);

    int heapsmith_dump_from_bytes(
            byte[] options, Size optionsLength, byte[] bytes, Size length, Size maxSize, Buffer out);

    byte heapsmith_is_dump(byte[] bytes, Size length);

    int heapsmith_mutate(byte[] bytes, Size length, long seed, Size maxSize, Buffer out);

    int heapsmith_cross_over(
            byte[] one, Size oneLength, byte[] other, Size otherLength, long seed, Size maxSize, Buffer out);

    /** HeapsmithBuffer. */
    @Structure.FieldOrder({"data", "length"})
    class Buffer extends Structure {
        public Pointer data;
        public Size length = new Size();
    }

    /** size_t. */
    class Size extends IntegerType {
        private static final long serialVersionUID = 1;

        public Size() {
            this(0);
        }

        public Size(long value) {
            super(Native.SIZE_T_SIZE, value, true);
        }

        /** A pointer to one. */
        public static class ByReference extends com.sun.jna.ptr.ByReference {
            public ByReference() {
                super(Native.SIZE_T_SIZE);
            }

            long getValue() {
                return Native.SIZE_T_SIZE == 8 ? getPointer().getLong(0) : getPointer().getInt(0) & 0xFFFF_FFFFL;
            }
        }
    }

    /** Loads the library. */
    static NativeLibrary load() {
        String path = NativeFiles.library().toString();
        NativeLibrary library =
                Native.load(path, NativeLibrary.class, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));
        int version = library.heapsmith_abi_version();
        if (version != ABI_VERSION) {
            throw new IllegalStateException(path + " has version " + version + " of heapsmith's functions, and the jar needs version "
                    + ABI_VERSION + ": take both from one release");
        }
        return library;
    }
}
