#!/usr/bin/env bash
# What three programs that only read the source find in it: nothing that isn't explained, in
# .clang-tidy, in tests/cppcheck.txt, or here. -Wconversion belongs to every build (see WARNINGS).
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=build/check
mapfile -t files < <(find autograd data model train.c -name '*.c' ! -path 'model/windows/*' | sort)
flags=(-std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. "-I$out" -DKERNELS=plain)
seconds=${CHECK_SECONDS:-120}  # of the processor's time, for a file
mkdir -p "$out"
make -s BUILD="$out" "$out/version.h"

# A file has no finding of one of them: $1 is its name, $2 the file, and what follows the command.
# One that takes too long, or falls, has not read the file: that is no pass.
silent() {
    local who=$1 file=$2 said status=0
    shift 2
    said=$(ulimit -t "$seconds"; "$@" 2>&1) || status=$?
    local found
    found=$(grep -E 'warning:|error:' <<<"$said" || true)
    [[ ! $found ]] || status=1
    count "$status" "$who: ${found:-$file: not read to its end (status $status, $seconds s at most)}"
}

if command -v clang-tidy >/dev/null; then
    for file in "${files[@]}"; do
        silent clang-tidy "$file" clang-tidy --quiet "$file" -- "${flags[@]}"
    done
else
    echo "  skipped: needs clang-tidy"
fi
if command -v cppcheck >/dev/null; then
    silent cppcheck . cppcheck -q --std=c11 --enable=warning,performance,portability \
        --suppressions-list=tests/cppcheck.txt "${flags[@]:1}" "${files[@]}"
else
    echo "  skipped: needs cppcheck"
fi
# gcc's analyzer, and what it takes wrongly, where it does. gemm.c: with what -O1 inlines it goes
# over each tile for minutes, past the rows that there are; -O0 is read to its end. kernels.c: it
# counts the numbers of a vector as the bits to shift in.
analyze() {
    local options=(-O1)
    case $1 in
        autograd/simd/gemm.c) options=(-O0) ;;
        autograd/simd/kernels.c) options+=(-Wno-analyzer-shift-count-overflow) ;;
    esac
    gcc "${flags[@]}" "${options[@]}" -fanalyzer -Wno-psabi -fopenmp -c "$1" -o "$out/probe.o"
}

if gcc -fanalyzer -x c -c /dev/null -o "$out/probe.o" 2>/dev/null; then
    for file in "${files[@]}"; do
        silent "gcc -fanalyzer" "$file" analyze "$file"
    done
else
    echo "  skipped: needs gcc 10 or newer"
fi
counted
