import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.ibm.dtfj.image.CorruptData;
import com.ibm.dtfj.image.CorruptDataException;
import com.ibm.dtfj.image.DataUnavailable;
import com.ibm.dtfj.image.Image;
import com.ibm.dtfj.image.ImageAddressSpace;
import com.ibm.dtfj.image.ImageFactory;
import com.ibm.dtfj.image.ImagePointer;
import com.ibm.dtfj.image.ImageProcess;
import com.ibm.dtfj.java.JavaClass;
import com.ibm.dtfj.java.JavaClassLoader;
import com.ibm.dtfj.java.JavaHeap;
import com.ibm.dtfj.java.JavaObject;
import com.ibm.dtfj.java.JavaReference;
import com.ibm.dtfj.java.JavaRuntime;

/**
 * OpenJ9's DTFJ through the adapter protocol: what its reader of PHD makes of a dump (see README.md).
 *
 * The argument is the name of an image factory, if it is not that of PHD. With a file after it, the listing of that
 * file is printed.
 */
public class DtfjAdapter implements Adapter.Parser {
    public static void main(String[] arguments) throws Exception {
        // Java does not look at this variable by itself.
        if (System.getenv("TMPDIR") != null) System.setProperty("java.io.tmpdir", System.getenv("TMPDIR"));
        DtfjAdapter adapter = new DtfjAdapter(arguments.length > 0 ? arguments[0] : "com.ibm.dtfj.phd.PHDImageFactory");
        if (arguments.length < 2) Adapter.serve(adapter);
        else adapter.parse(Path.of(arguments[1]), 0, line -> System.out.println(Adapter.toJson(line)));
    }

    /** By its name, since the module does not export its package to those who compile (README.md has the option). */
    private final String factory;

    DtfjAdapter(String factory) { this.factory = factory; }

    // Not here, but among the omits of each listing, because DTFJ does not report what the record has:
    // - class-word: of an array it gives the array's own class, which may be one that it synthesised;
    // - instance-size: it adds 12 or 24 to every size where the dump has a class of size 0;
    // - record-order: objects and classes come one kind after the other.
    // It also reads the header's totals and random numbers, but has no method for them.
    private static final List<String> FACETS = List.of("word-size", "version-text", "address", "kind", "class-name",
            "superclass", "class", "object-size", "array-length", "hash-16", "hash-32", "references",
            "class-references", "reference-order");

    @Override
    public Map<String, Object> hello(int protocol) {
        return Adapter.object("name", "DTFJ", "version", version(), "language", "Java",
                "reads", List.of("phd"), "levels", List.of("listing"), "facets", FACETS,
                // What is not named here is the default. Repeated addresses are not settled either: of objects it
                // reports every record, of classes the last one.
                "readings", Adapter.object(
                        "phd.element-order", "index",
                        "phd.first-reference", "dropped", // in dumps with the flag of J9 alone
                        "phd.hash-16", "doubled",
                        "phd.missing-hash", "computed",   // in dumps without that flag
                        // Its intention. But it turns the references round before it takes the first one, and so takes
                        // the last one of the file. Of an array with two references and more that is an element.
                        "phd.array-class", "first-reference-removed"),
                "makes_up", List.of("classes"), "names", "text");
    }

    /** The version of the Java runtime that DTFJ is a part of; its own number says less. */
    private static String version() {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
    }

    @Override
    public void parse(Path dump, int heap, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        Image image;
        try {
            image = ((ImageFactory) Class.forName(factory).getConstructor().newInstance()).getImage(named(dump));
        } catch (IOException refusal) { // the one exception that it documents
            throw new Adapter.Refusal(refusal.getMessage() + ", " + refusal.getCause());
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure); // the wrong jar, module or option
        }
        try {
            list(image, listing);
        } finally {
            image.close();
        }
    }

    /** The dump under a name by which DTFJ knows that it is compressed: it does not look at the bytes. */
    private static File named(Path dump) throws IOException {
        try (InputStream bytes = Files.newInputStream(dump)) {
            if (bytes.read() != 0x1F || bytes.read() != 0x8B || dump.toString().endsWith(".gz")) return dump.toFile();
        }
        return Files.createSymbolicLink(Files.createTempDirectory("dtfj").resolve("dump.phd.gz"), dump).toFile();
    }

    private static void list(Image image, Adapter.Listing listing) throws Adapter.Refusal, IOException {
        ImageAddressSpace space = first(ImageAddressSpace.class, image.getAddressSpaces());
        ImageProcess process = first(ImageProcess.class, space.getProcesses());
        JavaRuntime runtime = first(JavaRuntime.class, process.getRuntimes());
        Map<String, Object> head = Adapter.object("listing", 1, "word_size", process.getPointerSize(),
                "omits", List.of("class-word", "instance-size", "record-order"));
        try {
            // Where the dump has no version, DTFJ has this word.
            String version = runtime.getVersion();
            if (!"unknown".equals(version)) head.put("version_text", version);
        } catch (CorruptDataException corrupt) {
            Adapter.warn(corrupt.getMessage());
        }
        listing.line(head);
        for (JavaClassLoader loader : all(JavaClassLoader.class, runtime.getJavaClassLoaders())) {
            for (JavaClass type : all(JavaClass.class, loader.getDefinedClasses())) {
                // DTFJ synthesises java/lang/Object, java/lang/Class and array classes that the dump lacks. They have
                // no address, and so no line.
                if (type.getID() != null) listing.line(line(type));
            }
        }
        for (JavaHeap heap : all(JavaHeap.class, runtime.getHeaps())) {
            // One by one: a heap may have more objects than memory can hold.
            for (Iterator<?> objects = heap.getObjects(); objects.hasNext(); ) {
                listing.line(line(sound(JavaObject.class, objects.next())));
            }
        }
    }

    private static Map<String, Object> line(JavaClass type) throws Adapter.Refusal {
        Map<String, Object> line = Adapter.object("kind", "class", "address", hex(type.getID()));
        try {
            line.put("name", type.getName());
        } catch (CorruptDataException placeholder) {
            // An object names this class, and the dump has no record of it. DTFJ knows its address and nothing else.
            return line;
        }
        try {
            JavaClass parent = type.getSuperclass();
            line.put("super", parent == null ? "0x0" : hex(parent.getID()));
        } catch (CorruptDataException missing) {
            Adapter.warn(missing.getMessage());
            // The dump has no record of the superclass. Its address is in the exception.
            if (missing.getCorruptData().getAddress() != null) {
                line.put("super", hex(missing.getCorruptData().getAddress()));
            }
        }
        try {
            hash(line, type.getObject());
        } catch (CorruptDataException unknown) {
            Adapter.warn(unknown.getMessage());
        }
        // DTFJ adds references to the loader and to the superclass, which the record does not list.
        line.put("refs", references(type.getReferences(), Set.of(JavaReference.REFERENCE_CLASS_LOADER,
                JavaReference.REFERENCE_SUPERCLASS)));
        return line;
    }

    private static Map<String, Object> line(JavaObject object) throws Adapter.Refusal {
        Map<String, Object> line = Adapter.object("address", hex(object.getID()));
        try {
            JavaClass type = typeOf(object);
            String address = type == null || type.getID() == null ? null : hex(type.getID());
            if (!object.isArray()) {
                line.putAll(Adapter.object("kind", "object", "class", address));
            } else {
                String element = type == null ? null : ELEMENTS.get(nameOf(type));
                line.put("kind", element == null ? "object-array" : "primitive-array");
                if (element != null) line.put("element", element);
                line.putAll(Adapter.object("array_class", address, "length", object.getArraySize()));
                // Of other objects, and in versions 4 and 5, DTFJ works the size out. That is not judged.
                if (type != null) line.put("size", object.getSize());
            }
            if (type != null) hash(line, object);
        } catch (CorruptDataException corrupt) {
            throw new Adapter.Refusal(corrupt.getMessage());
        }
        if (!"primitive-array".equals(line.get("kind"))) {
            // DTFJ adds a reference to the class, and references of loaders to the classes that they have loaded.
            line.put("refs", references(object.getReferences(), Set.of(JavaReference.REFERENCE_CLASS,
                    JavaReference.REFERENCE_LOADED_CLASS)));
        }
        return line;
    }

    private static final Map<String, String> ELEMENTS = Map.of("[Z", "boolean", "[C", "char", "[F", "float",
            "[D", "double", "[B", "byte", "[S", "short", "[I", "int", "[J", "long");

    /** The class, or null where DTFJ has none, as of an array whose class is one of two with the same name. */
    private static JavaClass typeOf(JavaObject object) {
        try {
            return object.getJavaClass();
        } catch (CorruptDataException missing) {
            Adapter.warn(missing.getMessage());
            return null;
        }
    }

    /** The name, or an empty text for a class that DTFJ has put in the place of one without a record. */
    private static String nameOf(JavaClass type) {
        try {
            return type.getName();
        } catch (CorruptDataException placeholder) {
            return "";
        }
    }

    /**
     * Adds the hash. In dumps of J9 an object without a hash has 0 here, so that a stored 0 is lost. Not from
     * getPersistentHashcode(), which hides the hashes that DTFJ computes for dumps of other virtual machines.
     */
    private static void hash(Map<String, Object> line, JavaObject object) throws CorruptDataException {
        try {
            long hash = object == null ? 0 : object.getHashcode();
            if (hash != 0) line.put("hash32", Adapter.hex(hash & 0xFFFFFFFFL));
        } catch (DataUnavailable none) {
            // The object has no hash.
        }
    }

    private static List<String> references(Iterator<?> references, Set<Integer> added) throws Adapter.Refusal {
        List<String> targets = new ArrayList<>();
        try {
            for (JavaReference reference : all(JavaReference.class, references)) {
                if (added.contains(reference.getReferenceType())) continue;
                // The target is one or the other, and they have no interface in common.
                Object target = reference.getTarget();
                boolean isClass = target instanceof JavaClass;
                targets.add(hex(isClass ? ((JavaClass) target).getID() : ((JavaObject) target).getID()));
            }
        } catch (CorruptDataException | DataUnavailable corrupt) {
            throw new Adapter.Refusal(corrupt.getMessage());
        }
        return targets;
    }

    /** Addresses of 64 bits may be negative as a long. */
    private static String hex(ImagePointer pointer) { return Adapter.hex(pointer.getAddress()); }

    private static <T> T first(Class<T> type, Iterator<?> items) throws Adapter.Refusal {
        if (!items.hasNext()) throw new Adapter.Refusal("there is no " + type.getSimpleName());
        return sound(type, items.next());
    }

    private static <T> List<T> all(Class<T> type, Iterator<?> items) throws Adapter.Refusal {
        List<T> all = new ArrayList<>();
        while (items.hasNext()) all.add(sound(type, items.next()));
        return all;
    }

    /**
     * What an iterator gives, unless it stands for a part of the dump that DTFJ cannot read. Ask that first: what is
     * corrupt can have the interface of an object or class as well. It is what DTFJ has in the place of an exception
     * for a broken dump, and so it is a refusal.
     */
    private static <T> T sound(Class<T> type, Object item) throws Adapter.Refusal {
        if (item instanceof CorruptData) throw new Adapter.Refusal(item.toString());
        return type.cast(item);
    }
}
