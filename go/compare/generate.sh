#!/usr/bin/env bash
# Makes bulk_gen: a copy of kitex_gen, whose k-lists.go kitexlists rewrites.
set -euo pipefail
cd "$(dirname "$0")"
rm -rf bulk_gen
cp -R kitex_gen bulk_gen
cd ..
go run ./cmd/kitexlists -require compare/bulk_gen/lists/k-lists.go
