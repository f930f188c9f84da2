// What a run left, as `report` reads it, and what a sweep left, as it reads it to go on. The files
// follow each other, parted by a byte 0x1E, which neither JSON nor our CSV has; the first byte says
// which files they are. A page that is written holds JSON, in elements that nothing in it ends.
#include <string.h>

#include "fuzz.h"
#include "model/json.h"
#include "model/rows.h"
#include "model/view/report.h"

enum { RUN, SWEEP, ROWS, KINDS };

// The next part, whose end is moved past.
static void write_next(const char *name, const uint8_t **data, size_t *size) {
    const uint8_t *end = *size ? memchr(*data, 0x1E, *size) : NULL;
    size_t n = end ? (size_t)(end - *data) : *size, taken = n + (end != NULL);
    fuzz_write(fuzz_path(name), *data, n);
    *data += taken;
    *size -= taken;
}

static char *read_text(const char *path) {
    size_t used = 0, room = 1 << 20;
    char *text = data_grow(NULL, room + 1, 1);
    FILE *f = fopen(path, "rb");
    HOLDS(f);
    for (size_t n; (n = fread(text + used, 1, room - used, f)); text = data_grow(text, room + 1, 1)) {
        used += n;
        if (used == room) room *= 2;
    }
    fclose(f);
    text[used] = '\0';
    return text;
}

static void check_page(const char *path, int parts) {
    static const char begin[] = "<script type=\"application/json\" id=\"", end[] = "\n</script>\n";
    char *page = read_text(path), *at = page;
    for (; parts; parts--) {
        at = strstr(at, begin);
        HOLDS(at);
        at = strchr(at, '>') + 1;
        char *stop = strchr(at, '<');
        HOLDS(!strncmp(stop - 1, end, sizeof end - 1));
        *stop = '\0';
        HOLDS(!json_wrong(at));
        at = stop + 1;
    }
    HOLDS(!strstr(at, begin));
    free(page);
}

static void check_run(const uint8_t *data, size_t size) {
    static const char *const name[] = {"summary.json", "metrics.csv", "symmetry.csv", "snapshots.json"};
    char error[RESULTS_ERROR] = "";
    for (int i = 0; i < 4; i++) write_next(name[i], &data, &size);
    if (report_write(fuzz_path("."), error)) check_page(fuzz_path("report.html"), 4);
    else HOLDS(*error && !strpbrk(error, "\n\r\t\033"));
}

static void check_sweep(const uint8_t *data, size_t size) {
    char error[RESULTS_ERROR] = "", written[4096];
    write_next("figures.csv", &data, &size);
    if (report_sweep(fuzz_path("figures.csv"), written, error)) {
        HOLDS(!strcmp(written, fuzz_path("figures.html")));
        check_page(written, 1);
    } else {
        HOLDS(*error && !strpbrk(error, "\n\r\t\033"));
    }
}

// Rows that are taken are written as they were, and are taken again.
static void check_rows(const uint8_t *data, size_t size) {
    static char *words[] = {"train", "sweep", "--seeds", "1:3", "--d-k", "1,2", "--arms", "qk,qkv"};
    const char *directory = fuzz_path(".");
    char error[GRID_ERROR] = "";
    Grid grid;
    Rows rows, again;
    write_next("sweep.json", &data, &size);
    write_next("sweep.csv", &data, &size);
    HOLDS(grid_read(&grid, 8, words, error));
    if (rows_read(&rows, &grid, directory, "./train sweep", error)) {
        int failed = rows_failed(&rows);
        HOLDS(rows.done >= 0 && rows.done <= grid.runs && failed >= 0 && failed <= rows.done);
        HOLDS(rows_describe(&rows, directory, error) && rows_write(&rows, directory, error));
        HOLDS(rows_read(&again, &grid, directory, "./train sweep", error));
        HOLDS(again.done == rows.done);
        for (int i = 0; i < grid.runs; i++)
            HOLDS(!rows.row[i] == !again.row[i] && (!rows.row[i] || !strcmp(rows.row[i], again.row[i])));
        rows_free(&again);
    } else {
        HOLDS(*error && !strpbrk(error, "\n\r\t\033"));
    }
    rows_free(&rows);
    grid_free(&grid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    if (*data % KINDS == RUN) check_run(data + 1, size - 1);
    else if (*data % KINDS == SWEEP) check_sweep(data + 1, size - 1);
    else check_rows(data + 1, size - 1);
    return 0;
}
