import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.tencent.matrix.resource.hproflib.HprofReader;
import com.tencent.matrix.resource.hproflib.HprofWriter;

/** An adapter for the HPROF library of Matrix, which copies a dump from its reader to its writer (see README.md). */
public class MatrixAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws IOException {
        Adapter.serve(new MatrixAdapter(arguments[0]));
    }

    private final String version;

    private MatrixAdapter(String version) {
        this.version = version;
    }

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "Matrix's hproflib", "version", version, "language", "Java", "converts", List.of(
                // The visitor has no methods for these three, so that its writer writes nothing for them.
                Adapter.object("from", "hprof", "to", "hprof", "loses",
                        List.of("signers", "protection-domain", "constant-pool"))));
    }

    @Override
    public void convert(Path dump, String from, String to, Path out) throws Adapter.Refusal, IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(dump));
                OutputStream file = new BufferedOutputStream(Files.newOutputStream(out))) {
            try {
                new HprofReader(in).accept(new HprofWriter(file));
            } catch (IOException | IllegalArgumentException | IllegalStateException refusal) {
                // The first it declares; the others it throws with messages about tags and types that it does not know.
                throw new Adapter.Refusal(refusal.toString());
            }
        }
    }
}
