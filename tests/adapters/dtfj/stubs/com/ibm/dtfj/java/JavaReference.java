package com.ibm.dtfj.java;

import com.ibm.dtfj.image.CorruptDataException;
import com.ibm.dtfj.image.DataUnavailable;

/** A stub: of the public interface, the methods that the adapter calls. */
public interface JavaReference {
    int REFERENCE_UNKNOWN = 0;
    int REFERENCE_CLASS = 1;
    int REFERENCE_FIELD = 2;
    int REFERENCE_ARRAY_ELEMENT = 3;
    int REFERENCE_CLASS_LOADER = 4;
    int REFERENCE_SUPERCLASS = 10;
    int REFERENCE_LOADED_CLASS = 11;

    int getReferenceType() throws CorruptDataException;

    Object getTarget() throws DataUnavailable, CorruptDataException;
}
