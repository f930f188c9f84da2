#!/bin/sh
# Shows verdicts, and proves the checks. exercises.mk builds what this runs, under $BUILD/exercises.
#     exercises.sh one NAME | list | prove
set -u
here=tests/exercises
built=$BUILD/exercises

all() { for page in $here/[0-9]*.md; do basename "$page" .md; done; }
title() { sed -n '1s/^# //p' "$here/$1.md"; }
number() { echo "${1%%_*}"; }

compiles() { [ "$built/$1" -nt "$here/$1.c" ]; }

# Whether the exercise holds. The result is kept until the program is built anew.
holds() {
    compiles "$1" || return 1
    if [ ! "$built/$1.status" -nt "$built/$1" ]; then
        "$built/$1" >/dev/null 2>&1
        echo $? >"$built/$1.status"
    fi
    [ "$(cat "$built/$1.status")" = 0 ]
}

next() {
    for name in $(all); do
        holds "$name" || { echo "$name"; return; }
    done
}

tell_next() {
    name=$(next)
    if [ "$name" ]; then echo "next: $here/$name.md, then make exercise-$(number "$name")"
    else echo "All exercises hold."; fi
}

one() {
    echo
    echo "exercise $(title "$1")"
    "$built/$1"
    status=$?
    echo $status >"$built/$1.status"
    if [ $status = 0 ]; then
        echo "  holds"
        tell_next
    else
        echo "  the page: $here/$1.md"
        echo "  yours:    $here/$1.c"
        return 1
    fi
}

list() {
    count=0
    for name in $(all); do
        if holds "$name"; then mark='x'; count=$((count + 1)); else mark=' '; fi
        if compiles "$name"; then note=; else note='   (it does not compile)'; fi
        echo "  [$mark] $(title "$name")$note"
    done
    echo "$count of $(all | wc -l) hold"
    tell_next
}

# ---- proofs --------------------------------------------------------------------------------------

passed=0
failed=0

# expect NAME STATUS WORDS PROGRAM: PROGRAM ends with STATUS and prints WORDS, on however many lines
expect() {
    said=$("$4" 2>&1)
    status=$?
    case $(printf '%s' "$said" | tr -s '\n ' ' ') in *"$3"*) ;; *) status="$status without the words" ;; esac
    if [ "$status" = "$2" ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "FAILED  $1: expected status $2 and \"$3\", got status $status:"
    echo "$said"
}

# Changes a solution by a sed expression, and compiles it without warnings.
prove_wrong() {
    mkdir -p "$built/wrong"
    sed "$2" "$here/solutions/$1.c" >"$built/wrong/$1.c"
    if cmp -s "$built/wrong/$1.c" "$here/solutions/$1.c"; then
        failed=$((failed + 1))
        echo "FAILED  $1: \"$2\" changes nothing"
        return
    fi
    $COMPILE -w "$built/wrong/$1.c" $LINKED "$BUILD/$here/checks/$1.o" -o "$built/wrong/$1" -lm \
        || { failed=$((failed + 1)); return; }
    expect "$1, changed by $2" 1 "$3" "$built/wrong/$1"
}

prove() {
    for name in $(all); do
        expect "$name as it stands" 1 "not yet: " "$built/$name"
        case $said in *crashed*|*aborted*|*'ended the program'*|*'ran for'*)  # must be a verdict
            failed=$((failed + 1))
            echo "FAILED  $name as it stands: $said" ;;
        esac
        expect "$name, the solution" 0 "" "$built/solutions/$name"
    done
    sed 's/ *| */|/g; /^#/d' $here/wrong.txt >"$built/wrong.list"
    while IFS='|' read -r name edit words; do prove_wrong "$name" "$edit" "$words"; done <"$built/wrong.list"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}

command=$1
shift
$command "$@"
