#!/usr/bin/env bash
# Memcheck over the whole suite, a test at a time on each core: no read of what was never written,
# none outside, nothing lost, in the tests and in every ./train that they start. It takes hours. What
# passed is kept in build/valgrind/passed, so that a run that was broken off goes on; another build
# begins anew. tests/valgrind.txt lists what is left out, and why. `make valgrind ONLY=text` runs the
# tests whose sentence contains "text".
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=$PWD/build/valgrind
memcheck=(valgrind -q --error-exitcode=99 --leak-check=full)

# An emulated fused multiply-add is slow, so the suite runs on the plain kernels, then what is about
# the wide ones on those. (It knows no AVX-512.)
kernels='products|exp is|exp and its sum|softmax of|gelu|the gradient of|PyTorch'
export QKV_SEEDS=1  # of each claim

# A tree of its own for each that runs, since tests write to files of the same names. Its ./train is
# the program under memcheck, whatever starts it.
lane() {
    rm -rf "$1"
    mkdir -p "$1/logs"
    cp -r autograd data model tests train.c Makefile README.md LICENSE .gitignore "$1"
    printf '#!/bin/sh\nexec %s --log-file=%s/logs/%%p %s/build/train "$@"\n' "${memcheck[*]}" "$1" \
        "$out" >"$1/train"
    chmod +x "$1/train"
}

# under SENTENCE: one test, in the lane that LANE numbers. It passes if its processes left no finding.
under() {
    local lane=$out/lane${LANE?} began=$SECONDS width=plain verdict=failed
    [[ $1 != avx2:* ]] || width=avx2
    rm -f "$lane"/logs/*
    cd "$lane"
    QKV_TRAIN=$lane/train QKV_KERNELS=$width timeout 7200 "${memcheck[@]}" \
        --log-file="$lane/logs/%p" "$out/build/tests/run" "=${1#avx2: }" >"$lane/log" 2>&1 </dev/null || true
    if [[ $(cat "$lane"/logs/*) == "" ]]; then
        if grep -q '^1 passed, 0 failed$' "$lane/log"; then verdict=passed; fi
        if grep -q '^skipped' "$lane/log"; then verdict=skipped; fi
    fi
    printf '%s\t%s\t%s\n' "$verdict" "$((SECONDS - began))" "$1" >>"$out/$verdict"
    [[ $verdict == passed ]] || { echo "$verdict: $1"; cat "$lane/log" "$lane"/logs/* | head -n 20; }
}

if [[ ${1:-} == --under ]]; then
    under "$2"
    exit
fi
command -v valgrind >/dev/null || nothing_without "valgrind"
mkdir -p "$out"
make -s -j2 BUILD=build/valgrind/build OPT=-O1 OPENMP=0 build/valgrind/build/train \
    build/valgrind/build/tests/run >"$out/build.log"
built=$(cksum "$out/build/train" "$out/build/tests/run")
[[ $(cat "$out/built" 2>/dev/null) == "$built" ]] || rm -f "$out/passed"
echo "$built" >"$out/built"
rm -f "$out/skipped"
touch "$out/passed" "$out/skipped"
if [[ -d ../shared ]]; then ln -sfn "$PWD/../shared" "$out/shared"; fi

# without FILE: the lines that are not in it
without() { grep -vxFf "$1" || true; }

"$out/build/tests/run" --list >"$out/all"
sed -nE "/$kernels/s/^/avx2: /p" "$out/all" >"$out/wide"
cat "$out/wide" >>"$out/all"
grep -v '^#' tests/valgrind.txt >"$out/excluded"
without "$out/all" <"$out/excluded" | sed 's/^/failed\t0\tno test has this sentence: /' >"$out/failed"
cut -f3 "$out/failed"
for ((i = 0; i < $(nproc); i++)); do lane "$out/lane$i"; done
grep -F "${ONLY:-}" "$out/all" | without "$out/excluded" | without <(cut -f3 "$out/passed") |
    xargs -d '\n' -r -n 1 -P "$(nproc)" --process-slot-var=LANE tests/valgrind.sh --under || true
echo "$(wc -l <"$out/skipped") skipped, $(wc -l <"$out/excluded") of $(wc -l <"$out/all") left out"
passed=$(wc -l <"$out/passed") failed=$(wc -l <"$out/failed")
counted
