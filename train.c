// Trains the arms of a task side by side and shows what each has learned:
//
//     arguments -> task -> arms -> loop -> report
//
// The other commands, of what is trained and of many trainings, are in the table at the end.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "autograd/fatal.h"
#include "autograd/simd/kernels.h"
#include "data/task.h"
#include "data/utf8.h"
#include "model/save/checkpoint.h"
#include "model/save/results.h"
#include "model/train/clock.h"
#include "model/train/history.h"
#include "model/train/record.h"
#include "model/train/tasks.h"
#include "model/train/threads.h"
#include "model/view/claim.h"
#include "model/view/commands.h"
#include "model/view/inspect.h"
#include "model/view/live.h"
#include "model/view/map.h"
#include "model/view/report/report.h"
#include "model/view/report/snapshots.h"
#include "model/view/sample.h"
#include "model/view/signals.h"
#include "model/view/svg.h"
#include "model/view/table.h"
#include "version.h"

// Of an arm, while all go to where they meet: has it a way to go, and does a thread train it?
typedef enum Turn { DONE_FOR_NOW, DUE, TAKEN } Turn;

typedef struct Run {
    Options options;
    Task task;
    Trainer *trainer;   // (history.arms)
    Turn *turn;         // (history.arms)
    Snapshots *snapshots;  // (history.arms)
    bool *saved;        // (history.arms) has it a file that is of this run, or that it went on from?
    History history;
    Sample sample;      // of the last arm's text, for the live view; or empty
    char *command;
    Term term;
    double began;
    double save_due;    // when, on the clock of clock_now()
} Run;

// ---- arms --------------------------------------------------------------------------------------

static void open_arms(Run *run) {
    const Options *o = &run->options;
    const Task *task = &run->task;
    History *h = &run->history;
    *h = (History){.task = task->name, .asked = task->asked, .command = run->command,
                   .seed = o->seed, .steps = o->steps, .points_at_answer = task->points_at_answer,
                   .alike = task->alike,
                   .text = task->is_text, .hidden = task->corpus.masked, .arms = o->arms,
                   .own = o->sentences != NULL, .measured_on_training = task->measured_on_training};
    Cycles turning = task_cycles(task);
    h->has_cycle = turning.cycles > 0;
    _Static_assert((int)GUESSES <= (int)BASELINES, "a baseline for each guess");
    for (; h->baselines < task->guesses; h->baselines++) {
        const Heuristic *g = &task->guess[h->baselines];
        h->baseline_name[h->baselines] = g->name;
        h->baseline[h->baselines] = task_guessed(task, g->right);
        h->baseline_accuracy[h->baselines] = task_guessed(task, g->alike);
    }
    record_random_band(options_config(o), task, &h->random_low, &h->random_high);
    h->arm = grow(NULL, (size_t)o->arms, sizeof *h->arm);
    run->trainer = grow(NULL, (size_t)o->arms, sizeof *run->trainer);
    run->snapshots = zeroed((size_t)o->arms, sizeof *run->snapshots);
    run->saved = zeroed((size_t)o->arms, sizeof *run->saved);
    run->turn = zeroed((size_t)o->arms, sizeof *run->turn);
    for (int i = 0; i < o->arms; i++) {
        trainer_init(&run->trainer[i], options_config(o), task, o->arm[i]);
        run->trainer[i].stop = &stop;
        h->arm[i] = record_begin(&run->trainer[i]);
    }
    if (h->has_cycle && model_attention(&run->trainer[0].model)->config.H == 1)
        h->bound = 1 - (double)turning.cycles / (double)turning.questions;
}

// All arms, or none. An arm without a file starts at step 0, if another has one: the run was killed
// while it saved for the first time.
static bool resume_arms(Run *run, char error[SAFETENSORS_ERROR]) {
    const Options *o = &run->options;
    int arms = o->resume ? run->history.arms : 0, saved = 0;
    for (int i = 0; i < arms; i++) saved += run->saved[i] = checkpoint_exists(o->out, o->arm[i]);
    for (int i = 0; i < arms; i++)
        if ((!saved || run->saved[i])
            && !checkpoint_load(o->out, &run->trainer[i], o, &run->history.arm[i], error))
            return false;
    for (int i = 0; saved && i < arms; i++)
        if (!run->saved[i])
            fprintf(stderr, "train: %s: nothing of it is saved in %s; it starts at step 0\n",
                    o->arm[i]->name, o->out);
    return true;
}

// ---- loop --------------------------------------------------------------------------------------

// The program looks up so often, in seconds: to draw, to save, to see whether it shall stop.
static const double SLICE = 0.1;

// Adds a point to the arm's curve and a snapshot to its report, unless they are there: the point
// of an arm that was resumed, both of an arm that waits here for the others.
static void measure_arm(Run *run, int i) {
    Trainer *t = &run->trainer[i];
    ArmHistory *arm = &run->history.arm[i];
    bool measured = arm->count && arm->point[arm->count - 1].step >= t->step;
    if (!measured) record_note(t, tasks_curve_sentences(&run->task, &run->options), arm);
    if (!run->options.no_report) snapshots_add(&run->snapshots[i], t);
}

// The first step from `step` on at which arms are measured.
static int measured_from(const Run *run, int step) {
    int at = 0;
    while (at < step) at = history_next(at, run->options.steps);
    return at;
}

// Of the arms that are due and that no thread has taken, the one that is furthest behind; -1: none.
static int take_arm(Run *run, double until) {
    int taken = -1;
    #pragma omp critical(arms)
    {
        for (int i = 0; i < run->history.arms && clock_now() < until; i++)
            if (run->turn[i] == DUE
                && (taken < 0 || run->trainer[i].step < run->trainer[taken].step)) taken = i;
        if (taken >= 0) run->turn[taken] = TAKEN;
    }
    return taken;
}

// From where it stands to where it is measured next. It is due again unless it is at `step`.
static void train_arm(Run *run, int i, int step, double until) {
    Trainer *t = &run->trainer[i];
    if (measured_from(run, t->step) == t->step) measure_arm(run, i);
    if (t->step < step) {
        int next = measured_from(run, t->step + 1);
        trainer_run(t, next, &until);
        if (t->step == next && !t->failure[0]) measure_arm(run, i);
    }
    #pragma omp critical(arms)
    run->turn[i] = t->step < step && !t->failure[0] && !trainer_stopped(t) ? DUE : DONE_FOR_NOW;
}

// Trains the arms until they reach `step` or the clock passes `until`, and measures them on the
// way. True: all are there. A thread that is free goes on with the arm that is furthest behind, so
// none waits for another before the end. Arms share nothing: who runs when changes no bit.
static bool advance(Run *run, int step, double until) {
    int arms = run->history.arms, there = 0;
    for (int i = 0; i < arms; i++) run->turn[i] = DUE;
    #pragma omp parallel if (arms > 1)
    for (int i; (i = take_arm(run, until)) >= 0;) train_arm(run, i, step, until);
    for (int i = 0; i < arms; i++) there += run->turn[i] != DUE && run->trainer[i].step >= step;
    return there == arms;
}

// The first, by its step, of those that failed.
static const char *failure(const Run *run) {
    const Trainer *first = NULL;
    for (int i = 0; i < run->history.arms; i++) {
        const Trainer *t = &run->trainer[i];
        if (t->failure[0] && (!first || t->step < first->step)) first = t;
    }
    return first ? first->failure : NULL;
}

// The steps of the arm that is furthest behind, of the one furthest ahead, and of all on average.
typedef struct Steps { int least, most; double mean; } Steps;

static Steps steps_taken(const Run *run) {
    Steps s = {.least = run->trainer[0].step};
    for (int i = 0; i < run->history.arms; i++) {
        int step = run->trainer[i].step;
        if (step < s.least) s.least = step;
        if (step > s.most) s.most = step;
        s.mean += (double)step / run->history.arms;
    }
    return s;
}

// Of an arm that failed, what this run saved last stays, and nothing of an earlier one. From the
// first save on there is no page of an earlier run, whatever becomes of this one.
static bool save_arms(Run *run, char error[RESULTS_ERROR]) {
    static const char *const page[] = {"report.html", "snapshots.json", "loss.svg",
                                       "attention.svg"};
    const Options *o = &run->options;
    bool good = true;
    for (int i = 0; i < 4; i++) atomic_file_remove(o->out, page[i]);
    for (int i = 0; good && i < run->history.arms; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.safetensors", o->arm[i]->name);
        bool failed = run->trainer[i].failure[0];
        if (failed && !run->saved[i]) atomic_file_remove(o->out, name);
        good = failed || checkpoint_save(o->out, &run->trainer[i], o, &run->history.arm[i],
                                         run->command, error);
        run->saved[i] |= good && !failed;
    }
    return good;
}

// Every --save-every seconds, so that whatever kills the run leaves one to --resume. Saving takes
// at most a fifth of the time: where a save is slow, the next comes four times as long after it.
// A save that fails is tried again; the last one says so.
static void save_now_and_then(Run *run) {
    double began = clock_now(), every = run->options.save_every;
    char error[RESULTS_ERROR];
    if (every <= 0 || began < run->save_due) return;
    if (save_arms(run, error)) results_metrics(run->options.out, &run->history, error);
    double took = clock_now() - began;
    run->save_due = clock_now() + (every > 4 * took ? every : 4 * took);
}

// --pace spreads what this run has still to do, from step `first` on. In slices: a signal that
// comes just before a sleep doesn't cut that one short.
static void keep_pace(const Run *run, double first, int step) {
    double share = (step - first) / (run->options.steps - first);
    while (!stop && clock_now() < run->began + run->options.pace * share)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
}

static Progress progress(const Run *run, int step, double spent, double left) {
    int of = run->options.steps;
    return (Progress){of > 0 ? (double)step / of : 1, step, of, "steps", spent, left};
}

// What two arms attend to, or one, in the last layer.
static Map map_of_pair(Run *run, const int pair[2]) {
    Map map = {0};
    for (int i = 0; i < 1 + (pair[0] != pair[1]); i++) {
        Trainer *t = &run->trainer[pair[i]];
        Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
        if (!i) map = map_new(&x);
        map_add(&map, inspect_attention(&x, x.layers - 1, ALL_HEADS),
                inspect_heads(&x, x.layers - 1) == 1 ? "%s, after softmax" : "%s, mean over heads",
                run->options.arm[pair[i]]->name);
    }
    return map;
}

// Beside the curves stands what the last arm attends to and, of a text, what it writes: as much as
// comes of a hundredth of the time.
static void show_frame(Run *run, Live *live, Progress p,
                       void (*draw)(Live *live, const History *history, Progress p)) {
    int last = run->history.arms - 1;
    Map map = {0};
    if (live_due(live, p) || draw == live_end) {
        map = map_of_pair(run, (int[]){last, last});
        live->map = &map;
        if (live->sample) sample_spend(&run->sample, p.seconds / 100);
    }
    draw(live, &run->history, p);
    live->map = NULL;
}

static void show_progress(Run *run, Live *live, double first) {
    double spent = clock_now() - run->began, mean = steps_taken(run).mean;
    double left = mean > first ? spent / (mean - first) * (run->options.steps - mean) : NAN;
    show_frame(run, live, progress(run, (int)mean, spent, left), live_draw);
}

static void open_sample(Run *run, Live *live) {
    if (!run->task.is_text || !run->task.causal || !live->term.tty) return;
    Model *model = &run->trainer[run->history.arms - 1].model;
    sample_open(&run->sample, model, run->options.seed, 0.8, 0);
    sample_prompt(&run->sample, "\n", NULL);
    live->sample = &run->sample;
}

// Has every arm been measured at its start? If not, none has taken a step in this run.
static bool is_begun(const Run *run) {
    for (int i = 0; i < run->history.arms; i++)
        if (!run->history.arm[i].count) return false;
    return true;
}

// Where the arms meet next: to be printed, after a tenth of the run; with --pace, to be watched,
// wherever they are measured.
static int next_stop(const Run *run, int step) {
    int steps = run->options.steps, next = history_next(step, steps);
    if (run->options.pace > 0) return next;
    while (next < steps && 10LL * next / steps == 10LL * step / steps)
        next = history_next(next, steps);
    return next;
}

// All arms until the last step, or until a signal or a failure: then each stands where it is.
// `live` NULL: nothing is drawn.
static void train(Run *run, Live *live) {
    const int steps = run->options.steps;
    const Steps first = steps_taken(run);
    int step = 0;
    run->began = clock_now();
    run->save_due = run->began + run->options.save_every;
    while (step < first.least) step = history_next(step, steps);
    for (;;) {
        bool there = advance(run, step, clock_now() + SLICE);
        if (stop || failure(run) || (there && step == steps)) break;
        save_now_and_then(run);
        // Plain lines are of measured steps, the same in each run.
        if (live && (there || live->term.tty)) show_progress(run, live, first.mean);
        if (!there) continue;
        keep_pace(run, first.mean, step);
        step = next_stop(run, step);
    }
    if (live && is_begun(run))
        show_frame(run, live, progress(run, steps_taken(run).least, clock_now() - run->began, NAN),
                   live_end);
}

// ---- report ------------------------------------------------------------------------------------

// Every arm over all that is held out. A run that is stopped waits for that no longer than GRACE;
// false: it was not all measured.
static bool measure_all(Run *run) {
    static const double GRACE = 0.3;  // seconds
    double until = clock_now() + GRACE;
    bool all = true;
    #pragma omp parallel for schedule(dynamic, 1) reduction(&& : all) if (run->history.arms > 1)
    for (int i = 0; i < run->history.arms; i++) {
        ArmHistory *arm = &run->history.arm[i];
        run->trainer[i].grace = until;
        arm->end = evaluate(&run->trainer[i], SIZE_MAX, arm);
        arm->ended = arm->end.step != BROKEN_OFF;
        all = all && arm->ended;
    }
    return all;
}

static void describe_all(Run *run) {
    #pragma omp parallel for schedule(dynamic, 1) if (run->history.arms > 1)
    for (int i = 0; i < run->history.arms; i++)
        record_end(&run->trainer[i], &run->history.arm[i]);
}

// The scores and the attention of the shown sentence, in the last layer.
static bool write_arrays(Run *run, int arm, char error[RESULTS_ERROR]) {
    Trainer *t = &run->trainer[arm];
    Inspected x = inspect_held_out(&t->model, &t->measuring, &t->batch);
    int last = x.layers - 1, shape[] = {inspect_heads(&x, last), x.rows, x.columns};
    bool alone = shape[0] == 1;
    static const char *const kind[] = {"scores", "attention"};
    const float *maps[] = {inspect_scores(&x, last, 0), inspect_attention(&x, last, 0)};
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%s", run->history.arm[arm].name, kind[i]);
        if (!results_npy(run->options.out, name, maps[i], alone ? 2 : 3, shape + alone, error))
            return false;
    }
    return true;
}

static bool write_results(Run *run, char error[RESULTS_ERROR]) {
    const char *out = run->options.out;
    bool good = results_metrics(out, &run->history, error)
             && results_symmetry(out, &run->history, error)
             && results_summary(out, &run->history, &run->options, error);
    for (int i = 0; good && i < run->history.arms; i++) good = write_arrays(run, i, error);
    return good;
}

// loss.svg and attention.svg
static bool write_pictures(Run *run, const int pair[2], char error[RESULTS_ERROR]) {
    Map map = map_of_pair(run, pair);
    AtomicFile file;
    if (!atomic_file_open_in(&file, run->options.out, "loss.svg", error)) return false;
    svg_loss(file.out, &run->history);
    if (!atomic_file_close(&file, error)) return false;
    if (!atomic_file_open_in(&file, run->options.out, "attention.svg", error)) return false;
    svg_map(file.out, &map);
    return atomic_file_close(&file, error);
}

// What was noted of the run goes to disk, and the page is made from that: so it can be made again.
static bool write_report(Run *run, Making making, char error[RESULTS_ERROR]) {
    making.threads = threads_most();
    making.seconds = clock_now() - run->began;
    for (int i = 0; i < run->history.arms; i++)  // a run that was stopped ended between two of them
        snapshots_add(&run->snapshots[i], &run->trainer[i]);
    return snapshots_write(run->options.out, run->trainer, run->snapshots, &run->history, making,
                           error)
        && write_pictures(run, making.pair, error) && report_write(run->options.out, error) == DONE;
}

static void tell_files(const Run *run, bool reported) {
    char shown[256];
    putchar('\n');
    print_wrapped(stdout, run->term,
                  "%s: metrics.csv, symmetry.csv, summary.json; of each arm the weights "
                  "(.safetensors), and the scores and attention of that sentence (.npy)%s",
                  utf8_show(shown, sizeof shown, run->options.out), reported
                  ? "; the report (report.html), and as pictures loss.svg and attention.svg" : "");
}

// The last screen is the result: what the run shows, in words, and the figures of its arms.
static void print_result(Run *run, Making making, bool written, bool reported) {
    Map map = map_of_pair(run, making.pair);
    if (!run->options.quiet) putchar('\n');
    table_print_details(stdout, run->term, &run->history);
    map_print(stdout, run->term, &map);
    if (written) tell_files(run, reported);
    if (*making.claim) putchar('\n');
    if (*making.claim) print_wrapped(stdout, run->term, "%s", making.claim);
    putchar('\n');
    table_print(stdout, run->term, &run->history);
    if (reported) print_link(stdout, run->options.out, "report.html");
}

static void tell_stopped(const Run *run) {
    const Options *o = &run->options;
    const Steps at = steps_taken(run);
    char to[32] = "";
    bool saved = false;
    for (int i = 0; i < run->history.arms; i++) saved |= run->saved[i];
    if (at.most > at.least) snprintf(to, sizeof to, " to %d", at.most);
    fprintf(stderr, "train: stopped at step %d%s of %d; to go on: %s%s\n", at.least, to, o->steps,
            run->command, o->resume || !saved ? "" : " --resume");
}

// What may keep the next run from such a failure. A step multiplies the weights by 1 - lr decay.
static const char *remedy(const Options *o) {
    bool decays_too_fast = o->lr * o->decay > 2, usual_lr = o->lr <= o->task->defaults.lr;
    return decays_too_fast ? usual_lr ? "--decay" : "--decay or --lr"
                           : o->clip > 0 ? "--lr" : "--lr or --clip 1";
}

static int report(Run *run) {
    const Options *o = &run->options;
    char error[RESULTS_ERROR], other[RESULTS_ERROR];
    if (stop && !is_begun(run)) {  // there is nothing to save
        tell_stopped(run);
        return INTERRUPTED;
    }
    term_measure(&run->term);  // the window may have another size by now
    bool whole = !failure(run) && measure_all(run);
    bool saved = save_arms(run, error);
    if (whole) describe_all(run);
    const char *why = failure(run);
    whole = whole && !why;
    Making making = {0};
    char *claim = whole ? claim_of(&run->history, making.pair) : NULL;
    making.claim = claim;
    bool written = write_results(run, saved ? error : other) && saved;
    bool reported = written && whole && !o->no_report;
    if (reported) reported = written = write_report(run, making, error);
    if (whole) print_result(run, making, written, reported);
    free(claim);
    if (!written) fprintf(stderr, "train: %s\n", error);
    if (why)
        fprintf(stderr,
                "train: %s; a smaller %s may do better%s%s\n", why, remedy(o),
                written ? ". What was measured before is in " : "", written ? o->out : "");
    if (stop) tell_stopped(run);
    return !printed() || !written || why ? FAILED : stop ? INTERRUPTED : DONE;
}

static void close_run(Run *run) {
    sample_close(&run->sample);
    for (int i = 0; i < run->history.arms; i++) {
        trainer_free(&run->trainer[i]);
        snapshots_free(&run->snapshots[i]);
    }
    free(run->trainer);
    free(run->snapshots);
    free(run->saved);
    free(run->turn);
    history_free(&run->history);
    task_free(&run->task);
    free(run->command);
}

static int command_train(int argc, char **argv) {
    Run run = {.command = arguments_command(argc, argv)};
    char error[TASK_ERROR] = "";
    int status = DONE;
    if (!parse_command(&run.options, argc, argv, error)) status = misused(error);
    else if (run.options.help || run.options.version) {
        if (run.options.help) parse_help(stdout);
        else puts("qkv " QKV_VERSION);
        status = printed() ? DONE : FAILED;
    }
    else if (!tasks_open(&run.task, &run.options, error)
             || !results_directory(run.options.out, error)
             || !atomic_file_claim(run.options.out, "train", error))
        status = misused(error);
    else {
        tasks_tell(&run.task, &run.options);
        threads_set(run.options.threads);
        signals_catch();
        run.term = term_of(stdout);
        open_arms(&run);
        if (!resume_arms(&run, error)) status = misused(error);
        else {
            Live live = {0};
            if (!run.options.quiet) {
                live = live_begin(stdout, run.term);
                open_sample(&run, &live);
            }
            train(&run, run.options.quiet ? NULL : &live);
            status = report(&run);
        }
    }
    close_run(&run);
    return status;
}

// What stands first, where it is no task.
static const struct { const char *name; int (*run)(int argc, char **argv); } commands[] = {
    {"show", command_show},
    {"sample", command_sample},
    {"sweep", command_sweep},
    {"report", command_report},
    {"graph", command_graph},
};

int main(int argc, char **argv) {
    char error[OPTIONS_ERROR];
    threads_wait_asleep(argv);
    fatal_program = "train";
    signals_ignore();
    if (!kernels_known(error, sizeof error)) return misused(error);
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name)) return commands[i].run(argc, argv);
    return command_train(argc, argv);
}
