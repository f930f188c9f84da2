#!/usr/bin/env bash
# What three programs that only read the source find in it: nothing that isn't explained, in
# .clang-tidy, in tests/cppcheck.txt, or here. -Wconversion belongs to every build (see WARNINGS).
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/check
files=(autograd/*.c data/*.c model/*.c model/view/*.c train.c)
flags=(-std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. "-I$out" -DKERNELS=plain)
passed=0
failed=0
mkdir -p "$out"
make -s BUILD="$out" "$out/version.h"

# A file has no finding of one of them: $1 is its name, $2 the file, and what follows the command.
silent() {
    local who=$1 file=$2 said
    shift 2
    said=$("$@" 2>&1) || true
    said=$(grep -E 'warning:|error:' <<<"$said" || true)
    if [[ $said ]]; then
        failed=$((failed + 1))
        echo "  $who: $said"
    else
        passed=$((passed + 1))
    fi
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
if gcc -fanalyzer -x c -c /dev/null -o "$out/probe.o" 2>/dev/null; then
    for file in "${files[@]}"; do
        silent "gcc -fanalyzer" "$file" gcc "${flags[@]}" -O1 -fanalyzer -Wno-psabi -fopenmp \
            -c "$file" -o "$out/probe.o"
    done
else
    echo "  skipped: needs gcc 10 or newer"
fi
echo "$passed passed, $failed failed"
((failed == 0))
