/* For the tests of the referee: reads messages of bot.c in hexadecimal, and writes them again, a line each. */
#include <msgpack.h>
#include <stdio.h>

static void write_again(msgpack_object message) {
    msgpack_sbuffer out = {0};
    msgpack_packer pack;
    msgpack_packer_init(&pack, &out, msgpack_sbuffer_write);
    msgpack_pack_object(&pack, message);
    for (size_t i = 0; i < out.size; i++) printf("%02hhx", (unsigned char)out.data[i]);
    puts("");
    msgpack_sbuffer_destroy(&out);
}

int echo(void) {
    msgpack_sbuffer all = {0};
    msgpack_unpacked read = {0};
    size_t at = 0;
    for (unsigned char byte; scanf("%2hhx", &byte) == 1;) msgpack_sbuffer_write(&all, (char *)&byte, 1);
    while (msgpack_unpack_next(&read, all.data, all.size, &at) == MSGPACK_UNPACK_SUCCESS) write_again(read.data);
    return 0;
}
