// A trained arm as a WebAssembly module: what a report calls to answer what its reader types. It is
// `show` and `sample` without a terminal. Read answer.h first; answer.js holds the other end.
#include "model/web/answer.h"

#include <stdlib.h>

#include "model/save/memory.h"
#include "model/view/sample.h"
#include "model/view/saved_model.h"
#include "model/web/exchange.h"

// An instance has one arm: an export has no argument that could hold it.
static struct Answer {
    SavedModel model;
    Sample sample;
} arm;

const char *answer_open(char *name) {
    char error[SAVED_MODEL_ERROR];
    bool good = saved_model_open(&arm.model, name, error);
    free(name);
    if (!good) return exchange_refuse(error);
    FILE *out = exchange_begin();
    fputs("{\"open\": true", out);
    exchange_known(out, &arm.model.saved.task);
    fputc('}', out);
    return exchange_end(out);
}

const char *answer_typed(char *sentence) {
    char error[SAVED_MODEL_ERROR];
    Inspected x;
    bool good = saved_model_inspect(&arm.model, sentence, 0, &x, error);
    free(sentence);
    if (!good) return exchange_refuse(error);
    FILE *out = exchange_begin();
    fputs("{\"typed\": true", out);
    if (arm.model.given.note[0]) exchange_member(out, "note", arm.model.given.note);
    exchange_sentence(out, &x);
    exchange_attention(out, &x);
    exchange_answers(out, &x);
    fputc('}', out);
    return exchange_end(out);
}

const char *answer_prompt(char *text, double temperature, uint64_t seed) {
    Vocab unknown = {0};
    if (arm.sample.model) sample_close(&arm.sample);
    sample_open(&arm.sample, &arm.model.model, seed, temperature, 0);
    sample_prompt(&arm.sample, *text ? text : "\n", &unknown);
    free(text);
    FILE *out = exchange_begin();
    fputs("{\"begun\": true", out);
    exchange_list(out, "unknown", STRINGS, unknown.word, unknown.count);
    fputc('}', out);
    vocab_free(&unknown);
    return exchange_end(out);
}

const char *answer_more(int characters) {
    char *text;
    size_t size;
    int from = arm.sample.count, end = from + characters;
    while (arm.sample.count < end)
        if (sample_next(&arm.sample) < 0)
            return exchange_refuse("the model's logits are not finite");
    FILE *memory = memory_open(&text, &size);
    sample_write(memory, &arm.sample, from, end);
    memory_close(memory);
    FILE *out = exchange_begin();
    fputs("{\"more\": true", out);
    exchange_member(out, "text", text);
    fputc('}', out);
    free(text);
    return exchange_end(out);
}
