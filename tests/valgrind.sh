#!/usr/bin/env bash
# Memcheck over every test, and over the program wherever a test runs it: no read of what was never
# written, none outside; and nothing lost in short runs of each command. It takes hours. A test that
# passed is not run again until the build changes, so what is broken off goes on when it is started
# again. `tests/valgrind.sh PART` runs the tests whose sentence contains PART.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/count.sh
out=$PWD/build/valgrind
if ! command -v valgrind >/dev/null; then
    nothing_without "valgrind"
fi
mkdir -p "$out/logs"
make -s -j2 BUILD=build/valgrind/build OPT=-O1 OPENMP=0 build/valgrind/build/train \
    build/valgrind/build/tests/run >"$out/build.log"
export train=$out/build/train tests=$out/build/tests/run out

# Left out: PART OF THE SENTENCE | REASON
left_out() { cat <<'END'
END
}

# A test that passed on this very build is written down here.
version=$(cat "$train" "$tests" | cksum)
if [[ $(cat "$out/version" 2>/dev/null) != "$version" ]]; then
    rm -f "$out/passed"
    echo "$version" >"$out/version"
fi
touch "$out/passed"

# Under memcheck, with all it starts but the system's tools.
under_memcheck() {
    valgrind -q --error-exitcode=99 --trace-children=yes --trace-children-skip='/bin/*,/usr/*' "$@"
}

# Tests side by side write files of the same names: so each lane has a folder, with links to ours.
root=$PWD
export root
enter_lane() {
    mkdir -p "$out/lane$lane/qkv"
    ln -sfn "$root/../shared" "$out/lane$lane/shared"
    cd "$out/lane$lane/qkv"
    ln -sfn "$root"/[!b]* "$root"/.ci "$root"/.gitignore .
}

run_test() {  # run_test SENTENCE
    local log status=0
    log=$out/logs/$(cksum <<<"$1" | cut -d' ' -f1)
    enter_lane
    QKV_TRAIN=$train under_memcheck "$tests" "$1" >"$log" 2>&1 || status=$?
    if ((status)) || ! grep -q ' 0 failed$' "$log" || grep -q '^==[0-9]*== [A-Z]' "$log"; then
        echo "  failed: $1 ($log)"
        return
    fi
    echo "$1" >>"$out/passed"
    rm "$log"
}
export -f under_memcheck enter_lane run_test

check() {  # check COMMAND...
    local status=0
    valgrind -q --error-exitcode=99 --leak-check=full "$@" >"$out/log" 2>&1 || status=$?
    count "$status" "status $status: $*"
    if ((status != 0)); then
        grep -m 12 '^==' "$out/log" || tail -n 3 "$out/log"
    fi
}

run=(--quiet --steps 2 --held-out 8 --batch 4)
if [[ ! ${1:-} ]]; then
    check "$train" pronoun "${run[@]}" --out "$out/pronoun"
    check "$train" pronoun "${run[@]}" --steps 3 --resume --out "$out/pronoun"
    check "$train" search "${run[@]}" --out "$out/search"
    check "$train" heads "${run[@]}" --out "$out/heads"
    check "$train" text --text LICENSE --context 16 --layers 1 "${run[@]}" --out "$out/text"
    check "$train" show "$out/pronoun/qkv.safetensors"
    check "$train" sample "$out/text/qkv.safetensors"
    check "$train" report "$out/text"
    check "$train" sweep search --seeds 1:2 "${run[@]}" --out "$out/sweep"
fi

QKV_LIST=1 "$tests" ${1+"$1"} | sed '$d' >"$out/all"
left_out | cut -d'|' -f1 | sed 's/ *$//' | grep -Fv -f - "$out/all" >"$out/listed" || true
left_out | sed 's/^/  left out: /'
grep -Fxv -f "$out/passed" "$out/listed" | xargs -r -d '\n' -P "$(nproc)" -n 1 \
    --process-slot-var=lane bash -c 'run_test "$0"' || true
passed=$((passed + $(grep -Fxc -f "$out/passed" "$out/listed" || true)))
failed=$((failed + $(grep -Fxvc -f "$out/passed" "$out/listed" || true)))
counted
