package com.ibm.dtfj.image;

import java.io.File;
import java.io.IOException;

/** A stub: of the public interface, the methods that the adapter calls. */
public interface ImageFactory {
    Image getImage(File dump) throws IOException;
}
