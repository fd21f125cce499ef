package com.ibm.dtfj.image;

/** A stub: of the public interface, the methods that the adapter calls. */
public class DataUnavailable extends DTFJException {
    private static final long serialVersionUID = 1;

    public DataUnavailable(String message) {
        super(message);
    }
}
