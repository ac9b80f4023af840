/* A bot for every game of the referee, over ZeroMQ with msgpack. README.md says how to build and run it. */
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

static void *wire;
static msgpack_sbuffer out;
static msgpack_packer pack;
static int first;         /* play the first legal action, not a random one */
static char session[129]; /* lets us come back after a lost connection */

/* Your idea goes here: return the number of the action to play. This one makes its luck from the match and the id of
   the ask, so that an ask that comes again, after a lost connection, gets the same answer. */
static uint32_t choose(msgpack_object_array legal, msgpack_object_str match, uint64_t id) {
    uint64_t luck = (getpid() + id) * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < match.size; i++) luck = (luck ^ (uint8_t)match.ptr[i]) * 0x100000001B3u;
    return first ? 0 : (luck >> 24) % legal.size;
}

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
    msgpack_sbuffer_clear(&out), msgpack_pack_map(&pack, 1 + fields), put("type"), put(type);
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
    if (is(type, "ask") && legal.type == MSGPACK_OBJECT_ARRAY && legal.via.array.size) {
        msgpack_object action = legal.via.array.ptr[choose(legal.via.array, match.via.str, id.via.u64)];
        begin("act", 3), add("match", match), add("id", id), add("action", action), send_it();
    }
    if (is(type, "ping")) {
        if (n.type == MSGPACK_OBJECT_NIL) begin("pong", 0); else begin("pong", 1), add("n", n);
        send_it();
    }
    if (is(type, "welcome")) snprintf(session, sizeof session, "%.*s", (int)mine.via.str.size, mine.via.str.ptr);
    if (is(type, "error") && is(field(message, "code"), "no-session")) hello();
    if (is(type, "refuse") || is(type, "bye")) exit(is(type, "refuse") ? 2 : 0);
}

static void echo(msgpack_object message) { /* for tests: what was read, written again in hexadecimal */
    msgpack_sbuffer_clear(&out), msgpack_pack_object(&pack, message);
    for (size_t i = 0; i < out.size; i++) printf("%02hhx%s", out.data[i], i + 1 < out.size ? "" : "\n");
}
static void each(const char *data, size_t size, void (*use)(msgpack_object)) {
    msgpack_unpacked read = {0};
    for (size_t at = 0; msgpack_unpack_next(&read, data, size, &at) == MSGPACK_UNPACK_SUCCESS;) use(read.data);
    msgpack_unpacked_destroy(&read);
}

int main(int argc, char **argv) {
    const char *address = getenv("REFEREE_ADDRESS"), *mode = argc > 1 ? argv[1] : "random";
    int none = 0, patience_ms = 5000;
    first = !strcmp(mode, "first"), msgpack_packer_init(&pack, &out, msgpack_sbuffer_write);
    if (!strcmp(mode, "echo")) {
        msgpack_sbuffer all = {0};
        for (char byte; scanf("%2hhx", (unsigned char *)&byte) == 1;) msgpack_sbuffer_write(&all, &byte, 1);
        return each(all.data, all.size, echo), 0;
    }
    if (!address || !*address) return fputs("c: no REFEREE_ADDRESS: the referee is to start this bot\n", stderr), 2;
    wire = zmq_socket(zmq_ctx_new(), ZMQ_DEALER), zmq_setsockopt(wire, ZMQ_LINGER, &none, sizeof none);
    zmq_setsockopt(wire, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
    if (zmq_connect(wire, address)) return perror(address), 2;
    hello();
    for (zmq_msg_t frame;; zmq_msg_close(&frame)) {
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, wire, 0) >= 0) each(zmq_msg_data(&frame), zmq_msg_size(&frame), hear);
        else begin("ping", 0), send_it(); /* a silence: if the referee has forgotten us, it will say so */
    }
}
