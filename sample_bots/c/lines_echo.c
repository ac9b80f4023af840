/* For the tests of the referee: writes what lines.c reads of the messages on stdin. */
#include <stdio.h>

#include "json.h"

int echo(void) {
    const char *names[] = {"type", "match", "id", "legal"};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        for (int i = 0; i < 4; i++) {
            Value value = field(line, names[i]);
            if (value.at) printf("%s\"%s\":%.*s", i ? "," : "{", names[i], value.size, value.at);
        }
        puts("}");
    }
    return 0;
}
