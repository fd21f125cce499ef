import java.io.File;
import java.lang.reflect.Method;
import java.util.Iterator;

import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;

/**
 * Counts the references of an HPROF dump that are not null, with VisualVM's heap library.
 *
 * <p>One line of JSON: those of objects, those of static fields, and how many of both lead to no object of the dump
 * (elements of arrays that lead nowhere cannot be told from null here and are not counted at all).
 */
class VisualVmReferences {
    private static long objects;
    private static long statics;
    private static long dangling;

    public static void main(String[] arguments) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(arguments[0]));
        Method raw = Class.forName("org.graalvm.visualvm.lib.jfluid.heap.HprofInstanceObjectValue")
                .getDeclaredMethod("getInstanceId");
        raw.setAccessible(true);
        Method rawStatic = Class.forName("org.graalvm.visualvm.lib.jfluid.heap.HprofFieldObjectValue")
                .getDeclaredMethod("getInstanceID");
        rawStatic.setAccessible(true);
        for (JavaClass type : heap.getAllClasses()) {
            for (FieldValue value : type.getStaticFieldValues()) {
                // The library adds a field for the loader, which is none of the dump's.
                if (value instanceof ObjectFieldValue field && !field.getField().getName().equals("<classLoader>")) {
                    statics += seen((long) rawStatic.invoke(field), field.getInstance());
                }
            }
        }
        for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
            Instance instance = all.next();
            if (instance instanceof ObjectArrayInstance array) {
                for (Instance element : array.getValues()) {
                    objects += element == null ? 0 : 1;
                }
            } else if (!instance.getClass().getSimpleName().equals("ClassDumpInstance")) {
                for (FieldValue value : instance.getFieldValues()) {
                    if (value instanceof ObjectFieldValue field) {
                        objects += seen((long) raw.invoke(field), field.getInstance());
                    }
                }
            }
        }
        System.out.printf("{\"peer\":\"visualvm\",\"references\":%d,\"class_references\":%d,\"dangling\":%d}%n",
                objects, statics, dangling);
    }

    private static int seen(long id, Instance to) {
        dangling += id != 0 && to == null ? 1 : 0;
        return id == 0 ? 0 : 1;
    }
}
