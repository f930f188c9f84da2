#!/usr/bin/env bash
# Looks for data races with clang's thread sanitizer, in short runs of what has parallel loops. It
# knows nothing of OpenMP's barriers by itself: LLVM's archer tells it (Debian: libomp-dev), and that
# it does is checked first, on a loop with a race and on the same loop without. The tests themselves
# fork with threads about, which this sanitizer doesn't follow, so it watches the program.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=build/threads
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -n 1 || true)
if ! command -v clang >/dev/null || [[ ! $archer ]]; then
    nothing_without "clang libomp-dev"
fi
export OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66"
mkdir -p "$out"

# check SENTENCE STATUS COMMAND...
check() {
    local sentence=$1 expected=$2 status=0
    shift 2
    "$@" >"$out/log" 2>&1 || status=$?
    count $((status != expected)) "$sentence: status $status, expected $expected"
    if ((status != expected)); then
        grep -A 12 -m 2 'WARNING: ThreadSanitizer' "$out/log" || tail -n 5 "$out/log"
    fi
}

# loop NAME BODY: a program of two loops, one after the other, over what BODY writes
loop() {
    printf '#include <stdio.h>\nint main(void) { int x[64] = {0}, sum = 0;
#pragma omp parallel for num_threads(4)
for (int i = 0; i < 64; i++) { %s; }
#pragma omp parallel for num_threads(4) reduction(+:sum)
for (int i = 0; i < 64; i++) sum += x[63 - i];
printf("%%d\\n", sum); return 0; }\n' "$2" | clang -x c -g -O1 -fopenmp -fsanitize=thread - -o "$out/$1"
}

loop race 'x[i / 40] += i'
loop none 'x[i] += i'
check "a race is found" 66 "$out/race"
check "what has none passes" 0 "$out/none"
make -s -j2 BUILD="$out/build" CC=clang OPT=-O1 SANITIZE=-fsanitize=thread "$out/build/train" \
    >"$out/build.log"
train="$out/build/train"
common=(--threads 4 --quiet --out "$out/run")
check "arms side by side" 0 "$train" pronoun --steps 8 --held-out 16 "${common[@]}"
check "a step in parts" 0 "$train" pronoun --steps 3 --held-out 16 --layers 2 --heads 4 --batch 64 \
    --arms qkv "${common[@]}"
check "it goes on" 0 "$train" pronoun --steps 3 --held-out 16 --layers 2 --heads 4 --batch 64 \
    --arms qkv --resume "${common[@]}"
check "text" 0 "$train" text --text LICENSE --steps 3 --layers 1 --heads 2 --d-model 64 --context 64 \
    --batch 32 --arms sym,qkv "${common[@]}"
check "real sentences" 0 "$train" heads --steps 3 --held-out 16 "${common[@]}"
check "a sweep" 0 "$train" sweep search --seeds 1:3 --steps 4 --held-out 8 "${common[@]}"
counted
