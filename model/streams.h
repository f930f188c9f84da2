#ifndef MODEL_STREAMS_H
#define MODEL_STREAMS_H

// The streams of a seed (rng_new), each for one purpose, so that drawing
// more for one moves no other.
enum {
    STREAM_EMBEDDINGS = 1,  // E, T, P, U
    STREAM_HEAD = 2,        // weights of attention and blocks
    STREAM_BATCHES = 3,     // what is trained on
    STREAM_HELD_OUT = 4,    // sentences that are made up to measure on
    STREAM_SAMPLE = 5,      // characters of ./train sample
    STREAM_HIDDEN = 7,      // characters that ./train show hides
};

#endif
