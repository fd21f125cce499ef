package org.heapsmith;

/** The failure of a function of heapsmith's library: a status, and the reason as the library gives it. */
public final class HeapsmithException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The kind of a failure. */
    public enum Status {
        /** An argument is wrong: a recipe, a heap file, a format or a number. */
        ARGUMENT(2),
        /** The dump or listing breaks a rule of its format. */
        INVALID(3),
        /** A limit in bytes would be exceeded, or the machine failed. */
        LIMIT(4),
        /** A defect of heapsmith. */
        DEFECT(5);

        private final int code;

        Status(int code) {
            this.code = code;
        }

        /** The kind with a number of HeapsmithStatus in the C header. A number that the header does not have is a defect. */
        static Status ofCode(int code) {
            for (Status status : values()) {
                if (status.code == code) {
                    return status;
                }
            }
            return DEFECT;
        }
    }

    /** The kind of the failure. */
    private final Status status;

    HeapsmithException(Status status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * Gives the kind of the failure.
     *
     * @return the kind
     */
    public Status status() {
        return status;
    }
}
