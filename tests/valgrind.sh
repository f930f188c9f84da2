#!/usr/bin/env bash
# Memcheck: no read of what was never written, none outside, nothing lost in short runs of each
# command, and in the tests that contain one of the words below: many others train.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=build/valgrind
if ! command -v valgrind >/dev/null; then
    nothing_without "valgrind"
fi
mkdir -p "$out"
make -s -j2 BUILD="$out/build" OPT=-O1 OPENMP=0 "$out/build/train" "$out/build/tests/run" >"$out/build.log"
memcheck=(valgrind -q --error-exitcode=99)

check() {  # check COMMAND...
    local status=0
    "${memcheck[@]}" --leak-check=full "$@" >"$out/log" 2>&1 || status=$?
    count "$status" "status $status: $*"
    if ((status != 0)); then
        grep -m 12 '^==' "$out/log" || tail -n 3 "$out/log"
    fi
}

train="$out/build/train"
run=(--quiet --steps 2 --held-out 8 --batch 4)
check "$train" pronoun "${run[@]}" --out "$out/pronoun"
check "$train" pronoun "${run[@]}" --steps 3 --resume --out "$out/pronoun"
check "$train" search "${run[@]}" --out "$out/search"
check "$train" heads "${run[@]}" --out "$out/heads"
check "$train" text --text LICENSE --context 16 --layers 1 "${run[@]}" --out "$out/text"
check "$train" show "$out/pronoun/qkv.safetensors"
check "$train" sample "$out/text/qkv.safetensors"
check "$train" report "$out/text"
check "$train" sweep search --seeds 1:2 "${run[@]}" --out "$out/sweep"
for sentence in "as the public library writes it" "to a safetensors" vocabulary arena UTF "exp is 0" \
    "slope are right" "softmax of a row" "softmax and cross" "deeper than one panel"; do
    QKV_TRAIN=$PWD/$train "${memcheck[@]}" "$out/build/tests/run" "$sentence" >"$out/log" 2>&1 || true
    count_tests "$out/log"
    echo "  \"$sentence\": $verdict"
    [[ $verdict == *" 0 failed" ]] || grep -E '^FAIL|^failed|^==' "$out/log" | head -10 || true
done
counted
