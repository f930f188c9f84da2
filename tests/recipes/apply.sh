#!/bin/sh
# apply.sh PAGE.md [-R]: applies the diffs that stand in a recipe to the tree you are in, all or
# none; with -R takes them back.
set -eu
page=${1:?which recipe? for example tests/recipes/add_an_op.md}
diff=$(sed -n '/^```diff$/,/^```$/{/^```/!p;}' "$page")
shift
put() { printf '%s\n' "$diff" | patch -p1 -F0 --batch --no-backup-if-mismatch "$@"; }
refuse() {
    printf '%s\n' "$said" >&2
    echo "apply.sh: $page doesn't fit this tree, which is as it was; was it applied already?" >&2
    exit 1
}
said=$(put --dry-run "$@" 2>&1) || refuse
case $said in *'previously applied'* | *'Unreversed'*) refuse ;; esac
put --silent "$@"
