// Batches: every sentence once an epoch, those of a length together.
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "test.h"
#include "data/sampler.h"

// `n` sentences of 1 to 30 tokens, each of whose tokens is the number of its sentence.
static Task numbered(size_t n) {
    Task task = {.name = "numbered", .fixed_set = true, .max_length = 30};
    Rng rng = rng_new(9, 9);
    for (size_t i = 0; i < n; i++) {
        Token token = {.target = -1, .relation = -1};
        token.feature[FEATURE_WORD] = (int)i;
        for (uint32_t k = rng_below(&rng, 30) + 1; k; k--) sentences_append(&task.train, &token);
        sentences_end(&task.train);
    }
    return task;
}

static int number_of(const Batch *batch, int b) {
    return batch->feature[FEATURE_WORD][b * batch->L];
}

// One epoch in batches of B; counts each sentence in seen[]. Gives the number of padded tokens.
static size_t epoch(Sampler *sampler, const Task *task, Rng *rng, int B, int *seen) {
    Batch batch = {0};
    size_t n = task->train.count, batches = (n + (size_t)B - 1) / (size_t)B;
    size_t padded = 0, short_ones = 0;
    for (size_t i = 0; i < batches; i++) {
        sampler_next(sampler, task, random_source(rng), B, &batch);
        CHECK(batch.B == B || batch.B == (int)(n % (size_t)B), "a batch of %d of %zu sentences",
              batch.B, n);
        short_ones += batch.B != B;
        for (int b = 0; b < batch.B; b++) {
            int which = number_of(&batch, b);
            CHECK(which >= 0 && (size_t)which < n, "sentence %d of %zu", which, n);
            CHECK_INT(batch.length[b], sentences_length(&task->train, (size_t)which));
            seen[which]++;
            padded += (size_t)(batch.L - batch.length[b]);
        }
    }
    CHECK_INT(short_ones, n % (size_t)B ? 1 : 0);
    batch_free(&batch);
    return padded;
}

static void once_an_epoch(void) {
    const struct { size_t n; int B; } sizes[] = {
        {1, 1}, {1, 8}, {7, 8}, {8, 8}, {9, 8}, {103, 8}, {500, 4}, {128, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        Task task = numbered(sizes[k].n);
        Sampler sampler = {0};
        Rng rng = rng_new(1, 3);
        int seen[512] = {0};
        for (int e = 1; e <= 3; e++) {
            epoch(&sampler, &task, &rng, sizes[k].B, seen);
            for (size_t i = 0; i < sizes[k].n; i++)
                CHECK(seen[i] == e, "sentence %zu of %zu was drawn %d times in %d epochs, B %d", i,
                      sizes[k].n, seen[i], e, sizes[k].B);
        }
        sampler_free(&sampler);
        task_free(&task);
    }
}

// With one pool, the batches of an epoch are pieces of the order by length: their ranges
// don't overlap.
static void lengths_are_grouped(void) {
    enum { COUNT = 96, SIZE = 8, BATCHES = COUNT / SIZE };
    Task task = numbered(COUNT);
    Sampler sampler = {0};
    Rng rng = rng_new(2, 3);
    Batch batch = {0};
    int least[BATCHES], most[BATCHES], falling = 0;
    for (int i = 0; i < BATCHES; i++) {
        sampler_next(&sampler, &task, random_source(&rng), SIZE, &batch);
        least[i] = most[i] = batch.length[0];
        for (int b = 0; b < batch.B; b++) {
            if (batch.length[b] < least[i]) least[i] = batch.length[b];
            if (batch.length[b] > most[i]) most[i] = batch.length[b];
        }
        CHECK_INT(batch.L, most[i]);
        falling += i && most[i] < most[i - 1];
        for (int k = 0; k < i; k++)
            CHECK(most[i] <= least[k] || most[k] <= least[i],
                  "batches of %d to %d and of %d to %d tokens", least[i], most[i], least[k],
                  most[k]);
    }
    CHECK(falling > 1, "the batches come by length; expected them shuffled");
    batch_free(&batch);
    sampler_free(&sampler);
    task_free(&task);
}

static void little_is_padding(void) {
    Task task = numbered(500);
    Sampler sampler = {0};
    Rng rng = rng_new(3, 3);
    int seen[512] = {0};
    size_t padded = epoch(&sampler, &task, &rng, 8, seen);
    CHECK(padded * 10 < task.train.tokens, "%zu of %zu tokens are padding", padded,
          task.train.tokens);
    sampler_free(&sampler);
    task_free(&task);
}

// The sentence each of the first 64 batches of one begins with.
static void first_numbers(uint64_t seed, int *number) {
    Task task = numbered(32);
    Sampler sampler = {0};
    Rng rng = rng_new(seed, 3);
    Batch batch = {0};
    for (int i = 0; i < 64; i++) {
        sampler_next(&sampler, &task, random_source(&rng), 1, &batch);
        number[i] = number_of(&batch, 0);
    }
    batch_free(&batch);
    sampler_free(&sampler);
    task_free(&task);
}

static void epochs_are_shuffled(void) {
    int a[64], b[64], other[64];
    first_numbers(1, a);
    first_numbers(1, b);
    first_numbers(2, other);
    CHECK(!memcmp(a, b, sizeof a), "one seed gave two orders");
    CHECK(memcmp(a, other, sizeof a), "two seeds gave one order");
    CHECK(memcmp(a, a + 32, sizeof a / 2), "two epochs have one order");
}

// Sentences of one length, which sorting leaves as they were shuffled: their company changes.
static void company_changes(void) {
    Task task = {.name = "numbered", .fixed_set = true, .max_length = 1};
    Sampler sampler = {0};
    Rng rng = rng_new(4, 3);
    Batch batch = {0};
    int apart = 0;
    for (int i = 0; i < 64; i++) {
        Token token = {.feature = {i}, .target = -1, .relation = -1};
        sentences_append(&task.train, &token);
        sentences_end(&task.train);
    }
    for (int i = 0; i < 16; i++) {
        sampler_next(&sampler, &task, random_source(&rng), 4, &batch);
        apart += number_of(&batch, 0) / 4 != number_of(&batch, 3) / 4;
    }
    CHECK(apart > 8, "%d of 16 batches are sentences that weren't neighbours", apart);
    batch_free(&batch);
    sampler_free(&sampler);
    task_free(&task);
}

// 1,000 of each are to be expected, with a standard deviation of 29.
static void every_order_is_as_likely(void) {
    Task task = numbered(3);
    Sampler sampler = {0};
    Rng rng = rng_new(6, 3);
    Batch batch = {0};
    int times[27] = {0}, orders = 0;
    for (int e = 0; e < 6000; e++) {
        int order = 0;
        for (int i = 0; i < 3; i++) {
            sampler_next(&sampler, &task, random_source(&rng), 1, &batch);
            order = 3 * order + number_of(&batch, 0);
        }
        times[order]++;
    }
    for (int order = 0; order < 27; order++) {
        orders += times[order] > 0;
        CHECK(!times[order] || abs(times[order] - 1000) < 150, "order %d came %d times", order,
              times[order]);
    }
    CHECK_INT(orders, 6);
    batch_free(&batch);
    sampler_free(&sampler);
    task_free(&task);
}

static void generated_sentences_are_new(void) {
    Setup s;
    Sampler sampler = {0};
    Rng rng = rng_new(1, 3);
    Batch a = {0}, b = {0};
    setup_open(&s, "train --held-out 1");
    sampler_next(&sampler, &s.task, random_source(&rng), 8, &a);
    sampler_next(&sampler, &s.task, random_source(&rng), 8, &b);
    CHECK_INT(a.B, 8);
    CHECK_INT(b.B, 8);
    CHECK(a.L != b.L || memcmp(a.feature[0], b.feature[0], (size_t)a.L * 8 * sizeof(int)),
          "the same batch twice");
    CHECK_INT(sampler.drawn.count, 8);
    batch_free(&a);
    batch_free(&b);
    sampler_free(&sampler);
    setup_close(&s);
}

static void by_length(void) {
    Task task = numbered(200);
    size_t order[200];
    for (size_t i = 0; i < 150; i++) order[i] = i;
    sentences_sort(&task.train, 150, order);
    for (size_t i = 1; i < 150; i++) {
        int before = sentences_length(&task.train, order[i - 1]),
            after = sentences_length(&task.train, order[i]);
        CHECK(before < after || (before == after && order[i - 1] < order[i]),
              "place %zu: sentence %zu of %d after sentence %zu of %d", i, order[i], after,
              order[i - 1], before);
        CHECK(order[i] < 150, "sentence %zu is not among the first 150", order[i]);
    }
    task_free(&task);
}

// Embeddings, the head, what is trained on and what is measured on: none is drawn as another is.
static void streams_of_a_run(void) {
    Setup s;
    Trainer t;
    Batch held_out = {0};
    double squares[2] = {0}, both = 0;
    setup_open(&s, "train pronoun --init random --batch 8 --held-out 8");
    trainer_init(&t, options_config(&s.options), &s.task, arm_find("qk"));
    const Tensor *E = params_find(&t.model.params, "E"), *W_Q = params_find(&t.model.params, "W_Q");
    size_t n = E->size < W_Q->size ? E->size : W_Q->size;
    for (size_t i = 0; i < n; i++) {
        squares[0] += (double)E->data[i] * E->data[i];
        squares[1] += (double)W_Q->data[i] * W_Q->data[i];
        both += (double)E->data[i] * W_Q->data[i];
    }
    CHECK(fabs(both) < 5 * sqrt(squares[0] * squares[1] / (double)n), "E and W_Q are alike");
    trainer_run(&t, 1, NULL);
    setup_batch(&s, &held_out, 8, 0);
    size_t size = (size_t)(8 * held_out.L) * sizeof(int);
    CHECK(t.batch.L != held_out.L || memcmp(t.batch.feature[0], held_out.feature[0], size),
          "what is measured on is trained on");
    batch_free(&held_out);
    trainer_free(&t);
    setup_close(&s);
}

void tests_sampler(void) {
    test("each epoch visits each sentence exactly once", once_an_epoch);
    test("sentences of a length share a batch, the batches are shuffled", lengths_are_grouped);
    test("less than a tenth of an epoch is padding", little_is_padding);
    test("a seed fixes the order, each epoch has its own", epochs_are_shuffled);
    test("sentences of one length are in other company each epoch", company_changes);
    test("an epoch of three sentences has each order as often", every_order_is_as_likely);
    test("a task that generates gives new sentences for each batch", generated_sentences_are_new);
    test("held-out sentences are measured from the shortest to the longest, equals in order",
         by_length);
    test("embeddings, head, training and measuring have random numbers of their own", streams_of_a_run);
}
