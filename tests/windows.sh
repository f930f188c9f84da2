#!/usr/bin/env bash
# Builds train.exe with mingw-w64 and, where wine is, lets it train, show, and go on with what Linux
# saved: its bits have to be those of Linux. The tests themselves fork, so they don't run there.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=build/windows
python=${PYTHON:-python3}
compiler=x86_64-w64-mingw32-gcc
if ! command -v "$compiler" >/dev/null; then
    nothing_without "gcc-mingw-w64-x86-64"
fi
check() {  # check SENTENCE COMMAND...
    local sentence=$1 status=0
    shift
    "$@" >"$out/log" 2>&1 || status=$?
    count "$status" "$sentence"
    ((status == 0)) || tail -n 5 "$out/log"
}
same() { [[ $("$python" tests/bits.py "$1") == $("$python" tests/bits.py "$2") ]]; }
refused() {  # refused MESSAGE COMMAND...: status 2 and that message
    local message=$1 status=0 said
    shift
    said=$("$@" 2>&1) || status=$?
    echo "$said"
    [[ $status == 2 && $said == *"$message"* ]]
}

mkdir -p "$out"
check "it compiles" make -s -j2 BUILD="$out/exe" CC="$compiler" OPENMP=0 "CFLAGS=-g -Werror" "$out/exe/train"
make -s -j2 BUILD="$out/linux" OPENMP=0 "$out/linux/train" >"$out/build.log"
wine=$(command -v wine64 wine /usr/lib/wine/wine64 | head -n 1 || true)
if [[ ! $wine ]]; then
    echo "  skipped: to run it needs wine64"
else
    export WINEPREFIX=$PWD/$out/wine WINEDEBUG=-all
    exe=("$wine" "$out/exe/train.exe")
    linux=("$out/linux/train")
    pronoun=(pronoun --steps 6 --held-out 16 --batch 8 --arms qkv,sym --quiet)
    text=(text --text LICENSE --steps 6 --layers 2 --heads 2 --d-model 32 --context 32 --batch 16 --quiet)
    rm -rf "$out"/*.here "$out"/*.there
    for task in pronoun text; do
        declare -n run=$task
        check "$task trains" "${exe[@]}" "${run[@]}" --out "$out/$task.there"
        check "$task trains here" "${linux[@]}" "${run[@]}" --out "$out/$task.here"
        check "$task: the bits of Linux" same "$out/$task.there" "$out/$task.here"
        check "$task: it goes on with what Linux saved" \
            "${exe[@]}" "${run[@]}" --steps 9 --resume --out "$out/$task.here"
        check "$task: Linux goes on with what it saved" \
            "${linux[@]}" "${run[@]}" --steps 9 --resume --out "$out/$task.there"
        check "$task: the same bits" same "$out/$task.there" "$out/$task.here"
    done
    check "it shows a model of Linux" "${exe[@]}" show "$out/pronoun.here/qkv.safetensors"
    check "it samples" "${exe[@]}" sample "$out/text.here/qkv.safetensors"
    check "a mistake is one line, status 2" refused "--steps -1" "${exe[@]}" pronoun --steps -1
    check "nothing half written" test -z "$(find "$out" -name '*.part')"
fi
counted
