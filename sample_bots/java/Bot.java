import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Scanner;
import org.msgpack.jackson.dataformat.MessagePackFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A bot for every game of the referee: ZeroMQ and msgpack. */
public class Bot {
    /** Without a word from the referee for so long, the bot asks whether it is still there. */
    private static final int SILENCE_MS = 5_000;

    private static final ObjectMapper MSGPACK = new ObjectMapper(new MessagePackFactory());
    private static final Random LUCK = new Random();

    /** What this bot reads of any message; the rest is ignored. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record Heard(String type, String session, String match, long id, List<String> legal, long n, String code, String why) {}

    /** Your idea goes here: return one of the legal actions. For more to go by, see "wants" below. */
    private static String choose(String mode, List<String> legal) {
        return legal.get(mode.equals("first") ? 0 : LUCK.nextInt(legal.size()));
    }

    private static int play(String mode, ZMQ.Socket socket) throws IOException {
        Map<String, Object> hello = new HashMap<>(Map.of("type", "hello", "protocol", List.of(1), "name", "java"));
        hello.putAll(Map.of("wants", List.of("legal"), "capacity", 64));
        if (!setting("REFEREE_TOKEN").isEmpty()) hello.put("token", setting("REFEREE_TOKEN"));
        send(socket, hello);
        while (true) {
            byte[] frame = socket.recv();
            if (frame == null) {
                send(socket, Map.of("type", "ping"));
                continue;
            }
            Heard heard;
            try {
                heard = MSGPACK.readValue(frame, Heard.class);
            } catch (JsonMappingException unknown) {
                continue; // a message of another time
            }
            switch (heard.type) {
                case "welcome" -> hello.put("session", heard.session); // with it the bot can come back to its matches
                case "start" -> send(socket, Map.of("type", "ready", "match", heard.match));
                case "ask" -> {
                    String action = choose(mode, heard.legal);
                    send(socket, Map.of("type", "act", "match", heard.match, "id", heard.id, "action", action));
                }
                case "ping" -> send(socket, Map.of("type", "pong", "n", heard.n));
                case "error" -> {
                    System.err.println(heard.code + ": " + heard.why);
                    if (heard.code.equals("no-session")) send(socket, hello); // the connection was lost
                }
                case "refuse" -> {
                    System.err.println("refused: " + heard.code + ": " + heard.why);
                    return 2;
                }
                case "bye" -> {
                    return 0;
                }
                default -> {} // a message that this bot does without
            }
        }
    }

    private static void send(ZMQ.Socket socket, Map<String, Object> message) throws IOException {
        socket.send(MSGPACK.writeValueAsBytes(message));
    }

    private static void echo() throws IOException {
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine(); ) {
            Map<?, ?> message = MSGPACK.readValue(HexFormat.of().parseHex(lines.nextLine()), Map.class);
            System.out.println(HexFormat.of().formatHex(MSGPACK.writeValueAsBytes(message)));
        }
    }

    private static String setting(String name) {
        return System.getenv().getOrDefault(name, "");
    }

    public static void main(String[] arguments) throws IOException {
        String mode = arguments.length > 0 ? arguments[0] : "random";
        String address = setting("REFEREE_ADDRESS");
        if (mode.equals("echo")) {
            echo();
        } else if (address.isEmpty()) {
            System.err.println("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`");
            System.exit(2);
        } else {
            ZMQ.Socket socket = new ZContext().createSocket(SocketType.DEALER);
            socket.setLinger(0);
            socket.setImmediate(true); // without a connection, sending waits for one
            socket.setReceiveTimeOut(SILENCE_MS);
            socket.connect(Ipc.reachable(address));
            System.exit(play(mode, socket));
        }
    }
}
