package com.ibm.dtfj.java;

import java.util.Iterator;

/** A stub: of the public interface, the methods that the adapter calls. */
@SuppressWarnings("rawtypes")
public interface JavaClassLoader {
    Iterator getDefinedClasses();
}
