package com.ibm.dtfj.image;

/** A stub: of the public interface, the methods that the adapter calls. */
public interface ImagePointer {
    long getAddress();
}
