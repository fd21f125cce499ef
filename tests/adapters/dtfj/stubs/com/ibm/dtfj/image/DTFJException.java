package com.ibm.dtfj.image;

/** A stub: of the public interface, the methods that the adapter calls. */
public class DTFJException extends Exception {
    private static final long serialVersionUID = 1;

    public DTFJException(String message) {
        super(message);
    }
}
