package org.heapsmith.junit;

/** The parser does not take a dump. */
public class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    /** The offset, or -1. */
    private final long offset;

    /**
     * Makes a refusal.
     *
     * @param message why the dump is refused
     */
    public Refusal(String message) {
        this(message, -1);
    }

    /**
     * Makes a refusal of bytes at a known place: with it, a report names the rule that the dump breaks.
     *
     * @param message why the dump is refused
     * @param offset the offset of the first bad byte in the decompressed dump; -1 if it is not known
     */
    public Refusal(String message, long offset) {
        super(message);
        this.offset = offset;
    }

    /**
     * Gives the offset of the first bad byte.
     *
     * @return the offset, or -1 if it is not known
     */
    public long offset() {
        return offset;
    }
}
