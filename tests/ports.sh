#!/usr/bin/env bash
# Builds for other machines and other libraries, runs the tests there, and lets every one read what
# every other saved. A port whose compiler or emulator is missing says so and is left out.
#
#     ports.sh [PORT ...]    of: c11 serial musl x86 arm64 s390x (big-endian) plain
#
# Emulated, a part of the tests runs (see `emulated`). QKV_PORTS_TESTS=sentence runs the tests that
# contain it; none: no tests, and then none are built.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=build/ports
python=${PYTHON:-python3}
made=()

# settings PORT: what make is told, the package its compiler is in, and what runs the result.
settings() {
    emulator=
    case $1 in
        c11) compiler=gcc package=gcc options=("CFLAGS=-g -Werror -pedantic") ;;
        serial) compiler=gcc package=gcc options=(OPENMP=0) ;;
        musl) compiler=musl-gcc package=musl-tools options=(OPENMP=0 "CFLAGS=-g -Werror -static") ;;
        x86) compiler="gcc -m32 -idirafter /usr/include/x86_64-linux-gnu"  # asm/, without gcc-multilib
             package="lib32gcc-12-dev libc6-dev-i386" options=() ;;
        arm64) compiler=aarch64-linux-gnu-gcc package=gcc-aarch64-linux-gnu emulator=qemu-aarch64
               options=(OPENMP=0 "CFLAGS=-g -Werror -static") ;;
        s390x) compiler=s390x-linux-gnu-gcc package=gcc-s390x-linux-gnu emulator=qemu-s390x
               options=(OPENMP=0 "CFLAGS=-g -Werror -static") ;;
        plain) compiler=gcc package=gcc emulator="qemu-x86_64 -cpu qemu64"
               options=(OPENMP=0 "CFLAGS=-g -Werror -static") ;;
        *) echo "ports.sh: $1: no port; there are c11 serial musl x86 arm64 s390x plain" >&2; exit 2 ;;
    esac
}

build() {
    local dir=$out/$1
    mkdir -p "$dir"
    # shellcheck disable=SC2086  # a compiler and its option
    if ! echo 'int main(void) { return 0; }' | $compiler -x c - -o "$dir/probe" 2>/dev/null; then
        echo "  skipped: $1 needs $package"
        return 1
    fi
    [[ $emulator ]] || "$dir/probe" 2>/dev/null || emulator=qemu-i386  # a kernel without 32-bit programs
    if [[ $emulator ]] && ! command -v "${emulator%% *}" >/dev/null; then
        echo "  skipped: $1 needs qemu-user"
        return 1
    fi
    local goals=("$dir/train" "$dir/tests/run")
    [[ ${QKV_PORTS_TESTS-} == none ]] && goals=("$dir/train")
    if ! make -s -j2 BUILD="$dir" CC="$compiler" OPT=-O2 "CFLAGS=-g -Werror" "${options[@]}" \
        "${goals[@]}" >"$dir/build.log" 2>&1; then
        grep -E 'error|warning' "$dir/build.log" | head -20 || true
        count 1 "$1 builds"
        return 1
    fi
    # Found by the tests as a program of its own; a run of it has the same name everywhere.
    printf '#!/bin/sh\nexec %s "%s/train" "$@"\n' "$emulator" "$PWD/$dir" >"$dir/program"
    chmod +x "$dir/program"
}

# An emulator takes some twenty times as long: of the tests, those that contain one of these run.
emulated=("as the public library writes it" "written byte for byte" "to a safetensors" UTF "deeper than one panel"
          "every layout" "softmax of a row" "softmax and cross" "slope are right" stream vocabulary
          "loss that is a parameter" "exp is 0" "exp and its sum" PyTorch "order of")

# Each in a tree of its own, where all but what was built is this one's: a test's files lie in build/.
run_tests() {
    local dir=$PWD/$out/$1 name sentence
    local sentences=("")
    [[ $emulator ]] && sentences=("${emulated[@]}")
    [[ ${QKV_PORTS_TESTS-} ]] && sentences=("$QKV_PORTS_TESTS")
    mkdir -p "$dir/tree"
    for name in *; do [[ $name == build ]] || ln -sfn "$PWD/$name" "$dir/tree/$name"; done
    for sentence in "${sentences[@]}"; do
        # shellcheck disable=SC2086  # an emulator and its options
        (cd "$dir/tree" && QKV_SEEDS=1 QKV_TRAIN=$dir/program $emulator "$dir/tests/run" "$sentence") \
            >"$dir/tests.log" 2>&1 || true
        grep -A 1 '^FAILED' "$dir/tests.log" | head -20 || true
        count_tests "$dir/tests.log"
        echo "  $1${sentence:+, \"$sentence\"}: $verdict"
    done
}

# A run of one step more than was saved, gone on from by every port, is the run of its own.
save() {
    local port=$1 task
    for task in pronoun text; do
        rm -rf "$out/$port/$task"
        # shellcheck disable=SC2046  # the words of a run
        "$out/$port/program" $(options_of $task) --steps 4 --out "$out/$port/$task" \
            >"$out/$port/$task.log" 2>&1 &&
            "$python" tests/bits.py "$out/$port/$task" >"$out/$port/$task.bits" && continue
        count 1 "$port trains: $(tail -n 1 "$out/$port/$task.log")"
        return 1
    done
}

options_of() {
    case $1 in
        pronoun) echo pronoun --arms qkv,sym --batch 8 --held-out 8 --quiet --no-report ;;
        text) echo text --text LICENSE --layers 1 --heads 2 --d-model 16 --context 16 --batch 4 \
                   --held-out 8 --arms qkv --quiet --no-report ;;
    esac
}

# exchange FROM TO: TO shows FROM's model, and goes on with it.
exchange() {
    local from=$out/$1 copy=$out/$2/of-$1 status=0
    rm -rf "$copy"
    cp -r "$from/pronoun" "$copy"
    "$out/$2/program" show "$copy/qkv.safetensors" >"$out/$2/show.log" 2>&1 || status=1
    # shellcheck disable=SC2046
    "$out/$2/program" $(options_of pronoun) --steps 6 --resume --out "$copy" >"$out/$2/resume.log" 2>&1 ||
        status=1
    cut -d, -f2 "$copy/metrics.csv" | grep -c qkv | grep -qx 7 || status=1
    count $status "$2 goes on with what $1 saved: $(tail -n 1 "$out/$2/resume.log")"
}

mkdir -p "$out"
ports=("$@")
(($#)) || ports=(c11 serial musl x86 arm64 s390x plain)
for port in "${ports[@]}"; do
    settings "$port"
    build "$port" || continue
    save "$port" || continue
    made+=("$port")
    [[ ${QKV_PORTS_TESTS-} == none ]] || run_tests "$port"
done
for from in "${made[@]}"; do
    for to in "${made[@]}"; do exchange "$from" "$to"; done
done
for task in pronoun text; do
    echo "  $task, bits of weights and figures:"
    for port in "${made[@]}"; do printf '    %-8s%s\n' "$port" "$(cat "$out/$port/$task.bits")"; done
done
counted
