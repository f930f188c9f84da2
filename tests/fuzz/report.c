// What a run left, as `report` reads it, and what a sweep left, as it reads it to go on. The files
// follow each other, parted by a byte 0x1E, which neither JSON nor our CSV has; the first byte says
// which files they are. A page that is written holds them in elements that nothing in them ends, and
// each CSV as one JSON string. The page of a sweep has the arms' colours besides.
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "autograd/fatal.h"
#include "fuzz.h"
#include "model/sweep/csv.h"
#include "model/view/report/report.h"
#include "model/view/report/weights.h"
#include "tests/json.h"

enum { RUN, SWEEP, ROWS, KINDS };

// The next part, whose end is moved past; an empty one is a file that isn't there.
static void write_next(const char *name, const uint8_t **data, size_t *size) {
    const uint8_t *end = *size ? memchr(*data, 0x1E, *size) : NULL;
    size_t n = end ? (size_t)(end - *data) : *size, taken = n + (end != NULL);
    if (n) fuzz_write(fuzz_path(name), *data, n);
    else remove(fuzz_path(name));
    *data += taken;
    *size -= taken;
}

static char *read_text(const char *path) {
    size_t used = 0, room = 1 << 20;
    char *text = grow(NULL, room + 1, 1);
    FILE *f = fopen(path, "rb");
    HOLDS(f);
    for (size_t n; (n = fread(text + used, 1, room - used, f));) {
        used += n;
        if (used == room) text = grow(text, (room *= 2) + 1, 1);
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
        if (*(at + strspn(at, "\n")) == '"') HOLDS(!json_wrong(at));
        at = stop + 1;
    }
    HOLDS(!strstr(at, begin));
    free(page);
}

// Where the program carries the module for typed sentences, a page has the weights, too.
static void check_weights(void) {
    char *summary = read_text(fuzz_path("summary.json"));
    char *snapshots = read_text(fuzz_path("snapshots.json"));
    char *weights = weights_of(fuzz_path("."), summary, snapshots);
    HOLDS(!json_wrong(weights));
    free(weights);
    free(snapshots);
    free(summary);
}

static void check_run(const uint8_t *data, size_t size) {
    static const char *const name[] = {"summary.json", "metrics.csv", "symmetry.csv",
                                       "snapshots.json"};
    char error[RESULTS_ERROR] = "";
    for (int i = 0; i < 4; i++) write_next(name[i], &data, &size);
    int status = report_write(fuzz_path("."), error);
    HOLDS(status == DONE || status == MISUSED);
    if (status == DONE) {
        check_page(fuzz_path("report.html"), 4);
        check_weights();
    } else {
        fuzz_refused(error, "");
    }
}

static void check_sweep(const uint8_t *data, size_t size) {
    char error[RESULTS_ERROR] = "", written[4096];
    write_next("figures.csv", &data, &size);
    int status = report_sweep(fuzz_path("figures.csv"), written, error);
    HOLDS(status == DONE || status == MISUSED);
    if (status == DONE) {
        HOLDS(!strcmp(written, fuzz_path("figures.html")));
        check_page(written, 2);
    } else {
        fuzz_refused(error, "");
    }
}

// ---- the rows of a sweep -----------------------------------------------------------------------

enum { SHARDS = 3 };  // all of it, the first half, the second

static Grid grid[SHARDS];
static const char *const file[SHARDS] = {"sweep", "sweep.1-of-2", "sweep.2-of-2"};

static const char *named(int shard, const char *end) {
    static char name[2][64];
    static int next;
    snprintf(name[next ^= 1], sizeof *name, "%s.%s", file[shard], end);
    return name[next];
}

static void remove_all(void) {
    for (int i = 0; i < SHARDS; i++) {
        remove(fuzz_path(named(i, "json")));
        remove(fuzz_path(named(i, "csv")));
    }
}

// Rows that are taken are written as they were, and are taken again.
static void check_rows(int shard, const uint8_t *data, size_t size) {
    char error[GRID_ERROR] = "";
    SweepCsv rows, again;
    remove_all();
    write_next(named(shard, "json"), &data, &size);
    write_next(named(shard, "csv"), &data, &size);
    const char *directory = fuzz_path(".");
    if (csv_read(&rows, &grid[shard], directory, "./train sweep", error)) {
        int failed = csv_failed(&rows), runs = grid[shard].end - grid[shard].first;
        HOLDS(rows.done >= 0 && rows.done <= runs && failed >= 0 && failed <= rows.done);
        HOLDS(csv_write(&rows, CSV_DESCRIPTION, directory, error));
        HOLDS(csv_write(&rows, CSV_ROWS, directory, error));
        HOLDS(csv_read(&again, &grid[shard], directory, "./train sweep", error));
        HOLDS(again.done == rows.done);
        for (int i = 0; i < grid[shard].runs; i++)
            HOLDS(rows.row[i] ? again.row[i] && !strcmp(rows.row[i], again.row[i]) : !again.row[i]);
        csv_free(&again);
    } else {
        fuzz_refused(error, "");
    }
    csv_free(&rows);
}

// What a sweep leaves that was stopped after two rows: FUZZ_DIR/seeds.
static void write_seed(int shard) {
    static const double figure[CSV_FIGURES] = {0.5, 1};
    char error[GRID_ERROR], to[600];
    SweepCsv rows;
    remove_all();
    const char *directory = fuzz_path(".");
    HOLDS(csv_read(&rows, &grid[shard], directory, "./train sweep", error));
    csv_add(&rows, grid[shard].first + 1, 2048, 1000, figure);
    csv_add(&rows, grid[shard].first + 3, 2048, 1000, NULL);
    HOLDS(csv_write(&rows, CSV_DESCRIPTION, directory, error));
    HOLDS(csv_write(&rows, CSV_ROWS, directory, error));
    csv_free(&rows);
    char *json = read_text(fuzz_path(named(shard, "json")));
    char *csv = read_text(fuzz_path(named(shard, "csv")));
    snprintf(to, sizeof to, "%s/%s", fuzz_path("seeds"), file[shard]);
    mkdir(fuzz_path("seeds"), 0777);
    FILE *out = fopen(to, "wb");
    HOLDS(out && fprintf(out, "%c%s\x1E%s", ROWS + KINDS * shard, json, csv) > 0 && !fclose(out));
    free(json);
    free(csv);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static char *words[] = {"train", "sweep",  "--seeds", "1:3",     "--d-k",
                            "1,2",   "--arms", "qk,qkv",  "--shard", NULL};
    char error[GRID_ERROR];
    (void)argc;
    (void)argv;
    for (int i = 0; i < SHARDS; i++) {
        words[9] = i == 2 ? "2/2" : "1/2";
        HOLDS(grid_read(&grid[i], i ? 10 : 8, words, error));
        write_seed(i);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    if (*data % KINDS == RUN) check_run(data + 1, size - 1);
    else if (*data % KINDS == SWEEP) check_sweep(data + 1, size - 1);
    else check_rows(*data / KINDS % SHARDS, data + 1, size - 1);
    return 0;
}
