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
    mutant data/batch.c 'word[r - r % L + (size_t)batch->target[r]];' \
        'word[(size_t)batch->target[r]];' 'search is cross-attention' 'answers of the first sentence'
    mutant data/task.c 'target[t] == (t + 1) % n;' 'target[t] == t + 1;' \
        'the previous and the next word' 'nothing comes after the last word'
    mutant data/corpus.c 'answer[i] = !hidden ? id[i + 1] :' 'answer[i] = !hidden ? id[i] :' \
        'each held-out character is the answer' \
        'the next character is this one'
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
