// Optimisers on a bowl, decay, and the schedules of the learning rate.
#include "autograd/optim.h"

#include "test.h"
#include "model/train/trainer.h"

static void constant(void) {
    for (long step = 0; step < 10; step++)
        CHECK_NEAR(schedule_lr(SCHEDULE_CONSTANT, 0.5, step, 10, 0), 0.5, 0);
}

// A rise of 3 steps passes a quarter, a half and three quarters.
static void warm_up(void) {
    const Schedule schedules[] = {SCHEDULE_CONSTANT, SCHEDULE_COSINE};
    for (int s = 0; s < 2; s++) {
        CHECK_NEAR(schedule_lr(schedules[s], 2, 0, 10, 3), 0.5, 1e-15);
        CHECK_NEAR(schedule_lr(schedules[s], 2, 1, 10, 3), 1, 1e-15);
        CHECK_NEAR(schedule_lr(schedules[s], 2, 2, 10, 3), 1.5, 1e-15);
        CHECK_NEAR(schedule_lr(schedules[s], 2, 3, 10, 3), 2, 1e-15);
        CHECK_NEAR(schedule_lr(schedules[s], 2, 4, 100, 200), 2 * 5 / 201.0, 1e-15);
    }
}

static void cosine(void) {
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 0, 101, 0), 2, 1e-15);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 25, 101, 0), 2 * (0.1 + 0.45 * (1 + sqrt(0.5))),
               1e-12);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 50, 101, 0), 2 * 0.55, 1e-12);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 100, 101, 0), 0.2, 1e-12);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 10, 111, 10), 2, 1e-12);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 60, 111, 10), 2 * 0.55, 1e-12);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 110, 111, 10), 0.2, 1e-12);
    for (long step = 1; step < 101; step++)
        CHECK(schedule_lr(SCHEDULE_COSINE, 2, step, 101, 0)
                  < schedule_lr(SCHEDULE_COSINE, 2, step - 1, 101, 0),
              "the learning rate rises at step %ld", step);
}

static void short_runs(void) {
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 0, 1, 0), 2, 0);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 1, 2, 1), 2, 0);
    CHECK_NEAR(schedule_lr(SCHEDULE_COSINE, 2, 1, 2, 0), 0.2, 1e-12);
    for (long step = 0; step < 3; step++)
        CHECK(isfinite(schedule_lr(SCHEDULE_COSINE, 2, step, 3, 3)), "no learning rate for step %ld",
              step);
}

// sum_i c_i (w_i - 3)², whose curvatures c_i differ by a factor of 100.
static double distance_after(Optim optim, double lr, int steps) {
    Params p = {0};
    Tensor *w = params_add(&p, "w", true, 1, (const int[]){3});
    params_seal(&p);
    const float curvature[] = {0.05f, 0.5f, 5};
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < 3; i++) w->grad[i] = 2 * curvature[i] * (w->data[i] - 3);
        optim_step(&optim, &p, schedule_lr(SCHEDULE_COSINE, lr, step, steps, 5));
    }
    double distance = 0;
    for (int i = 0; i < 3; i++) distance = fmax(distance, fabs(w->data[i] - 3.0));
    params_free(&p);
    return distance;
}

static void bowl(void) {
    CHECK_NEAR(distance_after(optim_adam(0), 0.1, 600), 0, 1e-2);
    CHECK_NEAR(distance_after(optim_sgd(0), 0.1, 1500), 0, 1e-2);
    CHECK_NEAR(distance_after(optim_sgd(0.9), 0.02, 600), 0, 1e-2);
}

// Adam's first step is the learning rate, whatever the size of the gradient.
static void first_step(void) {
    Params p = {0};
    Tensor *w = params_add(&p, "w", true, 1, (const int[]){4});
    params_seal(&p);
    const float gradient[] = {1e-3f, -1, 1e6f, 0}, expected[] = {-0.1f, 0.1f, -0.1f, 0};
    for (int i = 0; i < 4; i++) w->grad[i] = gradient[i];
    Optim optim = optim_adam(0);
    optim_step(&optim, &p, 0.1);
    for (int i = 0; i < 4; i++) CHECK_NEAR(w->data[i], expected[i], 2e-6);
    params_free(&p);
}

static void decay(void) {
    Optim kinds[] = {optim_adam(0.5), optim_sgd(0.9)};
    kinds[1].decay = 0.5;
    for (int kind = 0; kind < 2; kind++) {
        Params p = {0};
        Tensor *W = params_add(&p, "W", true, 2, (const int[]){1, 2});
        Tensor *b = params_add(&p, "b", true, 1, (const int[]){2});
        Tensor *still = params_add(&p, "still", false, 2, (const int[]){1, 2});
        params_seal(&p);
        for (int i = 0; i < 2; i++) W->data[i] = b->data[i] = still->data[i] = 8;
        optim_step(&kinds[kind], &p, 0.25);
        optim_step(&kinds[kind], &p, 0.25);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(W->data[i], 8 * 0.875 * 0.875, 1e-6);
            CHECK_NEAR(b->data[i], 8, 0);
            CHECK_NEAR(still->data[i], 8, 0);
        }
        params_free(&p);
    }
}

void tests_optim(void) {
    test("a constant learning rate stays", constant);
    test("the learning rate rises over the warm-up steps", warm_up);
    test("the cosine falls from the learning rate to a tenth of it", cosine);
    test("the schedule has a learning rate for each step of the shortest runs", short_runs);
    test("each optimiser finds the bottom of a bowl", bowl);
    test("Adam's first step is as long as the learning rate", first_step);
    test("decay pulls matrices to 0, and nothing else", decay);
}
