/** JVM heap dumps: made, changed, validated, listed and compared; and heaps that are built by names. */
package org.heapsmith;
