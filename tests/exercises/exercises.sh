#!/bin/sh
# Shows verdicts, and proves the checks. exercises.mk builds what this runs, under $BUILD/exercises.
#     exercises.sh one NAME | list | watch | prove
# COMPILE is the compiler with its flags, LINKED the objects that every exercise is linked with.
set -u
here=${HERE:-tests/exercises}
built=${BUILT:-$BUILD/exercises}
checks=$BUILD/tests/exercises/checks

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

# link NAME SOURCE PROGRAM [FLAG]: makes the exercise NAME from SOURCE
link() { LC_ALL=C $COMPILE ${4-} "$2" $LINKED "$checks/$1.o" -o "$3" -lm; }

tell_next() {
    name=$(next)
    if [ "$name" ]; then echo "next: $here/$name.md, then ${1-make exercise-$(number "$name")}"
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
        tell_next ${2:+"$2"}
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

# ---- watching ------------------------------------------------------------------------------------

waiting=    # the process that waits for the next save
terminal=   # the settings of the terminal before, if there is a terminal

# However the watching ends, nothing that it started is left, and the terminal is as it was.
end_watch() {
    trap - EXIT INT TERM HUP
    [ "$waiting" ] && kill "$waiting" 2>/dev/null && wait "$waiting" 2>/dev/null
    [ "$terminal" ] && stty "$terminal" && printf '\033[?25h\n'
    exit 0
}

bar() {
    count=0
    marks=
    for name in $(all); do
        if holds "$name"; then marks=$marks#; count=$((count + 1)); else marks=$marks.; fi
    done
    echo
    echo "[$marks] $count of ${#marks} hold"
    echo "Save an exercise, and it is checked. Ctrl-C ends."
}

# Checks one exercise, on an empty screen.
show() {
    [ "$terminal" ] && printf '\033[H\033[2J\033[3J'
    if compiles "$1" || link "$1" "$here/$1.c" "$built/$1" 2>"$built/$1.log"; then
        [ -s "$built/$1.log" ] && cat "$built/$1.log"  # warnings
        : >"$built/$1.log"
        one "$1" "save your answer"
    else
        echo
        echo "exercise $(title "$1")"
        echo "  not yet: it does not compile. The first error:"
        grep -m 1 -e 'error: ' -e 'undefined reference' "$built/$1.log" || cat "$built/$1.log"
        echo "  the page: $here/$1.md"
        echo "  yours:    $here/$1.c"
        echo "next: mend this error, then save; make exercise-$(number "$1") prints all errors"
    fi
    bar
}

# inotifywait reports a save at once. Its limit of two seconds is for a save just before it began.
wait_for_save() {
    if command -v inotifywait >/dev/null; then
        inotifywait -qq -t 2 -e close_write -e moved_to "$here" 2>/dev/null &
    else
        sleep 1 &
    fi
    waiting=$!
    wait "$waiting"
    [ $? = 1 ] && sleep 1  # inotifywait has failed
    waiting=
}

watch() {
    trap end_watch EXIT INT TERM HUP
    if [ -t 0 ] && [ -t 1 ]; then
        terminal=$(stty -g)
        stty -echo
        printf '\033[?25l'
    fi
    touch "$built/saved"
    name=$(next)
    if [ "$name" ]; then show "$name"; else bar; fi
    while :; do
        saved=$(find "$here"/[0-9]*.c -newer "$built/saved")
        [ "$saved" ] || { wait_for_save; continue; }
        saved=$(ls -t $saved | head -n 1)
        touch -r "$saved" "$built/saved"  # so that a save during the check is seen after it
        show "$(basename "$saved" .c)"
    done
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
    link "$1" "$built/wrong/$1.c" "$built/wrong/$1" -w || { failed=$((failed + 1)); return; }
    expect "$1, changed by $2" 1 "$3" "$built/wrong/$1"
}

says() {  # says WORDS: waits until the watching has printed WORDS
    for tenth in $(seq 600); do
        grep -qF "$1" "$copy/log" && return
        sleep 0.1
    done
    echo "watch did not say \"$1\":" >"$copy/failed"
    kill "$(cat "$copy/pid")"
    exit 1
}

# The processes of watch $1 that wait for a save.
waiting_of() {
    ps -A -o pid= -o ppid= -o comm= | awk -v of="$1" '$2 == of && /sleep|inotify/ { print $1 }'
}

# A learner who saves a right answer, then one that does not compile, then presses Ctrl-C.
learner() {
    says "[..] 0 of 2 hold"
    cp $here/solutions/01_multiply.c "$copy/here/"
    says "next: $copy/here/02_tanh.md, then save your answer"
    says "[#.] 1 of 2 hold"
    echo 'int (' >"$copy/here/02_tanh.c"
    says "02_tanh.c:1:"
    says "not yet: it does not compile"
    says "yours:    $copy/here/02_tanh.c"
    says "next: mend this error"
    watcher=$(cat "$copy/pid")
    for try in $(seq 600); do
        child=$(waiting_of "$watcher")
        [ "$child" ] && break
        sleep 0.1
    done
    echo "${child:-none}" >"$copy/children"
    kill -"$1" "$watcher"
}

# A background process may have been started deaf to Ctrl-C; then the test uses another signal.
prove_watch() {
    copy=$built/watched
    rm -rf "$copy"
    mkdir -p "$copy/here" "$copy/built"
    for name in 01_multiply 02_tanh; do cp $here/$name.md $here/$name.c "$copy/here"; done
    signal=INT
    sh -c 'kill -INT $$; :' 2>/dev/null && signal=TERM
    : >"$copy/log"
    learner $signal &
    (HERE=$copy/here BUILT=$copy/built sh -c 'echo $$ >"$1/pid"; exec sh "$2" watch' - "$copy" \
        $here/exercises.sh) >"$copy/log" 2>&1 </dev/null
    status=$?
    wait $!
    for child in $(cat "$copy/children"); do
        case $child in none) echo "watch was not seen to wait" >"$copy/failed" ;; esac
        kill -0 "$child" 2>/dev/null && echo "watch leaves $child running" >"$copy/failed"
    done
    if [ $status = 0 ] && [ ! -e "$copy/failed" ]; then passed=$((passed + 1)); return; fi
    failed=$((failed + 1))
    echo "FAILED  watch, ended by $signal with status $status, expected 0"
    cat "$copy/failed" "$copy/log" 2>/dev/null
}

prove() {
    prove_watch
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
