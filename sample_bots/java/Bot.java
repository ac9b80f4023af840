import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.msgpack.jackson.dataformat.MessagePackFactory;

/** A bot for every game of the referee: ZeroMQ and msgpack. */
public class Bot {
    static final ObjectMapper MSGPACK = new ObjectMapper(new MessagePackFactory());
    private static final int SILENCE_MS = 5_000;
    private static final Random LUCK = new Random();

    /** Your idea goes here: return one of the legal actions. For more to go by, see "wants" below. */
    private static String choose(String mode, JsonNode ask) {
        JsonNode legal = ask.get("legal");
        return legal.get(mode.equals("first") ? 0 : LUCK.nextInt(legal.size())).asText();
    }

    private static void play(String mode, Line line) throws IOException {
        Map<String, Object> hello = new HashMap<>(Map.of(
                "type", "hello", "protocol", List.of(1), "name", "java", "wants", List.of("legal"), "capacity", 64));
        if (!setting("REFEREE_TOKEN").isEmpty()) hello.put("token", setting("REFEREE_TOKEN"));
        send(line, hello);
        while (true) {
            byte[] frame = line.receive();
            if (frame == null) { // a silence: if the referee has forgotten us, it will say so
                send(line, Map.of("type", "ping"));
                continue;
            }
            JsonNode heard = MSGPACK.readTree(frame);
            switch (heard.path("type").asText()) {
                case "welcome" -> hello.put("session", heard.get("session")); // the way back to its matches
                case "start" -> send(line, Map.of("type", "ready", "match", heard.get("match")));
                case "ask" -> {
                    JsonNode match = heard.get("match"), id = heard.get("id");
                    send(line, Map.of("type", "act", "match", match, "id", id, "action", choose(mode, heard)));
                }
                case "ping" -> send(line, Map.of("type", "pong", "n", heard.path("n").asLong()));
                case "error" -> { // no-session: the connection was lost
                    System.err.println(heard.get("code") + ": " + heard.get("why"));
                    if (heard.path("code").asText().equals("no-session")) send(line, hello);
                }
                case "refuse" -> {
                    System.err.println("refused: " + heard.get("code") + ": " + heard.get("why"));
                    System.exit(2);
                }
                case "bye" -> System.exit(0);
                default -> {} // a message that this bot does without
            }
        }
    }

    private static void send(Line line, Map<String, Object> message) throws IOException {
        line.send(MSGPACK.writeValueAsBytes(message));
    }

    private static String setting(String name) {
        return System.getenv().getOrDefault(name, "");
    }

    public static void main(String[] arguments) throws IOException {
        String mode = arguments.length > 0 ? arguments[0] : "random";
        String address = setting("REFEREE_ADDRESS");
        if (mode.equals("echo")) {
            Echo.run();
        } else if (address.isEmpty()) {
            System.err.println("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`");
            System.exit(2);
        } else {
            play(mode, Line.to(address, SILENCE_MS));
        }
    }
}
