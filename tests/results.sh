#!/bin/sh
# results.sh: every table of the pages of results, from nothing. `make results` runs it.
#
#     tests/results.sh run [PART...]      trains what isn't there yet, then prints the tables
#     tests/results.sh tables [PART...]   prints the tables of what is there, as Markdown
#     tests/results.sh page [PART...]     writes them into the pages, between these marks:
#
#         <!-- TABLE: make results PARTS=PART -->     a part's first table has its name
#         <!-- end -->
#
# Without a PART, all of them. Rows are kept in out/results (QKV_RESULTS): a run that was stopped
# goes on where it was. (Remove that folder first if the program has changed since.) To add a
# table, add a part below, or another table of one, and its marks to a page.
# A part whose files are not given is left out: QKV_TEXT is a text (tinyshakespeare.txt),
# QKV_TREEBANK and QKV_GUM are folders with train.conllu and dev.conllu, the second with coreference.
set -eu
action=${1:-run}
[ $# -eq 0 ] || shift
only=" $* "
train=${QKV_TRAIN:-./train}
out=${QKV_RESULTS:-out/results}
awk=$(dirname "$0")/results.awk

# ---- the parts -----------------------------------------------------------------------------------
# part NAME SECONDS PAGE    how long it takes on two cores, and which page has its table
# needs VARIABLE...         files that it reads
# sweep COLUMNS ARGUMENTS   ./train sweep ARGUMENTS; its rows get COLUMNS, as "arm=new name;d_k=2"
# run COLUMNS ARGUMENTS     ./train ARGUMENTS, with its curves; begun anew if it was cut short
# table ROWS COLUMNS FIGURES  of all rows above: the median of the seeds (min-max); see results.awk
# picture FILE BASE         the curves of all runs above, less those of the arm BASE
# against ROWS COLUMNS FIGURES BASE   the same, as differences from the arm or row BASE
# another TABLE COLUMN      a further table of the part: of those rows alone that have COLUMN
# patched RECIPE...         the part is run by the program that these pages of recipes make

# Figures of several tables: name:digits:heading.
cycle="cycle_attention_accuracy:2:cycle attention accuracy;cycle_accuracy:2:cycle accuracy"
cycle="$cycle;attention_nll:3:cycle attention NLL"
all_questions="attention_accuracy:2:attention accuracy;accuracy:2:accuracy"
directions="asymmetry:2:asymmetry;circulation:2:circulation"

parts() {
    part search 20 model/train/results.md
    sweep 'd_k=2' search --arms xxt --seeds 1:5
    sweep '' search --arms kv,qk,qkv --d-k 2,3,4,6,8 --seeds 1:5
    for d in 2 3 4 6 8; do
        sweep "arm=\`qkv\` with \`--d-v\` equal to \`--d-k\`;d_k=$d" \
            search --arms qkv --d-k $d --d-v $d --seeds 1:5
    done
    table arm d_k accuracy:2

    part layers 90 model/train/results.md
    sweep 'layers=none' pronoun --heads 1,2,4 --arms tied,sym,qkv --seeds 1:5
    sweep 'heads=1' pronoun --layers 1,2,4 --arms tied,sym,qkv --seeds 1:5
    table 'layers heads' arm cycle_accuracy:2

    part heads 450 model/train/results.md
    needs QKV_TREEBANK
    bank="--conllu ${QKV_TREEBANK:-}/train.conllu --dev ${QKV_TREEBANK:-}/dev.conllu"
    sweep 'options=(none)' heads $bank --seeds 1:5
    sweep 'options=`--arms xxt-x`, seeds 1 to 3;arm=xxt' heads $bank --arms xxt-x --seeds 1:3
    for options in --no-tags --freeze-embeddings '--relative 16 --epochs 4' \
        '--relative 16 --suffixes --capitals --epochs 4'; do
        sweep "options=\`$options\`" heads $bank $options --seeds 1:5
    done
    table options arm attention_accuracy:3
    for options in '--relative 16' '--relative 16 --suffixes --epochs 4' \
        '--relative 16 --capitals --epochs 4' '--relative 16 --d-k 64 --epochs 4' \
        '--relative 16 --d-model 128 --epochs 4' '--relative 16 --decay 0.1 --epochs 4' \
        '--relative 16 --lr 0.003 --epochs 4' '--relative 16 --lr 0.01 --epochs 4' \
        '--relative 16 --epochs 16' '--epochs 16' '--d-k 16'; do
        sweep "options=\`$options\`" heads $bank --arms qk $options --seeds 1:5
    done
    another gains arm=qk
    against options '' attention_accuracy:3:UAS '`--relative 16 --epochs 4`'

    # Chosen on the dev part: 3 epochs, distances, decay. What each gave stands in the table.
    part coref 900 model/train/results.md
    needs QKV_GUM
    gum="--conllu ${QKV_GUM:-}/train.conllu --dev ${QKV_GUM:-}/dev.conllu"
    best='--epochs 3 --relative 64 --decay 0.3'
    for answer in noun nearest; do
        sweep "question=$answer;options=(none)" coref --antecedent $answer $gum --seeds 1:5
        sweep "question=$answer;options=best" coref --antecedent $answer $gum $best --seeds 1:5
        for options in --no-relations --no-tags '--d-model 16' '--d-model 128' '--d-k 16' \
            '--layers 1 --d-k 16 --lr 0.003 --embed-rms 0.5' \
            '--layers 2 --d-k 16 --lr 0.001 --embed-rms 0.5'; do
            sweep "question=$answer;options=best \`$options\`" \
                coref --antecedent $answer $gum $best $options --seeds 1:5
        done
        for epochs in 3 1; do
            sweep "question=$answer;options=best \`--shared --epochs $epochs\`" \
                coref --antecedent $answer $gum --shared --epochs $epochs ${best#--epochs 3 } \
                --arms tied,sym,qk --seeds 1:5
        done
    done
    table 'question options' arm attention_accuracy:3
    another mentions options=best
    table question arm accuracy:3

    # Every eighth document of the train part was kept aside until all options had been chosen.
    part aside 10 model/train/results.md
    needs QKV_GUM
    keep_aside "${QKV_GUM:-}/train.conllu"
    for answer in noun nearest; do
        sweep "question=$answer" coref --antecedent $answer --conllu "$out/aside/learned.conllu" \
            --dev "$out/aside/kept.conllu" $best --seeds 1:5
    done
    sweep 'question=`heads --mix pairs`' heads --mix pairs --max-words 64 --decay 0.3 \
        --conllu "$out/aside/learned.conllu" --dev "$out/aside/kept.conllu" --seeds 1:5
    table 'question' arm attention_accuracy:3

    part mixed 20 model/train/results.md
    needs QKV_GUM
    for mix in nothing nouns pairs; do
        sweep "questions=\`--mix $mix\`" heads --mix $mix --max-words 64 --decay 0.3 $gum --seeds 1:5
    done
    sweep 'questions=`--mix pairs --relative 16`' \
        heads --mix pairs --max-words 64 --decay 0.3 --relative 16 $gum --seeds 1:5
    table questions arm attention_accuracy:3
    another cycles 'questions=`--mix nouns`'
    table arm '' "cycle_attention_accuracy:3:cycle attention accuracy;attention_nll:3:cycle \
attention NLL"

    part sentences 10 model/train/results.md
    sweep '' pronoun --sentences data/sentences.txt --seeds 1:5
    table arm '' "$cycle;$all_questions"

    part arms 15 tests/claims.md
    sweep '' pronoun --seeds 1:5
    table arm '' "parameters:,:parameters;loss:3:loss;$all_questions;$cycle;$directions"

    part mask-self 15 tests/claims.md
    sweep '' pronoun --mask-self --seeds 1:5
    table arm '' "parameters:,:parameters;loss:3:loss;$all_questions;$cycle;$directions"

    part scale 10 tests/claims.md
    sweep 'options=with the division' pronoun --arms qkv --init random --d-k 64 --seeds 1:5
    sweep 'options=with `--no-scale`' pronoun --arms qkv --init random --d-k 64 --no-scale \
        --seeds 1:5
    table options '' accuracy:2:accuracy

    part rank 20 tests/claims.md
    sweep '' pronoun --arms qkv --d-k 1,2,3,4,6,8,16 --seeds 1:5
    table d_k '' "$all_questions"

    part anti 45 tests/recipes/add_an_arm.md
    patched tests/recipes/add_an_arm.md
    sweep '' pronoun --arms sym,anti,qkv --seeds 1:5
    table arm '' "$cycle;$directions;symmetry:2:symmetry of M"

    part kinds 45 tests/recipes/add_a_task.md
    patched tests/recipes/add_a_task.md tests/recipes/add_an_arm.md
    sweep '' kinds --arms xxt,xxt-v,tied,sym,anti,qk,qkv --seeds 1:5
    table arm '' "$all_questions;loss:3:loss;asymmetry:2:asymmetry"

    part text 300 model/train/results.md
    needs QKV_TEXT
    run 'options=`./train text --text tinyshakespeare.txt --seed 1`' text --text "${QKV_TEXT:-}" --seed 1
    run 'options=the same, `--seed 2`' text --text "${QKV_TEXT:-}" --seed 2
    run 'options=`--init tied --seed 1`: W_Q = W_K at the start' \
        text --text "${QKV_TEXT:-}" --init tied --seed 1
    table options '' "loss:3:held-out loss, nats per character;bits_per_character:2:bits per \
character;accuracy:2:next-character accuracy"

    part memory 60 model/train/results.md
    needs QKV_TEXT
    run 'options=default' text --text "${QKV_TEXT:-}" --steps 2 --threads 2
    for options in '--batch 24' '--layers 8' '--d-model 256' '--context 128'; do
        run "options=\`$options\`" text --text "${QKV_TEXT:-}" $options --steps 2 --threads 2
    done
    table options '' memory_bytes:MiB:MiB

    part encoders 400 model/train/results.md
    needs QKV_TEXT
    for init in tied random; do
        for objective in causal masked; do
            for seed in 1 2 3 4 5; do
                start=random shown="next character"
                [ $init = random ] || start='W_Q = W_K'
                [ $objective = causal ] || shown='masked characters'
                run "start=$start;objective=$shown;step=2000" text --text "${QKV_TEXT:-}" \
                    --d-model 64 --objective $objective --init $init --seed $seed
            done
        done
    done
    table 'start objective' '' "symmetry_at_0:2:step 0;symmetry_at_400:2:400;symmetry_at_800:2:800;\
symmetry_at_1200:2:1,200;symmetry:2:2,000;loss:2:held-out loss"

    part recall 50 model/train/results.md
    sweep '' recall --arms kv,vq,qkv,qk,tied,sym --d-k 2,3,4,6,8,16 --steps 1000 --seeds 1:5
    table arm d_k accuracy:2

    part recall-pairs 100 model/train/results.md
    sweep '' recall --arms kv,qkv,qk,tied,sym --pairs 4,8,16,32,64 --steps 1000 --seeds 1:5
    for d in 8 16; do
        sweep "arm=\`kv\`, d_k $d" recall --arms kv --d-k $d --pairs 4,8,16,32,64 --steps 1000 \
            --seeds 1:5
    done
    sweep '' recall --arms vq --pairs 4,8,16,32,64 --steps 1000 --seeds 1:5
    table arm pairs accuracy:2

    part recall-layers 300 model/train/results.md
    sweep '' recall --separate --arms kv,qkv,qk,tied,sym --layers 0,1 --steps 1000 --seeds 1:5
    sweep 'layers=2' recall --separate --arms kv,qkv,qk,tied,sym,xxt --layers 2 --seeds 1:5
    sweep 'arm=`kv`, d_k 64;layers=2' recall --separate --arms kv --layers 2 --d-k 64 --seeds 1:5
    sweep '' recall --separate --arms vq --layers 0,1 --steps 1000 --seeds 1:5
    sweep 'layers=2' recall --separate --arms vq --layers 2 --seeds 1:5
    table arm layers accuracy:2

    part projections 500 model/train/results.md
    needs QKV_TEXT
    source_text
    projections data/english.conllu 2 32 400 --context 32
    for size in "2 32 1000" "2 64 600"; do
        projections "${QKV_TEXT:-}" $size
        projections "$source" $size
    done
    against 'arm MLP' where 'loss:3;symmetry:2:symmetry of M:range' qkv
    picture tests/pictures/projections.svg qkv

    close_part
}

# TEXT LAYERS WIDTH STEPS [OPTIONS]: every arm at the width of qkv, then with an MLP that makes up
# for the parameters of its attention: most have fewer than qkv, sym has more.
projections() {
    text=$1 where="$(basename "$1" .txt), $2 x $3"
    options="--layers $2 --d-model $3 --steps $4 --lr 0.003 --held-out 16"
    wider=$(($3 * 9 / 2)) narrower=$(($3 * 3))
    shift 4
    for seed in 1 2 3 4 5; do
        run "where=$where;MLP=4 D" text --text "$text" $options "$@" \
            --arms qkv,kv,vq,qk,tied,sym --seed $seed
        run "where=$where;MLP=4.5 D" text --text "$text" $options "$@" \
            --arms kv,vq,qk,tied --d-ff $wider --seed $seed
        run "where=$where;MLP=3 D" text --text "$text" $options "$@" \
            --arms sym --d-ff $narrower --seed $seed
    done
}

# The project's own C as a text: as it was when the table was made, where git still has that.
source_text() {
    source=$out/source.txt commit=81a8bf1
    [ $wanted = 1 ] && [ $action = run ] && [ ! -f "$source" ] || return 0
    mkdir -p "$out"
    if git rev-parse -q --verify $commit^{commit} >/dev/null 2>&1; then
        git ls-tree -r --name-only $commit | grep '\.[ch]$' | LC_ALL=C sort |
            sed "s/^/$commit:/" | xargs git show >"$source.new"
    else
        say "$commit is not in this repository's history: the C files of today are the text"
        find autograd data model tests train.c -name '*.[ch]' | LC_ALL=C sort | xargs cat \
            >"$source.new"
    fi
    mv "$source.new" "$source"
}

# ---- how they are run ----------------------------------------------------------------------------

minutes() { [ "$1" -le 90 ] && echo "$1 s" || echo "$((($1 + 30) / 60)) minutes"; }
say() { echo "results: $*" >&2; }

# Is this part asked for, and can it be done?
part() {
    close_part
    name=$1 seconds=$2 page=$3 wanted=0 number=0 missing=0 began=$(date +%s)
    tables=$1 table=$1 column='' program=$train
    case "$only" in '  ' | *" $name "*) wanted=1 ;; esac
    : >"$rows"
    known="$known $name "
}

needs() {
    for variable; do
        eval "file=\${$variable:-}"
        [ -z "$file" ] && [ $wanted = 1 ] || continue
        [ $action != count ] || say "$name is left out: $variable is not set"
        wanted=0
    done
}

sweep() {
    number=$((number + 1))
    directory=$out/$name/$number columns=$1
    shift
    [ $wanted = 1 ] || return 0
    [ $action != run ] || "$program" sweep "$@" --quiet --out "$directory" >"$rows.log" 2>&1 ||
        { cat "$rows.log" >&2; say "$name stopped; what is done is kept in $out"; exit 1; }
    [ $action = count ] || add_rows "$directory/sweep.csv" "$columns"
}

run() {
    number=$((number + 1))
    directory=$out/$name/$number columns=$1
    shift
    [ $wanted = 1 ] || return 0
    if [ $action = run ] && [ "$(cat "$directory/done" 2>/dev/null)" != "$*" ]; then
        "$program" "$@" --quiet --no-report --out "$directory" >"$rows.log" 2>&1 ||
            { cat "$rows.log" >&2; say "$name stopped; what is done is kept in $out"; exit 1; }
        rm -f "$directory"/*.npy "$directory"/*.safetensors
        echo "$*" >"$directory/done"
    fi
    [ $action = count ] || add_run "$directory" "$columns;seed=$(echo "$*" | sed 's/.*--seed //')"
}

# A line a row of the file: name=value, separated by tabs. The last of a name is what counts.
add_rows() {
    [ -f "$1" ] || { say "$name: $1 is not there; make results PARTS=$name"; wanted=0; return 0; }
    awk -F, -v columns="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; gsub(";", "\t", columns); next }
        { for (i = 1; i <= NF; i++) printf "%s=%s\t", name[i], $i; print columns }' "$1" >>"$rows"
}

# The final figures of each arm; its curve, and the median symmetry of M over all heads, by step.
add_run() {
    [ -f "$1/done" ] || { missing=$((missing + 1)); return 0; }
    awk -F, -v columns="$2" -f "$(dirname "$awk")/results_rows.awk" \
        "$1/symmetry.csv" "$1/metrics.csv" "$1/summary.json" >>"$rows"
}

# Cuts a treebank: every eighth document into out/results/aside/kept.conllu, the rest beside it.
keep_aside() {
    [ $wanted = 1 ] && [ $action = run ] || return 0
    mkdir -p "$out/aside"
    awk -v folder="$out/aside" '
        /^# newdoc/ { file = folder "/" (++documents % 8 ? "learned" : "kept") ".conllu" }
        file { print > file }' "$1"
}

# The program of recipes, made once in a copy of this tree, which is named for the first of them.
patched() {
    program=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")/$(basename "$1" .md)/train
    [ $wanted = 1 ] && [ $action = run ] && [ ! -x "$program" ] || return 0
    mkdir -p "$(dirname "$program")"
    tar -cf - Makefile train.c autograd data model tests | tar -xf - -C "${program%/*}"
    (cd "${program%/*}" && for recipe; do tests/recipes/apply.sh "$recipe"; done && make train) \
        >"$rows.log" 2>&1 || { cat "$rows.log" >&2; say "$name: $* made no program"; exit 1; }
}

another() { tables="$tables $1" table=$1 column=$2; }

table() { print_table "$1" "$2" "$3${4:+:$4}" ''; }
against() { print_table "$1" "$2" "$3" "$4"; }
print_table() {
    [ $wanted = 1 ] && [ $action != count ] && [ -s "$rows" ] || return 0
    awk -F'\t' -v column="$column" 'column == "" || index("\t" $0 "\t", "\t" column "\t")' "$rows" |
        awk -v rows="$1" -v columns="$2" -v figures="$3" -v base="$4" -f "$awk" >"$rows.$table.table"
}

# Only with the pages: what a page shows must be what its picture shows.
picture() {
    [ $wanted = 1 ] && [ $action = page ] || return 0
    awk -v base="$2" -f "$(dirname "$awk")/results_picture.awk" model/arms.c "$rows" >"$1"
}

# What a part ends with: it is counted, printed, or written into its page.
close_part() {
    [ $wanted = 1 ] || return 0
    [ $missing = 0 ] || say "$name: $missing runs are not done; make results PARTS=$name"
    [ $action = count ] || [ -s "$rows" ] || wanted=0
    [ $wanted = 1 ] || return 0
    case $action in
    count) total=$((total + seconds)) all=$((all + 1)) ;;
    run)
        left=$((left - seconds)) done=$((done + 1))
        say "$name: $done of $all parts, after $(($(date +%s) - began)) s;" \
            "about $(minutes $left) left"
        ;;
    esac
    case $action in
    run | tables) for table in $tables; do echo "$table"; echo; cat "$rows.$table.table"; echo; done ;;
    page) for table in $tables; do write_page; done ;;
    esac
    rm -f "$rows".*.table
    wanted=0
}

# Between the marks of this table.
write_page() {
    grep -q "^<!-- $table: " "$page" || { say "$page has no table $table"; exit 1; }
    awk -v mark="<!-- $table: " -v from="$rows.$table.table" '
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
    case $known in
    *" $word "*) ;;
    *) say "\"$word\" is no part; the parts are$known"; exit 1 ;;
    esac
done
left=$total action=$chosen name=
[ $action != run ] || say "of $all: about $(minutes $total) on two cores; stopped, it goes on later"
parts
