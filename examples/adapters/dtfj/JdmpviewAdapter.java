import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The heap dumps that OpenJ9's jdmpview writes, through the adapter protocol (see README.md): it opens a PHD dump and
 * is told to write the heap as PHD or classic text.
 *
 * The argument is the program; without one it is the variable JDMPVIEW, and else `jdmpview`. With {@code --write DUMP
 * OUT} after it, OUT is written: PHD if its name ends in .phd, and else classic text. DUMP can be a core, too.
 */
public class JdmpviewAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws Exception {
        List<String> words = List.of(arguments);
        boolean isNamed = !words.isEmpty() && !words.get(0).equals("--write");
        String program = isNamed ? words.get(0) : System.getenv("JDMPVIEW");
        JdmpviewAdapter adapter = new JdmpviewAdapter(program == null ? "jdmpview" : program);
        int write = words.indexOf("--write");
        if (write < 0) Adapter.serve(adapter);
        else adapter.write(Path.of(words.get(write + 1)), words.get(write + 2).endsWith(".phd") ? "phd" : "txt",
                Path.of(words.get(write + 2)));
    }

    private final String program;

    JdmpviewAdapter(String program) {
        // It is run in another folder.
        this.program = program.contains("/") ? Path.of(program).toAbsolutePath().toString() : program;
    }

    // What jdmpview's dumps of a PHD lack although the format could hold it:
    // - array-length: in PHD a primitive array has the width of the field in the place of its length;
    // - class-references: it looks for statics and the constant pool, which DTFJ does not have of a PHD, and writes the
    //   superclasses and the loader in their place;
    // - hash-16, hash-32: primitive arrays have none. It writes 16 or 32 bits by what the version text says.
    private static final List<String> PHD = List.of("array-length", "class-references", "hash-16", "hash-32");
    private static final List<String> CLASSIC = List.of("class-references");

    @Override
    public Map<String, Object> hello(int protocol) {
        List<Map<String, Object>> converts = List.of(
                Adapter.object("from", "phd", "to", "phd6/jdmpview", "loses", PHD),
                Adapter.object("from", "phd", "to", "classic/jdmpview", "loses", CLASSIC));
        if (protocol == 1) converts.forEach(pair -> pair.remove("loses"));
        return Adapter.object("name", "jdmpview", "version", "", "language", "Java", "converts", converts,
                // Those of DTFJ, through which it reads: see DtfjAdapter.java. It turns the elements of arrays round
                // again as it writes them, so that they are in the order of the file.
                "readings", Adapter.object("phd.first-reference", "dropped",
                        "phd.array-class", "first-reference-removed"),
                "names", "text");
    }

    private static final Pattern WROTE = Pattern.compile("(?m)^(?:Successfully wrote|Wrote) \\d+ objects and .*");

    @Override
    public void convert(Path dump, String from, String to, Path out) throws Adapter.Refusal, IOException {
        write(dump, to.startsWith("phd") ? "phd" : "txt", out);
    }

    private void write(Path dump, String format, Path out) throws Adapter.Refusal, IOException {
        // Its commands have no sure way to quote a path with a blank. So it runs in a folder where all names are plain.
        Path folder = Files.createTempDirectory(temporary(), "jdmpview");
        try {
            String name = "dump" + suffix(dump);
            Files.createSymbolicLink(folder.resolve(name), dump.toAbsolutePath());
            Files.write(folder.resolve("commands"),
                    List.of("set heapdump " + format, "set heapdump file written", "heapdump"));
            String said = run(folder, program, "-core", name, "-cmdfile", "commands");
            System.err.println(said);
            Matcher wrote = WROTE.matcher(said);
            if (said.contains("Could not load dump file")) throw new Adapter.Refusal(said);
            // Neither a refusal nor a dump: one of its exceptions, which it prints and forgets.
            if (!wrote.find()) throw new IllegalStateException("jdmpview did not write a heap dump");
            // "Wrote 3 objects and 2 classes and encountered 1 errors." What it could not read is left out of the dump.
            if (wrote.group().contains("errors")) Adapter.warn(wrote.group());
            Files.move(folder.resolve("written"), out);
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
            }
        }
    }

    /** The suffix by which the program knows what the dump is: it does not see by its bytes that it is compressed. */
    private static String suffix(Path dump) throws IOException {
        try (InputStream bytes = Files.newInputStream(dump)) {
            if (bytes.read() == 0x1F && bytes.read() == 0x8B) return ".phd.gz";
        }
        return dump.toString().replaceFirst("(?s).*?([.]\\w*)?$", "$1");
    }

    /** The folder that the runner removes when the process is gone; Java does not look at this variable by itself. */
    private static Path temporary() {
        String folder = System.getenv("TMPDIR");
        return Path.of(folder == null ? System.getProperty("java.io.tmpdir") : folder);
    }

    /** What a program prints. It may not read our requests, nor write among our answers. */
    private static String run(Path folder, String... command) throws IOException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), UTF_8);
    }
}
