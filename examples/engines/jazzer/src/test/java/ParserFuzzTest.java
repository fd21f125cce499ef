import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import com.code_intelligence.jazzer.mutation.annotation.WithSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.heapsmith.CorpusCase;
import org.heapsmith.Heapsmith;

/** Gives a parser dumps of heapsmith's corpus that are changed as Jazzer says. */
class ParserFuzzTest {
    private static final String FORMAT = "hprof"; // or phd4, phd5, phd6, classic
    private static final int MAX_SIZE = 1 << 16;
    private static final List<byte[]> BASES = Heapsmith.corpus()
            .filter(one -> one.description().contains("\"format\":\"" + FORMAT + "\""))
            .map(CorpusCase::dump).filter(dump -> dump.length <= MAX_SIZE).collect(Collectors.toList());

    /** Each number is one change of a dump: of a field, a record or the order, with lengths adjusted, or one that breaks a rule. */
    @FuzzTest(maxDuration = "5m")
    void parsesChangedDumps(short base, @NotNull @WithSize(max = 16) List<@NotNull Long> changes) throws Exception {
        byte[] dump = BASES.get((base & 0xFFFF) % BASES.size());
        for (long seed : changes) {
            dump = Heapsmith.mutate(dump, seed, MAX_SIZE);
        }
        try {
            Parser.parse(dump);
        } catch (IOException refusal) {
            // That is right of a dump that is broken.
        } catch (Throwable finding) {
            // The dump itself: what Jazzer keeps says only how it is made.
            Files.write(Path.of("finding." + FORMAT), dump);
            throw finding;
        }
    }
}
