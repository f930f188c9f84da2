#!/usr/bin/env bash
# The C of the playground and of the report as WebAssembly, under node: its numbers are those of
# QKV_KERNELS=plain ./train, bit for bit.
#
#     tests/web.sh [TRAIN]
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory playground
node tests/web.mjs build/web "${1:-build/train}"
