// The characters of a text and their names. The vocabulary of the task `text` is made of names.
#include "characters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

size_t character_name(const char *text, size_t n, char name[8]) {
    unsigned code = 0;
    size_t length = utf8_decode(text, n, &code);
    if (!length || !utf8_prints(code)) {  // a control character of two bytes becomes two names
        snprintf(name, 8, "<0x%02X>", (unsigned)(unsigned char)*text);
        return 1;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return length;
}

size_t character_count(const char *text, size_t n) {
    char name[8];
    size_t count = 0;
    for (size_t at = 0; at < n; count++) at += character_name(text + at, n - at, name);
    return count;
}

const char *character_shown(const char *name) {
    if (!strcmp(name, " ")) return "␣";
    return !strcmp(name, "<0x0A>") ? "\\n" : !strcmp(name, "<unk>") ? "?" : name;
}

size_t character_bytes(const char *name, char bytes[8]) {
    size_t n = strlen(name);
    if (n == 6) {  // <0x..>
        bytes[0] = (char)strtol(name + 3, NULL, 16);
        return 1;
    }
    memcpy(bytes, name, n < 8 ? n : 8);
    return n < 8 ? n : 8;
}
