import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** A parser of HPROF's records, for the template to work as it is: put the call of yours in its place. */
class Parser {
    /** Reads a dump to its end. Whatever it throws but an IOException is a finding. */
    static int parse(byte[] dump) throws IOException {
        ByteBuffer data = ByteBuffer.wrap(dump);
        int records = 0;
        try {
            while (data.get() != 0) {} // the name of the format
            data.position(data.position() + 4 + 8); // the size of identifiers, and the time
            while (data.hasRemaining()) {
                data.position(data.position() + 5); // the tag, and the time
                long length = data.getInt() & 0xFFFF_FFFFL;
                if (length > data.remaining()) throw new IOException("a record of " + length + " bytes in " + data.remaining());
                data.position(data.position() + (int) length);
                records++;
            }
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new IOException("the dump ends inside a field", e);
        }
        return records;
    }
}
