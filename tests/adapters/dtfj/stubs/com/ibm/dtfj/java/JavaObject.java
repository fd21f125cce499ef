package com.ibm.dtfj.java;

import java.util.Iterator;
import com.ibm.dtfj.image.CorruptDataException;
import com.ibm.dtfj.image.DataUnavailable;
import com.ibm.dtfj.image.ImagePointer;

/** A stub: of the public interface, the methods that the adapter calls. */
@SuppressWarnings("rawtypes")
public interface JavaObject {
    JavaClass getJavaClass() throws CorruptDataException;

    boolean isArray() throws CorruptDataException;

    int getArraySize() throws CorruptDataException;

    long getSize() throws CorruptDataException;

    long getHashcode() throws DataUnavailable, CorruptDataException;

    long getPersistentHashcode() throws DataUnavailable, CorruptDataException;

    ImagePointer getID();

    Iterator getReferences();
}
