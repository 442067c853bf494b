#!/usr/bin/env bash
# Makes kitex_gen, the code that kitex generates from lists.thrift, and bulk_gen: a copy of it, whose
# k-lists.go kitexlists rewrites. The module example/ has the version of kitex.
set -euo pipefail
cd "$(dirname "$0")"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
(cd ../example && go build -o "$directory/kitex" github.com/cloudwego/kitex/tool/cmd/kitex)
rm -rf kitex_gen bulk_gen
"$directory/kitex" -module github.com/bytelane/bytelane/go/compare lists.thrift
cp -R kitex_gen bulk_gen
cd ..
go run ./cmd/kitexlists -require compare/bulk_gen/lists/k-lists.go
