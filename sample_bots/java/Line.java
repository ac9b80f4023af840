import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A DEALER socket of ZeroMQ: JeroMQ over TCP, and for addresses that begin with ipc:// our own few frames. */
interface Line {
    String SCHEME = "ipc://";

    void send(byte[] message) throws IOException;

    /** Return the next message, or null after a silence. */
    byte[] receive() throws IOException;

    static Line to(String address, int silenceMs) throws IOException {
        return address.startsWith(SCHEME) ? new Local(address.substring(SCHEME.length()), silenceMs) : new Remote(address, silenceMs);
    }

    /** TCP. A lost connection is made again by JeroMQ. */
    class Remote implements Line {
        private final ZMQ.Socket socket = new ZContext().createSocket(SocketType.DEALER);

        Remote(String address, int silenceMs) {
            socket.setLinger(0);
            socket.setImmediate(true); // without a connection, sending waits for one
            socket.setReceiveTimeOut(silenceMs);
            socket.connect(address);
        }

        public void send(byte[] message) {
            socket.send(message);
        }

        public byte[] receive() {
            return socket.recv();
        }
    }

    /** A Unix socket, which JeroMQ does not have as of 0.6: ZMTP 3.0 without security (rfc.zeromq.org/spec/23). */
    class Local implements Line {
        private static final int MORE = 1, LONG = 2, COMMAND = 4;
        private static final byte[] PING = ascii("\4PING"), PONG = ascii("\4PONG");
        private static final byte[] END = {};
        private final SocketChannel channel;
        private final DataInputStream heard;
        private final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
        private final int silenceMs;

        Local(String path, int silenceMs) throws IOException {
            this.silenceMs = silenceMs;
            channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
            heard = new DataInputStream(Channels.newInputStream(channel));
            ByteBuffer greeting = ByteBuffer.allocate(64); // signature, version 3.0, mechanism NULL, zeros
            greeting.put((byte) 0xFF).position(9);
            greeting.put(new byte[] {0x7F, 3, 0}).put(ascii("NULL"));
            write(greeting.rewind());
            heard.readFully(new byte[64]);
            ByteBuffer ready = ByteBuffer.allocate(28);
            ready.put((byte) 5).put(ascii("READY"));
            ready.put((byte) 11).put(ascii("Socket-Type")).putInt(6).put(ascii("DEALER"));
            frame(COMMAND, ready.array());
            // A thread of its own, because reading from a Unix socket has no time limit.
            Thread reader = new Thread(this::readAll);
            reader.setDaemon(true);
            reader.start();
        }

        public void send(byte[] message) throws IOException {
            frame(0, message);
        }

        public byte[] receive() throws IOException {
            try {
                byte[] message = messages.poll(silenceMs, TimeUnit.MILLISECONDS);
                if (message == END) throw new EOFException("the referee has closed the connection");
                return message;
            } catch (InterruptedException stopped) {
                throw new InterruptedIOException();
            }
        }

        private void readAll() {
            try {
                while (true) messages.add(read());
            } catch (IOException closed) {
                messages.add(END);
            }
        }

        private byte[] read() throws IOException {
            while (true) {
                int flags = heard.readUnsignedByte();
                long size = (flags & LONG) != 0 ? heard.readLong() : heard.readUnsignedByte();
                byte[] body = heard.readNBytes(Math.toIntExact(size));
                if (body.length < size) throw new EOFException();
                if ((flags & (COMMAND | MORE)) == 0) return body;
                if (Arrays.equals(body, 0, Math.min(body.length, PING.length), PING, 0, PING.length)) {
                    byte[] pong = Arrays.copyOfRange(body, 2, body.length); // without the time to live, two bytes
                    System.arraycopy(PONG, 0, pong, 0, PONG.length);
                    frame(COMMAND, pong);
                }
            }
        }

        private void frame(int flags, byte[] body) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(9 + body.length);
            if (body.length < 256) frame.put((byte) flags).put((byte) body.length);
            else frame.put((byte) (flags | LONG)).putLong(body.length);
            write(frame.put(body).flip());
        }

        private synchronized void write(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) channel.write(bytes);
        }

        private static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
