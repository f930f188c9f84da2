#!/usr/bin/env bash
# The shards of a sweep, spread by GNU parallel and joined by cat, are the file of the whole sweep.
# Needs GNU parallel (Debian: parallel); QKV_TRAIN names another binary than ./train.
set -euo pipefail
cd "$(dirname "$0")/.."
train=${QKV_TRAIN:-./train}
out=build/test-output/parallel
grid=(pronoun --seeds 1:3 --d-k 1,2,4 --arms xxt,qkv --steps 60 --quiet)

rm -rf "$out"
mkdir -p "$out"
"$train" sweep "${grid[@]}" --out "$out/whole"
seq 2 | parallel --jobs 2 "$train" sweep "${grid[@]}" --threads 1 --out "$out/parts" --shard {}/2
cat "$out"/parts/sweep.*-of-2.csv >"$out/sweep.csv"
cmp "$out/sweep.csv" "$out/whole/sweep.csv"

# As a Slurm array would: the numbers come from the environment, and the tasks in any order.
for SLURM_ARRAY_TASK_ID in 3 12 7 1 2 4 5 6 8 9 10 11; do
    "$train" sweep "${grid[@]}" --out "$out/array" --shard "$SLURM_ARRAY_TASK_ID/12"
done
cat "$out"/array/sweep.*-of-12.csv | cmp - "$out/whole/sweep.csv"
[[ $(wc -l <"$out/sweep.csv") == 19 ]]
echo "2 passed, 0 failed"
