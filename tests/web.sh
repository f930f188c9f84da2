#!/usr/bin/env bash
# The playground's C as WebAssembly, under node: its numbers are QKV_KERNELS=plain ./train's, bit for bit.
#
#     tests/web.sh [TRAIN]
set -euo pipefail
cd "$(dirname "$0")/.."
make --no-print-directory playground
node tests/web.mjs build/web/web.wasm "${1:-build/train}"
