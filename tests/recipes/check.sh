#!/usr/bin/env bash
# check.sh BUILD [RECIPE]: does what each recipe says in a copy of this tree, BUILD/recipes/RECIPE, and
# prints "N passed, N failed". A recipe is a page whose fenced blocks are done in order:
#
#     diff          applied, strictly
#     sh            run; must succeed
#     sh fails      run; must fail
#     sh needs X    run if there is a program X, or else said to be skipped
#     text          each line is a line of what the block before printed; ... stands for anything
#
# What was built before is copied too, so that only what a recipe changes is compiled again.
set -euo pipefail
build=${1:?where is it built?}
only=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
passed=0
failed=0

copy_tree() {
    rm -rf "$1"
    mkdir -p "$1/build"
    find . -path ./build -prune -o -path "./$build" -prune -o -path ./out -prune -o -path ./.git -prune \
        -o -type f ! -path ./train -print0 | tar -cf - --null -T - | tar -xf - -C "$1"
    (cd "$build" && find . -path ./recipes -prune -o -name '*.[odch]' -print0 -o -name flags -print0 |
        tar -cf - --null -T -) | tar -xf - -C "$1/build"
}

# Is there a line of file $1 for each line of file $2? Blanks in a row are as one.
says() {
    local line pattern found got blanks='s/  */ /g; s/^ //; s/ $//'
    while IFS= read -r line; do
        pattern=$(sed "$blanks"'; s/[][*?\\]/\\&/g; s/\.\.\./*/g' <<<"$line")
        found=
        # shellcheck disable=SC2053
        while IFS= read -r got; do [[ $got == $pattern ]] && found=1; done < <(sed "$blanks" "$1")
        [[ $found ]] || { echo "it doesn't print: $line"; return 1; }
    done <"$2"
}

# One block of kind $1, its text in file $2, in the copy; what it prints goes to file $3.
block() {
    local status=0
    case $1 in
    sh*needs*)
        command -v "${1##* }" >/dev/null || { : >"$3"; return 77; }
        bash -eu "$2" >"$3" 2>&1 ;;
    'sh fails')
        bash -eu "$2" >"$3" 2>&1 || status=$?
        ((status)) || { echo "it should have failed:"; cat "$2"; return 1; } ;;
    sh) bash -eu "$2" >"$3" 2>&1 ;;
    text) says "$3" "$2" ;;
    diff) ;;
    *) echo "a block can't be of the kind \"$1\""; return 1 ;;
    esac
}

# The blocks of a page, one after the other, in the copy, which is the directory we are in.
recipe() {
    local page=$1 line kind='' status absent=
    local text=build/block.txt said=build/said.txt
    : >"$said"
    ! grep -q '^```diff$' "$page" || tests/recipes/apply.sh "$page" || return 1
    while IFS= read -r line; do
        if [[ ! $kind && $line == '```'?* ]]; then
            kind=${line#'```'}
            : >"$text"
        elif [[ $kind && $line == '```' ]]; then
            [[ $kind == text && $absent ]] || absent=
            status=0
            [[ $absent ]] || block "$kind" "$text" "$said" </dev/null || status=$?
            if ((status == 77)); then
                echo "skipped a step of $(basename "$page" .md): there is no ${kind##* }" >&2
                absent=1
            elif ((status)); then
                echo "  ---- $kind"; sed 's/^/  /' "$text"
                echo "  ---- it printed"; tail -n 30 "$said" | sed 's/^/  /'
                return 1
            fi
            kind=
        elif [[ $kind ]]; then
            printf '%s\n' "$line" >>"$text"
        fi
    done <"$page"
}

command -v patch >/dev/null || { echo "recipes: there is no program \"patch\", which applies their diffs" >&2; exit 1; }
for page in "$here"/*.md; do
    name=$(basename "$page" .md)
    [[ $name != README && (! $only || $name == "$only") ]] || continue
    copy_tree "$build/recipes/$name"
    if out=$(cd "$build/recipes/$name" && recipe "tests/recipes/$name.md"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED  recipe $name"
        echo "$out"
    fi
done
echo "$passed passed, $failed failed"
((passed + failed)) || echo "recipes: none is named \"$only\"" >&2
((failed == 0 && passed > 0))
