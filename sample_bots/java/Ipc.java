import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A way for JeroMQ, which has no Unix sockets as of 0.6, to addresses that begin with ipc://. */
class Ipc {
    private static final String SCHEME = "ipc://";

    /** Return an address that JeroMQ can connect to: the same one, or a port of this host that leads there. */
    static String reachable(String address) throws IOException {
        if (!address.startsWith(SCHEME)) return address;
        var target = UnixDomainSocketAddress.of(address.substring(SCHEME.length()));
        var door = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        inBackground(() -> {
            while (true) {
                SocketChannel near = door.accept();
                try {
                    SocketChannel far = SocketChannel.open(target);
                    inBackground(() -> pass(near, far));
                    inBackground(() -> pass(far, near));
                } catch (IOException nobodyThere) {
                    near.close(); // JeroMQ tries again by itself
                }
            }
        });
        return "tcp://127.0.0.1:" + ((InetSocketAddress) door.getLocalAddress()).getPort();
    }

    /** Pass on what comes, until either end is closed; then close both. */
    private static void pass(SocketChannel from, SocketChannel to) throws IOException {
        try (from; to) {
            ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
            while (from.read(bytes.clear()) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) to.write(bytes);
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void inBackground(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                // The other end has gone.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
