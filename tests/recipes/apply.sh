#!/bin/sh
# apply.sh PAGE.md [-R]: applies the diffs that stand in a recipe to the tree you are in, all or none;
# with -R takes them back.
set -eu
page=${1:?which recipe? for example tests/recipes/add_an_op.md}
diff=$(sed -n '/^```diff$/,/^```$/{/^```/!p;}' "$page")
shift
for how in --dry-run --silent; do
    printf '%s\n' "$diff" | patch -p1 -F0 --no-backup-if-mismatch "$how" "$@" >&2
done
