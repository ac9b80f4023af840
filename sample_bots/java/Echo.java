import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Scanner;

/** For the tests of the referee: reads messages in hexadecimal, a line each, and writes them again. */
class Echo {
    static void run() throws IOException {
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine(); ) {
            JsonNode message = Bot.MSGPACK.readTree(HexFormat.of().parseHex(lines.nextLine()));
            System.out.println(HexFormat.of().formatHex(Bot.MSGPACK.writeValueAsBytes(message)));
        }
    }
}
