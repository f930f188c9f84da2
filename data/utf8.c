// UTF-8, in and out, and the names of characters. No function depends on the locale.
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"

size_t utf8_decode(const char *text, size_t n, unsigned *code) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length
    if (!n) return 0;
    unsigned first = (unsigned char)text[0];
    size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3
                  : first < 0xF8 ? 4 : 0;
    if (length == 0 || length > n) return 0;
    unsigned point = length == 1 ? first : first & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        unsigned byte = (unsigned char)text[i];
        if ((byte & 0xC0) != 0x80) return 0;
        point = point << 6 | (byte & 0x3F);
    }
    bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < least[length] || point > 0x10FFFF || surrogate) return 0;
    *code = point;
    return length;
}

size_t utf8_encode(unsigned code, char text[4]) {
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xC0, 0xE0, 0xF0};  // by length
    for (size_t i = length - 1; i > 0; i--, code >>= 6) text[i] = (char)(0x80 | (code & 0x3F));
    text[0] = (char)(lead[length] | code);
    return length;
}

char *utf8_lowered(const char *text) {
    size_t size = strlen(text) + 1;
    char *lower = grow(NULL, size, 1);
    for (size_t i = 0; i < size; i++) lower[i] = utf8_lower(text[i]);
    return lower;
}

const char *utf8_show(char *out, size_t size, const char *text) {
    size_t used = 0, left = strlen(text);
    while (left) {
        unsigned code = 0;
        size_t length = utf8_decode(text, left, &code);
        bool plain = length && utf8_prints(code)
                  && !(code >= 0x2028 && code <= 0x202E) && !(code >= 0x2066 && code <= 0x2069);
        if (!plain) length = 1;
        if (used + (plain ? length : 4) + sizeof "..." > size) {
            memcpy(out + used, "...", 3);
            used += 3;
            break;
        }
        if (plain) memcpy(out + used, text, length);
        else snprintf(out + used, size - used, "\\x%02x", (unsigned)(unsigned char)*text);
        used += plain ? length : 4;
        text += length;
        left -= length;
    }
    out[used] = '\0';
    return out;
}

// ---- names -------------------------------------------------------------------------------------

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
