package com.ibm.dtfj.image;

/** A stub: of the public interface, the methods that the adapter calls. */
public class CorruptDataException extends DTFJException {
    private static final long serialVersionUID = 1;
    private final transient CorruptData data;

    public CorruptDataException(CorruptData data) {
        super(data.toString());
        this.data = data;
    }

    public CorruptData getCorruptData() {
        return data;
    }
}
