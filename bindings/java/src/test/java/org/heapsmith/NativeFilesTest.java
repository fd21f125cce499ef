package org.heapsmith;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the program and the library come from. */
class NativeFilesTest {
    @TempDir
    private Path folder;

    @AfterEach
    void clearProperties() {
        System.clearProperty("heapsmith.command");
        System.clearProperty("heapsmith.library");
    }

    @Test
    void copiesTheProgramOfTheJarToAPrivateFolder() throws Exception {
        Path command = NativeFiles.command();
        assertTrue(Files.isExecutable(command));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(command.getParent())));
        assertEquals(command, NativeFiles.command());
        assertEquals(command.getParent(), NativeFiles.library().getParent());
        Process process = new ProcessBuilder(command.toString(), "--version").start();
        assertTrue(new String(process.getInputStream().readAllBytes()).startsWith("heapsmith "));
    }

    @Test
    void takesFilesThatPropertiesName() throws Exception {
        Path own = Files.createFile(folder.resolve("own"));
        System.setProperty("heapsmith.command", own.toString());
        System.setProperty("heapsmith.library", folder.resolve("none").toString());
        assertEquals(own, NativeFiles.command());
        String message = assertThrows(IllegalStateException.class, NativeFiles::library).getMessage();
        assertTrue(message.contains(folder.resolve("none").toString()) && message.contains("-Dheapsmith.library"), message);
    }
}
