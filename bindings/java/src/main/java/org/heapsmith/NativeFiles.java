package org.heapsmith;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the library and the program are: files that properties name, or those of the jar. */
public final class NativeFiles {
    private static final String LIBRARY = "heapsmith.library";
    private static final String COMMAND = "heapsmith.command";
    /** The folder of the jar with the files of the one system for which it has any. */
    private static final String FOLDER = "linux-x86-64";

    private static Path folder;

    private NativeFiles() {}

    /**
     * Gives the path of the program {@code heapsmith}: the one that the property {@code heapsmith.command} names, or else that of
     * the jar, which is copied to a private temporary folder and deleted when the virtual machine ends.
     *
     * @return the path
     * @throws IllegalStateException if there is none for this system, or it cannot be copied
     */
    public static Path command() {
        return find(COMMAND, "heapsmith", "the program heapsmith");
    }

    static Path library() {
        return find(LIBRARY, "libheapsmith.so", "heapsmith's library");
    }

    private static Path find(String property, String name, String what) {
        String named = System.getProperty(property);
        if (named != null) {
            Path path = Path.of(named).toAbsolutePath();
            if (!Files.isRegularFile(path)) {
                throw new IllegalStateException("no file " + path + ", which -D" + property + " names as " + what);
            }
            return path;
        }
        String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!system.equals("Linux amd64")) {
            throw new IllegalStateException("the jar has " + what + " for Linux on x86-64 alone, and this is " + system
                    + ": build it (cargo build --release) and name it by -D" + property + "=PATH");
        }
        try {
            return extract(name);
        } catch (IOException e) {
            throw new IllegalStateException("copying " + what + " to a temporary folder: " + e
                    + "; a file elsewhere is named by -D" + property + "=PATH", e);
        }
    }

    private static synchronized Path extract(String name) throws IOException {
        if (folder == null) {
            // Its owner alone may read, write and enter it.
            folder = Files.createTempDirectory("heapsmith");
            folder.toFile().deleteOnExit();
        }
        Path path = folder.resolve(name);
        if (Files.exists(path)) {
            return path;
        }
        try (InputStream in = NativeFiles.class.getResourceAsStream("/" + FOLDER + "/" + name)) {
            if (in == null) {
                throw new IOException("the jar has no " + FOLDER + "/" + name);
            }
            path.toFile().deleteOnExit();
            Path part = folder.resolve(name + ".part");
            part.toFile().deleteOnExit();
            Files.copy(in, part, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            if (!part.toFile().setExecutable(true)) {
                throw new IOException(part + " cannot be made executable");
            }
            Files.move(part, path);
        }
        return path;
    }
}
