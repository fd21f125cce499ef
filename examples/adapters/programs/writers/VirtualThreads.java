import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Has threads in every state that a dump tells apart, each with an object that its stack alone holds, until standard
 * input ends.
 *
 * usage: java -Djdk.virtualThreadScheduler.parallelism=8 VirtualThreads
 *
 * Prints "ready" once they are there. The class of an object says which thread holds it: a dump is right if each has a
 * ROOT JAVA FRAME of that thread, whose frame number leads to the method of that name. For JDK 21 and later; there a
 * thread that waits for a monitor stays mounted up to JDK 23.
 */
public final class VirtualThreads {
    static final class HeldByMain { }
    static final class HeldByPlatform { }
    static final class HeldBySpinning { }
    static final class HeldByParked { }
    static final class HeldBySleeping { }
    static final class HeldByWaiting { }
    static final class HeldByBlocked { }
    static final class HeldByPinned { }
    static final class HeldByCaller { }

    static final CountDownLatch THERE = new CountDownLatch(7);
    static final Object HELD_MONITOR = new Object();
    static final Object FREE_MONITOR = new Object();
    static volatile boolean stop;
    /** Neither has a stack, and so neither a root. */
    static Thread unstarted;
    static Thread ended;

    private VirtualThreads() {
    }

    public static void main(String[] arguments) throws Exception {
        var held = new HeldByMain();
        synchronized (HELD_MONITOR) {
            Thread.ofPlatform().daemon().start(VirtualThreads::platform);
            Thread.ofVirtual().name("spinning").start(VirtualThreads::spinning);
            Thread.ofVirtual().name("parked").start(VirtualThreads::parked);
            Thread.ofVirtual().name("sleeping").start(VirtualThreads::sleeping);
            Thread.ofVirtual().name("waiting").start(VirtualThreads::waiting);
            Thread.ofVirtual().name("blocked").start(VirtualThreads::blocked);
            Thread.ofVirtual().name("pinned").start(VirtualThreads::caller);
            unstarted = Thread.ofVirtual().name("unstarted").unstarted(VirtualThreads::parked);
            ended = Thread.ofVirtual().name("ended").start(() -> { });
            ended.join();
            THERE.await();
            // They have said that they are about to block.
            Thread.sleep(500);
            System.out.println("ready");
            while (System.in.read() >= 0) {
            }
        }
        keep(held);
        stop = true;
        // Virtual threads do not keep the virtual machine running.
    }

    /** A local variable that is not read any more is none to the virtual machine. */
    static void keep(Object object) {
        if (object == null) {
            throw new IllegalStateException();
        }
    }

    static void platform() {
        var held = new HeldByPlatform();
        THERE.countDown();
        LockSupport.park();
        keep(held);
    }

    static void spinning() {
        var held = new HeldBySpinning();
        THERE.countDown();
        while (!stop) {
            Thread.onSpinWait();
        }
        keep(held);
    }

    static void parked() {
        var held = new HeldByParked();
        THERE.countDown();
        LockSupport.park();
        keep(held);
    }

    static void sleeping() {
        var held = new HeldBySleeping();
        THERE.countDown();
        sleep();
        keep(held);
    }

    static void waiting() {
        var held = new HeldByWaiting();
        THERE.countDown();
        synchronized (FREE_MONITOR) {
            try {
                FREE_MONITOR.wait();
            } catch (InterruptedException end) {
                stop = true;
            }
        }
        keep(held);
    }

    static void blocked() {
        var held = new HeldByBlocked();
        THERE.countDown();
        synchronized (HELD_MONITOR) {
            keep(held);
        }
    }

    static void caller() {
        var held = new HeldByCaller();
        Pinned.touch();
        keep(held);
    }

    /** A class that is initialised has a frame of native code on the stack, which keeps the thread mounted. */
    static final class Pinned {
        static {
            var held = new HeldByPinned();
            THERE.countDown();
            sleep();
            keep(held);
        }

        static void touch() {
        }
    }

    static void sleep() {
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException end) {
            stop = true;
        }
    }
}
