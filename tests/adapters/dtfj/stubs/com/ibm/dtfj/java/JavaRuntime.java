package com.ibm.dtfj.java;

import java.util.Iterator;
import com.ibm.dtfj.runtime.ManagedRuntime;

/** A stub: of the public interface, the methods that the adapter calls. */
@SuppressWarnings("rawtypes")
public interface JavaRuntime extends ManagedRuntime {
    Iterator getJavaClassLoaders();

    Iterator getHeaps();
}
