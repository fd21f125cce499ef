package com.ibm.dtfj.image;

import java.util.Iterator;

/** A stub: of the public interface, the methods that the adapter calls. */
@SuppressWarnings("rawtypes")
public interface ImageAddressSpace {
    Iterator getProcesses();
}
