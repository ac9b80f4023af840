/* A bot for every game of the referee, on stdin and stdout, with nothing but the C library. See README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"

int echo(void); /* in lines_echo.c, for tests */

static int first; /* play the first legal action, not a random one */

/* Your idea goes here: return one of the legal actions. */
static Value choose(const Value *legal, int count) { return legal[first ? 0 : rand() % count]; }

static void hello(const char *token) {
    printf("{\"type\":\"hello\",\"protocol\":[1],\"name\":\"c-lines\",\"wants\":[\"legal\"],\"capacity\":64");
    if (token && *token) {
        for (printf(",\"token\":\""); *token; token++)
            printf(*token == '"' || *token == '\\' ? "\\%c" : "%c", *token);
        printf("\"");
    }
    puts("}");
}

static void hear(const char *line) {
    Value type = field(line, "type"), match = field(line, "match"), id = field(line, "id"), n = field(line, "n");
    Value *legal = NULL;
    int count = entries(field(line, "legal"), &legal);
    if (is(type, "start")) printf("{\"type\":\"ready\",\"match\":%.*s}\n", match.size, match.at);
    if (is(type, "ask") && count) {
        Value action = choose(legal, count);
        printf("{\"type\":\"act\",\"match\":%.*s,\"id\":%.*s,", match.size, match.at, id.size, id.at);
        printf("\"action\":%.*s}\n", action.size, action.at);
    }
    if (is(type, "ping")) printf("{\"type\":\"pong\",\"n\":%.*s}\n", n.at ? n.size : 1, n.at ? n.at : "0");
    if (is(type, "error") || is(type, "refuse")) fputs(line, stderr);
    if (is(type, "refuse")) exit(2);
    if (is(type, "bye")) exit(0);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "random";
    char *line = NULL;
    size_t room = 0;
    if (!strcmp(mode, "echo")) return echo();
    first = !strcmp(mode, "first");
    srand(getpid());
    setvbuf(stdout, NULL, _IOLBF, 0); /* every line goes out at once */
    hello(getenv("REFEREE_TOKEN"));
    while (getline(&line, &room, stdin) > 0) hear(line);
}
