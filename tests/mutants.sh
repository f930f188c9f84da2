#!/usr/bin/env bash
# Are the tests awake? Breaks one line at a time, in a copy of the tree under build/mutants, and the
# tests must fail for each. `make mutants` runs all, `MUTANTS=5` an even sample of 5,
# `MUTANTS_ONLY='gelu|mask'` those whose file or fault matches. A mutant whose line isn't in the source
# any more, just once, is a failure too: the list can't rot.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tree=build/mutants
export QKV_STOP=1  # at the first test that fails

# mutant FILE 'TEXT' 'REPLACEMENT' 'SENTENCE' 'WHAT IT BREAKS': TEXT stands once in FILE, and those
# tests whose sentence contains SENTENCE are run first.
mutants() {
    # ---- ops ----
    mutant autograd/ops.c 'loops()->scale(x->size, 1, out->grad + i, x->grad, add);' \
        'loops()->scale(x->size, 1, out->grad + i, x->grad, false);' \
        'a chain of 1,000,000 adds' 'add overwrites the gradient of its input'
    mutant autograd/ops.c 'b->grad[j] -= out->grad[i + j];' 'b->grad[j] += out->grad[i + j];' \
        'the gradient of sub' 'the sign of what is taken away'
    mutant autograd/ops.c 'b->grad[j] += a->data[i + j] * out->grad[i + j];' \
        'b->grad[j] = a->data[i + j] * out->grad[i + j];' \
        'the gradient of mul' 'a repeated factor keeps its last gradient alone'
    mutant autograd/ops.c 'if (a->grad) a->grad[i + j] += b->data[j] * out->grad[i + j];' \
        'if (a->grad) a->grad[i + j] += a->data[i + j] * out->grad[i + j];' \
        'the gradient of mul' 'd(ab)/da is a, not b'
    mutant autograd/ops.c 'loops()->scale(out->size, out->factor, out->grad, a->grad, add);' \
        'loops()->scale(out->size, 1, out->grad, a->grad, add);' \
        'the gradient of scale' 'scale forgets its factor backward'
    mutant autograd/ops.c 'if (a->data[i] > 0) a->grad[i] += out->grad[i];' \
        'a->grad[i] += out->grad[i];' 'the gradient of relu' 'relu has a slope below 0'
    mutant autograd/ops.c 'return sum_times(tape, "mean", a, 1 / (double)a->size);' \
        'return sum_times(tape, "mean", a, 1 / (double)(a->size + 1));' \
        'PyTorch gives the same values and gradients: mean' 'a mean of one number too many'
    mutant autograd/simd/kernels.c 'choose(flat, s, s + rise * twice_du)' \
        'choose(flat, s, s - rise * twice_du)' \
        'gelu and its slope are right' 'the sign of half of the slope of gelu'
    mutant autograd/ops.c 'loops()->product(out->size, out->saved, out->grad, a->grad, add);' \
        'loops()->product(out->size, out->saved, out->grad, a->grad, false);' \
        'the gradient of gelu' 'gelu overwrites the gradient of its input'
    # ---- rows ----
    mutant autograd/simd/loops.c 'y[i] * (dy[i] - all), TINY_SOFTMAX_GRAD)' 'y[i] * dy[i] + 0 * all, TINY_SOFTMAX_GRAD)' \
        'the gradient of softmax' 'softmax forgets that its weights sum to 1'
    mutant autograd/simd/loops.c 'y[i] == -INFINITY ? 0 : dy[i]);' 'dy[i]);' \
        'the gradient of mask' 'a gradient passes through the mask'
    mutant autograd/simd/loops.c 'out[i] = allowed[i] ? x[i] : -INFINITY;' \
        'out[i] = allowed[i] ? x[i] : -1e3f;' 'PyTorch gives the same values and gradients: mask' \
        'what is masked is only small'
    mutant autograd/simd/loops.c '- mean - u[i] * mean_u) * by));' '- mean - 0 * mean_u) * by));' \
        'the gradient of layer_norm' 'layer norm forgets that its standard deviation moves'
    mutant autograd/simd/loops.c 'sqrt(squares(n, x, mean) / (double)n + 1e-5);' \
        '(sqrt(squares(n, x, mean) / (double)n) + 1e-5);' \
        'layer norm of a constant row' 'the epsilon of layer norm stands outside of the root'
    mutant autograd/rows.c 'loops()->product(D, out->grad + i, unit + i, gain->grad, true);' \
        'loops()->scale(D, 1, out->grad + i, gain->grad, true);' \
        'the gradient of layer_norm' 'a gain has the gradient of a bias'
    mutant autograd/rows.c 'dz[saved->target[r]] -= each;' 'dz[saved->target[r]] += each;' \
        'the gradient of cross_entropy' 'the right answer is pushed away'
    mutant autograd/rows.c 'out->factor = count ? (float)(1 / (double)count) : 0;' \
        'out->factor = rows ? (float)(1 / (double)rows) : 0;' \
        'the gradient of cross_entropy' 'rows without a target count backward'
    mutant autograd/rows.c 'size_t b = allowed_B == 1 ? 0 : r / (H * L);' \
        'size_t b = allowed_B == 1 ? 0 : r / L % (size_t)allowed_B;' \
        'PyTorch gives the same values and gradients: mask' 'a head takes the mask of another sentence'
    mutant autograd/rows.c 'if (j > i) return n + (j - i < n ? j - i : n);' \
        'if (j > i) return n - (j - i < n ? j - i : n);' \
        'PyTorch gives the same values and gradients: relative' 'left and right are as far'
    mutant autograd/tape.c '!x->releasable || x->reads > 1' '!x->releasable || x->reads > 2' \
        'a tape that recycles' 'what another op has read is released'
    mutant autograd/params.c 'if (p->tensor[i]->grad_unset) grad_start(p->tensor[i]);' \
        'if (p->tensor[i]->grad_unset) p->tensor[i]->grad_unset = false;' \
        'that no backward has written is 0' 'the gradient of an earlier step stays'
    mutant autograd/rows.c 'TINY_LOSS_GRAD, dz, add);' 'TINY_LOSS_GRAD, dz, false);' \
        'the gradient of cross_entropy' 'the loss overwrites the gradient of the logits'
    mutant autograd/rows.c 'r->grad[row * width + place_of(row % L, j, width / 2)]' \
        'r->grad[row * width + place_of(j, row % L, width / 2)]' \
        'the gradient of relative' 'left learns what right did'
    mutant autograd/simd/loops.c 'by = (double)*inverse++;' 'by = (double)*inverse;' \
        'the gradient of layer_norm' 'each row is divided by the deviation of the first'
    mutant autograd/tape.c 's->size >= size && (!best || s->size < best->size)' \
        '!best || s->size < best->size' 'a tape that recycles' 'a piece that is too small is used again'
    mutant autograd/tape.c 'tape->spare = NULL;' '' \
        'accuracy counts every earlier mention' 'a reset tape keeps pieces of the step before'
    mutant autograd/params.c 'if (limit > 0 && norm > limit)' 'if (norm > limit)' \
        'each step is as long as' 'no limit clips everything'
    # ---- products and shapes ----
    mutant autograd/matmul.c 'over(x->grad, as), A, B, add);' 'over(x->grad, as), A, B, false);' \
        'the gradient of matmul' 'a shared matrix keeps the last gradient alone'
    mutant autograd/matmul.c 'p.b, turned(dout), p.a);' 'p.b, turned(dout), p.b);' \
        'the gradient of matmul_t' 'd(a bᵀ)/db is b, not a'
    mutant autograd/simd/gemm.c 'C.at + j, C.row, add || p);' 'C.at + j, C.row, add);' \
        'products deeper than one panel' 'a deep product keeps its last panel alone'
    mutant autograd/shape.c 'a->grad[at + i * n + j] += out->grad[at + j * m + i];' \
        'a->grad[at + i * n + j] += out->grad[at + i * n + j];' \
        'the gradient of transpose' 'transpose forgets itself backward'
    mutant autograd/shape.c 'loops()->add_to(D, out->grad + r * D, table->grad + (size_t)ids[r] * D);' \
        'memcpy(table->grad + (size_t)ids[r] * D, out->grad + r * D, D * sizeof *out->grad);' \
        'the gradient of embedding' 'a row that is looked up twice learns once'
    mutant autograd/tape.c 'for (Tensor *x = tape->last; x; x = x->prev) {' \
        'for (Tensor *x = tape->last->prev; x; x = x->prev) {' \
        'the gradient of the loss' 'backward begins one op too early'
    mutant autograd/arena.c 'block->used += bytes;' 'block->used += bytes - (bytes > 64 ? 64 : 0);' \
        'pieces of an arena are aligned' 'pieces of an arena overlap'
    mutant autograd/rng.c '>> 11) * 0x1p-53' '>> 11) * 0x1p-52' \
        'uniform numbers are in' 'uniform numbers reach 2'
    mutant autograd/shape.c '*y = together + ((b * L + l) * H + h) * d;' \
        '*y = together + ((b * H + h) * L + l) * d;' \
        'four heads are four layers on slices' 'heads are cut along the sentence'
    mutant autograd/rng.c 'mix(seed) ^ mix(~mix(stream))' 'mix(seed ^ stream)' \
        'seeds and streams repeat' 'a stream of one seed is that of another'
    # ---- optimiser ----
    mutant autograd/optim.c '.step = (float)(lr / (1 - pow(o->beta1, (double)o->step))),' \
        '.step = (float)(lr / (1 - pow(o->beta1, (double)o->step + 1))),' \
        'three steps of Adam' 'the bias correction is a step ahead'
    mutant autograd/simd/loops.c '(sqrtf(v[i] * o.unbias) + o.epsilon);' 'sqrtf(v[i] * o.unbias + o.epsilon);' \
        'three steps of Adam' 'the epsilon of Adam stands under the root'
    mutant autograd/simd/loops.c 'o.b2 * v[i] + o.c2 * seen * seen, TINY_SQUARE);' \
        'o.b2 * v[i] + o.c2 * g[i], TINY_SQUARE);' 'three steps of Adam' 'a second moment that is no square'
    mutant autograd/optim.c 'decay_matrices(params, 1 - lr * optim->decay);' \
        'decay_matrices(params, 1);' 'three steps of AdamW' 'no weight decays'
    mutant autograd/optim.c 'if (x->wants_grad && x->rank >= 2)' 'if (x->wants_grad)' \
        'three steps of AdamW' 'gains and biases decay too'
    mutant autograd/optim.c 'or_zero(momentum * v[i] + p->grad[i], TINY_MEAN);' \
        'or_zero(p->grad[i], TINY_MEAN);' \
        'three steps of SGD' 'there is no momentum'
    mutant model/train/trainer.c '(double)(steps - 1 - warmup)' '(double)(steps + 1 - warmup)' \
        'the cosine falls' 'the schedule ends too high'
    mutant model/train/trainer.c 'return lr * (double)(step + 1) / (double)(warmup + 1);' \
        'return lr * (double)step / (double)(warmup + 1);' \
        'the learning rate rises over the warm-up' 'the first step of a warm-up is none'
    mutant autograd/params.c 'params_gather_grad(p, NULL, 0, limit / norm);' \
        'params_gather_grad(p, NULL, 0, limit / norm / norm);' \
        'the norm of the gradient is over all parameters' 'clipping clips too much'
    mutant autograd/params.c 'sqrt(loops()->dot(p->size, p->grad, p->grad))' \
        'loops()->dot(p->size, p->grad, p->grad)' \
        'the norm of the gradient is over all parameters' 'the square of the norm'
    mutant autograd/optim.c 'decay_matrices(params, 1 - lr * optim->decay);' \
        'decay_matrices(params, 1 - optim->decay);' \
        'three steps of AdamW' 'the decay does not follow the learning rate'
    mutant model/train/trainer.c 'c->lr, t->step, c->steps' 'c->lr, t->step + 1, c->steps' \
        'each step is as long as' 'the schedule is a step ahead'
    mutant model/train/trainer.c 'one_of_many ? scale(tape, f.loss, f.questions) : f.loss' \
        'f.loss' 'a step in parts, by sentence' 'parts count alike, however many questions they ask'
    mutant model/train/trainer.c 'if (first) params_zero_grad(' 'params_zero_grad(' \
        'batches that add up' 'of several batches the last one counts alone'
    mutant model/train/trainer.c 'limit > 0 && norm > limit ? limit : norm' 'limit > 0 ? norm : norm' \
        'a gradient whose square overflows' 'a gradient that clipping saves stops training'
    mutant model/train/trainer.c '+= part[i].loss * part[i].questions;' '+= part[i].loss;' \
        'a step in parts, by sentence' 'the training loss is no mean over questions'
    mutant model/train/trainer.c 'rng_new(config.seed, STREAM_BATCHES)' \
        'rng_new(config.seed, STREAM_HELD_OUT)' \
        'have random numbers of their own' 'what is measured on is trained on'
    # ---- model ----
    mutant model/attention.c 'S = scale(tape, S, 1 / sqrt(attention_query_width(a)));' \
        'S = scale(tape, S, 1);' 'self-attention of every arm' 'scores are not divided by sqrt(d_k)'
    mutant model/attention.c 'S = scale(tape, S, 1 / sqrt(attention_query_width(a)));' \
        'S = scale(tape, S, 1 / sqrt(a->config.D));' \
        'self-attention of every arm' 'scores are divided by sqrt(d_model)'
    mutant model/attention.c 'K = X == Z && a->W_K == a->W_Q ? Q : heads(tape, a, Z, a->W_K);' \
        'K = X == Z ? Q : heads(tape, a, Z, a->W_K);' 'self-attention of every arm' 'keys are queries'
    mutant model/attention.c 'key ? K :' 'key ? heads(tape, a, Z, NULL) :' \
        'self-attention of every arm' 'the value of kv is no key'
    mutant model/attention.c 'query && X == Z ? Q :' 'query ? Q :' \
        'queries from X, keys and values from Z' 'vq passes on the queries of those who ask'
    mutant model/attention.c 'matmul_t(tape, Q, K);' 'matmul_t(tape, K, Q);' \
        'queries from X, keys and values from Z' 'queries and keys change places'
    mutant model/arms.c 'add(tape, S, transpose(tape, mirror)), 0.5)' \
        'add(tape, S, mirror), 0.5)' 'a symmetric arm gives' 'sym is not symmetric'
    mutant model/attention.c 'M[i] = S->data[h * size + i];' 'M[i] = S->data[i];' \
        'M of every arm and head' 'M of a score with its own formula is that of the first head'
    mutant model/model.c 'if (model->task->causal && i + 1 < seen) seen = i + 1;' \
        'if (seen < keys) seen++;
            if (model->task->causal && i + 1 < seen) seen = i + 1;' \
        'padding changes no bit' 'the first padding is attended to'
    mutant model/model.c 'i + 1 < seen) seen = i + 1;' 'i + 2 < seen) seen = i + 2;' \
        "no bit of a causal model's logits" 'a causal model sees the next character'
    mutant model/block.c 'return add(tape, X, linear(tape, hidden, block->W_2, block->c_2));' \
        'return linear(tape, hidden, block->W_2, block->c_2);' \
        'PyTorch' 'a block without its second residual'
    mutant model/train/trainer.c 'others, t->shards - 1, 1 / (double)questions);' \
        'others, t->shards - 1, 1 / (double)(questions + 1));' \
        'a step in parts, by sentence' 'a step in parts is shorter'
    mutant model/train/evaluate.c 'to->attended += most == target;' \
        'to->attended += most == target + 1;' \
        'accuracies, NLL and asymmetry' 'the word after the right one counts as found'
    mutant model/train/measure.c 'C = N - (p[i] - p[j]);' 'C = N - (p[i] + p[j]);' \
        'no bias on rows or columns circulates' 'a bias circulates'
    mutant model/train/measure.c 'least - log(sum)' 'least + log(sum)' \
        'the attention NLL of several heads' 'the NLL of several heads'
    mutant model/attention.c '(double)a->W_K->data[(j * H + h) * d + k];' \
        '(double)a->W_Q->data[(j * H + h) * d + k];' \
        'M of every arm and head' 'M is symmetric whatever was learned'
    mutant model/attention.c 'if (a->W_Q) memmove(a->W_K->data, a->W_Q->data, a->W_Q->size * sizeof(float));' \
        'if (a->W_Q) fill_orthonormal(a->W_K, rng);' \
        'arms with a projection start' 'W_K starts apart from W_Q'
    mutant model/attention.c 'sqrt(2.0 * a->config.d_k) / D' 'sqrt(a->config.d_k) / D' \
        'random starts are as large' 'a random B is too small'
    mutant model/arms.c '&qk,          VALUE_KEY,' '&qk,          VALUE_QUERY,' \
        'at d_k 4' 'kv is vq'
    mutant model/block.c '/ sqrt(2.0 * layers)' '/ sqrt(2.0)' \
        'random starts are as large' 'a deep stack starts as loud as its blocks are many'
    mutant model/model.c 'head = rng_new(seed, STREAM_HEAD);' \
        'head = rng_new(seed, STREAM_EMBEDDINGS);' \
        'have random numbers of their own' 'the head starts with the numbers of the embeddings'
    mutant model/model.c 'trained && c->positions == POSITIONS_LEARNED' 'trained' \
        'sinusoidal positions' 'sinusoidal positions learn'
    mutant model/train/evaluate.c '(size_t)batch->length[i / H], L);' \
        '(size_t)batch->length[i % (size_t)batch->B], L);' \
        'the figures of several heads' 'a head is measured at the length of another sentence'
    mutant model/train/evaluate.c 'masked->data + (b * H * L + i) * M;' 'masked->data + (b * L + i) * M;' \
        'the figures of several heads' 'heads are those of another sentence'
    mutant model/train/record.c 'if (i && arm->layer_of[i] != arm->layer_of[i - 1]) h = 0;' '' \
        'the figures of several heads' 'heads are counted through the layers'
    mutant model/train/record.c '(sorted[(n - 1) / 2] + sorted[n / 2]) / 2' 'sorted[n / 2]' \
        'the figures of several heads' 'the median of an even number is the larger middle'
    mutant model/train/history.c 'arm->head_symmetry + n * (size_t)arm->heads, head' \
        'arm->head_symmetry + n, head' 'the figures of several heads' "heads' symmetries overlap"
    mutant model/train/options.c 'INT_AT(accumulate, 1, MANY), AGREE,' 'INT_AT(accumulate, 1, MANY), MAY,' \
        'a checkpoint of other options' 'a training goes on with batches of another size'
    mutant model/train/options.c '.decay = o->decay,' '.decay = o->momentum,' \
        'a training has the numbers' 'the momentum is the decay'
    # ---- data ----
    mutant data/batch.c 'word[r - r % L + (size_t)batch->target[r]];' \
        'word[(size_t)batch->target[r]];' 'search is cross-attention' 'answers of the first sentence'
    mutant data/task.c 'target[t] == (t + 1) % n;' 'target[t] == t + 1;' \
        'the previous and the next word' 'nothing comes after the last word'
    mutant data/text.c 'answer[i] = !hidden ? id[i + 1] :' 'answer[i] = !hidden ? id[i] :' \
        'each held-out character is the answer' \
        'the next character is this one'
    mutant data/cycle.c 'if (at < 0 || visitor[at] != i + 1) continue;' \
        'if (at < 0 || (visitor[at] != i + 1 && !in_cycle[at])) continue;' \
        'cycles of three questions' 'who leads into a cycle makes another'
    mutant data/mixed.c 'n->head > found' 'n->head < found' \
        'with --mix pairs' 'a pronoun asks for its first noun'
    mutant data/mixed.c 'bank->target[w] += (int)(begin - first);' 'bank->target[w] += (int)first;' \
        'a stretch is whole sentences' 'heads of a joined sentence are elsewhere'
    mutant data/recall.c 'random_shuffle(random, place, (size_t)pairs);' '' \
        'recall asks for each key once' 'keys are asked for in the order of their pairs'
    mutant data/morphology.c " || at[length] != '='" '' \
        'a feature is known by its whole name' 'a feature is taken for one whose name begins alike'
    mutant data/morphology.c '(n != m || strncmp(x, y, n))' '(strncmp(x, y, n) != 0)' \
        'a feature is known by its whole name' 'values that begin alike agree'
    mutant data/coref.c 'm[i].last < own->first && m[i].head >= q->first) return i;' \
        'm[i].last < own->first) return i;' \
        'a window has so many words' 'an answer stands before its window'
    mutant data/coref.c 'm[i].head > nearest))' 'm[i].head < nearest))' \
        'a pronoun of the third person' 'the farthest noun is the answer'
    # ---- what came with threads, blocks and own sentences ----
    mutant autograd/params.c 'i + 1 < SUMS ? p->size / SUMS * (i + 1) : p->size;' \
        'p->size / SUMS * (i + 1);' \
        'the norm of the gradient is the same in parts' 'the last numbers are left out of the norm'
    mutant autograd/params.c 'loops()->add_to(n, from[i]->grad + at, p->grad + at);' \
        'loops()->add_to(n, from[0]->grad + at, p->grad + at);' \
        'a step in parts, by sentence' 'the first shard is added for each'
    mutant autograd/simd/kernels.c 'Vec next = get(lanes, x + i, -INFINITY);' \
        'Vec next = get(lanes, x + i, 0);' \
        'argmax the first of the largest' 'the largest of negative numbers is 0'
    mutant autograd/simd/kernels.c 'share[r] = total == 0 ? 0 : (float)(1 / total);' \
        'share[r] = (float)(1 / total);' 'softmax' 'a row that is masked whole is NaN'
    mutant data/mentions.c 'is_inside(span, spans, r->parent[w]))' \
        'is_inside(span, 1, r->parent[w]))' 'the parts of a mention' \
        'a head lies outside of its part and not of its mention'
    mutant data/coref.c 'm[i].last < own->first' 'm[i].first < own->first' \
        'what asks is a personal pronoun' 'a mention that has not ended is an answer'
    mutant data/coref.c 'r->options->shared && !held_out' 'r->options->shared' \
        'with --shared' 'the other question is measured, too'
    mutant model/train/evaluate.c 'to->answered += batch->alike[r - r % L + most];' \
        'to->answered += most == target;' 'accuracy counts every earlier mention' \
        'only the nearest mention of an entity counts as right'
    mutant model/model.c 'if (model->config.mask_self && i < keys && seen > 1) row[i] = 0;' \
        'if (model->config.mask_self && i + 1 < keys && seen > 1) row[i] = 0;' \
        'with --mask-self no token' 'the last token attends to itself'
    mutant model/model.c '(out->row[q] / batch->L + 1) * keys;' 'keys;' \
        'PyTorch' 'all but the first sentence ask from the wrong row'
    mutant model/attention.c 'relative(tape, matmul_t(tape, Q, a->R))' \
        'relative(tape, matmul_t(tape, K, a->R))' \
        'relative positions are what plain loops give' 'keys, not queries, ask for distances'
    mutant model/save/checkpoint.c 'x.data = p->moment[m] + (w->data - p->data);' \
        'x.data = p->moment[0] + (w->data - p->data);' \
        'a resumed training of pronoun' 'the second moment is saved as the first'
    mutant data/user_sentences.c 'while (count && sorted[count - 1] == sorted[count]) count--;' '' \
        'a fifth is held out' 'equal sentences stand on both sides'
    mutant data/cycle.c 'if (length < shortest) continue;' 'if (length < shortest - 1) continue;' \
        'cycles of three questions' 'a pair is a cycle'
    mutant data/random.h 'for (size_t i = n; i > 1; i--) {' 'for (size_t i = n; i > 2; i--) {' \
        'each order as often' 'the shuffle leaves two where they are'
}

# ---- the machinery -------------------------------------------------------------------------------

files() { find autograd data model tests train.c Makefile README.md LICENSE -type f; }

# What changed since the last time, and nothing else: the objects of the rest are kept.
copy_tree() {
    local file
    mkdir -p "$tree"
    files | while read -r file; do
        cmp -s "$file" "$tree/$file" && continue
        mkdir -p "$tree/$(dirname "$file")"
        cp "$file" "$tree/$file"
    done
}

build() { make -s -C "$tree" -j2 OPT=-O1 build/train build/tests/run >"$tree/log" 2>&1; }

# The sentence of the first test that fails, or nothing. One that never ends has failed.
first_failure() {
    local status=0
    (cd "$tree" && QKV_TRAIN=$root/$tree/build/train timeout 900 build/tests/run ${1+"$1"}) \
        >"$tree/log" 2>&1 || status=$?
    ((status != 124)) || echo "a run that never ends"
    sed -n '/^FAILED  /{s///;p;q}' "$tree/log"
}

caught=0 survived=0 place=0 all=0
mutant() { all=$((all + 1)); }
mutants
sample=${MUTANTS:-$all}

lost() {
    echo "SURVIVED $1: $2"
    survived=$((survived + 1))
}

# Changes one line, and back, whatever comes of it. A test that fails without the change, too, has
# caught nothing.
mutant() {
    local file=$1 from=$2 to=$3 sentence=$4 what=$5 text rest by=
    place=$((place + 1))
    ((place * sample / all > (place - 1) * sample / all)) || return 0
    [[ "$file: $what" =~ ${MUTANTS_ONLY:-} ]] || return 0
    text=$(<"$file")
    rest=${text#*"$from"}
    if [[ $rest == "$text" || $rest == *"$from"* ]]; then
        lost "$file" "its line is not there just once: $from"
        return
    fi
    printf '%s\n' "${text%%"$from"*}$to$rest" >"$tree/$file"
    if build; then
        by=$(first_failure "$sentence")
        [[ $by ]] || by=$(first_failure)
    else
        what="$what: it doesn't compile: $(grep -m1 error "$tree/log")"
    fi
    cp "$file" "$tree/$file"
    build
    if [[ ! $by ]]; then
        lost "$file" "$what"
    elif [[ $(first_failure "$by") ]]; then
        lost "$file" "$what: a test fails with and without it: $by"
    else
        echo "$file: $what: caught by \"$by\""
        caught=$((caught + 1))
    fi
}

copy_tree
build || { cat "$tree/log"; exit 1; }
mutants
echo "$caught passed, $survived failed"
((survived == 0))
