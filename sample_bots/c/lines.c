/* A bot for every game of the referee, on stdin and stdout, with nothing but the C library. See README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { const char *at; int size; } Value; /* JSON as it is spelled in the message; at is NULL for none */

static int first; /* play the first legal action, not a random one */

/* Your idea goes here: return one of the legal actions. */
static Value choose(const Value *legal, int count) { return legal[first ? 0 : rand() % count]; }

static const char *blanks(const char *p) { return p + strspn(p, " \t\r\n"); }
static const char *after_text(const char *p) { /* p is at the opening quote */
    for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}
static const char *after(const char *p) { /* where the value at p ends, however deep it is */
    const char *start = p;
    for (int depth = 0; *p; p = *p == '"' ? after_text(p) : p + 1) {
        if (depth == 0 && p > start && (p[-1] == '"' || p[-1] == '}' || p[-1] == ']')) return p;
        if (depth == 0 && strchr(", \t\r\n}]", *p)) return p;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    }
    return p;
}

static Value field(const char *message, const char *name) { /* a field of the message itself, not of what is in it */
    for (const char *p = blanks(message); *p == '{' || *p == ',';) {
        const char *key = blanks(p + 1), *end = after(key), *value = blanks(end);
        if (*value != ':') break;
        value = blanks(value + 1), p = after(value);
        if (end - key == (int)strlen(name) + 2 && !strncmp(key + 1, name, strlen(name)))
            return (Value){value, p - value};
        p = blanks(p);
    }
    return (Value){NULL, 0};
}
static int entries(Value list, Value **found) { /* the entries of a list, found again at the next call */
    static Value *all;
    static int room;
    int count = 0;
    if (!list.at || *list.at != '[' || *blanks(list.at + 1) == ']') return 0;
    for (const char *p = list.at; *p == '[' || *p == ','; p = blanks(p)) {
        if (count == room) all = realloc(all, (room = 2 * room + 64) * sizeof *all);
        const char *entry = blanks(p + 1);
        p = after(entry), all[count++] = (Value){entry, p - entry};
    }
    return *found = all, count;
}
static int is(Value value, const char *spelled) {
    return value.size == (int)strlen(spelled) && !strncmp(value.at, spelled, value.size);
}

static void hello(const char *token) {
    printf("{\"type\":\"hello\",\"protocol\":[1],\"name\":\"c-lines\",\"wants\":[\"legal\"],\"capacity\":64");
    if (token && *token) {
        for (printf(",\"token\":\""); *token; token++)
            printf(*token == '"' || *token == '\\' ? "\\%c" : "%c", *token);
        printf("\"");
    }
    puts("}");
}

static void echo(const char *line) { /* for tests: what this bot reads of a message */
    const char *names[] = {"type", "match", "id", "legal"};
    for (int i = 0; i < 4; i++) {
        Value value = field(line, names[i]);
        if (value.at) printf("%s\"%s\":%.*s", i ? "," : "{", names[i], value.size, value.at);
    }
    puts("}");
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "random";
    char *line = NULL;
    size_t room = 0;
    first = !strcmp(mode, "first"), srand(getpid());
    setvbuf(stdout, NULL, _IOLBF, 0); /* every line goes out at once */
    if (strcmp(mode, "echo")) hello(getenv("REFEREE_TOKEN"));
    while (getline(&line, &room, stdin) > 0) {
        Value type = field(line, "type"), match = field(line, "match"), id = field(line, "id"), n = field(line, "n");
        Value *legal = NULL;
        int count = entries(field(line, "legal"), &legal);
        if (!strcmp(mode, "echo")) echo(line);
        else if (is(type, "\"start\"")) printf("{\"type\":\"ready\",\"match\":%.*s}\n", match.size, match.at);
        else if (is(type, "\"ask\"") && count) {
            Value action = choose(legal, count);
            printf("{\"type\":\"act\",\"match\":%.*s,\"id\":%.*s,", match.size, match.at, id.size, id.at);
            printf("\"action\":%.*s}\n", action.size, action.at);
        }
        else if (is(type, "\"ping\"")) printf("{\"type\":\"pong\",\"n\":%.*s}\n", n.at ? n.size : 1, n.at ? n.at : "0");
        else if (is(type, "\"refuse\"")) return 2;
        else if (is(type, "\"bye\"")) return 0;
    }
    return 0;
}
