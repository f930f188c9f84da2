#!/usr/bin/env bash
# The same seed gives the same bits: every build and number of threads against the first, and a run
# against the command line that it printed. Compared are weights, all that --resume needs, and every
# figure, less the seconds (tests/bits.py). The tasks are the lines of `runs`.
#
#     determinism.sh [quick]    quick: two builds
#
# QKV_KERNELS=plain|avx2|avx512 in the environment compares the builds by that width alone; the
# builds' own choices are compared in the end. Compilers that aren't there are skipped by name.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=build/determinism
python=${PYTHON:-python3}
runs=(
    "pronoun --steps 40 --held-out 32"
    "pronoun --steps 6 --held-out 16 --layers 2 --heads 4 --batch 64 --arms qkv"  # a step in parts
    "search --steps 40 --held-out 32"
    "recall --steps 40 --held-out 32"
    "recall --separate --layers 2 --steps 9 --held-out 32 --pairs 11 --arms kv,sym"
    "heads --steps 8 --held-out 16"
    "text --text LICENSE --steps 12 --layers 2 --heads 2 --d-model 32 --context 32 --batch 16"
    "text --text LICENSE --steps 6 --objective masked --layers 1 --heads 3 --d-model 30 --context 17 --arms sym,qkv"
)

# digest NAME PROGRAM [OPTION...]: a line of digests for each run
digest() {
    local name=$1 program=$2 i
    shift 2
    for i in "${!runs[@]}"; do
        rm -rf "$out/$name.$i"
        # shellcheck disable=SC2086  # the words of a run
        "$program" ${runs[i]} --no-report --quiet "$@" --out "$out/$name.$i" >"$out/$name.log" 2>&1 ||
            { cat "$out/$name.log" >&2; return 1; }
        "$python" tests/bits.py "$out/$name.$i"
        rm -rf "$out/$name.$i"
    done
}

# same NAME EXPECTED PROGRAM [OPTION...]
same() {
    local name=$1 expected=$2 got i
    shift 2
    got=$(digest "$name" "$@") || got="no digest"
    if [[ $got == "$expected" ]]; then
        count 0 "$name"
        echo "  same bits: $name"
        return
    fi
    count 1 "$name"
    for i in "${!runs[@]}"; do
        [[ $(sed -n "$((i + 1))p" <<<"$got") == $(sed -n "$((i + 1))p" <<<"$expected") ]] ||
            echo "  other bits: $name: ${runs[i]}"
    done
}

# build NAME [VARIABLE=VALUE...]
build() {
    local name=$1
    shift
    make -s -j2 BUILD="$out/build-$name" "$@" "$out/build-$name/train" >"$out/build.log"
}

# What summary.json says was typed, typed again by a shell.
typed_again() {
    local where="$out/it's typed" first command
    rm -rf "$where"
    "$1" search --steps 9 --lr 0.0123456789012345 --arms kv,qkv --seed 18446744073709551615 \
        --quiet --no-report --out "$where" >/dev/null
    first=$("$python" tests/bits.py "$where")
    command=$("$python" -c 'import json,sys; print(json.load(open(sys.argv[1]))["command"])' \
        "$where/summary.json")
    rm -rf "$where"
    sh -c "$command" >/dev/null
    local status=0
    [[ $("$python" tests/bits.py "$where") == "$first" ]] || status=1
    count "$status" "other bits: $command"
    ((status)) || echo "  same bits: $command"
    rm -rf "$where"
}

mkdir -p "$out"
build gcc-O3 CC=gcc
first=$out/build-gcc-O3/train
expected=$(digest one "$first" --threads 1)
echo "$expected"
for threads in 2 3 8; do same "$threads threads" "$expected" "$first" --threads "$threads"; done
typed_again "$first"
built=(gcc-O3)
builds=(gcc-O0 gcc-O2 gcc-serial clang-O0 clang-O2 clang-O3 clang-serial)
[[ ${1-} == quick ]] && builds=(gcc-O0 clang-O2)
for name in "${builds[@]}"; do
    compiler=${name%-*}
    options=(CC="$compiler")
    if [[ $name == *-serial ]]; then options+=(OPENMP=0); else options+=(OPT="-${name#*-}"); fi
    if ! command -v "$compiler" >/dev/null; then
        echo "  skipped: needs $compiler"
        continue
    fi
    build "$name" "${options[@]}"
    [[ $name != *-O[23] ]] || built+=("$name")
    same "$name" "$expected" "$out/build-$name/train" --threads 2
    if QKV_KERNELS=plain "$first" --help >/dev/null; then
        plain=${plain-$(QKV_KERNELS=plain digest plain "$first" --threads 1)}
        QKV_KERNELS=plain same "$name, plain" "$plain" "$out/build-$name/train" --threads 2
    fi
done
# Both have fused multiply-add: the same bits, unlike plain.
for width in avx2 avx512; do
    if ! QKV_KERNELS=$width "$first" search --steps 1 --quiet --out "$out/probe" >/dev/null 2>&1; then
        echo "  skipped: needs a processor with $width"
        continue
    fi
    for name in "${built[@]}"; do
        QKV_KERNELS=$width same "$name, $width" "$expected" "$out/build-$name/train" --threads 1
    done
done
counted
