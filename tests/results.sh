#!/bin/sh
# results.sh: every table of the pages of results, from nothing. `make results` runs it.
#
#     tests/results.sh run [PART...]      trains what isn't there yet, then prints the tables
#     tests/results.sh tables [PART...]   prints the tables of what is there, as Markdown
#     tests/results.sh page [PART...]     writes them into the pages, between these marks:
#
#         <!-- PART: make results PARTS=PART -->
#         <!-- end -->
#
# Without a PART, all of them. Rows are kept in out/results (QKV_RESULTS): a run that was stopped
# goes on where it was. To add a table, add a part below and its marks to a page.
# A part whose files are not given is left out: QKV_TEXT is a text (tinyshakespeare.txt),
# QKV_TREEBANK a folder with train.conllu and dev.conllu.
set -eu
action=${1:-run}
[ $# -eq 0 ] || shift
only=" $* "
train=${QKV_TRAIN:-./train}
out=${QKV_RESULTS:-out/results}
awk=$(dirname "$0")/results.awk
tab=$(printf '\t')

# ---- the parts -----------------------------------------------------------------------------------
# part NAME SECONDS PAGE    how long it takes on two cores, and which page has its table
# needs VARIABLE...         files that it reads
# sweep COLUMNS ARGUMENTS   ./train sweep ARGUMENTS; its rows get COLUMNS, as "arm=new name;d_k=2"
# table ROWS COLUMNS FIGURE DIGITS   of all rows above: the median of the seeds (min-max)

parts() {
    part search 20 model/train/results.md
    sweep 'd_k=2' search --arms xxt --seeds 1:5
    sweep '' search --arms kv,qk,qkv --d-k 2,3,4,6,8 --seeds 1:5
    for d in 2 3 4 6 8; do
        sweep "arm=\`qkv\` with \`--d-v\` equal to \`--d-k\`;d_k=$d" \
            search --arms qkv --d-k $d --d-v $d --seeds 1:5
    done
    table arm d_k accuracy 2

    part recall 50 model/train/results.md
    sweep '' recall --arms kv,qkv,qk,tied,sym --d-k 2,3,4,6,8,16 --steps 1000 --seeds 1:5
    table arm d_k accuracy 2

    part recall-pairs 100 model/train/results.md
    sweep '' recall --arms kv,qkv,qk,tied,sym --pairs 4,8,16,32,64 --steps 1000 --seeds 1:5
    for d in 8 16; do
        sweep "arm=\`kv\`, d_k $d" recall --arms kv --d-k $d --pairs 4,8,16,32,64 --steps 1000 \
            --seeds 1:5
    done
    table arm pairs accuracy 2

    part recall-layers 300 model/train/results.md
    sweep '' recall --separate --arms kv,qkv,qk,tied,sym --layers 0,1 --steps 1000 --seeds 1:5
    sweep 'layers=2' recall --separate --arms kv,qkv,qk,tied,sym --layers 2 --seeds 1:5
    sweep 'arm=`kv`, d_k 64;layers=2' recall --separate --arms kv --layers 2 --d-k 64 --seeds 1:5
    table arm layers accuracy 2

    close_part
}

# ---- how they are run ----------------------------------------------------------------------------

minutes() { [ "$1" -le 90 ] && echo "$1 s" || echo "$((($1 + 30) / 60)) minutes"; }
say() { echo "results: $*" >&2; }

# Is this part asked for, and can it be done?
part() {
    close_part
    name=$1 seconds=$2 page=$3 wanted=0 number=0 began=$(date +%s)
    case "$only" in '  ' | *" $name "*) wanted=1 ;; esac
    : >"$rows"
    known="$known $name "
}

needs() {
    for variable; do
        eval "file=\${$variable:-}"
        [ -z "$file" ] && [ $wanted = 1 ] || continue
        [ $action != count ] || say "$name is left out: $variable names no file"
        wanted=0
    done
}

sweep() {
    number=$((number + 1))
    directory=$out/$name/$number columns=$1
    shift
    [ $wanted = 1 ] || return 0
    [ $action != run ] || "$train" sweep "$@" --quiet --out "$directory" >"$rows.log" 2>&1 ||
        { cat "$rows.log" >&2; say "$name stopped; what is done is kept in $out"; exit 1; }
    [ $action = count ] || add_rows "$directory/sweep.csv" "$columns"
}

# A line a row of the file: name=value, separated by tabs. The last of a name is what counts.
add_rows() {
    [ -f "$1" ] || { say "$name: $1 is not there; make results PARTS=$name"; wanted=0; return 0; }
    awk -F, -v columns="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; gsub(";", "\t", columns); next }
        { for (i = 1; i <= NF; i++) printf "%s=%s\t", name[i], $i; print columns }' "$1" >>"$rows"
}

table() {
    [ $wanted = 1 ] && [ $action != count ] || return 0
    awk -F"$tab" -v rows="$1" -v columns="$2" -v figure="$3" -v digits="$4" -f "$awk" \
        "$rows" >>"$rows.table"
}

# What a part ends with: it is counted, printed, or written into its page.
close_part() {
    [ $wanted = 1 ] || return 0
    case $action in
    count) total=$((total + seconds)) all=$((all + 1)) ;;
    run)
        left=$((left - seconds)) done=$((done + 1))
        say "$name: $done of $all parts, after $(($(date +%s) - began)) s; about $(minutes $left) left"
        ;;
    esac
    case $action in
    run | tables) echo "$name"; echo; cat "$rows.table"; echo ;;
    page) write_page ;;
    esac
    rm -f "$rows.table"
    wanted=0
}

# Between the marks of this part.
write_page() {
    grep -q "^<!-- $name: " "$page" || { say "$page has no table $name"; exit 1; }
    awk -v mark="<!-- $name: " -v from="$rows.table" '
        inside && /^<!-- end -->/ { inside = 0 }
        !inside { print }
        !index($0, mark) { next }
        { inside = 1; while ((getline line < from) > 0) print line }' "$page" >"$rows.page"
    cmp -s "$rows.page" "$page" || cat "$rows.page" >"$page"
}

total=0 all=0 done=0 known='' wanted=0
rows=$(mktemp)
trap 'rm -f "$rows" "$rows".*' EXIT
trap 'exit 130' INT TERM
case $action in run | tables | page) ;; *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 1 ;; esac

chosen=$action action=count
parts
for word in $only; do
    case $known in *" $word "*) ;; *) say "\"$word\" is no part; the parts are$known"; exit 1 ;; esac
done
left=$total action=$chosen name=
[ $action != run ] || say "of $all: about $(minutes $total) on two cores; stopped, it goes on later"
parts
