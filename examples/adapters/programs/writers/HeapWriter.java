import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Makes the objects of a plan (written by plan.py) and keeps them, until standard input ends.
 *
 * usage: java HeapWriter PLAN [exhaust]
 *
 * Prints "ready" once they are there, or "skip: REASON" where this virtual machine cannot hold them. With `exhaust` it
 * first asks for an array that no heap has room for, which a virtual machine may be told to write a dump upon.
 *
 * It is in Java 8, so that older virtual machines run it.
 */
public final class HeapWriter {
    private final DataInputStream plan;
    private Class<?>[] classes;
    private Field[][] fields;
    private Object[] objects;

    private HeapWriter(DataInputStream plan) {
        this.plan = plan;
    }

    public static void main(String[] arguments) throws Exception {
        try (DataInputStream plan = new DataInputStream(new BufferedInputStream(
                Files.newInputStream(Paths.get(arguments[0]))))) {
            HeapWriter writer = new HeapWriter(plan);
            writer.define();
            writer.allocate();
            writer.fill();
            HeapWriterHolder.objects = writer.objects;
        } catch (LinkageError | SecurityException | ClassNotFoundException | ArrayStoreException
                | IllegalArgumentException refusal) {
            System.out.println("skip: " + refusal.toString().replaceAll("\\R", " "));
            return;
        }
        if (arguments.length > 1) {
            exhaust();
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
    }

    private static void exhaust() {
        try {
            HeapWriterHolder.objects = new Object[][] {HeapWriterHolder.objects, new Object[Integer.MAX_VALUE]};
        } catch (OutOfMemoryError meant) {
            return;
        }
        throw new IllegalStateException("there is room for every array");
    }

    /** Every class has a loader of its own, so that two of them may have one name. */
    private static final class Loader extends ClassLoader {
        private final Class<?> superclass;

        private Loader(Class<?> superclass) {
            super(null);
            this.superclass = superclass;
        }

        private Class<?> define(byte[] file) {
            return defineClass(null, file, 0, file.length);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(superclass.getName()) ? superclass : super.loadClass(name, resolve);
        }
    }

    private void define() throws IOException, ClassNotFoundException {
        classes = new Class<?>[plan.readInt()];
        fields = new Field[classes.length][];
        for (int i = 0; i < classes.length; i++) {
            if (plan.readBoolean()) {
                classes[i] = Class.forName(plan.readUTF(), false, null);
                continue;
            }
            int above = plan.readInt();
            classes[i] = new Loader(above < 0 ? Object.class : classes[above]).define(bytes());
            fields[i] = new Field[plan.readInt()];
            for (int j = 0; j < fields[i].length; j++) {
                fields[i][j] = field(classes[i], plan.readUTF(), type(plan.readByte()));
            }
        }
    }

    private byte[] bytes() throws IOException {
        byte[] bytes = new byte[plan.readInt()];
        plan.readFully(bytes);
        return bytes;
    }

    /** Two fields may have one name, if their types differ. */
    private static Field field(Class<?> owner, String name, Class<?> type) {
        for (Field field : owner.getDeclaredFields()) {
            if (field.getName().equals(name) && field.getType() == type) {
                return field;
            }
        }
        throw new NoSuchFieldError(name);
    }

    private static Class<?> type(byte letter) {
        switch (letter) {
            case 'Z':
                return boolean.class;
            case 'C':
                return char.class;
            case 'F':
                return float.class;
            case 'D':
                return double.class;
            case 'B':
                return byte.class;
            case 'S':
                return short.class;
            case 'I':
                return int.class;
            case 'J':
                return long.class;
            default:
                return Object.class;
        }
    }

    private void allocate() throws Exception {
        objects = new Object[plan.readInt()];
        for (int i = 0; i < objects.length; i++) {
            byte kind = plan.readByte();
            if (kind == 'O') {
                objects[i] = classes[plan.readInt()].getConstructor().newInstance();
            } else if (kind == 'A') {
                int dimensions = plan.readByte();
                byte letter = plan.readByte();
                Class<?> component = letter == 'L' ? classes[plan.readInt()] : type(letter);
                while (dimensions-- > 1) {
                    component = Array.newInstance(component, 0).getClass();
                }
                objects[i] = Array.newInstance(component, plan.readInt());
            } else {
                objects[i] = primitives(kind, ByteBuffer.wrap(bytes()));
            }
        }
    }

    private static Object primitives(byte letter, ByteBuffer contents) {
        int bytes = contents.remaining();
        switch (letter) {
            case 'Z': {
                boolean[] array = new boolean[bytes];
                for (int i = 0; i < bytes; i++) {
                    array[i] = contents.get(i) != 0;
                }
                return array;
            }
            case 'C': {
                char[] array = new char[bytes / 2];
                contents.asCharBuffer().get(array);
                return array;
            }
            case 'F': {
                float[] array = new float[bytes / 4];
                contents.asFloatBuffer().get(array);
                return array;
            }
            case 'D': {
                double[] array = new double[bytes / 8];
                contents.asDoubleBuffer().get(array);
                return array;
            }
            case 'B':
                return contents.array();
            case 'S': {
                short[] array = new short[bytes / 2];
                contents.asShortBuffer().get(array);
                return array;
            }
            case 'I': {
                int[] array = new int[bytes / 4];
                contents.asIntBuffer().get(array);
                return array;
            }
            default: {
                long[] array = new long[bytes / 8];
                contents.asLongBuffer().get(array);
                return array;
            }
        }
    }

    private void fill() throws IOException, IllegalAccessException {
        for (Object object : objects) {
            if (object instanceof Object[]) {
                Object[] array = (Object[]) object;
                for (int i = 0; i < array.length; i++) {
                    array[i] = reference(plan.readLong());
                }
            } else if (!object.getClass().isArray()) {
                for (int rest = plan.readInt(); rest > 0; rest--) {
                    set(object, fields[plan.readInt()][plan.readInt()], plan.readLong());
                }
            }
        }
    }

    private void set(Object object, Field field, long bits) throws IllegalAccessException {
        Class<?> type = field.getType();
        if (type == boolean.class) {
            field.setBoolean(object, bits != 0);
        } else if (type == char.class) {
            field.setChar(object, (char) bits);
        } else if (type == float.class) {
            field.setFloat(object, Float.intBitsToFloat((int) bits));
        } else if (type == double.class) {
            field.setDouble(object, Double.longBitsToDouble(bits));
        } else if (type == byte.class) {
            field.setByte(object, (byte) bits);
        } else if (type == short.class) {
            field.setShort(object, (short) bits);
        } else if (type == int.class) {
            field.setInt(object, (int) bits);
        } else if (type == long.class) {
            field.setLong(object, bits);
        } else {
            field.set(object, reference(bits));
        }
    }

    /** A reference is the object's place in the plan, from 1; 0 is null. */
    private Object reference(long place) {
        return place == 0 ? null : objects[(int) place - 1];
    }
}

/** Has nothing but the objects, in the order of the listing. */
final class HeapWriterHolder {
    static Object[] objects;

    private HeapWriterHolder() {
    }
}
