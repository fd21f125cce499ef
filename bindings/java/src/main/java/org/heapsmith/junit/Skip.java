package org.heapsmith.junit;

/** A dump cannot be put to the parser; its case is neither passed nor failed. */
public class Skip extends Exception {
    private static final long serialVersionUID = 1;

    /**
     * Makes a skip.
     *
     * @param reason why
     */
    public Skip(String reason) {
        super(reason);
    }
}
