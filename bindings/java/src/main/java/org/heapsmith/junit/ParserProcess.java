package org.heapsmith.junit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The adapter (specs/adapter.md) around a {@link HeapParser}: a process that {@code heapsmith check} starts, limits and restarts. */
public final class ParserProcess {
    private static final int PROTOCOL = 2;

    private final HeapParser parser;
    private final Claims claims;
    private final String format;

    private ParserProcess(HeapParser parser, String format) {
        this.parser = parser;
        this.claims = parser.claims();
        this.format = format;
    }

    /**
     * Answers requests until standard input ends.
     *
     * @param arguments the name of a class that implements {@link HeapParser}, and the format of its dumps if it reads no other
     * @throws Exception if there is no such class, or it cannot be made
     */
    public static void main(String[] arguments) throws Exception {
        // The runner removes this folder when the process is gone, however it ends.
        String temporary = System.getenv("TMPDIR");
        if (temporary != null) {
            System.setProperty("java.io.tmpdir", temporary);
        }
        // Standard output is for answers alone. What else is printed there goes to standard error.
        try (OutputStream answers = new FileOutputStream(FileDescriptor.out)) {
            System.setOut(System.err);
            HeapParser parser = make(Class.forName(arguments[0]));
            new ParserProcess(parser, arguments.length > 1 ? arguments[1] : "").serve(answers);
        } catch (Throwable failure) {
            failure.printStackTrace();
            // Not exit: what the parser has started could hold that up.
            Runtime.getRuntime().halt(134);
        }
        Runtime.getRuntime().halt(0);
    }

    static HeapParser make(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return (HeapParser) constructor.newInstance();
    }

    private void serve(OutputStream answers) throws IOException {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            JsonObject request = JsonParser.parseString(line).getAsJsonObject();
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("id", request.get("id"));
            answer.putAll(answer(request));
            answers.write((Json.GSON.toJson(answer) + "\n").getBytes(StandardCharsets.UTF_8));
            answers.flush();
        }
    }

    private Map<String, Object> answer(JsonObject request) {
        String operation = request.get("op").getAsString();
        if (operation.equals("hello")) {
            if (!request.getAsJsonArray("protocols").contains(Json.GSON.toJsonTree(PROTOCOL))) {
                return of("status", "error", "message", "this adapter speaks version " + PROTOCOL + " of the protocol alone");
            }
            Map<String, Object> hello = of("protocol", PROTOCOL);
            hello.putAll(claims.hello(format));
            return hello;
        }
        if (!operation.equals("parse")) {
            return of("status", "error", "message", "this adapter does not know " + operation);
        }
        try {
            return parse(request);
        } catch (Skip skip) {
            return of("status", "skip", "reason", String.valueOf(skip.getMessage()));
        } catch (Exception failure) {
            return failed(failure);
        }
    }

    private Map<String, Object> parse(JsonObject request) throws Exception {
        int heap = request.has("heap") ? request.get("heap").getAsInt() : 0;
        List<String> omits = new ArrayList<>();
        JsonArray omitted = request.has("omits") ? request.getAsJsonArray("omits") : new JsonArray();
        for (JsonElement facet : omitted) {
            omits.add(facet.getAsString());
        }
        HeapSink sink;
        try {
            sink = new HeapSink(claims, request.get("format").getAsString(), heap, omits);
        } catch (IOException e) {
            return of("status", "error", "message", "creating the listing: " + e);
        }
        try {
            parser.parse(Path.of(request.get("path").getAsString()), sink);
            try {
                sink.writeTo(Path.of(request.get("out").getAsString()));
            } catch (IOException e) {
                return of("status", "error", "message", "writing the listing: " + e);
            }
            Map<String, Object> accepted = of("status", "accept");
            if (!sink.warnings().isEmpty()) {
                accepted.put("warnings", sink.warnings());
            }
            return accepted;
        } finally {
            sink.discard();
        }
    }

    private Map<String, Object> failed(Exception failure) {
        // What the machine lacks is no refusal of the parser's.
        if (failure instanceof UncheckedIOException && "writing the listing".equals(failure.getMessage())) {
            return of("status", "error", "message", failure.toString());
        }
        Refusal refusal = claims.refusal(failure);
        if (refusal != null) {
            Map<String, Object> answer = of("status", "reject", "message", String.valueOf(refusal.getMessage()));
            if (refusal.offset() >= 0) {
                answer.put("offset", refusal.offset());
            }
            return answer;
        }
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return of("status", "crash", "message", trace.toString());
    }

    private static Map<String, Object> of(Object... entries) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            all.put((String) entries[i], entries[i + 1]);
        }
        return all;
    }
}
