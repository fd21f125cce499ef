import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Builds an object graph whose contents expected.tsv states, prints "ready" and
 * its process id, and stays until its standard input ends. Whatever a test looks
 * for hangs on a static field of this class.
 *
 * Own classes are instantiated only as often as expected.tsv counts them, so
 * that the counts hold for a dump with unreachable objects as well.
 */
public final class Zoo {
    // ---- one field of each type ------------------------------------------

    static final class AllTypes {
        boolean z;
        char c;
        float f;
        double d;
        byte b;
        short s;
        int i;
        long j;
        Object o;
        // Names outside ASCII, in the string table as modified UTF-8.
        int gr\u00f6\u00dfe;
        int \u540d\u524d;
        int \ud840\udc00;

        AllTypes(boolean z, char c, int f, long d, byte b, short s, int i, long j, Object o) {
            this.z = z;
            this.c = c;
            this.f = Float.intBitsToFloat(f);
            this.d = Double.longBitsToDouble(d);
            this.b = b;
            this.s = s;
            this.i = i;
            this.j = j;
            this.o = o;
            this.gr\u00f6\u00dfe = 1;
            this.\u540d\u524d = 2;
            this.\ud840\udc00 = 3;
        }
    }

    static final class Statics {
        static boolean z = true;
        static char c = '\ud800';
        static float f = -0.0f;
        static double d = Double.MIN_VALUE;
        static byte b = Byte.MIN_VALUE;
        static short s = Short.MIN_VALUE;
        static int i = Integer.MIN_VALUE;
        static long j = Long.MIN_VALUE;
        static Object o;
        static Object nothing;
        static final int CONSTANT = 0x12345678;
    }

    // ---- a field named alike on every level ------------------------------

    static class Base {
        int x = 1;
        byte own1 = 11;
        Object ref = "base";
    }

    static class Middle extends Base {
        long x = 2;
        short own2 = 22;
    }

    static final class Leaf extends Middle {
        double x = 3.0;
        char own3 = '3';
        Object ref = "leaf";
    }

    // ---- counted classes -------------------------------------------------

    static final class Node {
        Node next;
        int number;
    }

    static final class Empty {
    }

    enum Colour {
        RED,
        GREEN,
        BLUE
    }

    interface Marker {
        int MARK = 77;
    }

    static final class Marked implements Marker {
    }

    // ---- one name under two class loaders, and a hidden class ------------

    static final class Twin {
        static int shared;
        int id;
    }

    static final class Hidden {
        int secret = 0x5ec2e7;
    }

    static final class TwinLoader extends ClassLoader {
        private final byte[] bytes;

        TwinLoader(byte[] bytes) {
            super(Zoo.class.getClassLoader());
            this.bytes = bytes;
        }

        Object twin(int id, Object[] signers) throws Exception {
            Class<?> twin = defineClass("Zoo$Twin", bytes, 0, bytes.length);
            if (signers != null) {
                setSigners(twin, signers);
            }
            java.lang.reflect.Constructor<?> constructor = twin.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object result = constructor.newInstance();
            java.lang.reflect.Field field = twin.getDeclaredField("id");
            field.setAccessible(true);
            field.setInt(result, id);
            field = twin.getDeclaredField("shared");
            field.setAccessible(true);
            field.setInt(null, id * 10);
            return result;
        }
    }

    // ---- statics the tests start from ------------------------------------

    static AllTypes low;
    static AllTypes high;
    static AllTypes nan;
    static AllTypes zero;
    static Leaf leaf;

    static boolean[] booleans = {true, false, true};
    static char[] chars = {'a', '\u00e9', '\ud800', '\uffff', '\0'};
    static float[] floats = {0.0f, -0.0f, 1.5f, Float.MIN_VALUE, Float.POSITIVE_INFINITY, Float.NaN};
    static double[] doubles = {-0.0, 1.5, Double.MAX_VALUE, Double.NEGATIVE_INFINITY, Double.NaN};
    static byte[] bytes = {0, 1, -1, 127, -128};
    static short[] shorts = {0, 1, -1, 32767, -32768};
    static int[] ints = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE};
    static long[] longs = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE};
    static boolean[] noBooleans = {};
    static char[] noChars = {};
    static float[] noFloats = {};
    static double[] noDoubles = {};
    static byte[] noBytes = {};
    static short[] noShorts = {};
    static int[] noInts = {};
    static long[] noLongs = {};
    static Object[] noObjects = {};

    static Object[] withNulls = {null, "one", null, "three", null};
    static int[][] intGrid = {{1, 2, 3}, {}, null, {4}};
    static String[][] stringGrid = {{"a", null}, {}, {"b"}};
    static Marker[] markers = {new Marked(), null};
    static Node[][][] deep = new Node[2][3][0];

    static String ascii = "plain ASCII";
    static String latin = "caf\u00e9";
    static String beyond = "\u041f\u0440\u0438\u0432\u0435\u0442";
    static String supplementary = "\ud83d\ude00!";
    static String lone = "a\ud800b";
    static String nul = "a\0b";
    static String empty = "";

    static Node list;
    static HashMap<String, Integer> map = new HashMap<>();
    static long[] big = new long[300000];
    static int[] middling = new int[10000];
    static Object[] wide = new Object[140000];
    static byte[][] sizes = new byte[97][];
    static Colour colour = Colour.GREEN;
    static Empty emptyObject = new Empty();

    static Object twinA;
    static Object twinB;
    static Object[] twinSigners = {"signer"};
    static Object hidden;
    static Supplier<String> bound;
    static IntSupplier unbound;

    static Empty referent = new Empty();
    static ReferenceQueue<Empty> queue = new ReferenceQueue<>();
    static WeakReference<Empty> weak = new WeakReference<>(referent);
    static SoftReference<Empty> soft = new SoftReference<>(referent);
    static PhantomReference<Empty> phantom = new PhantomReference<>(referent, queue);
    static WeakReference<byte[]> cleared = new WeakReference<>(new byte[3]);

    static Object lock = new Object();
    static Object bell = new Object();
    static List<Thread> threads = new ArrayList<>();
    static Empty localOfParked = new Empty();
    static int[] localOfDeep = {5, 0, 5, 0};

    // ---- what the threads do ---------------------------------------------

    static void holdLock() {
        synchronized (lock) {
            LockSupport.park(lock);
        }
    }

    static void enterLock() {
        synchronized (lock) {
            ints[0] = 0;
        }
    }

    static void waitForBell() {
        synchronized (bell) {
            try {
                bell.wait();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static int parkWithLocals(Empty local, long number) {
        Empty copy = local;
        LockSupport.park();
        // Used after the park, so that the frame keeps them.
        return copy.hashCode() + local.hashCode() + (int) number;
    }

    static int descend(int depth, int[] local) {
        if (depth == 0) {
            LockSupport.park();
            return local[0];
        }
        return descend(depth - 1, local) + local[1];
    }

    /** A class initializer is a native frame, which keeps a virtual thread on its carrier. */
    static final class Pinned {
        static int value;

        static {
            LockSupport.park();
            value = 1;
        }
    }

    static int pin() {
        return Pinned.value;
    }

    private static void spawn(String name, Thread.State state, Runnable body) throws Exception {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        settle(thread, state);
    }

    private static void settle(Thread thread, Thread.State state) throws Exception {
        while (thread.getState() != state) {
            Thread.sleep(5);
        }
    }

    private static void spawnVirtual(Runnable body) throws Exception {
        Method start;
        try {
            start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return;
        }
        Thread thread;
        try {
            thread = (Thread) start.invoke(null, body);
        } catch (java.lang.reflect.InvocationTargetException e) {
            return;
        }
        threads.add(thread);
        settle(thread, Thread.State.WAITING);
    }

    /** Anonymous classes where lambdas would do, so that Zoo has exactly two lambdas. */
    private static void startThreads() throws Exception {
        spawn("zoo-holder", Thread.State.WAITING, new Runnable() {
            @Override
            public void run() {
                holdLock();
            }
        });
        spawn("zoo-blocked", Thread.State.BLOCKED, new Runnable() {
            @Override
            public void run() {
                enterLock();
            }
        });
        spawn("zoo-waiter", Thread.State.WAITING, new Runnable() {
            @Override
            public void run() {
                waitForBell();
            }
        });
        spawn("\u0437\u043e\u043e-\u65e5\u672c-\ud83d\ude00", Thread.State.WAITING, new Runnable() {
            @Override
            public void run() {
                parkWithLocals(localOfParked, 0x123456789aL);
            }
        });
        spawn("zoo-deep", Thread.State.WAITING, new Runnable() {
            @Override
            public void run() {
                descend(40, localOfDeep);
            }
        });
        spawnVirtual(new Runnable() {
            @Override
            public void run() {
                parkWithLocals(localOfParked, 1);
            }
        });
        spawnVirtual(new Runnable() {
            @Override
            public void run() {
                pin();
            }
        });
    }

    // ---- building --------------------------------------------------------

    private static byte[] classBytes(String name) throws Exception {
        try (InputStream in = Zoo.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        }
    }

    /** Hidden classes came with version 15. */
    private static Object defineHidden() throws Exception {
        Class<?> option;
        try {
            option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
        } catch (ClassNotFoundException e) {
            return null;
        }
        Object options = Array.newInstance(option, 0);
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        Method define = MethodHandles.Lookup.class.getMethod(
                "defineHiddenClass", byte[].class, boolean.class, options.getClass());
        MethodHandles.Lookup result =
                (MethodHandles.Lookup) define.invoke(lookup, classBytes("Zoo$Hidden"), true, options);
        java.lang.reflect.Constructor<?> constructor = result.lookupClass().getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    private static void build() throws Exception {
        low = new AllTypes(false, '\0', 0xff800000, 0xfff0000000000000L, Byte.MIN_VALUE,
                Short.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE, null);
        high = new AllTypes(true, '\ud800', 0x7f7fffff, 0x7fefffffffffffffL, Byte.MAX_VALUE,
                Short.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, low);
        nan = new AllTypes(true, '\uffff', 0x7fa5a5a5, 0xfff123456789abcdL, (byte) -1,
                (short) -1, -1, -1, high);
        zero = new AllTypes(false, '\0', 0x80000000, 0x8000000000000000L, (byte) 0,
                (short) 0, 0, 0, null);
        zero.o = zero;
        Statics.o = low;
        leaf = new Leaf();

        for (int i = 100000; i > 0; i--) {
            Node node = new Node();
            node.next = list;
            node.number = i;
            list = node;
        }
        for (int i = 0; i < 1000; i++) {
            map.put("key " + i, i);
        }
        for (int i = 0; i < big.length; i++) {
            big[i] = i * 0x9e3779b97f4a7c15L;
        }
        for (int i = 0; i < middling.length; i++) {
            middling[i] = i * 31;
        }
        for (int i = 0; i < wide.length; i += 1000) {
            wide[i] = ascii;
        }
        // Lengths from nothing to some tens of KiB, without a pattern.
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = new byte[(int) (((long) i * i * 7919) % 30011)];
        }

        twinA = new TwinLoader(classBytes("Zoo$Twin")).twin(1, twinSigners);
        twinB = new TwinLoader(classBytes("Zoo$Twin")).twin(2, null);
        hidden = defineHidden();
        String captured = ascii;
        bound = () -> captured;
        unbound = () -> 42;
        bound.get();
        unbound.getAsInt();

        while (cleared.get() != null) {
            System.gc();
            Thread.sleep(5);
        }
        startThreads();
    }

    public static void main(String[] args) throws Exception {
        build();
        System.out.println("ready " + ProcessHandle.current().pid());
        System.out.flush();
        while (System.in.read() >= 0) {
            // Anything but the end is of no interest.
        }
    }
}
