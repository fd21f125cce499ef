package org.heapsmith;

/** The outcome of a comparison of a dump with a listing or a digest. */
public final class Comparison {
    private final boolean isSame;
    private final String report;

    Comparison(boolean isSame, String report) {
        this.isSame = isSame;
        this.report = report;
    }

    /**
     * Says whether every fact that was compared is the same.
     *
     * @return whether nothing differs
     */
    public boolean isSame() {
        return isSame;
    }

    /**
     * Gives the report: JSON, as {@code heapsmith compare --json} prints it.
     *
     * @return the report
     */
    public String report() {
        return report;
    }

    @Override
    public String toString() {
        return report;
    }
}
