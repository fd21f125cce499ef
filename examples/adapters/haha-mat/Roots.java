import java.io.IOException;

import org.eclipse.mat.collect.HashMapIntObject;
import org.eclipse.mat.collect.IteratorInt;
import org.eclipse.mat.parser.internal.SnapshotImpl;
import org.eclipse.mat.parser.model.XGCRootInfo;
import org.eclipse.mat.snapshot.ISnapshot;
import org.eclipse.mat.snapshot.model.GCRootInfo;

/** The roots that the library keeps with the thread whose they are, and not with the others. */
class Roots {
    interface Consumer {
        void root(GCRootInfo root) throws IOException;
    }

    static void ofThreads(ISnapshot snapshot, Consumer consumer) throws IOException {
        HashMapIntObject<HashMapIntObject<XGCRootInfo[]>> threads = ((SnapshotImpl) snapshot).getRootsPerThread();
        for (IteratorInt thread = threads.keys(); thread.hasNext();) {
            HashMapIntObject<XGCRootInfo[]> objects = threads.get(thread.next());
            for (IteratorInt object = objects.keys(); object.hasNext();) {
                for (XGCRootInfo root : objects.get(object.next())) {
                    consumer.root(root);
                }
            }
        }
    }
}
