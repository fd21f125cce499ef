package com.ibm.dtfj.runtime;

import com.ibm.dtfj.image.CorruptDataException;

/** A stub: of the public interface, the methods that the adapter calls. */
public interface ManagedRuntime {
    String getVersion() throws CorruptDataException;
}
