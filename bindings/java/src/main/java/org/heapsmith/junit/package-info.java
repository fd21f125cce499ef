/** A JUnit 5 extension that runs a parser of heap dumps over heapsmith's cases: a dynamic test for each. */
package org.heapsmith.junit;
