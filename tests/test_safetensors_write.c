// The writer of safetensors files: the bytes, what is read of them again,
// and what is left when it fails.
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "setup.h"
#include "test.h"
#include "model/save/safetensors.h"

static const char *path_of(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", test_directory(), name);
    return path;
}

static Safetensors read_good(const char *path) {
    Safetensors s;
    char error[SAFETENSORS_ERROR] = "";
    CHECK(safetensors_read(&s, path, error), "expected to be read, got \"%s\"", error);
    return s;
}

static Safetensors small(float *weights, int64_t *step) {
    Safetensors s = {0};
    for (int i = 0; i < 6; i++) weights[i] = (float)i - 2.5f;
    *step = -2;
    safetensors_note(&s, "format", "test");
    safetensors_note(&s, "odd \"\\\n\x01 é", "bytes: \xff\xE7\x8C, good: 猫😀\x7f");
    safetensors_add(&s, "step", (SafeTensor){.dtype = "I64", .data = step});
    safetensors_add(&s, "none", (SafeTensor){.dtype = "F32", .rank = 2, .shape = {0, 3}});
    safetensors_add(&s, "W",
                    (SafeTensor){.dtype = "F32", .rank = 2, .shape = {2, 3}, .data = weights});
    return s;
}

static const char *write_small(void) {
    float weights[6];
    int64_t step;
    char error[SAFETENSORS_ERROR] = "";
    const char *path = path_of("small.safetensors");
    Safetensors s = small(weights, &step);
    CHECK(safetensors_write(&s, path, error), "%s", error);
    safetensors_free(&s);
    return path;
}

static void exact_bytes(void) {
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"test\",\"odd \\\"\\\\\\u000a\\u0001 é\":\"bytes: "
        "\xEF\xBF\xBD\xEF\xBF\xBD"
        "\xEF\xBF\xBD, good: "
        "猫😀\x7f\"},\"step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
        "\"none\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[8,8]},"
        "\"W\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]}}";
    static const unsigned char data[] = {0xFE, 255, 255,  255,  255, 255, 255,  255,  // -2
                                         0,    0,   0x20, 0xC0, 0,   0,   0xC0, 0xBF,
                                         0,    0,   0,    0xBF, 0,   0,   0,    0x3F,
                                         0,    0,   0xC0, 0x3F, 0,   0,   0x20, 0x40};
    unsigned char bytes[1024];
    size_t size = test_read(write_small(), bytes, sizeof bytes),
           length = (sizeof header - 1 + 7) / 8 * 8;
    CHECK_INT(size, 8 + length + sizeof data);
    CHECK_INT(bytes[0] + 256 * bytes[1], length);
    for (int i = 2; i < 8; i++) CHECK_INT(bytes[i], 0);
    CHECK(!memcmp(bytes + 8, header, sizeof header - 1), "the header is %.400s", (char *)bytes + 8);
    for (size_t i = sizeof header - 1; i < length; i++) CHECK_INT(bytes[8 + i], ' ');
    CHECK(!memcmp(bytes + 8 + length, data, sizeof data), "the data differ");
}

static void round_trip(void) {
    Safetensors s = read_good(write_small());
    const SafeTensor *W = safetensors_find(&s, "W"), *step = safetensors_find(&s, "step");
    float weights[6];
    int64_t number;
    CHECK_INT(s.name.count, 3);
    CHECK_STRING(safetensors_metadata(&s, "odd \"\\\n\x01 é"),
                 "bytes: \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD, good: 猫😀\x7f");
    memcpy(weights, W->data, sizeof weights);
    memcpy(&number, step->data, sizeof number);
    for (int i = 0; i < 6; i++) CHECK_NEAR(weights[i], i - 2.5, 0);
    CHECK_INT(number, -2);
    CHECK_INT(safetensors_find(&s, "none")->shape[1], 3);
    safetensors_free(&s);
}

static const char *write_file(const void *bytes, size_t size) {
    const char *path = path_of("damaged.safetensors");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0, "%s can't be written", path);
    return path;
}

// A refusal is one line that begins with the file, and leaves nothing.
static bool reads(const char *path, Safetensors *s) {
    char error[SAFETENSORS_ERROR] = "";
    if (safetensors_read(s, path, error)) return true;
    CHECK(!s->file && !s->tensor && !s->value && !s->name.count && !s->key.count,
          "something is left");
    CHECK(!strncmp(error, path, strlen(path)) && strstr(error, "; expected "), "got \"%s\"", error);
    for (const char *c = error; *c; c++)
        CHECK((unsigned char)*c >= ' ' && *c != 127, "a control character in \"%s\"", error);
    return false;
}

static void truncated(void) {
    unsigned char bytes[1024];
    size_t size = test_read(write_small(), bytes, sizeof bytes);
    for (size_t n = 0; n < size; n++) {
        Safetensors s;
        CHECK(!reads(write_file(bytes, n), &s), "%zu bytes of %zu were read", n, size);
    }
}

// A flipped byte may make another name, or -2.5 of 2.5, but never tensors that aren't in the file.
static void flipped(void) {
    unsigned char bytes[1024];
    size_t size = test_read(write_small(), bytes, sizeof bytes),
           header = 8 + bytes[0] + 256u * bytes[1];
    for (size_t i = 0; i < header; i++)
        // every bit; here and there, any byte
        for (unsigned flip = 1; flip < 256; flip += i % 32 ? flip : 1) {
            Safetensors s;
            bytes[i] ^= (unsigned char)flip;
            if (reads(write_file(bytes, size), &s)) {
                uint64_t total = 0;
                for (int t = 0; t < s.name.count; t++) total += s.tensor[t].bytes;
                CHECK_INT(total, 32);
                safetensors_free(&s);
            }
            bytes[i] ^= (unsigned char)flip;
        }
}

// ---- when writing fails ------------------------------------------------------------------------

static void leftover(void) {
    char part[600];
    snprintf(part, sizeof part, "%s.part", write_small());
    FILE *f = fopen(part, "wb");
    CHECK(f && fputs("a writer was killed here; this is longer than what follows it", f) >= 0
              && !fclose(f),
          "no part");
    round_trip();
    CHECK(access(part, F_OK), "%s is still there", part);
}

static void check_kept(const char *path, const char *expected) {
    float weights[6];
    int64_t step;
    char error[SAFETENSORS_ERROR] = "", message[1024];
    Safetensors s = small(weights, &step);
    snprintf(message, sizeof message, "%s: %s", path, expected);
    CHECK(!safetensors_write(&s, path, error), "%s was written", path);
    CHECK_STRING(error, message);
    safetensors_free(&s);
}

static void unwritable(void) {
    check_kept(path_of("none/small.safetensors"),
               "can't be written: No such file or directory");
    check_kept("/proc/small.safetensors", "can't be written: No such file or directory");
    check_kept(test_directory(), "can't be written: Is a directory");
    char part[600];
    snprintf(part, sizeof part, "%s.part", test_directory());
    CHECK(access(part, F_OK), "%s was left behind", part);
}

// The part can be opened, and then there is no room for it.
static void full_disk(void) {
    const char *path = write_small();
    char part[600], kept[600];
    snprintf(kept, sizeof kept, "%s", path);
    snprintf(part, sizeof part, "%s.part", path);
    struct rlimit before, none;
    getrlimit(RLIMIT_FSIZE, &before);
    none = before;
    none.rlim_cur = 0;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    check_kept(kept, "can't be written: File too large");
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(access(part, F_OK), "%s was left behind", part);
    Safetensors s = read_good(kept);
    CHECK_INT(s.name.count, 3);
    safetensors_free(&s);
}

static void add_tensor(void *name) {
    Safetensors s = {0};
    safetensors_add(&s, "a", (SafeTensor){.dtype = "F32"});
    safetensors_add(&s, name, (SafeTensor){.dtype = "F32", .rank = *(char *)name == 'r' ? 9 : 0});
}

// The reader would refuse them, or find them under another name.
static void mistakes(void) {
    char name[][16] = {"a", "__metadata__", "rank", "\xff", "b\xED\xA0\x80"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char expected[160];
        int status;
        snprintf(expected, sizeof expected, "train: %s: a tensor that no checkpoint can hold\n",
                 name[i]);
        CHECK_STRING(test_stderr_of(add_tensor, name[i], &status), expected);
        CHECK_INT(status, 1);
    }
}

// ---- the other reader --------------------------------------------------------------------------

static void python(void) {
    int status;
    char theirs[512];
    test_command(&status, "python3 -c 'import json, struct'");
    if (status) test_skip("no python3 here");
    snprintf(theirs, sizeof theirs, "%s", path_of("python.safetensors"));
    const char *said = test_command(&status, "python3 tests/safetensors_check.py %s",
                                    write_small());
    CHECK(!status, "%s", said);
    said = test_command(&status, "python3 tests/safetensors_check.py --write %s", theirs);
    CHECK(!status, "%s", said);
    Safetensors s = read_good(theirs);
    CHECK_INT(s.name.count, 4);
    CHECK_STRING(safetensors_metadata(&s, "écrit"), "par Python: 猫\n");
    setup_check_tensor(&s, "a.weight", "F32 (2, 3)", 24);
    setup_check_tensor(&s, "é猫\n", "F64 (2)", 0);
    setup_check_tensor(&s, "scalar", "I64 ()", 16);
    setup_check_tensor(&s, "none", "F32 (0, 4)", 0);
    safetensors_free(&s);
}

void tests_safetensors_write(void) {
    test("a safetensors file is written byte for byte as it should be", exact_bytes);
    test("what is written to a safetensors file is read again", round_trip);
    test("a safetensors file cut short at any length is refused", truncated);
    test("a safetensors file with a header byte flipped is refused, or whole", flipped);
    test("what a killed writer of a safetensors file left is overwritten", leftover);
    test("where a safetensors file can't be written, one line says so", unwritable);
    test("no room for it leaves the old safetensors file", full_disk);
    test("a tensor that could not be read back is a mistake with a name", mistakes);
    test("an independent reader and writer in Python agrees", python);
}
