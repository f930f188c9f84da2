// `make claims`: runs every experiment with its seeds and prints the table of the claims, and below
// it what dividing by sqrt(d_k) does. With a number, one claim. Exit status 1 if one does not hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/fatal.h"
#include "claims.h"
#include "stories.h"

typedef struct Job {
    int experiment;
    uint64_t seed;
    Figure figure[CLAIM_ROWS];
} Job;

static int only;  // the claim that was asked for; 0: all

static bool is_asked(int experiment) {
    for (int r = 0; r < CLAIM_ROWS && claims[experiment]->row[r].what; r++)
        if (!only || claims[experiment]->row[r].claim == only) return true;
    return false;
}

static bool can_run(int experiment) {
    return is_asked(experiment) && (!claims[experiment]->gum || stories_find_gum("train.conllu"));
}

static int list_jobs(Job *job, int seeds) {
    int n = 0;
    for (int e = 0; e < claims_count; e++)
        for (int seed = 1; seed <= (claims[e]->seeded ? seeds : 1); seed++)
            job[n++] = (Job){.experiment = e, .seed = (uint64_t)seed};
    return n;
}

// Each job owns its figures, so the table is the same whatever the number of threads.
static void run_jobs(Job *job, int n) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < n; i++)
        if (can_run(job[i].experiment)) claims[job[i].experiment]->run(job[i].seed, job[i].figure);
}

static Figure joined(const Job *job, int n, int experiment, int row) {
    Figure all = {0};
    for (int i = 0; i < n; i++)
        if (job[i].experiment == experiment) figure_join(&all, &job[i].figure[row]);
    return all;
}

// Whole numbers to the last digit, others to three; no -0.
static const char *number(double x, char text[16]) {
    bool whole = fabs(x) < 1e6 && x == floor(x);
    snprintf(text, 16, whole ? "%.0f" : "%.3g", x + 0.0);
    return text;
}

static const char *range(double low, double high, char text[40]) {
    char a[16], b[16];
    if (strcmp(number(low, a), number(high, b))) snprintf(text, 40, "%s..%s", a, b);
    else snprintf(text, 40, "%s", a);
    return text;
}

// One bound alone, ">= 0.99" or "<= 0.5", where the other is 0, 1 or infinity.
static const char *bound(const Row *row, char text[40]) {
    char a[16];
    if (row->low == row->high) snprintf(text, 40, "= %s", number(row->low, a));
    else if (row->high == INFINITY || row->high == 1)
        snprintf(text, 40, ">= %s", number(row->low, a));
    else if (row->low == 0) snprintf(text, 40, "<= %s", number(row->high, a));
    else range(row->low, row->high, text);
    return text;
}

static bool print_row(const Row *row, const Figure *figure) {
    char measured[40] = "none", allowed[40];
    bool holds = claim_holds(row, figure);
    if (figure->count) range(figure->min, figure->max, measured);
    printf("      %-52s %-19s %-13s %s\n", row->what, measured, bound(row, allowed),
           holds ? "yes" : "NO");
    if (row->but) printf("        but: %s\n", row->but);
    return holds;
}

static int print_claims(const Job *job, int n) {
    int failed = 0;
    printf("%2s    %-52s %-19s %-13s %s\n", "#", "claim, and what shows it", "min..max", "bound",
           "holds");
    for (int number = 1; number <= CLAIMS; number++) {
        if (!claims_text[number] || (only && number != only)) continue;
        printf("%2d  %s\n", number, claims_text[number]);
        for (int e = 0; e < claims_count; e++)
            for (int r = 0; r < CLAIM_ROWS && claims[e]->row[r].what; r++) {
                const Row *row = &claims[e]->row[r];
                if (row->claim != number) continue;
                Figure figure = joined(job, n, e, r);
                if (can_run(e)) failed += !print_row(row, &figure);
                else printf("      %-52s not measured: needs the GUM corpus (QKV_GUM)\n", row->what);
            }
    }
    return failed;
}

static void print_scale(int seeds) {
    printf("\nThe first step with the scale and without: 16 independent rows of unit variance "
           "(ln 16 = 2.77),\nd_model 256, W_Q and W_K drawn independently; means of the seeds\n");
    printf("%6s %6s %10s %9s %12s %16s %18s\n", "d_k", "scale", "var of S", "entropy",
           "top weight", "median |dL/dS_i|", "|dL/d(W_Q, W_K)|");
    for (int d_k = 4; d_k <= 256; d_k *= 4)
        for (int scaled = 1; scaled >= 0; scaled--) {
            FirstStep m = {0};
            for (int seed = 1; seed <= seeds; seed++) {
                FirstStep s = claims_first_step(d_k, scaled, (uint64_t)seed);
                m.variance += s.variance / seeds;
                m.entropy += s.entropy / seeds;
                m.top += s.top / seeds;
                m.row_gradient += s.row_gradient / seeds;
                m.gradient += s.gradient / seeds;
            }
            printf("%6d %6s %10.2f %9.2f %12.2f %16.2g %18.2f\n", d_k, scaled ? "yes" : "no",
                   m.variance, m.entropy, m.top, m.row_gradient, m.gradient);
        }
}

int main(int argc, char **argv) {
    only = argc > 1 ? atoi(argv[1]) : 0;
    if (argc > 1 && (only < 1 || only > CLAIMS)) {
        fprintf(stderr, "claims: \"%s\"; expected the number of a claim, 1 to %d\n", argv[1], CLAIMS);
        return 2;
    }
    int seeds = claims_seeds();
    Job *job = grow(NULL, (size_t)(claims_count * (seeds > 1 ? seeds : 1)), sizeof *job);
    int n = list_jobs(job, seeds);
    run_jobs(job, n);
    int failed = print_claims(job, n);
    if (!only) print_scale(seeds);
    if (failed) printf("\n%d figures are out of bounds\n", failed);
    free(job);
    return failed ? 1 : 0;
}
