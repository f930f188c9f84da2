// The reader of safetensors files: what it accepts, and the exact message
// for everything it refuses.
#include "model/save/safetensors.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup.h"
#include "test.h"

static const char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    return path;
}

static const char *write_file(const void *bytes, size_t size) {
    const char *path = path_of("test.safetensors");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0, "%s can't be written", path);
    return path;
}

// A file of that header, and `size` bytes of data 0, 1, 2, ...
static const char *write_header(const char *header, size_t length, size_t size) {
    static unsigned char bytes[1 << 20];
    CHECK(8 + length + size <= sizeof bytes, "too long for this test");
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < size; i++) bytes[8 + length + i] = (unsigned char)i;
    return write_file(bytes, 8 + length + size);
}

static Safetensors read_good(const char *path) {
    Safetensors s;
    char error[SAFETENSORS_ERROR] = "";
    CHECK(safetensors_read(&s, path, error), "expected to be read, got \"%s\"", error);
    return s;
}

// What follows the name of the file in the message.
static const char *refusal_of(const char *path) {
    static char error[SAFETENSORS_ERROR];
    Safetensors s;
    strcpy(error, "nothing");
    CHECK(!safetensors_read(&s, path, error), "expected to be refused, was read");
    CHECK(!s.file && !s.tensor && !s.value && !s.name.count && !s.key.count,
          "a refused file left something");
    for (const char *c = error; *c; c++)
        CHECK((unsigned char)*c >= ' ' && *c != 127, "a control character in \"%s\"", error);
    CHECK(!strncmp(error, path, strlen(path)), "expected \"%s...\", got \"%s\"", path, error);
    CHECK(strstr(error, "; expected "), "nothing is expected in \"%s\"", error);
    return error + strlen(path);
}

#define READ(header, size) read_good(write_header(header, sizeof(header) - 1, size))
#define CHECK_REFUSED(header, size, expected) \
    CHECK_STRING(refusal_of(write_header(header, sizeof(header) - 1, size)), ": " expected)

#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define TENSOR(dtype, shape, offsets) \
    "{\"a\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

// ---- what is read ------------------------------------------------------------------------------

// As the public library writes: compact, aligned types first, then by
// name, padded to a multiple of 8.
static void reference(void) {
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"pt\"},"
        "\"step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
        "\"layer.0.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]},"
        "\"scale\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[32,36]}} ";
    size_t length = sizeof header - 1;
    CHECK_INT(length & 7, 0);
    Safetensors s = READ(header, 36);
    CHECK_INT(s.name.count, 3);
    CHECK_STRING(safetensors_metadata(&s, "format"), "pt");
    CHECK(!safetensors_metadata(&s, "pt") && !safetensors_find(&s, "__metadata__"),
          "found what isn't there");
    setup_check_tensor(&s, "step", "I64 ()", 0);
    setup_check_tensor(&s, "layer.0.weight", "F32 (2, 3)", 8);
    setup_check_tensor(&s, "scale", "F32 (1)", 32);
    safetensors_free(&s);
    CHECK(!s.file && !s.tensor, "what was freed isn't empty");
}

static void any_order(void) {
    Safetensors s = READ(
        "{ " A ",\n\"b\" :\t{\"data_offsets\" : [ 8 , 24 ],\r\n \"shape\":[ 2, 1 ] , "
        "\"dtype\":\"F64\"} , \"__metadata__\" : { \"k\" : \"v\" , \"\" : \"\" } } \n\t ",
        24);
    setup_check_tensor(&s, "a", "F32 (2)", 0);
    setup_check_tensor(&s, "b", "F64 (2, 1)", 8);
    CHECK_STRING(safetensors_metadata(&s, "k"), "v");
    CHECK_STRING(safetensors_metadata(&s, ""), "");
    safetensors_free(&s);
}

static void nothing_in_it(void) {
    static const char *const header[] = {"{}", "{}      ", "{ }", "{\"__metadata__\":{}}"};
    for (int i = 0; i < 4; i++) {
        Safetensors s = read_good(write_header(header[i], strlen(header[i]), 0));
        CHECK_INT(s.name.count + s.key.count, 0);
        safetensors_free(&s);
    }
}

static void no_elements(void) {
    Safetensors s = READ("{\"y\":{\"dtype\":\"I64\",\"shape\":[0],\"data_offsets\":[0,0]}," A ","
                         "\"z\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[8,8]}}", 8);
    setup_check_tensor(&s, "z", "F32 (0, 3)", 0);
    setup_check_tensor(&s, "y", "I64 (0)", 0);
    setup_check_tensor(&s, "a", "F32 (2)", 0);
    safetensors_free(&s);
}

static void escapes(void) {
    Safetensors s = READ(
        "{\"\\u00e9\\u732B😀\\\"\\\\\\/"
        "\\b\\f\\n\\r\\t\":{\"dtype\":\"\\u00463\\u0032\","
        "\"sh\\u0061pe\":[1],\"data_offsets\":[0,4]},\"__meta\\u0064ata__\":{\"猫\":"
        "\"\\ud7ff\\uE000\"}}",
        4);
    setup_check_tensor(&s, "é猫😀\"\\/\b\f\n\r\t", "F32 (1)", 0);
    CHECK_STRING(safetensors_metadata(&s, "猫"), "\xED\x9F\xBF\xEE\x80\x80");
    safetensors_free(&s);
}

// ---- what is refused ---------------------------------------------------------------------------

static void no_file(void) {
    CHECK_STRING(refusal_of(path_of("none")), ": No such file or directory; " A_FILE_OF_WEIGHTS);
    CHECK_STRING(refusal_of(test_directory()), ": Is a directory; " A_FILE_OF_WEIGHTS);
    const char *pipe = path_of("pipe");
    unlink(pipe);
    CHECK(!mkfifo(pipe, 0666), "no pipe");
    char expected[128];
    snprintf(expected, sizeof expected, ": %s; " A_FILE_OF_WEIGHTS, strerror(ESPIPE));
    CHECK_STRING(refusal_of(pipe), expected);
    unlink(pipe);
}

static void odd_file_name(void) {
    char error[SAFETENSORS_ERROR];
    Safetensors s;
    CHECK(!safetensors_read(&s, "no\n\033[31m\xff", error), "was read");
    CHECK_STRING(error, "no\\x0a\\x1b[31m\\xff: No such file or directory; " A_FILE_OF_WEIGHTS);
}

static void too_large(void) {
    const char *path = write_file("", 0);
    if (truncate(path, (off_t)SAFETENSORS_LIMIT + 1)) test_skip("no files this large here");
    CHECK_STRING(refusal_of(path), ": File too large; " A_FILE_OF_WEIGHTS);
    unlink(path);
}

static void lengths(void) {
#define WRONG(n, size) ": a header of " n " bytes in a file of " size "; expected 8 bytes that " \
                       "tell its length, then that many, at least 2"
    static const struct {
        unsigned char n[8]; const char *message;
    } wrong[] = {
        {{0}, WRONG("0", "10")},
        {{1}, WRONG("1", "10")},
        {{3}, WRONG("3", "10")},
        {{0, 0, 0, 0, 0, 0, 0, 0x80}, WRONG("9223372036854775808", "10")},
        {{255, 255, 255, 255, 255, 255, 255, 255}, WRONG("18446744073709551615", "10")}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char bytes[10];
        memcpy(bytes, wrong[i].n, 8);
        memcpy(bytes + 8, "{}", 2);
        CHECK_STRING(refusal_of(write_file(bytes, sizeof bytes)), wrong[i].message);
    }
    CHECK_STRING(refusal_of(write_file("", 0)), WRONG("0", "0"));
    CHECK_STRING(refusal_of(write_file("\2\0\0\0\0\0\0", 7)), WRONG("0", "7"));
#undef WRONG
}

static void json(void) {
    CHECK_REFUSED(" {}", 0, "header byte 0 is \" \"; expected {");
    CHECK_REFUSED("[]", 0, "header byte 0 is \"[\"; expected {");
    CHECK_REFUSED("\xEF\xBB\xBF{}", 0, "header byte 0 is \"\\xef\"; expected {");
    CHECK_REFUSED("{}x", 0, "header byte 2 is \"x\"; expected spaces up to the data");
    CHECK_REFUSED("{}\0", 0, "header byte 2 is \"\\x00\"; expected spaces up to the data");
    CHECK_REFUSED("{ ", 0, "the header ends at byte 2; expected a name in quotes");
    CHECK_REFUSED("{a:1}", 0, "header byte 1 is \"a\"; expected a name in quotes");
    CHECK_REFUSED("{,}", 0, "header byte 1 is \",\"; expected a name in quotes");
    CHECK_REFUSED("{\"a", 0, "the header ends at byte 3; expected a closing quote");
    CHECK_REFUSED("{\"a\"}", 0, "header byte 4 is \"}\"; expected :");
    CHECK_REFUSED("{\"a\":1}", 0, "header byte 5 is \"1\"; expected {");
    CHECK_REFUSED("{\"a\":null}", 0, "header byte 5 is \"n\"; expected {");
    CHECK_REFUSED("{\"a\":{}}", 0,
                  "tensor \"a\" has too few fields; expected dtype, shape and data_offsets");
    CHECK_REFUSED("{" A ",}", 8, "header byte 54 is \"}\"; expected a name in quotes");
    CHECK_REFUSED("{" A " " A "}", 8, "header byte 54 is \"\"\"; expected , or }");
    CHECK_REFUSED("{" A, 8, "the header ends at byte 53; expected , or }");
    CHECK_REFUSED("{" A "}}", 8, "header byte 54 is \"}\"; expected spaces up to the data");
    CHECK_REFUSED("{\"__metadata__\":[]}", 0, "header byte 16 is \"[\"; expected {");
    CHECK_REFUSED("{\"__metadata__\":{\"k\":1}}", 0,
                  "header byte 21 is \"1\"; expected a text in quotes");
    CHECK_REFUSED("{\"__metadata__\":{\"k\":{}}}", 0,
                  "header byte 21 is \"{\"; expected a text in quotes");
    CHECK_REFUSED("{\"__metadata__\":{\"k\":\"v\"", 0,
                  "the header ends at byte 24; expected , or }");
}

static void strings(void) {
    CHECK_REFUSED("{\"\xff\":", 0,
                  "header byte 2 is \"\\xff\"; expected text in UTF-8 without control characters");
    CHECK_REFUSED("{\"\xC0\x80\":", 0,
                  "header byte 2 is \"\\xc0\"; expected text in UTF-8 without control characters");
    CHECK_REFUSED("{\"\xED\xA0\x80\":", 0,
                  "header byte 2 is \"\\xed\"; expected text in UTF-8 without control characters");
    CHECK_REFUSED("{\"\xE7\x8C", 0,
                  "header byte 2 is \"\\xe7\"; expected text in UTF-8 without control characters");
    CHECK_REFUSED("{\"\n\":", 0,
                  "header byte 2 is \"\\x0a\"; expected text in UTF-8 without control characters");
    CHECK_REFUSED("{\"\0\":", 0,
                  "header byte 2 is \"\\x00\"; expected text in UTF-8 without control characters");
    CHECK_REFUSED("{\"\\x\":", 0, "header byte 2 is \"\\\"; expected an escape that JSON knows");
    CHECK_REFUSED("{\"\\", 0, "header byte 2 is \"\\\"; expected an escape that JSON knows");
    CHECK_REFUSED("{\"\\u00g0\":", 0,
                  "header byte 2 is \"\\\"; expected an escape that JSON knows");
    CHECK_REFUSED("{\"\\u00e", 0, "header byte 2 is \"\\\"; expected an escape that JSON knows");
    static const char *const code[] = {"0000", "D83D", "DE00", "dfff"};
    for (int i = 0; i < 4; i++) {
        char header[32];
        int n = snprintf(header, sizeof header, "{\"\\u%s\":", code[i]);
        CHECK_STRING(refusal_of(write_header(header, (size_t)n, 0)),
                     ": header byte 2 is \"\\\"; expected a character other than NUL, in one "
                     "escape");
    }
}

static void numbers(void) {
    CHECK_REFUSED(TENSOR("\"F32\"", "[-2]", "[0,8]"), 8,
                  "header byte 29 is \"-\"; expected a whole number");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2.0]", "[0,8]"), 8,
                  "header byte 30 is \".\"; expected , or ]");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2e0]", "[0,8]"), 8,
                  "header byte 30 is \"e\"; expected , or ]");
    CHECK_REFUSED(TENSOR("\"F32\"", "[02]", "[0,8]"), 8,
                  "header byte 30 is \"2\"; expected , or ]");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2,]", "[0,8]"), 8,
                  "header byte 31 is \"]\"; expected a whole number");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2 2]", "[0,8]"), 8,
                  "header byte 31 is \"2\"; expected , or ]");
    CHECK_REFUSED(TENSOR("\"F32\"", "[\"2\"]", "[0,8]"), 8,
                  "header byte 29 is \"\"\"; expected a whole number");
    CHECK_REFUSED(TENSOR("\"F32\"", "2", "[0,8]"), 8, "header byte 28 is \"2\"; expected [");
    CHECK_REFUSED(TENSOR("\"F32\"", "null", "[0,8]"), 8, "header byte 28 is \"n\"; expected [");
    CHECK_REFUSED(TENSOR("\"F32\"", "[[2]]", "[0,8]"), 8,
                  "header byte 29 is \"[\"; expected a whole number");
    CHECK_REFUSED(TENSOR("\"F32\"", "[18446744073709551616]", "[0,8]"), 8,
                  "header byte 29 is \"1\"; expected a number of at most 18446744073709551615");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2]", "[0,99999999999999999999999]"), 8,
                  "header byte 50 is \"9\"; expected a number of at most 18446744073709551615");
    CHECK_REFUSED(TENSOR("\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), 8,
                  "header byte 45 is \"2\"; expected a rank of at most 8");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2]", "[0,8,8]"), 8,
                  "header byte 52 is \"8\"; expected two offsets");
}

static void nested(void) {
    static char deep[1 << 19];
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < sizeof deep; i++) deep[i] = kind ? "{\"a\":"[i % 5] : '[';
        deep[0] = '{';
        const char *message = refusal_of(write_header(deep, sizeof deep, 0));
        CHECK_STRING(message, kind ? ": tensor \"a\" has a field \"a\"; expected dtype, shape and "
                                     "data_offsets"
                                   : ": header byte 1 is \"[\"; expected a name in quotes");
    }
}

static void fields(void) {
    CHECK_REFUSED(TENSOR("\"F33\"", "[2]", "[0,8]"), 8,
                  "tensor \"a\" is of type \"F33\"; expected F32, F64 or I64");
    CHECK_REFUSED(TENSOR("\"\"", "[2]", "[0,8]"), 8,
                  "tensor \"a\" is of type \"\"; expected F32, F64 or I64");
    CHECK_REFUSED(TENSOR("32", "[2]", "[0,8]"), 8,
                  "header byte 14 is \"3\"; expected a type in quotes");
    CHECK_REFUSED("{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
                  "tensor \"a\" has too few fields; expected dtype, shape and data_offsets");
    CHECK_REFUSED("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", 8,
                  "tensor \"a\" has too few fields; expected dtype, shape and data_offsets");
    CHECK_REFUSED("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8,
                  "tensor \"a\" has too few fields; expected dtype, shape and data_offsets");
    CHECK_REFUSED("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"offsets\":[0,8]}}", 8,
                  "tensor \"a\" has a field \"offsets\"; expected dtype, shape and data_offsets");
    CHECK_REFUSED("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"shape\":[2],\"data_offsets\":[0,8]}}",
                  8, "tensor \"a\" has a field \"shape\" a second time; expected dtype, shape and "
                     "data_offsets");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2]", "[8]"), 8,
                  "tensor \"a\" is data 8 to 0 of 8; expected F32 (2) from 0 on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2]", "[]"), 8,
                  "tensor \"a\" is data 0 to 0 of 8; expected F32 (2) from 0 on");
}

static void twice(void) {
    CHECK_REFUSED("{" A "," A "}", 8, "tensor \"a\" a second time; expected each name once");
    CHECK_REFUSED("{" A ",\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", 8,
                  "tensor \"a\" a second time; expected each name once");
    CHECK_REFUSED("{\"__metadata__\":{\"k\":\"1\",\"k\":\"1\"}}", 0,
                  "metadata \"k\" a second time; expected each key once");
    CHECK_REFUSED("{\"__metadata__\":{},\"__metadata__\":{}}", 0,
                  "__metadata__ a second time; expected it once");
}

static void sizes(void) {
    CHECK_REFUSED(TENSOR("\"F32\"", "[4294967296,4294967296,2]", "[0,8]"), 8,
                  "tensor \"a\" is data 0 to 8 of 8; expected F32 (4294967296, 4294967296, 2) from "
                  "0 on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[18446744073709551615]", "[0,8]"), 8,
                  "tensor \"a\" is data 0 to 8 of 8; expected F32 (18446744073709551615) from 0 "
                  "on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[4611686018427387906]", "[0,8]"), 8,  // 4 n = 8 mod 2^64
                  "tensor \"a\" is data 0 to 8 of 8; expected F32 (4611686018427387906) from 0 on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[3]", "[0,8]"), 8,
                  "tensor \"a\" is data 0 to 8 of 8; expected F32 (3) from 0 on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[]", "[0,8]"), 8,
                  "tensor \"a\" is data 0 to 8 of 8; expected F32 () from 0 on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2]", "[8,0]"), 8,
                  "tensor \"a\" is data 8 to 0 of 8; expected F32 (2) from 0 on");
    CHECK_REFUSED(TENSOR("\"F32\"", "[2]", "[18446744073709551608,0]"), 8,  // 8 mod 2^64
                  "tensor \"a\" is data 18446744073709551608 to 0 of 8; expected F32 (2) from 0 "
                  "on");
    CHECK_REFUSED(TENSOR("\"I64\"", "[2305843009213693951]", "[0,18446744073709551608]"), 8,
                  "tensor \"a\" is data 0 to 18446744073709551608 of 8; expected I64 "
                  "(2305843009213693951) from 0 on");
}

#define B(offsets) "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" offsets "}"

static void places(void) {
    CHECK_REFUSED("{" A "," B("[4,8]") "}", 12,
                  "tensor \"b\" is data 4 to 8 of 12; expected F32 (1) from 8 on");
    CHECK_REFUSED("{" B("[0,4]") "," A "}", 12,
                  "tensor \"a\" is data 0 to 8 of 12; expected F32 (2) from 4 on");
    CHECK_REFUSED("{" A "," B("[12,16]") "}", 16,
                  "tensor \"b\" is data 12 to 16 of 16; expected F32 (1) from 8 on");
    CHECK_REFUSED("{" B("[8,12]") "," A "}", 12,
                  "tensor \"b\" is data 8 to 12 of 12; expected F32 (1) from 0 on");
    CHECK_REFUSED("{" A "," B("[18446744073709551611,18446744073709551615]") "}", 8,
                  "tensor \"b\" is data 18446744073709551611 to 18446744073709551615 of 8; "
                  "expected F32 (1) from 8 on");
    CHECK_REFUSED("{" A "," B("[8,12]") "}", 11,
                  "tensor \"b\" is data 8 to 12 of 11; expected F32 (1) from 8 on");
    CHECK_REFUSED("{" A "}", 9, "1 bytes after the last tensor; expected the end of the file");
    CHECK_REFUSED("{}", 3, "3 bytes after the last tensor; expected the end of the file");
}

static void odd_names(void) {
    CHECK_REFUSED("{\"\\n\xC2\x9B\xE2\x80\xAE\":{\"x\":", 0,
                  "tensor \"\\x0a\\xc2\\x9b\\xe2\\x80\\xae\" has a field "
                  "\"x\"; expected dtype, shape and data_offsets");
    CHECK_REFUSED("{\"a23456789012345678901234567890123456789012345678901234567890\":{\"x\":", 0,
                  "tensor \"a2345678901234567890123456789012345678901234...\" has a field \"x\"; "
                  "expected dtype, shape and data_offsets");
}

void tests_safetensors(void) {
    test("a file as the public library writes it is read", reference);
    test("keys may come in any order, with any spaces", any_order);
    test("a file without tensors is read", nothing_in_it);
    test("tensors without elements are read", no_elements);
    test("names and fields may be escaped", escapes);
    test("no file, a directory and a pipe are refused", no_file);
    test("a message about a file with an odd name is one line", odd_file_name);
    test("a file too large for memory is refused unread", too_large);
    test("a header's length that can't be is refused", lengths);
    test("a header that isn't JSON of that shape is refused where it goes wrong", json);
    test("strings that aren't UTF-8 or JSON are refused", strings);
    test("negative, fractional and huge numbers are refused", numbers);
    test("deep nesting is refused at its first level", nested);
    test("missing, unknown and doubled fields are refused", fields);
    test("a name or a key that comes twice is refused", twice);
    test("shapes that overflow or don't fit their data are refused", sizes);
    test("tensors that overlap, leave holes, are out of order or end elsewhere than the file are "
         "refused", places);
    test("a message about a tensor with an odd name is one line", odd_names);
}
