#!/bin/sh
# Runs the fuzzers BUILD/NAME, two at a time, from the corpora in tests/fuzz/corpus:
#
#     run.sh BUILD SECONDS NAME ...     each for so long
#     run.sh BUILD merge NAME ...       keeps in tests/fuzz/corpus what reaches new places, no more
#     run.sh BUILD coverage NAME ...    replays it: lines and branches of the files that each is for
#
# What a run finds stays in BUILD: finds/NAME-* (inputs that fail: ./NAME FILE), corpus/NAME (inputs
# that add coverage), NAME.log. The last line counts the fuzzers: "N passed, N failed".
set -u
build=$1 what=$2
shift 2
memory=/dev/shm
[ -w $memory ] || memory=${TMPDIR:-/tmp}
dir=$(mktemp -d $memory/fuzz.XXXXXX)
trap 'kill $first $second 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
first='' second='' failed=0 count=0

# Short inputs are quick ones, and show as much.
longest() {
    case $1 in
    safetensors) echo 8192 ;;
    report) echo 4096 ;;
    conllu | coref) echo 2048 ;;
    *) echo 512 ;;
    esac
}

# The files whose coverage says how far a fuzzer comes.
files() {
    case $1 in
    arguments) echo model/train/arguments.c model/train/parse.c model/sweep/grid.c ;;
    conllu) echo data/conllu.c data/heads.c data/sentences.c ;;
    coref) echo data/mentions.c data/coref.c ;;
    report) echo model/view/report/report.c model/save/json.c model/sweep/csv.c ;;
    safetensors) echo model/save/safetensors.c model/save/checkpoint.c \
                      model/save/description.c ;;
    show) echo data/example.c data/pronoun.c data/search.c data/recall.c model/view/saved_model.c ;;
    question_file) echo data/question_file.c ;;
    text) echo data/text.c data/utf8.c data/file.c ;;
    esac
}

# NAME ARGUMENT ...
fuzzer() {
    name=$1
    shift
    mkdir -p "$build/finds" "$build/corpus/$name" "$dir/$name/seeds" "tests/fuzz/corpus/$name"
    dictionary=$(ls "tests/fuzz/$name.dict" 2>/dev/null)
    FUZZ_DIR=$dir/$name nice -n 19 "$build/$name" -timeout=120 -rss_limit_mb=2048 -close_fd_mask=3 \
        -print_final_stats=1 -max_len="$(longest "$name")" ${dictionary:+-dict="$dictionary"} \
        -artifact_prefix="$build/finds/$name-" "$@" >"$build/$name.log" 2>&1
}

run() {
    fuzzer "$1" -max_total_time="$what" "$build/corpus/$1" "tests/fuzz/corpus/$1" "$dir/$1/seeds"
    status=$?
    times >"$dir/$1/times"  # of this shell, then of its children: user, system
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log")
    spent=$(awk -F '[ms ]+' 'NR == 2 { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }' "$dir/$1/times")
    seen=$(grep -ao 'cov: [0-9]* ft: [0-9]*' "$build/$1.log" | tail -n 1)
    echo "$1: ${runs:-0} executions in $spent s of processor time, $seen"  # edges, and features
    [ $status = 0 ] && return
    grep -aE 'ERROR|SUMMARY|holds|Test unit written' "$build/$1.log" | head -n 8
    return 1
}

merge() {
    fuzzer "$1" -merge=1 -use_counters=0 "$dir/$1/merged" "$build/corpus/$1" \
        "tests/fuzz/corpus/$1" || return 1
    rm -f "tests/fuzz/corpus/$1/"*
    cp "$dir/$1/merged/"* "tests/fuzz/corpus/$1/"
    du -s --apparent-size "tests/fuzz/corpus/$1"
}

coverage() {
    LLVM_PROFILE_FILE=$dir/$1.raw fuzzer "$1" -runs=0 "tests/fuzz/corpus/$1" \
        "$dir/$1/seeds" || return 1
    llvm-profdata merge "$dir/$1.raw" -o "$dir/$1.profile"
    # shellcheck disable=SC2046
    llvm-cov report "$build/$1" -instr-profile="$dir/$1.profile" $(files "$1") |
        awk -v name="$1" 'NF == 13 && $1 ~ /[.]c$/ {
            print name ": " $1 ": " $10 " of lines, " $13 " of branches" }'
}

case $what in merge) job=merge ;; coverage) job=coverage ;; *) job=run ;; esac
end() { [ -z "$1" ] || wait "$1" || failed=$((failed + 1)); }
for name; do
    mkdir -p "$dir/$name/merged"
    [ -z "$second" ] || { end "$first"; first=$second second=; }
    $job "$name" &
    if [ -z "$first" ]; then first=$!; else second=$!; fi
    count=$((count + 1))
done
end "$first"
end "$second"
first='' second=''
echo "$((count - failed)) passed, $failed failed"
[ $failed = 0 ]
