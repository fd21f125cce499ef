package com.ibm.dtfj.java;

import java.util.Iterator;
import com.ibm.dtfj.image.CorruptDataException;
import com.ibm.dtfj.image.ImagePointer;

/** A stub: of the public interface, the methods that the adapter calls. */
@SuppressWarnings("rawtypes")
public interface JavaClass {
    JavaObject getObject() throws CorruptDataException;

    String getName() throws CorruptDataException;

    JavaClass getSuperclass() throws CorruptDataException;

    boolean isArray() throws CorruptDataException;

    JavaClass getComponentType() throws CorruptDataException;

    ImagePointer getID();

    Iterator getReferences();
}
