/* A bot for every game of the referee, over ZeroMQ with msgpack. README.md says how to build and run it. */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

int echo(void); /* in bot_echo.c, for tests */

static void *wire;
static msgpack_sbuffer out;
static msgpack_packer pack;
static int first;         /* play the first legal action, not a random one */
static char session[129]; /* lets us come back after a lost connection */

/* Your idea goes here: return one of the legal actions. */
static msgpack_object choose(msgpack_object_array legal) { return legal.ptr[first ? 0 : rand() % legal.size]; }

static int is(msgpack_object o, const char *word) {
    size_t size = strlen(word);
    return o.type == MSGPACK_OBJECT_STR && o.via.str.size == size && !memcmp(o.via.str.ptr, word, size);
}
static msgpack_object field(msgpack_object message, const char *key) {
    for (uint32_t i = 0; message.type == MSGPACK_OBJECT_MAP && i < message.via.map.size; i++)
        if (is(message.via.map.ptr[i].key, key)) return message.via.map.ptr[i].val;
    return (msgpack_object){.type = MSGPACK_OBJECT_NIL};
}
static void put(const char *text) { msgpack_pack_str_with_body(&pack, text, strlen(text)); }
static void begin(const char *type, int fields) {
    msgpack_sbuffer_clear(&out);
    msgpack_pack_map(&pack, 1 + fields);
    put("type"), put(type);
}
static void add(const char *key, msgpack_object value) { put(key), msgpack_pack_object(&pack, value); }
static void send_it(void) { zmq_send(wire, out.data, out.size, 0); }

static void hello(void) {
    const char *token = getenv("REFEREE_TOKEN");
    begin("hello", 4 + (token && *token) + (*session != 0));
    put("protocol"), msgpack_pack_array(&pack, 1), msgpack_pack_int(&pack, 1), put("name"), put("c");
    put("wants"), msgpack_pack_array(&pack, 1), put("legal");
    put("capacity"), msgpack_pack_int(&pack, 64); /* with nothing to remember, many matches at once are easy */
    if (token && *token) put("token"), put(token);
    if (*session) put("session"), put(session);
    send_it();
}

static void hear(msgpack_object message) {
    msgpack_object type = field(message, "type"), match = field(message, "match"), id = field(message, "id");
    msgpack_object legal = field(message, "legal"), n = field(message, "n"), mine = field(message, "session");
    if (is(type, "start")) begin("ready", 1), add("match", match), send_it();
    if (is(type, "ask") && legal.type == MSGPACK_OBJECT_ARRAY && legal.via.array.size)
        begin("act", 3), add("match", match), add("id", id), add("action", choose(legal.via.array)), send_it();
    if (is(type, "ping")) {
        if (n.type == MSGPACK_OBJECT_NIL) begin("pong", 0); else begin("pong", 1), add("n", n);
        send_it();
    }
    if (is(type, "welcome")) snprintf(session, sizeof session, "%.*s", (int)mine.via.str.size, mine.via.str.ptr);
    if (is(type, "error") || is(type, "refuse")) msgpack_object_print(stderr, message), fputs("\n", stderr);
    if (is(type, "error") && is(field(message, "code"), "no-session")) hello();
    if (is(type, "refuse") || is(type, "bye")) exit(is(type, "refuse") ? 2 : 0);
}

int main(int argc, char **argv) {
    const char *address = getenv("REFEREE_ADDRESS"), *mode = argc > 1 ? argv[1] : "random";
    const int patience_ms = 5000;
    msgpack_unpacked heard = {0};
    if (!strcmp(mode, "echo")) return echo();
    if (!address || !*address) return fputs("c: no REFEREE_ADDRESS: the referee is to start this bot\n", stderr), 2;
    first = !strcmp(mode, "first"), srand(getpid());
    msgpack_packer_init(&pack, &out, msgpack_sbuffer_write);
    wire = zmq_socket(zmq_ctx_new(), ZMQ_DEALER);
    zmq_setsockopt(wire, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
    if (zmq_connect(wire, address)) return perror(address), 2;
    hello();
    for (zmq_msg_t frame;; zmq_msg_close(&frame)) {
        zmq_msg_init(&frame);
        int size = zmq_msg_recv(&frame, wire, 0);
        if (size < 0)
            begin("ping", 0), send_it(); /* a silence: if the referee has forgotten us, it will say so */
        else if (msgpack_unpack_next(&heard, zmq_msg_data(&frame), size, NULL) == MSGPACK_UNPACK_SUCCESS)
            hear(heard.data);
    }
}
