#!/usr/bin/env bash
# Are the tests awake? Breaks one line at a time, in a copy of the tree under build/mutants, and the
# tests must fail for each. `make mutants` runs all, `MUTANTS=5` an even sample of 5. A mutant whose
# line isn't in the source any more, just once, is a failure too: the list can't rot.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
tree=build/mutants
export QKV_STOP=1  # at the first test that fails

# mutant FILE 'TEXT' 'REPLACEMENT' 'SENTENCE' 'WHAT IT BREAKS': TEXT stands once in FILE, and those
# tests whose sentence contains SENTENCE are run first.
mutants() {
    mutant model/attention.c 'S = scale(tape, S, 1 / sqrt(attention_query_width(a)));' \
        'S = scale(tape, S, 1);' 'self-attention of every arm' 'scores are not divided by sqrt(d_k)'
    mutant model/attention.c 'S = scale(tape, S, 1 / sqrt(attention_query_width(a)));' \
        'S = scale(tape, S, 1 / sqrt(a->config.D));' \
        'self-attention of every arm' 'scores are divided by sqrt(d_model)'
    mutant model/attention.c 'K = X == Z && W_K == a->W_Q ? Q : project(tape, Z, W_K);' \
        'K = X == Z ? Q : project(tape, Z, W_K);' 'self-attention of every arm' 'keys are queries'
    mutant model/attention.c 'a->arm->value == VALUE_KEY ? K :' 'a->arm->value == VALUE_KEY ? Z :' \
        'self-attention of every arm' 'the value of kv is no key'
    mutant model/attention.c 'matmul_t(tape, split_heads(tape, Q, H), split_heads(tape, K, H))' \
        'matmul_t(tape, split_heads(tape, K, H), split_heads(tape, Q, H))' \
        'queries from X, keys and values from Z' 'queries and keys change places'
    mutant model/attention.c 'add(tape, S, transpose(tape, mirror)), 0.5)' \
        'add(tape, S, mirror), 0.5)' 'a symmetric arm gives' 'sym is not symmetric'
    mutant model/model.c '*at++ = j < batch->length[b] &&' '*at++ = j <= batch->length[b] &&' \
        'padding changes no bit' 'the first padding is attended to'
    mutant model/model.c '!(model->task->causal && j > i)' '!(model->task->causal && j > i + 1)' \
        "no bit of a causal model's logits" 'a causal model sees the next character'
    mutant model/block.c 'return add(tape, X, linear(tape, hidden, block->W_2, block->c_2));' \
        'return linear(tape, hidden, block->W_2, block->c_2);' \
        'PyTorch' 'a block without its second residual'
    mutant model/trainer.c 'params_scale_grad(params, 1 / (double)questions);' \
        'params_scale_grad(params, 1 / (double)(questions + 1));' \
        'a step in parts, by sentence' 'a step in parts is shorter'
    mutant model/trainer.c 'to->found += measure_argmax(scores, M) == target;' \
        'to->found += measure_argmax(scores, M) == target + 1;' \
        'found, answered, surprise' 'the word after the right one counts as found'
    mutant model/measure.c 'C = N - (p[i] - p[j]);' 'C = N - (p[i] + p[j]);' \
        'no bias on rows or columns circulates' 'a bias circulates'
    mutant model/measure.c 'least - log(sum)' 'least + log(sum)' \
        'the surprise of several heads' 'the surprise of several heads'
    # ---- data ----
    mutant data/sentences.c 'word[r - r % L + (size_t)batch->target[r]];' \
        'word[(size_t)batch->target[r]];' 'a batch is padded' 'answers of the first sentence'
    mutant data/task.c 'target[t] == (t + 1) % n;' 'target[t] == t + 1;' \
        'the previous and the next word' 'nothing comes after the last word'
    mutant data/text.c 'memcpy(batch->answer + to, c->id + first + 1,' \
        'memcpy(batch->answer + to, c->id + first,' 'each held-out character is the answer' \
        'the next character is this one'
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
