package org.heapsmith.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The cases that a {@link HeapParser} is asked about, and its limits. */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface HeapDumps {
    /**
     * The format of the dumps: {@code hprof}, {@code phd} or {@code classic}.
     *
     * @return the format; empty for all that the claims read
     */
    String format() default "";

    /**
     * The number of random dumps besides the corpus.
     *
     * @return the number
     */
    int random() default 0;

    /**
     * The seed of the random dumps.
     *
     * @return the seed
     */
    long seed() default 0;

    /**
     * The cases: an id, a part of ids, a pattern with {@code *}, {@code ?} and {@code [...]}, or {@code rule=PATTERN}. Several add up.
     *
     * @return the filters; none for all cases
     */
    String[] filter() default {};

    /**
     * The file of expected failures, as {@code heapsmith check --expected} takes it (docs/expected-failures.md).
     *
     * @return the path, from the folder in which the tests run; empty for none
     */
    String expected() default "";

    /**
     * The most seconds for a case; each MiB of its dump adds half a second.
     *
     * @return the seconds
     */
    int timeLimit() default 10;

    /**
     * The size of the Java heap of a parser's process, in MiB. With all that it has besides, a process may have 1 GiB more.
     *
     * @return the size
     */
    int memory() default 512;

    /**
     * The most dumps that are made to find out what failures have in common, within 60 seconds.
     *
     * @return the number; 0 to explain nothing
     */
    int explain() default 2000;

    /**
     * Further arguments for the virtual machine of a parser's process, such as {@code --add-opens=...}.
     *
     * @return the arguments
     */
    String[] jvmArguments() default {};
}
