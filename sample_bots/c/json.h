/* As much of JSON as lines.c reads: a message is one line of text, and a value is a piece of it. */
#pragma once
#include <stdlib.h>
#include <string.h>

typedef struct { const char *at; int size; } Value; /* as it is spelled in the message; at is NULL for none */

static inline const char *blanks(const char *p) { return p + strspn(p, " \t\r\n"); }

static inline const char *after(Value value) { return blanks(value.at + value.size); }

static inline const char *after_text(const char *p) { /* p is at the opening quote */
    for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
}

/* The value that begins at p, however deep it is; its size is 0 if there is none. */
static inline Value value_at(const char *p) {
    const char *start = p = blanks(p);
    for (int depth = 0; *p && (depth > 0 || !strchr(" \t\r\n,:]}", *p));) {
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p = *p == '"' ? after_text(p) : p + 1;
    }
    return (Value){start, p - start};
}

static inline int is(Value text, const char *word) {
    return text.size == (int)strlen(word) + 2 && !strncmp(text.at + 1, word, strlen(word));
}

/* A field of the message itself, not of what is in it. */
static inline Value field(const char *message, const char *name) {
    for (const char *p = blanks(message); *p == '{' || *p == ',';) {
        Value key = value_at(p + 1);
        if (*after(key) != ':') break;
        Value value = value_at(after(key) + 1);
        if (is(key, name)) return value;
        p = after(value);
    }
    return (Value){NULL, 0};
}

/* Find the entries of a list, which stay until the next call, and return how many there are. */
static inline int entries(Value list, Value **found) {
    static Value *all;
    static int room;
    int count = 0;
    for (const char *p = list.at; p && (*p == '[' || *p == ','); p = after(all[count++])) {
        if (count == room) all = realloc(all, (room = 2 * room + 64) * sizeof *all);
        all[count] = value_at(p + 1);
        if (all[count].size == 0) break;
    }
    *found = all;
    return count;
}
